"""What `import spacy_ucca` adds to `import spacy`, and what `ucca_parser` adds to loading a pipeline.

    python benchmarks/bench_startup.py models/en_ucca_sm [--repeat 15] [--json FILE]

Each figure comes from a fresh interpreter, with and without in turn, after one of each that writes bytecode.
Two differences are given for the import: of whole interpreters, and of the statement alone after
`import spacy`, which is the steadier one. The pipeline is loaded with `spacy.load(...)` and with
`spacy.load(..., exclude=["ucca_parser"])`, the first time in an interpreter, after `import spacy`.

`--modules` also lists the modules of the package that take longest, by `python -X importtime`.
"""

import os
import re
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import typer
from measuring import JSON, milliseconds, one_thread, report, table

CODE = """
import sys, time
def now(): return time.perf_counter(), time.process_time()
"""
IMPORT = CODE + (
    "import spacy; start = now(); import spacy_ucca; end = now()\n"
    "print(end[0] - start[0], end[1] - start[1], time.process_time())"
)
NO_IMPORT = CODE + "import spacy; print(0, 0, time.process_time())"
LOAD = CODE + (
    "import spacy; start = now(); spacy.load({model!r}, exclude={exclude!r}); end = now()\n"
    "print(end[0] - start[0], end[1] - start[1], time.process_time())"
)
COLUMNS = ("wall", "cpu", "process_cpu")
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    """RETURNS (CompletedProcess): What a fresh interpreter says; it keeps bytecode, as an installed package
    does."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *options, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf8", env=env)
    if result.returncode:
        typer.echo(result.stderr, err=True)
        raise typer.Exit(1)
    return result


def measure(codes: dict[str, str], repeat: int) -> dict[str, dict[str, list[float]]]:
    """RETURNS (Dict[str, Dict[str, List[float]]]): The seconds that each of these programs prints, in turn."""
    found: dict[str, dict[str, list[float]]] = {
        name: {column: [] for column in COLUMNS} for name in codes
    }
    for number in range(repeat + 1):
        names = list(codes)
        for name in names if number % 2 else reversed(names):
            values = map(float, run(codes[name]).stdout.split())
            if number:
                for column, value in zip(COLUMNS, values, strict=True):
                    found[name][column].append(value)
    return found


def slowest_modules(code: str, n: int = 10) -> list[tuple[str, float]]:
    """RETURNS (List[Tuple[str, float]]): The modules of the package that take longest to import, with their
    own milliseconds."""
    lines = LINE.findall(run(code, "-X", "importtime").stderr)
    own = [(name, int(time) / 1000) for time, name in lines if name.startswith("spacy_ucca")]
    return sorted(own, key=lambda item: -item[1])[:n]


def main(
    model: Path,
    repeat: int = 15,
    modules: bool = typer.Option(False, "--modules", help="List the slowest modules"),
    json: Path | None = JSON,
) -> None:
    """Time importing the package and loading a pipeline."""
    one_thread()
    path = str(model.resolve())
    load = {
        "with": LOAD.format(model=path, exclude=[]),
        "without": LOAD.format(model=path, exclude=["ucca_parser"]),
    }
    found = measure({"import": IMPORT, "no import": NO_IMPORT, **load}, repeat)
    whole = statistics.median(
        a - b
        for a, b in zip(
            found["import"]["process_cpu"], found["no import"]["process_cpu"], strict=True
        )
    )
    times = {
        name: {column: milliseconds(found[name][column]) for column in ("wall", "cpu")}
        for name in ("import", *load)
    }
    ratio = {
        column: {
            kind: round(times["with"][column][kind] / times["without"][column][kind], 3)
            for kind in ("min", "median")
        }
        for column in ("wall", "cpu")
    }
    result: dict[str, Any] = {
        "repeat": repeat,
        "import_ms": times["import"],
        "import_ms_of_whole_interpreters": round(1000 * whole, 3),
        "load_ms": {name: times[name] for name in load},
        "load_ratio": ratio,
    }
    rows = [["ms", "wall, best", "wall, median", "CPU, best", "CPU, median"]]
    labels = ("import spacy_ucca, after spacy", "load", "load without ucca_parser")
    for label, both in zip(labels, times.values(), strict=True):
        cells = (f"{both[c][k]:.1f}" for c in ("wall", "cpu") for k in ("min", "median"))
        rows.append([label, *cells])
    cells = (f"{ratio[c][k]:.2f}" for c in ("wall", "cpu") for k in ("min", "median"))
    rows.append(["ratio of the two", *cells])
    text = table(rows, "<>>>>")
    text += f"\n\nBetween whole interpreters, import spacy_ucca adds {1000 * whole:.1f} ms CPU (median)."
    if modules:
        listed = slowest_modules(load["with"])
        result["modules_ms"] = dict(listed)
        body = [["module", "ms"], *([name, f"{ms:.1f}"] for name, ms in listed)]
        text += "\n\n" + table(body, "<>")
    report(result, text, json)


if __name__ == "__main__":
    typer.run(main)
