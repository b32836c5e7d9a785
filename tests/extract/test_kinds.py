"""Kinds of Scene with tags and dependencies."""

import pytest
from hypothesis import given, settings
from spacy.tokens import Doc
from strategies import ODD_WORDS, graphs
from written_docs import DENIED, RELATIVE, VOCAB, make_doc

from spacy_ucca.extract.kinds import KINDS
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

# "All I get is noise": the graph has one Scene for the relative clause and its noun.
MERGED = make_doc(
    "[H [A [C All] [A I] [P get]] [S is] [A noise]]",
    """
    All DET DET 4 nsubj
    I PRP PRON 3 nsubj
    get VBP VERB 1 acl:relcl
    is VBZ AUX 5 cop
    noise NN NOUN 0 ROOT
    """.replace("4 nsubj", "5 nsubj", 1),
)
NOUN = make_doc(
    "[H [E Great] [P service]]",
    """
    Great JJ ADJ 2 amod
    service NN NOUN 0 ROOT
    """,
)


def names(doc: Doc, i: int) -> set[str]:
    unit = doc._.ucca.scenes[i]
    return {name for name, is_kind in KINDS.items() if is_kind(doc, unit)}


def test_dependencies_tell_a_relative_clause_that_the_graph_does_not():
    assert not MERGED._.ucca.scenes[1].is_relative
    assert names(MERGED, 1) == {"IS_CLAUSE", "IS_RELATIVE"}


def test_tags_tell_a_noun_from_a_clause():
    assert NOUN._.ucca.scenes[0].is_clause
    assert names(NOUN, 0) == set()


def test_kinds_of_a_sentence():
    found = [names(DENIED, i) for i in range(5)]
    assert found == [
        {"IS_CLAUSE", "IS_NEGATED"},
        {"IS_POSSESSIVE"},
        {"IS_ATTRIBUTE"},
        {"IS_CLAUSE"},
        set(),
    ]
    assert names(RELATIVE, 1) == {"IS_CLAUSE", "IS_RELATIVE"}


@pytest.mark.parametrize("name", KINDS)
def test_units_that_are_no_scenes(name):
    for doc in (DENIED, MERGED):
        for unit in doc._.ucca.units:
            assert unit.is_scene or not KINDS[name](doc, unit)


@settings(max_examples=60, deadline=None)
@given(graphs(words=ODD_WORDS.filter(bool)))
def test_without_syntax_it_is_the_graph_that_tells(graph: Graph):
    doc = Doc(VOCAB, words=list(graph.words))
    doc._.ucca = graph
    for unit in doc._.ucca.units:
        for name, is_kind in KINDS.items():
            assert is_kind(doc, unit) == getattr(unit, name.lower())


def test_features_tell_a_negation_where_dependencies_do_not():
    """The word is on no list."""
    (graph,) = read_brackets("[H [A Он] [D не] [P ушёл]]")
    for morphs, denied in ((["", "Polarity=Neg", ""], True), (["", "", ""], False)):
        doc = Doc(VOCAB, words=list(graph.words), morphs=morphs)
        doc._.ucca = graph
        assert KINDS["IS_NEGATED"](doc, doc._.ucca.scenes[0]) is denied
        assert not doc._.ucca.scenes[0].is_negated
