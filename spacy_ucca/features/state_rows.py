"""What the model sees of a State: rows of integers with named columns.

Three tables share one shape (`Rows`): one row per state (to choose an action), made here; one per pair of
units (to find remote edges) and one per unit (to find implicit units), made in `unit_features.py`. A row has token columns (indices of tokens,
whose vectors the encoder gives), category columns (small integers, each with its own embedding) and bit
sets of labels. Weights are `model.py`'s.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy

from ..native.load import (
    compiled,
    kernels,
    template_rows,
)
from ..native.load import (
    state as native_state,
)
from ..native.templates import CATEGORIES, NODES
from ..transition import State, TransitionSystem

MISSING = -1
N_BUCKETS = native_state.N_BUCKETS
LABEL_BITS = native_state.LABEL_BITS
Syntax = native_state.Syntax
N_TOKENS, N_COLUMNS = 9, 45  # of `state_schema`


class Rows(NamedTuple):
    """tokens: (n, T) token indices, -1 where there is none; categories: (n, K); bits: (n, B)."""

    tokens: numpy.ndarray
    categories: numpy.ndarray
    bits: numpy.ndarray


class Schema(NamedTuple):
    """Names of the columns of a kind of row, and the number of values of each category. Of rows of states, `fill`
    writes them: `fill(states, syntaxes, rows)`."""

    tokens: tuple[str, ...]
    categories: tuple[tuple[str, int], ...]
    bits: tuple[str, ...]
    fill: Callable[[Sequence[State], Sequence[Syntax], Any], None] = native_state.fill_rows

    @property
    def n_columns(self) -> int:
        """RETURNS (int): The number of columns of all kinds."""
        return len(self.tokens) + len(self.categories) + len(self.bits)

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


def template_schema(system: TransitionSystem, n_deps: int) -> Schema:
    """The columns that templates are made of: `template_rows.py`. Categories have no number of values (0): they are
    hashed, so that nothing bounds them.

    system (TransitionSystem): The `tupa` system.
    n_deps (int): Not used: dependency labels are looked up in the tokens.
    RETURNS (Schema): The columns.
    """
    # For each action, a number that stays when labels are added
    codes = [move + 16 * label for move, label in zip(system.moves, system.action_labels)]
    return Schema(
        tokens=NODES,
        categories=tuple((str(column), 0) for column in CATEGORIES),
        bits=(),
        fill=partial(template_rows.fill_template_rows, codes),
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
    rows = numpy.empty((1, N_COLUMNS), dtype="int64")
    native_state.fill_rows([state], [syntax], rows)
    row = rows[0].tolist()
    tokens += row[:N_TOKENS]
    categories += row[N_TOKENS:-2]
    bits += row[-2:]


def state_rows(
    schema: Schema, states: Sequence[State], syntaxes: Sequence[Syntax]
) -> numpy.ndarray:
    """The rows of several states, as `split_rows` takes them.

    schema (Schema): Their columns.
    states (Sequence[State]): States that are not done.
    syntaxes (Sequence[Syntax]): The dependency tree of the sentence of each.
    RETURNS (ndarray[int64]): (n, n_columns): tokens, categories and bit sets.
    """
    n_columns = schema.n_columns
    if compiled():
        rows = numpy.empty((len(states), n_columns), dtype="int64")
        schema.fill(list(states), list(syntaxes), rows)
        return rows
    lists = [[0] * n_columns for _ in states]
    schema.fill(states, syntaxes, lists)
    return numpy.array(lists, dtype="int64").reshape((-1, n_columns))


def split_rows(schema: Schema, columns: numpy.ndarray) -> Rows:
    """Take rows of all columns apart, categories shifted by the offsets of the schema.

    schema (Schema): Their columns.
    columns (ndarray[int64]): (n, n_columns).
    RETURNS (Rows): The same rows.
    """
    first, second = len(schema.tokens), len(schema.tokens) + len(schema.categories)
    return Rows(
        columns[:, :first].astype("int32"),
        numpy.add(columns[:, first:second], schema.offsets, dtype="int32", casting="unsafe"),
        numpy.ascontiguousarray(columns[:, second:]),
    )


class BatchRows:
    """The rows of the states of a batch, tokens numbered as in the batch.

    schema (Schema): Their columns.
    syntaxes (Sequence[Syntax]): The dependency tree of each sentence.
    places (Sequence[ndarray]): For each sentence, where its tokens are in the batch.
    """

    def __init__(
        self, schema: Schema, syntaxes: Sequence[Syntax], places: Sequence[numpy.ndarray]
    ) -> None:
        self.schema, self.syntaxes = schema, syntaxes
        self.offsets = schema.offsets
        self.starts = numpy.cumsum([0, *(len(p) for p in places)])[:-1]
        self.places = numpy.concatenate([numpy.zeros(0), *places]).astype("int32")

    def of(self, states: Sequence[State], active: Sequence[int]) -> Rows:
        """Make the rows of some sentences.

        states (Sequence[State]): Their states, which are not done.
        active (Sequence[int]): Which sentences they are.
        RETURNS (Rows): One row for each.
        """
        columns = state_rows(self.schema, states, [self.syntaxes[i] for i in active])
        if not compiled():
            rows = split_rows(self.schema, columns)
            places = place_tokens(rows.tokens, self.starts[active], self.places)
            return rows._replace(tokens=places)
        n, widths = len(columns), (len(self.schema.tokens), len(self.offsets))
        rows = Rows(
            numpy.empty((n, widths[0]), dtype="int32"),
            numpy.empty((n, widths[1]), dtype="int32"),
            numpy.empty((n, columns.shape[1] - sum(widths)), dtype="int64"),
        )
        kernels.place_rows(columns, self.offsets, self.starts[active], self.places, *rows)
        return rows


def to_rows(schema: Schema, tokens: list[int], categories: list[int], bits: list[int]) -> Rows:
    """RETURNS (Rows): Flat lists, as `state_row` fills them, as the arrays of a schema."""
    low = [b & ((1 << LABEL_BITS) - 1) for b in bits]
    parts = (tokens, schema.tokens), (categories, schema.categories), (low, schema.bits)
    columns = [
        numpy.array(values, dtype="int64").reshape((-1, len(names))) for values, names in parts
    ]
    return split_rows(schema, numpy.concatenate(columns, axis=1))


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
