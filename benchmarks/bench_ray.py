"""What Ray's workers give, beside one process that parses the same texts in the same run.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_ray.py models/en_ucca_sm TEXTS.txt [--words 100000] [--json FILE]

TEXTS.txt has a text a line. One process (the stage, without Ray) and one and two workers parse the same lines to the same
Parquet files. Time counts from the first file that is written to the last, so that start-up is apart: what it takes to start
Ray, and from there to the first file. A worker's time is that of its processor too, which tells what Ray costs on a machine that
is not quiet: CPU seconds of all workers for CPU seconds of the one process. The machine needs three idle cores, one for Ray.
"""

import json as json_module
import os
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import typer
from measuring import JSON, one_thread, report, table

from spacy_ucca.distributed.output import Output
from spacy_ucca.distributed.ray_engine import Summary, connect, parse_texts
from spacy_ucca.distributed.stage import ParseStage
from spacy_ucca.distributed.texts import Reader, find_texts, read_parts

MIB = 2**20
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def write_texts(path: Path, lines: list[str], words: int) -> None:
    """Write so many words of lines, from the first again when all are used."""
    with path.open("w", encoding="utf8") as file:
        for i, line in enumerate(islice(cycle(lines), 10**9)):
            if words <= 0:
                break
            words -= len(line.split())
            file.write(json_module.dumps({"id": str(i), "text": line}) + "\n")


def workers() -> dict[int, tuple[float, float]]:
    """RETURNS (Dict[int, Tuple[float, float]]): CPU seconds and peak memory in MiB of each worker, by its process id."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"_Worker" not in (process / "cmdline").read_bytes():
                continue
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            status = (process / "status").read_text()
        except OSError:
            continue
        peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
        found[int(process.name)] = ((int(fields[11]) + int(fields[12])) / TICKS, peak)
    return found


class Watch:
    """Notes the time, the tokens, and the workers' CPU time, after the first file and after each one."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.points: list[tuple[float, int, float]] = []
        self.peak = 0.0

    def __call__(self, done: Summary) -> None:
        now = workers()
        self.peak = max([self.peak, *(peak for _, peak in now.values())])
        cpu = sum(seconds for seconds, _ in now.values())
        self.points.append((time.perf_counter(), done.tokens, cpu))

    def figures(self) -> dict[str, float]:
        """RETURNS (Dict[str, float]): Tokens per second of the clock and of CPU time after the first file; start-up; memory."""
        (first, before, cpu_before), (last, after, cpu_after) = self.points[0], self.points[-1]
        return {
            "words_per_second": (after - before) / (last - first),
            "cpu_us_per_word": 1e6 * (cpu_after - cpu_before) / (after - before),
            "first_file_seconds": first - self.start,
            "peak_mib": self.peak,
        }


def one_process(stage: ParseStage, source: Path, output: Path, reader: Reader) -> dict[str, float]:
    """RETURNS (Dict[str, float]): The same figures of this process."""
    _ = stage.nlp
    out, points = Output.at(output), []
    done = Summary()
    for number, items in enumerate(read_parts(find_texts(source), reader)):
        sums = out.parse(f"{number:06}.parquet", items, stage)
        done = Summary(*map(sum, zip(done, sums)))
        points.append((time.perf_counter(), done.tokens, time.process_time()))
    (first, before, cpu_before), (last, after, cpu_after) = points[0], points[-1]
    return {
        "words_per_second": (after - before) / (last - first),
        "cpu_us_per_word": 1e6 * (cpu_after - cpu_before) / (after - before),
    }


def main(
    model: Path,
    texts: Path,
    words: int = typer.Option(100_000, help="Words to parse, each time"),
    part: int = typer.Option(4_000, help="Words in a part"),
    repeat: int = typer.Option(1, help="Rounds"),
    json: Path | None = JSON,
) -> None:
    """Compare Ray's workers with one process."""
    one_thread()
    lines = [line for line in texts.read_text("utf8").splitlines() if line.strip()]
    stage, reader = ParseStage(str(model.resolve())), Reader(words=part)
    rounds: list[dict[str, Any]] = []
    start = time.perf_counter()
    connect()
    ray_start = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "texts.jsonl")
        write_texts(source, lines, words)
        for number in range(repeat):
            figures: dict[str, Any] = {}
            figures["one process"] = one_process(
                stage, source, Path(directory, f"{number}-0"), reader
            )
            for n in (1, 2):
                watch = Watch()
                output = Path(directory, f"{number}-{n}")
                parse_texts(source, output, stage, reader=reader, workers=n, advance=watch)
                figures[f"workers: {n}"] = watch.figures()
            rounds.append(figures)
    rows = [["", "words/s", "ratio", "CPU µs/word", "first file s", "peak MiB"]]
    for figures in rounds:
        base = figures["one process"]["words_per_second"]
        for name, value in figures.items():
            speed = value["words_per_second"]
            more = [f"{value.get(k, 0):.0f}" for k in ("first_file_seconds", "peak_mib")]
            rows.append(
                [
                    name,
                    f"{speed:,.0f}",
                    f"{speed / base:.2f}",
                    f"{value['cpu_us_per_word']:.0f}",
                    *more,
                ]
            )
    text = table(rows, "<>>>>>") + f"\n\nRay starts in {ray_start:.1f} s."
    report({"rounds": rounds, "ray_start_seconds": ray_start}, text, json)


if __name__ == "__main__":
    typer.run(main)
