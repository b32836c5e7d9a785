"""Find the edges of two graphs over the same tokens that the official metric counts as errors.

The metric normalizes copies of both graphs and then counts items: sets of tokens with categories. Here each item
is traced back to the edges of the graphs as they were before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..graph import Graph
from ..graph.categories import LINKAGE, PUNCTUATION, TERMINAL
from .counts import IMPLICIT, PRIMARY, REMOTE, Counts, Renames
from .mutable import MutableEdge, MutableGraph
from .score import ComparedItem, ComparedPart, compared_items, compared_parts, score_pair

MATCH = "match"  # both graphs have such an edge, with a category in common
LABEL = "label"  # both have an edge over these tokens, with other categories
ONLY = "only"  # the other graph has no edge over these tokens
UNCOUNTED = "uncounted"  # punctuation, linkage, and edges removed by normalization

# Reasons of errors beside "remote" and "implicit". LABEL is one, too
# the other side has such a unit with more or fewer units, which both graphs have
ATTACHMENT = "attachment"
SPAN = "span"  # all other units over other tokens


class Difference(NamedTuple):
    """An error as the metric counts it: an item that is no match, in its place in the text.

    construction (str): "primary", "remote" or "implicit".
    tokens (Tuple[int, ...]): The tokens, without punctuation; of an implicit unit, those of its parent.
    predicted, gold (Tuple[str, ...]): The categories on either side; none where it has no such edge.
    reason (str): "label" if both sides have such an edge; else "remote", "implicit", "attachment" (the other side has the same unit
        with more or fewer units, which both graphs have) or "span".
    """

    construction: str
    tokens: tuple[int, ...]
    predicted: tuple[str, ...]
    gold: tuple[str, ...]
    reason: str


class Mark(NamedTuple):
    """What became of one edge.

    status (str): "match", "label", "only" or "uncounted".
    other (Tuple[str, ...]): The categories that the other graph has in its place, if any.
    """

    status: str
    other: tuple[str, ...] = ()


@dataclass
class MarkedGraph:
    """One of the two graphs, with the status of its edges by number.

    graph (Graph): The graph.
    marks (Dict[int, Mark]): For each edge between units what became of it.
    items (Dict[int, Difference]): For those that are errors, how the metric counts them.
    unseen (List[Difference]): Errors that no edge stands for, because normalization makes the unit: a Scene
        wrapped around what stands beside other Scenes.
    """

    graph: Graph
    marks: dict[int, Mark] = field(default_factory=dict)
    items: dict[int, Difference] = field(default_factory=dict)
    unseen: list[Difference] = field(default_factory=list)

    @property
    def right(self) -> dict[int, bool]:
        """RETURNS (Dict[int, bool]): Of the edges that the metric counts, by their numbers, which are right."""
        counted = ((i, mark.status) for i, mark in self.marks.items() if mark.status != UNCOUNTED)
        return {i: status == MATCH for i, status in counted}


@dataclass
class Comparison:
    """Two graphs side by side.

    predicted, gold (MarkedGraph): The graphs.
    counts (Counts): What the scorer counts.
    differences (List[Difference]): All errors, in text order.
    """

    predicted: MarkedGraph
    gold: MarkedGraph
    counts: Counts
    differences: list[Difference] = field(default_factory=list)


def compare(gold: Graph, predicted: Graph, *, mapping: Renames = None) -> Comparison:
    """Find out which edges of two graphs the metric counts as matches and which as errors.

    gold (Graph): The reference.
    predicted (Graph): The graph to judge, over the same tokens.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first, as in `score_pair`.
    RETURNS (Comparison): A mark for each edge, and all errors.
    RAISES (UccaError): If the graphs are over different tokens.
    """
    sides = MarkedGraph(predicted), MarkedGraph(gold)
    result = Comparison(*sides, score_pair(predicted, gold, mapping=mapping))
    for side in sides:
        edges = enumerate(side.graph.edge_tuples)
        side.marks.update((i, Mark(UNCOUNTED)) for i, e in edges if e.child >= 0)
    for part in compared_parts(predicted, gold, mapping=mapping):
        items = {(item.construction, item.mask): item for item in compared_items(part)}
        reason = _Reasons(items.values())
        wrong = {key: item for key, item in items.items() if not item.is_match}
        errors = {key: _difference(item, part, reason(item)) for key, item in wrong.items()}
        result.differences += errors.values()
        tracer = _Tracer(part.predicted, predicted, part.predicted_units, part.start, mapping)
        found = {key: (x.predicted, x.gold) for key, x in items.items()}
        _mark(result.predicted, tracer, found, errors)
        tracer = _Tracer(part.gold, gold, part.gold_units, part.start, mapping)
        wanted = {key: (x.gold, x.predicted) for key, x in items.items()}
        _mark(result.gold, tracer, wanted, errors)
    result.differences.sort(key=lambda d: (d.tokens[:1], -len(d.tokens), d.construction))
    return result


def _difference(item: ComparedItem, part: ComparedPart, reason: str) -> Difference:
    tokens = tuple(i + part.start for i in range(item.mask.bit_length()) if item.mask >> i & 1)
    return Difference(item.construction, tokens, item.predicted, item.gold, reason)


class _Reasons:
    """Finds why an item is no match, by the other items of its part."""

    def __init__(self, items: Iterable[ComparedItem]) -> None:
        primary = [item for item in items if item.construction == PRIMARY]
        self.shared = [x.mask for x in primary if x.predicted and x.gold]
        self.errors = [x for x in primary if not x.is_match]

    def __call__(self, item: ComparedItem) -> str:
        if item.predicted and item.gold:
            return LABEL
        if item.construction != PRIMARY:
            return item.construction
        categories = {*item.predicted, *item.gold}
        near = (
            x.mask
            for x in self.errors
            if x.mask & item.mask
            and not categories.isdisjoint(x.gold if item.predicted else x.predicted)
        )
        return ATTACHMENT if any(self._is_moved(item.mask ^ mask) for mask in near) else SPAN

    def _is_moved(self, mask: int) -> bool:
        """RETURNS (bool): Whether tokens are those of units that both sides have."""
        rest = mask
        for unit in self.shared:
            if unit and unit & ~mask == 0:
                rest &= ~unit
        return rest == 0


_Key = tuple[str, int]
_Categories = tuple[str, ...]


def _mark(
    side: MarkedGraph,
    tracer: "_Tracer",
    items: Mapping[_Key, tuple[_Categories, _Categories]],
    errors: Mapping[_Key, Difference],
) -> None:
    """Set the status of the edges of a graph.

    side (MarkedGraph): Where to put it.
    tracer (_Tracer): Finds the item of an edge.
    items (Mapping[_Key, Tuple[_Categories, _Categories]]): The categories of each item here and on the other side.
    errors (Mapping[_Key, Difference]): Those that are no match.
    """
    side_items = {key: categories for key, (categories, _) in items.items() if categories}
    shown = set()
    for edge, key in tracer.edges(side_items):
        other = items[key][1]
        status = MATCH if key not in errors else LABEL if other else ONLY
        side.marks[edge] = Mark(status, other)
        shown.add(key)
        if key in errors:
            side.items[edge] = errors[key]
    side.unseen += (errors[key] for key in side_items if key in errors and key not in shown)


class _Tracer:
    """Finds the item that an edge of a graph is counted as, on the normalized copy of that graph."""

    def __init__(
        self, net: MutableGraph, graph: Graph, units: Sequence[int], start: int, mapping: Renames
    ) -> None:
        self.net, self.graph = net, graph
        self.number = {unit: i for i, unit in enumerate(units)}
        self.start = start
        self.mapping = mapping or {}
        self.masks = net.masks()
        self._merged: dict[int, int] = {}

    def edges(self, items: Mapping[_Key, tuple[str, ...]]) -> Iterable[tuple[int, _Key]]:
        """YIELDS (Tuple[int, Tuple[str, int]]): Each counted edge, and its key among the items."""
        for i, (parent, child, tags, remote) in enumerate(self.graph.edge_tuples):
            if child < 0 or parent not in self.number or child not in self.number:
                continue
            if LINKAGE in (self.graph.kinds[parent], self.graph.kinds[child]):
                continue
            tags = tuple(self.mapping.get(tag, tag) for tag in tags)
            if PUNCTUATION in tags or TERMINAL in tags:
                continue
            for key in self._keys(self.number[parent], self.number[child], child, remote):
                # Normalization may have given the unit the category of one that is gone.
                if key in items and not set(tags).isdisjoint(items[key]):
                    yield i, key
                    break

    def _keys(self, parent: int, child: int, unit: int, remote: bool) -> Iterable[_Key]:
        """What the edge may be counted as: by the edge that is left to the same unit, of its own kind or,
        where normalization has turned it, of the other; by its tokens, where the unit is gone."""
        net = self.net
        links: list[MutableEdge] = [x for x in net.incoming[child] if not net.is_linkage[x.parent]]
        links.sort(key=lambda x: (x.remote != remote, x.parent != parent))
        for link in links if net.alive[child] else ():
            if not net.implicit[child]:
                yield (REMOTE if link.remote else PRIMARY), self.masks[child]
            elif not link.remote:
                yield IMPLICIT, self.masks[link.parent]
        if not net.alive[child]:
            yield (REMOTE if remote else PRIMARY), self._rest(unit)

    def _rest(self, unit: int) -> int:
        """The tokens of a unit that is gone, without those of functions that were moved to the top."""
        if unit in self._merged:
            return self._merged[unit]
        net, mask = self.net, 0
        for i in self.graph.index.out[unit]:
            edge = self.graph.edge_tuples[i]
            if edge.child < 0:
                if ~edge.child < self.start:
                    continue  # of another sentence
                mask |= (not self.graph.punct[~edge.child]) << (~edge.child - self.start)
            elif not edge.remote and edge.child in self.number:
                child = self.number[edge.child]
                if not net.alive[child]:
                    mask |= self._rest(edge.child)
                elif not self._moved(child):
                    mask |= max(0, self.masks[child])
        self._merged[unit] = mask
        return mask

    def _moved(self, child: int) -> bool:
        edge = self.net.primary(child)
        return edge is not None and edge.tags == ("F",) and not self.net.incoming[edge.parent]
