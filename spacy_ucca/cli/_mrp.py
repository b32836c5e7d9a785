"""`spacy-ucca score --mrp`: score graphs of any format by the MRP metric."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Errors, FormatError, UccaError
from ._util import BadFiles, first_names, percent, progress, read_each, table, warn

if TYPE_CHECKING:
    from ..metric.mrp import MrpGraph


def score_mrp_files(
    gold: Path,
    predicted: Path,
    *,
    mapping: dict[str, str] | None = None,
    mtool_steps: int = 0,
    bad: BadFiles | None = None,
    show: bool | None = False,
) -> dict[str, Any]:
    """Score the graphs of two files or directories by the MRP metric. Graphs are matched by their ids.

    gold (Path): The reference, of any format.
    predicted (Path): The predicted graphs, of any format.
    mapping (Optional[Dict[str, str]]): Categories to replace on both sides first.
    mtool_steps (int): Pair nodes by the search of mtool, which stops after so many steps; 0: find the best pairs.
    bad (Optional[BadFiles]): Collects what cannot be read or compared.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[str, Any]): `graphs`, how many of them are `exact`, the ids of `missing` and `extra` ones, what was `skipped`, the
        scores (`mrp_f`, ...), and the counts behind them.
    RAISES (UccaError): If no graph has a partner.
    """
    from ..metric.mrp import ALL, PIECES, MrpCounts, MrpGraph, compare_mrp

    bad = bad or BadFiles()
    golds, others = _read_all(gold, bad), _read_all(predicted, bad)
    missing = [name for name in golds if name not in others]
    extra = [name for name in others if name not in golds]
    if len(missing) == len(golds):
        raise UccaError(Errors.UC510.format(gold=gold, predicted=predicted))
    _name_ids("Missing", missing, "in", predicted, "They count as empty graphs.")
    _name_ids("Not in gold", extra, "of", predicted, "They are not scored.")
    total = MrpCounts()
    options: dict[str, Any] = {"mapping": mapping, "mtool_steps": mtool_steps}
    for name, theirs in progress(golds.items(), total=len(golds), show=show, unit="graph"):
        try:
            total += compare_mrp(others.get(name, MrpGraph()), theirs, **options)
        except UccaError as err:
            bad.add(f"graph '{name}'", err)
    tallies = {piece: total.tally(piece) for piece in (*PIECES, ALL)}
    counts = {
        piece: {"matches": tally.matches, "predicted": tally.guessed, "gold": tally.ref}
        for piece, tally in tallies.items()
    }
    return {
        **{"graphs": total.graphs, "exact": total.exact, "missing": missing, "extra": extra},
        **{"skipped": bad.files, "mapping": mapping or {}, "mtool_steps": mtool_steps},
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
    from ..formats.mrp_graph import read_mrp_graphs
    from ..formats.recognise import guess_format
    from ..metric.mrp import MrpGraph

    text = path.read_bytes().decode("utf-8-sig", "replace")
    if text.strip() and guess_format(path, text).name == "mrp":
        # As they are: tops that are no roots, nodes that are no units
        return read_mrp_graphs(text, source=str(path), on_bad=bad.add)
    graphs = read_graphs(path, on_bad=bad.add)
    return [(str(g.details.get("id", "")), MrpGraph.from_graph(g)) for g in graphs]


def _name_ids(what: str, names: list[str], how: str, path: Path, result: str) -> None:
    if names:
        warn(f"{what}: {len(names)} {how} {path} ({first_names(names)}). {result}")


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
