"""Rows of features, as layers score them, with their targets, and the punctuation between the tokens of a row."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy


class Rows(NamedTuple):
    """Some rows of features.

    tokens (ndarray[int32]): (n, T) token indices, -1 where there is none.
    categories (ndarray[int32]): (n, K) rows of one table that all category columns share.
    bits (ndarray[int64]): (n, B) bit sets.
    """

    tokens: numpy.ndarray
    categories: numpy.ndarray
    bits: numpy.ndarray


class Part(NamedTuple):
    """Some columns of rows that share them, so that what is computed of them is computed once.

    tokens, categories, bits (Tuple[int, ...]): Which columns.
    rows (Rows): Their values, for each thing that is shared.
    take (Optional[ndarray]): For each final row, which thing; None where each row has its own.
    """

    tokens: tuple[int, ...]
    categories: tuple[int, ...]
    bits: tuple[int, ...]
    rows: Rows
    take: numpy.ndarray | None


def join_parts(parts: Sequence[Part]) -> Rows:
    """Join the columns of parts into rows.

    parts (Sequence[Part]): Together they have all columns.
    RETURNS (Rows): The rows.
    """
    joined = []
    for kind, name in enumerate(Rows._fields):
        values = [p.rows[kind] if p.take is None else p.rows[kind][p.take] for p in parts]
        columns = [column for part in parts for column in getattr(part, name)]
        joined.append(numpy.take(numpy.concatenate(values, axis=1), numpy.argsort(columns), axis=1))
    return Rows(*joined)


class Targets(NamedTuple):
    """The training targets of one scorer.

    rows (Rows): (n,) rows of features.
    classes (ndarray[int64]): (n,) the right class of each.
    mask (Optional[ndarray[bool]]): (n, n_classes) the allowed classes; None allows all.
    best (Optional[ndarray[bool]]): (n, n_classes) the right classes, where several may be right.
    """

    rows: Rows
    classes: numpy.ndarray
    mask: numpy.ndarray | None
    best: numpy.ndarray | None = None


class Separators:
    """Finds the punctuation between pairs of tokens.

    is_punct (ndarray[bool]): (n_tokens,) whether each token is punctuation.
    codes (ndarray): (n_tokens,) what stands for each token.
    missing (int): What stands for none.
    """

    def __init__(self, is_punct: numpy.ndarray, codes: numpy.ndarray, missing: int) -> None:
        # how many before each token
        self._before = numpy.concatenate([[0], numpy.cumsum(is_punct)])
        self._codes = numpy.append(codes[is_punct], codes.dtype.type(missing))

    def between(self, tokens: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Find what lies between two tokens each.

        tokens (ndarray[int]): (n, 2) tokens, -1 where there is none.
        RETURNS (Tuple[ndarray, ndarray]): The code of the only punctuation between them, if there is one; and the number of
            all, -1 if a token is missing.
        """
        known = tokens.min(axis=1) >= 0
        start, end = tokens.min(axis=1) + 1, tokens.max(axis=1)
        before = self._before[start]
        count = numpy.where(known, self._before[numpy.maximum(start, end)] - before, -1)
        return self._codes[numpy.where(count == 1, before, -1)], count
