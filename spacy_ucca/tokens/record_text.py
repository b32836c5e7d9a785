"""Write the record of a graph as JSON, without making the record first."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..graph import Graph
from ..graph.record import RECORD_VERSION, score_steps
from ..native.load import tree_walk
from .storage import record_to_text


def graph_to_text(graph: Graph, *, words: Any, **more: Sequence[int]) -> str:
    """Write what `record_to_text(make_record(...))` gives.

    graph (Graph): The graph.
    words (Any): What to have in the place of its words.
    more (Sequence[int]): More entries of the record.
    RETURNS (str): The JSON, without spaces.
    """
    kinds = {kind: record_to_text(kind) for kind in set(graph.kinds)}
    entries = {
        "version": RECORD_VERSION,
        "words": record_to_text(words),
        "punct": _integers(graph.punct),
        "paragraphs": _integers(graph.paragraphs),
        "units": f"[{','.join([kinds[kind] for kind in graph.kinds])}]",
        "edges": f"[{tree_walk.write_edges(graph.edge_tuples, _end_of_edge)}]",
        "details": record_to_text(graph.details),
    }
    if graph.scores:
        entries["scores"] = record_to_text(score_steps(graph))
    for name, values in more.items():
        entries[name] = _integers(values)
    return "{" + ",".join([f'"{name}":{text}' for name, text in entries.items()]) + "}"


def _integers(values: Iterable[int]) -> str:
    return str([*map(int, values)]).replace(" ", "")


def _end_of_edge(categories: Sequence[str], remote: bool) -> str:
    """RETURNS (str): What follows parent and child in the JSON of an edge."""
    return record_to_text([1 if remote else 0, *categories])[1:]
