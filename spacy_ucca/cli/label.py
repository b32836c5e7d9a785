"""`spacy-ucca label`: parse tagged texts with a pipeline, as training data for another one."""

from pathlib import Path

import typer

from ..files import check_outputs
from ._command import app
from ._util import (
    BEAM_HELP,
    GUIDELINES_HELP,
    PROGRESS_HELP,
    make_directory,
    progress,
    user_errors,
    warn,
)


@app.command("label")
def label_cli(
    data: Path = typer.Argument(
        ..., help="A .spacy file, or a directory of them, with tags and dependencies", exists=True
    ),
    output: Path = typer.Argument(..., help="The .spacy file to write"),
    model: str = typer.Option(
        ..., "--model", "-m", help="Pipeline with ucca_parser or ucca_span_parser"
    ),
    guidelines: str = typer.Option(None, "--guidelines", help=GUIDELINES_HELP),
    syntax: str = typer.Option(
        None, "--syntax", help="Pipeline that predicts the tags and dependencies of the output"
    ),
    beam_width: int = typer.Option(None, "--beam-width", min=1, help=BEAM_HELP),
    limit: int = typer.Option(0, "--limit", min=0, help="Maximum number of sentences; 0: all"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Parse texts with a pipeline and write training data for another one (distillation).

    The parser sees the tags and dependencies of the input, so it parses best where these are gold.
    """
    if output.suffix != ".spacy":
        raise typer.BadParameter(f"'{output}' is no .spacy file.", param_hint="OUTPUT")
    with user_errors():
        n = label(
            model,
            data,
            output,
            guidelines=guidelines,
            syntax=syntax,
            beam_width=beam_width,
            limit=limit,
            show=show,
        )
        warn(f"{output}: {n} sentences.")


def label(
    model: str,
    data: Path,
    output: Path,
    *,
    guidelines: str | None = None,
    syntax: str | None = None,
    beam_width: int | None = None,
    limit: int = 0,
    show: bool | None = False,
) -> int:
    """Label a corpus.

    model (str): A pipeline with `ucca_parser` or `ucca_span_parser`.
    data (Path): A .spacy file, or a directory of them.
    output (Path): The .spacy file.
    guidelines (Optional[str]): The guidelines to follow; those of the pipeline if None.
    syntax (Optional[str]): Pipeline for the tags and dependencies of the output; those of the input if None.
    beam_width (Optional[int]): The beam width; that of the pipeline if None.
    limit (int): Maximum number of sentences; 0 is no limit.
    show (Optional[bool]): Whether to show progress.
    RETURNS (int): The number of sentences written.
    RAISES (UccaError): If the pipeline has no such parser, there is nothing to label, or the output is one of the inputs.
    """
    from itertools import islice

    from ..training.corpus import find_docbins, read_docs, write_docbin
    from ..training.label import label_docs, with_syntax
    from ._pipelines import load_pipeline, set_beam_width, set_guidelines

    files = find_docbins(data)
    check_outputs([output], [*files, model, *([syntax] if syntax else [])])
    nlp = load_pipeline(model)
    set_guidelines(nlp, guidelines)
    set_beam_width(nlp, beam_width)
    docs = (doc for file in files for doc in read_docs(file, nlp.vocab))
    labeled = label_docs(nlp, docs)
    if syntax is not None:
        labeled = with_syntax(labeled, load_pipeline(syntax))
    make_directory(output.parent)
    labeled = islice(labeled, limit or None)
    return write_docbin(progress(labeled, show=show, unit="sentence"), output)
