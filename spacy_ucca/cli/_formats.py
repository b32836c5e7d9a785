"""`spacy-ucca convert --to`: convert files between formats and report what was lost."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..files import check_outputs
from ._graphs import name_others, warn_of_made_up
from ._util import (
    STDIN,
    BadFiles,
    check_name,
    progress_bar,
    standard_output,
    table,
    user_errors,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from ..formats.convert import FormatReport


MAX_SHOWN = 8  # categories that UCCA does not know


def convert_formats(
    sources: Sequence[Path],
    output: Path,
    *,
    to: str,
    source_format: str | None,
    sentences: bool,
    limit: int,
    strict: bool,
    json_path: Path | None,
    show: bool | None,
) -> None:
    """Convert files and report what was lost; the work of `spacy-ucca convert --to`.

    RAISES (Exit): With 1, if a file could not be converted, or something was lost and `strict` is set.
    """
    from ..formats.convert import convert_files
    from ..formats.files import find_files
    from ..formats.recognise import is_directory
    from ..formats.registry import FORMATS, READABLE

    check_name("--to", to, FORMATS)
    if source_format is not None:
        check_name("--from", source_format, READABLE)
    bad = BadFiles()
    with user_errors():
        is_file = str(output) != STDIN and not is_directory(output)
        inputs = find_files(sources, source_format, on_left_out=name_others)
        check_outputs([output if is_file else None, json_path], inputs)
        with progress_bar(show=show, unit="file") as advance:
            report = convert_files(
                inputs,
                standard_output() if str(output) == STDIN else output,
                to=to,
                source_format=source_format,
                sentences=sentences,
                limit=limit,
                others=[json_path],
                on_bad=bad.add,
                on_file=advance,
            )
        name = "standard output" if str(output) == STDIN else str(output)
        warn(f"{name}: {_counts(report)} from {', '.join(report.formats) or 'nothing'} to {to}.")
        for note in report.notes:
            warn(f"Note: {note}")
        warn(_losses(report, to) if report.graphs else "No graph was written.")
        warn_of_made_up(report.made_up)
        write_json(json_path, report.to_dict())
    bad.finish()
    if strict and (report.losses or report.notes):
        raise typer.Exit(1)


def _counts(report: "FormatReport") -> str:
    counts = ((report.graphs, "graph"), (report.words, "word"), (report.files, "file"))
    graphs, words, files = (f"{n:,} {what}{'s' * (n != 1)}" for n, what in counts)
    return f"{graphs} of {words} in {files}"


def _losses(report: "FormatReport", to: str) -> str:
    """RETURNS (str): A table of what was lost: the number of each kind and its meaning."""
    from ..formats.roundtrip import KINDS

    unknown = ", ".join(sorted(report.unknown)[:MAX_SHOWN]) + ", ..." * (
        len(report.unknown) > MAX_SHOWN
    )
    scheme = (
        f"The graph has categories UCCA does not know: {unknown}. If it is of another scheme, such as AMR or UD, it is no "
        "UCCA graph."
    )
    if not report.losses:
        return scheme if unknown else f"Nothing {'else ' if report.notes else ''}was lost."
    measured = "what comes back when it is read again"
    how = measured if report.measured else "what the format has no place for; it is not read"
    rows = [
        [f"{report.losses[kind]:,}", kind, meaning]
        for kind, meaning in KINDS.items()
        if report.losses[kind]
    ]
    lost = f"Not kept by {to} ({how}):\n{table(rows, '><<')}"
    return f"{scheme}\n{lost}" if unknown else lost
