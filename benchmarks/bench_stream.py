"""Whether memory stays flat over a long stream of texts, and what a second process gives.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_stream.py models/en_ucca_sm CORPUS.spacy [--tokens 1000000] [--json FILE]

First, `nlp.pipe` over texts of a few random sentences of the corpus, until so many tokens have gone through. No
text comes again, but no word is new, since spaCy's own string store keeps every word. The memory of the process
is read after each text. Of each tenth of the tokens the lowest and the highest are kept: batches come and go in
between, but what leaks lifts the lowest too. The first three tenths are warm-up; a line through the lowest of the
others says how much memory grows.

Then 5,000 sentences with `n_process=2` and with 1, each sentence a text, and again with some to a text; with the
first also without `ucca_parser`, as processes send Docs as bytes, which takes long for spaCy's own annotation
(and a fixed time for a Doc that has user data). What it takes to start the second process and to end it is
measured with two texts, and reported apart. The machine needs two idle cores.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, interleave, one_thread, report, summary, table
from spacy.language import Language

from spacy_ucca.training.corpus import read_docbin

MIB = 2**20
POINTS, WARM_UP = 10, 3
MIN_BATCHES = 16


def resident_memory() -> int:
    """RETURNS (int): The memory of this process, in bytes; where the system does not tell, its peak."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text("ascii").split()[1]) * resource.getpagesize()
    if sys.platform == "win32":
        raise typer.BadParameter("Memory cannot be read on Windows.")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def random_texts(sentences: list[str], n_sentences: int, seed: int = 0) -> Iterator[str]:
    """YIELDS (str): Texts of so many random sentences, without an end."""
    rng = random.Random(seed)
    while True:
        yield " ".join(rng.choices(sentences, k=n_sentences))


def stream(nlp: Language, texts: Iterator[str], n_tokens: int) -> list[tuple[int, int, int]]:
    """Parse until so many tokens have gone through.

    nlp (Language): The pipeline.
    texts (Iterator[str]): Texts, without an end.
    n_tokens (int): The tokens.
    RETURNS (List[Tuple[int, int, int]]): For each tenth, the tokens at its end, and the lowest and the highest
        memory in it, in bytes.
    """
    points: list[tuple[int, int, int]] = []
    seen: list[int] = []
    done = 0
    for doc in nlp.pipe(texts):
        done += len(doc)
        seen.append(resident_memory())
        if done >= n_tokens * (len(points) + 1) // POINTS:
            points.append((done, min(seen), max(seen)))
            seen = []
        if len(points) == POINTS:
            break
    return points


def growth(points: list[tuple[int, int, int]]) -> dict[str, float]:
    """Fit a line through the lowest memory after warm-up.

    points (List[Tuple[int, int, int]]): Tokens, lowest and highest bytes.
    RETURNS (Dict[str, float]): `mib_per_million_tokens`; `grown_mib`, over the points that were fitted;
        `grown_share`, the same as a share of the mean; `highest_share`, how far the highest of the last tenth
        is above the highest of those before.
    """
    rest = points[WARM_UP:]
    mean_x = sum(x for x, _, _ in rest) / len(rest)
    mean_y = sum(y for _, y, _ in rest) / len(rest)
    spread = sum((x - mean_x) ** 2 for x, _, _ in rest)
    slope = sum((x - mean_x) * (y - mean_y) for x, y, _ in rest) / spread if spread else 0.0
    grown = slope * (rest[-1][0] - rest[0][0])
    return {
        "mib_per_million_tokens": round(slope * 1e6 / MIB, 3),
        "grown_mib": round(grown / MIB, 3),
        "grown_share": round(grown / mean_y, 5),
        "highest_share": round(rest[-1][2] / max(z for _, _, z in points[:-1]) - 1, 5),
    }


