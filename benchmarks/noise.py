"""What noise costs: F1 on sentences in lower case, in capitals, as headlines, without final stop, beside the same sentences as they are.

    python benchmarks/noise.py models/en_ucca_sm corpus/en/dev/ewt.spacy [MORE] [--json FILE]

Tokens, sentences and guidelines are those of the files; tags, dependencies and graphs are predicted on the noisy words.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import JSON, report, table
from spacy.tokens import Doc
from spacy.training import Example

from spacy_ucca.tokens.scorer import ucca_score
from spacy_ucca.training.augment import in_case, without_stop
from spacy_ucca.training.corpus import bare_copy, find_docbins, read_docbin

KINDS: dict[str, Callable[[Doc], Doc]] = {
    "none": lambda doc: doc,
    **{case: partial(in_case, case=case) for case in ("lower", "upper", "title")},
    "no-stop": without_stop,
    "title, no-stop": lambda doc: in_case(without_stop(doc), "title"),
    "lower, no-stop": lambda doc: in_case(without_stop(doc), "lower"),
}
MEASURES = ("ucca_f", "ucca_primary_f", "ucca_remote_f")


def main(
    model: str = typer.Argument(..., help="The pipeline"),
    corpora: list[Path] = typer.Argument(..., help=".spacy files with gold graphs", exists=True),
    json: Path = JSON,
) -> None:
    nlp = spacy.load(model)
    figures: dict[str, Any] = {}
    rows = [["set", "noise", "all", "loss", "primary", "remote"]]
    for file in (file for path in corpora for file in find_docbins(path)):
        docs = [doc for doc in read_docbin(file, nlp.vocab) if len(doc)]
        sets = figures[file.stem] = {}
        for kind, change in KINDS.items():
            golds = [change(doc) for doc in docs]
            parsed = nlp.pipe([bare_copy(gold, keep_annotations=False) for gold in golds])
            scores = ucca_score(Example(doc, gold) for doc, gold in zip(parsed, golds))
            sets[kind] = {name: scores[name] for name in MEASURES}
            loss = sets["none"]["ucca_f"] - scores["ucca_f"]
            cells = [scores["ucca_f"], loss, *(scores[name] or 0 for name in MEASURES[1:])]
            rows.append([file.stem, kind, *(f"{100 * value:.1f}" for value in cells)])
    report(figures, table(rows, "<<>>>>"), json)


if __name__ == "__main__":
    typer.run(main)
