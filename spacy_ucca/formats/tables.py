"""Graphs as data frames of pandas: one of tokens, one of units, one of edges.

| table | columns |
|---|---|
| `tokens` | `text`, `start`, `end`, `punct`, `paragraph`; `unit`: the one it hangs on, with its `label`; `scene` |
| `units` | `kind`, `label`, `parent`, `scene`, `text`, `start`, `end` |
| `edges` | `parent`; `child`, or `token` where it leads to one; `label` such as "S|A"; `remote`; `score` |

The index of a table has the numbers that `unit`, `parent`, `child` and `token` speak of. `scene` is the number in `graph.scenes` of the
smallest Scene. Details are in `units.attrs`. Rows may be taken away before the tables are read back. `edges.attrs` has the
categories of edges where these are in another order than that of the label.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import Errors, FormatError, GraphError
from ..graph import Graph
from ..graph.categories import SEPARATOR, join_categories
from ..methods import load_package
from ..text.spacing import find_places
from .plain_graph import check_plain_labels, read_plain_graph, renumbered
from .plain_json import Checked
from .scenes import scene_numbers

NEEDED = {"tokens": ("text",), "units": ("kind",), "edges": ("parent", "child", "token", "label")}
NUMBERS = ("parent", "child", "token", "paragraph")
REMEDY = "Give the three tables that `graph.to_pandas()` returns."


class GraphTables(NamedTuple):
    """A graph as data frames.

    tokens (pandas.DataFrame): A row for each token.
    units (pandas.DataFrame): A row for each unit.
    edges (pandas.DataFrame): A row for each edge, those to tokens included.
    """

    tokens: Any
    units: Any
    edges: Any


def to_pandas(graph: Graph, doc: Any = None) -> GraphTables:
    """Write a graph as data frames.

    graph (Graph): The graph.
    doc (Optional[Doc]): The Doc that it is of: see `find_places`.
    RETURNS (GraphTables): The tables.
    RAISES (UccaError): If pandas is not installed, the Doc has other tokens, or a label cannot hold the categories of an edge.
    """
    pandas = load_package("pandas")
    check_plain_labels(graph, "a label")
    places = find_places(graph, doc)
    scenes = scene_numbers(graph)
    units = [graph[i] for i in range(len(graph))]
    parents = [None if unit.parent is None else unit.parent.index for unit in units]
    owners = [None if e < 0 else graph.edge_tuples[e].parent for e in graph.index.token_edge]
    nowhere: list[Any] = [(None, None)]
    spans = [places.offsets(i) or nowhere for i in range(len(graph))]
    edges = graph.edge_tuples

    def numbers(values: Sequence[int | None]) -> Any:
        return pandas.array(values, dtype="Int64")

    def frame(name: str, columns: dict[str, Any], n: int) -> Any:
        return pandas.DataFrame(columns, index=pandas.RangeIndex(n, name=name))

    tokens = {
        "text": [*graph.words],
        "start": numbers([start for start, _ in places.tokens]),
        "end": numbers([end for _, end in places.tokens]),
        "punct": pandas.array(graph.punct, dtype="bool"),
        "paragraph": numbers(graph.paragraphs),
        "unit": numbers(owners),
        "label": ["" if i is None else units[i].label for i in owners],
        "scene": numbers([None if i is None else scenes[i] for i in owners]),
    }
    table_of_units = {
        "kind": [*graph.kinds],
        "label": [unit.label for unit in units],
        "parent": numbers(parents),
        "scene": numbers(scenes),
        "text": [places.text_of(i) for i in range(len(graph))],
        "start": numbers([found[0][0] for found in spans]),
        "end": numbers([found[-1][1] for found in spans]),
    }
    table_of_edges = {
        "parent": numbers([edge.parent for edge in edges]),
        "child": numbers([edge.child if edge.child >= 0 else None for edge in edges]),
        "token": numbers([~edge.child if edge.child < 0 else None for edge in edges]),
        "label": [join_categories(edge.categories) for edge in edges],
        "remote": pandas.array([edge.remote for edge in edges], dtype="bool"),
        "score": pandas.array([graph.scores.get(i) for i in range(len(edges))], dtype="Float64"),
    }
    found = GraphTables(
        frame("token", tokens, len(graph.words)),
        frame("unit", table_of_units, len(graph)),
        frame("edge", table_of_edges, len(edges)),
    )
    found.units.attrs["details"] = dict(graph.details)
    found.edges.attrs["categories"] = [
        [i, SEPARATOR.join(edge.categories)]
        for i, edge in enumerate(edges)
        if SEPARATOR.join(edge.categories) != table_of_edges["label"][i]
    ]
    return found


def from_pandas(tables: Sequence[Any]) -> Graph:
    """Read what `to_pandas` gave.

    tables (GraphTables): The tables of tokens, units and edges. Columns that follow from others are not read.
    RETURNS (Graph): The graph, in the order of the rows.
    RAISES (GraphError): If a table, a column or a value is missing or wrong.
    """
    pandas = load_package("pandas")
    given = [*tables] if isinstance(tables, list | tuple) else []
    if len(given) != 3 or not all(isinstance(table, pandas.DataFrame) for table in given):
        found = type(tables).__name__
        raise GraphError(
            Errors.UC665.format(found=found, wanted="three data frames of pandas", remedy=REMEDY)
        )
    named = GraphTables(*given)
    rows = {name: _rows(pandas, name, getattr(named, name)) for name in NEEDED}
    for number, row in enumerate(rows["tokens"]):
        if row.data.get("text", "") is None:
            raise GraphError(Errors.UC588.format(row=number))
    try:
        edges = renumbered(rows["edges"], [*named.tokens.index], [*named.units.index])
        details = named.units.attrs.get("details") or {}
        orders = dict(named.edges.attrs.get("categories") or ())
        for number, edge in zip(named.edges.index, edges, strict=True):
            edge.data["categories"] = orders.get(number)
        return read_plain_graph(rows["tokens"], rows["units"], edges, details=details, labels=True)
    except FormatError as err:
        raise GraphError(Errors.UC661.format(reason=err, remedy=REMEDY)) from None


def _rows(pandas: Any, name: str, table: Any) -> list[Checked]:
    """RETURNS (List[Checked]): The rows of a table as values of Python, None where there is none.
    RAISES (GraphError): If a column is missing."""
    for column in NEEDED[name]:
        if column not in table.columns:
            names = ", ".join(map(str, table.columns)) or "none"
            raise GraphError(
                Errors.UC667.format(table=name, name=column, names=names, remedy=REMEDY)
            )
    columns = [column for column in table.columns if isinstance(column, str)]
    values = zip(*(map(_value, [column] * len(table), table[column]) for column in columns))
    return [
        Checked(dict(zip(columns, row)), f"Table {name}, row {label}")
        for label, row in zip(table.index, values)
    ]


def _value(column: str, value: Any) -> Any:
    """RETURNS (Any): A value of a data frame as one of Python: numbers are often floats where some are missing."""
    value = value.item() if hasattr(value, "item") else value
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    is_whole = column in NUMBERS and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole else value
