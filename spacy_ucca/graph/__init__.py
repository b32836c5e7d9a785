"""The value the package is about: a UCCA graph over words, its units and edges, Scenes and records. Pure Python.

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
