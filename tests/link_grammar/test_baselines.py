"""Directions without a program, and how stable directions are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_graphs import TRIANGLE, all_directions, link_graphs, make

from spacy_ucca.conversion.graph import ROOT
from spacy_ucca.link_grammar.directions import BASELINES, depth_first, orient, orient_simply
from spacy_ucca.link_grammar.links import LinkGraph
from spacy_ucca.link_grammar.properties import broken_properties, is_multi_headed


@given(link_graphs())
def test_depth_first_directions_are_possible_ones(graph):
    assert tuple(depth_first(graph)) in all_directions(graph)


@given(link_graphs(max_tokens=8, planar=False))
def test_each_link_of_a_search_leads_to_what_is_below(graph):
    """In a depth-first search, unlike others, a link joins a word and one on the path to it."""
    found = graph.oriented(depth_first(graph))
    assert not {"acyclic", "reachable"} & set(broken_properties(found))
    # The path of the search: of several heads, the one that comes last in it.
    order = [ROOT]
    children: dict[int, set[int]] = {}
    for arc in found.arcs:
        children.setdefault(arc.head, set()).add(arc.dependent)
    above: dict[int, set[int]] = {ROOT: set()}

    def visit(node: int) -> None:
        for child in sorted(children.get(node, ())):
            if child not in above:
                above[child] = above[node] | {node}
                order.append(child)
                visit(child)

    visit(ROOT)
    assert all(arc.head in above[arc.dependent] for arc in found.arcs)


@given(link_graphs(max_tokens=8))
def test_rightward_graphs_are_all_but_reachable(graph):
    (found,) = orient_simply([graph], "rightward").graphs
    assert set(broken_properties(found)) <= {"reachable"}
    assert all(arc.head < arc.dependent for arc in found.arcs)


def test_a_word_without_a_link_to_its_left_is_not_reached():
    (found,) = orient_simply([make(2, (ROOT, 1, "WV"), (0, 1, "S"))], "rightward").graphs
    assert broken_properties(found) == ["reachable"]


@pytest.mark.parametrize("name", BASELINES)
@given(graphs=st.lists(link_graphs(), min_size=1, max_size=4))
def test_baselines_keep_the_links_and_bound_their_cost(name, graphs):
    found = orient_simply(graphs, name)
    assert [set(LinkGraph.from_bilexical(g).links) for g in found.graphs] == [
        set(g.links) for g in graphs
    ]
    assert found.bound <= found.objective <= 2 * len(found.directions)
    consistent = found.to_dict()["consistent"]
    assert 0.5 <= consistent <= 1 and (name != "rightward" or consistent == 1)


def test_a_search_is_not_consistent_where_the_program_is():
    """The search comes to the verb through its subject where the wall is linked to both."""
    pytest.importorskip("highspy", reason="no HiGHS")
    graphs = [TRIANGLE, make(2, (ROOT, 1, "WV"), (0, 1, "S"))]
    searched, found = orient_simply(graphs, "depth-first"), orient(graphs)
    assert (searched.directions["S"].left, searched.directions["S"].right) == (1, 1)
    assert searched.directions["S"].allowed == "both" and found.directions["S"].allowed == "left"
    assert searched.objective > found.objective
    assert found.stability(found) == {"sentences": 2, "precision": 1, "recall": 1}
    part = found.stability(searched)
    assert part["precision"] == 1 and part["recall"] == pytest.approx(3 / 4)


@given(link_graphs())
def test_multi_headed(graph):
    """In a connected graph with more pairs than tokens, some token has two heads."""
    found = graph.oriented(depth_first(graph))
    pairs = {arc[:2] for arc in found.arcs}
    assert is_multi_headed(found) == (len(pairs) > len(graph.tokens))
