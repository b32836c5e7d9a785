"""JSON lines of this package: a graph's record in each line, after its id. `parse --to jsonl` writes them.

    {"id": "504", "version": 1, "words": ["Ann", "left"], "punct": [0, 0], "paragraphs": [1, 1],
     "units": ["FN", "FN", "FN", "FN"], "edges": [[0, 1, 0, "H"], [1, 2, 0, "A"], [2, -1, 0, "Terminal"], ...],
     "details": {"id": "504", "text": "Ann left"}, "scores": [0.98, ...]}

An edge has its parent, its child (`~token` where it leads to a token), 1 if it is remote, and its categories.

Keeps: everything. Loses: digits of scores after the third.
"""

import json
from typing import Any

from ..errors import Errors, GraphError
from ..graph import Graph
from .plain_json import Checked, is_finite, iter_objects


def read_jsonl(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read graphs.

    text (str): Lines of JSON.
    source (str): What to call the text in messages, such as the name of its file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graph of each line.
    RAISES (FormatError): If a line is no record of a graph; the message says where and why.
    """
    return [read_object(data) for data in iter_objects(text, source, first_line)]


def write_jsonl(graph: Graph) -> str:
    """RETURNS (str): A graph as one line of JSON."""
    record = {"id": str(graph.details.get("id", "")), **graph.to_record()}
    return json.dumps(record, ensure_ascii=False) + "\n"


def read_object(data: Checked) -> Graph:
    """RETURNS (Graph): The graph of a record. RAISES (FormatError): If it is none."""
    n = len(_list(data, "words", str))
    for key in ("punct", "paragraphs"):
        if len(_list(data, key, int)) != n:
            data.fail(Errors.UC535, key=key, n=len(data.data[key]), words=n)
    _list(data, "units", str)
    edges = data.get("edges", list)
    for i, edge in enumerate(edges):
        if not _is_edge(edge):
            data.fail(Errors.UC536, index=i)
    scores = data.maybe("scores", list) or [None] * len(edges)
    if len(scores) != len(edges) or not all(s is None or _is_number(s) for s in scores):
        data.fail(Errors.UC537, n=len(edges))
    details = data.object("details")
    graph_id = data.maybe("id", str, int)
    try:
        graph = Graph.from_record(data.data)
    except (GraphError, IndexError) as err:
        data.fail(Errors.UC114, reason=err)
    if graph_id in (None, "") or (details is not None and "id" in details.data):
        return graph
    return graph.replace(details={"id": str(graph_id), **graph.details})


def _list(data: Checked, key: str, kind: type) -> list[Any]:
    """RETURNS (List[Any]): A list of values of one type. RAISES (FormatError): If it is none."""
    values: list[Any] = data.get(key, list)
    for i, value in enumerate(values):
        # Checks the value as one that has this place
        Checked({key: value}, f"{data.where}, {key}[{i}]").get(key, kind)
    return values


def _is_edge(edge: Any) -> bool:
    if not (isinstance(edge, list) and len(edge) > 3):
        return False
    ends = all(isinstance(n, int) and not isinstance(n, bool) for n in edge[:2])
    return ends and edge[2] in (0, 1) and all(isinstance(c, str) for c in edge[3:])


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and is_finite(value)
