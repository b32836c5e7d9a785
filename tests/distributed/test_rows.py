"""Rows of parsed texts: nothing is lost on the way through Parquet, pandas, Polars and DuckDB, and SQL finds relations."""

import io

import pytest
import spacy
from spacy.tokens import Doc

from spacy_ucca.distributed.rows import iter_docs, iter_graphs, make_row, make_table
from spacy_ucca.distributed.schema import SCHEMA, SCHEMA_VERSION, VERSION_KEY, check_schema, pa
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc

parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def docs(sample: list[Graph]) -> list[Doc]:
    vocab = spacy.blank("en").vocab
    return [Doc(vocab), *(graph_to_doc(graph, vocab) for graph in sample)]


@pytest.fixture(scope="module")
def table(docs: list[Doc]) -> pa.Table:
    rows = [make_row(str(i), doc) for i, doc in enumerate(docs) if doc._.ucca is not None]
    return make_table([*rows, {"id": "bad", "error": "why"}])


def through_parquet(table: pa.Table) -> pa.Table:
    file = io.BytesIO()
    parquet.write_table(table, file)
    return parquet.read_table(io.BytesIO(file.getvalue()))


def through_pandas(table: pa.Table) -> pa.Table:
    pytest.importorskip("pandas")
    if int(pa.__version__.split(".")[0]) < 21:
        pytest.skip("this pyarrow takes no columns of dictionaries back from pandas 3")
    return pa.Table.from_pandas(table.to_pandas(), preserve_index=False)


def through_polars(table: pa.Table) -> pa.Table:
    return pytest.importorskip("polars").from_arrow(table).to_arrow()


def through_duckdb(table: pa.Table) -> pa.Table:
    connection = pytest.importorskip("duckdb").connect()
    return connection.register("parsed", table).sql("FROM parsed").to_arrow_table()


@pytest.mark.parametrize("way", [through_parquet, through_pandas, through_polars, through_duckdb])
def test_graphs_and_docs_come_back(way, docs, table):
    again = way(table)
    with_graph = [doc for doc in docs if doc._.ucca is not None]
    *graphs, missing = iter_graphs(again)
    assert missing is None and len(graphs) == len(with_graph) > 10
    for doc, graph, named in zip(with_graph, graphs, iter_graphs(again, named=True)):
        assert graph == doc._.ucca and graph.scores == doc._.ucca.scores
        assert named.details["text"] == doc.text or "text" in graph.details
    *read, missing = iter_docs(again, docs[0].vocab)
    assert missing is None
    for doc, other in zip(with_graph, read):
        assert other.text == doc.text and other._.ucca == doc._.ucca
        assert [token.idx for token in other] == [token.idx for token in doc]
        assert [s.start for s in other.sents] == [s.start for s in doc.sents]
    assert again.column("error").to_pylist()[-1] == "why"


def test_places_and_texts_are_those_of_the_text(table):
    for row in table.to_pylist()[:-1]:
        text = row["text"]
        assert [t["text"] for t in row["tokens"]] == [
            text[t["start"] : t["end"]] for t in row["tokens"]
        ]
        for unit, view in zip(row["units"], _views(row)):
            assert (unit["text"] is None) == (not view.tokens())
            if unit["text"] is not None:
                covered = text[unit["start"] : unit["end"]]
                pieces = unit["text"].split(" ... ") if view.is_discontinuous else [unit["text"]]
                assert covered.startswith(pieces[0]) and covered.endswith(pieces[-1])
                assert (len(pieces) > 1) == view.is_discontinuous == (covered != unit["text"])
        for edge in row["edges"]:
            assert (edge["child"] is None) != (edge["token"] is None)
            implicit = (
                edge["child"] is not None and row["units"][edge["child"]]["kind"] == "IMPLICIT"
            )
            assert edge["implicit"] == implicit


def _views(row):
    (graph,) = iter_graphs(make_table([row]))
    return [graph[i] for i in range(len(graph))]


def test_other_tables_are_refused(table):
    with pytest.raises(UccaError, match=r"UC571.*units"):
        check_schema(table.drop_columns(["units"]))
    with pytest.raises(UccaError, match="UC571"):
        check_schema(table.set_column(2, "tokens", pa.array([1] * len(table))))
    other = str(int(SCHEMA_VERSION) + 1)
    with pytest.raises(UccaError, match=f"UC009.*version {other},"):
        check_schema(table.replace_schema_metadata({VERSION_KEY: other}))
    assert check_schema(table.append_column("url", pa.array([""] * len(table)))).schema == SCHEMA
