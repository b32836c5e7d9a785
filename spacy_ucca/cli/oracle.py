"""`spacy-ucca oracle`: check that the oracle's transitions rebuild every sentence."""

from pathlib import Path
from typing import Any

import typer

from ..files import check_outputs
from ._command import Json, Lists, Passages, Show, Ud, app
from ._util import BadFiles, table, write_figures
from .convert import name_skipped, read_graphs

MAX_SHOWN = 20


@app.command("oracle")
def oracle(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="DIR...",
        help="Graphs of any format: corpora, directories or files",
        exists=True,
    ),
    system: str = typer.Option("tree", "--system", "-s", help="Transition system"),
    lists: Lists = [],
    ud: Ud = [],
    passages: Passages = False,
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Rebuild every sentence from its oracle transitions and report the sentences that differ.

    The exit code is 1 if a sentence is not rebuilt exactly.
    """
    bad = BadFiles()
    check_outputs([json_path], [*paths, *lists, *ud])
    from ..training.convert import ConversionReport
    from ..transitions.rebuild import report

    reports = {}
    for path in paths:
        conversion = ConversionReport()
        graphs = read_graphs([path], conversion, show=show, ids=lists, ud=ud, passages=passages)
        reports[str(path)] = report(graphs, system)
        name_skipped(conversion, bad)
    data = {"system": system, "corpora": reports, "skipped": bad.files}
    write_figures(format_reports(reports, system), data, json_path)
    bad.finish()
    if any(found["misses"] for found in reports.values()):
        raise typer.Exit(1)


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
