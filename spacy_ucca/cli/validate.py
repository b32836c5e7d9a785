"""`spacy-ucca validate`: check graphs against the rules of UCCA."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..files import check_outputs
from ._command import Json, Show, app, existing, flag
from ._graphs import GRAPHS_HELP, find_graphs
from ._util import BadFiles, progress, read_each, table, write_figures

if TYPE_CHECKING:
    from ..formats.registry import Format
    from ..graph import Graph


@app.command("validate")
def validate_cli(
    paths: list[Path] = existing(f"{GRAPHS_HELP}: files, directories or corpora"),
    quiet: bool = flag("Print only the counts", "--quiet", "-q"),
    strict: bool = flag("Exit with 1 on warnings, too", "--strict"),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Check that files can be read and follow the rules of UCCA.

    Graphs with errors are not UCCA graphs; graphs with warnings break the guidelines for annotators. The exit code is 1 if
    there are errors.
    """
    bad = BadFiles()
    check_outputs([json_path], paths)
    report = validate(find_graphs(paths), bad, show)
    lines = []
    if not quiet:
        for p in report["problems"]:
            where = f"unit {p['unit']} '{p['text']}': " if p["unit"] is not None else ""
            lines.append(f"{p['file']}: {p['level']} {p['rule']}: {where}{p['message']}")
        lines += (f"error {note}" for note in report["notes"])
    write_figures("\n".join([*lines, format_counts(report)]), report, json_path)
    bad.finish()
    if report["errors"] or report["notes"] or (strict and report["warnings"]):
        raise typer.Exit(1)


def validate(files: list[Path], bad: BadFiles, show: bool | None) -> dict[str, Any]:
    """Check files.

    files (List[Path]): The files.
    bad (BadFiles): Collects the files that cannot be read.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[str, Any]): `files`, `units`, `errors`, `warnings`, `rules` (counts by rule),
        `problems` (each with file, rule, level, unit, text and message), `notes` (edges that no UCCA graph can have, which
        were changed on reading) and `skipped`.
    """
    from ..formats.files import read_file
    from ..formats.mend import take_notes
    from ..rules.validate import ERROR, RULES, WARNING, validate_graph

    rules: Counter[str] = Counter()
    problems: list[dict[str, Any]] = []
    n = units = 0
    notes: list[str] = []

    def read(path: Path) -> "tuple[Format, list[Graph]]":
        with take_notes(notes):
            return read_file(path, on_bad=bad.add)

    for path, (entry, graphs) in read_each(progress(files, show=show), read, bad):
        n += 1
        for number, graph in enumerate(graphs, start=1):
            units += len(graph)
            name = graph.details.get("id") or number
            where = f"{path} ({name})" if len(graphs) > 1 else str(path)
            for problem in validate_graph(graph, one_root=entry.name == "xml"):
                rules[problem.rule] += 1
                problems.append({"file": where, **problem._asdict()})
    levels = Counter({level: 0 for level in (ERROR, WARNING)})
    for name, count in rules.items():
        levels[RULES[name][0]] += count
    return {
        "files": n,
        "units": units,
        "errors": levels[ERROR],
        "warnings": levels[WARNING],
        "rules": {name: rules[name] for name in RULES if rules[name]},
        "problems": problems,
        "notes": notes,
        "skipped": bad.files,
    }


def format_counts(report: dict[str, Any]) -> str:
    """RETURNS (str): The number of violations of each rule, as a table."""
    from ..rules.validate import RULES

    text = (
        f"{report['files']} files, {report['units']} units: "
        f"{report['errors'] + len(report['notes'])} errors, {report['warnings']} warnings."
    )
    if report["rules"]:
        rows = [[str(n), *RULES[name][:1], name] for name, n in report["rules"].items()]
        rows = [[*row, " ".join(RULES[row[2]][1].split())] for row in rows]
        text = table(rows, "><<<") + "\n" + text
    return text
