"""`spacy-ucca oracle`: check that the oracle's transitions rebuild every sentence."""

from pathlib import Path
from typing import Any

import typer

from ..files import check_outputs
from ._command import app
from ._util import (
    JSON_HELP,
    LIST_HELP,
    PASSAGES_HELP,
    PROGRESS_HELP,
    UD_HELP,
    BadFiles,
    table,
    user_errors,
    write_json,
)
from .convert import name_skipped, read_graphs

MAX_SHOWN = 20


@app.command("oracle")
def oracle_cli(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="DIR...",
        help="Graphs of any format: corpora, directories or files",
        exists=True,
    ),
    system: str = typer.Option("tree", "--system", "-s", help="Transition system"),
    lists: list[Path] = typer.Option([], "--list", "-l", help=LIST_HELP, exists=True),
    ud: list[Path] = typer.Option([], "--ud", help=UD_HELP, exists=True),
    passages: bool = typer.Option(False, "--passages", help=PASSAGES_HELP),
    json_path: Path = typer.Option(None, "--json", help=f"{JSON_HELP} ('-': standard output)"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Rebuild every sentence from its oracle transitions and report the sentences that differ.

    The exit code is 1 if a sentence is not rebuilt exactly.
    """
    bad = BadFiles()
    with user_errors():
        check_outputs([json_path], [*paths, *lists, *ud])
        reports = {
            str(path): oracle_report(
                path, system, bad=bad, show=show, ids=lists, ud=ud, passages=passages
            )
            for path in paths
        }
        if str(json_path) != "-":
            typer.echo(format_reports(reports, system))
        data = {"system": system, "corpora": reports, "skipped": bad.files}
        write_json(json_path, data)
    bad.finish()
    if any(report["misses"] for report in reports.values()):
        raise typer.Exit(1)


def oracle_report(
    path: Path,
    system: str = "tree",
    *,
    bad: BadFiles | None = None,
    show: bool | None = False,
    **options: Any,
) -> dict[str, Any]:
    """Rebuild the sentences of a corpus from oracle transitions.

    path (Path): The corpus.
    system (str): The transition system.
    bad (Optional[BadFiles]): Collects the files that cannot be read or divided.
    show (Optional[bool]): Whether to show progress.
    options: Arguments of `iter_docs`.
    RETURNS (Dict[str, Any]): The report, with the sentences that were not rebuilt exactly.
    """
    from ..training.convert import ConversionReport
    from ..transitions.rebuild import report

    conversion = ConversionReport()
    result = report(read_graphs([path], conversion, show=show, **options), system)
    name_skipped(conversion, bad or BadFiles())
    return result


def format_reports(reports: dict[str, dict[str, Any]], system: str) -> str:
    """RETURNS (str): A table of the corpora, then the sentences that were not rebuilt, by reason."""
    rows = [["corpus", "sentences", "exact", "%", "tokens", "transitions", "per token"]]
    for name, report in reports.items():
        numbers = (report[key] for key in ("sentences", "exact"))
        row = [name, *(f"{n:,}" for n in numbers), f"{report['exact_percent']:.2f}"]
        row += [f"{report[key]:,}" for key in ("tokens", "transitions")]
        rows.append([*row, f"{report['transitions_per_token']:.2f}"])
    lines = [f"Transition system: {system}", "", table(rows, "<>>>>>>")]
    for name, report in reports.items():
        for reason, ids in report["misses"].items():
            shown = ", ".join(ids[:MAX_SHOWN])
            more = f" and {len(ids) - MAX_SHOWN} more" if len(ids) > MAX_SHOWN else ""
            lines.append(f"\n{name}: {len(ids)} not rebuilt: {reason}\n  {shown}{more}")
    return "\n".join(lines)
