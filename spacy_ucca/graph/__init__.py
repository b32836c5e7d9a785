"""UCCA graphs over words: units, edges, Scenes, copies of parts, paths, and `record`: a graph as JSON. Pure Python.

Not here: what UCCA allows (`rules`), files (`formats`), graphs on spaCy's Docs (`tokens`).
"""

from .categories import FOUNDATIONAL, IMPLICIT, KINDS, LINKAGE, PUNCT
from .data import EdgeTuple
from .graph import Graph, GraphBuilder
from .unit import Edge, Unit

__all__ = [
    "FOUNDATIONAL",
    "IMPLICIT",
    "KINDS",
    "LINKAGE",
    "PUNCT",
    "Edge",
    "EdgeTuple",
    "Graph",
    "GraphBuilder",
    "Unit",
]
