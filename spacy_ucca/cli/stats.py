"""`spacy-ucca stats`: count the units, edges and categories of corpora, one column for each corpus."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs
from ._command import app
from ._graphs import GRAPHS_HELP
from ._stats_table import format_stats
from ._util import (
    JSON_HELP,
    LIST_HELP,
    PASSAGES_HELP,
    PROGRESS_HELP,
    UD_HELP,
    BadFiles,
    progress,
    user_errors,
    write_json,
)
from .convert import SPACY, name_skipped, read_graphs

if TYPE_CHECKING:
    from ..graph import Graph

SYSTEMS = ("tree", "tupa")


@app.command("stats")
def stats_cli(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="CORPUS...",
        help=f"{GRAPHS_HELP} (corpora, directories or files): a column for each",
        exists=True,
    ),
    splits: list[Path] = typer.Option(
        [], "--split", "-s", help="Like --list, with a column for each file", exists=True
    ),
    total: bool = typer.Option(
        False, "--total", help="With several columns: one more, with the sum of their counts"
    ),
    lists: list[Path] = typer.Option([], "--list", "-l", help=LIST_HELP, exists=True),
    ud: list[Path] = typer.Option([], "--ud", help=UD_HELP, exists=True),
    passages: bool = typer.Option(False, "--passages", help=PASSAGES_HELP),
    transitions: bool = typer.Option(
        False,
        "--transitions",
        "-t",
        help="Also count the transitions of the oracles of both systems",
    ),
    bounds: bool = typer.Option(
        False,
        "--bounds",
        "-b",
        help="Also measure what conversions to other structures and back lose",
    ),
    json_path: Path = typer.Option(None, "--json", help=f"{JSON_HELP} ('-': standard output)"),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Count the units and edges of corpora: by type, with several parents, with gaps, implicit, linkage, remote.

    Percentages of indented lines are shares of the line that they stand under.
    """
    if splits and lists:
        raise typer.BadParameter("Not with --split.", param_hint="--list")
    given = {"--split": splits, "--list": lists, "--ud": ud, "--passages": passages}
    for path in paths:
        for option in (option for option, value in given.items() if value):
            if path.suffix == SPACY:
                message = f"'{path}' is divided and chosen from already: not for .spacy files."
                raise typer.BadParameter(message, param_hint=option)
    bad = BadFiles()
    with user_errors():
        check_outputs([json_path], [*paths, *splits, *lists, *ud])
        columns = {}
        chosen: Sequence[Path | None] = splits or (None,)
        for path in paths:
            for split in chosen:
                ids = lists if split is None else [split]
                columns[_name(path, split, paths)] = stats(
                    path,
                    transitions=transitions,
                    bounds=bounds,
                    bad=bad,
                    show=show,
                    ids=ids,
                    ud=ud,
                    passages=passages,
                )
        if total and "total" in columns:
            message = "A column is called 'total' already. Rename its file."
            raise typer.BadParameter(message, param_hint="--total")
        if total:
            columns["total"] = _sum(list(columns.values()))
        if str(json_path) != "-":
            typer.echo(format_stats(columns))
        write_json(json_path, {"corpora": columns, "skipped": bad.files})
    bad.finish()


def _sum(columns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The counts of several columns, added up."""
    from ..text.statistics import CorpusStatistics

    counted = map(CorpusStatistics.from_dict, columns)
    return sum(counted, CorpusStatistics()).to_dict()


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

    conversion = ConversionReport()
    if path.suffix == SPACY:
        graphs = list(progress(_read_spacy(path), show=show, unit="sentence"))
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
        figures["transitions"] = {system: report(graphs, system) for system in SYSTEMS}
    if bounds:
        figures["bounds"] = upper_bounds(graphs)
    return figures


def _read_spacy(path: Path) -> "Iterator[Graph]":
    from spacy.vocab import Vocab

    from ..training.corpus import read_docbin

    return (doc._.ucca for doc in read_docbin(path, Vocab()) if len(doc))
