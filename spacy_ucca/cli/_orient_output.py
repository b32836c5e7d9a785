"""What `spacy-ucca orient` writes: graphs, labels and pictures, and its figures as a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import open_whole, write_whole
from ._util import make_directory, table

if TYPE_CHECKING:
    from ..conversion.graph import BilexicalGraph
    from ..link_grammar.link_grammar import LinkParse

FILES = ("conllu", "sdp")
LABELS = "labels.tsv"
FRAMEWORK = "link-grammar"
PICTURE_WIDTH = 1000  # pixels: what fits a page


def write_graphs(graphs: "Sequence[BilexicalGraph]", targets: dict[str, Path]) -> None:
    """Write graphs in every format of FILES."""
    from ..formats.conll import format_conllu
    from ..formats.sdp import format_sdp

    formats: dict[str, Any] = {"conllu": format_conllu, "sdp": format_sdp}
    for name, path in targets.items():
        with open_whole(path) as file:
            file.writelines(formats[name](graph, framework=FRAMEWORK) + "\n" for graph in graphs)


def draw(
    parses: "Sequence[tuple[LinkParse, BilexicalGraph]]",
    trees: "dict[str, BilexicalGraph]",
    n: int,
    output: Path,
) -> None:
    """Draw the first parses that fit a page, in the style of the draft."""
    from ..sdp_parser.arcs import picture_width, render_arcs

    drawn = 0
    for parse, graph in parses:
        if drawn == n:
            break
        tree, tags = trees.get(graph.id), parse.graph.tags
        if picture_width(graph, tree, tags) <= PICTURE_WIDTH:
            drawn += 1
            path = _picture(output, drawn)
            make_directory(path.parent)
            write_whole(path, render_arcs(graph, tree, tags))


def _picture(output: Path, number: int) -> Path:
    return output / "pictures" / f"{number:03}.svg"


def outputs(output: Path, pictures: int) -> list[Path]:
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
        ["complete sentences with a multi-headed token, %", f"{100 * figures['multi_headed']:.1f}"],
    ]
    titles = {
        "arcs_matched": "dependencies that links match, %",
        "links_matched": "links that dependencies match, %",
        "same_direction": "  in the same direction, %",
        "relation_known": "  with the label's commonest relation, %",
    }
    for scheme, agreement in figures.get("agreement", {}).items():
        rows.append([f"trees: {scheme}", ""])
        rows += ([f"  {titles[k]}", f"{100 * agreement['words'][k]:.1f}"] for k in titles)
    for share, values in figures.get("stability", {}).items():
        shares = " / ".join(f"{100 * values[name]:.1f}" for name in ("precision", "recall"))
        rows.append([f"{share} of the sentences: precision / recall, %", shares])
    for name, n in figures["broken"].items():
        rows.append([f"WARNING: not {name}", f"{n:,}"])
    return table(rows, "<>")
