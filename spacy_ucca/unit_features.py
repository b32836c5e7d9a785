"""What the model sees of a finished tree: rows for its units and for pairs of its units.

The `tree` transition system builds primary edges only; from these rows the model then finds implicit
units and remote edges. The shape of rows and `Syntax` are `features.py`'s.
"""

from collections.abc import Sequence

import numpy

from .features import LABEL_BITS, N_BUCKETS, Rows, Schema, Syntax
from .loop import stepping
from .transition import ROOT, State, TransitionSystem

MAX_PATH = 5
# How far apart, in tokens, a unit and a remote child may be: what keeps long sentences linear.
MAX_REMOTE_DISTANCE = 60
# Pairs per token: far more than gold trees have; the nearest are kept. A model that has learned little
# may make long chains of units, whose pairs would fill the memory.
MAX_PAIRS = 400


def unit_schema(system: TransitionSystem, n_deps: int) -> Schema:
    """RETURNS (Schema): The columns of `unit_rows`."""
    labels = len(system.labels) + 1
    return Schema(
        tokens=("head", "first", "last", "parent head"),
        categories=(
            *(("label", labels), ("parent label", labels), ("head dep", n_deps)),
            *(("children", N_BUCKETS), ("depth", N_BUCKETS), ("length", N_BUCKETS)),
        ),
        bits=("child labels", "parent child labels"),
    )


def pair_schema(system: TransitionSystem, n_deps: int) -> Schema:
    """RETURNS (Schema): The columns of `pair_rows`."""
    labels = len(system.labels) + 1
    return Schema(
        tokens=("unit head", "unit first", "child head", "child first", "child last"),
        categories=(
            *(("unit label", labels), ("unit parent label", labels)),
            *(("child label", labels), ("child parent label", labels)),
            ("path", (MAX_PATH + 1) ** 2),
            ("distance", 2 * N_BUCKETS + 1),
            ("relation", 2 + 2 * n_deps),
            ("unit dep", n_deps),
            ("child dep", n_deps),
            ("child parent-unit relation", 2 + 2 * n_deps),
            ("label taken", 2),
            ("child children", N_BUCKETS),
            ("child rank", N_BUCKETS),
        ),
        bits=("unit child labels", "child child labels"),
    )


