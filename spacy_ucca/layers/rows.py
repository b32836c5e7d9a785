"""Rows of features, as layers score them."""

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
    """Some columns of rows that share them, so that they are added up once.

    tokens, categories, bits (Tuple[int, ...]): Which columns.
    rows (Rows): Their values, for each thing that is shared.
    take (Optional[ndarray]): For each final row, which thing; None where each row has its own.
    """

    tokens: tuple[int, ...]
    categories: tuple[int, ...]
    bits: tuple[int, ...]
    rows: Rows
    take: numpy.ndarray | None
