"""`parse` with Parquet: the graphs are those of JSON lines, whatever the file, and nothing is lost; predications are a table."""

import csv
import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import spacy
from cli_runs import run

from spacy_ucca.distributed import workers
from spacy_ucca.extract import predications
from spacy_ucca.extract.predications import COLUMNS
from spacy_ucca.files import whole
from spacy_ucca.formats.files import read_graphs

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "models" / "en_ucca_sm"
TEXTS = ["I came.\n\nYou  left!", "", " \t", "שלום 😀", "It rains now.", "word " * 1000, "The end."]
IDS = [7, 8, 9, 9, 10, 11, 12]


def write(path: Path, **columns: object) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("n_process", [1, 2])
def test_graphs_are_those_of_json_lines(
    n_process: int, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 2)
    monkeypatch.setattr(whole, "GROUP", 5)
    monkeypatch.setattr(whole.TableFile.write, "__defaults__", (5,))
    source = write(tmp_path / "in.parquet", body=TEXTS, key=IDS)
    lines = tmp_path / "in.jsonl"
    lines.write_text(
        "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in zip(IDS, TEXTS)), "utf8"
    )
    fields = ("--text-field", "body", "--id-field", "key")
    options = ("-m", model, "-n", n_process)
    run("parse", source, *fields, *options, "-o", tmp_path / "a.parquet")
    run("parse", source, *fields, *options, "-o", tmp_path / "a.jsonl")
    run("parse", lines, *options, "-o", tmp_path / "b.parquet")
    first, second = (parquet.ParquetFile(tmp_path / f"{name}.parquet") for name in "ab")
    assert first.read().equals(second.read()) and first.num_row_groups > 3
    expected = read_graphs(tmp_path / "a.jsonl")
    assert len(expected) == len(TEXTS)
    for graph, other in zip(read_graphs(tmp_path / "a.parquet"), expected, strict=True):
        assert graph.same_structure(other) and graph.paragraphs == other.paragraphs
        assert all(graph.details[name] == other.details[name] for name in ("id", "text"))
    run("convert", tmp_path / "a.parquet", tmp_path / "c.jsonl")
    assert len(read_graphs(tmp_path / "c.jsonl")) == len(TEXTS)


