"""Graphs for NetworkX: a `MultiDiGraph` with a node for each unit ("u0") and each token ("t0").

| of | attributes |
|---|---|
| units | `kind` (FN, PNCT, LKG or IMPLICIT), `index`, `text`, `label`: that of the primary edge |
| tokens | `kind` ("token"), `index`, `text`, `start`, `end`, `punct`, `paragraph` |
| edges | `label` such as "S|A", `remote`, `index`; `score` where there is one, `categories` where they have another order ("A|S") |
| the graph | `guidelines`, `details` as JSON |

All values are text, numbers and flags, so that NetworkX can write them, such as to GraphML. Nodes and edges may be taken away before
the graph is read back.
"""

import json
from typing import Any

from ..errors import Errors, FormatError, GraphError
from ..graph import Graph
from ..graph.categories import SEPARATOR, join_categories
from ..methods import load_package
from ..text.spacing import find_places
from .plain_graph import check_plain_labels, places_of, read_plain_graph
from .plain_json import Checked, parse_json

TOKEN = "token"
REMEDY = "Give units `kind`, tokens `kind` 'token', `text` and `index`, and edges `label`, as `graph.to_networkx()` does."


def to_networkx(graph: Graph, doc: Any = None) -> Any:
    """Write a graph for NetworkX.

    graph (Graph): The graph.
    doc (Optional[Doc]): The Doc that it is of: see `find_places`.
    RETURNS (networkx.MultiDiGraph): Units, tokens and edges.
    RAISES (UccaError): If NetworkX is not installed, the Doc has other tokens, or a label cannot hold the categories of an edge.
    """
    networkx = load_package("networkx")
    check_plain_labels(graph, "a label")
    places = find_places(graph, doc)
    details = json.dumps(graph.details, ensure_ascii=False)
    found = networkx.MultiDiGraph(guidelines=graph.guidelines, details=details)
    for i, unit in enumerate(map(graph.__getitem__, range(len(graph)))):
        found.add_node(f"u{i}", kind=unit.kind, index=i, label=unit.label, text=places.text_of(i))
    for i, (word, (start, end)) in enumerate(zip(graph.words, places.tokens, strict=True)):
        flags = {"punct": graph.punct[i], "paragraph": graph.paragraphs[i]}
        found.add_node(f"t{i}", kind=TOKEN, index=i, text=word, start=start, end=end, **flags)
    for i, edge in enumerate(graph.edge_tuples):
        child = f"u{edge.child}" if edge.child >= 0 else f"t{~edge.child}"
        score = {"score": graph.scores[i]} if i in graph.scores else {}
        label, order = join_categories(edge.categories), SEPARATOR.join(edge.categories)
        more = score if order == label else {**score, "categories": order}
        found.add_edge(f"u{edge.parent}", child, label=label, remote=edge.remote, index=i, **more)
    return found


def from_networkx(data: Any) -> Graph:
    """Read what `to_networkx` gave, or a graph with the same attributes. Nodes may have any names.

    data (networkx.DiGraph): The graph. Units need `kind`, tokens `kind`, `text` and `index`, edges `label`.
    RETURNS (Graph): The graph. Units and edges are in the order of their `index` or, without, as they come.
    RAISES (GraphError): If an attribute is missing or wrong.
    """
    is_network = hasattr(data, "nodes") and hasattr(data, "edges") and data.is_directed()
    if not is_network or not (data.nodes or "details" in data.graph):  # a graph may be empty
        found = f"{type(data).__name__} without nodes" if is_network else type(data).__name__
        wanted = "a directed graph of NetworkX, with units and tokens"
        raise GraphError(Errors.UC665.format(found=found, wanted=wanted, remedy=REMEDY))
    try:
        return _read(data)
    except FormatError as err:
        raise GraphError(Errors.UC661.format(reason=err, remedy=REMEDY)) from None


def _read(data: Any) -> Graph:
    tokens: list[tuple[Any, Checked]] = []
    units: list[tuple[Any, Checked]] = []
    for node, values in data.nodes(data=True):
        checked = Checked(dict(values), f"Node {node!r}")
        is_token = checked.get("kind", str) == TOKEN
        (tokens if is_token else units).append((node, checked))
        if is_token:
            checked.get("index", int)
    number: dict[Any, tuple[str, int]] = {}
    for key, nodes in (("token", tokens), ("child", units)):
        nodes.sort(key=lambda item: item[1].maybe("index", int) or 0)
        number.update((node, (key, i)) for i, (node, _) in enumerate(nodes))
    places_of("tokens", [token.data["index"] for _, token in tokens])
    edges = []
    for parent, child, values in data.edges(data=True):
        where = f"Edge {parent!r} to {child!r}"
        key, i = number[child]
        if number[parent][0] == "token":
            raise FormatError(Errors.UC666.format(where=where))
        edges.append(Checked({**values, "parent": number[parent][1], key: i}, where))
    edges.sort(key=lambda edge: edge.maybe("index", int) or 0)
    whole = Checked(dict(data.graph), "The graph")
    details = parse_json(whole.maybe("details", str) or "{}", "The graph, details")
    return read_plain_graph(
        [token for _, token in tokens],
        [unit for _, unit in units],
        edges,
        details=details,
        guidelines=whole.maybe("guidelines", str) or "",
        labels=True,
    )
