"""What a pipeline gets wrong: units whose words are no unit of the parse, by category, and confused categories.

    python benchmarks/errors.py models/en_ucca_sm corpus/en/dev/ewt.spacy [--json FILE]

Units are compared by their words, without punctuation, as the metric does; primary edges alone. Units of the same
words, one above the other, count as one, with all their categories.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, report, table

from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import LINKAGE, PUNCTUATION
from spacy_ucca.training.corpus import UccaCorpus
from spacy_ucca.training.label import upstream_of

Words = frozenset[int]


def units(graph: Graph) -> dict[Words, set[str]]:
    """RETURNS (Dict[FrozenSet[int], Set[str]]): The units of a graph by their words, with their categories."""
    found: dict[Words, set[str]] = {}
    for edge in graph.edge_tuples:
        if edge.remote or edge.child < 0 or PUNCTUATION in edge.categories:
            continue
        if graph.kinds[edge.parent] == LINKAGE:  # no part of the tree, and of no system but `tupa`
            continue
        words = frozenset(i for i in graph[edge.child].tokens() if not graph.punct[i])
        if words:
            found.setdefault(words, set()).update(edge.categories)
    return found


def main(
    model: str = typer.Argument(..., help="The pipeline"),
    corpus: Path = typer.Argument(..., help="A .spacy file with gold graphs", exists=True),
    lines: int = typer.Option(12, help="Lines of each table"),
    json: Path = JSON,
) -> None:
    nlp = spacy.load(model)
    total: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    spurious: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    examples = list(UccaCorpus(corpus)(nlp))
    parser: Any = nlp.get_pipe("ucca_parser")
    docs = [example.predicted for example in examples]
    for pipe in upstream_of(nlp, parser.name):
        pipe.set_annotations(docs, pipe.predict(docs))
    for example, graph in zip(examples, parser.predict(docs)):
        gold, guess = units(example.reference._.ucca), units(graph)
        for words, categories in gold.items():
            total.update(categories)
            if words not in guess:
                missed.update(categories)
            elif categories != guess[words]:
                wrong, instead = categories - guess[words], guess[words] - categories
                confused.update(
                    (a, b) for a in wrong or {"nothing"} for b in instead or {"nothing"}
                )
        for words in guess.keys() - gold.keys():
            spurious.update(guess[words])
    rows = [["category", "gold", "not found", "of gold", "not in gold"]]
    for name, n in missed.most_common(lines):
        rows.append([name, f"{total[name]}", f"{n}", f"{n / total[name]:.0%}", f"{spurious[name]}"])
    text = table(rows, "<>>>>") + "\n\n"
    rows = [["gold", "parsed as", "times"]]
    rows += [[gold, parsed, f"{n}"] for (gold, parsed), n in confused.most_common(lines)]
    text += table(rows, "<<>")
    counts: dict[str, Any] = {"total": total, "missed": missed, "spurious": spurious}
    report({**counts, "confused": {f"{a} {b}": n for (a, b), n in confused.items()}}, text, json)


if __name__ == "__main__":
    typer.run(main)
