"""Graphs that are corrected by hand: what changes and what stays, over random graphs too."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph, Unit
from spacy_ucca.rules.editing import add_remote, group, merge, move, relabel, remove, split
from spacy_ucca.rules.validate import validate_graph


def brackets(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def written(graph: Graph) -> str:
    return write_brackets(graph).strip()


def unit(graph: Graph, text: str) -> Unit:
    return [u for u in graph.units if u.text == text][-1]


GRAPH = brackets("[H [A John] [P saw] [A [E the] [C man]] [D [R with] [C glasses]]]")


def test_each_change():
    part, man = unit(GRAPH, "with glasses"), unit(GRAPH, "the man")
    for edited, expected in (
        (
            relabel(GRAPH, part, "T"),
            "[H [A John] [P saw] [A [E the] [C man]] [T [R with] [C glasses]]]",
        ),
        (
            relabel(GRAPH, unit(GRAPH, "saw"), "S", "A"),
            "[H [A John] [S|A saw] [A [E the] [C man]] [D [R with] [C glasses]]]",
        ),
        (
            move(GRAPH, part, man, "E"),
            "[H [A John] [P saw] [A [E the] [C man] [E [R with] [C glasses]]]]",
        ),
        (remove(GRAPH, man), "[H [A John] [P saw] [E the] [C man] [D [R with] [C glasses]]]"),
        (
            group(GRAPH, [man, part], "A"),
            "[H [A John] [P saw] [A [A [E the] [C man]] [D [R with] [C glasses]]]]",
        ),
        (
            merge(GRAPH, [man, part]),
            "[H [A John] [P saw] [A [E the] [C man] [R with] [C glasses]]]",
        ),
        (
            split(GRAPH, part, [4], "F"),
            "[H [A John] [P saw] [A [E the] [C man]] [F [R with]] [D [C glasses]]]",
        ),
    ):
        assert edited.graph.same_structure(brackets(expected)), written(edited.graph)
    shared = brackets("[H [A John] [P came]] [L and] [H [P left]]")
    edited = add_remote(shared, unit(shared, "left"), unit(shared, "John"))
    assert written(
        edited.graph
    ) == "[H [A#john John] [P came]] [L and] [H [P left] [A* =john]]" or (
        [e.label for e in edited.graph.edges if e.remote] == ["A"]
    )
    (edge,) = (e for e in edited.graph.edges if e.remote)
    assert remove(edited.graph, edge).graph.same_structure(shared)
    (edge,) = (e for e in relabel(edited.graph, edge, "D").graph.edges if e.remote)
    assert (edge.label, edge.child.text, edge.parent.text) == ("D", "John", "left")
    assert written(GRAPH).count("[A") == 2  # the old graph is as it was


def test_rules_that_a_change_breaks():
    edited = relabel(GRAPH, unit(GRAPH, "saw"), "A")
    assert "scene-has-main-relation" in {problem.rule for problem in edited.problems}
    assert edited.unit is not None and edited.unit.text == "saw"
    back = relabel(edited.graph, edited.unit, "P")
    assert back.problems == () and back.graph.same_structure(GRAPH)


def test_units_without_words_go():
    graph = brackets("[H [A [E the] [C cat]] [P sleeps]]")
    edited = move(graph, unit(graph, "the"), unit(graph, "the cat").parent or 0)
    edited = move(edited.graph, unit(edited.graph, "cat"), unit(edited.graph, "the").parent or 0)
    assert edited.graph.same_structure(brackets("[H [E the] [C cat] [P sleeps]]"))


def test_scores_of_other_edges_stay():
    scored = GRAPH.replace(scores={i: 0.5 for i in range(len(GRAPH.edge_tuples))})
    edited = relabel(scored, unit(scored, "with glasses"), "T").graph
    found = {edge.child.text: edge.score for edge in edited.edges}
    assert found["with glasses"] is None and found["the man"] == 0.5


@given(graphs(), st.integers(0, 10**6))
def test_changes_of_random_graphs(graph: Graph, seed: int):
    """A change gives a graph over the same words with the problems that it says, or names what is wrong."""
    rng = random.Random(seed)
    units = [rng.randrange(len(graph)) for _ in range(3)]
    known = {(p.rule, p.text, p.message) for p in validate_graph(graph)}
    tokens = list(graph[units[0]].tokens())
    for change in (
        lambda: relabel(graph, units[0], "A"),
        lambda: move(graph, units[0], units[1]),
        lambda: add_remote(graph, units[0], units[1], "A"),
        lambda: remove(graph, units[0]),
        lambda: group(graph, units[:2], "C"),
        lambda: merge(graph, units),
        lambda: split(graph, units[0], tokens[:1]),
    ):
        try:
            edited = change()
        except UccaError as err:
            assert str(err).startswith("[UC")
            continue
        new = edited.graph
        assert new.words == graph.words
        under = {t for t in range(len(new.words)) if new.unit_of(t)}
        assert under == {t for t in range(len(graph.words)) if graph.unit_of(t)}
        found = {(p.rule, p.text, p.message) for p in validate_graph(new)}
        assert {(p.rule, p.text, p.message) for p in edited.problems} == found - known


def test_a_change_and_its_opposite():
    man = unit(GRAPH, "the man")
    grouped = group(GRAPH, [unit(GRAPH, "saw"), man], "H")
    assert grouped.unit is not None
    assert remove(grouped.graph, grouped.unit).graph.same_structure(GRAPH)
    cut = split(GRAPH, man, [3])
    assert cut.unit is not None and cut.unit.text == "man"
    assert merge(cut.graph, [unit(cut.graph, "the"), cut.unit]).graph.words == GRAPH.words


def test_what_is_wrong_is_named():
    root, man = GRAPH.root, unit(GRAPH, "the man")
    for change, code in (
        (lambda: relabel(GRAPH, man), "UC023"),
        (lambda: relabel(GRAPH, man, "X"), "UC014"),
        (lambda: relabel(GRAPH, root, "A"), "UC019"),
        (lambda: relabel(GRAPH, 99, "A"), "UC687"),
        (lambda: move(GRAPH, man, unit(GRAPH, "man")), "UC003"),
        (lambda: add_remote(GRAPH, man.parent, man, "A"), "UC018"),
        (lambda: remove(GRAPH, man.incoming[0]), "UC019"),
        (lambda: group(GRAPH, [], "A"), "UC020"),
        (lambda: group(GRAPH, [man, unit(GRAPH, "the")], "A"), "UC020"),
        (lambda: merge(GRAPH, [man]), "UC021"),
        (lambda: split(GRAPH, man, [0]), "UC022"),
        (lambda: split(GRAPH, man, [2, 3]), "UC022"),
    ):
        with pytest.raises(UccaError, match=code):
            change()


def test_units_of_other_graphs_are_refused_unless_they_are_the_same() -> None:
    glasses = unit(GRAPH, "with glasses")
    changed = remove(GRAPH, unit(GRAPH, "the man")).graph
    with pytest.raises(UccaError, match="one of another graph"):
        relabel(changed, glasses, "A")
    assert relabel(GRAPH.replace(), glasses, "A").unit.categories == ("A",)
