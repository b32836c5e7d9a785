"""Reachability and cycles, against their definitions on small random graphs."""

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from spacy_ucca.graph.algorithms import find_cycle, reached

N = 6
PAIRS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=10)


def closure(pairs):
    """Which node leads to which, over one edge or more."""
    leads = set(pairs)
    for middle, a, b in product(range(N), repeat=3):  # Warshall: the middle node is the outer loop
        if (a, middle) in leads and (middle, b) in leads:
            leads.add((a, b))
    return leads


@given(PAIRS, st.sets(st.integers(0, N - 1), max_size=2))
def test_reached(pairs, starts):
    found = reached(starts, lambda node: [b for a, b in pairs if a == node])
    assert found == starts | {b for a, b in closure(pairs) if a in starts}


@given(PAIRS)
def test_find_cycle(pairs):
    cycle = find_cycle(iter(pairs))
    assert (cycle is None) == all(a != b for a, b in closure(pairs))
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert {(parent, child) for child, parent in pairwise(cycle)} <= {*pairs}


def test_nothing():
    assert find_cycle([]) is None and reached([], lambda _: []) == set()
