"""What known units are worth: labeled F1 of the other edges when some gold units of each sentence are given.

    python benchmarks/given.py models/en_ucca_sm corpus/dev/ewt.spacy corpus/dev/wiki.spacy --json given.json

Units are drawn at random from those with tokens, the same with each number for which there are enough. Edges to given units count on
neither side; "alone" is what the parser makes of the same other edges with nothing given.
"""

import random
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, report, table
from runs import parse_seeds
from spacy.vocab import Vocab

from spacy_ucca.cli._util import percent, user_errors
from spacy_ucca.graph import Graph, Unit
from spacy_ucca.graph.unit import Edge
from spacy_ucca.metric.compare import MarkedGraph, compare
from spacy_ucca.metric.counts import Tally
from spacy_ucca.parser.given import give_units
from spacy_ucca.training.corpus import bare_copy, read_docs


def other_edges(gold: Graph, predicted: Graph, given: list[Unit]) -> Tally:
    """RETURNS (Tally): Counted edges to units that are not given."""
    known = {unit.tokens(punct=False) for unit in given}

    def of(side: MarkedGraph) -> list[bool]:
        edges = ((Edge(side.graph, i), ok) for i, ok in side.right.items())
        return [ok for e, ok in edges if e.remote or e.child.tokens(punct=False) not in known]

    found = compare(gold, predicted)
    ours, theirs = of(found.predicted), of(found.gold)
    return Tally(min(sum(ours), sum(theirs)), len(ours), len(theirs))


@user_errors()
def main(
    model: Path = typer.Argument(..., exists=True),
    data: list[Path] = typer.Argument(..., exists=True),
    numbers: str = typer.Option("1,3,10", help="Units of each sentence"),
    seed: int = 0,
    limit: int = typer.Option(0, help="Sentences of each file; 0: all"),
    json_path: Path | None = JSON,
) -> None:
    """Parse with gold units given."""
    nlp = spacy.load(model)
    labels = set(nlp.get_pipe("ucca_parser").labels)  # type: ignore[attr-defined]
    rows = [["set", "given", "F1 of other edges", "alone", "lost"]]
    result: dict[str, Any] = {}
    for path in data:
        docs = [doc for doc in read_docs(path, Vocab()) if len(doc._.ucca.roots) == 1]
        docs = docs[: limit or None]
        alone = [doc._.ucca for doc in nlp.pipe(bare_copy(doc, False, nlp.vocab) for doc in docs)]
        for n in parse_seeds(numbers):
            rng, drawn, bare = random.Random(seed), [], []
            for doc in docs:
                units = [u for u in doc._.ucca.units if u.tokens() and u.kind == "FN"]
                units = [u for u in units if "|".join(u.categories) in labels]
                rng.shuffle(units)
                drawn.append(units[:n])
                bare.append(bare_copy(doc, False, nlp.vocab))
                give_units(bare[-1], doc._.ucca, units[:n])
            graphs = [doc._.ucca for doc in nlp.pipe(bare)]
            golds = [doc._.ucca for doc in docs]
            tallies = [
                sum((other_edges(*three) for three in zip(golds, side, drawn)), Tally())
                for side in (graphs, alone)
            ]
            lost = 0
            for graph, units in zip(graphs, drawn):
                made = {(u.tokens(), u.categories) for u in graph.units}
                lost += sum((u.tokens(), u.categories) not in made for u in units)
            scores = [tally.f1 for tally in tallies]
            rows.append([path.stem, str(n), *map(percent, scores), str(lost)])
            result.setdefault(path.stem, {})[n] = {"given": scores[0], "alone": scores[1]}
    report(result, table(rows, "<>>>>"), json_path)


if __name__ == "__main__":
    typer.run(main)
