"""Other numbers for the units of a graph: a copy of a part of it, and a canonical form.

The scores and details that belong to a part go with it. The canonical form is the same for two graphs if, and only if, they
differ in numbers alone. Units are told apart by refining colours (Weisfeiler and Leman, 1968) until nothing changes; where
some remain alike, one of them is marked and the refining goes on. Over the primary tree this is exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .data import EdgeTuple, plain_details

if TYPE_CHECKING:
    from .graph import Graph

# New numbers by the old ones
Numbers = Sequence[int] | Mapping[int, int]


def renumber_edges(edges: Iterable[EdgeTuple], units: Numbers, tokens: Numbers) -> list[EdgeTuple]:
    """Give the units and tokens of edges other numbers.

    edges (Iterable[EdgeTuple]): The edges.
    units (Numbers): The new number of each unit.
    tokens (Numbers): The new number of each token.
    RETURNS (List[EdgeTuple]): The edges, in the same order.
    """
    return [
        EdgeTuple(
            units[parent], units[child] if child >= 0 else ~tokens[~child], categories, remote
        )
        for parent, child, categories, remote in edges
    ]


def subgraph(
    graph: "Graph",
    *,
    units: Sequence[int] | None = None,
    edges: Iterable[int] | None = None,
    tokens: Sequence[int] | None = None,
    details: Mapping[str, Any] | None = None,
    check: bool = True,
) -> "Graph":
    """Copy a part of a graph. An edge is kept if both its ends are; scores go with their edges, punctuation
    flags and paragraphs with their tokens.

    graph (Graph): The graph.
    units (Optional[Sequence[int]]): The units to keep, in their new order; all, if not given.
    edges (Optional[Iterable[int]]): The edges to keep, in their new order; if not given, all, in the same order.
    tokens (Optional[Sequence[int]]): The tokens to keep, in their new order; all, if not given.
    details (Optional[Mapping]): The details of the copy. If not given, those of the graph that do not speak of
        numbers of its units, edges and tokens: see `plain_details`.
    check (bool): Whether to look for broken invariants at once: see `Graph`.
    RETURNS (Graph): The copy.
    RAISES (GraphError): If what is left is no graph.
    """
    old, scores = graph.edge_tuples, graph.scores
    if edges is None:
        edges = range(len(old))
        if units is not None:
            edges = sorted(i for unit in units for i in graph.index.out[unit])
    units = range(len(graph.kinds)) if units is None else units
    tokens = range(len(graph.words)) if tokens is None else tokens
    number = {unit: i for i, unit in enumerate(units)}
    place = {token: i for i, token in enumerate(tokens)}
    kept = []
    for i in edges:
        parent, child, _, _ = old[i]
        if parent in number and (child in number if child >= 0 else ~child in place):
            kept.append(i)
    return graph.replace(
        kinds=[graph.kinds[unit] for unit in units],
        words=[graph.words[token] for token in tokens],
        punct=[graph.punct[token] for token in tokens],
        paragraphs=[graph.paragraphs[token] for token in tokens],
        edges=renumber_edges((old[i] for i in kept), number, place),
        scores={new: scores[i] for new, i in enumerate(kept) if i in scores} if scores else {},
        details=plain_details(graph) if details is None else details,
        check=check,
    )


CanonicalForm = tuple[tuple[str, ...], tuple[tuple, ...]]


def canonical_form(graph: "Graph") -> CanonicalForm:
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
    depths = [0] * len(graph.kinds)
    for unit in reversed(graph.bottom_up()):
        edge = graph.index.parent_edge[unit]
        depths[unit] = 0 if edge < 0 else depths[graph.edge_tuples[edge].parent] + 1
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
