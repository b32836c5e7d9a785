"""The part of a graph that is drawn: of long and deep ones, no more than can be looked at."""

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import Errors, UccaError
from ..graph import EdgeTuple, Graph
from ..graph.categories import LINKAGE, TERMINAL
from ..graph.data import common_details

MAX_TOKENS = 2000
MAX_DEPTH = 100


class Part(NamedTuple):
    """A part of a graph.

    graph (Graph): The part, as a graph of its own.
    units (Sequence[int]): The number that each of its units has in the whole graph.
    edges (Sequence[int]): The number that each of its edges has there.
    note (str): What is left out, in a sentence; "" if nothing is.
    """

    graph: Graph
    units: Sequence[int]
    edges: Sequence[int]
    note: str = ""


def visible_part(
    graph: Graph, max_tokens: int | None, max_depth: int | None, collapse: bool = False
) -> Part:
    """Take the first tokens and the upper levels of a graph. Where a sentence ends within the limit, the part ends with the
    last such sentence.

    graph (Graph): The graph.
    max_tokens (Optional[int]): The maximum number of tokens; None for all.
    max_depth (Optional[int]): The maximum number of levels under a root; None for all. Tokens below hang on the last level.
    collapse (bool): Fold units that hold no Scene and no end of a remote edge: tokens below hang on them. Roots stay open.
    RETURNS (Part): The part; with the graph itself, if nothing is left out.
    RAISES (UccaError): If a limit is less than 1.
    """
    for name, limit in (("max_tokens", max_tokens), ("max_depth", max_depth)):
        if limit is not None and not (isinstance(limit, int) and limit > 0):
            raise UccaError(Errors.UC608.format(option=name, limit=limit))
    n, depths = len(graph.words), _depths(graph)
    deepest = max(depths.values(), default=0)
    end = _end(graph, max_tokens)
    depth = deepest if max_depth is None else min(deepest, max_depth)
    folded = _folded(graph, depths) if collapse else set()
    if end == n and depth == deepest and not folded:
        return Part(graph, range(len(graph.kinds)), range(len(graph.edge_tuples)))
    notes = [f"Tokens 1-{end:,} of {n:,} are drawn."] if end < n else []
    if depth < deepest:
        notes.append(f"Levels 1-{depth:,} of {deepest:,} are drawn.")
    return Part(*_cut(graph, end, depth, depths, folded), " ".join(notes))


def _depths(graph: Graph) -> dict[int, int]:
    """RETURNS (Dict[int, int]): The level of each unit, 0 for roots; parents come before children. Not that of linkage
    units."""
    parent_edge, edges = graph.index.parent_edge, graph.edge_tuples
    depths: dict[int, int] = {}
    for unit in graph.units:
        if unit.kind != LINKAGE:
            edge = parent_edge[unit.index]
            depths[unit.index] = 0 if edge < 0 else depths[edges[edge].parent] + 1
    return depths


def _folded(graph: Graph, depths: dict[int, int]) -> set[int]:
    """RETURNS (Set[int]): The units inside of units that are no roots or Scenes and hold neither a Scene nor an end of another edge
    than a primary one."""
    parent_edge, edges = graph.index.parent_edge, graph.edge_tuples
    others = [edge for edge in edges if edge.remote or graph.kinds[edge.parent] == LINKAGE]
    shown = {edge.child for edge in others}
    holds = {*graph.scene_numbers, *(edge.parent for edge in others)}
    for unit in reversed([*depths]):
        if parent_edge[unit] < 0:
            holds.add(unit)
        elif unit in holds or unit in shown:
            holds.add(edges[parent_edge[unit]].parent)
    return {u for u in depths if (e := parent_edge[u]) >= 0 and edges[e].parent not in holds}


def _end(graph: Graph, max_tokens: int | None) -> int:
    """RETURNS (int): The number of tokens to draw."""
    n = len(graph.words)
    if max_tokens is None or n <= max_tokens:
        return n
    starts = (graph.index.starts[root.index] for root in graph.roots)
    return max((start for start in starts if 0 < start <= max_tokens), default=max_tokens)


def _cut(
    graph: Graph, end: int, depth: int, depths: dict[int, int], folded: set[int]
) -> tuple[Graph, list[int], list[int]]:
    """RETURNS (Tuple[Graph, List[int], List[int]]): The first three fields of a `Part`."""
    index, old = graph.index, graph.edge_tuples
    host: dict[int, int] = {}  # the unit that stands for each one, which is itself if it is drawn
    for unit, level in depths.items():
        edge = index.parent_edge[unit]
        above = host.get(old[edge].parent) if edge >= 0 else None
        if index.masks[unit]:
            is_kept = index.starts[unit] < end
        else:  # goes with its parent
            is_kept = above is not None if edge >= 0 else end == len(graph.words)
        if is_kept:
            is_own = level <= depth and unit not in folded
            host[unit] = unit if above is None or is_own else above
    units = [unit for unit, shown in host.items() if unit == shown]
    drawn = set(units)
    for linkage in graph.linkages:
        if drawn.issuperset(child.index for child in linkage.children):
            units.append(linkage.index)
    number = {unit: i for i, unit in enumerate(units)}
    edges: list[EdgeTuple] = []
    numbers: list[int] = []
    for i, (parent, child, categories, remote) in enumerate(old):
        if child < 0:
            if ~child >= end:
                continue
            if parent not in number:
                parent, categories = host[parent], (TERMINAL,)
            edges.append(EdgeTuple(number[parent], child, categories))
        elif parent in number and child in number:
            edges.append(EdgeTuple(number[parent], number[child], categories, remote))
        else:
            continue
        numbers.append(i)
    part = Graph(
        graph.words[:end],
        [graph.kinds[unit] for unit in units],
        edges,
        punct=graph.punct[:end],
        paragraphs=graph.paragraphs[:end],
        details=common_details([graph]),
        scores={new: graph.scores[i] for new, i in enumerate(numbers) if i in graph.scores},
    )
    return part, units, numbers
