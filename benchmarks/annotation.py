"""What annotated sentences of a new language give: labeled F1 after 0, 10, 50, 100, 400 of them.

    python benchmarks/annotation.py de corpus/train/ucca.spacy corpus/dev/ucca.spacy --teacher training/others/model-best \\
        --encoder training/encoder --texts corpus/texts --output training/annotation --json docs/annotation-de.json

Three ways: finetune a parser of other languages, the teacher; train a small parser on the sentences alone; train it on text that
the finetuned teacher has labeled, and on the sentences. The teacher must not have learned from the language. The encoder is
that of `scripts/small_encoder.py`, the texts are those of `scripts/plain_texts.py`. The best step is chosen on the development
set, as a user would. Runs that are finished are left out, so the command can be stopped and given again.
"""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from measuring import JSON, report, table
from runs import Run, call, over_seeds, parse_seeds
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_ucca.cli._util import user_errors
from spacy_ucca.tokens.load import lang_class
from spacy_ucca.training.corpus import find_docbins, read_docs, write_docbin

CONFIG = Path(__file__).parents[1] / "projects" / "languages" / "configs" / "small.cfg"
WAYS = ("parser of other languages", "small parser", "small parser, labeled text")


def sample(train: Path, n: int, seed: int, path: Path) -> int:
    """Write some sentences of a corpus. More of them have the fewer among them.

    train (Path): The .spacy file.
    n (int): How many.
    seed (int): Which.
    path (Path): The .spacy file to write.
    RETURNS (int): How many there are.
    """
    docs = list(read_docs(train, Vocab()))
    random.Random(seed).shuffle(docs)
    return write_docbin(docs[:n], path)


class Finetuning(Run):
    """A run that finetunes a pipeline in place of `spacy train`. Its overrides are the arguments of `spacy-ucca finetune`."""

    def training_command(self) -> list[str]:
        given = [str(self.overrides[name]) for name in ("model", "train", "dev")]
        seed = ["--seed", str(self.overrides["seed"])]
        output = ["--output", str(self.folder), "--force"]
        return ["-m", "spacy_ucca", "finetune", *given, *output, *seed]


