"""UCCA (Universal Conceptual Cognitive Annotation) in spaCy: semantic graphs on `doc._.ucca`, bilexical ones on `doc._.sdp`.

Importing the package registers these extensions. The names below are imported when they are first used: spaCy imports
the package in every process of a user who has it installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .tokens.register import register_extensions

if TYPE_CHECKING:
    from .drawing.page_comparison import render_comparison
    from .drawing.render import render
    from .errors import UccaError
    from .graph import Edge, Graph, GraphBuilder, Unit
    from .graph.categories import explain
    from .matcher import UccaMatcher
    from .tokens.spans import set_spans

__version__ = "0.2.0"
__all__ = [
    "Edge",
    "Graph",
    "GraphBuilder",
    "UccaError",
    "UccaMatcher",
    "Unit",
    "explain",
    "register_extensions",
    "render",
    "render_comparison",
    "set_spans",
]

register_extensions()

_MODULES = {
    "Edge": ".graph",
    "Graph": ".graph",
    "GraphBuilder": ".graph",
    "UccaError": ".errors",
    "UccaMatcher": ".matcher",
    "Unit": ".graph",
    "explain": ".graph.categories",
    "render": ".drawing.render",
    "render_comparison": ".drawing.page_comparison",
    "set_spans": ".tokens.spans",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
