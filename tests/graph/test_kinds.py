"""Kinds of Scene by the graph alone: on graphs written by hand, and as laws over random and gold graphs."""

import pytest
from hypothesis import given, settings
from strategies import ODD_WORDS, graphs

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.graph.kinds import is_denial

FLAGS = ("is_clause", "is_relative", "is_possessive", "is_attribute", "is_negated")


def flags(text: str, i: int) -> set[str]:
    """RETURNS (Set[str]): What the i-th Scene of a graph in brackets is."""
    (graph,) = read_brackets(text)
    return {name for name in FLAGS if getattr(graph.scenes[i], name)}


@pytest.mark.parametrize(
    "text",
    [
        "[H [A [F The] [C#m man] [E [R who] [A* =m] [P called] [A you]]] [P left]]",
        "[H [A [F The] [C#m house] [E [A* =m] [A we] [P bought]]] [P burned]]",
        "[H [A [F Der] [C#m Mann] [E [R der] [A* =m] [P rief]]] [P ging]]",
        "[H [A [F Der] [C#m Mann] [E [R welchem] [A* =m] [P half] [A er]]] [P ging]]",
        "[H [A [F La] [C#m maison] [E [R que] [A* =m] [A nous] [P aimons]]] [P brûle]]",
        "[H [A I] [P sent] [A#g pictures]] [H [F that] [A* =g] [P arrived]]",
    ],
)
def test_relative_clauses(text):
    assert flags(text, 1) == {"is_clause", "is_relative"}


@pytest.mark.parametrize(
    "text",
    [
        "[H [A [F The] [E [S big] [A* =c]] [C#c house]] [P burned]]",
        "[H [A [E [A family] [P owned] [A* =c]] [C#c house]] [P burned]]",
        "[H [A [F The] [E [D very] [S big] [A* =c]] [C#c house]] [P burned]]",
    ],
)
def test_attributes(text):
    assert flags(text, 1) == {"is_attribute"}


@pytest.mark.parametrize(
    "text",
    [
        "[H [A [E [S|A my] [A* =c]] [C#c house]] [P burned]]",
        "[H [A [E [S|A unknown] [A* =c]] [C#c house]] [P burned]]",
        "[H [A [E [S my] [A* =c]] [C#c house]] [P burned]]",
        "[H [A [E [A [F The] [C doctor]] [S 's] [A* =c]] [C#c house]] [P burned]]",
    ],
)
def test_possessives(text):
    assert flags(text, 1) == {"is_possessive"}


@pytest.mark.parametrize(
    "text, i, expected",
    [
        ("[H [A She] [P knows] [A [F that] [A he] [P left]]]", 1, {"is_clause"}),
        ("[H [A She] [P likes] [A [A my] [S|A sister]]]", 1, set()),
        ("[H [A She] [P saw] [A [F the] [P destruction] [A [R of] [C Rome]]]]", 1, set()),
        ("[H [A She] [P saw] [A [A my] [P departure]]]", 1, set()),
        ("[H [A She] [F did] [D not] [P go]]", 0, {"is_clause", "is_negated"}),
        ("[H [A She] [S has] [A [E no] [C money]]]", 0, {"is_clause", "is_negated"}),
        ("[H [A Sie] [P ging] [D nicht]]", 0, {"is_clause", "is_negated"}),
        ("[H [A Elle] [F ne] [P part] [D pas]]", 0, {"is_clause", "is_negated"}),
        ("[H [A She] [D not only] [P came]]", 0, {"is_clause"}),
        ("[H [A She] [P said] [A [A he] [F did] [D not] [P go]]]", 0, {"is_clause"}),
    ],
)
def test_other_scenes(text, i, expected):
    assert flags(text, i) == expected


@pytest.mark.parametrize(
    "text, lang, denied",
    [
        ("NOT", "", True),
        ("nicht", "", True),
        ("nicht", "de", True),
        ("nicht", "en", False),
        ("Not", "de", False),  # "need"
        ("dont", "en", True),
        ("dont", "fr", False),  # "whose"
        ("nicht", "it", True),  # has no lists: those of all languages
        ("not only", "", False),
        ("nicht nur", "de", False),
        ("knot", "", False),
        ("ne", "fr", False),
        ("plus", "fr", False),
        ("plus ne", "fr", True),
        ("jamais", "fr", True),
    ],
)
def test_denial(text, lang, denied):
    words = text.split()
    assert is_denial(Graph(words, [], [], details={"lang": lang} if lang else {}), 0) is denied


@pytest.mark.parametrize(
    "text, lang, i, name, expected",
    [
        ("[H [A Sie] [P ging] [D nicht]]", "en", 0, "is_negated", False),
        (
            "[H [A Elle] [F ne] [P boit] [D que] [A [R de] [F l'] [C eau]]]",
            "fr",
            0,
            "is_negated",
            False,
        ),
        ("[H [A He] [P left] [D in] [D keinem] [D Fall]]", "en", 0, "is_negated", False),
        ("[L Sans] [H [A il] [P part]]", "de", 0, "is_negated", False),
        (
            "[H [A [F Der] [C#m Mann] [E [R welchem] [A* =m] [P half] [A er]]] [P ging]]",
            "fr",
            1,
            "is_relative",
            False,
        ),
        ("[H [A [E [S my] [A* =c]] [C#c house]] [P burned]]", "de", 1, "is_possessive", False),
    ],
)
def test_words_are_those_of_the_language_that_the_graph_names(text, lang, i, name, expected):
    (graph,) = read_brackets(text)
    named = graph.replace(details={"lang": lang})
    found = [getattr(each.scenes[i], name) for each in (graph, named)]
    assert found[1] is expected and (found[0] is not expected or lang == "fr")


def check(graph: Graph) -> None:
    for unit in graph.units:
        found = {name for name in FLAGS if getattr(unit, name)}
        assert unit.is_scene or not found
        assert not unit.is_relative or unit.is_clause
        assert not (unit.is_possessive and unit.is_clause)
        is_elaborator = unit.scene_kind == "elaborator"
        kinds = found & {"is_clause", "is_possessive", "is_attribute"}
        assert len(kinds) == 1 if is_elaborator else "is_attribute" not in found


@settings(max_examples=100, deadline=None)
@given(graphs(words=ODD_WORDS, max_roots=2))
def test_any_graph(graph: Graph):
    check(graph)


def test_gold_graphs(sample):
    for graph in sample:
        check(graph)
