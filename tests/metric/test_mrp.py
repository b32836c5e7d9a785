"""The MRP metric: graphs counted by hand, all correspondences of small graphs, and laws."""

import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perturb import perturb
from strategies import ODD_WORDS, graphs

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.metric.correspondence import find_correspondence
from spacy_ucca.metric.mrp import ALL, PIECES, MrpCounts, MrpGraph, compare_mrp, score_mrp
from spacy_ucca.metric.mtool_search import SearchGraph, _plan, find_as_mtool

# Each with the pieces of both graphs as tops + anchors + edges + attributes.
BY_HAND = {
    # Nodes: root, Scene, "John", "left". All pair up; of the edges H, A and P, P is S on the other side.
    "category": (
        *("[H [A John] [P left]]", "[H [A John] [S left]]"),
        *((1, 2, 2, 0), (1, 2, 3, 0), (1, 2, 3, 0)),
    ),
    # Edges of gold: H L H, A P, P A. The remote A counts as an edge and as an attribute; both are missing.
    "remote": (
        *("[H [A#1 John] [P came]] [L and] [H [P left] [A* =1]]",),
        *("[H [A John] [P came]] [L and] [H [P left]]",),
        *((1, 4, 6, 0), (1, 4, 6, 0), (1, 4, 7, 1)),
    ),
    # The full stop is a node, whose anchor is the empty set. "left." has the characters of "left".
    "punctuation": (
        *("[H [A He] [P left]] [U .]", "[H [A He] [P left .]]"),
        *((1, 2, 3, 0), (1, 2, 3, 0), (1, 3, 4, 0)),
    ),
    # Common: H and P. "old" and "friends" pair by their anchors, though their edges come from other nodes. The A of "old friends"
    # has children, that of "friends" has none, so they are no pair.
    "depth": (
        *("[H [A [E old] [C friends]] [P met]]", "[H [D old] [A friends] [P met]]"),
        *((1, 3, 2, 0), (1, 3, 4, 0), (1, 3, 5, 0)),
    ),
    # S|A is two edges, one of which is found.
    "two categories": (
        *("[H [A his] [S|A uncle]]", "[H [A his] [A uncle]]"),
        *((1, 2, 3, 0), (1, 2, 3, 0), (1, 2, 4, 0)),
    ),
}


