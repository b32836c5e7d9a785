"""The table of what `sdp_parser` can do: data, models, scores of the shared tasks and tokens per second.

    python benchmarks/sdp_parsers.py MODEL ARCS/dev/enhanced.spacy --data "enhanced dependencies, EWT" --called LogitEdge \\
        --command "spacy train projects/sdp/configs/sdp.cfg" --json docs/sdp.json --page docs/sdp.md

Rows are kept in the file of `--json`: that of the same data and model is replaced, others stay. Without MODEL, the table
is only made anew.

Tokens and sentences are those of the .spacy file, tags and dependencies are the pipeline's. Tokens per second are of
`sdp_parser.predict` alone, on one thread, in CPU time; the best of several rounds.
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

from spacy_ucca.bilexical.component import SdpParser
from spacy_ucca.bilexical.corpus import SdpCorpus
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.errors import UccaError
from spacy_ucca.pipelines import load_pipeline

SCORES = {
    **{name.upper(): f"sdp_{name}" for name in ("lp", "lr", "lf", "lm", "uf")},
    **{"LF, no tops": "sdp_notop_lf", "LM, no tops": "sdp_notop_lm"},
}
TABLE = KeptTable(
    "sdp_parsers.py",
    ("data", "model"),
    {
        **{"data": text("data"), "model": text("model")},
        **{name: tenth(name) for name in SCORES},
        **{"tokens/s": whole("speed"), "MB": tenth("size"), "command": text("command", "`")},
    },
    lambda row: row["LF"],
    "data",
)


def measure(model: str, data: Path, repeat: int) -> Row:
    """Measure a pipeline.

    model (str): Its name or directory.
    data (Path): A .spacy file with bilexical graphs.
    repeat (int): Rounds of timing.
    RETURNS (Row): The scores in percent, the speed in tokens per second and the size in millions of bytes.
    RAISES (UccaError, BadParameter): If the data or the pipeline is not of bilexical graphs.
    """
    nlp = load_pipeline(model)
    names = [name for name, pipe in nlp.pipeline if isinstance(pipe, SdpParser)]
    if not names:
        raise typer.BadParameter(f"'{model}' has no sdp_parser.")
    scores = evaluate(nlp, data)
    docs = [eg.predicted for eg in SdpCorpus(data, keep_annotations=False)(nlp)]
    before = nlp.pipe_names[: nlp.pipe_names.index(names[0])]
    with nlp.select_pipes(enable=before):
        docs = list(nlp.pipe(docs))
    parser = nlp.get_pipe(names[0])
    speed = words_per_second(parser.predict, lambda: docs, repeat)
    row: Row = {column: percent(scores[score]) for column, score in SCORES.items()}
    return {**row, "speed": speed, "size": megabytes(nlp.path)}


def main(
    model: str = typer.Argument(None, help="Pipeline: its name or directory"),
    dev: Path = typer.Argument(None, help="A .spacy file with bilexical graphs"),
    data: str = typer.Option("", help="What the table calls the data"),
    called: str = typer.Option("", help="What it calls the model"),
    command: str = COMMAND,
    repeat: int = REPEAT,
    json: Path = ROWS,
    page: Path = PAGE,
) -> None:
    """Measure a pipeline and add it to the table."""
    rows: list[Row] = []
    if model is not None:
        one_thread()
        if not (dev and data and called and command):
            raise typer.BadParameter("Give a .spacy file, --data, --called and --command.")
        try:
            measured = measure(model, dev, repeat)
        except UccaError as err:
            raise typer.BadParameter(str(err)) from None
        rows = [{"data": data, "model": called, **measured, "command": command}]
    TABLE.update(rows, json, page)


if __name__ == "__main__":
    typer.run(main)
