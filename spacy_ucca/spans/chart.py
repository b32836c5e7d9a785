"""The best tree of a sentence by dynamic programming (CKY), for many sentences at once.

Trees are binary inside; spans without a label of their own (the empty label of Stern, Andreas and Klein, 2017, section
3; "implicit binarization") are worth nothing, so a tree is worth what its labeled spans are worth together, however
it is binarized. Both time and memory of scoring grow with the square of the length of a sentence, those of the
search with its cube, in NumPy.
"""

import numpy

from .layout import SpanLayout

__all__ = ["best_trees"]


def best_trees(layout: SpanLayout, values: numpy.ndarray) -> numpy.ndarray:
    """Find the binary tree of each sentence whose spans are worth most together.

    layout (SpanLayout): The spans.
    values (ndarray): (n_rows,) what each span adds to a tree that has it; that of spans without a label is 0.
    RETURNS (ndarray[bool]): (n_rows,) which spans are in the tree of their sentence: 2 n - 1 of n tokens.
    """
    chosen = numpy.zeros(layout.n_rows, dtype="bool")
    for group in layout.groups:
        sizes = layout.lengths[group]
        if not sizes.max():
            continue
        which, start, length = layout.padded(group)
        chart = numpy.zeros((len(group), int(sizes.max()) + 1, int(sizes.max()) + 1), dtype="float32")
        chart[which, start, length] = values[layout.group_rows(group)]
        splits = _fill(chart)
        for k, i, n in _walk(splits, sizes):
            chosen[layout.rows(group[k], i, i + n)] = True
    return chosen


def _fill(chart: numpy.ndarray) -> numpy.ndarray:
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


def _walk(splits: numpy.ndarray, sizes: numpy.ndarray):
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
