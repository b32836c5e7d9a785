"""What each component of a pipeline costs, in one run: words per second, and whether `ucca_parser` is as
cheap as spaCy's own `parser` and `tagger` together.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_pipeline.py models/en_ucca_sm CORPUS.spacy [--repeat 5] [--json FILE]

The texts are those of a .spacy file, several sentences to a Doc. Each component runs over the same Docs, one
after the other, as `nlp.pipe` would do it, then again in the next round. Two sides are compared: `ucca_parser`,
and `parser` and `tagger`, or `morphologizer` where that has the tags. A shared `tok2vec` or encoder is counted
once on each side that listens to it; one that `ucca_parser` has for itself is in its time. The ratio says more
than the figures, which are the machine's.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import CPU_TIME, JSON, clock, one_thread, report, summary, table
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.training.corpus import read_docbin

PIPELINE = "whole pipeline"
ALONE = "ucca_parser in nlp.pipe"
TAGGERS, PARSER = ("tagger", "morphologizer"), "parser"


def batches_of_sentences(nlp: Language, path: Path, n_sentences: int) -> list[str]:
    """RETURNS (List[str]): Texts of so many sentences each."""
    texts = [doc.text for doc in read_docbin(path, nlp.vocab)]
    return [" ".join(texts[i : i + n_sentences]) for i in range(0, len(texts), n_sentences)]


def time_components(
    nlp: Language, texts: list[str], batch_size: int, now: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """RETURNS (Dict[str, float]): Seconds that each component takes for all texts, that `nlp.pipe` takes for
    `ucca_parser` alone over Docs that have all it needs, and that it takes for the texts."""
    docs: list[Doc] = [nlp.make_doc(text) for text in texts]
    seconds = {}
    pipes: list[tuple[str, Any]] = nlp.pipeline
    for name, pipe in pipes:
        start = now()
        stream = (
            pipe.pipe(docs, batch_size=batch_size) if hasattr(pipe, "pipe") else map(pipe, docs)
        )
        docs = list(stream)
        seconds[name] = now() - start
    with nlp.select_pipes(enable=[*listened(nlp, ("ucca_parser",)), "ucca_parser"]):
        start = now()
        for _ in nlp.pipe(docs, batch_size=batch_size):
            pass
        seconds[ALONE] = now() - start
    start = now()
    for _ in nlp.pipe(texts, batch_size=batch_size):
        pass
    seconds[PIPELINE] = now() - start
    return seconds


def listened(nlp: Language, names: tuple[str, ...]) -> list[str]:
    """RETURNS (List[str]): The components whose vectors some of these components listen to."""
    return [
        name
        for name, pipe in nlp.pipeline
        if set(getattr(pipe, "listening_components", ())) & set(names)
    ]


def main(
    model: Path,
    corpus: Path,
    n_sentences: int = typer.Option(5, help="Sentences in a text"),
    batch_size: int = typer.Option(0, help="Texts in a batch; 0: as the pipeline has it"),
    repeat: int = 5,
    cpu_time: bool = CPU_TIME,
    json: Path | None = JSON,
) -> None:
    """Time a pipeline over the texts of a corpus."""
    one_thread()
    nlp = spacy.load(model)
    tagger = next((name for name in TAGGERS if name in nlp.pipe_names), TAGGERS[0])
    rivals = (tagger, PARSER)
    missing = {"ucca_parser", *rivals} - set(nlp.pipe_names)
    if missing:
        raise typer.BadParameter(f"The pipeline has no {' and no '.join(sorted(missing))}.")
    texts = batches_of_sentences(nlp, corpus, n_sentences)
    n_words = sum(len(nlp.make_doc(text)) for text in texts)
    batch_size = batch_size or nlp.batch_size
    time_components(nlp, texts[: max(len(texts) // 10, 1)], batch_size)  # warm up
    runs = [time_components(nlp, texts, batch_size, clock(cpu_time)) for _ in range(repeat)]
    sides = {
        "ucca_parser": [*listened(nlp, ("ucca_parser",)), "ucca_parser"],
        "tagger + parser": [*listened(nlp, rivals), *rivals],
    }
    costs = {
        side: [sum(run[name] for name in names) for run in runs] for side, names in sides.items()
    }
    ours, theirs = (summary(values) for values in costs.values())
    ratio = {kind: round(ours[kind] / theirs[kind], 3) for kind in ours}
    seconds = {name: summary([run[name] for run in runs]) for name in runs[0]}
    result: dict[str, Any] = {
        "words": n_words,
        "texts": len(texts),
        "batch_size": batch_size,
        "repeat": repeat,
        "cpu_time": cpu_time,
        "seconds": seconds,
        "words_per_second": {
            name: {kind: round(n_words / s) for kind, s in both.items()}
            for name, both in seconds.items()
        },
        "sides": sides,
        "seconds_of_sides": {side: summary(values) for side, values in costs.items()},
        "ratio": ratio,
    }
    rows = [["", "words/s (best)", "words/s (median)", "x parser"]]
    for name, both in seconds.items():
        rows.append(
            [
                name,
                f"{n_words / both['min']:,.0f}",
                f"{n_words / both['median']:,.0f}",
                f"{both['min'] / seconds['parser']['min']:.2f}",
            ]
        )
    text = f"{n_words} words in {len(texts)} texts, batches of {batch_size}, {repeat} rounds\n\n"
    text += table(rows, "<>>>") + "\n\n"
    text += " / ".join(f"({' + '.join(names)})" for names in sides.values())
    text += " = " + ", ".join(f"{value:.2f} ({kind})" for kind, value in ratio.items())
    report(result, text, json)


if __name__ == "__main__":
    typer.run(main)
