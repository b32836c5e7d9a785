"""What annotating in rounds saves: edges to correct in each sentence, by how many sentences are annotated and in which order.

    python benchmarks/annotation_loop.py corpus/train/de.spacy corpus/dev/de.spacy --model training/others/model-best \\
        --output training/loop --name German --json docs/annotation-loop.json

Gold graphs stand for the annotator. In each round, the pipeline of the round before parses the sentences that are left,
`choose_sentences` chooses some, and the first pipeline is finetuned on all that are annotated. The pipeline must not have
learned from the corpus. The best step of a finetuning is chosen on the development set, which edges to correct are counted on, too.
Rounds that are finished are left out, so the command can be stopped and given again. `--json` adds to what is in the file.
"""

import json
import random
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, report, table
from runs import call, parse_seeds
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.annotation.choose import RANDOM, UNCERTAIN, choose_sentences
from spacy_ucca.cli._util import user_errors
from spacy_ucca.graph import Graph
from spacy_ucca.metric.compare import compare
from spacy_ucca.training.corpus import bare_copy, read_docs, write_docbin


def parse(nlp: Language, docs: list[Doc]) -> list[Graph]:
    """RETURNS (List[Graph]): What a pipeline makes of the tokens and sentences of Docs."""
    bare = [bare_copy(doc, False, nlp.vocab) for doc in docs]
    return [doc._.ucca for doc in nlp.pipe(bare)]


def count(docs: list[Doc], graphs: list[Graph]) -> dict[str, float]:
    """RETURNS (Dict[str, float]): Edges to correct in each sentence, words in each, and labeled F1."""
    found = [compare(doc._.ucca, graph) for doc, graph in zip(docs, graphs)]
    total = sum((one.counts for one in found[1:]), found[0].counts)
    edges = sum(len(one.differences) for one in found)
    words = sum(map(len, docs))
    return {"edges": edges / len(docs), "words": words / len(docs), "f": total.tally().f1}


def rounds(
    model: Path, train: Path, dev: Path, folder: Path, sizes: list[int], order: str, seed: int, pool: int
) -> list[dict[str, Any]]:  # fmt: skip
    """RETURNS (List[Dict]): For each size, counts on the development set ("dev") and on the sentences of its round before they are
    corrected ("round")."""
    docs = list(read_docs(train, Vocab()))
    random.Random(seed).shuffle(docs)
    docs = docs[:pool]
    golds = list(read_docs(dev, Vocab()))
    rows: list[dict[str, Any]] = []
    annotated: list[Doc] = []
    batch: list[Doc] = []
    current = model
    for before, size in pairwise([0, *sizes]):
        place = folder / f"{order}-{seed}-{size}"
        log = folder / f"{order}-{seed}.log"
        done = place / "counts.json"
        place.mkdir(parents=True, exist_ok=True)
        nlp = spacy.load(current)
        if not done.exists() or size > before:
            graphs = parse(nlp, docs) if order == UNCERTAIN or size > before else []
            chosen = choose_sentences(graphs, size - before, order=order, seed=seed)
            batch = [docs[i] for i in chosen]
            annotated += batch
            docs = [doc for i, doc in enumerate(docs) if i not in {*chosen}]
        if not done.exists():
            row: dict[str, Any] = {"sentences": size}
            if batch:
                row["round"] = count(batch, [graphs[i] for i in chosen])
                write_docbin(annotated, place / "gold.spacy")
                given = [str(model), str(place / "gold.spacy"), str(dev), "--seed", str(seed)]
                output = ["--output", str(place / "pipeline"), "--force"]
                call(["-m", "spacy_ucca", "finetune", *given, *output], log)
                nlp = spacy.load(place / "pipeline" / "model-best")
            row["dev"] = count(golds, parse(nlp, golds))
            done.write_text(json.dumps(row), "utf8")
        rows.append(json.loads(done.read_text("utf8")))
        if size:
            current = place / "pipeline" / "model-best"
    return rows


@user_errors()
def main(
    train: Path = typer.Argument(..., exists=True, help="Sentences to choose from"),
    dev: Path = typer.Argument(..., exists=True),
    model: Path = typer.Option(..., exists=True),
    output: Path = typer.Option(..., help="Where rounds are kept"),
    name: str = typer.Option(..., help="Of the corpus, in the JSON file"),
    sizes: str = typer.Option("0,50,100,200,400", help="Numbers of sentences"),
    seeds: str = "0,1,2",
    pool: int = typer.Option(2000, min=1, help="Sentences of TRAIN to choose from"),
    json_path: Path | None = JSON,
) -> None:
    """Annotate in rounds, by doubt and at random."""
    numbers = parse_seeds(sizes)
    found: dict[str, Any] = {}
    rows = [["sentences", "order", "edges to correct", "sd", "F1", "corrected in all"]]
    for order in (UNCERTAIN, RANDOM):
        runs = []
        for seed in parse_seeds(seeds):
            runs.append(rounds(model, train, dev, output, numbers, order, seed, pool))
            typer.echo(f"{name}, {order}, seed {seed} done", err=True)
        found[order] = []
        effort = [0.0] * len(runs)
        for k, size in enumerate(numbers):
            edges = [run[k]["dev"]["edges"] for run in runs]
            scores = [run[k]["dev"]["f"] for run in runs]
            for i, run in enumerate(runs):
                new = size - (numbers[k - 1] if k else 0)
                effort[i] += run[k].get("round", {"edges": 0})["edges"] * new
            row = {
                "sentences": size,
                "edges": statistics.mean(edges),
                "sd": statistics.stdev(edges) if len(edges) > 1 else 0.0,
                "f": statistics.mean(scores),
                "corrected": statistics.mean(effort),
            }
            found[order].append(row)
            cells = [f"{row['edges']:.2f}", f"{row['sd']:.2f}", f"{100 * row['f']:.1f}"]
            rows.append([str(size), order, *cells, f"{row['corrected']:.0f}"])
    known = json.loads(json_path.read_text("utf8")) if json_path and json_path.exists() else {}
    report({**known, name: found}, table(rows, "><>>>>"), json_path)


if __name__ == "__main__":
    typer.run(main)
