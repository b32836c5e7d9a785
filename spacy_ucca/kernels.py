# cython: boundscheck=False, wraparound=False
"""Loops over arrays that pay only if they are compiled: `kernels.pxd` gives the C types, `loop.py` says
whether they are. As plain Python they say what they do, and tests hold NumPy's way against them.
"""

from math import exp, log
from typing import Any


def sum_rows(
    table: Any,
    tokens: Any,
    values: Any,
    categories: Any,
    flags: Any,
    bits: Any,
    bias: Any,
    out: Any,
) -> None:
    """The hidden vectors of rows, before their nonlinearity: fast where it is compiled, and only there.
    The order of additions is that of `SlotStep`, so that results are the same to the last bit.

    table (ndarray[float32]): (n_tokens + 1, F, H): vectors of tokens in each slot; the last one is that
        of missing tokens.
    tokens (ndarray[int32]): (n, F) token columns, -1 where there is none.
    values (ndarray[float32]): (V, H): vectors of the values of categories.
    categories (ndarray[int32]): (n, K): category columns.
    flags (ndarray[float32]): (B * LABEL_BITS, H): vectors of the bits of all bit sets.
    bits (ndarray[int64]): (n, B): bit sets.
    bias (ndarray[float32]): (H,): is added to all.
    out (ndarray[float32]): (n + 1, H): where sums go; zeros. The last row is room for work.
    """
    n, width, missing = tokens.shape[0], table.shape[2], table.shape[0] - 1
    n_bits = flags.shape[0] // bits.shape[1]
    for i in range(n):
        for j in range(tokens.shape[1]):
            row = tokens[i, j]
            if row < 0:
                row = missing
            for k in range(width):
                out[i, k] += table[row, j, k]
        for k in range(width):
            out[n, k] = 0
        for j in range(categories.shape[1]):
            row = categories[i, j]
            for k in range(width):
                out[n, k] += values[row, k]
        for k in range(width):
            out[i, k] += out[n, k]
            out[n, k] = 0
        for j in range(bits.shape[1]):
            left, row = bits[i, j], j * n_bits
            while left:
                if left & 1:
                    for k in range(width):
                        out[n, k] += flags[row, k]
                left, row = left >> 1, row + 1
        for k in range(width):
            out[i, k] = out[i, k] + out[n, k] + bias[k]


def place_rows(
    columns: Any,
    offsets: Any,
    starts: Any,
    places: Any,
    tokens: Any,
    categories: Any,
    bits: Any,
) -> None:
    """Take rows of all columns apart, as `features.split_rows` and `features.place_tokens` do: one call
    instead of ten of NumPy's, which cost more than the work if there are few rows.

    columns (ndarray[int64]): (n, T + K + B): token columns, category columns and bit sets.
    offsets (ndarray[int32]): (K,) what is added to each category.
    starts (ndarray[int64]): (n,) where the sentence of each row begins in `places`.
    places (ndarray[int32]): The tokens of all sentences, as they are numbered in the batch.
    tokens (ndarray[int32]): (n, T) where the tokens go; -1 stays.
    categories (ndarray[int32]): (n, K) where the categories go.
    bits (ndarray[int64]): (n, B) where the bit sets go.
    """
    n_tokens, n_categories = tokens.shape[1], categories.shape[1]
    for i in range(columns.shape[0]):
        for j in range(n_tokens):
            at = columns[i, j]
            tokens[i, j] = places[starts[i] + at] if at >= 0 else -1
        for j in range(n_categories):
            categories[i, j] = columns[i, n_tokens + j] + offsets[j]
        for j in range(bits.shape[1]):
            bits[i, j] = columns[i, n_tokens + n_categories + j]


def choose(scores: Any, mask: Any, best: Any, log_probs: Any) -> None:
    """Take the best valid action of each row, the first on ties.

    scores (ndarray[float32]): (n, A).
    mask (ndarray[uint8]): (n, A): 1 where an action is valid; one at least is.
    best (ndarray[int64]): (n,) where the actions go.
    log_probs (ndarray[float64]): (n,) where their log probabilities among the valid ones go.
    """
    for i in range(scores.shape[0]):
        at, top, total = -1, 0.0, 0.0
        for j in range(scores.shape[1]):
            if mask[i, j] and (at < 0 or scores[i, j] > top):
                at, top = j, float(scores[i, j])
        for j in range(scores.shape[1]):
            if mask[i, j]:
                total += exp(float(scores[i, j]) - top)
        best[i], log_probs[i] = at, -log(total)
