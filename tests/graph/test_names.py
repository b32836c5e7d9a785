"""Wrong names are errors that name the right one; graphs, units and edges say what they are."""

import copy
import pickle
import traceback

import pytest

import spacy_ucca
from spacy_ucca import Graph, UccaError
from spacy_ucca.drawing.tree import render_tree
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph.categories import CATEGORY_NAMES, TERMINAL

TEXT = "[H [A#j John] [P moved] [A [R to] [C Paris]]] [L and] [H [A* =j] [P [F was] [C happy]] [D IMPLICIT]]"


@pytest.fixture
def graph() -> Graph:
    (graph,) = read_brackets(TEXT)
    return graph


@pytest.mark.parametrize("name, meant", [("scene", "scenes"), ("edge", "edges"), ("rots", "roots")])
def test_the_attribute_that_was_meant_is_named(graph, name, meant):
    with pytest.raises(
        AttributeError, match=rf"'Graph' object has no attribute '{name}'. Did you mean '{meant}'\?"
    ):
        getattr(graph, name)


def test_units_and_edges_name_it_too(graph):
    with pytest.raises(AttributeError, match=r"Did you mean 'participants'\?"):
        _ = graph.scenes[0].participant
    with pytest.raises(AttributeError, match=r"Did you mean 'child'\?"):
        _ = graph.edges[0].childd
    with pytest.raises(AttributeError, match=r"no attribute 'qqqqq'\.$"):
        _ = graph.qqqqq


def test_a_traceback_names_it_once(graph):
    for owner, name in ((graph, "scene"), (graph.scenes[0], "lable"), (graph.edges[0], "childd")):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        shown = "".join(traceback.format_exception(caught.value))
        assert shown.count("Did you mean") == 1


def test_what_python_asks_for_is_still_missing(graph):
    assert not hasattr(graph, "__array__") and not hasattr(graph.root, "__fspath__")
    for thing in (graph, graph.root, graph.edges[0]):
        copied = copy.deepcopy(thing)
        assert repr(copied) == repr(thing) == repr(copy.copy(thing))
        assert repr(pickle.loads(pickle.dumps(thing))) == repr(thing)


@pytest.mark.parametrize(
    "category, meant",
    [("a", "A"), ("h", "H"), ("Participants", "A"), ("center", "C"), ("lr", "LR")],
)
def test_a_category_that_is_none_is_an_error(graph, category, meant):
    scene = graph.scenes[0]
    for ask in (scene.edges_by, scene.children_by, graph.units_by):
        with pytest.raises(UccaError, match=rf"'{category}'\. Did you mean '{meant}'\?"):
            ask("P", category)


def test_categories_of_ucca_or_of_the_graph_are_none(graph):
    assert all(graph.root.edges_by(c) == () for c in CATEGORY_NAMES if c not in "HL")
    (other,) = read_brackets("[ARG1 Ann] [H [P came]]")
    assert [unit.text for unit in other.root.children_by("ARG1")] == ["Ann"]
    with pytest.raises(UccaError, match=r"UC014.*'ARG2'\. Cat"):
        other.root.children_by("ARG2")


def test_edges_and_units_say_what_they_are(graph):
    shown = {repr(edge) for edge in graph.edges}
    assert "<Edge A 'John' of 'moved'>" in shown
    assert "<Edge A 'John' of 'happy' (remote)>" in shown
    assert "<Edge D (implicit) of 'happy'>" in shown
    assert "<Edge H 'John moved to Paris' of the root>" in shown
    assert str(graph.scenes[0]) == "John moved to Paris"
    (long,) = read_brackets("[H [P " + "very " * 40 + "]]")
    assert len(repr(long.scenes[0])) < 90 and repr(long.scenes[0]).endswith("…'>")


def test_a_graph_prints_as_a_tree_and_shows_as_a_picture(graph):
    assert str(graph) == render_tree(graph)
    assert "<svg" in graph._repr_html_() and "highlight" not in graph._repr_html_()
    html = graph.scenes[1]._repr_html_()
    assert html.count('class="highlight"') == html.count('class="ucca-fit') > 0
    edge = graph.scenes[1].incoming[0]
    assert edge._repr_html_() == html
    assert help_of(Graph).index("graph = nlp(") < help_of(Graph).index("words (Sequence[str])")


def help_of(thing) -> str:
    return thing.__doc__ or ""


def test_categories_are_explained():
    assert spacy_ucca.explain("A").startswith("Participant: ")
    assert spacy_ucca.explain("S|A").startswith(
        "State: "
    ) and "Participant: " in spacy_ucca.explain("S|A")
    for label in ("x", "A|x"):
        with pytest.warns(UserWarning, match="UW687.*'x'"):
            assert spacy_ucca.explain(label) is None
    with pytest.warns(UserWarning, match=r"Did you mean 'A'\?"):
        spacy_ucca.explain("a")
    assert all(spacy_ucca.explain(c) for c in CATEGORY_NAMES if c != TERMINAL)
