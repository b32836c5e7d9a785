"""How much faster our scorer is than `ucca.evaluation` on the same graphs, in the same run.

    python benchmarks/bench_scorer.py DIR_OF_XML [--files 40] [--sentences] [--json FILE]

Each passage (or each sentence of it) is scored against a copy with a few edges changed. Neither side's
time has the reading of files in it; the toolkit's has the normalization that changes its passages, ours
the copying. Counts are checked to be equal on the way. Needs `pip install --no-deps ucca==1.3.11`.
"""

import random
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import typer
from measuring import JSON, report

from spacy_ucca.formats.xml import read_xml, write_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.metric.counts import CONSTRUCTIONS, EVAL_TYPES
from spacy_ucca.metric.score import score_pair
from spacy_ucca.text.split import split_sentences

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from perturb import perturb


def main(
    folder: Path = typer.Argument(..., help="A directory of UCCA XML", exists=True),
    files: int = typer.Option(40, help="How many files to take"),
    sentences: bool = typer.Option(False, "--sentences", help="Score sentence by sentence"),
    json: Path | None = JSON,
) -> None:
    """Time two scorers on the same graphs."""
    from ucca import convert, evaluation

    rng = random.Random(0)
    paths = sorted(folder.glob("*.xml"))
    theirs = ours = 0.0
    n_pairs = n_tokens = 0
    for path in rng.sample(paths, min(files, len(paths))):
        whole = read_xml(path)
        for gold in split_sentences(whole) if sentences else [whole]:
            bare = Graph.from_record({**gold.to_record(), "details": {}})
            predicted = perturb(bare, rng, max(1, len(gold.words) // 10))
            passages = [
                convert.from_standard(ElementTree.fromstring(write_xml_string(g)))
                for g in (predicted, gold)
            ]
            start = time.perf_counter()
            scores = evaluation.evaluate(*passages)
            middle = time.perf_counter()
            counts = score_pair(predicted, gold)
            ours += time.perf_counter() - middle
            theirs += middle - start
            n_pairs += 1
            n_tokens += len(gold.words)
            for eval_type in EVAL_TYPES:
                for name in CONSTRUCTIONS:
                    stats, tally = scores[eval_type][name], counts.tally(name, eval_type)
                    official = (stats.num_matches, stats.num_guessed, stats.num_ref)
                    assert official == (tally.matches, tally.guessed, tally.ref), path
    result = {
        "pairs": n_pairs,
        "tokens": n_tokens,
        "seconds": {"ucca.evaluation": round(theirs, 4), "spacy_ucca": round(ours, 4)},
        "ratio": round(theirs / ours, 2),
    }
    text = (
        f"{n_pairs} pairs, {n_tokens} tokens: ucca.evaluation {theirs:.2f} s, "
        f"spacy_ucca {ours:.3f} s, ratio {theirs / ours:.1f}"
    )
    report(result, text, json)


if __name__ == "__main__":
    typer.run(main)
