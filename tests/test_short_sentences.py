"""The short sentences that readers try first: each gold graph follows the rules and names what it is annotated after."""

import re
from pathlib import Path

import pytest
from official import passage

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.rules.validate import validate_graph

ROOT = Path(__file__).parent.parent
SENTENCES = ROOT / "tests" / "data" / "short_sentences.txt"
GRAPHS = read_brackets(SENTENCES.read_text("utf8"), source=SENTENCES.name)
SECTION = re.compile(r"([2-9](\.[1-9])?|Appendix:) [A-Z][^;]{5,}")
GOLD_SENTENCE = re.compile(r"EWT (\d{6}-\d{4})")


def gold_ids() -> set[str]:
    """RETURNS (Set[str]): Names of the sentences of the English reviews that are trained on or developed with."""
    folder = ROOT / "splits" / "UCCA_English-EWT"
    return {id_ for path in folder.glob("*.txt") for id_ in path.read_text("utf8").split()}


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.details["id"])
def test_a_short_sentence_is_valid_and_has_its_source(graph: Graph) -> None:
    assert [*validate_graph(graph)] == []
    *sections, last = graph.details["source"].split("; ")
    if gold := GOLD_SENTENCE.fullmatch(last):
        assert gold[1] in gold_ids()
    else:
        sections.append(last)
    assert sections and all(SECTION.fullmatch(section) for section in sections)
    assert len(graph.words) <= 13


def test_short_sentences_are_valid_by_the_official_rules() -> None:
    validation = pytest.importorskip("ucca.validation")
    for graph in GRAPHS:
        assert list(validation.validate(passage(graph))) == [], graph.details["id"]


def test_short_sentences_are_many_and_no_two_the_same(sample: list[Graph]) -> None:
    assert len(GRAPHS) >= 35
    assert len({graph.details["id"] for graph in GRAPHS}) == len(GRAPHS)
    texts = {" ".join(graph.words) for graph in GRAPHS}
    assert len(texts) == len(GRAPHS)
    assert not texts & {" ".join(graph.words) for graph in sample}
