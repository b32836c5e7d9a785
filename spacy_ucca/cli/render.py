"""`spacy-ucca render`: draw the graphs of files."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import NothingWritten, OutputDirectory, check_outputs, open_whole
from ..formats.recognise import check_output_suffix, is_directory, name_of
from ._command import app
from ._graphs import GRAPHS_HELP, find_graphs, read_named
from ._util import (
    PROGRESS_HELP,
    BadFiles,
    draws_branches,
    file_or_stream,
    make_directory,
    progress,
    read_each,
    standard_output,
    user_errors,
    warn,
)

SUFFIXES = {"svg": ".svg", "tree": ".txt"}


class Style(str, Enum):
    svg = "svg"
    tree = "tree"


@app.command("render")
def render_cli(
    inputs: list[Path] = typer.Argument(
        ..., help=f"{GRAPHS_HELP}: files or directories", exists=True
    ),
    output: Path = typer.Option(
        None,
        "--output",
        "-o",
        callback=file_or_stream,
        help="Directory or file. Default: standard output",
    ),
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
    """Draw the graphs of files of any format, one picture or text tree for each graph."""
    bad = BadFiles()
    with user_errors():
        files = find_graphs(inputs)
        if output is not None and not is_directory(output):
            check_output_suffix(output, style.value)
            check_outputs([output], files)
        one = output is None or not is_directory(output)
        if one and style is Style.svg and len(files) > 1:
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

    files (List[Path]): The files.
    output (Optional[Path]): The directory or file to write into; standard output if it is None.
    style (str): "svg" or "tree".
    legend (bool): Whether an SVG has a legend.
    max_tokens (Optional[int]): The maximum number of tokens to draw of each; 0 for all, None for the default of the style.
    bad (Optional[BadFiles]): Collects the files that cannot be read, and those whose picture would replace another.
    show (Optional[bool]): Whether to show progress.
    RAISES (UccaError): If several pictures would go to one file.
    """
    bad = bad or BadFiles()
    drawn = _draw_all(progress(files, show=show), style, output, legend, max_tokens, bad)
    if output is None:
        file = standard_output(text=style == "tree")
        _write_one(drawn, file.write, style, "-")
    elif is_directory(output):
        make_directory(output)
        directory = OutputDirectory(output, files)
        for path, name, text in drawn:
            try:
                directory.write(name, SUFFIXES[style], text, number=name != name_of(path))
            except UccaError as err:
                bad.add(path, err)
        if directory.note:
            warn(f"Note: {directory.note}")
    else:
        make_directory(output.parent)
        with open_whole(output) as opened:
            if not _write_one(drawn, opened.write, style, output):
                raise NothingWritten


def _draw_all(
    files: Iterable[Path],
    style: str,
    output: Path | None,
    legend: bool,
    max_tokens: int | None,
    bad: BadFiles,
) -> Iterator[tuple[Path, str, str]]:
    """YIELDS (Tuple[Path, str, str]): For each graph its file, its name and its picture."""
    stream = standard_output(text=style == "tree") if output is None else None
    for path, graphs in read_each(files, partial(read_named, bad=bad), bad):
        for name, graph in graphs:
            text = draw(graph, style, legend=legend, file=stream, max_tokens=max_tokens)
            yield path, name, text


def _write_one(
    drawn: Iterable[tuple[Path, str, str]],
    write: Callable[[str], object],
    style: str,
    name: object,
) -> bool:
    """RETURNS (bool): Whether there was something to write.
    RAISES (FormatError): If there are several pictures."""
    held = ""  # a picture: nothing is written of several
    some = False
    for _, _, text in drawn:
        some = True
        if style != "svg":
            write(text)
        elif held:
            raise FormatError(Errors.UC539.format(path=name))
        else:
            held = text
    write(held)
    return some


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
