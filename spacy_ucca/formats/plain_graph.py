"""Graphs of plain values that others may have changed: JSON, data frames, NetworkX. What is missing or of another type is named with
its place."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from ..errors import Errors, UccaError
from ..graph import EdgeTuple, Graph
from ..graph.categories import join_categories, split_label
from ..graph.details import with_guidelines
from .labels import check_labels
from .plain_json import Checked

__all__ = ["check_plain_labels", "load_package", "read_plain_graph"]


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
    labels (bool): Whether edges have a `label`, such as "S|A", in place of `categories`.
    RETURNS (Graph): The graph.
    RAISES (UccaError): If a value is missing or of another type, or the graph is broken.
    """
    punct = [token.maybe("punct", bool, int) for token in tokens]
    scores = {i: edge.maybe("score", float, int) for i, edge in enumerate(edges)}
    return Graph(
        [token.get("text", str) for token in tokens],
        [unit.get("kind", str) for unit in units],
        [_edge(edge, len(tokens), len(units), labels) for edge in edges],
        punct=None if None in punct else punct,
        paragraphs=[token.maybe("paragraph", int) or 1 for token in tokens],
        details=with_guidelines(details, guidelines) if guidelines else details,
        scores={i: float(score) for i, score in scores.items() if score is not None},
    )


def _edge(edge: Checked, n_tokens: int, n_units: int, labels: bool) -> EdgeTuple:
    key = "child" if edge.data.get("child") is not None else "token"
    if edge.data.get(key) is None:
        edge.fail(Errors.UC663)
    ends = {"parent": n_units, key: n_units if key == "child" else n_tokens}
    for name, n in ends.items():
        if not 0 <= edge.get(name, int) < n:
            what = "tokens" if name == "token" else "units"
            edge.fail(Errors.UC664, key=name, value=edge.data[name], n=n, what=what)
    if labels:
        categories = split_label(edge.get("label", str))
    else:
        given = edge.get("categories", list)
        checked = (Checked({"categories": value}, edge.where) for value in given)
        categories = tuple(each.get("categories", str) for each in checked)
    child = edge.data[key]
    remote = bool(edge.maybe("remote", bool, int))
    return EdgeTuple(edge.data["parent"], child if key == "child" else ~child, categories, remote)


def check_plain_labels(graph: Graph, title: str) -> None:
    """RAISES (FormatError): If a label such as "S|A" cannot hold the categories of an edge."""

    def comes_back(edge: EdgeTuple) -> bool:
        return sorted(split_label(join_categories(edge.categories))) == sorted(edge.categories)

    check_labels(graph, title, comes_back)


def load_package(name: str) -> Any:
    """Import a package that not everybody has.

    name (str): "networkx", "pandas" or "pyarrow".
    RETURNS (module): The package.
    RAISES (UccaError): If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise UccaError(
            Errors.UC570.format(package=name, install="pip install 'spacy-ucca[data]'")
        ) from None
