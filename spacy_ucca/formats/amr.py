"""PENMAN with words as concepts, so that tools for AMR can show, align and compare the graphs. The reader of `penman` reads it.

    # ::id 504
    # ::tok John left to work .
    # ::snt John left to work .
    (v0 / left
        :H (v1 / left
            :A (v2 / john~e.0)
            :P (v3 / left~e.1))
        :H (v4 / work
            :A v2
            :P (v5 / to-work~e.2,3))
        :U (v6 / PNCT~e.4))

The concept of a unit is its words, in lower case, joined by hyphens, or, where tokens hang on units below, its head word; a unit without
words has its kind, and so have punctuation and linkage. A remote edge is a role to a variable, as reentrancies are in AMR,
except where linkage takes part. All else is as in `penman.py`; the sentence is always there, which tools for AMR need. AMR has a graph for each sentence: divide passages
first, such as with `convert --sentences`.

Keeps: what `penman` keeps, which reads concepts from `# ::tok`. Loses: paragraphs, scores, details, the order of edges, the categories of
edges to tokens, several roots, which become one, hyphens in categories, and whether a graph had a text.
"""

import re

from ..graph import FOUNDATIONAL, LINKAGE, EdgeTuple, Graph
from .penman import INVERSE, Writer, head_lines, prepare, read_role

_NOT_IN_CONCEPTS = re.compile(r"[\s()/:~\"\\#]+")
GAP = "_"  # stands for what a concept cannot hold


def write_amr(graph: Graph) -> str:
    """Write a graph in PENMAN notation with words as concepts.

    graph (Graph): The graph. Several roots become one.
    RETURNS (str): The lines of metadata and the graph.
    RAISES (FormatError): If a role cannot hold a category.
    """
    graph = prepare(graph)
    return "\n".join([*head_lines(graph, sentence=True), *_Writer(graph).write()]) + "\n"


class _Writer(Writer):
    def role(self, edge: EdgeTuple) -> str:
        # The reader takes a variable that has a bracket elsewhere as remote, but not where linkage takes part.
        graph = self.graph
        above = graph.index.parent_edge[edge.child]
        around = (edge.parent, edge.child, graph.edge_tuples[above].parent)
        plain = super().role(edge._replace(remote=False))
        if (
            above >= 0
            and not plain.endswith(INVERSE)
            and read_role(plain) == (edge.categories, False)
            and all(graph.kinds[unit] != LINKAGE for unit in around)
        ):
            return plain
        return super().role(edge)

    def concept(self, unit: int) -> str:
        graph = self.graph
        head = graph[unit].head
        if graph.kinds[unit] != FOUNDATIONAL or head is None:
            return graph.kinds[unit]
        words = [graph.words[i] for i in graph[unit].terminals or (head,)]
        return "-".join(_NOT_IN_CONCEPTS.sub(GAP, word.lower()) or GAP for word in words)
