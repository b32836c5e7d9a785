"""`spacy-ucca label`: text parsed by several pipelines at once, as training data for one.

Averaging and labeling are `ensemble.py`'s, votes `committee.py`'s. Plain parsing, into files to look at, is `parse.py`'s.
"""

from pathlib import Path

import typer

from ._util import (
    BEAM_HELP,
    PROGRESS_HELP,
    VOTES_HELP,
    app,
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
    models: list[str] = typer.Option(
        ...,
        "--model",
        "-m",
        help="Pipeline with ucca_parser. Several are averaged. Or one with ucca_span_parser, or one whose members vote",
    ),
    guidelines: str = typer.Option("", "--guidelines", help="Name of the guidelines to follow"),
    syntax: str = typer.Option(
        None, "--syntax", help="Pipeline whose tags and dependencies the output gets"
    ),
    beam_width: int = typer.Option(None, "--beam-width", min=1, help=BEAM_HELP),
    beam_votes: bool = typer.Option(None, "--beam-votes/--no-beam-votes", help=VOTES_HELP),
    limit: int = typer.Option(0, "--limit", min=0, help="Stop after so many sentences; 0: never"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Parse texts by the mean of several pipelines, to train one on the result (distillation).

    The parsers see the tags and dependencies of the input, so they parse best where those are gold. Pipelines that
    vote (`spacy-ucca ensemble`) see their own.
    """
    if output.suffix != ".spacy":
        raise typer.BadParameter(f"'{output}' is no .spacy file.", param_hint="OUTPUT")
    with user_errors():
        n = label(
            models,
            data,
            output,
            guidelines=guidelines,
            syntax=syntax,
            beam_width=beam_width,
            beam_votes=beam_votes,
            limit=limit,
            show=show,
        )
        warn(f"{output}: {n} sentences.")


def label(
    models: list[str],
    data: Path,
    output: Path,
    *,
    guidelines: str = "",
    syntax: str | None = None,
    beam_width: int | None = None,
    beam_votes: bool | None = None,
    limit: int = 0,
    show: bool | None = False,
) -> int:
    """Label a corpus.

    models (List[str]): Pipelines with `ucca_parser`, or one with `ucca_span_parser` or `ucca_committee`.
    data (Path): A .spacy file, or a directory of them.
    output (Path): The .spacy file.
    guidelines (str): The guidelines to follow.
    syntax (Optional[str]): Pipeline for the tags and dependencies of the output; those of the input if None.
    beam_width (Optional[int]): Parses of a sentence to follow; None leaves it to the pipelines.
    beam_votes (Optional[bool]): Whether these vote; None leaves it to the pipelines.
    limit (int): Number of sentences; 0 is no limit.
    show (Optional[bool]): Whether to show progress.
    RETURNS (int): The number of sentences written.
    RAISES (UccaError): If a pipeline has none of these, they do not fit together, or there is nothing to
        label.
    """
    from itertools import islice

    from ..committee import UccaCommittee, set_beam
    from ..corpus import find_docbins, read_docs, write_docbin
    from ..ensemble import Labeler, ensemble_of, label_docs, with_syntax
    from ..pipelines import load_pipeline

    pipelines = [load_pipeline(model) for model in models]
    for nlp in pipelines:
        set_beam(nlp, beam_width, beam_votes)
    teacher: Labeler | None = None
    if len(pipelines) == 1:
        teacher = next((p for _, p in pipelines[0].pipeline if isinstance(p, UccaCommittee)), None)
    if teacher is None:
        teacher = ensemble_of(zip(models, pipelines))
    vocab = pipelines[0].vocab
    docs = (d for file in find_docbins(data) for d in read_docs(file, vocab))
    labeled = label_docs(teacher, docs, guidelines=guidelines)
    if syntax is not None:
        labeled = with_syntax(labeled, load_pipeline(syntax))
    make_directory(output.parent)
    labeled = islice(labeled, limit or None)
    return write_docbin(progress(labeled, show=show, unit="sentence"), output)
