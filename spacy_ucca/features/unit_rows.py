"""What the model sees of a finished tree: rows for its units and for pairs of its units.

The `tree` transition system builds primary edges only; from these rows the model then finds implicit
units and remote edges.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy
from numpy import ndarray

from ..errors import Errors, VersionError
from ..layers.rows import Part, Rows, join_parts
from ..native.columns import BITS_MASK, LABEL_BITS, N_BUCKETS
from ..native.load import rows as native_rows
from ..native.load import tree_walk
from ..transition import State, TransitionSystem
from .state_rows import Columns, Schema, Syntax

MAX_PATH = 5
# How far apart, in tokens, a unit and a remote child may be: what keeps long sentences linear.
MAX_REMOTE_DISTANCE = 30
# Pairs per token: far more than gold trees have; the nearest are kept. A model that has learned little
# may make long chains of units, whose pairs would fill the memory.
MAX_PAIRS = 400
MAX_CANDIDATES = 2_000_000  # pairs looked at together


# of categories; "labels", "deps" and "relations" depend on the labels
Sizes = Mapping[str, int | str]

_UNIT_TOKENS = ("head", "first", "last", "parent head")
_UNIT_CATEGORIES: Sizes = {
    **{"label": "labels", "parent label": "labels", "head dep": "deps"},
    **{"children": N_BUCKETS, "depth": N_BUCKETS, "length": N_BUCKETS},
}
_UNIT_BITS = ("child labels", "parent child labels")
_PAIR_TOKENS = ("unit head", "unit first", "child head", "child first", "child last")
_PAIR_CATEGORIES: Sizes = {
    **{"unit label": "labels", "unit parent label": "labels"},
    **{"child label": "labels", "child parent label": "labels"},
    **{"path": (MAX_PATH + 1) ** 2, "distance": 2 * N_BUCKETS + 1, "relation": "relations"},
    **{"unit dep": "deps", "child dep": "deps", "child parent-unit relation": "relations"},
    **{"label taken": 2, "child children": N_BUCKETS, "child rank": N_BUCKETS},
}
_PAIR_BITS = ("unit child labels", "child child labels")
# Columns of the pair itself; others are of the unit or of the child, as their names begin.
_OF_PAIRS = {"path", "distance", "relation", "child parent-unit relation", "label taken"}


def _make_schema(
    tokens: Sequence[str],
    categories: Sizes,
    bits: Sequence[str],
    system: TransitionSystem,
    n_deps: int,
    names: Sequence[str],
) -> Schema:
    for name in names:
        if name not in (*tokens, *categories, *bits):
            raise VersionError(Errors.UC355.format(column=name))
    sizes = {"labels": len(system.labels) + 1, "deps": n_deps, "relations": 2 + 2 * n_deps}
    own = [(name, categories[name]) for name in names if name in categories]
    return Schema(
        tuple(name for name in names if name in tokens),
        tuple((name, sizes[n] if isinstance(n, str) else n) for name, n in own),
        tuple(name for name in names if name in bits),
    )


def _columns(tokens: Sequence[str], categories: Sizes, bits: Sequence[str]) -> Columns:
    names = (*tokens, *categories, *bits)
    return Columns(partial(_make_schema, tokens, categories, bits), names, names)


# The columns of `unit_rows` and of `pair_rows`. A new one stays out of `first`.
UNITS = _columns(_UNIT_TOKENS, _UNIT_CATEGORIES, _UNIT_BITS)
PAIRS = _columns(_PAIR_TOKENS, _PAIR_CATEGORIES, _PAIR_BITS)


class PairPart(NamedTuple):
    """The columns of pairs that are of the unit, of the child or of the pair itself.

    places (Tuple[Tuple[int, ...], ...]): The places of its tokens, of its categories and of its bit sets.
    names (Tuple[Tuple[str, ...], ...]): Their names.
    offsets (ndarray): Where the values of its categories start.
    """

    places: tuple[tuple[int, ...], ...]
    names: tuple[tuple[str, ...], ...]
    offsets: ndarray


@lru_cache
def pair_parts(schema: Schema) -> list[PairPart]:
    """RETURNS (List[PairPart]): The columns of the unit, of the child and of the pair, of a schema of `PAIRS`."""
    parts = []
    for part in ("unit", "child", "pair"):
        places = tuple(
            tuple(i for i, name in enumerate(names) if _part_of(name) == part)
            for names in schema.names
        )
        names = tuple(tuple(own[i] for i in where) for own, where in zip(schema.names, places))
        parts.append(PairPart(places, names, schema.offsets[[*places[1]]]))
    return parts


def _part_of(name: str) -> str:
    return "pair" if name in _OF_PAIRS else name.partition(" ")[0]


class UnitTable:
    """Finished trees as arrays over their units and pairs of units: of one sentence, or of a batch, whose units and tokens are
    numbered through.

    states (Sequence[State]): States that are done.
    syntaxes (Sequence[Syntax]): The dependency tree of each sentence.
    """

    def __init__(self, states: Sequence[State], syntaxes: Sequence[Syntax]) -> None:
        self.states, self.syntaxes = states, syntaxes
        self.nodes: list[int] = []  # depth first; the root of each sentence is its first
        starts, self.offsets = [0], [0]
        room = sum(len(state.label) for state in states)
        columns = numpy.empty((tree_walk.N_UNIT_COLUMNS, room), dtype="int32")
        self.child_bits = numpy.empty(room, dtype="int64")
        heads: list[int] = []
        deps: list[int] = []
        for state, syntax in zip(states, syntaxes):
            offset = self.offsets[-1]
            tree_walk.list_units(state, starts[-1], offset, self.nodes, columns, self.child_bits)
            starts.append(len(self.nodes))
            heads += (
                [head + offset if head >= 0 else -1 for head in syntax.heads]
                if offset
                else syntax.heads
            )
            deps += syntax.deps
            self.offsets.append(offset + state.n_tokens)
        self.starts = numpy.array(starts, dtype="int32")
        self.sentence = numpy.repeat(
            numpy.arange(len(states), dtype="int32"), numpy.diff(self.starts)
        )
        columns, self.child_bits = columns[:, : starts[-1]], self.child_bits[: starts[-1]]
        self.parent, self.depth, self.rank, self.head, self.first, self.last = columns[:6]
        # `end` is the last unit below each, `when` the step that attached it
        self.label, self.height, self.n_children, self.end, self.when = columns[6:]
        self.token_heads = numpy.array([*heads, -2], dtype="int32")
        self.token_deps = numpy.array([*deps, 0], dtype="int32")
        self.dep = self.token_deps[self.head]

    @property
    def state(self) -> State:
        """RETURNS (State): That of the only sentence."""
        return self.states[0]

    @property
    def syntax(self) -> Syntax:
        """RETURNS (Syntax): That of the only sentence."""
        return self.syntaxes[0]

    @cached_property
    def index(self) -> dict[int, int]:
        """RETURNS (Dict[int, int]): The unit of each node of the only sentence."""
        return {node: i for i, node in enumerate(self.nodes)}

    def unit_rows(self, schema: Schema) -> tuple[Rows, ndarray]:
        """Rows of the units that may have implicit children.

        schema (Schema): Of `UNITS`.
        RETURNS (Tuple[Rows, ndarray]): The rows, and the index of the unit of each.
        """
        units = numpy.nonzero((self.n_children > 0) & (self.depth > 0))[0].astype("int32")
        parents = self.parent[units]
        values = {
            "head": self.head[units],
            "first": self.first[units],
            "last": self.last[units],
            "parent head": self.head[parents],
            "label": self.label[units],
            "parent label": self.label[parents],
            "head dep": self.dep[units],
            "children": _bucketed(self.n_children[units]),
            "depth": _bucketed(self.depth[units]),
            "length": _bucketed(self.last[units] - self.first[units]),
            "child labels": self.child_bits[units],
            "parent child labels": self.child_bits[parents],
        }
        return _rows(schema.offsets, len(units), schema.names, values), units

    def pairs(self, child_labels: ndarray, siblings: int = BITS_MASK) -> tuple[ndarray, ndarray]:
        """Pairs of units that a remote edge may connect without a cycle or a second edge.

        child_labels (ndarray[bool]): By label: whether units with it are ever remote children.
        siblings (int): Labels of which a parent has a child, as bits; children with labels that have none count.
        RETURNS (Tuple[ndarray, ndarray]): Indices of parents and of children, in order.
        """
        return self.pairs_with(child_labels[self.label], siblings)

    def pairs_with(self, is_child: ndarray, siblings: int = BITS_MASK) -> tuple[ndarray, ndarray]:
        """The same, given which units may be remote children.

        is_child (ndarray[bool]): (n_units,).
        siblings (int): As in `pairs`.
        RETURNS (Tuple[ndarray, ndarray]): Indices of parents and of children, in order.
        """
        is_parent = (self.n_children > 0) & (self.depth > 0)
        if siblings != BITS_MASK:
            is_parent &= self.child_bits & siblings != 0
        parents = numpy.nonzero(is_parent)[0]
        children = numpy.nonzero(is_child & (self.depth > 0))[0]
        if not len(parents) or not len(children):
            return parents[:0], children[:0]
        # Children in the order of their heads, so that those near a parent are neighbours.
        children = children[numpy.argsort(self.head[children], kind="stable")]
        heads = self.head[children]
        offsets = numpy.array(self.offsets, dtype="int32")
        which = self.sentence[parents]
        lowest = numpy.maximum(self.head[parents] - MAX_REMOTE_DISTANCE, offsets[which])
        highest = numpy.minimum(self.head[parents] + MAX_REMOTE_DISTANCE, offsets[which + 1] - 1)
        begin = numpy.searchsorted(heads, lowest, side="left")
        counts = numpy.searchsorted(heads, highest, side="right") - begin
        blocks = []
        before = numpy.cumsum(counts)
        start = 0
        while start < len(parents):  # in slices: what bounds memory
            done = before[start - 1] if start else 0
            stop = max(int(numpy.searchsorted(before, done + MAX_CANDIDATES)), start + 1)
            blocks.append(self._allowed(parents, children, begin, counts, start, stop))
            start = stop
        pairs = numpy.concatenate(blocks, axis=1)
        pairs = pairs[:, numpy.argsort(pairs[0].astype("int64") * len(self.nodes) + pairs[1])]
        return self._nearest(*pairs)

    def _allowed(
        self,
        parents: ndarray,
        children: ndarray,
        begin: ndarray,
        counts: ndarray,
        start: int,
        stop: int,
    ) -> ndarray:
        """RETURNS (ndarray): (2, n): the pairs of some parents with their neighbours, left out what
        would be a cycle or a second edge."""
        n = counts[start:stop]
        ends = numpy.cumsum(n)
        shifts = numpy.repeat(begin[start:stop] - (ends - n), n)
        p = numpy.repeat(parents[start:stop], n).astype("int32")
        c = children[numpy.arange(len(p)) + shifts].astype("int32")
        allowed = (c > p) | (self.end[c] < p)  # not above the parent
        allowed &= self.parent[c] != p
        return numpy.stack([p[allowed], c[allowed]])

    def _nearest(self, parents: ndarray, children: ndarray) -> tuple[ndarray, ndarray]:
        """Leave out the pairs furthest apart where a sentence has too many."""
        lengths = numpy.diff(self.offsets)
        counts = numpy.bincount(self.sentence[parents], minlength=len(lengths))
        if (counts <= MAX_PAIRS * lengths).all():
            return parents, children
        gaps = numpy.abs(self.head[parents] - self.head[children])
        nearest = []
        for i, (end, count) in enumerate(zip(numpy.cumsum(counts), counts)):
            order = numpy.argsort(gaps[end - count : end], kind="stable")
            nearest.append(end - count + numpy.sort(order[: MAX_PAIRS * lengths[i]]))
        take = numpy.concatenate(nearest)
        return parents[take], children[take]

    def pair_rows(self, schema: Schema, parents: ndarray, children: ndarray) -> Rows:
        """Rows of the pairs that `pairs` gave.

        schema (Schema): Of `PAIRS`.
        parents (ndarray): (n,) indices of units.
        children (ndarray): (n,) indices of units.
        RETURNS (Rows): A row for each pair.
        """
        return join_parts(self.pair_parts(schema, parents, children))

    def pair_parts(self, schema: Schema, parents: ndarray, children: ndarray) -> list[Part]:
        """Rows of the pairs that `pairs` gave, columns of the units and the children apart.

        schema (Schema): Of `PAIRS`.
        parents (ndarray): (n,) indices of units.
        children (ndarray): (n,) indices of units.
        RETURNS (List[Part]): The rows of units, of children and of pairs.
        """
        up, p = _numbered(parents, len(self.nodes))
        down, c = _numbered(children, len(self.nodes))
        of_units = {
            "unit head": self.head[up],
            "unit first": self.first[up],
            "unit label": self.label[up],
            "unit parent label": self.label[self.parent[up]],
            "unit dep": self.dep[up],
            "unit child labels": self.child_bits[up],
        }
        of_children = {
            "child head": self.head[down],
            "child first": self.first[down],
            "child last": self.last[down],
            "child label": self.label[down],
            "child parent label": self.label[self.parent[down]],
            "child dep": self.dep[down],
            "child children": _bucketed(self.n_children[down]),
            "child rank": _bucketed(self.rank[down]),
            "child child labels": self.child_bits[down],
        }
        common = self._common_depth(parents, children)
        path = numpy.minimum(self.depth[parents] - common, MAX_PATH) * (MAX_PATH + 1)
        path += numpy.minimum(self.depth[children] - common, MAX_PATH)
        gap = self.head[children] - self.head[parents]
        distance = numpy.where(gap < 0, N_BUCKETS + 1 + _bucketed(-gap), _bucketed(gap))
        bit = numpy.maximum(self.label[children].astype("int64") - 1, 0)
        taken = (self.child_bits[parents] >> numpy.minimum(bit, LABEL_BITS)) & 1
        cp = self.parent[children]
        tree, deps = self.token_heads, self.token_deps
        of_pairs = {
            "path": path,
            "distance": distance,
            "relation": relations(tree, deps, self.head[parents], self.head[children]),
            "child parent-unit relation": relations(tree, deps, self.head[parents], self.head[cp]),
            "label taken": taken,
        }
        shared = (
            (len(up), of_units, p),
            (len(down), of_children, c),
            (len(parents), of_pairs, None),
        )
        parts = []
        for own, (n, values, take) in zip(pair_parts(schema), shared):
            tokens, categories, bits = own.places
            rows = _rows(own.offsets, n, own.names, values)
            parts.append(Part(tokens, categories, bits, rows, take))
        return parts

    def _common_depth(self, i: ndarray, j: ndarray) -> ndarray:
        """The depth of the lowest unit above two units, neither of them: one less than the smallest
        depth from after the one that comes first to the other, by a table of minima."""
        low, high = numpy.minimum(i, j) + 1, numpy.maximum(i, j)
        levels = [self.depth]
        longest = int((high - low).max(initial=0)) + 1
        while 2 << (len(levels) - 1) <= longest:
            last, step = levels[-1], 1 << (len(levels) - 1)
            level = last.copy()
            numpy.minimum(last[:-step], last[step:], out=level[:-step])
            levels.append(level)
        table = numpy.stack(levels)
        lengths = numpy.arange(longest + 1)
        logs = numpy.frexp(lengths)[1] - 1  # the power of two that fits
        level_of = logs[high - low + 1]
        ends = high + 1 - (1 << level_of)
        return numpy.minimum(table[level_of, low], table[level_of, ends]) - 1


def _numbered(units: ndarray, n: int) -> tuple[ndarray, ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): Each unit once, and the place of each of all in that."""
    flags = numpy.zeros(n, dtype="bool")
    flags[units] = True
    return numpy.nonzero(flags)[0], (numpy.cumsum(flags) - 1)[units]


