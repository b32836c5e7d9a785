"""Draw the pictures of the docs.

Run this script after a change of a graph or of the drawing code: python scripts/draw_docs.py
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc

import spacy_ucca
from spacy_ucca.drawing.picture import FONT
from spacy_ucca.drawing.theme import COLORS, FAINT, INK
from spacy_ucca.extract import predications
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.conll import iter_conllu
from spacy_ucca.link_grammar.agreement import function_heads
from spacy_ucca.metric.compare import compare
from spacy_ucca.sdp_parser.arcs import render_arcs

DOCS = Path(__file__).resolve().parent.parent / "docs"
GRAPHS = DOCS / "pictures" / "graphs.txt"
# Output of `spacy-ucca orient`, and the UD trees of the same sentences, of which trees with function words as heads are drawn
LINKS, TREES = GRAPHS.with_name("links.conllu"), GRAPHS.with_name("links-ud.conllu")
# The picture of the README
EXAMPLE = (
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]"
)
# The Scenes of "Who did what to whom", with their dependencies: for each token its head and relation
SCENES = (
    "[L If] [H [A it] [P rains]] [L and] [H [A it] [F is] [S cold]] [U ,] [H [A we] [P stay]] [U .]"
)
TREE = "2 mark 2 nsubj 9 advcl 6 cc 6 nsubj 6 cop 2 conj 2 punct 9 nsubj 9 ROOT 9 punct".split()
# Drawing options by the id of the graph
OPTIONS = {"looking": {"legend": True}, "rows": {"wrap": 800.0}}
GOLD, PREDICTED = "metric-gold", "metric-predicted"
# Figures of benchmarks/languages.py, and what its rows are called
LANGUAGES = DOCS / "languages.json"
NAMES = {
    **{"ar": "Arabic", "cs": "Czech", "de": "German", "es": "Spanish", "fi": "Finnish"},
    **{"fr": "French", "hi": "Hindi", "id": "Indonesian", "it": "Italian", "ko": "Korean"},
    **{"pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "tr": "Turkish"},
    **{"zh": "Chinese", "en, en_ucca_sm": "English, by en_ucca_sm"},
    **{"en20k-fr20k, gold": "French, gold graphs", "en20k-de20k, gold": "German, gold graphs"},
}
# Figures of benchmarks/annotation.py, and how the lines of its ways are drawn
ANNOTATION = [path for lang in ("de", "fr") if (path := DOCS / f"annotation-{lang}.json").exists()]
# Figures of benchmarks/annotation_loop.py
ROUNDS = DOCS / "annotation-loop.json"
LINES = ((COLORS["P"], "none"), (INK, "2 3"), (COLORS["A"], "7 3"))


def pictures() -> Iterator[tuple[Path, str]]:
    """Draw all pictures: the README's, one for each graph of `graphs.txt`, two with errors marked, the overlap of languages, what
    annotation gives, what rounds of it save, the network of Scenes, and the links.

    YIELDS (Tuple[Path, str]): The path and the SVG of each picture.
    """
    (example,) = read_brackets(EXAMPLE)
    yield DOCS / "example.svg", spacy_ucca.render(example)
    graphs = read_brackets(GRAPHS.read_text("utf8"), source=GRAPHS.name)
    named = {graph.details["id"]: graph for graph in graphs}
    for name, graph in named.items():
        yield _picture(name, graph, **OPTIONS.get(name, {}))
    comparison = compare(named[GOLD], named[PREDICTED])
    yield _picture("comparison-gold", comparison.gold.graph, marks=comparison.gold.marks)
    yield _picture(
        "comparison-predicted", comparison.predicted.graph, marks=comparison.predicted.marks
    )
    figures = json.loads(LANGUAGES.read_text("utf8"))
    yield GRAPHS.with_name("languages.svg"), draw_languages(figures)
    curves = [json.loads(path.read_text("utf8")) for path in ANNOTATION]
    yield GRAPHS.with_name("annotation.svg"), draw_annotation(curves)
    yield GRAPHS.with_name("rounds.svg"), draw_rounds(json.loads(ROUNDS.read_text("utf8")))
    (graph,) = read_brackets(SCENES)
    heads, deps = [*map(int, TREE[::2])], TREE[1::2]
    doc = Doc(spacy.blank("en").vocab, words=graph.words, heads=heads, deps=deps)
    doc._.ucca = graph
    yield GRAPHS.with_name("scenes.svg"), predications(doc).to_svg()
    with LINKS.open(encoding="utf8") as links, TREES.open(encoding="utf8") as trees:
        for oriented, tree in zip(iter_conllu(links), iter_conllu(trees), strict=True):
            yield (
                GRAPHS.with_name(f"links-{tree.id}.svg"),
                render_arcs(oriented, function_heads(tree)),
            )


def draw_languages(figures: dict[str, Any]) -> str:
    """Draw the overlap of graphs of translations with graphs of English.

    figures (Dict[str, Any]): What `benchmarks/languages.py --json` writes.
    RETURNS (str): The picture, as SVG: a row for each language, by labeled overlap, with that of its gold trees.
    """
    left, top, step, scale = 170, 44, 22, 5.2
    found = {**figures["English"], **figures["languages"], **figures["gold"]}
    rows = [(NAMES[k], x["labeled"], figures["UD"].get(k)) for k, x in found.items() if k in NAMES]
    rows.sort(key=lambda row: -row[1])
    bottom = top + step * len(rows)
    chance = left + 100 * scale * figures["means"]["another sentence"]["labeled"]
    shapes = [
        f'<path d="M{left + scale * x:.1f} {top - 12}V{bottom - 8}" stroke="{FAINT}" stroke-width="0.7"/>'
        f'<text x="{left + scale * x:.1f}" y="{bottom + 8}" text-anchor="middle">{x}</text>'
        for x in range(0, 81, 20)
    ]
    dashed = f'stroke="{INK}" stroke-dasharray="4 3"/>'
    shapes.append(f'<path d="M{chance:.1f} {top - 12}V{bottom - 8}" {dashed}')
    for i, (name, labeled, trees) in enumerate(rows):
        y, x = top + step * i, left + 100 * scale * labeled
        color = COLORS["A" if "," in name else "P"]
        shapes.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{name}</text>')
        shapes.append(f'<path d="M{left} {y}H{x:.1f}" stroke="{FAINT}"/>')
        shapes.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{color}"/>')
        if trees:
            x = left + 100 * scale * trees["labeled"]
            shapes.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="none" stroke="{INK}"/>')
    legend = ((COLORS["P"], COLORS["P"], "graphs"), ("none", INK, "gold trees"))
    for x, (fill, stroke, text) in zip((left, left + 90), legend):
        shapes.append(f'<circle cx="{x + 5}" cy="14" r="4.5" fill="{fill}" stroke="{stroke}"/>')
        shapes.append(f'<text x="{x + 15}" y="18">{text}</text>')
    shapes.append(f'<path d="M{left + 205} 14h22" {dashed}')
    shapes.append(f'<text x="{left + 233}" y="18">another sentence</text>')
    title = "Labeled overlap of graphs of translations with graphs of English"
    return _svg(title, shapes, left + 84 * scale, bottom + 20)


def draw_annotation(languages: list[dict[str, Any]]) -> str:
    """Draw what annotated sentences of a language give.

    languages (List[Dict[str, Any]]): What `benchmarks/annotation.py --json` writes for each.
    RETURNS (str): The picture, as SVG: a panel for each language, with labeled F1 by the number of sentences, a line for each way.
    """
    panels = {}
    for figures in languages:
        ways = figures["ways"]
        panels[NAMES[figures["lang"]]] = [
            {n: 100 * found["mean"] for n, found in points.items()} for points in ways.values()
        ]
    title = "Labeled F1 after 0, 10, 50, 100 and more annotated sentences of a language"
    return _curves(title, list(languages[0]["ways"]), panels, range(30, 91, 10))


def draw_rounds(corpora: dict[str, Any]) -> str:
    """Draw what annotating in rounds saves.

    corpora (Dict[str, Any]): What `benchmarks/annotation_loop.py --json` writes.
    RETURNS (str): The picture, as SVG: a panel for each corpus, with edges to correct in a sentence by the number of annotated
        sentences, a line for each order.
    """
    panels = {
        name: [{str(row["sentences"]): row["edges"] for row in rows} for rows in orders.values()]
        for name, orders in corpora.items()
        if "random" in orders
    }
    orders = [f"by {order} order" for order in ("uncertain", "random")]
    title = "Edges to correct in a sentence after 0 to 200 annotated sentences"
    return _curves(title, orders, panels, range(0, 15, 3))


def _curves(
    title: str, names: list[str], panels: dict[str, list[dict[str, float]]], marks: range
) -> str:
    """Draw lines.

    title (str): What they show.
    names (List[str]): The names of the lines of each panel.
    panels (Dict[str, List[Dict[str, float]]]): By title, the points of each line, by their place on the first axis.
    marks (range): The values that are marked on the second axis.
    RETURNS (str): The picture, as SVG.
    """
    left, top, step, panel, height = 40, 76, 62, 350, 252
    bottom, scale = top + height, height / (marks[-1] - marks[0])
    shapes = []
    for i, (name, (color, dashes)) in enumerate(zip(names, LINES)):
        line = f'stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"'
        shapes.append(f'<path d="M{left + 210 * i} 14h26" {line}/>')
        shapes.append(f'<text x="{left + 210 * i + 33}" y="18">{name}</text>')
    for heading, curves in panels.items():
        places = list(dict.fromkeys(n for points in curves for n in points))
        right = left + step * (len(places) - 1)
        shapes.append(f'<text x="{left}" y="{top - 22}">{heading}</text>')
        for value in marks:
            y = bottom - (value - marks[0]) * scale
            shapes.append(
                f'<path d="M{left} {y:.1f}H{right}" stroke="{FAINT}" stroke-width="0.7"/>'
            )
            shapes.append(f'<text x="{left - 9}" y="{y + 4:.1f}" text-anchor="end">{value}</text>')
        for i, n in enumerate(places):
            x = left + step * i
            shapes.append(f'<text x="{x}" y="{bottom + 20:.1f}" text-anchor="middle">{n}</text>')
        for points, (color, dashes) in zip(curves, LINES):
            found = [
                (left + step * places.index(n), bottom - (value - marks[0]) * scale)
                for n, value in points.items()
            ]
            path = "L".join(f"{x} {y:.1f}" for x, y in found)
            line = f'stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"'
            shapes.append(f'<path d="M{path}" fill="none" {line}/>')
            shapes.extend(
                f'<circle cx="{x}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in found
            )
        left += panel
    return _svg(title, shapes, max(left - 50, 680), bottom + 30)


def _svg(title: str, shapes: list[str], width: float, height: float) -> str:
    """RETURNS (str): A picture, as SVG."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="13" fill="{INK}">'
        f'<title>{title}</title><rect width="100%" height="100%" fill="#fff"/>{"".join(shapes)}</svg>\n'
    )


def _picture(name: str, graph: spacy_ucca.Graph, **options: Any) -> tuple[Path, str]:
    svg = spacy_ucca.render(graph, minify=True, options={"legend": False, **options})
    return GRAPHS.with_name(f"{name}.svg"), svg


def main() -> None:
    for path, svg in pictures():
        path.write_bytes(svg.encode())


if __name__ == "__main__":
    main()
