"""Decoders: each against trying out everything."""

import itertools

import hypothesis.strategies as st
import numpy
from brute_force import SCORES, allowed, matrices, problems, total
from hypothesis import given

from spacy_ucca.sdp_parser.batch import NO_EDGE, Pairs
from spacy_ucca.sdp_parser.decoding import best_labels, best_matching, choose_tops

# Halves: sums are exact, and ties are common


@given(matrices(st.integers(0, 4), st.integers(0, 4)))
def test_matching(gains):
    n, m = gains.shape
    found = best_matching(gains).tolist()
    used = [column for column in found if column >= 0]
    assert len(set(used)) == len(used) and len(found) == n

    def gain(choice):
        return sum(gains[row, column] for row, column in enumerate(choice) if column >= 0)

    best = max(
        gain(choice)
        for choice in itertools.product(range(-1, m), repeat=n)
        if len(set(c for c in choice if c >= 0)) == sum(c >= 0 for c in choice)
    )
    assert gain(found) == best


@given(problems())
def test_each_pair_alone(problem):
    pairs, scores = problem
    found = best_labels(scores, pairs, both_directions=True)
    assert total(scores, found) == scores.max(axis=1).sum()


def best_allowed(pairs, scores, **constraints):
    return max(
        total(scores, numpy.array(labels, dtype="int64"))
        for labels in itertools.product(range(scores.shape[1]), repeat=len(pairs))
        if allowed(pairs, labels, **constraints)
    )


@given(problems())
def test_one_direction_is_exact(problem):
    pairs, scores = problem
    found = best_labels(scores, pairs)
    assert allowed(pairs, found.tolist(), False, False)
    best = best_allowed(pairs, scores, both_directions=False, deterministic=False)
    assert total(scores, found) == best


@given(problems())
def test_determinism_is_exact_where_both_directions_may_be(problem):
    pairs, scores = problem
    found = best_labels(scores, pairs, both_directions=True, deterministic=True)
    assert allowed(pairs, found.tolist(), True, True)
    best = best_allowed(pairs, scores, both_directions=True, deterministic=True)
    assert total(scores, found) == best


@given(problems())
def test_both_constraints_hold_together(problem):
    pairs, scores = problem
    found = best_labels(scores, pairs, deterministic=True)
    assert allowed(pairs, found.tolist(), False, True)
    # Directions are chosen first, so it may be less than the best, but no edge is worth less than none.
    assert (scores[numpy.arange(len(scores)), found] >= scores[:, NO_EDGE]).all()


@given(st.lists(st.tuples(SCORES, st.booleans(), st.booleans(), st.integers(0, 2)), max_size=8))
def test_tops(tokens):
    tokens = sorted(tokens, key=lambda t: t[3])
    scores = numpy.array([t[0] for t in tokens])
    edges, used = (numpy.array([t[k] for t in tokens], dtype=bool) for k in (1, 2))
    numbers = [t[3] for t in tokens]
    start = numpy.array([numbers.index(number) for number in numbers], dtype="int64")
    found = set(choose_tops(scores, start, edges, used).tolist())
    for sentence in set(numbers):
        here = [i for i, number in enumerate(numbers) if number == sentence]
        candidates = [i for i in here if edges[i]] or [i for i in here if used[i]]
        best = {max(candidates, key=lambda i: (scores[i], -i))} if candidates else set()
        assert found & set(here) == best


def test_nothing():
    nothing = numpy.zeros(0, dtype="int64")
    assert not len(best_labels(numpy.zeros((0, 3)), Pairs(nothing, nothing)))
    assert not len(choose_tops(nothing, nothing, nothing.astype(bool), nothing.astype(bool)))
