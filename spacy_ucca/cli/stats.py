"""`spacy-ucca stats`: count the units of corpora. `spacy-ucca oracle`: check that transitions rebuild every sentence."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs
from ._command import Json, Lists, Passages, Show, Ud, app, existing, flag
from ._graphs import GRAPHS_HELP, read_named
from ._util import BadFiles, progress, refuse_options, table, write_figures
from .convert import SPACY, name_skipped, read_graphs

if TYPE_CHECKING:
    pass


SYSTEMS = ("tree", "tupa")
MAX_CATEGORIES = 20


MAX_SHOWN = 20


@app.command("stats")
def stats_cli(
    paths: list[Path] = existing(
        f"{GRAPHS_HELP} (corpora, directories or files): a column for each", metavar="CORPUS..."
    ),
    splits: list[Path] = typer.Option(
        [], "--split", "-s", help="Like --list, with a column for each file", exists=True
    ),
    total: bool = flag("With several columns: one more, with the sum of their counts", "--total"),
    lists: Lists = [],
    ud: Ud = [],
    passages: Passages = False,
    transitions: bool = flag(
        "Also count the transitions of the oracles of both systems", "--transitions", "-t"
    ),
    bounds: bool = flag(
        "Also measure what conversions to other structures and back lose", "--bounds", "-b"
    ),
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Count the units and edges of corpora: by type, with several parents, with gaps, implicit, linkage, remote.

    Percentages of indented lines are shares of the line that they stand under.
    """
    if splits and lists:
        raise typer.BadParameter("Not with --split.", param_hint="--list")
    given = {"--split": splits, "--list": lists, "--ud": ud, "--passages": passages}
    for path in (path for path in paths if path.suffix == SPACY):
        reason = f"'{path}' is divided and chosen from already: not for .spacy files."
        refuse_options(given, reason)
    bad = BadFiles()
    check_outputs([json_path], [*paths, *splits, *lists, *ud])
    columns = {}
    options: dict[str, Any] = {"transitions": transitions, "bounds": bounds, "bad": bad}
    options |= {"show": show, "ud": ud, "passages": passages}
    chosen: Sequence[Path | None] = splits or (None,)
    for path in paths:
        for split in chosen:
            ids = lists if split is None else [split]
            columns[_name(path, split, paths)] = stats(path, ids=ids, **options)
    if total and "total" in columns:
        message = "A column is called 'total' already. Rename its file."
        raise typer.BadParameter(message, param_hint="--total")
    if total:
        from ..text.statistics import CorpusStatistics

        counted = map(CorpusStatistics.from_dict, columns.values())
        columns["total"] = sum(counted, CorpusStatistics()).to_dict()
    write_figures(format_stats(columns), {"corpora": columns, "skipped": bad.files}, json_path)
    bad.finish()


def _name(path: Path, split: Path | None, paths: Sequence[Path]) -> str:
    """RETURNS (str): The shortest name of a column that differs from the others."""
    names = Counter(path.stem for path in paths)
    name = path.stem if names[path.stem] == 1 else str(path)
    if split is None:
        return name
    return split.stem if len(paths) == 1 else f"{name} {split.stem}"


def stats(
    path: Path,
    *,
    transitions: bool = False,
    bounds: bool = False,
    bad: BadFiles | None = None,
    show: bool | None = False,
    **options: Any,
) -> dict[str, Any]:
    """Count the units, edges and categories of a corpus.

    path (Path): A corpus, directory or file of any format.
    transitions (bool): Whether to execute the oracles.
    bounds (bool): Whether to convert, convert back and score.
    bad (Optional[BadFiles]): Collects the files that cannot be read or divided.
    show (Optional[bool]): Whether to show progress.
    options: Arguments of `iter_docs`; not for a .spacy file.
    RETURNS (Dict[str, Any]): The figures of `CorpusStatistics.to_dict`; with `transitions`, the oracle reports by system;
        with `bounds`, the upper bounds.
    RAISES (UccaError): If there is no sentence.
    """
    from ..conversion.bounds import upper_bounds
    from ..text.statistics import count_corpus
    from ..training.convert import ConversionReport, read_passages
    from ..transitions.rebuild import report

    conversion, track = ConversionReport(), partial(progress, show=show, unit="sentence")
    if path.suffix == SPACY:
        graphs = [graph for _, graph in track(read_named(path))]
    elif options.pop("passages", False):
        passages = read_passages(path, on_skipped=(bad := bad or BadFiles()).add, **options)
        graphs = [passage.graph for passage in passages]
    else:
        graphs = list(read_graphs([path], conversion, show=show, **options))
    name_skipped(conversion, bad or BadFiles())
    if not graphs:
        raise UccaError(Errors.UC806.format(path=path))
    figures: dict[str, Any] = count_corpus(graphs).to_dict()
    if transitions:
        figures["transitions"] = {system: report(graphs, system, track=track) for system in SYSTEMS}
    if bounds:
        figures["bounds"] = upper_bounds(
            graphs, track=partial(progress, show=show, unit="conversion")
        )
    return figures


