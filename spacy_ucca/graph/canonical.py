"""A canonical form of graphs: the same for two graphs if, and only if, they differ in numbers alone.

Units are told apart by refining colours (Weisfeiler and Leman, 1968) until nothing changes; where some
remain alike, one of them is marked and the refining goes on. Over the primary tree this is exact.
"""

from itertools import pairwise
from typing import Any

from .data import GraphData
from .paths import forest_depths

CanonicalForm = tuple[tuple[str, ...], tuple[tuple, ...]]


def canonical_form(graph: GraphData) -> CanonicalForm:
    """RETURNS (Tuple): The kinds of the units and the sorted edges, in canonical numbers."""
    edges = [
        (e.parent, e.child, (tuple(sorted(e.categories)), e.remote)) for e in graph.edge_tuples
    ]
    around: list[list[tuple[int, int, Any]]] = [[] for _ in graph.kinds]
    for parent, child, label in edges:
        around[parent].append((0, child, label))
        if child >= 0:
            around[child].append((1, parent, label))
    lengths = (mask.bit_length() for mask in graph.index.masks)
    above = [-1 if e < 0 else graph.edge_tuples[e].parent for e in graph.index.parent_edge]
    depths = forest_depths(above)
    colours = _ranks(list(zip(graph.kinds, graph.index.starts, lengths, depths, strict=True)))
    while True:
        colours = _refine(colours, around)
        alike = _alike(colours)
        # Units that are alike, with no such unit beside them, may take any numbers.
        entangled = [
            unit
            for unit in sorted(alike, key=colours.__getitem__)
            if any(other in alike for _, other, _ in around[unit])
        ]
        if not entangled:
            break
        colours = [2 * colour + 1 for colour in colours]
        colours[entangled[0]] -= 1
    order = sorted(range(len(colours)), key=colours.__getitem__)
    number = {unit: i for i, unit in enumerate(order)}
    return (
        tuple(graph.kinds[unit] for unit in order),
        tuple(sorted((number[p], number.get(c, c), *label) for p, c, label in edges)),
    )


def _refine(colours: list[int], around: list[list[tuple[int, int, Any]]]) -> list[int]:
    """Split classes of units by the colours beside them, until that splits no more."""
    n = len(set(colours))
    while True:
        signatures = [
            (
                colours[unit],
                sorted((d, c if c < 0 else colours[c], label) for d, c, label in neighbours),
            )
            for unit, neighbours in enumerate(around)
        ]
        colours = _ranks(signatures)
        if len(set(colours)) == n:
            return colours
        n = len(set(colours))


def _ranks(signatures: list[Any]) -> list[int]:
    order = sorted(range(len(signatures)), key=signatures.__getitem__)
    ranks = [0] * len(signatures)
    rank = 0
    for previous, unit in pairwise(order):
        rank += signatures[previous] != signatures[unit]
        ranks[unit] = rank
    return ranks


def _alike(colours: list[int]) -> set[int]:
    """RETURNS (Set[int]): Units that share their colour with another."""
    first: dict[int, int] = {}
    units: set[int] = set()
    for unit, colour in enumerate(colours):
        if colour in first:
            units |= {unit, first[colour]}
        first.setdefault(colour, unit)
    return units
