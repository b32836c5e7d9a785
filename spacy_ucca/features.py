"""What the model sees of a State: rows of integers with named columns.

Three tables share one shape (`Rows`): one row per state (to choose an action), made here; one per pair of
units (to find remote edges) and one per unit (to find implicit units), made in `unit_features.py`. A row has token columns (indices of tokens,
whose vectors the encoder gives), category columns (small integers, each with its own embedding) and bit
sets of labels. Weights are `model.py`'s.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from .transition import ROOT, State, TransitionSystem

MISSING = -1
LABEL_BITS = 48  # labels with higher numbers have no bit in a bit set


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


class Syntax:
    """The dependency tree of a sentence, as far as features need it.

    heads (Sequence[int]): For each token, its head in the sentence; itself for a root; -1 if unknown.
    deps (Sequence[int]): For each token, a small number for its dependency label; 0 if unknown.
    """

    __slots__ = ("deps", "heads", "left", "right")

    def __init__(self, heads: Sequence[int], deps: Sequence[int]) -> None:
        self.heads = list(heads)
        self.deps = list(deps)
        n = len(self.heads)
        self.left = list(range(n))  # edges of each token's subtree
        self.right = list(range(n))
        for i in range(n):
            seen, j = 0, self.heads[i]
            while j >= 0 and seen < n:
                if self.left[j] > i:
                    self.left[j] = i
                if self.right[j] < i:
                    self.right[j] = i
                if self.heads[j] == j:
                    break
                j, seen = self.heads[j], seen + 1

    def relation(self, i: int, j: int) -> int:
        """RETURNS (int): How two tokens are connected: 0 if they are not, 1 for the same token or the
        same head, else which depends on which, by what label."""
        if i < 0 or j < 0:
            return 0
        if i == j:
            return 1
        if self.heads[i] == j:
            return 2 + 2 * self.deps[i]
        if self.heads[j] == i:
            return 3 + 2 * self.deps[j]
        return 1 if self.heads[i] == self.heads[j] >= 0 else 0


def _bucket(n: int) -> int:
    """Small counts as they are, larger ones on a logarithmic scale: 0 .. 9."""
    if n < 5:
        return n if n > 0 else 0
    return 5 if n < 7 else 6 if n < 10 else 7 if n < 15 else 8 if n < 25 else 9


N_BUCKETS = 10
_BUCKETS = [_bucket(n) for n in range(64)]
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


def _type(state: State, node: int) -> int:
    if node == ROOT:
        return 1
    if state.implicit[node]:
        return 5
    if state.terminals[node]:
        return 3 if state.children[node] else 2
    return 4


def _where(syntax: Syntax, head: int, own: tuple, other: tuple, b0: int) -> int:
    """Where the syntactic head of an item lies: 1 root, 2 in the item, 3 in the other item, 4 b0,
    5 elsewhere to the left, 6 elsewhere to the right; 0 unknown."""
    if head < 0:
        return 0
    at = syntax.heads[head]
    if at < 0:
        return 0
    if at == head:
        return 1
    if own[0] <= at <= own[1]:
        return 2
    if other[0] <= at <= other[1]:
        return 3
    if at == b0:
        return 4
    return 5 if at < head else 6


def _span_fit(syntax: Syntax, head: int, first: int, last: int) -> int:
    """Whether the syntactic subtree of the head ends inside, with or outside the item, both sides."""
    if head < 0:
        return 0
    left, right = syntax.left[head], syntax.right[head]
    return (1 if left == first else 0 if left > first else 2) * 3 + (
        1 if right == last else 0 if right < last else 2
    )


def state_row(
    state: State, syntax: Syntax, tokens: list[int], categories: list[int], bits: list[int]
) -> None:
    """Append the row of a state, flat, in the order of `state_schema`.

    state (State): A state that is not done.
    syntax (Syntax): The dependency tree of its sentence.
    tokens (List[int]): Token columns of all rows so far.
    categories (List[int]): Category columns of all rows so far.
    bits (List[int]): Bit sets of all rows so far.
    """
    stack, heads, kids = state.stack, state.head, state.children
    label, first, last = state.label, state.first, state.last
    size = len(stack)
    s0 = stack[-1] if size else ROOT
    s1 = stack[-2] if size > 1 else ROOT
    s0h, kids0 = heads[s0], kids[s0]
    s0f, s0l = first[s0], last[s0]
    if s0l < 0:
        s0f = -1
    s0r = heads[kids0[-1]] if kids0 else -1
    s0a = (label[s0], label[kids0[0]], label[kids0[-1]]) if kids0 else (label[s0], 0, 0)
    if size > 1:
        kids1 = kids[s1]
        s1h, s1f, s1l, s1t = heads[s1], first[s1], last[s1], _type(state, s1)
        if s1l < 0:
            s1f = -1
        s1a = (label[s1], label[kids1[0]], label[kids1[-1]]) if kids1 else (label[s1], 0, 0)
        n1, height1, bits1 = len(kids1), state.height[s1], state.child_labels[s1]
        if s1 == ROOT:
            s1h, s1f, s1l = -1, -1, -1
    else:
        s1h = s1f = s1l = -1
        s1t, s1a, n1, height1, bits1 = 0, (0, 0, 0), 0, 0, 0
    s2 = stack[-3] if size > 2 else -1
    s2h = heads[s2] if s2 > 0 else -1
    buffer = state.buffer
    b0t, b0h, height2 = 0, -1, 0
    if buffer:
        b0 = buffer[-1]
        if b0 < 0:
            b0t, b0h = 5, ~b0
        else:
            b0t, b0h, height2 = _type(state, b0), heads[b0], state.height[b0]
    history = state.history
    steps = len(history)
    gap01 = s0f - s1l if s0f >= 0 and s1l >= 0 else 0
    gap0b = b0h - s0l if b0h >= 0 and s0l >= 0 else 0
    tokens += (s0h, s1h, s2h, b0h, s0f, s0l, s1f, s1l, s0r)
    relation = syntax.relation
    categories += (
        _type(state, s0) if size else 0,
        s1t,
        _type(state, s2) if s2 >= 0 else 0,
        b0t,
        s0a[0],
        s1a[0],
        label[s2] if s2 >= 0 else 0,
        s0a[1],
        s0a[2],
        s1a[1],
        s1a[2],
        _bucket(len(kids0)),
        _bucket(n1),
        _bucket(state.height[s0]),
        _bucket(height1),
        _bucket(height2),
        _bucket(s0l - s0f),
        _bucket(s1l - s1f),
        _bucket(gap01) if gap01 >= 0 else N_BUCKETS,
        _bucket(gap0b) if gap0b >= 0 else N_BUCKETS,
        relation(s1h, s0h),
        relation(s0h, b0h),
        relation(s1h, b0h),
        relation(s2h, s0h),
        _where(syntax, s0h, (s0f, s0l), (s1f, s1l), b0h),
        _where(syntax, s1h, (s1f, s1l), (s0f, s0l), b0h),
        _span_fit(syntax, s0h, s0f, s0l),
        _span_fit(syntax, s1h, s1f, s1l),
        history[-1] + 1 if steps else 0,
        history[-2] + 1 if steps > 1 else 0,
        history[-3] + 1 if steps > 2 else 0,
        _bucket(len(buffer)),
        _bucket(size - 1),
        min(state.chain[s0], N_BUCKETS - 1),
    )
    bits += (state.child_labels[s0] >> 1, bits1 >> 1)


def to_rows(schema: Schema, tokens: list[int], categories: list[int], bits: list[int]) -> Rows:
    """RETURNS (Rows): Flat lists as the arrays of a schema, categories shifted by its offsets."""
    mask = (1 << LABEL_BITS) - 1
    return Rows(
        numpy.array(tokens, dtype="int32").reshape((-1, len(schema.tokens))),
        numpy.array(categories, dtype="int32").reshape((-1, len(schema.categories)))
        + schema.offsets,
        numpy.array([b & mask for b in bits], dtype="int64").reshape((-1, len(schema.bits))),
    )


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