def time_processes(nlp: Language, texts: list[str], repeat: int) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Seconds with one process and with two, seconds to start (and end) the second,
    and the ratio with and without these."""

    # Processes get a batch each in turn: with few and long texts one could get all of them.
    batch_size = max(1, min(nlp.batch_size, len(texts) // MIN_BATCHES))

    def task(texts: list[str], n_process: int) -> Callable[[], None]:
        def run() -> None:
            for _ in nlp.pipe(texts, n_process=n_process, batch_size=batch_size):
                pass

        return run

    tasks = {
        "one": task(texts, 1),
        "two": task(texts, 2),
        "one, two texts": task(texts[:2], 1),
        "two, two texts": task(texts[:2], 2),
    }
    seconds = {
        name: summary(values) for name, values in interleave(tasks, repeat, warm_up=0).items()
    }
    one, two = seconds["one"]["min"], seconds["two"]["min"]
    start = seconds["two, two texts"]["min"] - seconds["one, two texts"]["min"]
    return {
        "texts": len(texts),
        "seconds": {"n_process=1": seconds["one"], "n_process=2": seconds["two"]},
        "start_seconds": round(start, 3),
        "ratio": round(one / two, 3),
        "ratio_without_start": round(one / max(two - start, 1e-9), 3),
    }


def process_tasks(
    nlp: Language, sentences: list[str], n_sentences: int, repeat: int
) -> dict[str, dict[str, Any]]:
    """RETURNS (Dict[str, Dict[str, Any]]): What `time_processes` gives, by what is parsed."""
    step = range(0, len(sentences), n_sentences)
    joined = [" ".join(sentences[i : i + n_sentences]) for i in step]
    found = {"a sentence to a text": time_processes(nlp, sentences, repeat)}
    with nlp.select_pipes(disable=["ucca_parser"]):
        found["the same, without ucca_parser"] = time_processes(nlp, sentences, repeat)
    found[f"{n_sentences} sentences to a text"] = time_processes(nlp, joined, repeat)
    return found


def main(
    model: Path,
    corpus: Path,
    tokens: int = typer.Option(1_000_000, help="Tokens to stream; 0 leaves this out"),
    n_sentences: int = typer.Option(5, help="Sentences in a text of the stream, and of several"),
    sentences: int = typer.Option(5_000, help="Sentences for two processes; 0 leaves this out"),
    repeat: int = typer.Option(3, help="Rounds with one process and two"),
    tolerance: float = typer.Option(0.01, help="Growth that counts as flat, as a share"),
    json: Path | None = JSON,
) -> None:
    """Watch memory over a stream, and time two processes."""
    one_thread()
    nlp = spacy.load(model)
    given = [doc.text for doc in read_docbin(corpus, nlp.vocab)]
    result: dict[str, Any] = {}
    lines: list[str] = []
    if tokens:
        start, before = time.perf_counter(), resident_memory()
        points = stream(nlp, random_texts(given, n_sentences), tokens)
        seconds = time.perf_counter() - start
        found = growth(points)
        result["stream"] = {
            "tokens": points[-1][0],
            "seconds": round(seconds, 2),
            "before_mib": round(before / MIB, 1),
            "points": [
                {
                    "tokens": n,
                    "lowest_mib": round(low / MIB, 2),
                    "highest_mib": round(high / MIB, 2),
                }
                for n, low, high in points
            ],
            **found,
            "flat": found["grown_share"] <= tolerance,
        }
        rows = [["tokens", "lowest MiB", "highest"], ["0", f"{before / MIB:.1f}", ""]]
        rows += [[f"{n:,}", f"{a / MIB:.1f}", f"{b / MIB:.1f}"] for n, a, b in points]
        verdict = "flat" if result["stream"]["flat"] else "NOT flat"
        lines += [
            table(rows, ">>>"),
            f"Memory is {verdict}: {found['grown_mib']:+.2f} MiB ({100 * found['grown_share']:+.2f} %) after "
            f"warm-up, {found['mib_per_million_tokens']:+.2f} MiB per million tokens; the highest of the last "
            f"tenth is {100 * found['highest_share']:+.2f} % from the highest before. "
            f"{points[-1][0] / seconds:,.0f} tokens/s.",
        ]
    if sentences:
        texts = (given * (-(-sentences // len(given))))[:sentences]
        nlp(texts[0])
        result["processes"] = process_tasks(nlp, texts, n_sentences, repeat)
        rows = [["", "texts", "n_process=1, s", "2, s", "ratio", "to start, s", "ratio without"]]
        for name, times in result["processes"].items():
            best = {k: f"{v['min']:.2f}" for k, v in times["seconds"].items()}
            rows.append(
                [
                    *(name, f"{times['texts']:,}", best["n_process=1"], best["n_process=2"]),
                    *(f"{times['ratio']:.2f}", f"{times['start_seconds']:.2f}"),
                    f"{times['ratio_without_start']:.2f}",
                ]
            )
        lines += [""] if lines else []
        lines += [f"{sentences:,} sentences, best of {repeat}:", table(rows, "<>>>>>>")]
    report(result, "\n".join(lines), json)


if __name__ == "__main__":
    typer.run(main)