def brackets(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def numbers(counts: MrpCounts) -> list[tuple[int, ...]]:
    """RETURNS (List[Tuple[int, ...]]): Matches, predicted and gold pieces, each by kind."""
    sides = counts.matches, counts.guessed, counts.ref
    return [tuple(side[piece] for piece in PIECES) for side in sides]


@pytest.mark.parametrize("name", BY_HAND)
def test_counted_by_hand(name):
    gold, predicted, *expected = BY_HAND[name]
    counts = compare_mrp(brackets(predicted), brackets(gold))
    assert numbers(counts) == expected
    assert counts.exact == counts.graphs == 1


def test_graphs_are_pooled():
    pairs = [(brackets(predicted), brackets(gold)) for gold, predicted, *_ in BY_HAND.values()]
    scores = score_mrp(pairs)
    matches, guessed, ref = (
        [
            sum(side[i] for *_, m, g, r in BY_HAND.values() for side in [(m, g, r)[k]])
            for i in range(4)
        ]
        for k in range(3)
    )
    assert scores["mrp_p"] == sum(matches) / sum(guessed)
    assert scores["mrp_r"] == sum(matches) / sum(ref)
    assert scores["mrp_edges_r"] == matches[2] / ref[2]
    assert scores["mrp_attributes_p"] == scores["mrp_attributes_f"] == 0.0  # nothing was guessed
    assert score_mrp(pairs[:1])["mrp_attributes_f"] is None  # neither side has any


# Graphs of the metric that need be no graphs of UCCA


@st.composite
def mrp_graphs(draw, max_nodes=5):
    n = draw(st.integers(0, max_nodes))
    nodes = st.integers(0, max(n - 1, 0))
    anchors = draw(
        st.lists(st.sampled_from([None, (), (0,), (1,), (0, 1)]), min_size=n, max_size=n)
    )
    links = st.tuples(nodes, nodes, st.sampled_from("AB")).filter(lambda e: e[0] != e[1])
    edges = draw(st.dictionaries(links, st.booleans(), max_size=6)) if n > 1 else {}
    tops = draw(st.frozensets(nodes, max_size=2)) if n else frozenset()
    return MrpGraph("ab", [a if a is None else frozenset(a) for a in anchors], tops, edges)


def all_matches(gold: MrpGraph, predicted: MrpGraph) -> int:
    """RETURNS (int): The most pieces in common under any correspondence."""
    n, m = len(gold.anchors), len(predicted.anchors)
    best = 0
    for chosen in permutations([*range(m), *[-1] * n], n):
        inner = [{s for (s, _, _), r in g.edges.items() if not r} for g in (gold, predicted)]
        if any(j >= 0 and (i in inner[0]) != (j in inner[1]) for i, j in enumerate(chosen)):
            continue
        value = sum(chosen[top] in predicted.tops for top in gold.tops)
        for i, j in enumerate(chosen):
            if j >= 0 and gold.anchors[i] is not None:
                value += gold.anchors[i] == predicted.anchors[j]
        for (s, t, label), remote in gold.edges.items():
            other = predicted.edges.get((chosen[s], chosen[t], label))
            if other is not None:
                value += 1 + (remote and other)
        best = max(best, value)
    return best


@given(mrp_graphs(max_nodes=4), mrp_graphs(max_nodes=4))
def test_no_correspondence_is_better(gold, predicted):
    counts = compare_mrp(predicted, gold)
    assert counts.tally().matches == all_matches(gold, predicted)
    assert counts.exact


@given(mrp_graphs(), mrp_graphs())
def test_precision_is_recall_the_other_way_round(a, b):
    there, back = compare_mrp(a, b), compare_mrp(b, a)
    assert there.exact and back.exact
    ours, theirs = there.tally(), back.tally()
    assert (ours.matches, ours.guessed, ours.ref) == (theirs.matches, theirs.ref, theirs.guessed)


@given(mrp_graphs(max_nodes=7), st.randoms(use_true_random=False))
def test_a_graph_is_itself_in_any_order(graph, rng):
    n = len(graph.anchors)
    new = list(range(n))
    rng.shuffle(new)
    anchors = [graph.anchors[new.index(i)] for i in range(n)]
    edges = [((new[s], new[t], label), remote) for (s, t, label), remote in graph.edges.items()]
    rng.shuffle(edges)
    other = MrpGraph(graph.text, anchors, frozenset(new[top] for top in graph.tops), dict(edges))
    matches, guessed, ref = numbers(compare_mrp(other, graph))
    assert matches == guessed == ref


@given(graphs(words=ODD_WORDS, max_roots=2))
def test_any_graph_against_itself(graph):
    matches, guessed, ref = numbers(compare_mrp(graph, graph))
    assert matches == guessed == ref


@given(graphs(max_words=6, max_units=6), st.integers(0, 2**32))
def test_changed_graphs(graph, seed):
    other = perturb(graph, random.Random(seed), 2)
    there, back = compare_mrp(other, graph), compare_mrp(graph, other)
    for side in (there, back):
        tally = side.tally()
        assert 0 <= tally.matches <= min(tally.guessed, tally.ref)
        assert tally.matches == sum(side.tally(piece).matches for piece in PIECES)
    if there.exact and back.exact:
        assert there.tally(ALL).matches == back.tally(ALL).matches


# The search


@st.composite
def problems(draw):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    value = st.sampled_from([0, 0, 1, 2, -np.inf])
    rows = st.lists(value, min_size=m, max_size=m)
    node_values = np.array(draw(st.lists(rows, min_size=n, max_size=n)), dtype=float)

    def links(k):
        ends = st.integers(0, k - 1)
        return st.tuples(ends, ends).filter(lambda link: link[0] != link[1])

    if n < 2 or m < 2:
        return node_values, {}
    values = st.dictionaries(links(m), st.integers(1, 3), max_size=4)
    return node_values, draw(st.dictionaries(links(n), values, max_size=6))


def all_values(node_values, link_values):
    n, m = node_values.shape
    for chosen in permutations([*range(m), *[-1] * n], n):
        value = sum(node_values[i, j] for i, j in enumerate(chosen) if j >= 0)
        for (a, b), pairs in link_values.items():
            value += pairs.get((chosen[a], chosen[b]), 0)
        yield value


@given(problems())
def test_the_search_is_exact(problem):
    found = find_correspondence(*problem)
    assert found.exact
    assert found.value == max(all_values(*problem))


@given(problems())
def test_without_steps_it_says_whether_it_is_exact(problem):
    found = find_correspondence(*problem, max_steps=0)
    best = max(all_values(*problem))
    assert found.value == best if found.exact else found.value <= best
    used = [j for j in found.pairs if j >= 0]
    assert len(used) == len(set(used))


def test_symmetric_graphs_end_in_time():
    """Thirty equal children leave nothing to tell nodes by: the number of correspondences is that of permutations."""
    n = 30
    gold = MrpGraph("", [None] * (n + 1), frozenset([n]), {(n, i, "A"): False for i in range(n)})
    less = dict(list(gold.edges.items())[: n // 2])
    counts = compare_mrp(MrpGraph("", gold.anchors, gold.tops, less), gold)
    assert counts.matches["edges"] == n // 2


def test_a_long_sentence():
    words = [f"w{i}" for i in range(400)]
    sides = []
    for shift in (0, 1):
        builder = GraphBuilder(words)
        root = builder.add_unit()
        for i in range(len(words)):
            unit = builder.add_unit()
            builder.add_edge(root, unit, "ADPE"[(i + shift * (i % 10 == 0)) % 4])
            builder.add_terminal(unit, i)
        sides.append(builder.build())
    counts = compare_mrp(*sides)
    assert counts.matches["anchors"] == 400 and counts.matches["edges"] >= 360


# The search of mtool


@pytest.mark.parametrize("name", BY_HAND)
def test_mtool_finds_the_best_pairs_of_small_graphs(name):
    gold, predicted, *expected = BY_HAND[name]
    counts = compare_mrp(brackets(predicted), brackets(gold), mtool_steps=500_000)
    assert numbers(counts) == expected and counts.exact


def below(graph: MrpGraph, node: int) -> set[int]:
    found: set[int] = set()
    stack = [node]
    while stack:
        top = stack.pop()
        new = {t for (s, t, _), remote in graph.edges.items() if s == top and not remote} - found
        found |= new
        stack += new
    return found


def all_allowed(gold: MrpGraph, predicted: MrpGraph, order: list[int]) -> int:
    """RETURNS (int): The most that pairs of nodes and pieces can be together, with pairs that mtool allows in that order."""
    best = 0
    below_gold = [below(gold, node) for node in range(len(gold.anchors))]
    below_predicted = [below(predicted, node) for node in range(len(predicted.anchors))]
    for chosen in permutations([*range(len(predicted.anchors)), *[-1] * len(order)], len(order)):
        pairs = dict(zip(order, chosen, strict=True))
        allowed = True
        for place, node in enumerate(order):
            j = pairs[node]
            if not place or j < 0:
                continue
            allowed &= bool(below_gold[node]) == bool(below_predicted[j])
            for earlier in order[:place]:
                if pairs[earlier] >= 0 and earlier in below_gold[node]:
                    allowed &= pairs[earlier] in below_predicted[j]
        if not allowed:
            continue
        value = sum(j >= 0 for j in chosen) + sum(pairs[t] in predicted.tops for t in gold.tops)
        for node, anchor in enumerate(gold.anchors):
            if pairs[node] >= 0 and anchor is not None:
                value += anchor == predicted.anchors[pairs[node]]
        remotes = set()
        for (s, t, label), remote in gold.edges.items():
            value += (pairs[s], pairs[t], label) in predicted.edges
            if remote:
                remotes.add((s, t))
        remote_pairs = {(s, t) for (s, t, _), remote in predicted.edges.items() if remote}
        value += sum((pairs[s], pairs[t]) in remote_pairs for s, t in remotes)
        best = max(best, value)
    return best


@given(mrp_graphs(max_nodes=4), mrp_graphs(max_nodes=4))
def test_the_whole_search_of_mtool_finds_the_best_that_it_allows(gold, predicted):
    sides = SearchGraph(gold), SearchGraph(predicted)
    found = find_as_mtool(*sides, 500_000)
    assert found.exact
    if gold.anchors and predicted.anchors:
        assert found.value == all_allowed(gold, predicted, _plan(*sides).order)


@given(graphs(), st.integers(0, 2**32), st.integers(0, 200))
def test_more_steps_find_no_less(graph, seed, steps):
    other = perturb(graph, random.Random(seed), 3)
    sides = [SearchGraph(MrpGraph.from_graph(g)) for g in (graph, other)]
    few, many = find_as_mtool(*sides, steps), find_as_mtool(*sides, 2 * steps + 50)
    assert few.value <= many.value
    assert not few.exact or (many.exact and few.value == many.value)
    used = [j for j in few.pairs if j >= 0]
    assert len(used) == len(set(used)) and len(few.pairs) == sides[0].n


# Texts


def test_white_space_and_tokens_may_differ():
    gold, other = brackets("[H [A Dr\\sWho] [P can not]]"), brackets("[H [A Dr Who] [P cannot]]")
    matches, guessed, ref = numbers(compare_mrp(other, gold))
    assert matches == guessed == ref


def test_implicit_units_and_linkage_do_not_count():
    whole = "[H#1 [A John] [P left] [A IMPLICIT]] [L and] [H#2 [P wept]] [:LKG [LA =1] [LA =2]]"
    less = "[H [A John] [P left]] [L and] [H [P wept]]"
    assert MrpGraph.from_graph(brackets(whole)) == MrpGraph.from_graph(brackets(less))


def test_a_missing_graph_has_no_matches():
    gold = brackets("[H [A John] [P left]]")
    assert numbers(compare_mrp(MrpGraph(), gold)) == [(0,) * 4, (0,) * 4, (1, 2, 3, 0)]
    assert score_mrp([(MrpGraph(), gold)])["mrp_p"] == 0.0


def test_empty_graphs():
    empty = brackets("~")
    assert numbers(compare_mrp(empty, empty)) == [(0,) * 4] * 3
    assert score_mrp([(empty, empty)])["mrp_f"] is None
    assert score_mrp([])["mrp_f"] is None


def test_categories_are_mapped_on_both_sides():
    gold, predicted = brackets("[H [P left] [T now]]"), brackets("[H [P left] [D now]]")
    assert score_mrp([(predicted, gold)])["mrp_f"] < 1
    assert score_mrp([(predicted, gold)], mapping={"T": "D"})["mrp_f"] == 1


@pytest.mark.parametrize("other", ["[H [A John] [P stayed]]", "[H [A John] [P left] [D now]]"])
def test_other_texts_are_refused(other):
    with pytest.raises(UccaError, match=r"UC407.*at character (4|8)"):
        compare_mrp(brackets(other), brackets("[H [A John] [P left]]"))