def format_stats(columns: dict[str, dict[str, Any]]) -> str:
    """RETURNS (str): The figures as a table, with a line for each figure and a column for each corpus."""
    from ..text.statistics import RELATIONS

    lines = _Lines(columns)
    sizes = ("sizes", "sentences")
    lines.add("sentences", sizes)
    lines.add("  with discontinuous units", ("sizes", "discontinuous"), sizes)
    lines.add("  with linkage units", ("sizes", "linkage"), sizes)
    lines.add("tokens", ("sizes", "tokens"))
    lines.add("  attached to nothing", ("sizes", "unattached"), ("sizes", "tokens"))
    lines.add("nodes", ("nodes", "all"))
    for name in ("terminals", "non-terminals"):
        lines.add(f"  {name}", ("nodes", name), ("nodes", "all"))
    for name in ("foundational", "punctuation", "implicit", "linkage"):
        lines.add(f"    {name} units", ("nodes", name), ("nodes", "non-terminals"))
    for title, key in (
        ("nodes with several parents", "shared"),
        ("nodes with several parents, linkage too", "linked"),
        ("discontinuous nodes", "discontinuous"),
    ):
        lines.add(title, (key, "all"), ("nodes", "all"))
        for name in ("non-terminals", "foundational"):
            lines.add(f"  of {name}", (key, name), ("nodes", name))
    lines.add("crossing pairs of discontinuous nodes", ("sizes", "crossing"))
    units = ("primary", "remote")
    lines.add("edges between units", *(("edges", name) for name in units), total=True)
    for name in (*units, "several categories"):
        lines.add(f"  {name}", ("edges", name), *(("edges", name) for name in units))
    lines.add("edges of linkage units", ("edges", "linkage"))
    categories = lines.keys("categories")
    for title, group, keys in (
        ("units with remote parents", "remotes", sorted(lines.keys("remotes"), key=int)),
        ("remote parent, seen from the primary one", "relations", RELATIONS),
        (
            "moved nodes of constituency trees",
            "moves",
            sorted(lines.keys("moves"), key=lambda key: (key[:4], int(key[4:]))),
        ),
        ("edges by category", "categories", categories[:MAX_CATEGORIES]),
    ):
        lines.add(title, (group,))
        for key in keys:
            lines.add(f"  {key}", (group, key), (group,))
    if (n := len(categories) - MAX_CATEGORIES) > 0:
        lines.rows.append([f"  and {n} more (--json)", *[""] * 2 * len(columns)])
    text = table(lines.rows, "<" + ">" * 2 * len(columns))
    parts = (text, _format_transitions(columns), _format_bounds(columns))
    return "\n\n".join(filter(None, parts))


class _Lines:
    """Lines of a table, with two cells for each corpus: a number and its percentage of another."""

    def __init__(self, columns: dict[str, dict[str, Any]]) -> None:
        self.columns = columns
        self.rows = [["", *(cell for name in columns for cell in (name, "%"))]]

    def keys(self, group: str) -> list[str]:
        """RETURNS (List[str]): The keys of a group in any corpus, the most frequent first."""
        counts: Counter[str] = Counter()
        for column in self.columns.values():
            counts.update(column[group])
        return [key for key, _ in counts.most_common()]

    def add(self, title: str, *what: tuple[str, ...], total: bool = False) -> None:
        """Add a line. The first place in the figures gives the number, the places after it the base of its percentage. With
        `total`, all places are summed.
        """
        row = [title]
        for column in self.columns.values():
            counts = [_find(column, place) for place in what]
            n, base = (sum(counts), 0) if total else (counts[0], sum(counts[1:]))
            row += [f"{n:,}", f"{100 * n / base:.2f}" if base else ""]
        self.rows.append(row)


def _find(column: dict[str, Any], place: tuple[str, ...]) -> int:
    group, *key = place
    counts: dict[str, int] = column[group]
    return counts.get(key[0], 0) if key else sum(counts.values())


def _format_transitions(columns: dict[str, dict[str, Any]]) -> str:
    rows = [["transitions", "corpus", "rebuilt exactly, %", "per token"]]
    for name, column in columns.items():
        for system, figures in column.get("transitions", {}).items():
            values = [figures["exact_percent"], figures["transitions_per_token"]]
            rows.append([system, name, *(f"{value:.2f}" for value in values)])
    return table(rows, "<<>>") if len(rows) > 1 else ""


def _format_bounds(columns: dict[str, dict[str, Any]]) -> str:
    from ..conversion.bounds import MEASURES

    found = {name: column["bounds"] for name, column in columns.items() if "bounds" in column}
    rows = [["upper bounds", "corpus", *MEASURES.values()]]
    for conversion in next(iter(found.values()), ()):
        for name, bounds in found.items():
            values = (bounds[conversion][measure] for measure in MEASURES)
            cells = ("-" if value is None else f"{100 * value:.2f}" for value in values)
            rows.append([conversion, name, *cells])
    return table(rows, "<<" + ">" * len(MEASURES)) if found else ""


@app.command("oracle")
def oracle(
    paths: list[Path] = existing(
        "Graphs of any format: corpora, directories or files", metavar="DIR..."
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
        track = partial(progress, show=show, unit="sentence")
        reports[str(path)] = report(graphs, system, track=track)
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
