"""A light copy of a graph, in plain lists, that can be changed in place.

Normalization changes this copy and the metric counts on it; all other code uses `Graph`. Unlike a `Graph`, the
copy may break UCCA's invariants for a while.
"""

from bisect import insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ..graph import Graph
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, MAIN_RELATIONS, PUNCT

_TOKENS_FIRST = -(1 << 60)
Tags = tuple[str, ...]


@dataclass(eq=False, slots=True)
class MutableEdge:
    """A mutable edge. `child` is a unit, or `~token`. `order` sorts the edges of one parent."""

    parent: int
    child: int
    tags: Tags
    remote: bool
    coordinated: bool
    order: int


class MutableGraph:
    """Units and edges in plain lists, for changing in place.

    graph (Graph): The graph to copy from; it is only read.
    roots (Sequence[int]): The roots. Several are merged into the first.
    mapping (Optional[Mapping[str, str]]): Categories to replace on the way.
    identifiers (Optional[Sequence[int]]): A number for each unit of the graph that orders them.
    coordinated (Collection[int]): Edges of the graph marked as coordinated main relations.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        roots: Sequence[int],
        mapping: Mapping[str, str] | None = None,
        identifiers: Sequence[int] | None = None,
        coordinated: Collection[int] = (),
    ) -> None:
        self.tokens = range(len(graph.words))
        self.words = graph.words
        self.punct = graph.punct
        self.root = roots[0] if roots else -1
        n_units = len(graph.kinds)
        self.alive = [True] * n_units
        merged = dict.fromkeys(roots[1:], self.root)
        for unit in merged:
            self.alive[unit] = False
        punctuation = [u for u, k in enumerate(graph.kinds) if k == PUNCT and self.alive[u]]
        if identifiers is None:
            self.ids = [0] * n_units
            for i, unit in enumerate(_reading_order(graph, roots, self.alive), start=1):
                self.ids[unit] = i
        else:
            self.ids = list(identifiers)
        for unit in punctuation:
            self.alive[unit] = False
        self._taken = {self.ids[u] for u in range(n_units) if self.alive[u]}
        self.foundational = [kind in (FOUNDATIONAL, IMPLICIT) for kind in graph.kinds]
        self.is_punct = [kind == PUNCT for kind in graph.kinds]
        self.is_linkage = [kind == LINKAGE for kind in graph.kinds]
        self.implicit = [kind == IMPLICIT for kind in graph.kinds]
        self.out: list[list[MutableEdge]] = [[] for _ in range(n_units)]
        self.incoming: list[list[MutableEdge]] = [[] for _ in range(n_units)]
        self.over_token: dict[int, list[MutableEdge]] = {}
        alive, ids = self.alive, self.ids
        for i, (parent, child, tags, remote) in enumerate(graph.edge_tuples):
            parent = merged.get(parent, parent)
            if not alive[parent]:
                continue
            if mapping:
                tags = tuple(dict.fromkeys(mapping.get(tag, tag) for tag in tags))
            if child < 0:
                link = MutableEdge(parent, child, tags, remote, False, ~child + _TOKENS_FIRST)
                self.over_token[~child] = [link]
            else:
                child = merged.get(child, child)
                if not alive[child] or child == parent:
                    continue
                link = MutableEdge(parent, child, tags, remote, i in coordinated, ids[child])
                self.incoming[child].append(link)
            self.out[parent].append(link)
        for links in self.out:
            links.sort(key=attrgetter("order"))
        for links in self.incoming:
            links.sort(key=lambda link: ids[link.parent])
        if self.root < 0 or not self.alive[self.root]:
            self.root = self.add_unit()
        for unit in sorted(punctuation, key=ids.__getitem__):
            edge = graph.index.parent_edge[unit]
            if edge >= 0:
                parent = graph.edge_tuples[edge].parent
                self.prune(merged.get(parent, parent))

    # Elementary changes. All edges of a unit stay sorted: tokens first, then units by identifier.

    def connect(
        self, parent: int, child: int, tags: Tags, remote: bool, coordinated: bool = False
    ) -> None:
        order = self.ids[child] if child >= 0 else ~child + _TOKENS_FIRST
        link = MutableEdge(parent, child, tags, remote, coordinated, order)
        insort(self.out[parent], link, key=attrgetter("order"))
        if child < 0:
            self.over_token.setdefault(~child, []).append(link)
        else:
            insort(self.incoming[child], link, key=lambda link: self.ids[link.parent])

    def disconnect(self, link: MutableEdge) -> None:
        """Take an edge out of the graph."""
        self.out[link.parent].remove(link)
        over = self.incoming[link.child] if link.child >= 0 else self.over_token[~link.child]
        over.remove(link)

    def add_unit(self, parent: int = -1, tag: str = "", *, punct: bool = False) -> int:
        """Add a unit, with the first free identifier above the number of units.

        parent (int): The unit to put it under; none if negative.
        tag (str): The category of the edge to it.
        punct (bool): Whether it is a punctuation unit.
        RETURNS (int): The new unit.
        """
        number = len(self._taken) + 1
        while number in self._taken:
            number += 1
        self._taken.add(number)
        unit = len(self.ids)
        self.ids.append(number)
        self.alive.append(True)
        self.foundational.append(not punct)
        self.is_punct.append(punct)
        self.is_linkage.append(False)
        self.implicit.append(False)
        self.out.append([])
        self.incoming.append([])
        if parent >= 0:
            self.connect(parent, unit, (tag,), False)
        return unit

    def erase(self, unit: int) -> None:
        """Take a unit and all its edges out of the graph."""
        for link in self.out[unit] + self.incoming[unit]:
            self.disconnect(link)
        self.alive[unit] = False
        self._taken.discard(self.ids[unit])

    def prune(self, unit: int | None) -> None:
        """Erase a unit that has lost all its children, then its parent if it did, and so on up."""
        while unit is not None and self.alive[unit] and not (self.out[unit] or self.implicit[unit]):
            parent = self.parent(unit)
            if parent is None:
                return
            self.erase(unit)
            unit = parent

    def remove_unit(self, unit: int) -> int | None:
        """Erase a unit and all units above it that are left empty. RETURNS (Optional[int]): Its parent."""
        parent = self.parent(unit)
        if self.alive[unit]:
            self.erase(unit)
        self.prune(parent)
        return parent

    def remove_link(self, link: MutableEdge) -> None:
        self.disconnect(link)
        self.prune(link.parent)

    def copy(
        self,
        link: MutableEdge,
        *,
        parent: int | None = None,
        child: int | None = None,
        tag: str | None = None,
        remote: bool | None = None,
    ) -> bool:
        """Add an edge like another but for the given ends, category or remoteness.
        RETURNS (bool): False if nothing was added because there would be a cycle."""
        parent = link.parent if parent is None else parent
        child = link.child if child is None else child
        if child >= 0 and (child == parent or child in self.above(self.incoming[parent])):
            return False
        tags = link.tags if tag is None else (tag,)
        if remote is None:
            self.connect(parent, child, tags, link.remote, link.coordinated)
        else:
            self.connect(parent, child, tags, remote)
        return True

    # Looking around

    def in_order(self) -> list[int]:
        """RETURNS (List[int]): All units, by identifier."""
        units = [unit for unit, alive in enumerate(self.alive) if alive]
        return sorted(units, key=self.ids.__getitem__)

    def primary(self, unit: int) -> MutableEdge | None:
        """RETURNS (Optional[MutableEdge]): The primary edge to a unit."""
        for link in self.incoming[unit]:
            if not link.remote and self.foundational[link.parent]:
                return link
        return None

    def parent(self, unit: int) -> int | None:
        """RETURNS (Optional[int]): The primary parent of a unit."""
        primary = self.primary(unit)
        return None if primary is None else primary.parent

    def children(self, unit: int, category: str) -> list[int]:
        """RETURNS (List[int]): The units edges of that category lead to, remote ones included."""
        return [link.child for link in self.out[unit] if category in link.tags and link.child >= 0]

    def is_scene(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit has a main relation, remote or not."""
        return any(not MAIN_RELATIONS.isdisjoint(link.tags) for link in self.out[unit])

    def masks(self, units: Iterable[int] | None = None) -> list[int]:
        """Bit sets of the tokens of units: those that primary edges lead to, without punctuation.

        units (Optional[Iterable[int]]): The units needed. All by default.
        RETURNS (List[int]): For each unit its bit set, its lowest bit token 0;
            negative for units that were not needed.
        """
        out, punct = self.out, self.punct
        masks = [0 if is_punct else -1 for is_punct in self.is_punct]
        for start in reversed(range(len(out))) if units is None else units:
            stack = [start]
            while stack:
                unit = stack[-1]
                if masks[unit] >= 0:
                    stack.pop()
                    continue
                mask, ready = 0, True
                for link in out[unit]:
                    child = link.child
                    if child < 0:
                        if not punct[~child]:
                            mask |= 1 << ~child
                    elif not link.remote:
                        part = masks[child]
                        if part >= 0:
                            mask |= part
                        elif part == -1:  # -2: a cycle
                            stack.append(child)
                            ready = False
                if ready:
                    masks[unit] = mask
                    stack.pop()
                else:
                    masks[unit] = -2
        return masks

    def above(self, links: Iterable[MutableEdge]) -> set[int]:
        """All units above the given edges, over edges of any kind."""
        visited: set[int] = set()
        stack = [link.parent for link in links]
        while stack:
            unit = stack.pop()
            if unit not in visited:
                visited.add(unit)
                stack.extend(link.parent for link in self.incoming[unit])
        return visited


def _reading_order(graph: Graph, roots: Sequence[int], alive: Sequence[bool]) -> list[int]:
    """Living units from the root down, depth first and in text order, linkage units last: the order
    in which a graph is written to a file."""
    starts, masks, edges = graph.index.starts, graph.index.masks, graph.edge_tuples

    def position(unit: int) -> tuple[int, int]:
        return starts[unit], masks[unit].bit_length()

    others = [
        u
        for u, edge in enumerate(graph.index.parent_edge)
        if edge < 0 and alive[u] and u not in roots and graph.kinds[u] != LINKAGE
    ]
    others.sort(key=position, reverse=True)
    order: list[int] = []
    stack = [*others, *roots[:1]]
    while stack:
        unit = stack.pop()
        order.append(unit)
        links = graph.index.out[unit]
        if not order[1:] and roots[1:]:
            links = sorted(i for root in roots for i in graph.index.out[root])
        below = [edges[i].child for i in links if edges[i].child >= 0 and not edges[i].remote]
        stack += reversed(sorted(below, key=position))
    order += [u for u, kind in enumerate(graph.kinds) if alive[u] and kind == LINKAGE]
    return order
