"""`spacy-ucca render`: draw the graphs in UCCA XML files."""

from enum import Enum
from pathlib import Path
from typing import Any

import typer

from ..errors import UccaError
from ..files import OutputDirectory
from ._util import (
    PROGRESS_HELP,
    BadFiles,
    app,
    draws_branches,
    find_all_xml,
    make_directory,
    progress,
    standard_output,
    user_errors,
)

SUFFIXES = {"svg": ".svg", "tree": ".txt"}


class Style(str, Enum):
    svg = "svg"
    tree = "tree"


@app.command("render")
def render_cli(
    inputs: list[Path] = typer.Argument(..., help="UCCA XML: files or directories", exists=True),
    output: Path = typer.Option(None, "--output", "-o", help="Directory. Default: standard output"),
    style: Style = typer.Option(
        Style.svg, "--to", "-t", help="Pictures (svg) or text trees (tree)"
    ),
    legend: bool = typer.Option(True, "--legend/--no-legend", help="Explain categories in the SVG"),
    max_tokens: int = typer.Option(
        None,
        "--max-tokens",
        min=0,
        help="Draw so many tokens of each file; 0: all. Default: 2000 in pictures, all in trees",
    ),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Draw the graphs of UCCA XML files, one picture or text tree for each file."""
    bad = BadFiles()
    with user_errors():
        files = find_all_xml(inputs)
        if output is None and style is Style.svg and len(files) > 1:
            raise typer.BadParameter("Several pictures need --output DIR.", param_hint="--output")
        render(
            files,
            output,
            style=style.value,
            legend=legend,
            max_tokens=max_tokens,
            bad=bad,
            show=show,
        )
    bad.finish()


def render(
    files: list[Path],
    output: Path | None,
    *,
    style: str = "svg",
    legend: bool = True,
    max_tokens: int | None = None,
    bad: BadFiles | None = None,
    show: bool | None = False,
) -> None:
    """Draw files.

    files (List[Path]): UCCA XML files.
    output (Optional[Path]): The directory to write into; standard output if it is None.
    style (str): "svg" or "tree".
    legend (bool): Whether an SVG has a legend.
    max_tokens (Optional[int]): The maximum number of tokens to draw of each; 0 for all, None for the default of the style.
    bad (Optional[BadFiles]): Collects the files that cannot be read, and those whose picture would replace another.
    show (Optional[bool]): Whether to show progress.
    """
    from ..formats.xml import read_xml
    from ._util import read_each

    bad = bad or BadFiles()
    if output is not None:
        make_directory(output)
        directory = OutputDirectory(output, files)
    for path, graph in read_each(progress(files, show=show), read_xml, bad):
        file = standard_output(text=style == "tree") if output is None else None
        text = draw(graph, style, legend=legend, file=file, max_tokens=max_tokens)
        if file is not None:
            file.write(text)
        else:
            try:
                directory.write(path.stem, SUFFIXES[style], text)
            except UccaError as err:
                bad.add(path, err)


def draw(
    graph, style: str, *, legend: bool = True, file=None, max_tokens: int | None = None
) -> str:
    """RETURNS (str): A graph in a style, fit for the stream that it is written to: colours on a terminal, plain branches
    if the stream cannot encode others.
    """
    from ..drawing.render import render_svg, render_tree

    limit: dict[str, Any] = {} if max_tokens is None else {"max_tokens": max_tokens or None}
    if style == "svg":
        return render_svg(graph, legend=legend, **limit)
    if file is None:
        return render_tree(graph, **limit)
    return render_tree(graph, color=file.isatty(), ascii=not draws_branches(file), **limit)
