"""The graphs of the shipped pipeline, as hashes: what `test_golden.py` compares, and how its file is renewed.

Renew the file only when graphs are meant to change, in a commit of its own that says why:

    python tests/golden.py --corpora ../shared/corpora > tests/data/golden.json
"""

import argparse
import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.formats.brackets import read_brackets

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "data"
MODEL = ROOT / "models" / "en_ucca_sm"
BEAMS = (1, 4)
# Development passages of each corpus; "" stands for all.
DEV_SETS = {"UCCA_English-EWT": "dev", "UCCA_English-Wiki-1.2": "dev", "UCCA_English-20K": ""}


def written_texts(nlp: Language) -> list[Doc]:
    """RETURNS (List[Doc]): The sentences of `sample.txt` by their words, the lines of `golden.txt` as raw text."""
    sample = read_brackets((DATA / "sample.txt").read_text("utf8"), source="sample.txt")
    docs = [Doc(nlp.vocab, words=list(graph.words)) for graph in sample]
    lines = (DATA / "golden.txt").read_text("utf8").splitlines()
    return docs + [nlp.make_doc(line) for line in lines]


def dev_passages(nlp: Language, corpora: Path, name: str) -> list[Doc]:
    """RETURNS (List[Doc]): The passages that have sentences of a development set, by their words."""
    folder, split = corpora / name / "xml", DEV_SETS[name]
    names = (ROOT / "splits" / name / f"{split}.txt").read_text("utf8").split() if split else []
    passages = sorted({name.partition("-")[0] for name in names})  # PASSAGE-SENTENCE, or PASSAGE
    paths = [folder / f"{id_}.xml" for id_ in passages] or sorted(folder.glob("*.xml"))
    return [Doc(nlp.vocab, words=list(_words(path))) for path in paths]


def _words(path: Path) -> Iterator[str]:
    for node in ElementTree.parse(path).iterfind("./layer[@layerID='0']/node/attributes"):
        yield node.attrib["text"]


def parse(nlp: Language, docs: Iterable[Doc], beam_width: int) -> list[dict[str, Any]]:
    """RETURNS (List[Dict]): The records of the graphs."""
    nlp.get_pipe("ucca_parser").beam_width = beam_width  # type: ignore[attr-defined]
    return [doc._.ucca.to_record() for doc in nlp.pipe(docs)]


def digest(records: Iterable[dict[str, Any]]) -> str:
    """RETURNS (str): A hash over records without their scores."""
    plain = [{key: value for key, value in record.items() if key != "scores"} for record in records]
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def measure(corpora: Path | None) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): By beam width: a hash of all written texts, one of each, and their scores in
    thousandths; a hash of each development set, if there are corpora."""
    nlp = spacy.load(MODEL)
    found: dict[str, Any] = {"compiled": runs_compiled(), "texts": {}, "dev": {}}
    for beam in BEAMS:
        records = parse(nlp, written_texts(nlp), beam)
        found["texts"][str(beam)] = {
            "hash": digest(records),
            "each": [digest([record])[:8] for record in records],
            "scores": [record.get("scores") for record in records],
        }
        for name in DEV_SETS if corpora else ():
            records = parse(nlp, dev_passages(nlp, corpora, name), beam)
            found["dev"].setdefault(name, {})[str(beam)] = digest(records)
    return found


def runs_compiled() -> bool:
    """RETURNS (bool): Whether compiled modules of the package are loaded."""
    modules = [module for name, module in sys.modules.items() if name.startswith("spacy_ucca.")]
    return any(not str(module.__file__).endswith(".py") for module in modules)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path)
    json.dump(measure(parser.parse_args().corpora), sys.stdout, separators=(",", ":"))
