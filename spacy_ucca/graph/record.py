"""Graphs as plain data, lists, numbers and strings, for JSON and msgpack; and the methods of `Graph` for other libraries."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import Errors, GraphError
from ..methods import registered
from .data import EdgeTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from .graph import Graph

RECORD_VERSION = 1
SCORE_STEPS = 1000  # scores are whole numbers of these in records: a float takes long to write


def make_record(graph: "Graph", *, words: Any = None) -> dict[str, Any]:
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


def score_steps(graph: "Graph") -> list[int | None]:
    """RETURNS (List[Optional[int]]): The score of each edge in steps, None where it has none."""
    steps: list[int | None] = [None] * len(graph.edge_tuples)
    for i, score in graph.scores.items():
        steps[i] = round(SCORE_STEPS * score)
    return steps


def read_record(record: Any) -> dict[str, Any]:
    """Read a record back; lists may have become tuples on the way, as in spaCy's DocBin.

    record (Any): What `make_record` gave.
    RETURNS (Dict[str, Any]): The arguments of `Graph`.
    RAISES (GraphError): If it is no record, or of another version.
    RAISES (KeyError, IndexError, TypeError): If a value is missing or of another type.
    """
    if not isinstance(record, Mapping) or "version" not in record:
        raise GraphError(Errors.UC010.format(reason="it has no version"))
    if record["version"] != RECORD_VERSION:
        version = record["version"]
        raise GraphError(
            Errors.UC009.format(what="graph record", version=version, expected=RECORD_VERSION)
        )
    scores = enumerate(record.get("scores") or ())
    return {
        "words": record["words"],
        "kinds": record["units"],
        "edges": [EdgeTuple(e[0], e[1], tuple(e[3:]), bool(e[2])) for e in record["edges"]],
        "punct": record["punct"],
        "paragraphs": record["paragraphs"],
        "details": _lists(record.get("details") or {}),
        "scores": {i: score / SCORE_STEPS for i, score in scores if score is not None},
    }


def _lists(value: Any) -> Any:
    """Plain data with lists again where msgpack made tuples of them."""
    if isinstance(value, list | tuple):
        return [_lists(v) for v in value]
    return {k: _lists(v) for k, v in value.items()} if isinstance(value, dict) else value


class PlainData:
    """What `Graph` is made of by others, and what it makes for others.

    With a Doc, offsets are those of its text. Without, they are those of the text that the graph knows (`graph.details["text"]`),
    or else of its words joined by spaces.
    """

    def to_json(self, doc: "Doc | None" = None) -> dict[str, Any]:
        """Write the graph as one object of JSON, in the manner of `Doc.to_json`; see `formats.plain_data`.

        doc (Optional[Doc]): The Doc that the graph is of.
        RETURNS (Dict[str, Any]): Text, tokens, units, edges and Scenes, with offsets.
        RAISES (UccaError): If the Doc has other tokens.
        """
        return registered("to_json")(self, doc)  # type: ignore[no-any-return]

    @classmethod
    def from_json(cls, data: Any) -> "Graph":
        """Read a graph back.

        data (Dict[str, Any]): What `to_json` or `to_record` gave.
        RETURNS (Graph): The graph.
        RAISES (GraphError): If a key is missing or wrong, or the version is another one.
        """
        return registered("from_json")(data)  # type: ignore[no-any-return]

    def to_networkx(self, doc: "Doc | None" = None) -> Any:
        """Write the graph for NetworkX; see `formats.networkx_graph`.

        doc (Optional[Doc]): The Doc that the graph is of.
        RETURNS (networkx.MultiDiGraph): A node for each unit and each token.
        RAISES (UccaError): If the Doc has other tokens, or NetworkX is not installed.
        """
        return registered("to_networkx")(self, doc)

    @classmethod
    def from_networkx(cls, data: Any) -> "Graph":
        """Read a graph back.

        data (networkx.DiGraph): What `to_networkx` gave, perhaps without some nodes and edges.
        RETURNS (Graph): The graph.
        RAISES (GraphError): If an attribute is missing or wrong.
        """
        return registered("from_networkx")(data)  # type: ignore[no-any-return]

    def to_pandas(self, doc: "Doc | None" = None) -> Any:
        """Write the graph as data frames of pandas; see `formats.tables`.

        doc (Optional[Doc]): The Doc that the graph is of.
        RETURNS (GraphTables): The tables `tokens`, `units` and `edges`.
        RAISES (UccaError): If the Doc has other tokens, or pandas is not installed.
        """
        return registered("to_pandas")(self, doc)

    @classmethod
    def from_pandas(cls, tables: Any) -> "Graph":
        """Read a graph back.

        tables (GraphTables): What `to_pandas` gave, perhaps without some rows.
        RETURNS (Graph): The graph.
        RAISES (GraphError): If a table, a column or a value is missing or wrong.
        """
        return registered("from_pandas")(tables)  # type: ignore[no-any-return]

    def to_arrow(self, doc: "Doc | None" = None) -> Any:
        """Write the graph as a table of Arrow with one row; see `distributed.schema`.

        doc (Optional[Doc]): The Doc that the graph is of.
        RETURNS (pyarrow.Table): The table.
        RAISES (UccaError): If the Doc has other tokens, or PyArrow is not installed.
        """
        return registered("to_arrow")(self, doc)

    @classmethod
    def from_arrow(cls, table: Any) -> "Graph":
        """Read a graph back.

        table (pyarrow.Table): What `to_arrow` gave.
        RETURNS (Graph): The graph.
        RAISES (UccaError): If it is none of the schema, or has another number of rows.
        """
        return registered("from_arrow")(table)  # type: ignore[no-any-return]
