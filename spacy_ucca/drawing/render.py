"""Draw graphs: `render` takes Docs and graphs as `displacy.render` does, `render_svg` and `render_tree` take one graph.

All options are checked here.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..graph.unit import Unit
from .layout import is_rtl
from .part import MAX_DEPTH, MAX_TOKENS, visible_part
from .picture import FONT, Picture
from .theme import COLORS, PAPER, length_of
from .tree import render_tree

if TYPE_CHECKING:
    from ..metric.compare import Mark

__all__ = ["COLORS", "render", "render_svg", "render_tree"]

WRAP = 1200.0
MIN_WRAP = 200.0
WIDTHS = (WRAP, 700.0, 320.0)  # of the pictures of one graph in a page
PAGE = 900.0  # of paper, in pixels


def render(
    docs: Any,
    style: str = "svg",
    page: bool = False,
    minify: bool = False,
    jupyter: bool | None = None,
    options: Mapping[str, Any] | None = None,
    manual: bool = False,
) -> str | None:
    """Draw one or several Docs, Spans or graphs: `displacy.render` for UCCA, with its arguments.

    docs (Union[Doc, Span, Graph, Unit, Iterable]): The Docs. Of a Span, the sentences that it touches are drawn.
    style (str): "svg" or "tree".
    page (bool): Make a whole HTML page.
    minify (bool): Leave out white space between elements.
    jupyter (Optional[bool]): Show the result in the notebook and return None. If it is None, notebooks are detected.
    options (Optional[Mapping]): Arguments of `render_svg` or `render_tree`.
    manual (bool): Take records of graphs (`Graph.to_record`) in place of Docs.
    RETURNS (Optional[str]): The SVG, the tree or the page; several stand under each other.
    RAISES (UccaError): If the style or an option is unknown, or a Doc has no graph.
    """
    functions: dict[str, Callable[..., str]] = {"svg": render_svg, "tree": render_tree}
    if style not in functions:
        raise UccaError(Errors.UC601.format(style=style, styles=", ".join(functions)))
    known = [*inspect.signature(functions[style]).parameters][1:]
    for option in options or {}:
        if option not in known:
            allowed = ", ".join(known)
            raise UccaError(Errors.UC606.format(style=style, option=option, options=allowed))
    items = list(items_of(docs))
    graphs = [_from_record(item, i) if manual else graph_of(item) for i, item in enumerate(items)]
    notebook = jupyter or (jupyter is None and _in_notebook())
    is_part = style == "svg" and (page or notebook)
    draw = render_fitting if is_part and fits(graphs) else functions[style]
    drawn = [
        draw(graph, **(_options_of(item, options or {}) if style == "svg" else options or {}))
        for item, graph in zip(items, graphs)
    ]
    if minify and style == "svg":
        drawn = [_minified(text) for text in drawn]
    if page or is_part:
        from .html import figures_page, inline_figures

        result: str = (figures_page if page else inline_figures)(graphs, drawn, style)
        result = _minified(result) if minify else result
    else:
        result = "\n".join(drawn)
    if not notebook:
        return result
    from IPython.display import HTML, display  # type: ignore[import-not-found]

    if page or style == "svg":
        display(HTML(result))
    else:
        display({"text/plain": result}, raw=True)
    return None


def items_of(docs: Any) -> Iterable[Any]:
    """RETURNS (Iterable): One thing to draw, or several, as several.
    RAISES (UccaError): If it is none."""
    if isinstance(docs, Graph | Unit | Mapping) or hasattr(docs, "_"):
        return [docs]
    if isinstance(docs, str) or not isinstance(docs, Iterable):
        raise UccaError(Errors.UC603.format(what=type(docs).__name__))
    return docs


def render_inline(item: Any) -> str:
    """Draw a graph or a unit as notebooks show it. A unit is drawn in its sentence, highlighted.

    item (Union[Graph, Unit]): The graph or unit.
    RETURNS (str): HTML.
    """
    from .html import inline_figures

    graph, options = graph_of(item), _options_of(item, {})
    return inline_figures([graph], [render_fitting(graph, **options)], "svg")


def _options_of(item: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The options; a unit that is drawn is highlighted."""
    if isinstance(item, Unit) and "highlight" not in options:
        return {**options, "highlight": [_sentence_of(item)[1]]}
    return dict(options)


def _sentence_of(unit: Unit) -> tuple[Graph, int]:
    """RETURNS (Tuple[Graph, int]): The sentence that a unit is in, and the number that it has there."""
    graph = cast(Graph, unit.graph)
    root = [*unit.ancestors(itself=True)][-1]
    if len(graph.roots) < 2 or root not in graph.roots:
        return graph, unit.index
    _, part = graph.sentences()[graph.roots.index(root)]
    return part, [other.index for other in root.iter()].index(unit.index)


def graph_of(item: Any) -> Graph:
    """RETURNS (Graph): The graph of one thing to draw: of a Span or unit, that of its sentences.
    RAISES (UccaError): If it has none."""
    if isinstance(item, Graph):
        return item
    if isinstance(item, Unit):
        return _sentence_of(item)[0]
    if not hasattr(item, "_"):
        raise UccaError(Errors.UC603.format(what=type(item).__name__))
    is_span = hasattr(item, "doc") and hasattr(item, "start")
    try:
        graph = (item.doc if is_span else item)._.ucca
    except AttributeError:
        raise UccaError(Errors.UC603.format(what=type(item).__name__)) from None
    if graph is None:
        raise UccaError(Errors.UC602.format(what=type(item).__name__))
    if isinstance(graph, Unit):
        return cast(Graph, graph.graph)
    if not is_span or len(graph.roots) < 2:
        return graph
    touched = [
        part
        for start, part in graph.sentences()
        if start < item.end and item.start < start + len(part.words)
    ]
    return Graph.join(touched)


