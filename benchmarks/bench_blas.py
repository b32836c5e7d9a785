"""What NumPy's products of matrices give `nlp.pipe`, and one thread of its BLAS, on idle cores and beside other programs.

    unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS
    python benchmarks/bench_blas.py models/en_ucca_sm CORPUS.spacy [--repeat 3] [--json FILE]

The same texts are parsed three ways, in turn: as the shipped pipeline does; with the products of Thinc in the layers of
Thinc; and with as many threads as the BLAS of NumPy takes by itself. Then again beside busy processes of other sessions.
Seconds are those of the wall clock: the second half is what a user waits for on a busy machine. A ratio is the median of
those of the rounds, which are short: no machine is quiet for long.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import spacy
import typer
from bench_pipeline import batches_of_sentences
from measuring import JSON, interleave, report, summary, table
from spacy.language import Language
from thinc.api import NumpyOps

from spacy_ucca.layers import numpy_products
from spacy_ucca.layers.numpy_products import NumpyProducts, replace_ops, use_numpy_products

SHIPPED, THINC, THREADS = "shipped", "Thinc's products", "many threads"


@contextmanager
def many_threads() -> Iterator[None]:
    """Let products take as many threads as they do by themselves."""
    unlimited = mock.Mock()
    unlimited.limit.side_effect = lambda limits: nullcontext()
    with mock.patch.object(numpy_products, "_libraries", lambda: unlimited):
        yield


@contextmanager
def busy_processes(n: int) -> Iterator[None]:
    """Keep so many processes busy meanwhile."""
    with ExitStack() as stack:
        for _ in range(n):
            command = [sys.executable, "-c", "while True: pass"]
            process = subprocess.Popen(command, start_new_session=True)  # as other programs have
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def tasks(nlp: Language, texts: list[str]) -> dict[str, Callable[[], Any]]:
    """RETURNS (Dict[str, Callable]): What is timed, by name."""

    def parse() -> None:
        for _ in nlp.pipe(texts):
            pass

    def shipped() -> None:
        use_numpy_products(nlp)
        parse()

    def thinc() -> None:
        replace_ops(nlp, NumpyProducts, NumpyOps())
        parse()

    def threads() -> None:
        use_numpy_products(nlp)
        with many_threads():
            parse()

    return {SHIPPED: shipped, THINC: thinc, THREADS: threads}


def main(
    model: Path,
    corpus: Path,
    n_sentences: int = typer.Option(5, help="Sentences in a text"),
    n_texts: int = typer.Option(40, help="Texts"),
    repeat: int = typer.Option(15, help="Rounds"),
    n_busy: int = typer.Option(1, help="Processes that are busy in the second half"),
    json: Path | None = JSON,
) -> None:
    """Compare products of matrices, and numbers of threads."""
    nlp = spacy.load(model)
    texts = batches_of_sentences(nlp, corpus, n_sentences)[:n_texts]
    n_words = sum(len(nlp.make_doc(text)) for text in texts)
    result: dict[str, Any] = {"words": n_words, "n_busy": n_busy}
    rows = [["", *(f"{side}, words/s" for side in tasks(nlp, [])), "x Thinc's", "x many threads"]]
    for kind, n in (("idle", 0), ("busy", n_busy)):
        with busy_processes(n):
            seconds = interleave(tasks(nlp, texts), repeat)
        ratios = {
            side: median(a / b for a, b in zip(seconds[side], seconds[SHIPPED]))
            for side in (THINC, THREADS)
        }
        result[kind] = {"seconds": seconds, "ratios": ratios}
        speeds = [f"{n_words / summary(values)['median']:,.0f}" for values in seconds.values()]
        rows.append([kind, *speeds, *(f"{ratio:.2f}" for ratio in ratios.values())])
    report(result, table(rows, "<>>>>>"), json)


if __name__ == "__main__":
    typer.run(main)
