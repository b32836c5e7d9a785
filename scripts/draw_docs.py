"""Draw the pictures of the docs.

Run this script after a change of a graph or of the drawing code: python scripts/draw_docs.py
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy_ucca
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
# Drawing options by the id of the graph
OPTIONS = {"looking": {"legend": True}, "rows": {"wrap": 800.0}}
GOLD, PREDICTED = "metric-gold", "metric-predicted"


def pictures() -> Iterator[tuple[Path, str]]:
    """Draw all pictures: the README's, one for each graph of `graphs.txt`, two with errors marked, and the links.

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
    with LINKS.open(encoding="utf8") as links, TREES.open(encoding="utf8") as trees:
        for oriented, tree in zip(iter_conllu(links), iter_conllu(trees), strict=True):
            yield (
                GRAPHS.with_name(f"links-{tree.id}.svg"),
                render_arcs(oriented, function_heads(tree)),
            )


def _picture(name: str, graph: spacy_ucca.Graph, **options: Any) -> tuple[Path, str]:
    svg = spacy_ucca.render(graph, minify=True, options={"legend": False, **options})
    return GRAPHS.with_name(f"{name}.svg"), svg


def main() -> None:
    for path, svg in pictures():
        path.write_bytes(svg.encode())


if __name__ == "__main__":
    main()
