"""The losses of the span parser: against definitions, finite differences and all trees of short sentences."""

import itertools

import numpy
import pytest
from brute_force import all_trees, random_spans
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_ucca.parser.settings import SPAN_LOSSES
from spacy_ucca.span_parser.batch import SpanLayout
from spacy_ucca.span_parser.chart import SplitOracle
from spacy_ucca.span_parser.training import (
    GoldSpans,
    chart_loss,
    cross_entropy,
    log_binarizations,
    top_down_loss,
)

SEEDS = st.integers(0, 2**32 - 1)
N_CLASSES = 4


def random_gold(rng, lengths):
    layout = SpanLayout(lengths)
    classes = numpy.zeros(layout.n_rows, dtype="int64")
    oracles, ways = [], 0.0
    for k, n in enumerate(lengths):
        spans = random_spans(rng, n)
        for start, end in spans:
            row = layout.rows(numpy.array([k]), numpy.array([start]), numpy.array([end]))
            classes[row] = rng.integers(1, N_CLASSES)
        oracles.append(SplitOracle(spans))
        ways += log_binarizations(spans, n)
    return GoldSpans(layout, classes, ways), oracles


@given(SEEDS, st.integers(0, 7))
def test_binarizations_are_counted(seed, n):
    spans = random_spans(numpy.random.default_rng(seed), n) if n else []
    expected = sum(set(spans) <= tree for tree in all_trees(0, n)) if n else 1
    assert log_binarizations(spans, n) == pytest.approx(numpy.log(expected), abs=1e-9)


@settings(max_examples=40)
@given(SEEDS, st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_crf_is_the_likelihood_among_all_labeled_trees(seed, lengths):
    rng = numpy.random.default_rng(seed)
    gold, _ = random_gold(rng, lengths)
    scores = scores_of(rng, gold)
    weights = numpy.exp(scores - scores[:, :1])
    expected = 0.0
    for k, n in enumerate(lengths):
        every = right = 0.0
        for tree in all_trees(0, n):
            rows = [
                int(gold.layout.rows(*map(numpy.array, ([k], [start], [end])))[0])
                for start, end in tree
            ]
            every += numpy.prod(weights[rows].sum(axis=1))
            own = range(*gold.layout.bases[[k, k + 1]].tolist())
            labeled = [row for row in own if gold.classes[row]]
            if set(labeled) <= set(rows):
                right += numpy.prod(weights[labeled, gold.classes[labeled]])
        expected -= numpy.log(right / every)
    assert chart_loss("crf", gold, scores)[0] == pytest.approx(expected, abs=1e-3)


def scores_of(rng, gold):
    return rng.normal(size=(gold.layout.n_rows, N_CLASSES)).astype("float64")


@settings(max_examples=40)
@given(SEEDS, st.lists(st.integers(1, 5), min_size=1, max_size=3))
def test_margin_is_that_over_all_trees_and_labels(seed, lengths):
    """The best of all labeled trees, each made better by the number of its wrong labels, against the gold one."""
    rng = numpy.random.default_rng(seed)
    gold, _ = random_gold(rng, lengths)
    scores = scores_of(rng, gold)
    worth = scores - scores[:, :1]
    expected = 0.0
    for k, n in enumerate(lengths):
        best = 0.0
        right = sum(
            worth[row, gold.classes[row]] for row in range(*gold.layout.bases[[k, k + 1]].tolist())
        )
        for tree in all_trees(0, n):
            total = 0.0
            for start, end in tree:
                row = int(gold.layout.rows(*map(numpy.array, ([k], [start], [end])))[0])
                total += max(worth[row, c] + (c != gold.classes[row]) for c in range(N_CLASSES))
            best = max(best, total - right)
        expected += best
    loss, _ = chart_loss("margin", gold, scores)
    assert loss == pytest.approx(expected, abs=1e-4)


def check(loss_of, scores, gradient, rng, n=25):
    flat, found = scores.reshape(-1), gradient.reshape(-1)
    for i in rng.choice(len(flat), size=min(n, len(flat)), replace=False):
        before = flat[i]
        flat[i] = before + 1e-5
        up = loss_of()
        flat[i] = before - 1e-5
        down = loss_of()
        flat[i] = before
        assert found[i] == pytest.approx((up - down) / 2e-5, abs=2e-3)


@pytest.mark.parametrize("kind", SPAN_LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_gradients_of_charts(kind, seed):
    rng = numpy.random.default_rng(seed)
    gold, _ = random_gold(rng, [4, 1, 6])
    scores = scores_of(rng, gold)
    _, gradient = chart_loss(kind, gold, scores)
    assert numpy.abs(gradient).max() > 0
    check(lambda: chart_loss(kind, gold, scores)[0], scores, gradient, rng)


@pytest.mark.parametrize("kind", SPAN_LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_gradients_of_the_way_down(kind, seed):
    rng = numpy.random.default_rng(seed)
    gold, oracles = random_gold(rng, [4, 1, 6])
    scores = scores_of(rng, gold)
    splits = rng.normal(size=gold.layout.n_rows)

    def loss():
        return top_down_loss(kind, gold, scores, splits, oracles)[0]

    _, d_scores, d_splits = top_down_loss(kind, gold, scores, splits, oracles)
    assert numpy.abs(d_scores).max() > 0
    check(loss, scores, d_scores, rng)
    check(loss, splits, d_splits, rng)


@pytest.mark.parametrize("kind", SPAN_LOSSES)
def test_what_is_right_costs_nothing(kind):
    rng = numpy.random.default_rng(0)
    gold, oracles = random_gold(rng, [5, 1, 7])
    scores = numpy.zeros((gold.layout.n_rows, N_CLASSES))
    scores[numpy.arange(len(scores)), gold.classes] = 50.0
    loss, gradient = chart_loss(kind, gold, scores)
    assert loss == pytest.approx(0, abs=1e-6) and numpy.abs(gradient).max() < 1e-6
    # A split is as good as its parts: gold spans, and what is between them, outweigh the rest.
    splits = numpy.where(gold.classes > 0, 50.0, 0.0)
    found, d_scores, _ = top_down_loss(kind, gold, scores, splits, oracles)
    assert numpy.abs(d_scores).max() < 1e-6 and numpy.isfinite(found)


def test_cross_entropy_is_that_of_softmax():
    scores = numpy.random.default_rng(0).normal(size=(6, N_CLASSES))
    classes = numpy.array([0, 1, 2, 3, 0, 1])
    loss, gradient = cross_entropy(scores, classes)
    probabilities = numpy.exp(scores) / numpy.exp(scores).sum(axis=1, keepdims=True)
    assert loss == pytest.approx(-numpy.log(probabilities[range(6), classes]).sum())
    for i, c in itertools.product(range(6), range(N_CLASSES)):
        assert gradient[i, c] == pytest.approx(probabilities[i, c] - (classes[i] == c))
