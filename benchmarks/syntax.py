"""How well a pipeline finds universal tags, features and dependencies, by language.

    python scripts/convert_treebank.py -200 UD_PUD corpus/pud -T -U
    python benchmarks/syntax.py models/xx_ucca_trf corpus/pud/*.spacy [--json FILE]

Words and sentences are gold, words of multiword tokens in one. The last 200 sentences of parallel treebanks count: no shipped
pipeline learned from them. UAS and LAS leave out punctuation, as `spacy evaluate` does.
"""

from pathlib import Path

import spacy
import typer
from measuring import JSON, report, table
from spacy.scorer import Scorer
from spacy.training import Corpus

from spacy_ucca.cli._util import user_errors

HEAD = {"pos_acc": "UPOS", "morph_acc": "features", "dep_uas": "UAS", "dep_las": "LAS"}


def main(
    model: str = typer.Argument(..., help="The pipeline"),
    files: list[Path] = typer.Argument(
        ..., help=".spacy files with universal dependencies", exists=True
    ),
    json: Path = JSON,
) -> None:
    with user_errors():
        nlp = spacy.load(model, exclude=["sentence_boundaries", "senter", "ucca_parser"])
        figures = {}
        for file in files:
            examples = list(Corpus(file, gold_preproc=True)(nlp))
            for example, doc in zip(examples, nlp.pipe(x.predicted for x in examples), strict=True):
                example.predicted = doc
            scores = Scorer().score(examples)
            figures[file.stem] = {name: round(100 * scores[name], 1) for name in HEAD}
    means = {name: sum(row[name] for row in figures.values()) / len(files) for name in HEAD}
    rows = [[name, *(f"{x:.1f}" for x in row.values())] for name, row in figures.items()]
    rows += [["mean", *(f"{x:.1f}" for x in means.values())]]
    text = table([["", *HEAD.values()], *rows], "<" + ">" * len(HEAD))
    report({**figures, "mean": means}, text, json)


if __name__ == "__main__":
    typer.run(main)
