"""Graphs of plain values that others may have changed: JSON, data frames, NetworkX. What is missing or of another type is named with
its place."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import Errors, FormatError
from ..graph import EdgeTuple, Graph
from ..graph.categories import join_categories, split_label
from ..graph.data import with_guidelines
from .plain_json import Checked
from .text import check_labels


def read_plain_graph(
    tokens: Sequence[Checked],
    units: Sequence[Checked],
    edges: Sequence[Checked],
    *,
    details: Mapping[str, Any],
    guidelines: str = "",
    labels: bool = False,
) -> Graph:
    """Make a graph of plain values.

    tokens (Sequence[Checked]): Each with `text` and, perhaps, `punct` and `paragraph`.
    units (Sequence[Checked]): Each with its `kind`.
    edges (Sequence[Checked]): Each with its `parent`, `child` or `token`, `categories`, and, perhaps, `remote` and `score`.
    details (Mapping[str, Any]): The details.
    guidelines (str): The name of the guidelines; "" if the details name them.
    labels (bool): Whether edges have a `label`, such as "S|A", and `categories` only if these are in another order ("A|S").
    RETURNS (Graph): The graph.
    RAISES (UccaError): If a value is missing or of another type, or the graph is broken.
    """
    punct = [token.maybe("punct", bool, int) for token in tokens]
    scores = {i: edge.maybe("score", float, int) for i, edge in enumerate(edges)}
    return Graph(
        [token.get("text", str) for token in tokens],
        [unit.get("kind", str) for unit in units],
        [_edge(edge, labels) for edge in edges],
        punct=None if None in punct else punct,
        paragraphs=[token.maybe("paragraph", int) or 1 for token in tokens],
        details=with_guidelines(details, guidelines) if guidelines else details,
        scores={i: float(score) for i, score in scores.items() if score is not None},
    )


def _edge(edge: Checked, labels: bool) -> EdgeTuple:
    key = "child" if edge.data.get("child") is not None else "token"
    if edge.data.get(key) is None:
        edge.fail(Errors.UC663)
    if labels:
        label, order = edge.get("label", str), edge.data.get("categories")
        is_same = isinstance(order, str) and join_categories(split_label(order)) == label
        categories = split_label(str(order) if is_same else label)
    else:
        given = edge.get("categories", list)
        checked = (Checked({"categories": value}, edge.where) for value in given)
        categories = tuple(each.get("categories", str) for each in checked)
    child = edge.data[key]
    remote = bool(edge.maybe("remote", bool, int))
    return EdgeTuple(edge.data["parent"], child if key == "child" else ~child, categories, remote)


def renumbered(
    edges: Sequence[Checked], tokens: Sequence[Any], units: Sequence[Any]
) -> list[Checked]:
    """Let edges say places in tables in place of numbers.

    edges (Sequence[Checked]): The edges, with the numbers of `parent`, and of `child` or `token`.
    tokens (Sequence[Any]): The number of each token.
    units (Sequence[Any]): The number of each unit.
    RETURNS (List[Checked]): The edges.
    RAISES (FormatError): If a number is missing, that of two, or that of none.
    """
    places = {"token": places_of("tokens", tokens), "child": places_of("units", units)}
    places["parent"] = places["child"]
    found = []
    for edge in edges:
        ends = {"parent": edge.get("parent", int)}
        ends |= {key: n for key in ("child", "token") if (n := edge.maybe(key, int)) is not None}
        for key, number in ends.items():
            if number not in places[key]:
                what = "tokens" if key == "token" else "units"
                edge.fail(Errors.UC669, key=key, value=number, n=len(places[key]), what=what)
            ends[key] = places[key][number]
        found.append(Checked({**edge.data, **ends}, edge.where))
    return found


def places_of(what: str, numbers: Sequence[Any]) -> dict[Any, int]:
    """RETURNS (Dict[Any, int]): The place of each number. RAISES (FormatError): If one is there twice."""
    places: dict[Any, int] = {}
    for i, number in enumerate(numbers):
        if places.setdefault(number, i) != i:
            raise FormatError(Errors.UC722.format(what=what, number=number))
    return places


def check_plain_labels(graph: Graph, title: str) -> None:
    """RAISES (FormatError): If a label such as "S|A" cannot hold the categories of an edge."""

    def comes_back(edge: EdgeTuple) -> bool:
        return sorted(split_label(join_categories(edge.categories))) == sorted(edge.categories)

    check_labels(graph, title, comes_back)
