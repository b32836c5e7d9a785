"""The table of all parsers, side by side: accuracy, words per second and size of a pipeline on corpora.

    python benchmarks/all_parsers.py MODEL EWT=corpus/en/dev/ewt.spacy [MORE ...] --parser NAME --trained-on EWT \\
        --command "spacy train ..." --json docs/parsers.json --page docs/parsers.md

Rows are kept in the file of `--json`: those of the same parser, training and corpus are replaced, others stay, so that
one command adds a pipeline to the table. `--page` puts the table between two marks of a Markdown file. Without MODEL,
the table is only made anew.

Sentences are those of the .spacy files, tags and dependencies are the pipeline's. Speed is that of the whole pipeline
without its tokenizer, on one thread, in CPU time; the best of several rounds.
"""

import time
from pathlib import Path
from typing import Any

import srsly
import typer
from measuring import one_thread

from spacy_ucca.cli._util import write_json
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.cli.parse import load_pipeline
from spacy_ucca.corpus import UccaCorpus, bare_copy
from spacy_ucca.errors import UccaError

SCORES = {
    "primary": "ucca_primary_f",
    "remote": "ucca_remote_f",
    "all": "ucca_f",
    "implicit": "ucca_implicit_f",
}
HEAD = ("parser", "trained on", "dev set", *SCORES, "words/s", "MB", "command")
KEY = ("parser", "trained_on", "corpus")
MARKS = "<!-- table of benchmarks/all_parsers.py -->", "<!-- end of the table -->"


def measure(model: str, corpora: list[str], repeat: int) -> list[dict[str, Any]]:
    """Measure a pipeline.

    model (str): Its name or directory.
    corpora (List[str]): .spacy files, each as PATH or as NAME=PATH.
    repeat (int): Rounds of timing.
    RETURNS (List[Dict[str, Any]]): For each corpus the scores in percent, the speed in words per second and the
        size in millions of bytes.
    """
    nlp = load_pipeline(model)
    found = []
    for corpus in corpora:
        name, _, rest = corpus.rpartition("=")
        path = Path(rest)
        scores = evaluate(nlp, path)
        docs = [eg.predicted for eg in UccaCorpus(path, keep_annotations=False)(nlp)]
        seconds = []
        for _ in range(repeat):
            copies = [bare_copy(doc, False) for doc in docs]
            start = time.process_time()
            for _doc in nlp.pipe(copies):
                pass
            seconds.append(time.process_time() - start)
        row: dict[str, Any] = {"corpus": name or path.stem}
        for column, score in SCORES.items():
            row[column] = None if scores[score] is None else round(100 * scores[score], 1)
        row["speed"] = round(sum(map(len, docs)) / min(seconds))
        row["size"] = round(size(nlp.path) / 1e6, 1) if nlp.path else None
        found.append(row)
    return found


def size(folder: Path) -> int:
    """RETURNS (int): The bytes of all files in a directory."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def add(rows: list[dict[str, Any]], row: dict[str, Any]) -> None:
    """Put a row into the place of that of the same parser, training and corpus, or at the end."""
    for i, other in enumerate(rows):
        if all(other[name] == row[name] for name in KEY):
            rows[i] = row
            return
    rows.append(row)


def markdown(rows: list[dict[str, Any]]) -> str:
    """RETURNS (str): The table, the rows of one corpus together and the best first."""
    order = list(dict.fromkeys(row["corpus"] for row in rows))
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in sorted(rows, key=lambda row: (order.index(row["corpus"]), -row["all"])):
        cells = [row["parser"], row["trained_on"], row["corpus"]]
        cells += ["" if row[name] is None else f"{row[name]:.1f}" for name in SCORES]
        cells.append(f"{row['speed']:,}" if row.get("speed") else "")
        cells.append(f"{row['size']:.1f}" if row.get("size") else "")
        cells.append(f"`{row['command']}`")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def put(page: Path, table: str) -> None:
    """Put the table between the marks of a page.
    RAISES (BadParameter): If the page has no marks."""
    text = page.read_text("utf8")
    before, start, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not start or not end:
        raise typer.BadParameter(f"{page} has no lines '{MARKS[0]}' and '{MARKS[1]}'.")
    page.write_text(f"{before}{start}\n\n{table}\n\n{end}{after}", "utf8")


def main(
    model: str = typer.Argument(None, help="Pipeline: its name or directory"),
    corpora: list[str] = typer.Argument(None, help=".spacy files, as PATH or NAME=PATH"),
    parser: str = typer.Option("", help="What the table calls it"),
    trained_on: str = typer.Option("", help="What it was trained on, such as EWT + Wiki"),
    command: str = typer.Option("", help="The command that trains it"),
    repeat: int = typer.Option(3, min=1, help="Rounds of timing"),
    json: Path = typer.Option(..., "--json", help="The file of the rows"),
    page: Path = typer.Option(None, help="A Markdown file to put the table into"),
) -> None:
    """Measure a pipeline and add it to the table."""
    rows: list[dict[str, Any]] = srsly.read_json(json)["rows"] if json.exists() else []
    if model is not None:
        one_thread()
        if not (corpora and parser and trained_on and command):
            raise typer.BadParameter("Give corpora, --parser, --trained-on and --command.")
        about = {"parser": parser, "trained_on": trained_on}
        try:
            measured = measure(model, corpora, repeat)
        except UccaError as err:
            raise typer.BadParameter(str(err)) from None
        for row in measured:
            add(rows, {**about, **row, "command": command})
    write_json(json, {"rows": rows})
    table = markdown(rows)
    typer.echo(table)
    if page is not None:
        put(page, table)


if __name__ == "__main__":
    typer.run(main)
