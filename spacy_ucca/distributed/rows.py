"""Write parsed Docs as rows of the schema, and read rows back as graphs and Docs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from spacy.attrs import LENGTH, SENT_START, SPACY
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..graph import IMPLICIT, EdgeTuple, Graph
from ..graph.bitset import tokens_in
from ..graph.unit import is_gap
from .schema import SCHEMA, check_schema, pa

__all__ = ["iter_docs", "iter_graphs", "make_row", "make_table"]

Row = dict[str, Any]
GAP = " ... "


def make_row(id: str | None, doc: Doc) -> Row:
    """Write a parsed Doc as a row.

    id (Optional[str]): Its id.
    doc (Doc): The Doc, with a graph.
    RETURNS (Dict[str, Any]): The columns `id`, `text`, `tokens`, `units`, `edges`, `details`.
    """
    graph, text = doc._.ucca, doc.text
    places: list[tuple[int, int]] = []
    starts = []
    end = 0
    columns: Any = doc.to_array([LENGTH, SPACY, SENT_START]).reshape(-1, 3)  # type: ignore[union-attr]
    for length, space, first in columns.tolist():
        places.append((end, end + length))
        starts.append(first == 1)
        end += length + space
    if starts:
        starts[0] = True
    return {
        "id": id,
        "text": text,
        "tokens": [
            (word, *place, punct, paragraph, first)
            for word, place, punct, paragraph, first in zip(
                graph.words, places, graph.punct, graph.paragraphs, starts, strict=True
            )
        ],
        "units": _units(graph, text, places),
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


def _units(graph: Graph, text: str, places: Sequence[tuple[int, int]]) -> list[tuple]:
    rows: list[tuple] = []
    for kind, first, mask in zip(graph.kinds, graph.index.starts, graph.index.masks, strict=True):
        if not mask:
            rows.append((kind, None, None, None))
            continue
        last = first + mask.bit_length() - 1
        start, end = places[first][0], places[last][1]
        if not mask & (mask + 1):
            rows.append((kind, text[start:end], start, end))
            continue
        runs: list[list[int]] = []
        for token in tokens_in(mask, first):
            if not runs or is_gap(graph, runs[-1][-1], token):
                runs.append([])
            runs[-1].append(token)
        parts = [text[places[run[0]][0] : places[run[-1]][1]] for run in runs]
        rows.append((kind, GAP.join(parts), start, end))
    return rows


def make_table(rows: Sequence[Row]) -> pa.Table:
    """RETURNS (pa.Table): Rows as a table of the schema. Columns that a row does not have are null."""
    columns = [pa.array([row.get(f.name) for row in rows], type=f.type) for f in SCHEMA]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def iter_graphs(table: pa.Table) -> Iterator[Graph | None]:
    """Read the graphs of a table.

    table (pa.Table): Rows of the schema, such as `pyarrow.parquet.read_table(directory)`.
    YIELDS (Optional[Graph]): The graph of each row; None where there is an error.
    RAISES (UccaError): If the table is none of this schema.
    """
    for batch in check_schema(table).to_batches():
        yield from map(_graph, batch.to_pylist())


def iter_docs(table: pa.Table, vocab: Vocab) -> Iterator[Doc | None]:
    """Read the Docs of a table, with sentences and graphs. Other annotation is not in it.

    table (pa.Table): Rows of the schema.
    vocab (Vocab): The vocabulary, such as `nlp.vocab`.
    YIELDS (Optional[Doc]): The Doc of each row; None where there is an error.
    RAISES (UccaError): If the table is none of this schema.
    """
    for batch in check_schema(table).to_batches():
        for row in batch.to_pylist():
            yield _doc(row, vocab)


def _graph(row: Row) -> Graph | None:
    if row["units"] is None:
        return None
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
        details=json.loads(row["details"] or "{}"),
        scores={i: e["score"] for i, e in enumerate(edges) if e["score"] is not None},
    )


def _doc(row: Row, vocab: Vocab) -> Doc | None:
    graph = _graph(row)
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
