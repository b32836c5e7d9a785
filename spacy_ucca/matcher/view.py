"""What a search reads of a Doc: edges by category, units by their tokens. Each table is made when a pattern first asks for it."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from spacy.tokens import Doc

from ..graph import Graph
from ..graph.categories import PUNCT, PUNCTUATION, priority
from ..graph.unit import Unit

Hits = dict[int, list[tuple[int, int]]]
_CATEGORIES = attrgetter("categories")


@dataclass(eq=False)
class View:
    """A Doc and its graph, as a search reads them.

    doc (Doc): The Doc.
    graph (Graph): Its graph.
    inside (Optional[Set[int]]): The only units that may match; all, if it is None.
    check (Optional[Callable]): Called with the number of steps of a search since the last time.
    """

    doc: Doc
    graph: Graph
    inside: set[int] | None = None
    check: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        self.edges, self.index = self.graph.edge_tuples, self.graph.index
        # The categories of all edges
        self.present = {c for joined in set(map(_CATEGORIES, self.edges)) for c in joined}
        self._heads: dict[int, int] = {}

    def unit(self, number: int) -> Unit:
        """RETURNS (Unit): A unit by its number."""
        return Unit(self.graph, number)

    def position(self, unit: int) -> tuple[int, int, int]:
        """RETURNS (Tuple[int, int, int]): Where a unit stands among others: by its first token, a longer one before a shorter one;
        units without tokens come last."""
        return self.index.starts[unit], -self.index.masks[unit].bit_length(), unit

    def categories(self, unit: int) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The categories of the primary edge to a unit."""
        edge = self.index.parent_edge[unit]
        return self.edges[edge].categories if edge >= 0 else ()

    def is_punct(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit is punctuation, by its kind or category."""
        return self.graph.kinds[unit] == PUNCT or PUNCTUATION in self.categories(unit)

    def with_category(self, some: frozenset[str]) -> list[int]:
        """RETURNS (List[int]): The units whose primary edge has any of some categories."""
        edges = self.edges
        return [
            unit
            for unit, edge in enumerate(self.index.parent_edge)
            if edge >= 0 and not some.isdisjoint(edges[edge].categories)
        ]

    # Units by their tokens

    def end(self, unit: int) -> int:
        """RETURNS (int): The token after the last one of a unit that has some."""
        return self.index.starts[unit] + self.index.masks[unit].bit_length()

    @cached_property
    def by_start(self) -> dict[int, list[int]]:
        """RETURNS (Dict[int, List[int]]): The units that begin with each token."""
        return self._units_by(self.index.starts.__getitem__)

    @cached_property
    def by_end(self) -> dict[int, list[int]]:
        """RETURNS (Dict[int, List[int]]): The units that end before each token."""
        return self._units_by(self.end)

    @cached_property
    def by_root(self) -> dict[int, list[int]]:
        """RETURNS (Dict[int, List[int]]): The units with tokens below each root."""
        return self._units_by(self.roots.__getitem__)

    def _units_by(self, key: Callable[[int], int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for unit, mask in enumerate(self.index.masks):
            if mask:
                found[key(unit)].append(unit)
        return found

    @cached_property
    def roots(self) -> list[int]:
        """RETURNS (List[int]): The root above each unit; a linkage unit is its own."""
        found = [*range(len(self.graph.kinds))]
        for root in self.graph.roots:
            for unit in root.iter():
                found[unit.index] = root.index
        return found

    def is_passed_over(self, token: int) -> bool:
        """RETURNS (bool): Whether a token does not count where units follow each other: punctuation, and white space that hangs
        on nothing."""
        return self.graph.punct[token] or self.index.token_edge[token] < 0

    def headed_by(self, token: int) -> Iterable[int]:
        """YIELDS (int): The units whose head terminal is a token: see `Unit.head`."""
        edge = self.index.token_edge[token]
        waiting = [edge] if edge >= 0 else []
        for edge in waiting:  # grows while it is walked
            unit = self.edges[edge].parent
            if self._head_edge(unit) == edge:
                yield unit
                waiting += [i for i in self.index.into[unit] if not self.edges[i].remote]

    def _head_edge(self, unit: int) -> int:
        """RETURNS (int): The most head-like edge from a unit."""
        if unit not in self._heads:
            best: tuple[int, int, int] | None = None
            for order, i in enumerate(self.index.out[unit]):
                _, child, categories, remote = self.edges[i]
                if remote or (child >= 0 and not self.index.masks[child]):
                    continue
                first = ~child if child < 0 else self.index.starts[child]
                rank = priority(categories), first, order
                best = rank if best is None else min(best, rank)
            self._heads[unit] = -1 if best is None else self.index.out[unit][best[2]]
        return self._heads[unit]

    def covering(self, start: int, end: int) -> Iterable[int]:
        """YIELDS (int): The units that have all tokens from `start` up to `end`."""
        edge = self.index.token_edge[start]
        waiting = [self.edges[edge].parent] if edge >= 0 else []
        wanted = (1 << (end - start)) - 1
        seen = set(waiting)
        for unit in waiting:  # grows while it is walked
            shift = start - self.index.starts[unit]
            if shift >= 0 and (self.index.masks[unit] >> shift) & wanted == wanted:
                yield unit
            for i in self.index.into[unit]:
                parent = self.edges[i].parent
                if not self.edges[i].remote and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)


def units_inside(graph: Graph, start: int, end: int) -> set[int]:
    """Find the units of a part of a text.

    graph (Graph): The graph.
    start (int): The first token of the part.
    end (int): The token after the last one.
    RETURNS (Set[int]): The units whose tokens all lie in it, and units without tokens below these.
    """
    index, edges = graph.index, graph.edge_tuples
    inside = {
        unit
        for unit, mask in enumerate(index.masks)
        if mask and index.starts[unit] >= start and index.starts[unit] + mask.bit_length() <= end
    }
    waiting = list(inside)
    for unit in waiting:  # grows while it is walked
        for i in index.out[unit]:
            child = edges[i].child
            if child >= 0 and not index.masks[child] and index.parent_edge[child] == i:
                inside.add(child)
                waiting.append(child)
    return inside
