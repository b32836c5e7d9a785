"""Words per second in training: `ucca_parser` beside spaCy's own `parser`, on the same Docs in the same run.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_training.py CORPUS.spacy [--ucca configs/ucca.cfg] [--syntax configs/syntax.cfg]
    python benchmarks/bench_training.py CORPUS.spacy --ucca configs/tupa-sparse.cfg --than configs/tupa-mlp.cfg

`ucca_parser` is made as its configuration says, with its own encoder; `parser` as the other one says, with the
`tok2vec` it learns with. Both start without weights, learn from the Docs of the .spacy file (its tags and
dependencies, which are predicted ones, are good enough to learn at the same speed), and take batches as their
configuration says; `--batch-words` gives both the same ones. Epochs alternate. The first epoch of `ucca_parser`
stands apart, since it has the oracle in it, whose actions are kept for the next ones. With `--than` it is compared
with another configuration of `ucca_parser` and not with `parser`.
"""

from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import CPU_TIME, JSON, clock, one_thread, report, summary, table
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_config, load_model_from_config, registry
from thinc.api import Optimizer

from spacy_ucca.training.corpus import UccaCorpus

ROOT = Path(__file__).parents[1]


class Trainee:
    """One component in training, with what it depends on.

    name (str): The component.
    pipeline (List[str]): It and the components it learns with.
    path (Path): The configuration.
    docs (Path): The .spacy file.
    limit (int): Docs to learn from; 0 is no limit.
    batch_words (int): Words in a batch; 0 leaves it to the configuration.
    label (str): What it is called in tables; its name, if nothing else.
    """

    def __init__(
        self,
        name: str,
        pipeline: list[str],
        path: Path,
        docs: Path,
        limit: int,
        batch_words: int,
        label: str = "",
    ) -> None:
        fix_random_seed(0)
        config = load_config(path)
        config["nlp"]["pipeline"] = pipeline
        config["components"] = {name: config["components"][name] for name in pipeline}
        config["training"]["frozen_components"] = []
        config["training"]["annotating_components"] = []
        if batch_words:
            batcher = {"@batchers": "spacy.batch_by_words.v1", "size": batch_words}
            config["training"]["batcher"] = {**batcher, "discard_oversize": False, "tolerance": 0.2}
        self.name, self.label = name, label or name
        self.nlp: Language = load_model_from_config(config, auto_fill=True)
        self.examples: list[Example] = list(UccaCorpus(docs, limit=limit)(self.nlp))
        if name == "parser":  # nothing is given that it is to find
            self.examples = [Example(bare(eg.reference), eg.reference) for eg in self.examples]
        self.n_words = sum(len(eg.reference) for eg in self.examples)
        self.nlp.initialize(lambda: self.examples)
        interpolated = self.nlp.config.interpolate()
        settings = registry.resolve(interpolated["training"], schema=ConfigSchemaTraining)
        self.optimizer: Optimizer = settings["optimizer"]
        self.dropout: Any = settings["dropout"]
        self.batcher: Any = settings["batcher"]

    def epoch(self) -> float:
        """Learn from all Docs once.
        RETURNS (float): The loss of the component."""
        losses: dict[str, float] = {}
        for batch in self.batcher(self.examples):
            self.nlp.update(batch, drop=self.dropout, sgd=self.optimizer, losses=losses)
        return float(losses[self.name])


def bare(doc: Doc) -> Doc:
    """RETURNS (Doc): A Doc of the same words, and nothing else."""
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, words=[token.text for token in doc], spaces=spaces)


def main(
    corpus: Path,
    ucca: Path = typer.Option(ROOT / "configs" / "ucca.cfg", help="Configuration of ucca_parser"),
    syntax: Path = typer.Option(ROOT / "configs" / "syntax.cfg", help="Configuration of parser"),
    than: Path | None = typer.Option(None, help="Another configuration of ucca_parser to compare"),
    limit: int = typer.Option(1_000, help="Docs to learn from; 0: all"),
    epochs: int = typer.Option(4, help="Epochs, the first of which stands apart"),
    batch_words: int = typer.Option(0, help="Words in a batch; 0: as the configurations say"),
    cpu_time: bool = CPU_TIME,
    json: Path | None = JSON,
) -> None:
    """Time training."""
    one_thread()
    if epochs < 2:
        raise typer.BadParameter("At least two epochs are needed.", param_hint="--epochs")
    now = clock(cpu_time)
    trainees = [
        Trainee("ucca_parser", ["ucca_parser"], ucca, corpus, limit, batch_words),
        Trainee("ucca_parser", ["ucca_parser"], than, corpus, limit, batch_words, than.stem)
        if than is not None
        else Trainee("parser", ["tok2vec", "parser"], syntax, corpus, limit, batch_words),
    ]
    ours, other = (trainee.label for trainee in trainees)
    seconds: dict[str, list[float]] = {trainee.label: [] for trainee in trainees}
    losses: dict[str, list[float]] = {trainee.label: [] for trainee in trainees}
    for number in range(epochs):
        for trainee in trainees if number % 2 == 0 else reversed(trainees):
            start = now()
            losses[trainee.label].append(trainee.epoch())
            seconds[trainee.label].append(now() - start)
    n_words = trainees[0].n_words
    first = {name: n_words / values[0] for name, values in seconds.items()}
    later = {name: summary(values[1:]) for name, values in seconds.items()}
    speed = {
        name: {kind: round(n_words / value) for kind, value in both.items()}
        for name, both in later.items()
    }
    ratio = {kind: round(speed[ours][kind] / speed[other][kind], 3) for kind in ("min", "median")}
    result = {
        "words": n_words,
        "docs": len(trainees[0].examples),
        "epochs": epochs,
        "cpu_time": cpu_time,
        "batch_words": batch_words or "as configured",
        "words_per_second": speed,
        "words_per_second_in_first_epoch": {name: round(value) for name, value in first.items()},
        f"speed_to_{other}": ratio,
        "losses": losses,
        "spacy": spacy.__version__,
    }
    rows = [["words/s in training", "first epoch", "best", "median"]]
    for name, both in speed.items():
        rows.append([name, f"{first[name]:,.0f}", f"{both['min']:,.0f}", f"{both['median']:,.0f}"])
    rows.append(["ratio", "", f"{ratio['min']:.2f}", f"{ratio['median']:.2f}"])
    text = f"{n_words} words in {len(trainees[0].examples)} Docs, {epochs} epochs\n\n"
    report(result, text + table(rows, "<>>>"), json)


if __name__ == "__main__":
    typer.run(main)
