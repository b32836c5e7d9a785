"""`spacy-ucca orient`: find directions for links, and write multi-headed dependencies and a table of labels."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files import check_outputs, open_whole, write_whole
from ._util import (
    JSON_HELP,
    PROGRESS_HELP,
    app,
    make_directory,
    table,
    user_errors,
    warn,
    write_json,
)

if TYPE_CHECKING:
    from ..conversion.graph import BilexicalGraph
    from ..link_grammar.agreement import Agreement
    from ..link_grammar.directions import Orientation
    from ..link_grammar.link_grammar import LinkParse

FILES = ("conllu", "sdp")
LABELS = "labels.tsv"
COLUMNS = (
    "label direction count majority majority_percent relation relation_percent matched".split()
)
FRAMEWORK = "link-grammar"
PICTURE_WIDTH = 1000  # pixels: what fits a page


@app.command("orient")
def orient_cli(
    source: Path = typer.Argument(
        ...,
        metavar="LINKS",
        help="A CoNLL-U file of `spacy-ucca links`",
        exists=True,
        dir_okay=False,
    ),
    output: Path = typer.Argument(..., help="The directory to write to"),
    ud: list[Path] = typer.Option(
        [],
        "--ud",
        help="CoNLL-U file with dependencies of the sentences, to compare with",
        exists=True,
    ),
    limit: int = typer.Option(0, "--limit", help="Maximum number of sentences; 0: all", min=0),
    incomplete: bool = typer.Option(
        False,
        "--incomplete",
        help="Also write sentences in which tokens have no link and no head",
    ),
    pictures: int = typer.Option(0, "--pictures", help="Number of parses to draw", min=0),
    time_limit: float = typer.Option(
        600,
        "--time-limit",
        help="Seconds for the solver; after that, the best directions so far are used",
        min=0,
    ),
    gap: float = typer.Option(
        0, "--gap", help="Accept directions whose cost is within this share of the minimum", min=0
    ),
    plain: bool = typer.Option(
        False, "--plain", help="Solve the program as published, which is much slower"
    ),
    json_path: Path = typer.Option(None, "--json", help=JSON_HELP),
    show: bool = typer.Option(None, "--progress/--no-progress", help=PROGRESS_HELP),
):
    """Give links of Link Grammar directions, consistent by label, so that parses are acyclic and reachable.

    Writes graphs.conllu and graphs.sdp with the completely parsed sentences, labels.tsv with the direction of each label,
    and pictures. Sentences with dropped tokens are used to find the directions.
    """
    with user_errors():
        check_outputs([json_path, *_outputs(output, pictures)], [source, *ud])
        figures = orient_files(
            source,
            output,
            ud=ud,
            limit=limit,
            incomplete=incomplete,
            pictures=pictures,
            show=show,
            time_limit=time_limit,
            gap=gap,
            plain=plain,
        )
        warn(format_figures(figures))
        write_json(json_path, figures)


def orient_files(
    source: Path,
    output: Path,
    *,
    ud: Sequence[Path] = (),
    limit: int = 0,
    incomplete: bool = False,
    pictures: int = 0,
    show: bool | None = False,
    **options: Any,
) -> dict[str, Any]:
    """Find the directions of a file of links and write the results.

    source (Path): The file of links.
    output (Path): The directory to write to.
    ud (Sequence[Path]): CoNLL-U files with the sentences' dependencies.
    limit (int): Maximum number of sentences; 0 is no limit.
    incomplete (bool): Whether to write sentences with dropped tokens too.
    pictures (int): Number of parses to draw, of those that fit a page.
    show (Optional[bool]): Whether to show progress.
    options: Arguments of `orient`.
    RETURNS (Dict[str, Any]): `sentences` by status; `directions` (`Orientation.to_dict`); `broken`, the numbers of written
        graphs that lack a property; and with dependencies `agreement`, of all arcs and of those between words.
    RAISES (UccaError): If nothing can be oriented, a sentence is not in the dependencies, or a file would replace
        itself.
    """
    from collections import Counter
    from itertools import islice

    from ..link_grammar.directions import orient
    from ..link_grammar.link_corpus import LinkCounts, read_links
    from ..link_grammar.properties import broken_properties

    targets = {name: output / f"graphs.{name}" for name in FILES}
    check_outputs(_outputs(output, pictures), [source, *ud])
    counts = LinkCounts()
    parses: list[LinkParse] = []
    for parse, _ in islice(read_links(source), limit or None):
        counts.add(parse)
        if parse.is_connected:
            parses.append(parse)
    if not parses:
        raise UccaError(Errors.UC904.format(path=source))
    trees = _trees(ud, parses, source) if ud else None
    orientation = orient((parse.graph for parse in parses), show=show, **options)
    make_directory(output)
    complete = [parse.status == "complete" for parse in parses]
    written = [g for g, whole in zip(orientation.graphs, complete) if whole or incomplete]
    _write(written, targets)
    broken = Counter(
        name
        for graph, whole in zip(orientation.graphs, complete)
        if whole
        for name in broken_properties(graph)
    )
    figures: dict[str, Any] = {**counts.to_dict(), "written": len(written), "broken": dict(broken)}
    figures["directions"] = orientation.to_dict()
    agreement = None
    if trees is not None:
        pairs = [(g, trees[g.id]) for g, whole in zip(orientation.graphs, complete) if whole]
        agreement, words = _compare(pairs, False), _compare(pairs, True)
        figures["agreement"] = {"all": agreement.to_dict(), "words": words.to_dict()}
    _write_labels(orientation, agreement, output / LABELS)
    whole_graphs = (g for g, whole in zip(orientation.graphs, complete) if whole)
    _draw(whole_graphs, trees or {}, pictures, output)
    return figures


def _trees(
    paths: Sequence[Path], parses: "Sequence[LinkParse]", source: Path
) -> "dict[str, BilexicalGraph]":
    from ..formats.conll import iter_conllu
    from ..formats.text import open_lines

    trees: dict[str, BilexicalGraph] = {}
    for path in paths:
        with open_lines(path) as lines:
            trees.update((graph.id, graph.tree()) for graph in iter_conllu(lines, source=str(path)))
    for parse in parses:
        name = parse.graph.id
        if name not in trees:
            raise UccaError(Errors.UC911.format(id=name, path=source))
        if trees[name].words != parse.graph.words:
            raise UccaError(Errors.UC910.format(id=name))
    return trees


def _compare(pairs: "Sequence[tuple[BilexicalGraph, BilexicalGraph]]", words: bool) -> "Agreement":
    from ..link_grammar.agreement import Agreement

    agreement = Agreement(words_only=words)
    for graph, tree in pairs:
        agreement.add(graph, tree)
    return agreement


def _write(graphs: "Sequence[BilexicalGraph]", targets: dict[str, Path]) -> None:
    from ..formats.conll import format_conllu
    from ..formats.sdp import format_sdp

    formats = {"conllu": format_conllu, "sdp": format_sdp}
    for name, path in targets.items():
        with open_whole(path) as file:
            file.writelines(formats[name](graph, framework=FRAMEWORK) + "\n" for graph in graphs)


def _write_labels(orientation: "Orientation", agreement: "Agreement | None", path: Path) -> None:
    """Write the table of labels: tabs between columns, a line for each label."""
    from ..link_grammar.agreement import Agreement

    lines = ["\t".join(COLUMNS)]
    for row in (agreement or Agreement()).rows(orientation.directions.values()):
        direction = row.direction
        share = f"{100 * row.relation_count / row.matched:.1f}" if row.matched else "_"
        cells = [direction.label, direction.allowed, direction.count]
        cells += [
            direction.way,
            f"{100 * direction.majority:.1f}",
            row.relation or "_",
            share,
            row.matched,
        ]
        lines.append("\t".join(map(str, cells)))
    write_whole(path, "\n".join(lines) + "\n")


def _draw(graphs: "Any", trees: "dict[str, BilexicalGraph]", n: int, output: Path) -> None:
    """Draw the first parses that fit a page, in the style of the draft."""
    from ..sdp_parser.arcs import picture_width, render_arcs

    drawn = 0
    for graph in graphs:
        if drawn == n:
            break
        tree = trees.get(graph.id)
        if picture_width(graph, tree) <= PICTURE_WIDTH:
            drawn += 1
            path = _picture(output, drawn)
            make_directory(path.parent)
            write_whole(path, render_arcs(graph, tree))


def _picture(output: Path, number: int) -> Path:
    return output / "pictures" / f"{number:03}.svg"


def _outputs(output: Path, pictures: int) -> list[Path]:
    """RETURNS (List[Path]): The files that are written, with as many pictures as there may be."""
    drawn = (_picture(output, number) for number in range(1, pictures + 1))
    return [*(output / f"graphs.{name}" for name in FILES), output / LABELS, *drawn]


def format_figures(figures: dict[str, Any]) -> str:
    """RETURNS (str): The figures as a table."""
    directions = figures["directions"]
    rows = [
        ["sentences", f"{figures['sentences']:,}"],
        ["connected, directions found for them", f"{figures['connected']:,}"],
        ["complete", f"{figures['complete']:,}"],
        ["written", f"{figures['written']:,}"],
        ["links", f"{directions['links']:,}"],
        ["labels", f"{directions['labels']:,}"],
        *([f"  {way}", f"{directions[way]:,}"] for way in ("left", "right", "both")),
        ["links against a label's one direction", f"{directions['deviating']:,}"],
        ["cost", f"{directions['objective']:.2f}"],
        ["gap to the least cost, %", f"{100 * directions['gap']:.2f}"],
        ["seconds", f"{directions['seconds']:.1f}"],
    ]
    titles = {
        "arcs_matched": "dependencies that links match, %",
        "links_matched": "links that dependencies match, %",
        "same_direction": "  in the same direction, %",
        "relation_known": "  with the label's commonest relation, %",
        "multi_headed_sentences": "sentences with a multi-headed token, %",
    }
    for key, title in titles.items():
        if "agreement" in figures:
            rows.append([title, f"{100 * figures['agreement']['all'][key]:.1f}"])
    for name, n in figures["broken"].items():
        rows.append([f"WARNING: not {name}", f"{n:,}"])
    return table(rows, "<>")
