"""The table of all parsers, side by side: accuracy, words per second and size of a pipeline on corpora.

    python benchmarks/all_parsers.py MODEL EWT=corpus/en/dev/ewt.spacy [MORE ...] --parser NAME --trained-on EWT \\
        --command "spacy train ..." --json parsers.json --page parsers.md

Rows are kept in the file of `--json`: those of the same parser, training and corpus are replaced, others stay, so that
one command adds a pipeline to the table. `--page` puts the table between two marks of a Markdown file. Without MODEL,
the table is only made anew.

Sentences are those of the .spacy files, tags and dependencies are the pipeline's. Speed is that of the whole pipeline
without its tokenizer, on one thread, in CPU time; the best of several rounds.
"""

from pathlib import Path

import typer
from kept_tables import (
    COMMAND,
    PAGE,
    REPEAT,
    ROWS,
    KeptTable,
    Row,
    megabytes,
    percent,
    tenth,
    text,
    whole,
    words_per_second,
)
from measuring import one_thread

from spacy_ucca.cli._util import BEAM_HELP, VOTES_HELP
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.committee import set_beam
from spacy_ucca.corpus import UccaCorpus, bare_copy
from spacy_ucca.errors import UccaError
from spacy_ucca.pipelines import load_pipeline

SCORES = {
    "primary": "ucca_primary_f",
    "remote": "ucca_remote_f",
    "all": "ucca_f",
    "implicit": "ucca_implicit_f",
}
TABLE = KeptTable(
    "all_parsers.py",
    ("parser", "trained_on", "corpus"),
    {
        **{"parser": text("parser"), "trained on": text("trained_on"), "dev set": text("corpus")},
        **{name: tenth(name) for name in SCORES},
        **{"words/s": whole("speed"), "MB": tenth("size"), "command": text("command", "`")},
    },
    lambda row: row["all"],
    "corpus",
)


def measure(
    model: str,
    corpora: list[str],
    repeat: int,
    beam_width: int | None = None,
    beam_votes: bool | None = None,
) -> list[Row]:
    """Measure a pipeline.

    model (str): Its name or directory.
    corpora (List[str]): .spacy files, each as PATH or as NAME=PATH.
    repeat (int): Rounds of timing.
    beam_width (Optional[int]): Parses of a sentence to follow; None leaves it to the pipeline.
    beam_votes (Optional[bool]): Whether these vote; None leaves it to the pipeline.
    RETURNS (List[Row]): For each corpus the scores in percent, the speed in words per second and the
        size in millions of bytes.
    """
    nlp = load_pipeline(model)
    set_beam(nlp, beam_width, beam_votes)
    found = []
    for corpus in corpora:
        name, _, rest = corpus.rpartition("=")
        path = Path(rest)
        scores = evaluate(nlp, path)
        docs = [eg.predicted for eg in UccaCorpus(path, keep_annotations=False)(nlp)]
        speed = words_per_second(
            lambda copies: list(nlp.pipe(copies)),
            lambda docs=docs: [bare_copy(doc, False) for doc in docs],
            repeat,
        )
        row: Row = {column: percent(scores[score]) for column, score in SCORES.items()}
        about = {"corpus": name or path.stem}
        found.append({**about, **row, "speed": speed, "size": megabytes(nlp.path)})
    return found


def main(
    model: str = typer.Argument(None, help="Pipeline: its name or directory"),
    corpora: list[str] = typer.Argument(None, help=".spacy files, as PATH or NAME=PATH"),
    parser: str = typer.Option("", help="What the table calls it"),
    trained_on: str = typer.Option("", help="What it was trained on, such as EWT + Wiki"),
    command: str = COMMAND,
    beam_width: int = typer.Option(None, min=1, help=BEAM_HELP),
    beam_votes: bool = typer.Option(None, help=VOTES_HELP),
    repeat: int = REPEAT,
    json: Path = ROWS,
    page: Path = PAGE,
) -> None:
    """Measure a pipeline and add it to the table."""
    rows: list[Row] = []
    if model is not None:
        one_thread()
        if not (corpora and parser and trained_on and command):
            raise typer.BadParameter("Give corpora, --parser, --trained-on and --command.")
        about = {"parser": parser, "trained_on": trained_on}
        try:
            measured = measure(model, corpora, repeat, beam_width, beam_votes)
        except UccaError as err:
            raise typer.BadParameter(str(err)) from None
        rows = [{**about, **row, "command": command} for row in measured]
    TABLE.update(rows, json, page)


if __name__ == "__main__":
    typer.run(main)
