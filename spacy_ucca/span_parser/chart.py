"""Find trees of spans.

Over all binary trees of a sentence, by dynamic programming, for many sentences together: the best tree (CKY), and the probability
of each span (inside-outside). Spans without a label (the empty label of Stern, Andreas and Klein, 2017, section 3; "implicit
binarization") score 0, so the score of a tree is the sum over its labeled spans and does not depend on how it is binarized.
Memory grows with the square of the length of a sentence, time with its cube: a thousand tokens take less than a second.

Top-down: split a sentence at the best place, then each part, down to the tokens. It is greedy, after Stern, Andreas and Klein
(2017), section 4.2, with their dynamic oracle (section 4.3, after Cross and Huang, 2016), which also gives the best splits of
spans that are not gold.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy
from numpy import ndarray

from .batch import SpanLayout


def best_trees(layout: SpanLayout, values: ndarray) -> ndarray:
    """Find the binary tree of each sentence with the highest sum of values of spans.

    layout (SpanLayout): The spans.
    values (ndarray): (n_rows,) the value of each span; 0 for spans without a label.
    RETURNS (ndarray[bool]): (n_rows,) which spans are in the tree of their sentence: 2 n - 1 of n tokens.
    """
    chosen = numpy.zeros(layout.n_rows, dtype="bool")
    for group in layout.groups:
        sizes = layout.lengths[group]
        if not sizes.max():
            continue
        which, start, length = layout.padded(group)
        chart = numpy.zeros((len(group), *(int(sizes.max()) + 1,) * 2), dtype=values.dtype)
        chart[which, start, length] = values[layout.group_rows(group)]
        splits = _fill(chart)
        for k, i, n in _walk(splits, sizes):
            chosen[layout.rows(group[k], i, i + n)] = True
    return chosen


def span_probabilities(layout: SpanLayout, potentials: ndarray) -> tuple[ndarray, ndarray]:
    """Compute the probability that each span is in the tree of its sentence, by a conditional random field over binary trees
    (Zhang, Zhou and Li, 2020, section 4).

    layout (SpanLayout): The spans.
    potentials (ndarray): (n_rows,) the log potential of each span.
    RETURNS (Tuple[ndarray, ndarray]): (n_sentences,) the log partition function; (n_rows,) the probability of each
        span, which is also the gradient of the first.
    """
    total = numpy.zeros(len(layout), dtype=potentials.dtype)
    probabilities = numpy.zeros(layout.n_rows, dtype=potentials.dtype)
    for group in layout.groups:
        sizes = layout.lengths[group]
        size = int(sizes.max())
        if not size:
            continue
        which, start, length = layout.padded(group)
        rows = layout.group_rows(group)
        values = numpy.zeros((len(group), size + 1, size + 1), dtype=potentials.dtype)
        values[which, start, length] = potentials[rows]
        inside, by_end = _inside(values)
        some = numpy.arange(len(group))
        total[group] = inside[some, 0, sizes]
        outside = numpy.zeros_like(inside)
        outside[some, 0, sizes] = 1.0
        _outside(values, inside, by_end, outside)
        probabilities[rows] = outside[which, start, length]
    return total, probabilities


def _inside(values: ndarray) -> tuple[ndarray, ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): (B, N + 1, N + 1) the logarithm of the weight of all trees over each span, by
    first token and length; the same by end and length."""
    size = values.shape[1] - 1
    inside, by_end = values.copy(), numpy.zeros_like(values)
    by_end[:, 1:, 1] = inside[:, :-1, 1]
    for length in range(2, size + 1):
        n = size - length + 1
        sums = inside[:, :n, 1:length] + by_end[:, length:, length - 1 : 0 : -1]
        top = sums.max(axis=2)
        sums -= top[:, :, None]
        numpy.exp(sums, out=sums)
        inside[:, :n, length] += numpy.log(sums.sum(axis=2)) + top
        by_end[:, length:, length] = inside[:, :n, length]
    return inside, by_end