class Units:
    """The finished tree of a sentence as arrays over its non-root units and their pairs.

    system (TransitionSystem): The system that built the tree.
    state (State): A state that is done.
    syntax (Syntax): The dependency tree of the sentence.
    """

    def __init__(self, system: TransitionSystem, state: State, syntax: Syntax) -> None:
        self.state = state
        self.syntax = syntax
        nodes, depth, stack = [], {ROOT: 0}, [ROOT]
        while stack:
            node = stack.pop()
            nodes.append(node)
            for child in reversed(state.children[node]):
                depth[child] = depth[node] + 1
                stack.append(child)
        self.nodes = nodes  # depth first; the root is the first
        self.index = {node: i for i, node in enumerate(nodes)}
        take = numpy.array(nodes, dtype="int32")

        def column(values: Sequence[int]) -> numpy.ndarray:
            return numpy.array(values, dtype="int32")[take]

        self.head = column(state.head)
        self.first = column(
            [first if last >= 0 else -1 for first, last in zip(state.first, state.last)]
        )
        self.last = column(state.last)
        self.label = column(state.label)
        self.height = column(state.height)
        self.depth = numpy.array([depth[n] for n in nodes], dtype="int32")
        self.parent = numpy.array(
            [self.index.get(state.parent[n], 0) for n in nodes], dtype="int32"
        )
        self.n_children = numpy.array([len(state.children[n]) for n in nodes], dtype="int32")
        mask = (1 << LABEL_BITS) - 1
        self.child_bits = numpy.array(
            [(state.child_labels[n] >> 1) & mask for n in nodes], dtype="int64"
        )
        deps = numpy.array([*syntax.deps, 0], dtype="int32")
        self.dep = deps[self.head]
        n = len(nodes)
        self.above = numpy.eye(n, dtype="bool")  # above[i, j]: j is i or above it
        for i in range(1, n):  # parents come before children
            self.above[i] |= self.above[self.parent[i]]

    def unit_rows(self, schema: Schema) -> tuple[Rows, numpy.ndarray]:
        """Rows of the units that may have implicit children.

        schema (Schema): From `unit_schema`.
        RETURNS (Tuple[Rows, ndarray]): The rows, and the index of the unit of each.
        """
        units = numpy.nonzero((self.n_children > 0) & (self.depth > 0))[0].astype("int32")
        parents = self.parent[units]
        tokens = [self.head[units], self.first[units], self.last[units], self.head[parents]]
        categories = [
            self.label[units],
            self.label[parents],
            self.dep[units],
            _bucketed(self.n_children[units]),
            _bucketed(self.depth[units]),
            _bucketed(self.last[units] - self.first[units]),
        ]
        bits = [self.child_bits[units], self.child_bits[parents]]
        return _rows(schema, tokens, categories, bits), units

    def pairs(self, child_labels: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Pairs of units that a remote edge may connect without a cycle or a second edge.

        child_labels (ndarray[bool]): By label: whether units with it are ever remote children.
        RETURNS (Tuple[ndarray, ndarray]): Indices of parents and of children, in order.
        """
        parents = numpy.nonzero((self.n_children > 0) & (self.depth > 0))[0]
        children = numpy.nonzero(child_labels[self.label] & (self.depth > 0))[0]
        if not len(parents) or not len(children):
            return parents[:0], children[:0]
        near = (
            numpy.abs(self.head[parents][:, None] - self.head[children][None, :])
            <= MAX_REMOTE_DISTANCE
        )
        allowed = near & ~self.above[numpy.ix_(parents, children)]
        allowed &= self.parent[children][None, :] != parents[:, None]
        rows, columns = numpy.nonzero(allowed)
        limit = MAX_PAIRS * self.state.n_tokens
        if len(rows) > limit:
            gaps = numpy.abs(self.head[parents[rows]] - self.head[children[columns]])
            nearest = numpy.sort(numpy.argsort(gaps, kind="stable")[:limit])
            rows, columns = rows[nearest], columns[nearest]
        return parents[rows], children[columns]

    def pair_rows(self, schema: Schema, parents: numpy.ndarray, children: numpy.ndarray) -> Rows:
        """Rows of the pairs that `pairs` gave.

        schema (Schema): From `pair_schema`.
        parents (ndarray): (n,) indices of units.
        children (ndarray): (n,) indices of units.
        RETURNS (Rows): A row for each pair.
        """
        up, cp = self.parent[parents], self.parent[children]
        above = self.above.astype("float32")
        common = (above @ above.T)[parents, children].astype("int32") - 1  # depth of the lowest
        path = numpy.minimum(self.depth[parents] - common, MAX_PATH) * (MAX_PATH + 1)
        path += numpy.minimum(self.depth[children] - common, MAX_PATH)
        gap = self.head[children] - self.head[parents]
        distance = numpy.where(gap < 0, N_BUCKETS + 1 + _bucketed(-gap), _bucketed(gap))
        bit = numpy.maximum(self.label[children].astype("int64") - 1, 0)
        taken = (self.child_bits[parents] >> numpy.minimum(bit, LABEL_BITS)) & 1
        rank = numpy.zeros(len(self.nodes), dtype="int32")
        seen: dict[int, int] = {}
        for i in range(1, len(self.nodes)):  # how many siblings come before
            rank[i] = seen.get(self.parent[i], 0)
            seen[self.parent[i]] = rank[i] + 1
        tokens = [
            *(self.head[parents], self.first[parents]),
            *(self.head[children], self.first[children], self.last[children]),
        ]
        categories = [
            self.label[parents],
            self.label[up],
            self.label[children],
            self.label[cp],
            path,
            distance,
            self._relations(self.head[parents], self.head[children]),
            self.dep[parents],
            self.dep[children],
            self._relations(self.head[parents], self.head[cp]),
            taken,
            _bucketed(self.n_children[children]),
            _bucketed(rank[children]),
        ]
        bits = [self.child_bits[parents], self.child_bits[children]]
        return _rows(schema, tokens, categories, bits)

    def _relations(self, i: numpy.ndarray, j: numpy.ndarray) -> numpy.ndarray:
        """`Syntax.relation` over arrays."""
        heads = numpy.array([*self.syntax.heads, -2], dtype="int32")
        deps = numpy.array([*self.syntax.deps, 0], dtype="int32")
        related = numpy.where((heads[i] == heads[j]) & (heads[i] >= 0), 1, 0)
        related = numpy.where(heads[j] == i, 3 + 2 * deps[j], related)
        related = numpy.where(heads[i] == j, 2 + 2 * deps[i], related)
        related = numpy.where(i == j, 1, related)
        return numpy.where((i < 0) | (j < 0), 0, related)


def _bucketed(values: numpy.ndarray) -> numpy.ndarray:
    """`_bucket` over an array."""
    table = numpy.array(stepping.BUCKETS, dtype="int32")
    return table[numpy.clip(values, 0, len(stepping.BUCKETS) - 1)]


def _rows(
    schema: Schema,
    tokens: list[numpy.ndarray],
    categories: list[numpy.ndarray],
    bits: list[numpy.ndarray],
) -> Rows:
    return Rows(
        numpy.ascontiguousarray(numpy.stack(tokens, axis=1), dtype="int32"),
        numpy.stack(categories, axis=1).astype("int32") + schema.offsets,
        numpy.ascontiguousarray(numpy.stack(bits, axis=1), dtype="int64"),
    )