def _from_record(item: Any, number: int) -> Graph:
    try:
        return Graph.from_record(item)
    except GraphError as err:
        raise UccaError(Errors.UC607.format(number=number, reason=err)) from None


def _minified(text: str) -> str:
    """RETURNS (str): The text without white space between elements."""
    return re.sub(r">\s+<", "><", text.strip())


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def render_svg(
    graph: Graph,
    *,
    direction: str | None = None,
    legend: bool = True,
    colors: Mapping[str, str] | None = None,
    font: str = FONT,
    theme: str = "auto",
    background: str | None = PAPER,
    wrap: float | None = WRAP,
    max_tokens: int | None = MAX_TOKENS,
    max_depth: int | None = MAX_DEPTH,
    collapse: bool = False,
    marks: "Mapping[int, Mark] | None" = None,
    highlight: Iterable[Unit | int] = (),
) -> str:
    """Draw a graph: tokens in a line, units above them, sentences under each other. Each edge has a label in the colour of its
    category; remote edges are dashed; implicit units are "∅". A long sentence continues in further rows, with the lines
    that are cut there.

    graph (Graph): The graph.
    direction (Optional[str]): "ltr" or "rtl"; by the letters of the tokens if it is None.
    legend (bool): Explain the categories that occur, below.
    colors (Optional[Mapping[str, str]]): Categories and their colours ("#rrggbb"), in place of the default ones.
    font (str): CSS font family.
    theme (str): "light", "dark", or "auto": dark in a dark page, editor or browser.
    background (Optional[str]): Colour of the background; None leaves it transparent. "auto" is light on a colour of yours.
    wrap (Optional[float]): The maximum width in pixels; longer sentences continue in another row. None draws each sentence
        in one line.
    max_tokens (Optional[int]): The maximum number of tokens; of longer graphs, the first sentences are drawn, or the
        beginning of the first one, and the picture says so. None draws all.
    max_depth (Optional[int]): The maximum number of levels; tokens below hang on the last one, and the picture says so. None
        draws all.
    collapse (bool): Fold units that hold no Scene and no end of a remote edge: they are drawn as their words.
    marks (Optional[Mapping[int, Mark]]): The marks of a `Comparison`, by the number of the edge. Errors are framed and have
        a sign.
    highlight (Iterable[Union[Unit, int]]): Units, or their numbers, whose words are bold and whose nodes have a ring.
    RETURNS (str): An SVG document.
    RAISES (UccaError): If the direction is unknown, the width or a limit is too small, or a unit is not of the graph.
    """
    highlight = [highlight] if isinstance(highlight, Unit | int) else highlight or ()
    marked = frozenset(_number_of(unit, graph) for unit in highlight)
    colors = colors or {}
    if not isinstance(colors, Mapping) or {str} != {str, *map(type, (*colors, *colors.values()))}:
        raise UccaError(Errors.UC744.format(colors=colors))
    if direction not in (None, "ltr", "rtl"):
        raise UccaError(Errors.UC604.format(direction=direction))
    if wrap is not None and not (isinstance(wrap, int | float) and wrap >= MIN_WRAP):
        raise UccaError(Errors.UC605.format(wrap=wrap, least=MIN_WRAP))
    rtl = is_rtl(graph.words) if direction is None else direction == "rtl"
    part = visible_part(graph, max_tokens, max_depth, collapse)
    picture = Picture(part, rtl, {**COLORS, **colors}, font, marks or {}, marked)
    if theme == "auto" and background not in (PAPER, None):
        theme = "light"
    return picture.draw(legend, background, wrap, theme)


def fits(graphs: Iterable[Graph]) -> bool:
    """RETURNS (bool): Whether a page of graphs does not get too large with pictures in several widths."""
    return sum(len(graph.words) for graph in graphs) <= MAX_TOKENS


def render_fitting(graph: Graph, **options: Any) -> str:
    """Draw a graph for a page, in as many widths as it needs, of which the style `fit.css` shows one, or without a style, the
    widest. The widest is printed, unless one in larger letters is no longer than a page.

    graph (Graph): The graph.
    options: Those of `render_svg`. With `wrap`, there is one picture, of that width.
    RETURNS (str): HTML.
    """
    if "wrap" in options:
        return render_svg(graph, **options)
    svg, names = "", dict[str, str]()
    for width in WIDTHS:
        svg = render_svg(graph, wrap=width, **options)
        names[svg] = f"{names.get(svg, 'ucca-fit')} ucca-{width:.0f}"
    widest, *others = names
    short = (svg for svg in others if "700" in names[svg] and length_of(svg, "height") <= PAGE)
    names[next(short, widest)] += " ucca-print"
    box = '<div class="{}"{}>{}</div>'
    hidden = ' style="display: none"'
    return "\n".join(box.format(name, hidden * (svg != widest), svg) for svg, name in names.items())


def _number_of(unit: Unit | int, graph: Graph) -> int:
    number = unit.index if isinstance(unit, Unit) else unit
    if (isinstance(unit, Unit) and unit.graph is not graph) or number not in range(len(graph)):
        raise UccaError(Errors.UC609.format(unit=unit, n=len(graph)))
    return number