def _bucketed(values: ndarray) -> ndarray:
    """`_bucket` over an array."""
    table = numpy.array(native_rows.BUCKETS, dtype="int32")
    return table[numpy.clip(values, 0, len(native_rows.BUCKETS) - 1)]


def _rows(
    offsets: ndarray, n: int, names: Sequence[Sequence[str]], values: Mapping[str, ndarray]
) -> Rows:
    """RETURNS (Rows): Columns of three kinds, by their names, side by side; categories shifted."""
    parts = []
    for own, dtype in zip(names, ("int32", "int32", "int64")):
        part = numpy.empty((n, len(own)), dtype=dtype)
        for k, name in enumerate(own):
            part[:, k] = values[name]
        parts.append(part)
    parts[1] += offsets
    return Rows(*parts)


def relations(heads: ndarray, deps: ndarray, i: ndarray, j: ndarray) -> ndarray:
    """Compute `Syntax.relation` of pairs of tokens.

    heads (ndarray[int]): (n_tokens + 1,) the head of each token; below zero if unknown. A root is its own head, or has
        none. The last one is that of no token.
    deps (ndarray[int]): (n_tokens + 1,) the number of its dependency label.
    i (ndarray[int]): (n,) tokens, -1 for none.
    j (ndarray[int]): (n,) tokens, -1 for none.
    RETURNS (ndarray[int]): (n,) 0 if they are not related, 1 for the same token or the same head, 2 + 2 * label if the
        second is the head of the first, 3 + 2 * label if the first is that of the second.
    """
    above_i, above_j = heads[i], heads[j]
    related = ((above_i == above_j) & (above_i >= 0)).astype(deps.dtype)
    related = numpy.where(above_j == i, 3 + 2 * deps[j], related)
    related = numpy.where(above_i == j, 2 + 2 * deps[i], related)
    related[i == j] = 1
    related[(i < 0) | (j < 0)] = 0
    return related
