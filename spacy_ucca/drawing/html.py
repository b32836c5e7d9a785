"""Fills the HTML files of this folder. Everything that comes from a text is escaped here, once.

Pages need nothing from outside: styles and scripts are in them. What a comparison shows is `comparison.py`'s;
answering a browser is the command line's.
"""

import html
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from string import Template

from ..graph import Graph
from .layout import is_rtl
from .tree import shown

MAX_TITLE = 60  # characters of a text in the title of a page


class Markup(str):
    """A text that is HTML already."""


@lru_cache
def load(name: str, package: str = __package__) -> str:
    """RETURNS (str): The text of a file of a package."""
    return files(package).joinpath(name).read_text("utf8")


def fill(template: str, **values: object) -> Markup:
    """Put values in the place of `$names`, escaping all but `Markup`.

    template (str): The HTML.
    values: A value for each name.
    RETURNS (Markup): The HTML with the values.
    RAISES (KeyError): If a name has no value.
    """
    escaped = {
        key: value if isinstance(value, Markup) else html.escape(_clean(str(value)))
        for key, value in values.items()
    }
    return Markup(Template(template).substitute(escaped))


def join(parts: Sequence[str]) -> Markup:
    """RETURNS (Markup): The parts, which are HTML, under each other."""
    return Markup("\n".join(parts))


def text_of(graph: Graph) -> str:
    """RETURNS (str): The words of a graph, visible, in one line."""
    return " ".join(map(shown, graph.words))


def direction(graph: Graph) -> str:
    """RETURNS (str): "rtl" or "ltr", by the letters of the words."""
    return "rtl" if is_rtl(graph.words) else "ltr"


def whole_page(title: str, body: str, *, lang: str = "en") -> Markup:
    """RETURNS (Markup): A whole page with that body."""
    style = Markup(load("style.css"))
    return fill(load("page.html"), title=title, style=style, body=Markup(body), lang=lang)


def figures_page(graphs: Sequence[Graph], drawn: Sequence[str], style: str) -> Markup:
    """A page of pictures or trees.

    graphs (Sequence[Graph]): The graphs.
    drawn (Sequence[str]): The SVG or the tree of each.
    style (str): "svg" or "tree".
    RETURNS (Markup): The page.
    """
    title = text_of(graphs[0]) if graphs else "UCCA"
    if len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1] + "…"
    return whole_page(title, join([_figure(*pair, style) for pair in zip(graphs, drawn)]))


def inline_figures(graphs: Sequence[Graph], drawn: Sequence[str], style: str) -> Markup:
    """RETURNS (Markup): Pictures as a part of a page, such as the output of a notebook's cell."""
    # The class keeps MathJax away from what looks like formulas to it.
    box = '<div class="tex2jax_ignore" style="overflow-x: auto">$svg</div>'
    return join([fill(box, svg=Markup(svg)) for svg in drawn])


def _figure(graph: Graph, drawn: str, style: str) -> Markup:
    content = Markup(drawn) if style == "svg" else fill("<pre>$tree</pre>", tree=drawn)
    return fill(
        '<figure><div class="scroll" dir="$dir" tabindex="0">$content</div></figure>',
        content=content,
        dir=direction(graph) if style == "svg" else "ltr",
    )


def _clean(text: str) -> str:
    """RETURNS (str): The text without halves of characters, which UTF-8 cannot hold."""
    return text.encode("utf8", "replace").decode("utf8")
