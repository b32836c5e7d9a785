"""Name what is missing before anything is trained.

    python scripts/check_data.py DATA SYNTAX CORPUS [CORPUS ...]
    python scripts/check_data.py --lang LANG TREEBANK

DATA has the folders train and dev with wiki.spacy and ewt.spacy, SYNTAX is the trained tagger and parser, each CORPUS a folder
of UCCA passages or a treebank: what the commands `data` and `assets` of the project in the root folder make. Of languages other
than English, `projects/links` fetches its texts itself.
"""

import sys
from pathlib import Path

from spacy.vocab import Vocab

from spacy_ucca.errors import UccaError
from spacy_ucca.training.corpus import read_docbin

FILES = ("train/wiki.spacy", "train/ewt.spacy", "dev/wiki.spacy", "dev/ewt.spacy")


def missing(corpora: list[Path]) -> str:
    """RETURNS (str): What to do about the first corpus that is not there, or ""."""
    for corpus in corpora:
        is_file = corpus.suffix == ".conllu"
        is_there = corpus.is_file() if is_file else any(corpus.glob("xml/*.xml"))
        if not is_there:
            what = "is not there" if is_file else "has no passages (xml/*.xml)"
            return (
                f"{corpus} {what}. Fetch it: `spacy project assets .` in the root folder, or say where it is: --vars.corpora "
                "FOLDER."
            )
    return ""


def problem(data: Path, syntax: Path, corpora: list[Path]) -> str:
    """Find what is missing or of another kind.

    data (Path): The .spacy files with UCCA graphs.
    syntax (Path): The pipeline.
    corpora (List[Path]): The folders of passages, and treebanks.
    RETURNS (str): What to do about the first such thing, or "".
    """
    if message := missing(corpora):
        return message
    make = "Make it: `spacy project run data .` in the root folder."
    if not (syntax / "meta.json").is_file():
        return f"{syntax} is no trained pipeline. {make}"
    for path in (data / name for name in FILES):
        if not path.is_file():
            return f"{path} is not there. {make}"
        try:
            empty = not any(len(doc) for doc in read_docbin(path, Vocab()))
        except UccaError as error:
            return f"{error} {make}"
        if empty:
            return f"{path} has no sentences. {make}"
    return ""


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--lang":
        sys.exit((sys.argv[2] == "en" and missing([Path(sys.argv[3])])) or 0)
    where, pipeline, *folders = map(Path, sys.argv[1:])
    if message := problem(where, pipeline, folders):
        sys.exit(message)
