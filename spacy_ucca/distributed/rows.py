"""Write parsed Docs as rows of the schema, and read rows back as graphs and Docs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spacy.attrs import LENGTH, SENT_START, SPACY
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, UccaError
from ..graph import IMPLICIT, EdgeTuple, Graph
from ..graph.data import TEXT
from ..text.spacing import GAP, Places
from .schema import SCHEMA, check_schema, pa

__all__ = ["graph_row", "iter_docs", "iter_graphs", "make_row", "make_table"]

Row = dict[str, Any]


def make_row(id: str | None, doc: Doc) -> Row:
    """Write a parsed Doc as a row.

    id (Optional[str]): Its id.
    doc (Doc): The Doc, with a graph.
    RETURNS (Dict[str, Any]): The columns `id`, `text`, `tokens`, `units`, `edges`, `details`.
    """
    places: list[tuple[int, int]] = []
    starts = []
    end = 0
    columns: Any = doc.to_array([LENGTH, SPACY, SENT_START]).reshape(-1, 3)  # type: ignore[union-attr]
    for length, space, first in columns.tolist():
        places.append((end, end + length))
        starts.append(first == 1)
        end += length + space
    return graph_row(id, Places(doc._.ucca, doc.text, places), starts)


def graph_row(id: str | None, places: Places, starts: list[bool]) -> Row:
    """Write a graph as a row.

    id (Optional[str]): Its id.
    places (Places): The graph, and where its tokens stand in a text.
    starts (List[bool]): Whether a sentence starts at each token.
    RETURNS (Dict[str, Any]): The columns `id`, `text`, `tokens`, `units`, `edges`, `details`.
    """
    graph = places.graph
    if starts:
        starts[0] = True
    return {
        "id": id,
        "text": places.text,
        "tokens": [
            (word, *place, punct, paragraph, first)
            for word, place, punct, paragraph, first in zip(
                graph.words, places.tokens, graph.punct, graph.paragraphs, starts, strict=True
            )
        ],
        "units": [_unit_row(places, i, kind) for i, kind in enumerate(graph.kinds)],
        "edges": [
            (
                edge.parent,
                edge.child if edge.child >= 0 else None,
                ~edge.child if edge.child < 0 else None,
                edge.categories,
                edge.remote,
                edge.child >= 0 and graph.kinds[edge.child] == IMPLICIT,
                graph.scores.get(i),
            )
            for i, edge in enumerate(graph.edge_tuples)
        ],
        "details": json.dumps(graph.details, ensure_ascii=False) if graph.details else None,
    }


def _unit_row(places: Places, unit: int, kind: str) -> tuple:
    offsets = places.offsets(unit)
    if not offsets:
        return (kind, None, None, None)
    text = [places.text[start:end] for start, end in offsets]
    return (kind, GAP.join(text), offsets[0][0], offsets[-1][1])


def make_table(rows: Sequence[Row]) -> pa.Table:
    """RETURNS (pa.Table): Rows as a table of the schema. Columns that a row does not have are null."""
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def iter_graphs(table: pa.Table, *, named: bool = False) -> Iterator[Graph | None]:
    """Read the graphs of a table.

    table (pa.Table): Rows of the schema, such as `pyarrow.parquet.read_table(directory)`.
    named (bool): Whether the details of graphs get the id and the text of the row, as in other files.
    YIELDS (Optional[Graph]): The graph of each row; None where there is an error.
    RAISES (UccaError): If the table is none of this schema.
    """
    for number, row in _iter_rows(table):
        yield _graph(row, number, {"id": row["id"] or "", TEXT: row["text"]} if named else {})


def iter_docs(table: pa.Table, vocab: Vocab) -> Iterator[Doc | None]:
    """Read the Docs of a table, with sentences and graphs. Other annotation is not in it.

    table (pa.Table): Rows of the schema.
    vocab (Vocab): The vocabulary, such as `nlp.vocab`.
    YIELDS (Optional[Doc]): The Doc of each row; None where there is an error.
    RAISES (UccaError): If the table is none of this schema.
    """
    for number, row in _iter_rows(table):
        yield _doc(row, number, vocab)


def _iter_rows(table: pa.Table) -> Iterator[tuple[int, Row]]:
    rows = (row for batch in check_schema(table).to_batches() for row in batch.to_pylist())
    return enumerate(rows)


def _graph(row: Row, number: int, details: Mapping[str, Any]) -> Graph | None:
    """RETURNS (Optional[Graph]): The graph of a row. It has these details, where the row does not say others.
    RAISES (UccaError): If something in it is missing or wrong; the message has the number of the row."""
    if row["units"] is None:
        return None
    try:
        return _read_graph(row, details)
    except (TypeError, ValueError, IndexError) as err:
        # null where there has to be a value, broken JSON, a broken graph
        raise UccaError(Errors.UC571.format(reason=f"row {number}: {err}")) from None


def _read_graph(row: Row, details: Mapping[str, Any]) -> Graph:
    edges, tokens = row["edges"], row["tokens"]
    return Graph(
        [token["text"] for token in tokens],
        [unit["kind"] for unit in row["units"]],
        [
            EdgeTuple(
                edge["parent"],
                ~edge["token"] if edge["child"] is None else edge["child"],
                tuple(edge["categories"]),
                edge["remote"],
            )
            for edge in edges
        ],
        punct=[token["punct"] for token in tokens],
        paragraphs=[token["paragraph"] for token in tokens],
        details={**details, **json.loads(row["details"] or "{}")},
        scores={i: e["score"] for i, e in enumerate(edges) if e["score"] is not None},
    )


def _doc(row: Row, number: int, vocab: Vocab) -> Doc | None:
    graph = _graph(row, number, {})
    if graph is None:
        return None
    tokens, length = row["tokens"], len(row["text"])
    ends = [*(token["start"] for token in tokens[1:]), length]
    doc = Doc(
        vocab,
        words=list(graph.words),
        spaces=[token["end"] < end for token, end in zip(tokens, ends)],
        sent_starts=[token["sentence_start"] for token in tokens],
    )
    doc._.ucca = graph
    return doc
