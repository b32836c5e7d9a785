"""Losses of edges: gradients by finite differences, and the margin against trying out all graphs."""

import hypothesis.strategies as st
import numpy
import pytest
from brute_force import allowed, problems, total
from hypothesis import given

from spacy_ucca.parser.settings import SDP_LOSSES, SdpSettings
from spacy_ucca.sdp_parser.batch import NO_EDGE
from spacy_ucca.sdp_parser.losses import (
    LOSSES,
    binary_loss,
    likelihood_loss,
    margin_loss,
)


def differences(function, values, eps=1e-5):
    found = numpy.zeros_like(values)
    for place in numpy.ndindex(values.shape):
        for sign in (1, -1):
            moved = values.copy()
            moved[place] += sign * eps
            found[place] += sign * function(moved) / (2 * eps)
    return found


@st.composite
def lessons(draw):
    pairs, scores = draw(problems())
    classes = st.integers(0, scores.shape[1] - 1)
    gold = draw(st.lists(classes, min_size=len(pairs), max_size=len(pairs)))
    return pairs, scores, numpy.array(gold, dtype="int64")


@given(lessons(), st.sampled_from([0.3, 1.0]))
def test_likelihood(lesson, weight):
    _, scores, gold = lesson
    loss, gradient = likelihood_loss(scores, gold, weight)
    expected = 0.0
    for row, right in zip(scores, gold):
        p = numpy.exp(row[right]) / numpy.exp(row).sum()
        expected -= (weight if right == NO_EDGE else 1) * numpy.log(p)
    assert loss == pytest.approx(expected)
    numeric = differences(lambda s: likelihood_loss(s, gold, weight)[0], scores)
    assert gradient == pytest.approx(numeric, abs=1e-6)


@given(lessons(), st.booleans(), st.booleans())
def test_margin(lesson, both_directions, deterministic):
    pairs, scores, gold = lesson
    constraints = {"both_directions": both_directions, "deterministic": deterministic}
    loss, gradient = margin_loss(scores, gold, 0.5, pairs=pairs, **constraints)
    assert (gradient.sum(axis=1) == 0).all() if len(gold) else loss == 0
    found = numpy.where(gradient.max(axis=1, initial=0) > 0, gradient.argmax(axis=1), gold)
    cost = sum((0.5 if g == NO_EDGE else 1) for f, g in zip(found, gold) if f != g)
    # What was found is as good as the loss says; and it keeps to the constraints but where gold does not
    assert loss == pytest.approx(max(0.0, total(scores, found) + cost - total(scores, gold)))
    if allowed(pairs, gold.tolist(), **constraints):
        assert loss >= 0 and allowed(pairs, found.tolist(), **constraints)
    if not (both_directions or deterministic):
        return
    if both_directions != deterministic:
        return
    # With both directions and determinism, decoding is exact: no graph loses more.
    import itertools

    if scores.shape[1] ** len(gold) <= 729:
        worst = max(
            total(scores, numpy.array(labels, dtype="int64"))
            + sum((0.5 if g == NO_EDGE else 1) for f, g in zip(labels, gold) if f != g)
            for labels in itertools.product(range(scores.shape[1]), repeat=len(gold))
            if allowed(pairs, labels, **constraints)
        )
        assert loss == pytest.approx(max(0.0, worst - total(scores, gold)))


@given(st.lists(st.tuples(st.floats(-30, 30), st.booleans()), max_size=5))
def test_binary(values):
    scores = numpy.array([v for v, _ in values])
    gold = numpy.array([g for _, g in values], dtype=bool)
    _, gradient = binary_loss(scores, gold)
    numeric = differences(lambda s: binary_loss(s, gold)[0], scores)
    assert gradient == pytest.approx(numeric, abs=1e-4)


def test_unknown_losses_are_refused():
    with pytest.raises(ValueError, match=r"UC352.*hinge"):
        SdpSettings(loss="hinge")
    assert set(LOSSES) == set(SDP_LOSSES)
