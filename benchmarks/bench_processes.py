"""What two processes give: one run with `n_process=2` beside two separate processes, which know nothing of each other.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_processes.py models/en_ucca_sm CORPUS.spacy [--words 200000] [--json FILE]

Each side parses the same words and writes the same lines of JSON; in the two separate processes each parses half of
them. Sides take turns, and each is a program of its own from its start to its end, so loading counts on both.

- `parse_texts` is beside two programs that write the graphs of `nlp.pipe`,
- `spacy-ucca parse --n-process 2` beside two with one process,

for texts of one sentence and for passages of several. CPU seconds are those of all processes of a side: their ratio
holds on a machine that is not quiet, where words per second do not. What they do not show is a process that waits. The
machine needs two idle cores.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, interleave, one_thread, report, summary, table

from spacy_ucca.training.corpus import read_docs

PIPE = """
import json, sys, spacy
model, texts, output = sys.argv[1:]
nlp = spacy.load(model)
with open(texts, encoding="utf8") as lines, open(output, "w", encoding="utf8") as file:
    for doc in nlp.pipe(line.rstrip() for line in lines):
        file.write(json.dumps(doc._.ucca.to_record(), ensure_ascii=False) + "\\n")
"""
PARSE_TEXTS = """
import sys
from spacy_ucca.distributed.local import parse_texts
model, texts, output = sys.argv[1:]
if __name__ == "__main__":
    with open(texts, encoding="utf8") as lines, open(output, "w", encoding="utf8") as file:
        for parsed in parse_texts(model, (line.rstrip() for line in lines), n_process=2):
            file.write(parsed.record + "\\n")
"""
Command = Callable[[Path, Path], list[str]]


def programs(model: Path, folder: Path) -> dict[str, tuple[Command, Command]]:
    """RETURNS (Dict[str, Tuple[Callable, Callable]]): By name the command with one process and that with two, for a file of
    texts and an output."""

    def script(name: str, code: str) -> Command:
        path = folder / f"{name}.py"
        path.write_text(code, "utf8")
        return lambda texts, output: [sys.executable, *map(str, (path, model, texts, output))]

    def parse(n_process: int) -> Command:
        options = ("--model", str(model), "--lines", "--to", "jsonl", "--n-process", str(n_process))
        start = [sys.executable, "-m", "spacy_ucca", "parse"]
        return lambda texts, output: [*start, str(texts), *options, "--output", str(output)]

    return {
        "parse_texts": (script("pipe", PIPE), script("parse_texts", PARSE_TEXTS)),
        "spacy-ucca parse": (parse(1), parse(2)),
    }


def run_all(commands: Sequence[list[str]]) -> float:
    """Run commands side by side.

    commands (Sequence[List[str]]): The commands.
    RETURNS (float): The CPU seconds of them and of their processes.
    RAISES (CalledProcessError): If one fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    for process in processes:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def divide(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """RETURNS (Tuple[List[str], List[str]]): Every other text, and the rest: halves that are alike."""
    return list(texts[::2]), list(texts[1::2])


def compare(
    texts: Sequence[str], commands: tuple[Command, Command], folder: Path, repeat: int
) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Seconds and CPU seconds of two separate processes and of one run with two, by round.
    RAISES (ValueError): If both have not parsed the same texts."""
    one, two = commands
    paths = [folder / name for name in ("first.txt", "second.txt", "all.txt")]
    for path, part in zip(paths, (*divide(texts), texts), strict=True):
        path.write_text("".join(f"{text}\n" for text in part), "utf8")
    outputs = [path.with_suffix(".jsonl") for path in paths]
    cpu: dict[str, list[float]] = {"separate": [], "together": []}
    tasks = {
        "separate": lambda: cpu["separate"].append(
            run_all([one(*pair) for pair in zip(paths[:2], outputs[:2], strict=True)])
        ),
        "together": lambda: cpu["together"].append(run_all([two(paths[2], outputs[2])])),
    }
    seconds = interleave(tasks, repeat, warm_up=0)
    lines = [path.read_bytes().count(b"\n") for path in outputs]
    if lines[0] + lines[1] != lines[2] or lines[2] != len(texts):
        raise ValueError(f"Graphs of two separate processes and of one run: {lines}")
    return {"seconds": seconds, "cpu_seconds": cpu}


def ratios(figures: dict[str, dict[str, list[float]]]) -> dict[str, float]:
    """RETURNS (Dict[str, float]): By kind of seconds those of separate processes to those of one run: of the best rounds."""
    return {
        kind: round(min(sides["separate"]) / min(sides["together"]), 3)
        for kind, sides in figures.items()
    }


def main(
    model: Path,
    corpus: Path,
    words: int = typer.Option(200_000, help="Words to parse in each run"),
    n_sentences: int = typer.Option(20, help="Sentences of a passage"),
    repeat: int = typer.Option(3, help="Rounds"),
    json: Path | None = JSON,
) -> None:
    """Compare one run in two processes with two separate processes."""
    one_thread()
    sentences: list[str] = []
    n_words = 0
    docs = [doc for doc in read_docs(corpus, spacy.blank("xx").vocab) if doc.text.strip()]
    for doc in cycle(docs):
        if n_words >= words and len(sentences) % (2 * n_sentences) == 0:
            break
        sentences.append(" ".join(doc.text.split()))
        n_words += len(doc)
    step = range(0, len(sentences), n_sentences)
    passages = [" ".join(sentences[i : i + n_sentences]) for i in step]
    kinds = {"a sentence": sentences, f"{n_sentences} sentences": passages}
    result: dict[str, Any] = {"words": n_words}
    rows = [["", "a text is", "words/s, separate", "together", "ratio", "ratio of CPU time"]]
    with tempfile.TemporaryDirectory() as name:
        for program, commands in programs(model, Path(name)).items():
            for kind, texts in kinds.items():
                figures = compare(texts, commands, Path(name), repeat)
                found = result.setdefault(program, {})[kind] = {**figures, "ratio": ratios(figures)}
                speeds = [
                    n_words / summary(figures["seconds"][s])["min"] for s in figures["seconds"]
                ]
                shown = [f"{value:.2f}" for value in found["ratio"].values()]
                rows.append([program, kind, *(f"{speed:,.0f}" for speed in speeds), *shown])
    report(result, table(rows, "<<>>>>"), json)


if __name__ == "__main__":
    typer.run(main)
