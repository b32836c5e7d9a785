"""Copy a part of a graph under new numbers, with the scores and details that belong to it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from .data import AnyGraph
from .details import plain_details
from .index import EdgeTuple


class Numbers(Protocol):
    """New numbers by the old ones, such as a list, a dict or a range."""

    def __getitem__(self, old: int, /) -> int: ...


def renumber_edges(
    edges: Iterable[EdgeTuple], units: Numbers, tokens: Numbers | None = None
) -> list[EdgeTuple]:
    """Give the units and tokens of edges other numbers.

    edges (Iterable[EdgeTuple]): The edges.
    units (Numbers): The new number of each unit.
    tokens (Optional[Numbers]): The new number of each token; the same as before, if it is not given.
    RETURNS (List[EdgeTuple]): The edges, in the same order.
    """
    if tokens is None:
        return [
            EdgeTuple(units[parent], units[child] if child >= 0 else child, categories, remote)
            for parent, child, categories, remote in edges
        ]
    return [
        EdgeTuple(
            units[parent], units[child] if child >= 0 else ~tokens[~child], categories, remote
        )
        for parent, child, categories, remote in edges
    ]


def subgraph(
    graph: AnyGraph,
    *,
    units: Sequence[int] | None = None,
    edges: Iterable[int] | None = None,
    tokens: Sequence[int] | None = None,
    details: Mapping[str, Any] | None = None,
    check: bool = True,
) -> AnyGraph:
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
    fields: dict[str, Any] = {}
    unit_numbers: Numbers = range(len(graph.kinds))
    token_numbers: Numbers | None = None
    indices: Sequence[int] = range(len(graph.edge_tuples)) if edges is None else [*edges]
    old = graph.edge_tuples
    if units is not None:
        numbers = {unit: i for i, unit in enumerate(units)}
        if edges is None:
            out = graph.index.out
            indices = sorted(i for unit in numbers for i in out[unit])
        indices = [i for i in indices if old[i].parent in numbers]
        indices = [i for i in indices if old[i].child < 0 or old[i].child in numbers]
        fields["kinds"] = [graph.kinds[unit] for unit in units]
        unit_numbers = numbers
    if tokens is not None:
        places = {token: i for i, token in enumerate(tokens)}
        indices = [i for i in indices if old[i].child >= 0 or ~old[i].child in places]
        for name in ("words", "punct", "paragraphs"):
            values = getattr(graph, name)
            fields[name] = [values[token] for token in tokens]
        token_numbers = places
    scores = graph.scores
    return graph.replace(
        **fields,
        edges=renumber_edges((old[i] for i in indices), unit_numbers, token_numbers),
        scores={new: scores[i] for new, i in enumerate(indices) if i in scores} if scores else {},
        details=plain_details(graph) if details is None else details,
        check=check,
    )
