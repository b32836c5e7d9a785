"""Directions of links without an integer program: the two that section 2 of "Deriving Multi-Headed Projective Dependency
Parses from Link Grammar Parses" says are simpler.

- Rightward: all links lead to the right. The graphs are acyclic, but the wall need not reach all tokens.
- Depth-first: links lead away from the wall, as a depth-first search comes to them. The graphs have all properties, but
  links with one label may have different directions.
"""

from collections.abc import Callable, Iterable

from ..conversion.graph import ROOT
from .directions import Orientation, count_directions
from .links import LinkGraph


def rightward(graph: LinkGraph) -> list[bool]:
    """RETURNS (List[bool]): For each link that it leads to the right."""
    return [True] * len(graph.links)


def depth_first(graph: LinkGraph) -> list[bool]:
    """Search a graph from the wall, of several words the left one first.

    graph (LinkGraph): A connected link graph.
    RETURNS (List[bool]): For each link whether the search comes to its left word first.
    """
    beside: dict[int, list[int]] = {}
    for left, right, _ in graph.links:
        beside.setdefault(left, []).append(right)
        beside.setdefault(right, []).append(left)
    place: dict[int, int] = {}
    todo = [ROOT]
    while todo:
        node = todo.pop()
        if node not in place:
            place[node] = len(place)
            todo += sorted(beside.get(node, ()), reverse=True)
    return [place[left] < place[right] for left, right, _ in graph.links]


BASELINES: dict[str, Callable[[LinkGraph], list[bool]]] = {
    "depth-first": depth_first,
    "rightward": rightward,
}


def orient_simply(graphs: Iterable[LinkGraph], name: str) -> Orientation:
    """Give links the directions of a baseline.

    graphs (Iterable[LinkGraph]): Connected link graphs.
    name (str): "depth-first" or "rightward".
    RETURNS (Orientation): The directed graphs and the directions of their labels. Its bound is the number of labels, as each
        costs 1 at least.
    """
    oriented = tuple(graph.oriented(BASELINES[name](graph)) for graph in graphs)
    directions = count_directions(oriented)
    return Orientation(oriented, directions, float(len(directions)), 0.0)
