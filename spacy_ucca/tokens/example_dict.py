"""`Example.from_dict(doc, {"ucca": ...})`: gold graphs in the data that spaCy's examples are made of.

`Example` has no place for keys of others, so two functions of its module are wrapped: that which reads the dict puts "ucca" aside with
the spans, and that which sets the spans of the reference sets its graph.
"""

from collections.abc import Mapping
from functools import wraps
from typing import Any

from spacy.tokens import Doc
from spacy.training import example

KEY = "ucca"


class _Spans(dict[str, Any]):
    """Spans by key, with a graph."""

    graph: Any


def accept_graphs() -> None:
    """Have `Example.from_dict` take the key "ucca". Calling it again changes nothing, nor does a spaCy without these functions."""
    read = getattr(example, "_fix_legacy_dict_data", None)
    add = getattr(example, "_add_spans_to_doc", None)
    if read is None or add is None or hasattr(read, "__wrapped__"):
        return

    @wraps(read)
    def read_dict(data: Mapping[str, Any]) -> dict[str, Any]:
        data = {**data, "doc_annotation": {**data.get("doc_annotation", {})}}
        inner = data["doc_annotation"].pop(KEY, None)
        graph = data.pop(KEY, inner)
        found: dict[str, Any] = read(data)
        if graph is not None:
            annotation = found["doc_annotation"]
            annotation["spans"] = spans = _Spans(annotation.get("spans") or {})
            spans.graph = graph
        return found

    @wraps(add)
    def add_spans(doc: Doc, spans: Any) -> None:
        add(doc, spans)
        if isinstance(spans, _Spans):
            from .extension import set_graph

            set_graph(doc, spans.graph)

    example._fix_legacy_dict_data = read_dict
    example._add_spans_to_doc = add_spans  # type: ignore[attr-defined]
