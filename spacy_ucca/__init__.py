"""UCCA (Universal Conceptual Cognitive Annotation) in spaCy: semantic graphs on `doc._.ucca`, bilexical ones on `doc._.sdp`.

Importing the package registers the extensions and costs little beside spaCy itself: pictures (`render`,
`render_comparison`) are imported when they are first asked for. Everything but these and the graph is imported
from its own module; spaCy finds the component through its entry point.
"""

from typing import TYPE_CHECKING, Any

from .errors import UccaError
from .graph import Graph, GraphBuilder
from .graph.unit import Edge, Unit
from .sdp_parser.extension import register_sdp
from .tokens.extension import register_extensions

if TYPE_CHECKING:
    from .drawing.page_comparison import render_comparison
    from .drawing.render import render

__version__ = "0.2.0"
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
register_sdp()


def __getattr__(name: str) -> Any:
    if name == "render":
        from .drawing.render import render

        return render
    if name == "render_comparison":
        from .drawing.page_comparison import render_comparison

        return render_comparison
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
