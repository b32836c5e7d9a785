"""The shipped pipeline on odd texts: no graph breaks a rule, ours or the official ones, whichever format it is written in."""

from pathlib import Path

import pytest
import spacy
from odd_texts import ODD_TEXTS, check_odd_texts, parse_odd_texts
from spacy.language import Language

from spacy_ucca.formats.passage import to_passage
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.rules.validate import ERROR, validate_graph

MODELS = Path(__file__).parent.parent / "models"
# Their graphs are made anew of arcs or trees, and not repaired.
CONVERTED = ("sdp", "conll", "conllu", "penn")


@pytest.fixture(scope="module", params=sorted(p.parent.name for p in MODELS.glob("*/meta.json")))
def shipped(request: pytest.FixtureRequest) -> Language:
    return spacy.load(MODELS / request.param)


@pytest.mark.parametrize("beam_width", [1, 4])
def test_graphs_are_valid(shipped: Language, beam_width: int) -> None:
    shipped.get_pipe("ucca_parser").beam_width = beam_width
    check_odd_texts(shipped)


def test_the_toolkit_finds_nothing(shipped: Language) -> None:
    validation = pytest.importorskip("ucca.validation")
    for name, doc in parse_odd_texts(shipped):
        graph = doc._.ucca
        if graph.roots:  # a passage without words has a root without children
            assert list(validation.validate(to_passage(graph), linkage=False)) == [], name


def test_graphs_that_come_back_are_valid(shipped: Language) -> None:
    for name, doc in parse_odd_texts(shipped):
        for format_name, entry in FORMATS.items():
            if not entry.reads or (format_name in CONVERTED and not doc._.ucca.roots):
                continue
            for graph in entry.read(entry.write(doc._.ucca)):
                errors = [p for p in validate_graph(graph) if p.level == ERROR]
                wrong = [p for p in errors if format_name not in CONVERTED or "token" in p.rule]
                assert wrong == [], (name, format_name)


@pytest.mark.filterwarnings("ignore:.*UW3")
def test_batches_leave_graphs_and_move_scores_a_little(shipped: Language) -> None:
    alone = [shipped(text)._.ucca for text in ODD_TEXTS.values()]
    assert sum(bool(graph.scores) for graph in alone) > 60
    for batch_size in (3, 100):
        together = shipped.pipe(ODD_TEXTS.values(), batch_size=batch_size)
        for graph, doc in zip(alone, together, strict=True):
            assert doc._.ucca == graph and doc._.ucca.allclose(graph)
