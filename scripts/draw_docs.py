"""Draw the pictures of the docs: one SVG for each graph of docs/pictures/graphs.txt, and the README's.

After a change of a graph or of how graphs are drawn: python scripts/draw_docs.py
"""

from collections.abc import Iterator
from pathlib import Path

import spacy_ucca
from spacy_ucca.formats.brackets import read_brackets

DOCS = Path(__file__).resolve().parent.parent / "docs"
GRAPHS = DOCS / "pictures" / "graphs.txt"
# The picture of the README, the only one with a legend.
EXAMPLE = (
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]"
)


def pictures() -> Iterator[tuple[Path, str]]:
    """YIELDS (Tuple[Path, str]): The path and the text of each picture."""
    (example,) = read_brackets(EXAMPLE)
    yield DOCS / "example.svg", spacy_ucca.render(example)
    for graph in read_brackets(GRAPHS.read_text("utf8"), source=GRAPHS.name):
        svg = spacy_ucca.render(graph, minify=True, options={"legend": False})
        yield GRAPHS.with_name(f"{graph.details['id']}.svg"), svg


def main() -> None:
    for path, svg in pictures():
        path.write_bytes(svg.encode())


if __name__ == "__main__":
    main()
