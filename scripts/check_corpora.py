"""Name what does not fit together before anything is trained.

    python scripts/check_corpora.py LANG DATA TEACHER [--any-language]

DATA has the folders train and dev with graphs, and ud/train and ud/dev with treebanks. TEACHER is the pipeline that labels texts.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.applications.tokens import sentences_of
from spacy_ucca.cli._pipelines import load_pipeline
from spacy_ucca.cli._util import user_errors
from spacy_ucca.errors import UccaError
from spacy_ucca.graph.categories import LINK_ARGUMENT, LINK_RELATION
from spacy_ucca.tokens.extension import get_graph, get_guidelines
from spacy_ucca.tokens.guess import _identifier, guess_language
from spacy_ucca.training.corpus import find_docbins, read_docbin, read_docs

FOLDERS = ("train", "dev", "ud/train", "ud/dev")
LONG = 8  # words of sentences whose language is guessed with 99.4 % right
MOST = 0.05  # part of them that may be guessed wrong, or quote another language
ENOUGH = 20  # long sentences of a file, to judge it by
# Of these, many sentences are guessed to be in another of the group: 7 % of those of Indonesian PUD in Malay.
ALIKE = ({"id", "ms"}, {"bs", "hr", "sr"}, {"da", "nb", "nn", "no"})
ANY_LANGUAGE = typer.Option(False, "--any-language", help="Do not check the language of texts")


def is_guessed(lang: str) -> bool:
    """RETURNS (bool): Whether texts in a language can be told from others. If not, a line says so."""
    if not (is_known := lang in ("nb", *_identifier().labels)):
        typer.echo(f"Texts in '{lang}' are not checked: py3langid does not know this language.")
    return is_known


def other_language(lang: str, docs: list[Doc]) -> str:
    """RETURNS (str): Which other language many sentences of a file are in, with the first of them, or ""."""
    long = [sent for doc in docs for sent in sentences_of(doc) if len(sent) >= LONG]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a sentence in several languages
        guesses = [(guess_language(sent.text), sent) for sent in long]
    same = {lang, "xx"}.union(*(group for group in ALIKE if lang in group))
    others = [(g.lang, sent) for g, sent in guesses if g.is_sure and g.lang not in same]
    if len(long) < ENOUGH or len(others) <= MOST * len(long):
        return ""
    most, _ = Counter(name for name, _ in others).most_common(1)[0]
    first = next(sent.text for name, sent in others if name == most)
    return (
        f"{len(others)} of {len(long)} sentences are not in the language {lang}, most of them in {most}, such as "
        f'"{first[:60]}". Leave them out, or give their language (--vars.lang of a project). If the guess is wrong, give '
        "this script --any-language."
    )


def problems(lang: str, data: Path, teacher: Path, any_language: bool = False) -> Iterator[str]:
    """Find what does not fit together.

    lang (str): The code of the language.
    data (Path): The folder of the corpora.
    teacher (Path): The pipeline.
    any_language (bool): Whether the corpora may be in other languages.
    YIELDS (str): Each problem, with its place and what to do.
    """
    try:
        parser = load_pipeline(str(teacher)).get_pipe("ucca_parser")
    except (UccaError, KeyError) as error:
        yield f"{teacher} is no pipeline with `ucca_parser`: {error}"
        return
    if not parser.labels:
        yield f"{teacher} is not trained: its `ucca_parser` knows no categories. Give one that is, such as models/xx_ucca_trf."
        return
    check_language = not any_language and is_guessed(lang)
    guidelines = set(parser.known_guidelines)
    known = {part for name in parser.labels for part in name.split("|")}
    known |= {LINK_ARGUMENT, LINK_RELATION}
    learned: set[str] = set()
    for folder in FOLDERS:
        try:
            files = find_docbins(data / folder)
        except UccaError:
            files = []
            yield f"{data / folder} has no .spacy file. Name a corpus: see `corpora-{lang}` and `corpora-other` in project.yml."
        is_treebank = folder.startswith("ud")
        for file in files:
            try:
                docs = list((read_docs if is_treebank else read_docbin)(file, Vocab()))
            except UccaError as error:
                yield str(error)
                continue
            if not any(map(len, docs)):
                yield f"{file} has no sentences. See the lists of passages in splits/."
            if check_language and (message := other_language(lang, docs)):
                yield f"{file}: {message}"
            graphs = [] if is_treebank else [get_graph(doc) for doc in docs if len(doc)]
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


@user_errors()
def main(
    lang: str = typer.Argument(..., help="Code of the language"),
    data: Path = typer.Argument(..., help="The corpora: folders train, dev, ud/train, ud/dev"),
    teacher: Path = typer.Argument(..., help="The pipeline that labels texts"),
    any_language: bool = ANY_LANGUAGE,
) -> None:
    """Name what does not fit together before anything is trained."""
    if found := "\n".join(problems(lang, data, teacher, any_language)):
        raise SystemExit(found)


if __name__ == "__main__":
    typer.run(main)
