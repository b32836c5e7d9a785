"""Graphs as rows of the schema: `Graph.to_arrow`, what `parse` writes, and files of these as commands read them."""

import io
import json
from typing import Any

from ..errors import Errors, FormatError, GraphError
from ..formats.text import SURROGATES
from ..graph import Graph
from ..graph.data import TEXT
from ..methods import load_package
from ..text.spacing import find_places


def to_arrow(graph: Graph, doc: Any = None) -> Any:
    """Write a graph as a table with one row: see `schema.py`.

    graph (Graph): The graph.
    doc (Optional[Doc]): The Doc that it is of: see `find_places`.
    RETURNS (pyarrow.Table): The table.
    RAISES (UccaError): If PyArrow is not installed, or the Doc has other tokens.
    """
    load_package("pyarrow")
    from .rows import make_table

    return make_table([row_of_graph(graph, doc)])


def row_of_graph(graph: Graph, doc: Any = None) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): A graph as `rows.graph_row` writes it; sentences are those of its roots."""
    from .rows import graph_row

    places = find_places(graph, doc)
    if SURROGATES.search(places.text):
        raise FormatError(Errors.UC719)
    first = {min(root.tokens(), default=-1) for root in graph.roots}
    starts = [i in first for i in range(len(graph.words))]
    name = graph.details.get("id")
    return graph_row(None if name is None else str(name), places, starts)


def row_of_text(graph: Graph) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): A graph as a row. What its columns have, its details have no second time."""
    more = {key: value for key, value in graph.details.items() if key not in ("id", TEXT)}
    details = json.dumps(more, ensure_ascii=False) if more else None
    return {**row_of_graph(graph), "details": details}


def read_parquet(data: bytes, *, source: str = "file") -> list[Graph]:
    """Read the graphs of a Parquet file of parsed texts.

    data (bytes): The file.
    source (str): What to call it in messages.
    RETURNS (List[Graph]): The graph of each row that has one, with its id and text.
    RAISES (UccaError): If it is no such file.
    """
    parquet = load_package("pyarrow.parquet")
    from .rows import iter_graphs
    from .schema import pa

    try:
        table = parquet.read_table(io.BytesIO(data))
    except (OSError, pa.ArrowException) as err:
        raise FormatError(Errors.UC770.format(where=source, reason=err)) from None
    return [graph for graph in iter_graphs(table, named=True) if graph is not None]


def from_arrow(table: Any) -> Graph:
    """Read what `to_arrow` gave.

    table (pyarrow.Table): A table of the schema with one row.
    RETURNS (Graph): The graph.
    RAISES (UccaError): If it is no such table, has another number of rows, or the row has no graph.
    """
    pyarrow = load_package("pyarrow")
    from .rows import iter_graphs

    remedy = "Give what `graph.to_arrow()` returns."
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    if not isinstance(table, pyarrow.Table):
        found = type(table).__name__
        raise GraphError(
            Errors.UC665.format(found=found, wanted="a table of PyArrow", remedy=remedy)
        )
    if table.num_rows != 1:
        raise GraphError(Errors.UC668.format(n=table.num_rows))
    (graph,) = iter_graphs(table)
    if graph is None:
        reason = f"The row has no graph: {table.column('error')[0].as_py()}."
        raise GraphError(Errors.UC661.format(reason=reason, remedy=remedy))
    return graph
