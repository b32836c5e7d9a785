"""`spacy-ucca score`: score predicted graphs against gold graphs."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, FormatError, UccaError
from ..files import check_outputs
from ._command import Json, Mapping, PerType, Show, app, existing, flag
from ._graphs import GRAPHS_HELP
from ._pairs import Pairing
from ._util import (
    BadFiles,
    name_some,
    percent,
    prf_cells,
    progress,
    read_each,
    table,
    write_figures,
)

if TYPE_CHECKING:
    from ..metric.bootstrap import Interval
    from ..metric.mrp import MrpGraph

MEASURES = ("p", "r", "f")


@app.command("score")
def score(
    gold: Path = existing(f"{GRAPHS_HELP}, gold: a directory or a file"),
    predicted: Path = existing("Predicted: files of the same names, or graphs of the same ids"),
    mrp: bool = flag("Score by the MRP metric: graphs of the same ids", "--mrp"),
    mtool_steps: int = typer.Option(
        0,
        min=0,
        help="With --mrp: pair nodes by the search of mtool, to compare with published scores: 500000. 0: find the best pairs",
    ),
    json_path: Json = None,
    mapping: Mapping = [],
    per_type: PerType = False,
    show: Show = None,
) -> None:
    """Score predicted graphs against gold graphs. Files are matched by name, graphs of a file by id, and their counts are
    pooled.

    "all" pools primary and remote edges, as SemEval 2019 Task 1 does. For the categories of that task: --map T=D --map Q=E.
    With --mrp, the metric is that of the CoNLL 2019 and 2020 shared tasks.
    """
    replaced = parse_mapping(mapping)
    if mrp and per_type:
        raise typer.BadParameter("Not with --mrp.", param_hint="--per-type")
    if mtool_steps and not mrp:
        raise typer.BadParameter("Only with --mrp.", param_hint="--mtool-steps")
    from ..formats.files import find_files

    bad = BadFiles()
    check_outputs([json_path], find_files([gold, predicted]) if mrp else [gold, predicted])
    if mrp:
        scores = _score_mrp(gold, predicted, replaced, mtool_steps, bad, show)
        text = format_mrp_scores(scores)
    else:
        scores = _score(gold, predicted, replaced, bad, show)
        n, n_files = scores["graphs"], scores["files"]
        files = f"{n_files} file{'s' * (n_files != 1)}"
        text = format_scores(scores, per_type=per_type)
        if intervals := format_intervals(scores["intervals"], "graphs"):
            text += f"\n{intervals}"
        text += f"\n\n{files if n == n_files else f'{n} graphs in {files}'} scored."
    write_figures(text, scores, json_path)
    bad.finish()
    if scores["missing"] or scores["extra"]:
        raise typer.Exit(1)


def _score(
    gold: Path, predicted: Path, mapping: dict[str, str], bad: BadFiles, show: bool | None
) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): `files`, `graphs`, the names of `missing`, `extra` and `skipped` ones, the scores (`ucca_f`, ...),
    and the counts behind them."""
    from ..metric.counts import Counts, Tally
    from ..metric.score import score_pair
    from ..metric.systems import intervals_of
    from ..rules.linkage import linkage_scores, score_linkage

    pairs = Pairing(gold, predicted, "scored", bad, show)
    counted: list[Counts] = []
    linkage = Tally()
    files: set[Path] = set()
    for pair in pairs:
        try:
            counts = score_pair(pair.predicted, pair.gold, mapping=mapping)
            linkage += score_linkage([(pair.predicted, pair.gold)])
        except UccaError as err:
            bad.add(pair.predicted_file, err)
        else:
            counted.append(counts)
            files.add(pair.gold_file)
    scores = sum(counted, Counts()).to_scores()
    pooled = scores.pop("ucca_counts")
    return {
        "files": len(files),
        "graphs": len(counted),
        "missing": pairs.missing,
        "extra": pairs.extra,
        "skipped": bad.files,
        "mapping": mapping,
        **scores,
        **linkage_scores(linkage),
        "intervals": intervals_of(counted),
        "counts": pooled,
    }


