"""Directions of links: blocks, the integer program plain and reduced, and what is counted."""

import math
import sys
from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from link_graphs import TRIANGLE, all_directions, best_cost, link_graphs, make

from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.errors import GraphError, UccaError
from spacy_ucca.link_grammar.direction_program import (
    direction_cost,
    divide,
    find_faces,
    new_program,
    solve,
)
from spacy_ucca.link_grammar.directions import (
    BOTH,
    Direction,
    count_directions,
    orient,
)
from spacy_ucca.link_grammar.links import Link, LinkGraph
from spacy_ucca.link_grammar.properties import (
    broken_properties,
    is_acyclic,
    is_connected,
    is_planar,
    is_reachable,
)

pytest.importorskip("highspy", reason="no HiGHS (pip install 'spacy-ucca[links]')")

SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]  # trying all directions is


def test_properties():
    assert is_acyclic([(ROOT, 0), (0, 1), (ROOT, 1)]) and is_acyclic([])
    assert not is_acyclic([(0, 1), (1, 2), (2, 0)])
    assert is_reachable([(ROOT, 1), (1, 0)], 2) and not is_reachable([(ROOT, 1), (0, 1)], 2)
    assert is_connected([(ROOT, 1), (0, 1)], 2) and not is_connected([(0, 1)], 2)
    assert is_planar([(ROOT, 2), (0, 1), (0, 2), (2, 3)]) and not is_planar([(0, 2), (3, 1)])
    tokens = tuple(map(Token, "abc"))
    broken = BilexicalGraph(tokens, (Arc(0, 2, "x"), Arc(2, 0, "x"), Arc(ROOT, 1, "x")))
    assert broken_properties(broken) == ["acyclic", "connected", "reachable", "planar"]
    assert broken_properties(TRIANGLE.oriented()) == []


@given(link_graphs(max_tokens=6))
def test_random_graphs_are_what_they_should_be(graph):
    assert graph.is_planar and graph.is_complete


@given(link_graphs())
def test_blocks_allow_the_same_directions(graph):
    """What bridges, entries, parents and faces demand comes to the same as acyclic and reachable."""
    division = divide(graph)
    indices = [*division.forced, *(i for _, members in division.blocks for i in members)]
    assert sorted(indices) == list(range(len(graph.links)))
    allowed = []
    for ways in product((False, True), repeat=len(graph.links)):
        if all(ways[i] == right for i, right in division.forced.items()) and all(
            block_is_good(block, [ways[i] for i in members]) for block, members in division.blocks
        ):
            allowed.append(ways)
    assert allowed == all_directions(graph)
    assert allowed  # there is always a way


def block_is_good(block, ways) -> bool:
    if any(block.forced(i) not in (None, way) for i, way in enumerate(ways)):
        return False
    children = {link.right if way else link.left for link, way in zip(block.links, ways)}
    faces = ({not ways[top], *(ways[i] for i in chain)} for top, chain in block.faces)
    return children == set(block.nodes) - {block.entry} and all(len(face) > 1 for face in faces)


def test_faces():
    links = [Link(*link, "A") for link in ((0, 4), (0, 2), (2, 4), (0, 1), (0, 4), (3, 4))]
    assert sorted(find_faces(links)) == [(0, (4,)), (4, (1, 2))]
    assert find_faces([Link(0, 2, "A"), Link(0, 1, "A")]) == []


@settings(max_examples=60, suppress_health_check=SLOW)
@given(st.lists(link_graphs(max_tokens=3), min_size=1, max_size=3))
def test_least_cost_is_found(graphs):
    assume(math.prod(len(all_directions(graph)) for graph in graphs) <= 2000)
    best = best_cost(graphs)
    for plain in (False, True):
        found = orient(graphs, plain=plain)
        assert found.objective == pytest.approx(best)
        assert found.bound == pytest.approx(best)
        assert not any(map(broken_properties, found.graphs))


@settings(max_examples=40)
@given(st.lists(link_graphs(max_tokens=5), min_size=2, max_size=6))
def test_plain_and_reduced_program_have_the_same_minimum(graphs):
    plain, reduced = orient(graphs, plain=True), orient(graphs)
    assert plain.objective == pytest.approx(reduced.objective)
    for graph, oriented in zip(graphs, reduced.graphs):
        assert LinkGraph.from_bilexical(oriented).links == graph.links
        assert not broken_properties(oriented)


