"""DOT, the language of Graphviz: graphs as pictures for other tools. Written only: DOT says how a graph
looks, not what it is.

    digraph "504" {
      ...
      u0 -> u1 [label="H"];
      u2 -> u1 [label="A", style=dashed];
      u1 -> t0;
    }

Units are points u0, u1, ... by their index, implicit units and linkage have a label; tokens are boxes t0, t1, ...
on one line in text order. Remote edges are dashed, several categories joined by a bar. One graph is one `digraph`;
several may follow one another, as Graphviz reads them. `spacy_ucca.render` draws SVG without Graphviz.

Keeps: the id, words, units, all edges with their categories, remote edges, implicit units, linkage. Loses: which words are
punctuation marks, paragraphs, scores, details; and all of it for programs, as nothing reads it back.
"""

from ..graph import Graph
from ..graph.categories import IMPLICIT, LINKAGE, TERMINAL


def write_dot(graph: Graph) -> str:
    """RETURNS (str): A graph in DOT, to draw with `dot -Tsvg`."""
    name = _quoted(str(graph.details.get("id", "ucca")))
    lines = [
        f"digraph {name} {{",
        "  node [shape=point];",
        "  edge [arrowsize=0.6];",
        "  { rank=same; node [shape=box];",
    ]
    lines += (f"    t{i} [label={_quoted(word)}];" for i, word in enumerate(graph.words))
    # Edges that are not seen keep the order of the text.
    if len(graph.words) > 1:
        chain = " -> ".join(f"t{i}" for i in range(len(graph.words)))
        lines.append(f"    {chain} [style=invis];")
    lines.append("  }")
    for unit, kind in enumerate(graph.kinds):
        if kind in (IMPLICIT, LINKAGE):
            lines.append(f"  u{unit} [shape=plaintext, label={_quoted(kind)}];")
        else:
            lines.append(f"  u{unit};")
    for parent, child, categories, remote in graph.edge_tuples:
        target = f"t{~child}" if child < 0 else f"u{child}"
        label = "|".join(categories)
        styles = [f"label={_quoted(label)}"] if child >= 0 or label != TERMINAL else []
        styles += ["style=dashed"] if remote else []
        end = f" [{', '.join(styles)}]" if styles else ""
        lines.append(f"  u{parent} -> {target}{end};")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    """RETURNS (str): A quoted string of DOT. Line ends are written as such, NUL is left out."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "")
    return '"' + text.replace("\r", "\\n").replace("\n", "\\n") + '"'
