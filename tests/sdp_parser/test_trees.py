"""Decoding to trees: against trying out all of them."""

import itertools

import numpy
from hypothesis import given
from hypothesis import strategies as st

from spacy_ucca.sdp_parser.batch import Pairs
from spacy_ucca.sdp_parser.decoding import ROOT, best_arborescence, best_labels, best_tree_labels

WEIGHTS = st.integers(-8, 8).map(lambda i: i / 2)


def is_tree(heads):
    for node in range(len(heads)):
        seen = set()
        while node != ROOT:
            if node in seen:
                return False
            seen.add(node)
            node = heads[node]
    return True


@st.composite
def graphs(draw):
    """Edges between some of the nodes, several of one pair too, and from the root to all."""
    n = draw(st.integers(1, 5))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), WEIGHTS)
    edges = [e for e in draw(st.lists(ends, max_size=14)) if e[0] != e[1]]
    return n, [*edges, *((ROOT, node, draw(WEIGHTS)) for node in range(n))]


@given(graphs())
def test_best_arborescence(graph):
    n, edges = graph
    heads, dependents, weights = (numpy.array(column) for column in zip(*edges))
    chosen = best_arborescence(n, heads, dependents, weights)
    assert [edges[edge][1] for edge in chosen] == list(range(n))
    assert is_tree([edges[edge][0] for edge in chosen])
    incoming = [[e for e in edges if e[1] == node] for node in range(n)]
    best = max(
        sum(edge[2] for edge in tree)
        for tree in itertools.product(*incoming)
        if is_tree([edge[0] for edge in tree])
    )
    assert sum(edges[edge][2] for edge in chosen) == best


def test_long_sentences():
    n, random = 1500, numpy.random.default_rng(0)
    edges = [(i, j) for i in range(n) for j in range(max(0, i - 10), min(n, i + 11)) if i != j]
    edges += [(ROOT, i) for i in range(n)]
    heads, dependents = (numpy.array([e[k] for e in edges]) for k in (0, 1))
    weights = random.normal(size=len(edges)) - 1e6 * (heads == ROOT)
    chosen = best_arborescence(n, heads, dependents, weights)
    assert is_tree([edges[edge][0] for edge in chosen])
    assert sum(edges[edge][0] == ROOT for edge in chosen) == 1


@st.composite
def problems(draw):
    n = draw(st.integers(1, 4))
    used = numpy.array([draw(st.integers(0, 5)) > 0 for _ in range(n)])
    ends = [(i, j) for i in range(n) for j in range(n) if i != j and used[i] and used[j]]
    far = draw(st.booleans())
    ends = [e for e in ends if not far or abs(e[0] - e[1]) == 1]
    pairs = Pairs(*(numpy.array([e[k] for e in ends], dtype="int64") for k in (0, 1)))
    scores = [[draw(WEIGHTS) for _ in range(4)] for _ in ends]
    tops = numpy.array([draw(WEIGHTS) for _ in range(n)])
    return pairs, numpy.array(scores).reshape(len(ends), 4), tops, used


@given(problems())
def test_trees_with_remote_edges(problem):
    pairs, scores, tops, used = problem
    remote = numpy.array([False, False, False, True])
    before = best_labels(scores, pairs, both_directions=True)
    labels, found = best_tree_labels(scores, pairs, before, remote, tops, used)
    tree = [
        (h, d, label)
        for h, d, label in zip(pairs.head.tolist(), pairs.dependent.tolist(), labels.tolist())
        if label and not remote[label]
    ]
    heads = {d: h for h, d, _ in tree} | {top: ROOT for top in found.tolist()}
    assert len(heads) == len(tree) + len(found) == used.sum()
    assert is_tree([heads.get(i, ROOT) for i in range(len(used))])
    assert set(heads) == set(numpy.flatnonzero(used).tolist())
    primary = scores[:, 1:3].max(axis=1) - scores[:, 0] if len(pairs) else []
    # The best of all trees with as few tops as can be
    gain = {(h, d): g for h, d, g in zip(pairs.head.tolist(), pairs.dependent.tolist(), primary)}
    nodes = sorted(heads)
    options = [
        [(ROOT, d, tops[d] - 1e6), *((h, d, gain[h, d]) for h in nodes if (h, d) in gain)]
        for d in nodes
    ]
    best = max(
        sum(edge[2] for edge in tree)
        for tree in itertools.product(*options)
        if is_tree([dict((e[1], e[0]) for e in tree).get(i, ROOT) for i in range(len(used))])
    )
    mine = sum(gain[h, d] for h, d, _ in tree) + sum(tops[top] - 1e6 for top in found.tolist())
    assert mine == best
    for place, (old, new) in enumerate(zip(before.tolist(), labels.tolist())):
        assert new == old if new and remote[new] else True
        in_tree = (pairs.head[place], pairs.dependent[place]) in {e[:2] for e in tree}
        assert new if in_tree or remote[old] else not new
