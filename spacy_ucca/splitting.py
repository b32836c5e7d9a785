"""Passages to sentences and back to one root: by annotation, by given ends, by given sentences.

The rules are those of the `ucca` package (Hershcovich et al.), whose sentences published results rest
on. Files, and moving graphs to other tokens, are elsewhere.
"""

from .graph import EdgeTuple, Graph

__all__ = ["merge_roots"]


def merge_roots(graph: Graph) -> Graph:
    """Put the children of all roots under the first root, as the `ucca` package joins passages: its
    evaluation looks at one root only.

    graph (Graph): A graph, such as that of a Doc of several sentences.
    RETURNS (Graph): The graph with one root; the graph itself, if it has no more than one.
    """
    roots = [root.index for root in graph.roots]
    if len(roots) < 2:
        return graph
    merged = set(roots[1:])
    kept = [unit for unit in range(len(graph.kinds)) if unit not in merged]
    number = {unit: i for i, unit in enumerate(kept)}
    number.update((unit, number[roots[0]]) for unit in merged)
    edges = [
        EdgeTuple(number[e.parent], number[e.child] if e.child >= 0 else e.child, *e[2:])
        for e in graph.edge_tuples
    ]
    details = {key: graph.details[key] for key in ("id",) if key in graph.details}
    kinds = [graph.kinds[unit] for unit in kept]
    return Graph(
        graph.words,
        kinds,
        edges,
        punct=graph.punct,
        paragraphs=graph.paragraphs,
        details=details,
    )
