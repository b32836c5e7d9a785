"""The stage: the graphs of `nlp.pipe`, batches by words, and a bad text costs its own row alone."""

import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

from spacy_ucca.distributed.rows import iter_graphs
from spacy_ucca.distributed.schema import SCHEMA, pa
from spacy_ucca.distributed.stage import ParseStage
from spacy_ucca.errors import UccaError

SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"
TEXTS = [
    "After graduation, John moved to Paris.",
    "",
    "  He\n\nlikes 😀 it. He left.",
    "שלום עולם.",
    "I gave up.",
]
POISON = {
    "no stop": ("word " * 20_000, "UC574"),
    "zero byte": ("a\0b", "UC573.*zero byte"),
    "long word": ("x" * 900_000, "UC575"),
    "longer than a pipeline takes": ("Go on. " * 200_000, "E088"),
    "null": (None, "UC573.*missing"),
    "raises": ("Now explode please.", "this text explodes"),
}


def table_of(texts: list) -> pa.Table:
    return pa.table({"id": [str(i) for i in range(len(texts))], "text": texts})


@pytest.mark.skipif(not SHIPPED.exists(), reason="no pipeline ships yet")
def test_graphs_are_those_of_the_pipeline():
    stage = ParseStage(str(SHIPPED))
    out = pickle.loads(pickle.dumps(stage))(table_of(TEXTS))
    assert out.schema == SCHEMA and out.schema.metadata == SCHEMA.metadata
    nlp = spacy.load(SHIPPED)
    for graph, doc in zip(iter_graphs(out), nlp.pipe(TEXTS), strict=True):
        assert graph.allclose(doc._.ucca)
    assert out["pipeline"].to_pylist() == ["en_ucca_sm"] * len(TEXTS)
    assert out["pipeline_version"].to_pylist() == [nlp.meta["version"]] * len(TEXTS)
    assert out["text"].to_pylist() == TEXTS


@pytest.mark.parametrize("batch_words", [1, 7, 100_000])
@pytest.mark.parametrize("kind", POISON)
def test_a_poisoned_row_costs_itself_alone(kind, batch_words, flat_model):
    bad, reason = POISON[kind]
    stage = ParseStage(flat_model, batch_words=batch_words)
    clean = stage(table_of(TEXTS)).drop_columns(["id"]).to_pylist()
    rows = stage(table_of([*TEXTS[:2], bad, *TEXTS[2:]]))
    assert rows["id"].to_pylist() == [str(i) for i in range(len(TEXTS) + 1)]
    rows = rows.drop_columns(["id"]).to_pylist()
    broken = rows.pop(2)
    assert rows == clean and not any(row["error"] for row in clean)
    assert re.search(reason, broken["error"])
    assert broken["tokens"] is None and broken["units"] is None and broken["edges"] is None


def test_a_column_of_another_type_costs_its_rows(flat_model):
    stage = ParseStage(flat_model)
    assert all("of type 'int'" in e for e in stage(table_of([1, 2]))["error"].to_pylist())
    broken, fine = stage(table_of([b"\xff", "Ż.".encode()])).to_pylist()
    assert "UC507" in broken["error"] and fine["text"] == "Ż." and fine["error"] is None
    with pytest.raises(UccaError, match=r"UC576.*no column 'text'.*body"):
        stage(pa.table({"body": ["a"]}))
    assert ParseStage(flat_model, text="body")(pa.table({"body": ["a"]}))["id"].to_pylist() == [
        None
    ]


@pytest.mark.parametrize("batch_words", [1, 5, 40])
def test_batches_are_by_words(batch_words, flat_model):
    """Without its last text no batch has enough words, whether texts are short or long."""
    texts = ["One two three four."] * 9 + ["Go."] * 30 + ["One two. " * 30]
    stage = ParseStage(flat_model, batch_words=batch_words)
    batches = [[len(row["tokens"]) for row in rows] for rows in stage.parse(enumerate(texts))]
    assert sum(map(len, batches)) == len(texts)
    assert all(sum(batch[:-1]) < batch_words for batch in batches)
    assert all(sum(batch) >= batch_words for batch in batches[:-1])


def test_as_spark_calls_it(flat_model):
    """`DataFrame.mapInArrow` gives an iterator of record batches and takes one, of the schema it was told."""
    stage = pickle.loads(pickle.dumps(ParseStage(flat_model, batch_words=5).map_batches))
    table = table_of([*TEXTS, None])
    found = list(stage(iter(table.to_batches(max_chunksize=2))))
    assert len(found) > 3 and all(batch.schema == SCHEMA for batch in found)
    assert pa.Table.from_batches(found) == ParseStage(flat_model)(table)


@pytest.mark.slow
def test_spark(tmp_path, monkeypatch):
    """The recipe of docs/scale.md, on a Spark of this machine."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    from pyspark.sql.pandas.types import from_arrow_schema

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    try:
        stage = ParseStage(str(SHIPPED))
        frame = spark.createDataFrame(
            [(str(i), t) for i, t in enumerate(TEXTS)], "id string, text string"
        )
        parsed = frame.mapInArrow(stage.map_batches, from_arrow_schema(stage.schema))
        parsed.write.parquet(str(tmp_path / "parsed"))
    finally:
        spark.stop()
    table = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "parsed").sort_by("id")
    for graph, doc in zip(iter_graphs(table), spacy.load(SHIPPED).pipe(TEXTS), strict=True):
        assert graph.allclose(doc._.ucca)


def test_mistakes_are_told(flat_model, tmp_path):
    with pytest.raises(UccaError, match="UC508"):
        _ = ParseStage(str(tmp_path)).nlp
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UccaError, match="UC630"):
        _ = ParseStage(str(tmp_path / "blank")).nlp
    if SHIPPED.exists():
        with pytest.raises(ValueError, match="v9"):
            _ = ParseStage(str(SHIPPED), guidelines="v9").nlp
        first = ParseStage(str(SHIPPED), guidelines="v1", beam_width=2).nlp.get_pipe("ucca_parser")
        assert (first.guidelines, first.beam_width) == ("v1", 2)


@pytest.mark.parametrize("package, extra", [("pyarrow", "data"), ("ray", "ray")])
def test_what_is_missing_is_told(package, extra, flat_model, tmp_path):
    (tmp_path / "a.txt").write_text("Go.", "utf8")
    options = ["-m", flat_model, "--engine", "ray", "-o", str(tmp_path / "out")]
    code = (
        f"import sys, flat_pipeline; sys.modules[{package!r}] = None; from spacy_ucca.cli import main; "
        f"sys.argv[1:] = {['parse', str(tmp_path / 'a.txt'), *options]!r}; main()"
    )
    paths = os.pathsep.join([str(SHIPPED.parents[1]), str(SHIPPED.parents[1] / "tests")])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert f"[UC570] The package '{package}' is missing" in result.stderr
    assert f"pip install 'spacy-ucca[{extra}]'" in result.stderr
