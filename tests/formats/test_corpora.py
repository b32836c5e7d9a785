"""Round trips over the shared corpora: every format loses what its docstring says, and nothing else.

Slow; the laws on small graphs stand in the tests of each format, and benchmarks/round_trips.py measures all of it.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from official import check_agreement

from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.roundtrip import count_losses
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import FOUNDATIONAL, IMPLICIT, PUNCT
from spacy_ucca.text.split import split_sentences

ODD = ("punctuation in units", "words in punctuation units")
CORPORA = ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K")


def details(graph: Graph) -> tuple:
    """RETURNS (Tuple): Those details that UCCAApp JSON keeps, wherever they stand."""
    xml = graph.details["xml"]
    units = xml.get("units", {}).values()
    marks = [
        (name, value)
        for entries in (units, xml.get("edges", {}).values())
        for entry in entries
        for name, value in entry.get("attributes", {}).items()
    ]
    remarks = Counter(u["extra"]["remarks"] for u in units if "remarks" in u.get("extra", {}))
    kept = ("userID", "annotationID", "passageID", "remarks")
    attributes = {k: v for k, v in xml.get("attributes", {}).items() if k in kept}
    return graph.details["id"], attributes, Counter(marks), remarks


def misplaced(graph: Graph) -> Counter:
    """RETURNS (Counter): How words and punctuation stand that formats have no place for."""
    found: Counter = Counter()
    for i, is_punct in enumerate(graph.punct):
        unit = graph.unit_of(i)
        if unit is None or unit.kind not in (FOUNDATIONAL, PUNCT):
            continue
        if is_punct and unit.kind == FOUNDATIONAL:
            found["punctuation in units"] += 1
        if not is_punct and unit.kind == PUNCT:
            found["words in punctuation units"] += 1
            found["under the root"] += unit.parent is not None and unit.parent.is_root
    return found


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_round_trips(corpus: str, passages) -> None:
    for path in passages(corpus, 10):
        graph = read_xml(path)
        odd = misplaced(graph)
        linkage = len(graph.linkages)
        elsewhere = sum(p != 1 for p in graph.paragraphs)
        found, back = {}, {}
        for name in ("xml", "uccaapp", "mrp"):
            entry = FORMATS[name]
            (back[name],) = entry.read(entry.write(graph), source=path.stem)
            found[name] = count_losses(graph, back[name])
            if name != "xml":  # which keeps its own
                del found[name]["details"]
            assert set(found[name]) <= set(entry.loses), path
        assert not found["xml"], path
        both = +Counter({"linkage units": linkage, "paragraphs": elsewhere})
        expected = both + +Counter({"punctuation marks": sum(odd[name] for name in ODD)})
        assert found["mrp"] == expected, path
        expected = both + +Counter(
            {
                "added units": odd["punctuation in units"],
                "punctuation units": odd["words in punctuation units"],
                "places of words": odd["under the root"],
            }
        )
        assert found["uccaapp"] == expected, path
        assert details(back["uccaapp"]) == details(graph), path


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_round_trips_of_sentences(corpus: str, corpora: Path) -> None:
    paths = find_files([corpora / corpus], "xml")
    for path in paths[:: len(paths) // 6]:
        for graph in split_sentences(read_xml(path)):
            for name, entry in FORMATS.items():
                if not entry.reads:
                    continue
                (back,) = entry.read(entry.write(graph), source=path.stem)
                found = count_losses(graph, back)
                assert set(found) <= set(entry.loses), (path, name)
                if name in ("xml", "brackets", "export", "penman"):
                    assert back.same_structure(graph), (path, name)
                    assert set(found) <= {"paragraphs", "details"}, (path, name)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_agreement_with_the_ucca_package(corpus: str, passages, convert) -> None:
    for path in passages(corpus, 30):  # theirs takes a while
        check_agreement(convert, read_xml(path))


@pytest.mark.slow
def test_implicit_units_of_mrp_are_marked(corpora: Path) -> None:
    for path in find_files([corpora / "UCCA_French-20K"], "xml"):
        graph = read_xml(path)
        line = json.loads(FORMATS["mrp"].write(graph))
        marked = [node for node in line["nodes"] if "properties" in node]
        assert len(marked) == sum(unit.kind == IMPLICIT for unit in graph)
