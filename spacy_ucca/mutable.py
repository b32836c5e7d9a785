"""A light copy of a graph, in plain lists, that can be changed in place.

`normalization.py` works on it and `scorer.py` counts on it; nothing else should: `Graph` is the value
to speak. Unlike a Graph it may break UCCA's invariants for a while.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from .graph import Graph
from .units import FOUNDATIONAL, IMPLICIT, LINKAGE, MAIN_RELATIONS, PUNCT

_TOKENS_FIRST = -(1 << 60)


class Link:
    """A mutable edge. `child` is a unit, or `~token`. `order` sorts the edges of one parent."""

    __slots__ = ("child", "coordinated", "order", "parent", "remote", "tags")

    def __init__(
        self,
        parent: int,
        child: int,
        tags: tuple[str, ...],
        remote: bool,
        coordinated: bool,
        order: int,
    ) -> None:
        self.parent = parent
        self.child = child
        self.tags = tags
        self.remote = remote
        self.coordinated = coordinated
        self.order = order


class MutableGraph:
    """Units and edges in plain lists, for changing in place.

    graph (Graph): The graph to copy from; it is only read.
    units (Optional[Collection[int]]): The units to copy, with the edges from them. All by default.
    tokens (Optional[range]): The tokens of the text these units are about. All by default.
    roots (Sequence[int]): The roots among the units. Several are merged into the first.
    mapping (Optional[Mapping[str, str]]): Categories to replace on the way.
    identifiers (Optional[Sequence[int]]): A number for each unit of the graph that orders them.
    coordinated (Collection[int]): Edges of the graph marked as coordinated main relations.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        roots: Sequence[int],
        units: Collection[int] | None = None,
        tokens: range | None = None,
        mapping: Mapping[str, str] | None = None,
        identifiers: Sequence[int] | None = None,
        coordinated: Collection[int] = (),
    ) -> None:
        self.tokens = range(len(graph.words)) if tokens is None else tokens
        self.punct = graph.punct
        self.root = roots[0] if roots else -1
        n_units = len(graph.kinds)
        self.alive = [units is None] * n_units
        for unit in units or ():
            self.alive[unit] = True
        merged = dict.fromkeys(roots[1:], self.root)
        for unit in merged:
            self.alive[unit] = False
        if identifiers is None:
            self.ids = [0] * n_units
            for i, unit in enumerate(_reading_order(graph, roots, self.alive), start=1):
                self.ids[unit] = i
        else:
            self.ids = list(identifiers)
        self._taken = {self.ids[u] for u in range(n_units) if self.alive[u]}
        self.foundational = [kind in (FOUNDATIONAL, IMPLICIT) for kind in graph.kinds]
        self.is_punct = [kind == PUNCT for kind in graph.kinds]
        self.is_linkage = [kind == LINKAGE for kind in graph.kinds]
        self.implicit = [kind == IMPLICIT for kind in graph.kinds]
        self.out: list[list[Link]] = [[] for _ in range(n_units)]
        self.incoming: list[list[Link]] = [[] for _ in range(n_units)]
        self.over_token: dict[int, list[Link]] = {}
        for i, (parent, child, tags, remote) in enumerate(graph.edge_tuples):
            parent = merged.get(parent, parent)
            if child >= 0:
                child = merged.get(child, child)
                if not self.alive[child] or child == parent:
                    continue
            if self.alive[parent]:
                if mapping:
                    tags = tuple(dict.fromkeys(mapping.get(tag, tag) for tag in tags))
                self.connect(parent, child, tags, remote, i in coordinated)
        if self.root < 0:
            self.root = self.add_unit()

    # Elementary changes. All edges of a unit stay sorted: tokens first, then units by identifier.

    def connect(
        self,
        parent: int,
        child: int,
        tags: tuple[str, ...],
        remote: bool,
        coordinated: bool = False,
    ) -> None:
        order = self.ids[child] if child >= 0 else ~child + _TOKENS_FIRST
        link = Link(parent, child, tags, remote, coordinated, order)
        out = self.out[parent]
        i = len(out)
        while i and out[i - 1].order > order:
            i -= 1
        out.insert(i, link)
        if child < 0:
            self.over_token.setdefault(~child, []).append(link)
            return
        into = self.incoming[child]
        number, i = self.ids[parent], len(into)
        while i and self.ids[into[i - 1].parent] > number:
            i -= 1
        into.insert(i, link)

    def disconnect(self, link: Link) -> None:
        """Take an edge out of the graph."""
        self.out[link.parent].remove(link)
        (self.incoming[link.child] if link.child >= 0 else self.over_token[~link.child]).remove(
            link
        )

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
        for link in self.out[unit][:]:
            self.disconnect(link)
        for link in self.incoming[unit][:]:
            self.disconnect(link)
        self.alive[unit] = False
        self._taken.discard(self.ids[unit])

    def prune(self, unit: int | None) -> None:
        """Erase a unit that has lost all its children, then its parent if it did, and so on up."""
        while unit is not None and not self.out[unit] and not self.implicit[unit]:
            parent = self.parent(unit)
            if parent is None:
                return
            self.erase(unit)
            unit = parent

    def remove_unit(self, unit: int) -> int | None:
        """Erase a unit and what is left empty above it. RETURNS (Optional[int]): Its parent."""
        parent = self.parent(unit)
        if self.alive[unit]:
            self.erase(unit)
        self.prune(parent)
        return parent

    def remove_link(self, link: Link) -> None:
        self.disconnect(link)
        self.prune(link.parent)

    def copy(
        self,
        link: Link,
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

    def primary(self, unit: int) -> Link | None:
        """RETURNS (Optional[Link]): The primary edge to a unit."""
        for link in self.incoming[unit]:
            if not link.remote and self.foundational[link.parent]:
                return link
        return None

    def parent(self, unit: int) -> int | None:
        """RETURNS (Optional[int]): The primary parent of a unit."""
        for link in self.incoming[unit]:
            if not link.remote and self.foundational[link.parent]:
                return link.parent
        return None

    def children(self, unit: int, category: str) -> list[int]:
        """RETURNS (List[int]): The units edges of that category lead to, remote ones included."""
        return [link.child for link in self.out[unit] if category in link.tags and link.child >= 0]

    def is_scene(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit has a main relation, remote or not."""
        return any(not MAIN_RELATIONS.isdisjoint(link.tags) for link in self.out[unit])

    def masks(self) -> list[int]:
        """RETURNS (List[int]): For each unit a bit set of its tokens: those that primary edges lead
        to, without punctuation."""
        masks = [-1] * len(self.out)
        for start, known in enumerate(masks):
            if known >= 0 or not self.alive[start]:
                continue
            stack = [start]
            while stack:
                unit = stack[-1]
                if masks[unit] == -1:  # on the way down; -2 once its children are on the stack
                    masks[unit] = -2
                    stack.extend(
                        link.child
                        for link in self.out[unit]
                        if link.child >= 0 and not link.remote and masks[link.child] == -1
                    )
                    continue
                stack.pop()
                if masks[unit] == -2:
                    masks[unit] = self._mask(unit, masks)
        return masks

    def _mask(self, unit: int, masks: list[int]) -> int:
        mask = 0
        if self.is_punct[unit]:
            return mask
        for link in self.out[unit]:
            if link.child >= 0:
                if not link.remote and masks[link.child] > 0:
                    mask |= masks[link.child]
            elif not self.punct[~link.child]:
                mask |= 1 << (~link.child - self.tokens.start)
        return mask

    def above(self, links: Iterable[Link]) -> set[int]:
        """All units above the given edges, over edges of any kind."""
        found: set[int] = set()
        stack = [link.parent for link in links]
        while stack:
            unit = stack.pop()
            if unit not in found:
                found.add(unit)
                stack.extend(link.parent for link in self.incoming[unit])
        return found


def _reading_order(graph: Graph, roots: Sequence[int], alive: Sequence[bool]) -> list[int]:
    """Living units from the root down, depth first and in text order, linkage units last: the order
    in which a graph is written to a file."""
    starts, masks, edges = graph._starts, graph._masks, graph.edge_tuples

    def position(unit: int) -> tuple[int, int]:
        return starts[unit], masks[unit].bit_length()

    def children(unit: int) -> list[int]:
        found = (edges[i] for i in graph._out[unit])
        return [e.child for e in found if e.child >= 0 and not e.remote]

    others = [
        u
        for u, edge in enumerate(graph._parent_edge)
        if alive[u] and edge < 0 and u not in roots and graph.kinds[u] != LINKAGE
    ]
    first = sorted((u for root in roots for u in children(root)), key=position)
    order = list(roots[:1])
    stack = [*sorted(others, key=position, reverse=True), *reversed(first)]
    while stack:
        unit = stack.pop()
        order.append(unit)
        below = children(unit)
        if len(below) > 1:
            below.sort(key=position)
            below.reverse()
        stack.extend(below)
    order.extend(u for u, kind in enumerate(graph.kinds) if alive[u] and kind == LINKAGE)
    return order
