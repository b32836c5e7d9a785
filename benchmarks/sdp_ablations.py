"""What each part of `sdp_parser` gives: LogitEdge without one class of features, other settings, the structured SVM.

    python benchmarks/sdp_ablations.py TRAIN.spacy DEV.spacy [--sentences 1500] [--epochs 3] [--json FILE]

The files are what `spacy-ucca bilexical` makes. Tags and dependencies are those in them, in training and on the development
set, so no other component runs and seconds are the parser's own, of this process alone. The first row is what the
constraints alone lose: the gold graphs, cut to what can be said.
"""

import random
from pathlib import Path
from time import process_time
from typing import Any

import numpy
import spacy
import typer
from measuring import JSON, one_thread, report, table
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from spacy_ucca.bilexical.corpus import SdpCorpus
from spacy_ucca.bilexical.features import FEATURES
from spacy_ucca.bilexical.metric import SdpCounts, count_arcs
from spacy_ucca.conversion.graph import ROOT

COLUMNS = ("lp", "lr", "lf", "lm", "up", "ur", "uf", "um")
WHOLE = "all features"
BOUND = "gold, cut to what can be said"
SENTENCES = 32  # of a batch


def variants() -> dict[str, dict[str, Any]]:
    """RETURNS (Dict[str, Dict]): Settings of the component by name; "model" are those of the model."""
    found: dict[str, dict[str, Any]] = {WHOLE: {}}
    for left_out in FEATURES:
        names = [name for name in FEATURES if name != left_out]
        found[f"without {left_out}"] = {"model": {"features": names}}
    return {
        **found,
        "Basic alone": {"model": {"features": ["Basic"]}},
        "NOEDGE counts 1": {"noedge_weight": 1.0},
        "edges both ways": {"both_directions": True},
        "within 20 tokens": {"max_distance": 20},
        "2 ** 16 rows of weights": {"model": {"hash_bits": 16}},
        "margin": {"loss": "margin"},
        "margin, deterministic": {"loss": "margin", "deterministic": True},
    }


def bound(examples: list[Example], max_distance: int = 10) -> dict[str, float | None]:
    """RETURNS (Dict[str, Optional[float]]): The scores of gold graphs without what LogitEdge cannot say: long edges,
    the second edge between two tokens."""
    total = SdpCounts()
    for eg in examples:
        kept: dict[frozenset[int], Any] = {}
        for arc in eg.reference._.sdp.arcs:
            if arc.head == ROOT or abs(arc.head - arc.dependent) <= max_distance:
                kept.setdefault(frozenset((arc.head, arc.dependent)), arc)
        total += count_arcs(kept.values(), eg.reference._.sdp.arcs)
    return _percent(total.to_scores())


def run(
    settings: dict[str, Any], train: list[Example], dev: list[Example], epochs: int, seed: int
) -> dict[str, float | None]:
    """RETURNS (Dict[str, Optional[float]]): The scores of a parser with these settings, in percent, and how many words a
    second it learns and parses."""
    fix_random_seed(seed)
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", **settings.get("model", {})}
    pipe = nlp.add_pipe("sdp_parser", config={**settings, "model": model})
    train = list(train)
    optimizer = nlp.initialize(lambda: train)
    start = process_time()
    for _ in range(epochs):
        random.shuffle(train)
        for batch in minibatch(train, SENTENCES):
            nlp.update(batch, sgd=optimizer)
    middle = process_time()
    graphs = pipe.predict([eg.predicted for eg in dev])
    end = process_time()
    total = SdpCounts()
    for graph, eg in zip(graphs, dev, strict=True):
        total += count_arcs(graph.arcs, eg.reference._.sdp.arcs)
    words = [sum(len(eg.predicted) for eg in part) for part in (train, dev)]
    speed = {"learns": epochs * words[0] / (middle - start), "parses": words[1] / (end - middle)}
    return {**_percent(total.to_scores()), **{name: round(v) for name, v in speed.items()}}


def _percent(scores: dict[str, Any]) -> dict[str, float | None]:
    values = {name: scores[f"sdp_{name}"] for name in COLUMNS}
    return {name: None if v is None else round(100 * v, 1) for name, v in values.items()}


def main(
    train: Path = typer.Argument(
        ..., help="What `spacy-ucca bilexical` made: one sentence in a Doc"
    ),
    dev: Path = typer.Argument(..., help="The same, for scores"),
    sentences: int = typer.Option(1500, help="Sentences to learn, drawn by chance (0: all)"),
    epochs: int = typer.Option(3, help="How often each is learned"),
    seed: int = typer.Option(0, help="Of the draw and the order of sentences"),
    only: list[str] = typer.Option([], help="A row of the table; may be given several times"),
    json: Path | None = JSON,
) -> None:
    """Train and score each variant, and print a table."""
    one_thread()
    nlp = spacy.blank("en")
    learned = list(SdpCorpus(train)(nlp))
    if sentences:
        chosen = numpy.random.default_rng(seed).permutation(len(learned))[:sentences]
        learned = [learned[i] for i in sorted(chosen.tolist())]
    scored = list(SdpCorpus(dev)(nlp))
    found = {BOUND: bound(scored)}
    for name, settings in variants().items():
        if not only or name in only:
            found[name] = run(settings, learned, scored, epochs, seed)
            typer.echo(f"{name}: {found[name]}", err=True)
    columns = [*COLUMNS, "learns", "parses"]
    rows = [["", *(name.upper() for name in COLUMNS), "learns w/s", "parses w/s"]]
    for name, values in found.items():
        cells = (values.get(column) for column in columns)
        rows.append([name, *("-" if cell is None else str(cell) for cell in cells)])
    result = {"sentences": len(learned), "epochs": epochs, "seed": seed, "scores": found}
    report(result, table(rows, "<" + ">" * len(columns)), json)


if __name__ == "__main__":
    typer.run(main)
