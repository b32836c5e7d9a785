"""`spacy-ucca label`: parse tagged texts with a pipeline, as training data for another one."""

from itertools import islice
from pathlib import Path

import typer

from ..files import check_outputs
from ._command import BeamWidth, Guidelines, Limit, Show, app, existing
from ._util import make_directory, progress, warn


@app.command("label")
def label(
    data: Path = existing("A .spacy file, or a directory of them, with tags and dependencies"),
    output: Path = typer.Argument(..., help="The .spacy file to write"),
    model: str = typer.Option(
        ..., "--model", "-m", help="Pipeline with ucca_parser or ucca_span_parser"
    ),
    guidelines: Guidelines = None,
    syntax: str = typer.Option(
        None, help="Pipeline that predicts the tags and dependencies of the output"
    ),
    beam_width: BeamWidth = None,
    limit: Limit = 0,
    show: Show = None,
) -> None:
    """Parse texts with a pipeline and write training data for another one (distillation).

    The parser sees the tags and dependencies of the input, so it parses best where these are gold.
    """
    if output.suffix != ".spacy":
        raise typer.BadParameter(f"'{output}' is no .spacy file.", param_hint="OUTPUT")
    from ..training.corpus import find_docbins, read_docs, write_docbin
    from ..training.label import label_docs, with_syntax
    from ._pipelines import load_pipeline

    files = find_docbins(data)
    check_outputs([output], [*files, model, *([syntax] if syntax else [])])
    nlp = load_pipeline(model, guidelines=guidelines, beam_width=beam_width)
    docs = (doc for file in files for doc in read_docs(file, nlp.vocab))
    labeled = label_docs(nlp, docs)
    if syntax is not None:
        labeled = with_syntax(labeled, load_pipeline(syntax))
    make_directory(output.parent)
    labeled = islice(labeled, limit or None)
    n = write_docbin(progress(labeled, total=limit or None, show=show, unit="sentence"), output)
    warn(f"{output}: {n} sentences.")
