"""What the model sees of a State: rows of integers with named columns.

Three tables share one shape (`Rows`): one row per state (to choose an action), made here; one per pair of
units (to find remote edges) and one per unit (to find implicit units), made in `unit_features.py`. A row has token columns (indices of tokens,
whose vectors the encoder gives), category columns (small integers, each with its own embedding) and bit
sets of labels. Weights are `model.py`'s.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from .loop import compiled, kernels, stepping
from .transition import TransitionSystem

MISSING = -1
LABEL_BITS = 48  # labels with higher numbers have no bit in a bit set
N_BUCKETS = stepping.N_BUCKETS
Syntax = stepping.Syntax
state_row = stepping.state_row


class Rows(NamedTuple):
    """tokens: (n, T) token indices, -1 where there is none; categories: (n, K); bits: (n, B)."""

    tokens: numpy.ndarray
    categories: numpy.ndarray
    bits: numpy.ndarray


class Schema(NamedTuple):
    """Names of the columns of a kind of row, and the number of values of each category."""

    tokens: tuple[str, ...]
    categories: tuple[tuple[str, int], ...]
    bits: tuple[str, ...]

    @property
    def offsets(self) -> numpy.ndarray:
        """RETURNS (ndarray): (K,) where the values of each category column start in one table."""
        sizes = [size for _, size in self.categories]
        return numpy.cumsum([0, *sizes[:-1]], dtype="int32")

    @property
    def n_values(self) -> int:
        """RETURNS (int): The number of rows of the table of all categories."""
        return sum(size for _, size in self.categories)


N_TYPES = 6
HISTORY = ("last action", "action before", "third last action")


def state_schema(system: TransitionSystem, n_deps: int) -> Schema:
    """RETURNS (Schema): The columns of `state_row`. n_deps counts dependency labels, 0 included."""
    labels, actions = len(system.labels) + 1, system.n_actions + 1
    relations = 2 + 2 * n_deps
    return Schema(
        tokens=(
            *("s0 head", "s1 head", "s2 head", "b0 head", "s0 first", "s0 last"),
            *("s1 first", "s1 last", "s0 right child head"),
        ),
        categories=(
            *(("s0 type", N_TYPES), ("s1 type", N_TYPES), ("s2 type", N_TYPES)),
            ("b0 type", N_TYPES),
            *(("s0 label", labels), ("s1 label", labels), ("s2 label", labels)),
            *(("s0 left child", labels), ("s0 right child", labels)),
            *(("s1 left child", labels), ("s1 right child", labels)),
            *(("s0 children", N_BUCKETS), ("s1 children", N_BUCKETS)),
            *(("s0 height", N_BUCKETS), ("s1 height", N_BUCKETS), ("b0 height", N_BUCKETS)),
            *(("s0 length", N_BUCKETS), ("s1 length", N_BUCKETS)),
            *(("s1 to s0", N_BUCKETS + 1), ("s0 to b0", N_BUCKETS + 1)),
            *(("s1-s0 relation", relations), ("s0-b0 relation", relations)),
            *(("s1-b0 relation", relations), ("s2-s0 relation", relations)),
            *(("s0 syntactic head", 7), ("s1 syntactic head", 7)),
            *(("s0 subtree", 9), ("s1 subtree", 9)),
            *((name, actions) for name in HISTORY),
            *(("buffer size", N_BUCKETS), ("stack size", N_BUCKETS), ("s0 chain", N_BUCKETS)),
        ),
        bits=("s0 child labels", "s1 child labels"),
    )


def to_rows(schema: Schema, tokens: list[int], categories: list[int], bits: list[int]) -> Rows:
    """RETURNS (Rows): Flat lists as the arrays of a schema, categories shifted by its offsets."""
    mask = (1 << LABEL_BITS) - 1
    return Rows(
        _int32(tokens).reshape((-1, len(schema.tokens))),
        _int32(categories).reshape((-1, len(schema.categories))) + schema.offsets,
        numpy.array([b & mask for b in bits], dtype="int64").reshape((-1, len(schema.bits))),
    )


def _int32(values: list[int]) -> numpy.ndarray:
    if not compiled():
        return numpy.array(values, dtype="int32")
    array = numpy.empty(len(values), dtype="int32")
    kernels.copy_ints(values, array)
    return array


def stack_rows(rows: Sequence[Rows], places: Sequence[numpy.ndarray]) -> Rows:
    """Put the rows of several sentences together.

    rows (Sequence[Rows]): The rows of each sentence, tokens counted from its start.
    places (Sequence[ndarray]): For each sentence, where its tokens are in the batch.
    RETURNS (Rows): All of them, tokens counted in the batch.
    """
    counts = [len(r.tokens) for r in rows]
    starts = numpy.cumsum([0, *(len(p) for p in places)])[:-1]
    tokens = numpy.concatenate([r.tokens for r in rows])
    return Rows(
        place_tokens(tokens, numpy.repeat(starts, counts), numpy.concatenate(places)),
        numpy.concatenate([r.categories for r in rows]),
        numpy.concatenate([r.bits for r in rows]),
    )


def place_tokens(
    tokens: numpy.ndarray, starts: numpy.ndarray, places: numpy.ndarray
) -> numpy.ndarray:
    """Turn tokens counted from the start of their sentence into tokens of the batch.

    tokens (ndarray): (n, T) token columns.
    starts (ndarray): (n,) where the sentence of each row begins in `places`.
    places (ndarray): The tokens of all sentences, as they are numbered in the batch.
    RETURNS (ndarray): (n, T); missing tokens stay -1.
    """
    if not len(places):
        return tokens
    found = places[numpy.maximum(tokens, 0) + starts[:, None]]
    return numpy.where(tokens >= 0, found, MISSING).astype("int32")