@settings(max_examples=40, suppress_health_check=SLOW)
@given(st.lists(link_graphs(max_tokens=4, planar=False), min_size=1, max_size=2))
def test_links_that_cross(graphs):
    assume(math.prod(len(all_directions(graph)) for graph in graphs) <= 2000)
    found = orient(graphs)
    assert found.objective == pytest.approx(best_cost(graphs))
    assert not {"acyclic", "reachable"} & {x for g in found.graphs for x in broken_properties(g)}


@settings(max_examples=40)
@given(st.lists(link_graphs(max_tokens=4), min_size=1, max_size=3))
def test_labels_with_both_directions_are_as_consistent_as_can_be(graphs):
    """Not more links than in any solution of the plain program go against the commoner direction."""

    def against(found):
        both = [d for d in found.directions.values() if d.allowed == BOTH]
        return {d.label for d in both}, sum(min(d.left, d.right) for d in both)

    (labels, n), (others, m) = against(orient(graphs)), against(orient(graphs, plain=True))
    assert labels != others or n <= m


def test_slack_is_one_percent():
    """With 100 links to the left, one to the right costs as much as to allow both; with 101, less."""
    assert direction_cost(99, 1) == 2 == direction_cost(5, 5)
    assert direction_cost(101, 1) == pytest.approx(1 + 100 / 102)
    # "S" leads to the left where the wall has no link to the subject, and to the right where it has none to the verb.
    left = make(2, (ROOT, 1, "WV"), (0, 1, "S"))
    right = make(2, (ROOT, 0, "Wd"), (0, 1, "S"))
    for n, allowed in ((150, "left"), (50, BOTH)):
        found = orient([left] * n + [right])
        assert found.directions["S"] == Direction("S", n, 1)
        assert found.directions["S"].allowed == allowed
        assert found.to_dict()["deviating"] == (allowed == "left")


def test_consistent_directions():
    """Only the wall's links are forced in a triangle, so that all of "S" have the direction of other sentences."""
    left = make(2, (ROOT, 1, "WV"), (0, 1, "S"))
    found = orient([TRIANGLE, TRIANGLE, left])
    assert found.directions["S"] == Direction("S", 3, 0)
    assert found.directions["S"].majority == 1
    assert list(found.directions) == ["S", "WV", "Wd"]
    assert found.objective == found.bound == 3 and found.gap == 0


def test_dropped_tokens_do_no_harm():
    graph = make(3, (ROOT, 2, "W"), (0, 2, "S"))
    assert graph.dropped == (1,) and graph.is_connected and not graph.is_complete
    for plain in (False, True):
        (oriented,) = orient([graph], plain=plain).graphs
        assert [arc[:2] for arc in oriented.arcs] == [(ROOT, 2), (2, 0)]


def test_one_word():
    (oriented,) = orient([make(1, (ROOT, 0, "W"))]).graphs
    assert oriented.tops == (0,)
    assert orient([make(1, (ROOT, 0, "W"))], plain=True).objective == 1


def test_mistakes():
    with pytest.raises(UccaError, match="UC908"):
        orient([])
    with pytest.raises(GraphError, match="UC905"):
        orient([make(2, (0, 1, "S"))])
    with pytest.raises(GraphError, match="UC905"):
        orient([make(1)])
    for bad in ((0, 0, "S"), (1, 0, "S"), (0, 2, "S"), (-2, 0, "S"), (0, 1, "")):
        with pytest.raises(GraphError, match="UC900"):
            make(2, bad)


def test_without_the_solver(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(UccaError, match=r"UC906.*spacy-ucca\[links\]"):
        orient([TRIANGLE])


def test_time_limit():
    with pytest.raises(UccaError, match="UC909"):
        orient([TRIANGLE] * 3, plain=True, time_limit=0)


def test_a_program_without_solution():
    program = new_program()
    program.addConstr(program.addBinary() >= 2)
    with pytest.raises(UccaError, match="UC907"):
        solve(program)


def test_counting():
    graph = TRIANGLE.oriented([True, True, False])
    assert count_directions([graph, TRIANGLE.oriented()]) == {
        "S": Direction("S", 1, 1),
        "WV": Direction("WV", 0, 2),
        "Wd": Direction("Wd", 0, 2),
    }
