"""Convert a treebank for `spacy train`: what `spacy convert -n 5` does, of the first sentences alone.

    python scripts/convert_treebank.py LIMIT TREEBANK.conllu DIRECTORY [-T]

TREEBANK.conllu may be a directory with several. LIMIT is the number of sentences of each, 0 for all. -T merges the words of
multiword tokens.
"""

import re
import sys
from pathlib import Path

from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs

FORMAT = "Give a CoNLL-U file of Universal Dependencies."


def convert(limit: int, treebank: Path, directory: Path, merge: bool) -> Path:
    """Write five sentences to a Doc.

    limit (int): Number of sentences, 0 for all.
    treebank (Path): The CoNLL-U file.
    directory (Path): Where the .spacy file of the same name goes.
    merge (bool): Whether to merge the words of multiword tokens.
    RETURNS (Path): The file.
    """
    try:
        blocks = [b for b in re.split(r"\n\s*\n", treebank.read_text("utf8")) if b.strip()]
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{treebank} cannot be read: {error}. {FORMAT}")
    if not blocks:
        sys.exit(f"{treebank} has no sentences. {FORMAT}")
    text = "\n\n".join(blocks[:limit] if limit else blocks) + "\n\n"
    path = directory / f"{treebank.stem}.spacy"
    try:
        docs = list(conllu_to_docs(text, n_sents=5, merge_subtokens=merge, no_print=True))
    except (ValueError, IndexError, KeyError) as error:
        sys.exit(f"{treebank} cannot be converted: {error}. {FORMAT}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        DocBin(docs=docs, store_user_data=True).to_disk(path)
    except OSError as error:
        sys.exit(f"{path} cannot be written: {error.strerror}.")
    return path


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-T"]
    if len(words) != 3 or not words[0].isdigit():
        sys.exit(__doc__)
    treebank = Path(words[1])
    for file in sorted(treebank.rglob("*.conllu")) if treebank.is_dir() else [treebank]:
        print(convert(int(words[0]), file, Path(words[2]), "-T" in sys.argv))
