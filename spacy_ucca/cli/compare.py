"""`spacy-ucca compare`: compare systems with gold graphs and with each other; an HTML page of their graphs with errors marked."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs
from ..graph import Graph
from ._command import Json, Mapping, Passages, Show, app, choice, existing, output_to
from ._graphs import GRAPHS_HELP
from ._pairs import Pairing
from ._util import BadFiles, name_some, open_for_writing, percent, table, warn, write_figures
from .score import parse_mapping

if TYPE_CHECKING:
    from ..metric.systems import SystemComparison

STDOUT = "-"
TITLES = {
    "edges": "edges",
    "match": "all edges, if they match",
    "mean": "mean of F1",
    "category": "category",
    "tokens": "sentences by tokens",
    "gaps": "sentences by discontinuous units",
    "folder": "folder",
}


class Sentence(NamedTuple):
    """A sentence, or a graph that is not divided, of the gold file and of each system."""

    name: str
    folder: str
    gold: Graph
    predicted: list[Graph]


@app.command("compare")
def compare(
    gold: Path = existing(f"{GRAPHS_HELP}, gold"),
    systems: list[Path] = existing("Predicted: files of the same names, or graphs of the same ids"),
    output: Path = output_to("HTML page of the graphs; '-': standard output"),
    csv_path: Path = typer.Option(None, "--csv", help="CSV file: a row for each sentence"),
    errors: Path = typer.Option(None, help="CSV file: a row for each error"),
    json_path: Json = None,
    order: str = choice(
        None,
        ("text", "worst", "different"),
        help="Sentences to draw first: as in the text, of lowest F1, or with F1 of the systems farthest apart. Default: different, of one system: text",
        show_default=False,
    ),
    limit: int = typer.Option(
        200, "--limit", "-n", min=1, help="Maximum number of sentences to draw"
    ),
    samples: int = typer.Option(1000, min=0, help="Samples of the bootstrap; 0: none"),
    seed: int = typer.Option(12345, min=0, help="Seed of the bootstrap"),
    passages: Passages = False,
    mapping: Mapping = [],
    show: Show = None,
) -> None:
    """Compare systems with gold graphs, and with the first of them: scores, how far they may vary by the choice of sentences (95 % of
    samples), and whether a difference may be chance (p).

    Files are matched by name, graphs of a file by id, Docs of two .spacy files by order. They are divided into sentences as
    the gold annotation divides them. Two annotators are compared as GOLD and a system: F1 is their agreement.
    """
    replaced = parse_mapping(mapping)
    bad = BadFiles()
    check_outputs([output, csv_path, errors, json_path], [gold, *systems])
    from ..metric.systems import compare_systems

    named = dict(zip(system_names(systems), systems, strict=True))
    missing: dict[str, list[str]] = {}
    sentences = list(_sentences_of(gold, named, passages, bad, missing, show))
    result = compare_systems(
        [sentence.gold for sentence in sentences],
        {name: [x.predicted[i] for x in sentences] for i, name in enumerate(named)},
        names=[sentence.name for sentence in sentences],
        folders=[sentence.folder for sentence in sentences],
        mapping=replaced,
        samples=samples,
        seed=seed,
    )
    if str(output) != STDOUT:
        figures = {**result.to_dict(), "missing": missing} if json_path else None
        write_figures(format_comparison(result), figures, json_path)
    if output is not None:
        from ..drawing.page_comparison import render_systems

        title = f"{gold.name} and {', '.join(named)}"
        first = order if order else "different" if len(named) > 1 else "text"
        page = render_systems(result, order=first, limit=limit, title=title)
        with open_for_writing(output) as file:
            file.write(page)
        if str(output) != STDOUT:
            warn(f"{output}: open it in a browser.")
    for path, rows in ((csv_path, result.sentence_rows), (errors, result.error_rows)):
        if path is not None:
            _write_csv(path, rows())
    bad.finish()
    if missing:
        raise typer.Exit(1)


def system_names(given: Sequence[str | Path]) -> list[str]:
    """RETURNS (List[str]): Names for systems, by their files: the shortest that differ."""
    paths = [Path(name) for name in given]
    for names in ([p.stem if p.is_file() else p.name for p in paths], [str(p) for p in paths]):
        if len(set(names)) == len(names):
            return names
    return [f"{path} ({i})" for i, path in enumerate(paths, start=1)]


def _sentences_of(
    gold: Path,
    systems: dict[str, Path],
    passages: bool,
    bad: BadFiles,
    missing: dict[str, list[str]],
    show: bool | None,
) -> Iterator[Sentence]:
    """Find the sentences that all systems have. What one of them lacks is noted as missing.

    YIELDS (Sentence): The sentences.
    """
    are_docs = {gold.suffix, *(path.suffix for path in systems.values())} == {".spacy"}
    found: dict[str, dict[str, list[Sentence]]] = {}
    for system, path in systems.items():
        lacking: list[str] = []
        pairs = _docs(gold, path) if are_docs else _files(gold, path, bad, lacking, show)
        parts = found[system] = {}
        for name, folder, where, theirs, ours in pairs:
            try:
                both = _divided(theirs, ours, passages)
            except UccaError as err:
                bad.add(where, f"{name}: {err}")
                continue
            for i, (one, other) in enumerate(both, start=1):
                label = f"{name}, sentence {i}" if len(both) > 1 else name
                parts.setdefault(name, []).append(Sentence(label, folder, one, [other]))
        if lacking:
            missing[system] = lacking
    shared = [name for name in parts if all(name in others for others in found.values())]
    for system, parts in found.items():
        alone = [name for name in parts if name not in shared]
        name_some("Only of some systems", alone, f"of {system}", "They are not compared.")
    for name in shared:
        for same in zip(*(parts[name] for parts in found.values()), strict=True):
            yield same[0]._replace(predicted=[sentence.predicted[0] for sentence in same])


_Found = tuple[str, str, object, Graph, Graph]


def _files(
    gold: Path, predicted: Path, bad: BadFiles, missing: list[str], show: bool | None
) -> Iterator[_Found]:
    pairs = Pairing(gold, predicted, "compared", bad, show)
    for pair in pairs:
        folder = pair.gold_file.parent
        name = "" if gold.is_file() else folder.relative_to(gold).as_posix()
        yield pair.name, name, pair.predicted_file, pair.gold, pair.predicted
    missing += pairs.missing


def _docs(gold: Path, predicted: Path) -> Iterator[_Found]:
    from spacy.vocab import Vocab

    from ..training.corpus import read_docbin

    vocab = Vocab()
    sides = [[doc for doc in read_docbin(path, vocab) if len(doc)] for path in (gold, predicted)]
    n_gold, n_predicted = map(len, sides)
    if n_gold != n_predicted:
        counts = {"n_gold": n_gold, "n_predicted": n_predicted}
        raise UccaError(Errors.UC612.format(gold=gold, predicted=predicted, **counts))
    for i, (theirs, ours) in enumerate(zip(*sides, strict=True), start=1):
        yield f"Doc {i}", "", f"Doc {i} of {predicted}", theirs._.ucca, ours._.ucca


def _divided(gold: Graph, predicted: Graph, passages: bool) -> list[tuple[Graph, Graph]]:
    """Divide a pair of graphs into the sentences of the gold annotation.

    RAISES (UccaError): If the graphs are over different tokens.
    """
    from ..metric.score import compared_parts
    from ..text.split import sentence_ends, split_at

    next(compared_parts(predicted, gold))  # refuses other tokens
    if passages or not gold.edge_tuples:
        return [(gold, predicted)]
    ends = sentence_ends(gold)
    if len(ends) < 2:
        return [(gold, predicted)]
    return list(zip(split_at(gold, ends), split_at(predicted, ends), strict=True))


def format_comparison(result: "SystemComparison") -> str:
    """RETURNS (str): The scores of systems as tables, in percent."""
    several = len(result.systems) > 1
    head = ["system", "P", "R", "F1", "95 %", "sentences"]
    head += ["difference", "95 %", "p"] * several
    rows = [["", *head]]
    group = ""
    for score in result.scores:
        if score.group != group:
            group = score.group
            rows += [[""] * len(rows[0]), [TITLES[group], *[""] * len(head)]]
        first = score.system == result.systems[0]
        prf = [None, None, score.f1] if score.matches is None else score.tally.to_dict().values()
        cells = [f"  {score.part}" if first else "", score.system, *map(percent, prf)]
        interval, *difference = score.texts.values()
        cells += [interval, str(score.sentences), *(difference if several else ())]
        rows.append(cells)
    n = len(result.sentences)
    end = f"{n} sentence{'s' * (n != 1)}"
    if result.samples:
        end += f"; intervals and p: {result.samples} samples, seed {result.seed}"
    return f"{table(rows, '<<' + '>' * (len(head) - 1))}\n\n{end}."


def _write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with open_for_writing(path) as file:
        writer = csv.DictWriter(file, [*rows[0]] if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
