"""What the benchmarks share: one thread, interleaved runs, summaries, the machine, output.

Nothing is measured here, and nothing here knows spaCy or the parser.
"""

import gc
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer

from spacy_ucca.cli._util import table, write_json

__all__ = ["clock", "interleave", "milliseconds", "one_thread", "report", "summary", "table"]

# Read when NumPy (or PyTorch) is first imported: later is too late. MKL, too, goes by the first.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
JSON = typer.Option(None, "--json", help="Write the figures here")
CPU_TIME = typer.Option(
    False, "--cpu-time", help="Count the time of this process only: for a machine that is not quiet"
)


def one_thread() -> None:
    """See to it that linear algebra runs in one thread, as all figures suppose.
    RAISES (Exit): With 2, if the environment allows more."""
    wrong = [name for name in THREADS if os.environ.get(name) != "1"]
    if wrong:
        command = " ".join([*(f"{name}=1" for name in THREADS), "python", *sys.argv])
        typer.echo(
            f"Set {' and '.join(wrong)} to 1: figures are for one thread.\n\n    {command}",
            err=True,
        )
        raise typer.Exit(2)


def clock(cpu_time: bool) -> Callable[[], float]:
    """RETURNS (Callable): Gives seconds: of the wall clock, or of this process alone."""
    return time.process_time if cpu_time else time.perf_counter


def interleave(
    tasks: Mapping[str, Callable[[], Any]],
    repeat: int,
    *,
    warm_up: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Run tasks in turn, so that what disturbs the machine for a while disturbs all of them. The order is
    reversed in every other round.

    tasks (Mapping[str, Callable]): What to time, by name.
    repeat (int): Rounds that count.
    warm_up (int): Rounds before them that do not.
    clock (Callable): Gives seconds.
    RETURNS (Dict[str, List[float]]): The seconds of each task in each round.
    """
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for number in range(warm_up + repeat):
        names = list(tasks)
        for name in names if number % 2 == 0 else reversed(names):
            gc.collect()
            start = clock()
            tasks[name]()
            elapsed = clock() - start
            if number >= warm_up:
                seconds[name].append(elapsed)
    return seconds


def summary(values: Sequence[float]) -> dict[str, float]:
    """RETURNS (Dict[str, float]): The smallest value and the median."""
    return {"min": min(values), "median": statistics.median(values)}


def milliseconds(values: Sequence[float]) -> dict[str, float]:
    """RETURNS (Dict[str, float]): The smallest value and the median of seconds, in milliseconds."""
    return {name: round(1000 * value, 3) for name, value in summary(values).items()}


def machine() -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): What the figures were measured with, and how busy the machine was."""
    versions = {"python": platform.python_version()}
    for name in ("spacy", "thinc", "numpy", "spacy-ucca"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # run from a checkout
            versions[name] = "not installed"
    load = [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None
    return {
        "versions": versions,
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_average": load,
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def report(result: dict[str, Any], text: str, path: Path | None) -> None:
    """Print a readable text, with the load of the machine under it, and write the figures.

    result (Dict[str, Any]): The figures; what they were measured with is added.
    text (str): What to print.
    path (Optional[Path]): The file for the figures; none is written if it is None.
    """
    found = machine()
    load = "unknown" if found["load_average"] is None else found["load_average"][0]
    typer.echo(
        f"{text}\n\nLoad of the machine in the last minute: {load} on {found['cores']} cores."
    )
    write_json(path, {**result, "machine": found})
