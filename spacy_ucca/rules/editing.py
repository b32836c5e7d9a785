"""Correct a graph by hand: each function makes a new graph, and tells which rules of UCCA it breaks and the old one did not.

Units keep their numbers as long as no unit goes, so `edited.graph[unit.index]` is the same unit. New units have the last numbers. A unit
that has no words left goes, with its edges. Edges that stay as they were keep their scores.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.categories import FOUNDATIONAL
from ..graph.data import EdgeTuple, check_categories, plain_details
from ..graph.unit import Edge, Unit
from .validate import Problem, validate_graph

Place = Unit | int


class Edited(NamedTuple):
    """What a change gives.

    graph (Graph): The new graph.
    problems (Tuple[Problem, ...]): The rules that it breaks where the old graph did not.
    unit (Optional[Unit]): The unit that was made or changed, in the new graph.
    """

    graph: Graph
    problems: tuple[Problem, ...]
    unit: Unit | None = None


def relabel(graph: Graph, place: Place | Edge, *categories: str) -> Edited:
    """Change the categories of an edge.

    graph (Graph): The graph.
    place (Union[Unit, int, Edge]): The edge; of a unit, its primary edge.
    *categories (str): The new categories: one, or several, as of S|A.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If the unit is a root, or a category is unknown.
    """
    change = _Change(graph)
    edge = place.index if isinstance(place, Edge) else change.primary(change.number(place))
    change.edges[edge] = change.checked(change.edges[edge], categories)
    return change.result(change.edges[edge].child)


def move(graph: Graph, unit: Place, parent: Place, *categories: str) -> Edited:
    """Hang a unit on another parent.

    graph (Graph): The graph.
    unit, parent (Union[Unit, int]): The units.
    *categories (str): Its categories there; as they were, if none are given.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If the unit is a root, the parent is under it, or a category is unknown.
    """
    change = _Change(graph)
    child = change.number(unit)
    edge = change.primary(child)
    change.edges[edge] = change.edges[edge]._replace(parent=change.number(parent))
    if categories:
        change.edges[edge] = change.checked(change.edges[edge], categories)
    return change.result(child)


def add_remote(graph: Graph, parent: Place, child: Place, *categories: str) -> Edited:
    """Share a unit: add a remote edge to it.

    graph (Graph): The graph.
    parent, child (Union[Unit, int]): The units. The child keeps its primary parent.
    *categories (str): The categories of the edge; those of the primary edge, if none are given.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If the child is the parent or above it, there is such an edge, or a category is unknown.
    """
    change = _Change(graph)
    above, below = change.number(parent), change.number(child)
    if any(e.parent == above and e.child == below for e in graph.edge_tuples):
        raise UccaError(Errors.UC018.format(parent=above, child=below))
    own = categories or change.edges[change.primary(below)].categories
    change.add(above, below, own, remote=True)
    return change.result(below)


def remove(graph: Graph, place: Place | Edge) -> Edited:
    """Take away a unit, whose children go to its parent, or a remote edge.

    graph (Graph): The graph.
    place (Union[Unit, int, Edge]): The unit, or the remote edge.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If the unit is a root, or the edge is primary.
    """
    change = _Change(graph)
    if isinstance(place, Edge):
        if not place.remote:
            raise UccaError(Errors.UC019.format(what="A primary edge"))
        del change.edges[place.index]
        return change.result()
    unit = change.number(place)
    parent = change.edges[change.primary(unit)].parent
    change.gone.add(unit)
    for i, edge in list(change.edges.items()):
        if edge.child == unit or (edge.parent == unit and edge.remote):
            del change.edges[i]
        elif edge.parent == unit:
            change.edges[i] = edge._replace(parent=parent)
    return change.result()


def group(graph: Graph, places: Iterable[Place], *categories: str) -> Edited:
    """Put units of one parent, or tokens of it, under a new unit.

    graph (Graph): The graph.
    places (Iterable[Union[Unit, int]]): The units; they may stand apart.
    *categories (str): The categories of the new unit.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If there are no units, they have several parents, one is a root, or a category is unknown.
    """
    change = _Change(graph)
    edges = [change.primary(change.number(place)) for place in places]
    parents = {change.edges[edge].parent for edge in edges}
    if len(parents) != 1:
        raise UccaError(Errors.UC020.format(n=len(parents)))
    new = change.new_unit(parents.pop(), categories)
    for edge in edges:
        change.edges[edge] = change.edges[edge]._replace(parent=new)
    return change.result(new)


def merge(graph: Graph, places: Iterable[Place]) -> Edited:
    """Join units into the first of them, which gets the children of all.

    graph (Graph): The graph.
    places (Iterable[Union[Unit, int]]): The units, of any parents. Remote edges to them lead to the first.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If there are less than two units, one is a root, or one is above another.
    """
    change = _Change(graph)
    units = list(dict.fromkeys(map(change.number, places)))
    if len(units) < 2:
        raise UccaError(Errors.UC021.format(n=len(units)))
    first, *others = units
    gone = {change.primary(unit) for unit in others}
    change.gone.update(others)
    seen: set[tuple[int, int]] = set()
    for i, edge in list(change.edges.items()):
        ends = tuple(first if x in others else x for x in edge[:2])
        if i in gone or (edge.remote and (ends in seen or ends[0] == ends[1])):
            del change.edges[i]
            continue
        change.edges[i] = edge._replace(parent=ends[0], child=ends[1])
        seen.add((ends[0], ends[1]))
    return change.result(first)


def split(graph: Graph, unit: Place, tokens: Sequence[int], *categories: str) -> Edited:
    """Divide a unit: what has some tokens goes to a new unit beside it.

    graph (Graph): The graph.
    unit (Union[Unit, int]): The unit.
    tokens (Sequence[int]): The tokens of the new unit: all of a child, or none of it.
    *categories (str): The categories of the new unit; those of the unit, if none are given.
    RETURNS (Edited): The new graph.
    RAISES (UccaError): If the unit is a root, tokens are not its own or not all that a child has, or nothing is left in it.
    """
    change = _Change(graph)
    old = change.number(unit)
    primary = change.primary(old)
    wanted, left = set(tokens), set(graph[old].tokens())
    if not wanted or not wanted < left:
        raise UccaError(Errors.UC022.format(unit=old, text=graph[old].text))
    new = change.new_unit(
        change.edges[primary].parent, categories or change.edges[primary].categories
    )
    for i in graph.index.out[old]:
        edge = graph.edge_tuples[i]
        own = {~edge.child} if edge.child < 0 else set(graph[edge.child].tokens())
        if edge.remote or not own & wanted:
            continue
        if not own <= wanted:
            raise UccaError(Errors.UC022.format(unit=edge.child, text=graph[edge.child].text))
        change.edges[i] = edge._replace(parent=new)
    return change.result(new)


class _Change:
    """A graph that is being changed: its edges by number, new ones after them, and the kinds of its units."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.edges: dict[int, EdgeTuple] = dict(enumerate(graph.edge_tuples))
        self.kinds = list(graph.kinds)
        self.gone: set[int] = set()

    def number(self, place: Place) -> int:
        """RETURNS (int): The number of a unit. That of another graph counts if it has the same words.
        RAISES (UccaError): If there is none."""
        if isinstance(place, Unit) and place.graph is not self.graph:
            own = self.graph[place.index] if place.index < len(self.graph) else None
            if own is None or own.tokens() != place.tokens() or own.categories != place.categories:
                raise UccaError(Errors.UC024.format(unit=place.index, text=place.text))
        return self.graph[place.index if isinstance(place, Unit) else place].index

    def primary(self, unit: int) -> int:
        """RETURNS (int): The number of the primary edge to a unit.
        RAISES (UccaError): If it is a root."""
        edge = self.graph.index.parent_edge[unit]
        if edge < 0:
            raise UccaError(Errors.UC019.format(what=f"Unit {unit}, a root"))
        return edge

    def checked(self, edge: EdgeTuple, categories: Sequence[str]) -> EdgeTuple:
        """RETURNS (EdgeTuple): The edge with other categories.
        RAISES (UccaError): If there are none, or one is unknown."""
        if not categories:
            raise UccaError(Errors.UC023)
        check_categories(self.graph, categories)
        return edge._replace(categories=tuple(categories))

    def add(self, parent: int, child: int, categories: Sequence[str], remote: bool = False) -> None:
        """Add an edge."""
        edge = self.checked(EdgeTuple(parent, child, (), remote), categories)
        self.edges[max([len(self.graph.edge_tuples) - 1, *self.edges]) + 1] = edge

    def new_unit(self, parent: int, categories: Sequence[str]) -> int:
        """RETURNS (int): The number of a new unit."""
        self.kinds.append(FOUNDATIONAL)
        self.add(parent, len(self.kinds) - 1, categories)
        return len(self.kinds) - 1

    def result(self, unit: int | None = None) -> Edited:
        """Make the graph.

        unit (Optional[int]): The number of the unit that was made or changed.
        RETURNS (Edited): The graph without units that have lost all words.
        RAISES (GraphError): If there is a cycle.
        """
        empty = self._find_empty()
        kept = [u for u in range(len(self.kinds)) if u not in empty]
        number = {old: new for new, old in enumerate(kept)}
        edges: list[EdgeTuple] = []
        scores: dict[int, float] = {}
        for i, edge in self.edges.items():
            if edge.parent in number and (edge.child < 0 or edge.child in number):
                if i in self.graph.scores and edge == self.graph.edge_tuples[i]:
                    scores[len(edges)] = self.graph.scores[i]
                child = number[edge.child] if edge.child >= 0 else edge.child
                edges.append(edge._replace(parent=number[edge.parent], child=child))
        new = self.graph.replace(
            kinds=[self.kinds[u] for u in kept],
            edges=edges,
            scores=scores,
            details=plain_details(self.graph),
        )
        known = {(p.rule, p.text, p.message) for p in validate_graph(self.graph)}
        problems = (p for p in validate_graph(new) if (p.rule, p.text, p.message) not in known)
        place = None if unit is None or unit not in number else new[number[unit]]
        return Edited(new, tuple(problems), place)

    def _find_empty(self) -> set[int]:
        """RETURNS (Set[int]): Units that are gone, and those that had children and have none left."""
        owners = {edge.parent for edge in self.graph.edge_tuples if not edge.remote}
        empty = set(self.gone)
        while True:
            edges = (e for e in self.edges.values() if not e.remote and e.child not in empty)
            left = owners - {edge.parent for edge in edges}
            if left <= empty:
                return empty
            empty |= left
