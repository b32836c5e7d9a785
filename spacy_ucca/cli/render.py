"""`spacy-ucca render`: draw the graphs of files."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer

from ..errors import UccaError
from ..files import check_outputs
from ..formats.recognise import check_output_suffix, is_directory, name_of
from ._command import Show, app, choice, existing, flag, output_to
from ._graphs import GRAPHS_HELP, find_graphs, read_named
from ._parse_output import IMAGES, open_output, suffix_of
from ._util import BadFiles, progress, read_each, standard_output, tree_options

STYLES = ("svg", *IMAGES, "tree")


@app.command("render")
def render(
    inputs: list[Path] = existing(f"{GRAPHS_HELP}: files or directories"),
    output: Path = output_to("Directory or file. Default: standard output", stream=True),
    style: str = choice(
        None,
        STYLES,
        "--to",
        "-t",
        help="Pictures (svg, png, pdf) or text trees (tree). Default: what --output says, or svg",
    ),
    legend: bool = typer.Option(True, "--legend/--no-legend", help="Explain the categories"),
    width: float = typer.Option(1200, min=200, help="Maximum width of pictures in pixels"),
    collapse: bool = flag("Draw units that hold no Scene as their words", "--collapse"),
    max_tokens: int = typer.Option(
        None,
        min=0,
        help="Draw so many tokens of each file; 0: all. Default: 2000 in pictures, all in trees",
    ),
    show: Show = None,
) -> None:
    """Draw the graphs of files of any format, one picture or text tree for each graph."""
    bad = BadFiles()
    files = find_graphs(inputs)
    suffix = output.suffix.lower()[1:] if output is not None else ""
    style = style or (suffix if suffix in IMAGES else "svg")
    is_picture = style != "tree"
    is_one = output is None or not is_directory(output)
    if output is not None and is_one:
        check_output_suffix(output, style)
        check_outputs([output], files)
    if is_one and is_picture and len(files) > 1:
        raise typer.BadParameter("Several pictures need --output DIR.", param_hint="--output")
    options: dict[str, Any] = {} if max_tokens is None else {"max_tokens": max_tokens or None}
    options["collapse"] = collapse
    if is_picture:
        options |= {"legend": legend, "wrap": width}
    elif output is None:
        options |= tree_options(standard_output(text=True))
    drawn = _draw_all(progress(files, show=show), style, options, bad)
    with open_output(output, style, files) as opened:
        opened.failed = True
        for path, name, text in drawn:
            opened.failed = False
            if opened.directory is None:
                opened.write(text)
                continue
            try:
                suffix = suffix_of(style)
                opened.directory.write(name, suffix, text, number=name != name_of(path))
            except UccaError as err:
                bad.add(path, err)
        opened.name_renamed()
    bad.finish()


def _draw_all(
    files: Iterable[Path], style: str, options: dict[str, Any], bad: BadFiles
) -> Iterator[tuple[Path, str, str | bytes]]:
    """YIELDS (Tuple[Path, str, Union[str, bytes]]): For each graph its file, its name and its picture."""
    from ..drawing.image import render_image
    from ..drawing.render import render_svg, render_tree

    draw: Callable[..., str] = render_tree if style == "tree" else render_svg
    for path, graphs in read_each(files, partial(read_named, bad=bad), bad):
        for name, graph in graphs:
            drawn = draw(graph, **options)
            is_image = style in IMAGES
            yield path, name, render_image(drawn, style) if is_image else drawn