def parse_mapping(items: list[str]) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The categories of items such as "T=D"."""
    mapping = {}
    for item in items:
        old, equals, new = item.partition("=")
        if not (old and equals and new):
            raise typer.BadParameter(f"'{item}' is not of the form T=D.", param_hint="--map")
        mapping[old] = new
    return mapping


def format_scores(scores: dict[str, Any], *, per_type: bool = False) -> str:
    """RETURNS (str): The scores as a table, in percent; "-" where there was nothing to score."""
    columns = (
        *(("labeled", ""), ("unlabeled", "unlabeled_")),
        *(("weakly labeled", "weak_"), ("all categories", "exact_")),
    )

    rows = [["", *(cell for name, _ in columns for cell in ("", name, ""))]]
    rows.append(["", *(m.upper() for _ in columns for m in MEASURES)])
    for name, part in (
        ("primary", "primary_"),
        ("remote", "remote_"),
        ("implicit", "implicit_"),
        ("all", ""),
        ("discontinuous", "discontinuous_"),
    ):
        values = [[scores[f"ucca_{kind}{part}{m}"] for m in MEASURES] for _, kind in columns]
        rows.append([name, *(cell for prf in values for cell in prf_cells(*prf))])
    if scores.get("ucca_linkage_f") is not None:
        prf = prf_cells(*(scores[f"ucca_linkage_{m}"] for m in MEASURES))
        rows.append(["linkage", *prf, *[""] * (3 * len(columns) - 3)])
    # The names of the three evaluations stand over their columns, wider than these.
    width = max(len(cell) for row in rows[1:] for cell in row[1:])
    head = "".join(f"   {name:^{3 * width + 2}}" for name, _ in columns)
    first = max(len(row[0]) for row in rows)
    lines = [(" " * first + head).rstrip()]
    for row in rows[1:]:
        groups = (row[1 + 3 * i : 4 + 3 * i] for i in range(len(columns)))
        cells = ("   " + " ".join(cell.rjust(width) for cell in group) for group in groups)
        lines.append((row[0].ljust(first) + "".join(cells)).rstrip())
    text = "\n".join(lines)
    if per_type:
        body = [["category", "P", "R", "F"]]
        for category, values in scores["ucca_per_type"].items():
            body.append([category, *prf_cells(*(values[m] for m in MEASURES))])
        text += "\n\n" + table(body, "<>>>")
    return text


def format_intervals(intervals: "dict[str, Interval]", what: str) -> str:
    """RETURNS (str): Where F1 of 95 % of samples lies, in a line; "" of fewer than ten graphs."""
    found = [f"{part} {interval.in_percent()}" for part, interval in intervals.items()]
    return f"F1, 95 % of samples of these {what}: {', '.join(found)}." if found else ""


def _score_mrp(
    gold: Path,
    predicted: Path,
    mapping: dict[str, str],
    mtool_steps: int,
    bad: BadFiles,
    show: bool | None,
) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): `graphs`, how many of them are `exact`, the ids of `missing` and `extra` ones, what was `skipped`,
    the scores (`mrp_f`, ...), and the counts behind them."""
    from ..metric.mrp import ALL, PIECES, MrpCounts, MrpGraph, compare_mrp

    golds, others = _read_all(gold, bad), _read_all(predicted, bad)
    missing = [name for name in golds if name not in others]
    extra = [name for name in others if name not in golds]
    if len(missing) == len(golds):
        raise UccaError(Errors.UC510.format(gold=gold, predicted=predicted))
    name_some("Missing", missing, f"in {predicted}", "They count as empty graphs.")
    name_some("Not in gold", extra, f"of {predicted}", "They are not scored.")
    total = MrpCounts()
    for name, theirs in progress(golds.items(), total=len(golds), show=show, unit="graph"):
        try:
            total += compare_mrp(
                others.get(name, MrpGraph()), theirs, mapping=mapping, mtool_steps=mtool_steps
            )
        except UccaError as err:
            bad.add(f"graph '{name}'", err)
    tallies = {piece: total.tally(piece) for piece in (*PIECES, ALL)}
    counts = {
        piece: {"matches": tally.matches, "predicted": tally.guessed, "gold": tally.ref}
        for piece, tally in tallies.items()
    }
    return {
        **{"graphs": total.graphs, "exact": total.exact, "missing": missing, "extra": extra},
        **{"skipped": bad.files, "mapping": mapping, "mtool_steps": mtool_steps},
        **total.to_scores(),
        "counts": counts,
    }


def _read_all(path: Path, bad: BadFiles) -> dict[str, "MrpGraph"]:
    """RETURNS (Dict[str, MrpGraph]): The graphs by id; of several with the same id the first. Graphs without an id are numbered."""
    from ..formats.files import find_files

    graphs: dict[str, MrpGraph] = {}
    for file, found in read_each(find_files([path]), partial(_read, bad=bad), bad):
        for name, graph in found:
            name = name or str(len(graphs) + 1)
            if name in graphs:
                bad.add(file, FormatError(Errors.UC106.format(where=file, what="graph", id=name)))
            else:
                graphs[name] = graph
    return graphs


def _read(path: Path, bad: BadFiles) -> list[tuple[str, "MrpGraph"]]:
    from ..formats.files import read_graphs
    from ..formats.mrp import read_mrp_graphs
    from ..formats.recognise import guess_format
    from ..metric.mrp import MrpGraph

    text = path.read_bytes().decode("utf-8-sig", "replace")
    if text.strip() and guess_format(path, text).name == "mrp":
        # As they are: tops that are no roots, nodes that are no units
        return read_mrp_graphs(text, source=str(path), on_bad=bad.add)
    graphs = read_graphs(path, on_bad=bad.add)
    return [(str(g.details.get("id", "")), MrpGraph.from_graph(g)) for g in graphs]


def format_mrp_scores(scores: dict[str, Any]) -> str:
    """RETURNS (str): The scores as a table, in percent; "-" where there was nothing to score."""
    rows = [["", "P", "R", "F"]]
    for piece in ("tops", "anchors", "edges", "attributes", "all"):
        part = "" if piece == "all" else f"{piece}_"
        values = (scores[f"mrp_{part}{measure}"] for measure in "prf")
        rows.append([piece, *map(percent, values)])
    n, exact = scores["graphs"], scores["exact"]
    end = (
        f"{n} graph{'s' * (n != 1)} scored. The search for pairs of nodes was complete in {exact}."
    )
    return f"{table(rows, '<>>>')}\n\n{end}"
