"""Convert a treebank for `spacy train`: what `spacy convert -n 5` does, of the first sentences alone.

    python scripts/convert_treebank.py LIMIT TREEBANK.conllu DIRECTORY [-T]

LIMIT is the number of sentences, 0 for all. -T merges the words of multiword tokens.
"""

import re
import sys
from pathlib import Path

from spacy.tokens import DocBin
from spacy.training.converters import conllu_to_docs


def convert(limit: int, treebank: Path, directory: Path, merge: bool) -> Path:
    """Write five sentences to a Doc.

    limit (int): Number of sentences, 0 for all.
    treebank (Path): The CoNLL-U file.
    directory (Path): Where the .spacy file of the same name goes.
    merge (bool): Whether to merge the words of multiword tokens.
    RETURNS (Path): The file.
    """
    blocks = [b for b in re.split(r"\n\s*\n", treebank.read_text("utf8")) if b.strip()]
    if not blocks:
        sys.exit(
            f"{treebank} has no sentences. It should be a CoNLL-U file of Universal Dependencies."
        )
    text = "\n\n".join(blocks[:limit] if limit else blocks) + "\n\n"
    docs = conllu_to_docs(text, n_sents=5, merge_subtokens=merge, no_print=True)
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{treebank.stem}.spacy"
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-T"]
    if len(words) != 3 or not words[0].isdigit():
        sys.exit(__doc__)
    print(convert(int(words[0]), Path(words[1]), Path(words[2]), "-T" in sys.argv))
