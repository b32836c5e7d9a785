"""UCCA graphs over words: units, edges, Scenes, records, copies of parts and paths. Pure Python.

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
