"""The losses of the span parser: what scores of spans should have been, for chart and top-down parsing.

Two kinds each. "cross_entropy" asks of every span by itself which label it has, if any: the local model of Teng and
Zhang (2018). "margin" asks that the gold tree beat every other one by as much as that is wrong (Stern, Andreas and
Klein, 2017, section 4), and for top-down parsing, that each right decision beat each wrong one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from .chart import best_trees
from .labels import NO_LABEL
from .layout import SpanLayout
from .topdown import Oracle, parse_top_down

LOSSES = ("cross_entropy", "margin")
Found = tuple[float, numpy.ndarray]  # a loss, and the gradient of the scores


class GoldSpans(NamedTuple):
    """The labeled spans of a batch.

    layout (SpanLayout): All spans.
    classes (ndarray[int64]): (n_rows,) the class of each; `NO_LABEL` for those that no gold tree has.
    """

    layout: SpanLayout
    classes: numpy.ndarray


def chart_loss(kind: str, gold: GoldSpans, scores: numpy.ndarray) -> Found:
    """The loss of all spans.

    kind (str): One of `LOSSES`.
    gold (GoldSpans): What is right.
    scores (ndarray): (n_rows, n_classes).
    RETURNS (Tuple[float, ndarray]): The loss, a sum over sentences, and the gradient of the scores.
    """
    return cross_entropy(scores, gold.classes) if kind == "cross_entropy" else _margin(gold, scores)


def cross_entropy(scores: numpy.ndarray, classes: numpy.ndarray) -> Found:
    """RETURNS (Tuple[float, ndarray]): The cross entropy of classes, a sum, and the gradient of the scores."""
    rows = numpy.arange(len(scores))
    gradient = scores - scores.max(axis=1, keepdims=True)
    numpy.exp(gradient, out=gradient)
    gradient /= gradient.sum(axis=1, keepdims=True)
    loss = -float(numpy.log(gradient[rows, classes] + 1e-12).sum())
    gradient[rows, classes] -= 1.0
    return loss, gradient


def _margin(gold: GoldSpans, scores: numpy.ndarray) -> Found:
    rows = numpy.arange(len(scores))
    worth = scores - scores[:, [NO_LABEL]]  # labels against none
    own = worth[rows, gold.classes]
    augmented = worth + 1.0
    augmented[rows, gold.classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    values = augmented[rows, guessed]
    chosen = best_trees(gold.layout, values)
    sentence, n = gold.layout.sentence, len(gold.layout)
    excess = numpy.bincount(sentence, numpy.where(chosen, values, 0.0) - own, minlength=n)
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
    kind: str, gold: GoldSpans, scores: numpy.ndarray, splits: numpy.ndarray, oracles: Sequence[Oracle]
) -> tuple[float, numpy.ndarray, numpy.ndarray]:
    """The loss of the decisions on the way down, where the parser itself goes its way: it is asked for the best also
    after its mistakes.

    kind (str): One of `LOSSES`.
    gold (GoldSpans): What is right.
    scores (ndarray): (n_rows, n_classes).
    splits (ndarray): (n_rows,) how good a part each span is.
    oracles (Sequence[Oracle]): Of each sentence.
    RETURNS (Tuple[float, ndarray, ndarray]): The loss, and the gradients of both kinds of scores.
    """
    layout, classes = gold
    d_scores, d_splits = numpy.zeros_like(scores), numpy.zeros_like(splits)
    loss = 0.0
    visited: list[int] = []
    for k, part in enumerate(layout.slices()):
        n = int(layout.lengths[k])
        learner = _SplitLearner(kind, n, part.start, oracles[k], d_splits)
        for start, end in parse_top_down(splits[part], n, learner):
            visited.append(part.start + start * n - start * (start - 1) // 2 + end - start - 1)
        loss += learner.loss
    own, right = scores[visited], classes[visited]
    more, d_own = cross_entropy(own, right) if kind == "cross_entropy" else _hinge(own, right)
    d_scores[visited] = d_own
    return loss + more, d_scores, d_splits


def _hinge(scores: numpy.ndarray, classes: numpy.ndarray) -> Found:
    rows = numpy.arange(len(scores))
    augmented = scores + 1.0
    augmented[rows, classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    gradient = numpy.zeros_like(scores)
    gradient[rows, guessed] += 1.0
    gradient[rows, classes] -= 1.0
    return float((augmented[rows, guessed] - scores[rows, classes]).sum()), gradient


class _SplitLearner:
    """Follows the parser down one sentence; see `topdown.Split`."""

    def __init__(
        self, kind: str, n: int, base: int, oracle: Oracle, d_splits: numpy.ndarray
    ) -> None:
        self.kind, self.n, self.base = kind, n, base
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
                self._push(start, end, best, 1.0)
                self._push(start, end, good, -1.0)
            return start + 1 + best
        weights = numpy.exp(scores - scores.max())
        weights /= weights.sum()
        total = float(weights[right].sum()) + 1e-12
        self.loss -= float(numpy.log(total))
        if not right.all():
            gradient = weights - numpy.where(right, weights / total, 0.0)
            for split in range(end - start - 1):
                self._push(start, end, split, float(gradient[split]))
        return start + 1 + int(scores.argmax())

    def _push(self, start: int, end: int, split: int, by: float) -> None:
        middle = start + 1 + split
        self.d_splits[self._row(start, middle)] += by
        self.d_splits[self._row(middle, end)] += by

    def _row(self, start: int, end: int) -> int:
        return self.base + start * self.n - start * (start - 1) // 2 + end - start - 1
