"""Rows of states for the networks of the TUPA paper: the elements of Figure 1, as numbers of embeddings."""

from collections.abc import Sequence

import numpy

from ..native.elements import ACTION, ELEMENTS, GAP, LABEL, MARK, N_MARKS, NUMBER
from ..native.load import state as native_state
from ..native.state import NO_RANK
from ..native.templates import TEMPLATE_COLUMNS
from ..transition import State, TransitionSystem
from .state_rows import Columns, Schema, StateReader, make_schema

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
    assert schema.read is not None
    kinds = [of_column[column] for column in schema.read.columns[len(schema.tokens) :]]
    names = [name for name, _ in schema.categories]
    categories = [*zip(names, kinds), ("separator", MARK), ("separators", NUMBER)]
    return schema._replace(
        categories=tuple((name, sizes[kind]) for name, kind in categories),
        kinds=tuple(kind for _, kind in categories),
        read=ElementReader(schema.read, kinds, sizes),
    )


# What the networks of the TUPA paper see of a state; the token encoder has the dependency labels.
ELEMENTS_OF_STATE = Columns(_element_schema)
