"""HTML pages of graphs, from Jinja templates with autoescape. A page needs nothing from outside: its style and its script
are in it.
"""

from collections.abc import Sequence
from functools import lru_cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from ..graph import Graph
from .layout import is_rtl
from .picture import lang_of
from .theme import share_styles
from .tree import shorten, shown

MAX_TITLE = 60  # characters of a text in the title of a page


@lru_cache
def _environment(package: str) -> Environment:
    packages = dict.fromkeys((package, __package__))
    return Environment(
        loader=ChoiceLoader([PackageLoader(name, "") for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_clean,
    )


def fill(template: str, package: str = __package__, **values: object) -> str:
    """Fill a template. Pictures have one style together. Values are escaped, unless the template marks them as safe.

    template (str): The name of its file.
    package (str): The package that the file is in. It may use the templates and the style of this package too.
    values: The variables of the template.
    RETURNS (str): The HTML.
    RAISES (UndefinedError): If the template uses a variable that has no value.
    """
    return share_styles(_environment(package).get_template(template).render(**values))


def text_of(graph: Graph) -> str:
    """RETURNS (str): The words of a graph, visible, in one line."""
    return " ".join(map(shown, graph.words))


def direction(graph: Graph) -> str:
    """RETURNS (str): "rtl" or "ltr", by the letters of the words."""
    return "rtl" if is_rtl(graph.words) else "ltr"


def figures_page(graphs: Sequence[Graph], drawn: Sequence[str], style: str) -> str:
    """Make a page of pictures or trees.

    graphs (Sequence[Graph]): The graphs.
    drawn (Sequence[str]): The SVG or the tree of each.
    style (str): "svg" or "tree".
    RETURNS (str): The page.
    """
    title = shorten(text_of(graphs[0]) if graphs else "UCCA", MAX_TITLE)
    figures = [(text, direction(g), lang_of(g)) for text, g in zip(drawn, graphs, strict=True)]
    return fill("figures.html", title=title, figures=figures, style=style)


def inline_figures(graphs: Sequence[Graph], drawn: Sequence[str], style: str) -> str:
    """RETURNS (str): Pictures as a part of a page, such as the output of a notebook's cell."""
    # The class keeps MathJax away from what looks like formulas to it.
    box = '<div class="tex2jax_ignore ucca-box" style="overflow-x: auto">{}</div>'
    return "\n".join([*map(box.format, drawn), f"<style>{fill('fit.css')}</style>"])


def _clean(value: object) -> object:
    """RETURNS (object): A text without halves of surrogate pairs, which UTF-8 cannot hold; other values as they are."""
    if type(value) is str:  # not Markup, which is a whole document already
        return value.encode("utf8", "replace").decode("utf8")
    return value
