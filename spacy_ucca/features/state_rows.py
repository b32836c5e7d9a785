"""Rows of states: integers with named columns, from which the model scores the next transition.

A row has token columns (indices of tokens, whose vectors the encoder gives), category columns (small integers, each
with an embedding of its own) and bit sets of labels. Rows of units and of pairs of units have the same shape. The networks of the
TUPA paper read the elements of its Figure 1, as numbers of embeddings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy

from ..layers.rows import Rows
from ..native.columns import (
    BITS,
    CATEGORY,
    FIRST_COLUMNS,
    PROPERTIES,
    STATE_COLUMNS,
    TOKEN,
    Column,
    compile_columns,
    parse_column,
)
from ..native.elements import ACTION, ELEMENTS, GAP, LABEL, MARK, N_MARKS, NUMBER
from ..native.load import COMPILED
from ..native.load import rows as native_rows
from ..native.load import state as native_state
from ..native.state import NO_RANK
from ..native.templates import TEMPLATE_COLUMNS
from ..transition import State, TransitionSystem

MISSING = -1
Syntax = native_state.Syntax


class StateReader:
    """Writes rows of states.

    columns (Sequence[Column]): The columns.
    codes (Sequence[int]): What stands for each action in columns of action codes.
    """

    def __init__(self, columns: Sequence[Column], codes: Sequence[int] = ()) -> None:
        self.columns, self.codes = tuple(columns), list(codes)
        program = compile_columns(self.columns)
        self._n_work = 4 * program[0]
        self._program: Any = numpy.array(program, dtype="int64") if COMPILED else program

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StateReader):
            return NotImplemented
        return (self.columns, self.codes) == (other.columns, other.codes)

    def __hash__(self) -> int:
        return hash((self.columns, tuple(self.codes)))

    def buffers(self) -> tuple[Any, numpy.ndarray, list[int], numpy.ndarray]:
        """RETURNS (Tuple[ndarray, ndarray, List[int], ndarray]): The first arguments of `fill_row`, and a buffer for a row."""
        work = numpy.empty(self._n_work, dtype="int64")
        return self._program, work, self.codes, numpy.empty(len(self.columns), dtype="int64")

    def __call__(self, states: Sequence[State], syntaxes: Sequence[Syntax]) -> numpy.ndarray:
        """Write the rows of several states.

        states (Sequence[State]): States that are not done.
        syntaxes (Sequence[Syntax]): The dependency tree of the sentence of each.
        RETURNS (ndarray[int64]): (n, n_columns).
        """
        shape = len(states), len(self.columns)
        if COMPILED:
            rows, work = numpy.empty(shape, dtype="int64"), numpy.empty(self._n_work, dtype="int64")
            native_rows.fill_rows(
                self._program, work, self.codes, list(states), list(syntaxes), rows
            )
            return rows
        lists = [[0] * shape[1] for _ in states]
        native_rows.fill_rows(
            self._program, [0] * self._n_work, self.codes, states, syntaxes, lists
        )
        return numpy.array(lists, dtype="int64").reshape(shape)


@dataclass(frozen=True)
class Columns:
    """The columns of a kind of row, by their names: those of new models are saved with them.

    make (Callable[[TransitionSystem, int, Sequence[str]], Schema]): Makes a schema of a system, the number of dependency labels
        and names.
    new (Tuple[str, ...]): What new models read.
    first (Tuple[str, ...]): What models of spacy-ucca 0.2 read, whose files do not say it.
    """

    make: Callable[[TransitionSystem, int, Sequence[str]], "Schema"]
    new: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    def schema(
        self, system: TransitionSystem, n_deps: int, names: Sequence[str] | None = None
    ) -> "Schema":
        """Make the schema.

        system (TransitionSystem): The system.
        n_deps (int): The number of dependency labels, 0 included.
        names (Optional[Sequence[str]]): The columns; None for those of new models.
        RETURNS (Schema): The columns with the number of their values.
        RAISES (VersionError): If there is no column of a name.
        """
        return self.make(system, n_deps, self.new if names is None else names)


@dataclass(frozen=True)
class Schema:
    """Names of the columns of a kind of row, and the number of values of each category. Of rows of states, `read`
    writes them. `kinds` are those of category columns whose embeddings are shared."""

    tokens: tuple[str, ...]
    categories: tuple[tuple[str, int], ...]
    bits: tuple[str, ...]
    read: Any = None
    kinds: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """RETURNS (Tuple[Tuple[str, ...], ...]): The names of the tokens, of the categories and of the bit sets."""
        return self.tokens, tuple(name for name, _ in self.categories), self.bits

    def split(self, columns: numpy.ndarray) -> Rows:
        """Take rows of all columns apart, categories shifted by their offsets.

        columns (ndarray[int64]): (n, n_columns): tokens, categories and bit sets, as `read` gives them.
        RETURNS (Rows): The same rows.
        """
        first, second = len(self.tokens), len(self.tokens) + len(self.categories)
        return Rows(
            columns[:, :first].astype("int32"),
            numpy.add(columns[:, first:second], self.offsets, dtype="int32", casting="unsafe"),
            numpy.ascontiguousarray(columns[:, second:]),
        )

    def values_in(self, larger: "Schema", actions: Mapping[int, int]) -> dict[int, int]:
        """Find the values of categories in the table of all categories of a schema with more labels.

        larger (Schema): The same columns, with more values.
        actions (Mapping[int, int]): The new number of each action.
        RETURNS (Dict[int, int]): The new row of each row of the table.
        """
        moved = {}
        for (name, size), start, end in zip(self.categories, self.offsets, larger.offsets):
            for value in range(size):
                is_action = value and name in HISTORY
                moved[int(start) + value] = int(end) + (
                    actions[value - 1] + 1 if is_action else value
                )
        return moved

    @property
    def n_columns(self) -> int:
        """RETURNS (int): The number of columns of all kinds."""
        return len(self.tokens) + len(self.categories) + len(self.bits)

    @cached_property
    def offsets(self) -> numpy.ndarray:
        """RETURNS (ndarray): (K,) where the values of each category column start in one table."""
        sizes = [size for _, size in self.categories]
        return numpy.cumsum([0, *sizes[:-1]], dtype="int32")

    @property
    def n_values(self) -> int:
        """RETURNS (int): The number of rows of the table of all categories."""
        return sum(size for _, size in self.categories)


def make_schema(
    columns: Sequence[Column], sizes: Mapping[str, int], codes: Sequence[int] = ()
) -> Schema:
    """Make the schema of rows of states.

    columns (Sequence[Column]): What is read of a state.
    sizes (Mapping[str, int]): The numbers of values that depend on the transition system.
    codes (Sequence[int]): What stands for each action in columns of action codes.
    RETURNS (Schema): The same columns: tokens first, then categories, then bit sets.
    """
    tokens, categories, bits = (
        [column for column in columns if PROPERTIES[column.what].kind == kind]
        for kind in (TOKEN, CATEGORY, BITS)
    )
    n_values = [PROPERTIES[column.what].n_values for column in categories]
    return Schema(
        tuple(map(str, tokens)),
        tuple(
            (str(c), sizes[n] if isinstance(n, str) else n) for c, n in zip(categories, n_values)
        ),
        tuple(map(str, bits)),
        StateReader([*tokens, *categories, *bits], codes),
    )


# Category columns with a value for each action, of any number of steps ago
HISTORY = {str(Column(f"a{i}", "action")) for i in range(10)}


def _state_schema(system: TransitionSystem, n_deps: int, names: Sequence[str]) -> Schema:
    sizes = {"labels": len(system.labels) + 1, "actions": system.n_actions + 1}
    columns = [parse_column(name) for name in names]
    return make_schema(columns, {**sizes, "relations": 2 + 2 * n_deps})


def _template_schema(system: TransitionSystem, n_deps: int, names: Sequence[str]) -> Schema:
    # For each action, a number that stays when labels are added
    codes = [move + 16 * label for move, label in zip(system.moves, system.action_labels)]
    return make_schema(TEMPLATE_COLUMNS, {}, codes)


# What networks see of a state
STATE = Columns(_state_schema, tuple(map(str, STATE_COLUMNS)), tuple(map(str, FIRST_COLUMNS)))
# What templates are made of. Categories have no number of values (0): they are hashed, so that nothing bounds them. Dependency
# labels are looked up in the tokens.
TEMPLATES = Columns(_template_schema)


class TokenPlaces:
    """Which tokens of a batch those of its sentences are.

    places (Sequence[ndarray]): For each sentence, where its tokens are in the batch.
    """

    def __init__(self, places: Sequence[numpy.ndarray]) -> None:
        # The place before each sentence is that of its missing tokens, which are -1.
        none = numpy.full(1, MISSING, dtype="int32")
        parts = [part for tokens in places for part in (none, tokens)]
        self.tokens = numpy.concatenate([none[:0], *parts]).astype("int32")
        self.starts = numpy.cumsum([1, *map(len, places)])[:-1] + numpy.arange(len(places))

    def of(self, tokens: numpy.ndarray, sentences: Sequence[int] | numpy.ndarray) -> numpy.ndarray:
        """Turn tokens counted from the start of their sentence into tokens of the batch.

        tokens (ndarray[int]): (n, T) token columns.
        sentences (Sequence[int]): (n,) the sentence of each row.
        RETURNS (ndarray[int32]): (n, T); missing tokens stay -1.
        """
        return self.tokens[tokens + self.starts[sentences][:, None]]

    def stack(self, rows: Sequence[Rows]) -> Rows:
        """Put the rows of all sentences together.

        rows (Sequence[Rows]): The rows of each sentence, tokens counted from its start.
        RETURNS (Rows): All of them, tokens counted in the batch.
        """
        tokens, categories, bits = map(numpy.concatenate, zip(*rows))
        sentences = numpy.repeat(numpy.arange(len(rows)), [len(part.tokens) for part in rows])
        return Rows(self.of(tokens, sentences), categories, bits)


class BatchRows:
    """The rows of the states of a batch, tokens numbered as in the batch.

    schema (Schema): Their columns.
    sentences (Sequence[Sentence]): The sentences.
    """

    def __init__(self, schema: Schema, sentences: Sequence[Any]) -> None:
        self.schema = schema
        self.syntaxes = [sentence.syntax for sentence in sentences]
        self.places = TokenPlaces([sentence.places for sentence in sentences])

    def of(self, states: Sequence[State], active: Sequence[int]) -> Rows:
        """Make the rows of some sentences.

        states (Sequence[State]): Their states, which are not done.
        active (Sequence[int]): Which sentences they are.
        RETURNS (Rows): One row for each.
        """
        columns = self.schema.read(states, [self.syntaxes[i] for i in active])
        rows = self.schema.split(columns)
        return rows._replace(tokens=self.places.of(rows.tokens, active))


MAX_NUMBER = 31  # larger numbers count as this one
# The smallest code of each kind. Of labels: no node, then the ranks of edges to head children.
_LEAST = {LABEL: -2 - NO_RANK, GAP: -1, ACTION: -1, NUMBER: 0}


class ElementReader(StateReader):
    """Writes rows of elements: codes of states as numbers from 0, then room for `p` and `q`, which the scorer looks up.

    reader (StateReader): Writes what templates are made of.
    kinds (Sequence[str]): The kind of each of its category columns.
    sizes (Mapping[str, int]): The number of values of each kind.
    """

    def __init__(self, reader: StateReader, kinds: Sequence[str], sizes: dict[str, int]) -> None:
        super().__init__(reader.columns, reader.codes)
        n_tokens = len(reader.columns) - len(kinds)
        self._least = numpy.array([0] * n_tokens + [_LEAST[kind] for kind in kinds])
        self._n_tokens = n_tokens
        self._most = numpy.array([sizes[kind] - 1 for kind in kinds])

    def __call__(
        self, states: Sequence[State], syntaxes: Sequence[native_state.Syntax]
    ) -> numpy.ndarray:
        rows = super().__call__(states, syntaxes)
        rows -= self._least
        values = rows[:, self._n_tokens :]
        numpy.clip(values, 0, self._most, out=values)
        return numpy.pad(rows, ((0, 0), (0, 2)))


def _element_schema(system: TransitionSystem, n_deps: int, names: Sequence[str]) -> Schema:
    of_column = {element.column: element.kind for element in ELEMENTS}
    sizes = {
        LABEL: len(system.labels) + 1 - _LEAST[LABEL],
        **{GAP: 4, MARK: N_MARKS + 1, NUMBER: MAX_NUMBER + 1},
        ACTION: system.n_actions + 1,
    }
    schema = make_schema(TEMPLATE_COLUMNS, {}, list(range(system.n_actions)))
    kinds = [of_column[column] for column in schema.read.columns[len(schema.tokens) :]]
    names = [name for name, _ in schema.categories]
    categories = [*zip(names, kinds), ("separator", MARK), ("separators", NUMBER)]
    return replace(
        schema,
        categories=tuple((name, sizes[kind]) for name, kind in categories),
        kinds=tuple(kind for _, kind in categories),
        read=ElementReader(schema.read, kinds, sizes),
    )


# What the networks of the TUPA paper see of a state; the token encoder has the dependency labels.
ELEMENTS_OF_STATE = Columns(_element_schema)
