"""Many texts: memory and open files do not grow with them."""

import json
import os
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path

import pytest
from cli_runs import run
from golden import DATA, MODEL

resource = pytest.importorskip("resource", reason="no limits there")

MEGABYTE = 1024  # of what getrusage counts in
PEAK = """
import resource, sys
from spacy_ucca.cli import app
try:
    app(sys.argv[1:])
finally:
    sys.stderr.write(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}")
"""


def peak(folder: Path, n: int) -> int:
    """RETURNS (int): The most memory that parsing so many lines takes, in kilobytes."""
    texts = (DATA / "golden.txt").read_text("utf8").splitlines()
    short = sorted(set(texts), key=len)[:50]
    (folder / f"{n}.txt").write_text("\n".join(islice(cycle(short), n)) + "\n", "utf8")
    output = folder / f"{n}.jsonl"
    args = ["parse", folder / f"{n}.txt", "--lines", "--to", "jsonl", "-o", output, "-m", MODEL]
    command = [sys.executable, "-c", PEAK, *map(str, args), "--no-progress"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    with output.open(encoding="utf8") as file:
        assert sum(1 for _ in file) == n
    return int(result.stderr.split("peak ")[1])


@pytest.mark.slow
@pytest.mark.skipif(not MODEL.exists(), reason="no pipeline ships yet")
def test_memory_does_not_grow_with_lines(tmp_path: Path) -> None:
    """A kilobyte kept for each line would be seen."""
    assert peak(tmp_path, 20_000) - peak(tmp_path, 1000) < 15 * MEGABYTE


@pytest.mark.parametrize("n", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_files_do_not_stay_open(n: int, model: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for i in range(n):
        (tmp_path / "in" / f"{i}.txt").write_text("It rains.", "utf8")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    n_open = len(os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_open + 40, before[1]))
    try:
        run("parse", tmp_path / "in", "-m", model, "--to", "xml", "-o", tmp_path / "xml")
        run("convert", tmp_path / "xml", tmp_path / "all.mrp", "--to", "mrp")
        run("validate", tmp_path / "xml")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    records = [json.loads(line) for line in (tmp_path / "all.mrp").read_text("utf8").splitlines()]
    assert sorted(record["id"] for record in records) == sorted(str(i) for i in range(n))
