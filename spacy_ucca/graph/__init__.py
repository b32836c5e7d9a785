"""UCCA graphs over words: units, edges, Scenes, copies of parts, paths, and `record`: a graph as JSON. Pure Python.

Not here: what UCCA allows (`rules`), files (`formats`), graphs on spaCy's Docs (`tokens`).
"""

from .graph import (
    FOUNDATIONAL,
    IMPLICIT,
    KINDS,
    LINKAGE,
    PUNCT,
    Edge,
    EdgeTuple,
    Graph,
    GraphBuilder,
    Unit,
)

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
