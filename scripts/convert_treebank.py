"""Convert a treebank for `spacy train`: what `spacy convert -n 5` does, of some of the sentences.

    python scripts/convert_treebank.py LIMIT TREEBANK.conllu DIRECTORY [-T] [-U]

TREEBANK.conllu may be a directory with several. LIMIT is the number of sentences of each, from the end if negative, 0 for all.
-T merges the words of multiword tokens: DIRECTORY gets NAME-merged.spacy. -U leaves out features and subtypes of relations that
are of few languages, and takes the universal tags for all tags.
"""

import re
import sys
from pathlib import Path

from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs

FORMAT = "Give a CoNLL-U file of Universal Dependencies."
# What `spacy_ucca.extract` looks at, and what most treebanks have
FEATURES = set(
    "Case Definite Degree Mood Number Person Polarity Poss PronType Reflex Tense VerbForm Voice".split()
)
SUBTYPES = set(
    "nsubj:pass csubj:pass aux:pass acl:relcl compound:prt obl:agent nmod:poss det:poss cc:preconj nsubj:outer csubj:outer".split()
)


def convert(limit: int, treebank: Path, directory: Path, merge: bool, universal: bool) -> Path:
    """Write five sentences to a Doc.

    limit (int): Number of sentences, from the end if negative, 0 for all.
    treebank (Path): The CoNLL-U file.
    directory (Path): Where the .spacy file of the same name goes.
    merge (bool): Whether to merge the words of multiword tokens.
    universal (bool): Whether to leave out what few languages have.
    RETURNS (Path): The file.
    """
    try:
        blocks = [b for b in re.split(r"\n\s*\n", treebank.read_text("utf8")) if b.strip()]
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{treebank} cannot be read: {error}. {FORMAT}")
    if not blocks:
        sys.exit(f"{treebank} has no sentences. {FORMAT}")
    chosen = blocks[limit:] if limit < 0 else blocks[: limit or None]
    path = directory / f"{treebank.stem}{'-merged' * merge}.spacy"
    try:
        lines = "\n\n".join(chosen).split("\n")
        text = "\n".join(map(universal_line, lines) if universal else lines) + "\n\n"
        docs = list(conllu_to_docs(text, n_sents=5, merge_subtokens=merge, no_print=True))
    except (ValueError, IndexError, KeyError) as error:
        sys.exit(f"{treebank} cannot be converted: {error}. {FORMAT}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        DocBin(docs=docs, store_user_data=True).to_disk(path)
    except OSError as error:
        sys.exit(f"{path} cannot be written: {error.strerror}.")
    return path


def universal_line(line: str) -> str:
    """RETURNS (str): A line of CoNLL-U without what few languages have."""
    columns = line.split("\t")
    if len(columns) == 10 and columns[0].isdigit():
        kept = [item for item in columns[5].split("|") if item.partition("=")[0] in FEATURES]
        columns[4], columns[5] = columns[3], "|".join(kept) or "_"
        columns[7] = columns[7] if columns[7] in SUBTYPES else columns[7].partition(":")[0]
    return "\t".join(columns)


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word not in ("-T", "-U")]
    if len(words) != 3 or not words[0].removeprefix("-").isdigit():
        sys.exit(__doc__)
    treebank, merge, universal = Path(words[1]), "-T" in sys.argv, "-U" in sys.argv
    for file in sorted(treebank.rglob("*.conllu")) if treebank.is_dir() else [treebank]:
        print(convert(int(words[0]), file, Path(words[2]), merge, universal))
