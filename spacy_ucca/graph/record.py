"""Graphs as plain data: lists, numbers and strings, for JSON and msgpack."""

from collections.abc import Mapping
from typing import Any

from ..errors import Errors, GraphError
from .data import GraphData

RECORD_VERSION = 1
SCORE_STEPS = 1000  # scores are whole numbers of these in records: a float takes long to write


def make_record(graph: GraphData, *, words: Any = None) -> dict[str, Any]:
    """Make the record of a graph.

    graph (Graph): The graph.
    words (Any): What to have in the place of its words.
    RETURNS (Dict[str, Any]): Its words, flags, paragraphs, kinds of units, edges (parent, child or `~token`,
        remote, categories) and details; `scores` by the number of the edge, if it has some.
    """
    record: dict[str, Any] = {
        "version": RECORD_VERSION,
        "words": list(graph.words) if words is None else words,
        "punct": list(map(int, graph.punct)),
        "paragraphs": list(graph.paragraphs),
        "units": list(graph.kinds),
        "edges": [
            [parent, child, 1 if remote else 0, *categories]
            for parent, child, categories, remote in graph.edge_tuples
        ],
        "details": graph.details,
    }
    if graph.scores:
        record["scores"] = score_steps(graph)
    return record


def score_steps(graph: GraphData) -> list[int | None]:
    """RETURNS (List[Optional[int]]): The score of each edge in steps, None where it has none."""
    steps: list[int | None] = [None] * len(graph.edge_tuples)
    for i, score in graph.scores.items():
        steps[i] = round(SCORE_STEPS * score)
    return steps


def read_record(record: Any) -> dict[str, Any]:
    """Read a record back; lists may have become tuples on the way, as in spaCy's DocBin.

    record (Any): What `make_record` gave.
    RETURNS (Dict[str, Any]): The arguments of `Graph`, edges as plain tuples.
    RAISES (GraphError): If it is no record, or of another version.
    """
    if not isinstance(record, Mapping) or "version" not in record:
        raise GraphError(Errors.UC010.format(reason="it has no version"))
    if record["version"] != RECORD_VERSION:
        raise GraphError(Errors.UC009.format(version=record["version"], expected=RECORD_VERSION))
    try:
        scores = enumerate(record.get("scores") or ())
        return {
            "words": record["words"],
            "kinds": record["units"],
            "edges": [(e[0], e[1], tuple(e[3:]), bool(e[2])) for e in record["edges"]],
            "punct": record["punct"],
            "paragraphs": record["paragraphs"],
            "details": _lists(record.get("details") or {}),
            "scores": {i: score / SCORE_STEPS for i, score in scores if score is not None},
        }
    except (KeyError, IndexError, TypeError) as err:
        raise GraphError(Errors.UC010.format(reason=repr(err))) from None


def _lists(value: Any) -> Any:
    """Plain data with lists again where msgpack made tuples of them."""
    if isinstance(value, list | tuple):
        return [_lists(v) for v in value]
    return {k: _lists(v) for k, v in value.items()} if isinstance(value, dict) else value