def test_an_error_has_its_row_and_is_named(model: str, tmp_path: Path) -> None:
    texts = [b"I came.", None, b"this will explode", b"\xff\xfe", b"The end.", b"a\0b"]
    source = write(tmp_path / "in.parquet", text=pa.array(texts, pa.binary()))
    result = run("parse", source, "-m", model, "-o", tmp_path / "out.parquet", code=1)
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["id"] for row in rows] == [f"in-{i}" for i in range(1, 7)]
    assert [row["error"] is None for row in rows] == [True, False, False, False, True, False]
    assert all((row["units"] is None) == (row["error"] is not None) for row in rows)
    assert rows[2]["text"] == "this will explode" and "explodes" in rows[2]["error"]
    for number in (2, 3, 4, 6):
        assert f"in.parquet, row {number}: " in result.stderr
    assert "4 skipped" in result.stderr
    assert {row["pipeline"] for row in rows} == {"en_pipeline"}
    # What is there stays where nothing can be parsed, and strings need not be UTF-8
    before = (tmp_path / "out.parquet").read_bytes()
    source = write(tmp_path / "in.parquet", text=pa.array([b"\xff", b"\0"]).view(pa.string()))
    assert (
        "UC507" in run("parse", source, "-m", model, "-o", tmp_path / "out.parquet", code=1).stderr
    )
    assert (tmp_path / "out.parquet").read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.parquet", "out.parquet"]


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"text": [1]}, r"UC576.*text \(int64\)"),
        ({"text": [["a"]]}, "UC576"),
        ({"text": [{"a": "b"}]}, "UC576"),
        ({"text": pa.array([None])}, "UC576"),
        ({"body": ["a"], "n": [1]}, r"UC576.*body \(string\), n \(int64\)"),
        ({"text": pa.array([], pa.string())}, "UC115"),
    ],
)
def test_other_columns_are_refused(columns: dict, message: str, model: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", **columns)
    result = run("parse", source, "-m", model, "-o", tmp_path / "out.parquet", code=1)
    assert re.search(message, result.stderr) and "1 skipped" in result.stderr
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("data", [b"", b"no table", b"PAR1", "half"])
def test_broken_files(data: bytes | str, model: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", text=["Ann left."] * 99)
    source.write_bytes(source.read_bytes()[:200] if isinstance(data, str) else data)
    stderr = run("parse", source, "-m", model, "-o", tmp_path / "out.parquet", code=1).stderr
    assert "UC770" in stderr and "in.parquet" in stderr
    assert "in.parquet" in run("convert", source, tmp_path / "out.jsonl", code=1).stderr


def test_types_of_texts(model: str, tmp_path: Path) -> None:
    texts = pa.array(["I came.", "You left."])
    views = texts.cast(pa.string_view())
    for kind in (texts.cast(pa.large_string()), texts.dictionary_encode(), views):
        source = write(tmp_path / "in.parquet", text=kind, id=pa.array(["a", "a"]))
        run("parse", source, "-m", model, "-o", tmp_path / "out")
        assert {p.name for p in (tmp_path / "out").iterdir()} == {"a.txt", "a-2.txt"}


def test_mistakes_of_options(model: str, tmp_path: Path) -> None:
    source, out = write(tmp_path / "in.parquet", text=["I came."]), tmp_path / "out.parquet"
    facts = ("--predications", tmp_path / "facts.parquet")
    for args, message, code in (
        (("-o", source), "UC518", 2),
        (("-o", out, "--resume"), "UC532", 2),
        (("-o", tmp_path / "out", "-t", "parquet"), "needs a file", 2),
        (("-t", "parquet"), "needs a file", 2),
        (("-o", out, "--n-best", "2"), "Not with --to parquet", 2),
        (("-o", out, "--id-field", "key"), "UC576", 1),
        (("-o", tmp_path / "out.jsonl", *facts, "--resume"), "UC771", 2),
        (("-o", out, "--predications", tmp_path / "facts.csv"), "UC771", 2),
        (("-o", out, "--predications", out), "UC519", 1),
        (("-o", out, "--predications", source), "UC518", 1),
        (("--engine", "ray", "-o", tmp_path / "out", *facts), "leave it out", 2),
    ):
        assert message in run("parse", source, "-m", model, *args, code=code).stderr
    assert [p.name for p in tmp_path.iterdir()] == ["in.parquet"]


def test_without_pyarrow(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path / "in.parquet", text=["I came."])
    for name in ("schema", "texts"):
        monkeypatch.delitem(sys.modules, f"spacy_ucca.distributed.{name}", raising=False)
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    for args in ((), ("-o", tmp_path / "o.parquet"), ("--predications", tmp_path / "o.parquet")):
        stderr = run("parse", source, "-m", model, *args, code=1).stderr
        assert "UC570" in stderr and "pip install 'spacy-ucca[data]'" in stderr


def test_a_row_group_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    from spacy_ucca.distributed.texts import Reader, parquet_rows

    class Counted(io.FileIO):
        most = 0

        def read(self, size: int | None = -1) -> bytes:  # type: ignore[override]
            data = super().read(size)
            self.most = max(self.most, len(data))
            return data

    texts = [f"{i} {i * 7919 % 100_003} " * 20 for i in range(20_000)]
    path = write(tmp_path / "in.parquet", text=texts)
    with Counted(path) as file:
        start = pa.total_allocated_bytes()
        for n, (_, text) in enumerate(parquet_rows(file, "in.parquet", Reader())):
            assert text.decode() == texts[n]
            assert pa.total_allocated_bytes() - start < 6_000_000
        assert n == 19_999 and 0 < 2 * file.most < path.stat().st_size


SAID = [
    "In 2010 Ann bought a car. Bob did not buy a house.",
    "The circle is financed by Saudi Arabia.",
    "If it rains, we stay in Paris.",
]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("facts")
    source = write(folder / "in.parquet", text=SAID)
    options = ("-m", SHIPPED, "-o", folder / "out.csv")
    run("parse", source, *options, "--predications", folder / "facts.parquet")
    return folder


def test_predications_are_those_of_csv_and_of_python(facts: Path) -> None:
    table = parquet.read_table(facts / "facts.parquet")
    with (facts / "out.csv").open(encoding="utf8") as file:
        lines = list(csv.DictReader(file))
    assert table.column_names == list(lines[0]) == ["id", "sentence", *COLUMNS]
    for row, line in zip(table.to_pylist(), lines, strict=True):
        for name in ("id", "sentence", "scene", "relation", "lemma", "negated", "start"):
            assert str("" if row[name] is None else row[name]) == line[name]
        assert "; ".join(row["times"]) == line["times"]
        assert json.dumps(row["conditions"]) == line["conditions"] or not row["conditions"]
    docs = list(spacy.load(SHIPPED).pipe(SAID))
    again = predications(docs).to_arrow()
    assert again.drop_columns(["doc", "score"]).equals(
        table.drop_columns(["id", "sentence", "score"])
    )
    assert predications([]).to_arrow().schema == again.schema


def test_the_examples_answer(facts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(facts)

    def answer(name: str) -> list:
        pytest.importorskip({"who": "polars", "whe": "pandas"}[name[:3]])
        out = io.StringIO()
        with redirect_stdout(out):
            exec((ROOT / "examples" / name).read_text("utf8"), {})
        return eval(out.getvalue())

    assert answer("who_bought_what.py") == [("in-1", "Ann", "a car")]
    assert answer("when_and_if.py") == [
        ["in-1", "bought", ["In 2010"], []],
        ["in-3", "stay", [], ["If it rains"]],
    ]
    duckdb = pytest.importorskip("duckdb")
    rows = duckdb.sql((ROOT / "examples" / "who_did_what.sql").read_text("utf8")).fetchall()
    said = {(row[1], row[2], row[3], row[-1]) for row in rows}
    assert ("Saudi Arabia", "financed", "The circle", False) in said
    assert ("Bob", "buy", "a house", True) in said
    (stay,) = [row for row in rows if row[2] == "stay"]
    assert stay[1] == "we" and stay[6:8] == (["in Paris"], ["If it rains"])


def test_a_mark_of_byte_order_counts_as_a_character(model: str, tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", text=["\ufeffAnn left."])
    run("parse", source, "-m", model, "-o", tmp_path / "out.parquet")
    (row,) = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert row["text"] == "\ufeffAnn left."
