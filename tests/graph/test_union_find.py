"""Disjoint sets."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_ucca.graph.algorithms import UnionFind

N = 8


@given(st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1))))
def test_joins(pairs):
    groups, expected = UnionFind(N), UnionFind(N).sets()
    for i, j in pairs:
        groups.join(i, j)
        merged = [s for s in expected if i in s or j in s]
        rest = [s for s in expected if s not in merged]
        expected = sorted([*rest, sorted(i for s in merged for i in s)])
        assert groups.sets() == expected
        assert all(groups.find(s[0]) == groups.find(k) for s in expected for k in s)
