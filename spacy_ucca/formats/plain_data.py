"""A graph as one object of JSON that programs without this package can use: `Graph.to_json`, in the manner of `Doc.to_json`.

    {"version": 1, "text": "Ann left", "guidelines": "v2", "details": {...},
     "tokens": [{"id": 0, "start": 0, "end": 3, "punct": false, "paragraph": 1}, ...],
     "units": [{"id": 0, "kind": "FN", "label": "", "parent": null, "offsets": [[0, 8]]}, ...],
     "edges": [{"parent": 0, "child": 1, "categories": ["H"], "remote": false, "score": 0.98},
               {"parent": 2, "token": 0, "categories": ["Terminal"], "remote": false, "score": null}, ...],
     "scenes": [...]}

`parent` and `child` are ids of units, `token` is one of a token. A token that is spelled otherwise in the text has its own `text`.
Scenes are described in `scenes.py`; they, and the labels, parents and offsets of units, follow from the rest and are not read back.
"""

import json
from operator import itemgetter
from typing import Any

from ..errors import Errors, FormatError, GraphError
from ..graph import Graph
from ..text.spacing import find_places
from .plain_graph import read_plain_graph, renumbered
from .plain_json import Checked
from .records import read_object
from .scenes import scene_records

VERSION = 1
NAME = "JSON of a graph"


def to_json(graph: Graph, doc: Any = None) -> dict[str, Any]:
    """Write a graph as plain data.

    graph (Graph): The graph.
    doc (Optional[Doc]): The Doc that it is of: see `find_places`.
    RETURNS (Dict[str, Any]): Text, tokens, units, edges, Scenes.
    RAISES (UccaError): If the Doc has other tokens.
    """
    places = find_places(graph, doc)
    return {
        "version": VERSION,
        "text": places.text,
        "guidelines": graph.guidelines,
        "details": dict(graph.details),
        "tokens": [
            {
                **{"id": i, "start": start, "end": end},
                **({} if word == places.text[start:end] else {"text": word}),
                **{"punct": graph.punct[i], "paragraph": graph.paragraphs[i]},
            }
            for i, (word, (start, end)) in enumerate(zip(graph.words, places.tokens, strict=True))
        ],
        "units": [
            {
                "id": unit.index,
                "kind": unit.kind,
                "label": unit.label,
                "parent": unit.parent.index if unit.parent else None,
                "offsets": [[*span] for span in places.offsets(unit.index)],
            }
            for unit in map(graph.__getitem__, range(len(graph)))
        ],
        "edges": [
            {
                "parent": edge.parent,
                **({"child": edge.child} if edge.child >= 0 else {"token": ~edge.child}),
                "categories": [*edge.categories],
                "remote": edge.remote,
                "score": graph.scores.get(i),
            }
            for i, edge in enumerate(graph.edge_tuples)
        ],
        "scenes": [*scene_records(graph, places)],
    }


def from_json(data: Any) -> Graph:
    """Read what `to_json` gave, or the record of a graph.

    data (Dict[str, Any]): The plain data. Scenes, and what else follows from edges, are not read.
    RETURNS (Graph): The graph.
    RAISES (GraphError): If the version is another one, or a value is missing or wrong.
    """
    try:
        whole = Checked(data, NAME)
        if whole.get("version", int) != VERSION:
            named = {"what": "JSON of the graph", "version": data["version"]}
            raise GraphError(Errors.UC009.format(**named, expected=VERSION))
        details = whole.maybe("details", dict) or {}
        try:
            json.dumps(details, allow_nan=False)
        except (ValueError, TypeError, RecursionError) as err:
            raise FormatError(Errors.UC114.format(where=f"{NAME}, details", reason=err)) from None
        if "words" in whole.data and "text" not in whole.data:
            return read_object(whole)
        text = whole.get("text", str)
        tokens, units = _by_id(whole.objects("tokens")), _by_id(whole.objects("units"))
        return read_plain_graph(
            [_with_text(token, text) for _, token in tokens],
            [unit for _, unit in units],
            renumbered(whole.objects("edges"), [i for i, _ in tokens], [i for i, _ in units]),
            details=details,
            guidelines=whole.maybe("guidelines", str) or "",
        )
    except FormatError as err:
        raise GraphError(
            Errors.UC661.format(reason=err, remedy="Give what `graph.to_json()` returns.")
        ) from None


def _by_id(items: list[Checked]) -> list[tuple[int, Checked]]:
    """RETURNS (List[Tuple[int, Checked]]): Objects by their ids, in this order; by their places, if none has an id."""
    if not any("id" in item.data for item in items):
        return list(enumerate(items))
    return sorted(((item.get("id", int), item) for item in items), key=itemgetter(0))


def _with_text(token: Checked, text: str) -> Checked:
    start, end = token.get("start", int), token.get("end", int)
    if not 0 <= start <= end <= len(text):
        token.fail(Errors.UC662, start=start, end=end, n=len(text))
    return Checked({"text": text[start:end], **token.data}, token.where)
