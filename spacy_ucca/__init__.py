"""UCCA (Universal Conceptual Cognitive Annotation) in spaCy: semantic graphs on `doc._.ucca`.

Importing the package registers the extensions and costs little beside spaCy itself. Everything but
the graph and its pictures (`render`, `render_comparison`) is imported from its own module; spaCy finds the component through its entry point.
"""

from .errors import UccaError
from .extensions import register_extensions
from .graph import Graph, GraphBuilder
from .pages.comparison import render_comparison
from .units import Edge, Unit
from .visualize import render

__version__ = "0.1.0"
__all__ = [
    "Edge",
    "Graph",
    "GraphBuilder",
    "UccaError",
    "Unit",
    "register_extensions",
    "render",
    "render_comparison",
]

register_extensions()
