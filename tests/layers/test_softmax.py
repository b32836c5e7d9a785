"""Softmax and cross entropy: against their definitions, gradients against finite differences."""

import numpy
import pytest

from spacy_ucca.layers.arrays import cross_entropy, log_softmax, softmax

N_ROWS, N_CLASSES = 6, 5
RNG = numpy.random.default_rng(0)
SCORES = RNG.normal(size=(N_ROWS, N_CLASSES)) * 3
CLASSES = RNG.integers(0, N_CLASSES, N_ROWS)
SETS = RNG.random((N_ROWS, N_CLASSES)) < 0.4
SETS[numpy.arange(N_ROWS), CLASSES] = True


def test_softmax_is_its_definition():
    weights = numpy.exp(SCORES)
    expected = weights / weights.sum(axis=1, keepdims=True)
    before = SCORES.copy()
    numpy.testing.assert_allclose(softmax(SCORES), expected, rtol=1e-12)
    numpy.testing.assert_allclose(log_softmax(SCORES), numpy.log(expected), rtol=1e-12)
    assert (SCORES == before).all()


def test_one_row_is_a_vector():
    for row, expected in zip(SCORES, softmax(SCORES), strict=True):
        assert (softmax(row) == expected).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_types(dtype):
    scores = SCORES.astype(dtype)
    assert softmax(scores).dtype == dtype
    assert log_softmax(scores).dtype == "float64"
    assert cross_entropy(scores, CLASSES)[1].dtype == dtype
    assert cross_entropy(scores, SETS)[1].dtype == dtype


def test_chosen_classes_are_those_of_all():
    expected = log_softmax(SCORES)[numpy.arange(N_ROWS), CLASSES]
    numpy.testing.assert_array_equal(log_softmax(SCORES, CLASSES), expected)


def test_large_scores_and_classes_that_cannot_be():
    scores = numpy.array([[1e4, 1e4 - 1, -numpy.inf], [-1e4, -numpy.inf, -numpy.inf]])
    p = 1 / (1 + numpy.exp(-1))
    numpy.testing.assert_allclose(softmax(scores), [[p, 1 - p, 0], [1, 0, 0]])
    found = log_softmax(scores)
    numpy.testing.assert_allclose(numpy.exp(found), [[p, 1 - p, 0], [1, 0, 0]])
    assert not numpy.isnan(found).any()


def test_no_rows():
    none = numpy.zeros((0, N_CLASSES), dtype="float32")
    assert softmax(none).shape == log_softmax(none).shape == (0, N_CLASSES)
    for right in (numpy.zeros(0, dtype="int64"), numpy.zeros((0, N_CLASSES), dtype="bool")):
        loss, gradient = cross_entropy(none, right)
        assert loss == 0 and gradient.shape == (0, N_CLASSES)


@pytest.mark.parametrize("right", [CLASSES, SETS], ids=["one class", "several classes"])
def test_cross_entropy_is_its_definition(right):
    flags = right if right.ndim == 2 else numpy.eye(N_CLASSES)[right]
    loss, _ = cross_entropy(SCORES, right)
    assert loss == pytest.approx(-numpy.log((softmax(SCORES) * flags).sum(axis=1)).sum())


@pytest.mark.parametrize("right", [CLASSES, SETS], ids=["one class", "several classes"])
def test_gradient_of_cross_entropy(right):
    _, gradient = cross_entropy(SCORES, right)
    step = 1e-6
    for at in numpy.ndindex(*SCORES.shape):
        moved = SCORES.copy()
        moved[at] += step
        above = cross_entropy(moved, right)[0]
        moved[at] -= 2 * step
        below = cross_entropy(moved, right)[0]
        assert gradient[at] == pytest.approx((above - below) / (2 * step), abs=1e-6)


def test_one_class_and_the_set_of_it_agree():
    one, several = (
        cross_entropy(SCORES, right) for right in (CLASSES, numpy.eye(N_CLASSES)[CLASSES])
    )
    assert one[0] == pytest.approx(several[0])
    numpy.testing.assert_allclose(one[1], several[1], atol=1e-9)