@dataclass(frozen=True)
class Curve:
    """Trainings for one language.

    lang (str): The code of the language.
    train, dev (Path): Annotated sentences to learn from, and to score on.
    teacher, encoder (Path): Pipelines: the parser of other languages, and the small encoder.
    texts (Path): Plain text, as .spacy files.
    output (Path): Where runs are kept.
    steps, small_steps (int): Updates of a small parser with labeled text, and without.
    limit (int): Sentences of text to label.
    """

    lang: str
    train: Path
    dev: Path
    teacher: Path
    encoder: Path
    texts: Path
    output: Path
    steps: int
    small_steps: int
    limit: int

    def scores(self, way: str, n: int, seed: int) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): What `Run.make` gives of a run, which is made if it is not finished."""
        run = self._run(way, n, seed)
        if way == WAYS[0] and not n:  # nothing to learn
            run.folder.mkdir(parents=True, exist_ok=True)
            return {"scores": run.score(self.teacher), "seconds": 0}
        return run.finished() or run.make()

    def _run(self, way: str, n: int, seed: int) -> Run:
        """RETURNS (Run): A run, whose data are there."""
        folder = self.output / f"{WAYS.index(way)}-{n}-{seed}"
        gold, dev = self.output / f"gold-{n}-{seed}.spacy", {"dev": self.dev}
        if n and not gold.exists():
            self.output.mkdir(parents=True, exist_ok=True)
            sample(self.train, n, seed, gold)
        if way == WAYS[0]:
            given = {"model": self.teacher, "train": gold, "dev": self.dev, "seed": seed}
            return Finetuning(folder, CONFIG, given, dev)
        silver, steps = gold, self.small_steps
        if way == WAYS[2]:
            silver, steps = self._label(n, seed), self.steps
        paths = {"train": gold if n else silver, "dev": self.dev, "silver": silver}
        paths |= {"noisy": silver, "trained": self.encoder}
        settings = {
            **{f"paths.{name}": str(path) for name, path in paths.items()},
            "nlp.lang": self.lang,
            "system.seed": seed,
            "training.max_steps": steps,
            "training.eval_frequency": max(steps // 6, 1),
            "components.ucca_parser.exploration_start": max(steps // 4, 1),
        }
        return Run(folder, CONFIG, settings, dev)

    def _label(self, n: int, seed: int) -> Path:
        """RETURNS (Path): The texts with graphs of the teacher, finetuned on n sentences."""
        texts, silver = self.output / "texts.spacy", self.output / f"silver-{n}-{seed}.spacy"
        if not texts.exists():
            docs = [doc for file in find_docbins(self.texts) for doc in read_docs(file, Vocab())]
            random.Random(0).shuffle(docs)
            DocBin(docs=docs[: self.limit], store_user_data=True).to_disk(texts)
        if not silver.exists():
            self.scores(WAYS[0], n, seed)
            finetuned = self._run(WAYS[0], n, seed).folder / "model-best"
            teacher = finetuned if n else self.teacher
            given = [str(texts), str(silver), "--model", str(teacher), "--no-progress"]
            call(["-m", "spacy_ucca", "label", *given], silver.with_suffix(".log"))
        return silver


@user_errors()
def main(
    lang: str = typer.Argument(..., help="Code of the language"),
    train: Path = typer.Argument(..., exists=True),
    dev: Path = typer.Argument(..., exists=True),
    teacher: Path = typer.Option(..., exists=True),
    encoder: Path = typer.Option(..., exists=True),
    texts: Path = typer.Option(..., exists=True),
    output: Path = typer.Option(..., help="Where runs are kept"),
    sizes: str = typer.Option("0,10,50,100,400", help="Numbers of sentences"),
    seeds: str = "0,1,2",
    one_seed_from: int = typer.Option(400, help="Numbers from here on have one seed"),
    steps: int = typer.Option(1500, min=1, help="Of a small parser with labeled text"),
    small_steps: int = typer.Option(600, min=1, help="Of a small parser alone"),
    limit: int = typer.Option(6000, min=1, help="Sentences to label"),
    only: str = typer.Option("", help="Ways, by their numbers: 0,2"),
    json: Path | None = JSON,
) -> None:
    """Train and score each way with each number of sentences."""
    lang_class(lang)  # an error if there is none
    numbers, chosen_ways = parse_seeds(sizes), parse_seeds(only or "0,1,2")
    if not {*chosen_ways} <= {*range(len(WAYS))}:
        raise typer.BadParameter(f"--only '{only}' names no ways. Give some of 0,1,2.")
    total = sum(1 for _ in read_docs(train, Vocab()))
    if min(numbers) < 0 or max(numbers) > total:
        message = f"{train} has {total} sentences, and {sizes} are asked for. Give 0 to {total}."
        raise typer.BadParameter(message, param_hint="--sizes")
    curve = Curve(lang, train, dev, teacher, encoder, texts, output, steps, small_steps, limit)
    ways = [WAYS[i] for i in chosen_ways]
    lines: dict[str, dict[str, Any]] = {way: {} for way in ways}
    rows = [["sentences", *ways]]
    for n in numbers:
        row = [str(n)]
        for way in ways:
            if not n and way == WAYS[1]:
                row.append("")  # nothing to learn from
                continue
            chosen = parse_seeds(seeds)[: 1 if not n or n >= one_seed_from else None]
            runs = [curve.scores(way, n, seed) for seed in chosen]
            found = over_seeds(runs)["dev"]["all"]
            lines[way][str(n)] = {**found, "seconds": [run["seconds"] for run in runs]}
            row.append(f"{100 * found['mean']:.1f} ± {100 * found['sd']:.1f}")
            typer.echo(f"{n} sentences, {way}: {row[-1]}", err=True)
        rows.append(row)
    steps_of = {"steps": steps, "small_steps": small_steps, "limit": limit}
    report({"lang": lang, "ways": lines, **steps_of}, table(rows, ">" * len(rows[0])), json)


if __name__ == "__main__":
    typer.run(main)
