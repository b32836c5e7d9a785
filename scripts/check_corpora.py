"""Name what does not fit together before anything is trained.

    python scripts/check_corpora.py LANG DATA TEACHER

DATA has the folders train and dev with graphs, and ud/train and ud/dev with treebanks. TEACHER is the pipeline that labels texts.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.applications.tokens import sentences_of
from spacy_ucca.errors import UccaError
from spacy_ucca.graph.categories import LINK_ARGUMENT, LINK_RELATION
from spacy_ucca.tokens.extension import get_graph, get_guidelines
from spacy_ucca.tokens.guess import guess_language
from spacy_ucca.training.corpus import read_docs

FOLDERS = ("train", "dev", "ud/train", "ud/dev")
LONG = 8  # words of sentences whose language is guessed with 99.4 % right
MOST = 0.05  # part of them that may be guessed wrong, or quote another language
ENOUGH = 20  # long sentences of a file, to judge it by


def other_language(lang: str, docs: list[Doc]) -> str:
    """RETURNS (str): Which other language many sentences of a file are in, with the first of them, or ""."""
    long = [sent for doc in docs for sent in sentences_of(doc) if len(sent) >= LONG]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a sentence in several languages
        guesses = [(guess_language(sent.text), sent) for sent in long]
    others = [(g.lang, sent) for g, sent in guesses if g.is_sure and g.lang not in (lang, "xx")]
    if len(long) < ENOUGH or len(others) <= MOST * len(long):
        return ""
    most, _ = Counter(name for name, _ in others).most_common(1)[0]
    first = next(sent.text for name, sent in others if name == most)
    return (
        f"{len(others)} of {len(long)} sentences are not in the language {lang}, most of them in {most}, such as "
        f'"{first[:60]}". Leave them out, or give their language by --vars.lang.'
    )


def problems(lang: str, data: Path, teacher: Path) -> Iterator[str]:
    """Find what does not fit together.

    lang (str): The code of the language.
    data (Path): The folder of the corpora.
    teacher (Path): The pipeline.
    YIELDS (str): Each problem, with its place and what to do.
    """
    try:
        parser = spacy.load(teacher).get_pipe("ucca_parser")
    except (OSError, KeyError) as error:
        yield f"{teacher} is no pipeline with `ucca_parser`: {error}"
        return
    guidelines = set(parser.known_guidelines)
    known = {part for name in parser.labels for part in name.split("|")}
    known |= {LINK_ARGUMENT, LINK_RELATION}
    learned: set[str] = set()
    for folder in FOLDERS:
        files = sorted((data / folder).glob("*.spacy"))
        if not files:
            yield f"{data / folder} has no .spacy file. Name a corpus: see `corpora-{lang}` and `corpora-other` in project.yml."
        for file in files:
            try:
                docs = list(read_docs(file, Vocab()))
            except UccaError as error:
                yield str(error)
                continue
            if not docs:
                yield f"{file} has no sentences. See the lists of passages in splits/."
            if message := other_language(lang, docs):
                yield f"{file}: {message}"
            graphs = [graph for doc in docs if (graph := get_graph(doc)) is not None]
            named = {get_guidelines(doc) for doc in docs} - {""}
            if folder == "train":
                learned |= named
            if folder == "dev" and (new := named - learned):
                yield f"{file} follows the guidelines {', '.join(sorted(new))}, which no corpus in {data / 'train'} does."
            if unknown := named - guidelines:
                yield (
                    f"{file} follows the guidelines {', '.join(sorted(unknown))}, and {teacher} knows "
                    f"{', '.join(sorted(guidelines))}: it would label texts by others. Convert the corpus "
                    "with the --guidelines that it shares with the teacher, or finetune the teacher on it: see docs/train.md."
                )
            categories = {c for graph in graphs for e in graph.edges for c in e.categories}
            if new := sorted(categories - known):
                yield f"{file} has the categories {', '.join(new)}, which {teacher} does not know. Are they misspelt?"


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit("\n".join(problems(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))) or 0)
