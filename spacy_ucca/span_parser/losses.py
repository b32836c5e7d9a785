"""Compute the losses of the span parser, for chart and top-down decoding.

Chart: "crf" is the negative log-likelihood of the gold tree among all trees (a conditional random field; Zhang, Zhou
and Li, 2020). "margin" is the hinge loss, with the number of wrong spans as margin (Stern, Andreas and Klein, 2017,
section 3.2). Top-down: "crf" is the cross entropy of each decision, "margin" its hinge loss.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy

from ..layers.arrays import cross_entropy, softmax
from .batch import SpanLayout
from .chart import SplitOracle, best_trees, parse_top_down, span_probabilities
from .labels import NO_LABEL

LossAndGradient = tuple[float, numpy.ndarray]  # the gradient is that of the scores


class GoldSpans(NamedTuple):
    """The labeled spans of a batch.

    layout (SpanLayout): All spans.
    classes (ndarray[int64]): (n_rows,) the class of each; `NO_LABEL` for those that no gold tree has.
    log_binarizations (float): The sum of `log_binarizations` of all gold trees.
    """

    layout: SpanLayout
    classes: numpy.ndarray
    log_binarizations: float = 0.0


def chart_loss(kind: str, gold: GoldSpans, scores: numpy.ndarray) -> LossAndGradient:
    """Compute the loss of all spans.

    kind (str): "crf" or "margin".
    gold (GoldSpans): The gold spans.
    scores (ndarray): (n_rows, n_classes).
    RETURNS (Tuple[float, ndarray]): The loss, a sum over sentences, and the gradient of the scores.
    """
    return _margin(gold, scores) if kind == "margin" else _crf(gold, scores)


def _crf(gold: GoldSpans, scores: numpy.ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    gradient = softmax(scores)
    # The log potential of a span: log-sum-exp over its classes, relative to no label.
    potentials = -numpy.log(gradient[:, NO_LABEL] + 1e-30)
    total, chosen = span_probabilities(gold.layout, potentials)
    gold_scores = scores[rows, gold.classes] - scores[:, NO_LABEL]
    gradient *= chosen[:, None]
    gradient[:, NO_LABEL] -= chosen
    labeled = numpy.nonzero(gold.classes != NO_LABEL)[0]
    gradient[labeled, gold.classes[labeled]] -= 1.0
    gradient[labeled, NO_LABEL] += 1.0
    # All binarizations of the gold tree count as right.
    return float(total.sum() - gold_scores.sum()) - gold.log_binarizations, gradient


def _margin(gold: GoldSpans, scores: numpy.ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    margins = scores - scores[:, [NO_LABEL]]  # labels against none
    gold_scores = margins[rows, gold.classes]
    augmented = margins + 1.0
    augmented[rows, gold.classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    values = augmented[rows, guessed]
    chosen = best_trees(gold.layout, values)
    sentence, n = gold.layout.sentence, len(gold.layout)
    excess = numpy.bincount(sentence, numpy.where(chosen, values, 0.0) - gold_scores, minlength=n)
    wrong = excess > 0
    gradient = numpy.zeros_like(scores)
    taken = numpy.nonzero(chosen & wrong[sentence])[0]
    gradient[taken, guessed[taken]] += 1.0
    gradient[taken, NO_LABEL] -= 1.0
    right = numpy.nonzero((gold.classes != NO_LABEL) & wrong[sentence])[0]
    gradient[right, gold.classes[right]] -= 1.0
    gradient[right, NO_LABEL] += 1.0
    return float(excess[wrong].sum()), gradient


def top_down_loss(
    kind: str,
    gold: GoldSpans,
    scores: numpy.ndarray,
    splits: numpy.ndarray,
    oracles: Sequence[SplitOracle],
) -> tuple[float, numpy.ndarray, numpy.ndarray]:
    """Compute the loss of top-down decisions. The parser follows its own decisions, and a dynamic oracle gives the best ones
    also after mistakes.

    kind (str): "crf" or "margin".
    gold (GoldSpans): The gold spans.
    scores (ndarray): (n_rows, n_classes).
    splits (ndarray): (n_rows,) the score of each span as a part of a split.
    oracles (Sequence[SplitOracle]): Of each sentence.
    RETURNS (Tuple[float, ndarray, ndarray]): The loss, and the gradients of both kinds of scores.
    """
    layout, classes = gold.layout, gold.classes
    d_scores, d_splits = numpy.zeros_like(scores), numpy.zeros_like(splits)
    loss = 0.0
    visited: list[tuple[int, int, int]] = []  # sentence, first token, end
    for k, part in enumerate(layout.slices()):
        n = int(layout.lengths[k])
        split_loss = _SplitLoss(kind, layout, k, oracles[k], d_splits)
        for start, end in parse_top_down(splits[part], n, split_loss):
            visited.append((k, start, end))
        loss += split_loss.loss
    rows = layout.rows(*numpy.array(visited, dtype="int64").reshape((-1, 3)).T)
    visited_loss = _hinge if kind == "margin" else cross_entropy
    label_loss, d_scores[rows] = visited_loss(scores[rows], classes[rows])
    return loss + label_loss, d_scores, d_splits


def _hinge(scores: numpy.ndarray, classes: numpy.ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    augmented = scores + 1.0
    augmented[rows, classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    gradient = numpy.zeros_like(scores)
    gradient[rows, guessed] += 1.0
    gradient[rows, classes] -= 1.0
    return float((augmented[rows, guessed] - scores[rows, classes]).sum()), gradient


def log_binarizations(spans: Iterable[tuple[int, int]], n: int) -> float:
    """Compute the logarithm of the number of binary trees that contain some spans.

    spans (Iterable[Tuple[int, int]]): First token and end of nested spans.
    n (int): The number of tokens.
    RETURNS (float): The sum of the logarithms of the Catalan numbers C(k - 1) of spans of k parts.
    """
    total = 0.0
    above: list[list[int]] = []  # end and number of parts of the spans around the next one
    items = {(0, n), *spans, *((i, i + 1) for i in range(n))}
    for start, end in [*sorted(items, key=lambda span: (span[0], -span[1])), (n, n)]:
        while above and above[-1][0] <= start:
            k = above.pop()[1] - 1
            if k > 0:
                total += math.lgamma(2 * k + 1) - math.lgamma(k + 2) - math.lgamma(k + 1)
        if above:
            above[-1][1] += 1
        above.append([end, 0])
    return total


class _SplitLoss:
    """Chooses the splits of one sentence as the parser does, and adds up the loss of each choice."""

    def __init__(
        self, kind: str, layout: SpanLayout, k: int, oracle: SplitOracle, d_splits: numpy.ndarray
    ) -> None:
        self.kind, self.layout, self.k = kind, layout, k
        self.oracle, self.d_splits = oracle, d_splits
        self.loss = 0.0

    def __call__(self, start: int, end: int, scores: numpy.ndarray) -> int:
        right = self.oracle.splits(start, end)
        if self.kind == "margin":
            augmented = scores + ~right
            best = int(augmented.argmax())
            good = int(numpy.where(right, scores, -numpy.inf).argmax())
            if not right[best]:
                self.loss += float(augmented[best] - scores[good])
                change = numpy.array([1.0, -1.0], dtype=self.d_splits.dtype)
                self._push(start, end, numpy.array([best, good]), change)
            return start + 1 + best
        weights = numpy.exp(scores - scores.max())
        weights /= weights.sum()
        total = float(weights[right].sum()) + 1e-12
        self.loss -= float(numpy.log(total))
        if not right.all():
            gradient = weights - numpy.where(right, weights / total, 0.0)
            self._push(start, end, numpy.arange(end - start - 1), gradient)
        return start + 1 + int(scores.argmax())

    def _push(self, start: int, end: int, splits: numpy.ndarray, change: numpy.ndarray) -> None:
        """Add to the gradient of the scores of both parts of different splits."""
        middle, k = start + 1 + splits, numpy.full(len(splits), self.k)
        self.d_splits[self.layout.rows(k, numpy.full(len(splits), start), middle)] += change
        self.d_splits[self.layout.rows(k, middle, numpy.full(len(splits), end))] += change
