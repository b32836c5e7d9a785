"""`Example.from_dict(doc, {"ucca": ...})`: a graph in each form, what else the dict has, and what is wrong with it."""

from typing import Any

import pytest
import spacy
from hypothesis import given
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from strategies import graphs
from util import VOCAB

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.example_dict import accept_graphs
from spacy_ucca.tokens.extension import get_graph

TEXT = "[H [A John] [P came]] [L and] [H [A Mary] [P left]] [U .]"
(GRAPH,) = read_brackets(TEXT)


def make_doc(graph: Graph = GRAPH) -> Doc:
    return Doc(VOCAB, words=list(graph.words))


@pytest.mark.parametrize("form", [TEXT, GRAPH, GRAPH.to_record()])
def test_each_form(form: Any) -> None:
    annotation = {
        "cats": {"x": 1.0},
        "spans": {"sc": [(0, 4, "S")]},
        "entities": [(0, 4, "PERSON")],
    }
    tokens = {"tags": ["NN"] * 6}
    for data in (
        {**annotation, **tokens, "ucca": form},
        {"doc_annotation": {**annotation, "ucca": form}, "token_annotation": tokens},
    ):
        kept = repr(data)
        example = Example.from_dict(make_doc(), data)
        assert (
            example.reference._.ucca.same_structure(GRAPH) and get_graph(example.predicted) is None
        )
        assert example.reference.cats == {"x": 1.0} and example.reference[0].tag_ == "NN"
        assert [s.label_ for s in example.reference.spans["sc"]] == ["S"]
        assert example.reference.ents[0].label_ == "PERSON"
        assert repr(data) == kept  # the user's dict is as it was


@given(graphs())
def test_graphs_come_back(graph: Graph) -> None:
    reference = Example.from_dict(make_doc(graph), {"ucca": graph}).reference
    assert reference._.ucca == graph


def test_without_a_graph() -> None:
    for data in ({}, {"ucca": None}, {"cats": {"x": 1.0}}):
        assert get_graph(Example.from_dict(make_doc(), data).reference) is None
    accept_graphs()  # a second time: nothing is wrapped twice
    assert Example.from_dict(make_doc(), {"ucca": TEXT}).reference._.ucca.same_structure(GRAPH)


def test_several_sentences_in_brackets() -> None:
    doc = Doc(VOCAB, words=["Ann", "came", "Bo", "left"])
    text = "[H [A Ann] [P came]]\n\n[H [A Bo] [P left]]"
    assert len(Example.from_dict(doc, {"ucca": text}).reference._.ucca.roots) == 2
    doc._.ucca = text
    assert write_brackets(doc._.ucca).count("[H") == 2


def test_it_trains_and_is_scored_and_saved() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser")
    examples = [Example.from_dict(nlp.make_doc("John came and Mary left."), {"ucca": TEXT})]
    optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples, sgd=optimizer)["ucca_parser"] > 0
    assert nlp.evaluate(examples)["ucca_f"] is not None
    saved = DocBin(docs=[examples[0].reference], store_user_data=True).to_bytes()
    (doc,) = DocBin().from_bytes(saved).get_docs(nlp.vocab)
    assert doc._.ucca.same_structure(GRAPH)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("[H [A John]]", "UC201"),
        ("[H", "UC190"),
        ("{", "UC689"),
        ("words", "UC689"),
        ("", "UC689"),
        (5, "UC202"),
        ({"a": 1}, "UC010"),
    ],
)
def test_what_is_wrong_is_named(value: Any, code: str) -> None:
    with pytest.raises(UccaError, match=code):
        Example.from_dict(make_doc(), {"ucca": value})
