"""Ray on this machine with two workers: nothing is lost and nothing is double, whatever happens to a worker."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from cli_runs import run

from spacy_ucca.distributed.ray_engine import connect, parse_texts
from spacy_ucca.distributed.rows import iter_graphs
from spacy_ucca.distributed.schema import pa
from spacy_ucca.distributed.stage import ParseStage
from spacy_ucca.distributed.texts import Reader
from spacy_ucca.errors import UccaError

ray = pytest.importorskip("ray")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.slow
SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"
N = 120
TEXTS = [f"Ann saw {i} dogs in Paris, and they left the {i + 1}th house." for i in range(N)]
MARK = uuid.uuid4().hex


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    if not SHIPPED.exists():
        pytest.skip("no pipeline ships yet")
    try:  # in a process of its own: where there is no network at all, it waits for long
        command = "import ray; ray.init(num_cpus=1, include_dashboard=False)"
        subprocess.run(
            [sys.executable, "-c", command], timeout=120, check=True, capture_output=True
        )
    except (subprocess.SubprocessError, OSError) as err:
        pytest.skip(f"Ray does not start here: {err}")
    os.environ["SPACY_UCCA_TEST_RUN"] = MARK
    options = {"num_cpus": 2, "object_store_memory": 200 << 20, "log_to_driver": False}
    ray.init(include_dashboard=False, **options)
    yield
    ray.shutdown()
    del os.environ["SPACY_UCCA_TEST_RUN"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": f"t{i:03}", "text": text}) for i, text in enumerate(TEXTS)]
    lines[7:7] = ['{"id": "bad", "text": null}']
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), "utf8")
    return tmp_path / "texts.jsonl"


def workers() -> list[int]:
    """RETURNS (List[int]): The processes of this test's Ray that parse."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if b"ray::" in command and b"_Worker" in command and MARK.encode() in environment:
            found.append(int(process.name))
    return found


def check(output: Path) -> None:
    """Every text is there once, in order, with the graph of the pipeline."""
    table = parquet.read_table(output)
    ids = table["id"].to_pylist()
    assert ids == [f"t{i:03}" for i in range(7)] + ["bad"] + [f"t{i:03}" for i in range(7, N)]
    graphs = list(iter_graphs(table))
    assert graphs.pop(7) is None and "UC573" in table["error"][7].as_py()
    for graph, doc in zip(graphs, spacy.load(SHIPPED).pipe(TEXTS), strict=True):
        assert graph.allclose(doc._.ucca)
    assert not [p.name for p in output.iterdir() if p.suffix != ".parquet"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
def test_a_worker_that_is_killed_costs_nothing(source: Path, tmp_path: Path) -> None:
    killed: list[int] = []
    sums = []

    def advance(summary) -> None:
        sums.append(summary)
        if len(sums) == 2:
            killed.append(workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    stage = ParseStage(str(SHIPPED))
    done = parse_texts(
        source, tmp_path / "out", stage, workers=2, reader=Reader(words=60), advance=advance
    )
    assert killed and killed[0] not in workers()
    assert done == sums[-1] and done.texts == N + 1 and done.errors == 1
    assert done.files == len(list((tmp_path / "out").iterdir())) > 10
    check(tmp_path / "out")


def test_command_and_resume(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("parse", source, "-m", SHIPPED, "--engine", "ray", "-o", out, "-n", 1)
    result = run(*args)
    assert "121 texts" in result.stderr and "1 texts have no graph" in result.stderr
    check(out)
    assert "UC578" in run(*args, code=1).stderr
    (only,) = out.iterdir()
    times = only.stat().st_mtime_ns
    assert " 0 texts" in run(*args, "--resume").stderr
    assert "UC723" in run(*args, "--resume", "--beam-width", 4, code=1).stderr
    assert only.stat().st_mtime_ns == times
    only.unlink()
    assert "121 texts" in run(*args, "--resume").stderr
    check(out)
    assert "--to" in run(*args[:-4], "-o", out, "--to", "xml", code=2).stderr
    assert "--output" in run(*args[:-4], code=2).stderr


def test_mistakes_are_told(source: Path, tmp_path: Path) -> None:
    assert connect() is ray
    stage, reader = ParseStage(str(SHIPPED)), Reader(text="body")
    with pytest.raises(UccaError, match="UC508"):
        parse_texts(source, tmp_path / "a", ParseStage(str(tmp_path / "none")), workers=1)
    parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "a.parquet")
    with pytest.raises(UccaError, match=r"UC576.*'body'"):
        parse_texts(tmp_path / "a.parquet", tmp_path / "b", stage, workers=1, reader=reader)
    (tmp_path / "c").write_text("", "utf8")
    with pytest.raises(UccaError, match="UC504"):
        parse_texts(source, tmp_path / "c", stage, workers=1)
