"""Words per second of a pipeline and of each of its components, in one run.

    python benchmarks/bench_pipeline.py models/en_ucca_sm CORPUS.spacy [--repeat 3] [--json FILE]

The texts are those of a .spacy file, several sentences to a Doc. Every component runs over the same Docs,
one after the other, as `nlp.pipe` would do it; the fastest of the repeats counts. The ratio to spaCy's own
`parser` says more than the figures, which are the machine's. BLAS should have one thread
(OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1).
"""

import time
from pathlib import Path
from typing import Any

import spacy
import srsly
import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.corpus import read_docbin


def batches_of_sentences(nlp: Language, path: Path, n_sentences: int) -> list[str]:
    """RETURNS (List[str]): Texts of so many sentences each."""
    texts = [doc.text for doc in read_docbin(path, nlp.vocab)]
    return [" ".join(texts[i : i + n_sentences]) for i in range(0, len(texts), n_sentences)]


def time_components(nlp: Language, texts: list[str], batch_size: int) -> dict[str, float]:
    """RETURNS (Dict[str, float]): Seconds that each component takes for all texts."""
    docs: list[Doc] = [nlp.make_doc(text) for text in texts]
    seconds = {}
    for name, pipe in nlp.pipeline:
        start = time.perf_counter()
        docs = list(pipe.pipe(docs, batch_size=batch_size))
        seconds[name] = time.perf_counter() - start
    start = time.perf_counter()
    for _ in nlp.pipe(texts, batch_size=batch_size):
        pass
    seconds["whole pipeline"] = time.perf_counter() - start
    return seconds


def main(
    model: Path,
    corpus: Path,
    n_sentences: int = 5,
    batch_size: int = 64,
    repeat: int = 3,
    json: Path | None = typer.Option(None, help="Write the figures here"),
) -> None:
    """Time a pipeline over the texts of a corpus."""
    nlp = spacy.load(model)
    texts = batches_of_sentences(nlp, corpus, n_sentences)
    n_words = sum(len(nlp.make_doc(text)) for text in texts)
    runs = [time_components(nlp, texts, batch_size) for _ in range(repeat)]
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    result: dict[str, Any] = {
        "words": n_words,
        "words_per_second": {name: round(n_words / s) for name, s in best.items()},
        "time_of_parser": {name: round(s / best["parser"], 2) for name, s in best.items()},
    }
    print(f"{n_words} words in {len(texts)} texts, best of {repeat} runs")
    for name, s in best.items():
        print(f"{name:>16}  {n_words / s:>10,.0f} words/s  {s / best['parser']:>6.2f} x parser")
    if json is not None:
        srsly.write_json(json, result)


if __name__ == "__main__":
    typer.run(main)