def _outside(values: ndarray, inside: ndarray, by_end: ndarray, outside: ndarray) -> None:
    """Compute the outside pass, from whole sentences to tokens.

    values, inside, by_end (ndarray): The argument and the results of `_inside`.
    outside (ndarray): (B, N + 1, N + 1) 1 at whole sentences, 0 elsewhere; filled with the probabilities of all spans.
    """
    size = values.shape[1] - 1
    right = numpy.zeros_like(outside)  # of right parts, by end and length
    for length in range(size, 0, -1):
        n = size - length + 1
        outside[:, :n, length] += right[:, length:, length]
        if length == 1:
            break
        shares = inside[:, :n, 1:length] + by_end[:, length:, length - 1 : 0 : -1]
        shares -= (inside[:, :n, length] - values[:, :n, length])[:, :, None]
        numpy.exp(shares, out=shares)
        shares *= outside[:, :n, length, None]
        outside[:, :n, 1:length] += shares
        right[:, length:, length - 1 : 0 : -1] += shares


def _fill(chart: ndarray) -> ndarray:
    """Fill charts.

    chart (ndarray): (B, N + 1, N + 1) by first token and length: values of spans, which become those of the best
        trees over them.
    RETURNS (ndarray[int32]): (B, N + 1, N + 1) the length of the left part of the best tree over each span.
    """
    size = chart.shape[1] - 1
    # The same by end and length, so that both parts of a span lie in order.
    by_end = numpy.zeros_like(chart)
    splits = numpy.zeros(chart.shape, dtype="int32")
    by_end[:, 1:, 1] = chart[:, :-1, 1]
    for length in range(2, size + 1):
        n = size - length + 1
        sums = chart[:, :n, 1:length] + by_end[:, length:, length - 1 : 0 : -1]
        best = sums.argmax(axis=2)
        chart[:, :n, length] += numpy.take_along_axis(sums, best[:, :, None], axis=2)[:, :, 0]
        by_end[:, length:, length] = chart[:, :n, length]
        splits[:, :n, length] = best + 1
    return splits


def _walk(splits: ndarray, sizes: ndarray) -> Iterator[tuple[ndarray, ndarray, ndarray]]:
    """YIELDS (Tuple[ndarray, ndarray, ndarray]): Spans of the trees: place in the batch, first token, length."""
    k = numpy.nonzero(sizes)[0]
    start, length = numpy.zeros(len(k), dtype="int64"), sizes[k]
    while len(k):
        yield k, start, length
        inner = length > 1
        k, start, length = k[inner], start[inner], length[inner]
        left = splits[k, start, length].astype("int64")
        start = numpy.concatenate([start, start + left])
        k, length = numpy.concatenate([k, k]), numpy.concatenate([left, length - left])


# The chosen split of a span, given its first token, its end and the score of each split between them.
Split = Callable[[int, int, ndarray], int]


def parse_top_down(values: ndarray, n: int, choose: Split | None = None) -> list[tuple[int, int]]:
    """Split a sentence down to its tokens.

    values (ndarray): (n (n + 1) / 2,) by first token and end: the score of each span in a tree. The score of a split is
        the sum of those of its parts.
    n (int): The number of tokens.
    choose (Optional[Callable]): Chooses splits, instead of the best.
    RETURNS (List[Tuple[int, int]]): The spans of the tree, 2 n - 1, each before its parts.
    """
    table = numpy.zeros((n + 1, n + 1), dtype=values.dtype)
    starts, ends = numpy.triu_indices(n)
    table[starts, ends + 1] = values
    spans = []
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        spans.append((start, end))
        if end - start == 1:
            continue
        scores = table[start, start + 1 : end] + table[start + 1 : end, end]
        split = int(scores.argmax()) + start + 1 if choose is None else choose(start, end, scores)
        waiting += [(split, end), (start, split)]
    return spans


class SplitOracle:
    """The dynamic oracle: which splits are right, given those already made.

    spans (Iterable[Tuple[int, int]]): First token and end of the spans of the gold tree that have labels.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.spans = numpy.array([*spans], dtype="int64").reshape((-1, 2))

    def splits(self, start: int, end: int) -> ndarray:
        """Find the splits of a span that cross no gold span inside it.

        start, end (int): The span, of two tokens at least.
        RETURNS (ndarray[bool]): (end - start - 1,) whether each split is right; one is at least.
        """
        first, last = self.spans[:, 0], self.spans[:, 1]
        inside = (first >= start) & (last <= end) & (last - first < end - start)
        # One more at the left end of what a gold span forbids, one less at its right end.
        crossed = numpy.zeros(end - start + 1, dtype="int64")
        numpy.add.at(crossed, first[inside] - start + 1, 1)
        numpy.add.at(crossed, last[inside] - start, -1)
        return crossed.cumsum()[1:-1] == 0
