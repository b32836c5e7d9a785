"""UCCA (Universal Conceptual Cognitive Annotation) in spaCy: semantic graphs on `doc._.ucca`, bilexical ones on `doc._.sdp`.

Importing the package registers these extensions. The names below are imported when they are first used: spaCy imports
the package in every process of a user who has it installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .methods import register_methods
from .tokens.register import register_extensions

if TYPE_CHECKING:
    from .drawing.page_comparison import render_comparison
    from .drawing.render import render
    from .errors import UccaError
    from .graph import Edge, Graph, GraphBuilder, Unit
    from .graph.categories import explain
    from .matcher import UccaMatcher
    from .tokens.load import load
    from .tokens.views import set_spans

__version__ = "0.2.0"
__all__ = [
    "Edge",
    "Graph",
    "GraphBuilder",
    "UccaError",
    "UccaMatcher",
    "Unit",
    "explain",
    "load",
    "register_extensions",
    "render",
    "render_comparison",
    "set_spans",
]

register_extensions()
register_methods(
    tree="spacy_ucca.drawing.tree:render_tree",
    html="spacy_ucca.drawing.render:render_inline",
    to_json="spacy_ucca.formats.plain_data:to_json",
    from_json="spacy_ucca.formats.plain_data:from_json",
    to_networkx="spacy_ucca.formats.networkx_graph:to_networkx",
    from_networkx="spacy_ucca.formats.networkx_graph:from_networkx",
    to_pandas="spacy_ucca.formats.tables:to_pandas",
    from_pandas="spacy_ucca.formats.tables:from_pandas",
    to_arrow="spacy_ucca.distributed.graph_table:to_arrow",
    from_arrow="spacy_ucca.distributed.graph_table:from_arrow",
)

_MODULES = {
    "Edge": ".graph",
    "Graph": ".graph",
    "GraphBuilder": ".graph",
    "UccaError": ".errors",
    "UccaMatcher": ".matcher",
    "Unit": ".graph",
    "explain": ".graph.categories",
    "load": ".tokens.load",
    "render": ".drawing.render",
    "render_comparison": ".drawing.page_comparison",
    "set_spans": ".tokens.views",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
