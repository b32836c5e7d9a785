"""Pictures of graphs: `render`, `render_svg`, and `render_tree` (from `drawing/tree.py`).

Shapes, colours and the SVG text are made here, with nothing but the standard library. Where things
stand is `drawing/layout.py`'s; writing files is the command line's.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from xml.etree import ElementTree

from .categories import CATEGORY_NAMES
from .drawing.layout import (
    BAR,
    FONT_SIZE,
    LABEL,
    LABEL_HEIGHT,
    MARGIN,
    Layout,
    Point,
    is_rtl,
    label_width,
    make_layout,
    text_width,
)
from .drawing.routes import Route, route_edges
from .drawing.tree import category_name, render_tree, shown, unit_words
from .errors import Errors, UccaError
from .graph import Graph
from .units import LINKAGE, Edge, Unit

__all__ = ["COLORS", "render", "render_svg", "render_tree"]

FONT = "'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"
INK = "#1e293b"
LINE = "#94a3b8"
FAINT = "#b8c4d3"
# Relations blue, participants green, adverbials violet; inside units warm; between Scenes red.
COLORS: dict[str, str] = {
    "P": "#2563eb",
    "S": "#0e7490",
    "A": "#15803d",
    "D": "#7c3aed",
    "T": "#a21caf",
    "C": "#c2410c",
    "E": "#b45309",
    "N": "#92400e",
    "Q": "#a16207",
    "R": "#78716c",
    "H": "#be123c",
    "L": "#db2777",
    "G": "#9d174d",
    "F": "#64748b",
    "U": "#94a3b8",
    "LR": "#475569",
    "LA": "#475569",
}
NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
CORNER = 6.0
RADIUS = 4.5


def render(
    docs: Any,
    style: str = "svg",
    *,
    jupyter: bool | None = None,
    options: Mapping[str, Any] | None = None,
) -> str | None:
    """Draw one or several Docs, Spans or graphs, as displaCy does for its styles.

    docs (Union[Doc, Span, Graph, Iterable]): What to draw. Docs and Spans are asked for `_.ucca`.
    style (str): "svg" or "tree".
    jupyter (Optional[bool]): Show it in the notebook and return None. Found out if it is None.
    options (Optional[Mapping]): Arguments of `render_svg` or `render_tree`.
    RETURNS (Optional[str]): The SVG or the tree; several stand under each other.
    RAISES (UccaError): If the style is unknown, or something has no graph.
    """
    functions: dict[str, Callable[..., str]] = {"svg": render_svg, "tree": render_tree}
    if style not in functions:
        raise UccaError(Errors.UC601.format(style=style, styles=", ".join(functions)))
    single = isinstance(docs, Graph) or hasattr(docs, "_")
    items: Iterable[Any] = [docs] if single else docs
    drawn = [functions[style](_graph_of(item), **(options or {})) for item in items]
    result = "\n".join(drawn)
    if jupyter or (jupyter is None and _in_notebook()):
        from IPython.display import HTML, display  # type: ignore[import-not-found]

        if style == "svg":
            display(HTML(f'<div style="overflow-x: auto">{result}</div>'))
        else:
            display({"text/plain": result}, raw=True)
        return None
    return result


def _graph_of(item: Any) -> Graph:
    if isinstance(item, Graph):
        return item
    if isinstance(item, Unit):
        return item.graph
    try:
        graph = item._.ucca
    except AttributeError:
        raise UccaError(Errors.UC603.format(what=type(item).__name__)) from None
    if graph is None:
        raise UccaError(Errors.UC602.format(what=type(item).__name__))
    return graph.graph if isinstance(graph, Unit) else graph


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
    background: str | None = "#ffffff",
) -> str:
    """Draw a graph: tokens in a line, units above them, sentences under each other. Every label names
    its edge and has its category's colour; remote edges are dashed; implicit units are "∅".

    graph (Graph): The graph.
    direction (Optional[str]): "ltr" or "rtl"; by the letters of the tokens if it is None.
    legend (bool): Explain the categories that occur, below.
    colors (Optional[Mapping[str, str]]): Category to colour ("#rrggbb"), instead of the usual ones.
    font (str): CSS font family.
    background (Optional[str]): Colour behind everything; None leaves it transparent.
    RETURNS (str): An SVG document of its own size.
    RAISES (UccaError): If the direction is unknown.
    """
    if direction not in (None, "ltr", "rtl"):
        raise UccaError(Errors.UC604.format(direction=direction))
    rtl = is_rtl(graph.words) if direction is None else direction == "rtl"
    return _Picture(graph, rtl, {**COLORS, **(colors or {})}, font).draw(legend, background)


class _Picture:
    """The SVG elements of one graph, in the order they are painted."""

    def __init__(self, graph: Graph, rtl: bool, colors: Mapping[str, str], font: str) -> None:
        self.graph = graph
        self.rtl = rtl
        self.colors = colors
        self.layout: Layout = make_layout(graph, rtl=rtl)
        self.obstacles = self.layout.obstacles(graph)
        self.svg = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "role": "img",
                "font-family": font,
                "font-size": _n(FONT_SIZE),
                "class": "ucca",
            },
        )

    def draw(self, legend: bool, background: str | None) -> str:
        """RETURNS (str): The document."""
        layout, graph = self.layout, self.graph
        title = " ".join(unit_words(root) for root in graph.roots)
        self._add("title", text=title or "UCCA")
        behind = self._add("rect", fill=background) if background else None
        self.lines = self._add("g", fill="none", stroke_width=1.6)
        self.drops = self._add("g", fill="none", stroke_width=1.6)
        self.routes = self._add("g", fill="none", stroke_width=1.6)
        self.labels = self._add("g", font_size=12)
        for unit in graph.units:
            self._lines(unit)
        shared = [e for e in graph.edges if e.remote or e.parent.kind == LINKAGE]
        for edge, route in route_edges(shared, layout, self.obstacles):
            self._route(edge, route)
        for unit in graph.units:
            self._node(unit)
        self._tokens()
        height = self._legend(layout.height) if legend and graph.units else layout.height
        size = {"width": _n(layout.width), "height": _n(height)}
        self.svg.attrib.update(size, viewBox=f"0 0 {size['width']} {size['height']}")
        if behind is not None:
            behind.attrib.update(size)
        ElementTree.indent(self.svg)
        return ElementTree.tostring(self.svg, encoding="unicode") + "\n"

    def _add(self, tag: str, parent: Any = None, text: str = "", **attributes: Any) -> Any:
        named = {
            key.rstrip("_").replace("_", "-"): value if isinstance(value, str) else _n(value)
            for key, value in attributes.items()
            if value is not None
        }
        element = ElementTree.SubElement(self.svg if parent is None else parent, tag, named)
        element.text = _clean(text) or None
        return element

    def _color(self, label: str) -> str:
        return self.colors.get(label.split("|")[0], "#475569")

    def _lines(self, unit: Unit) -> None:
        """Primary edges: down to the bar, along it, round the corner, down to the child."""
        if unit.kind == LINKAGE:
            return
        x, y = self.layout.places[unit.index]
        for token in unit.terminals:
            to_x, to_y = self.layout.tokens[token]
            self._line((x, y), (to_x, to_y - FONT_SIZE * 0.8), "#94a3b8", "terminal")
        for edge in unit.edges:
            if not edge.remote:
                place = self.layout.places[edge.child.index]
                self._line((x, y), place, self._color(edge.label), "primary")

    def _line(self, start: Point, end: Point, color: str, kind: str) -> None:
        (x, y), (to_x, to_y), bar = start, end, start[1] + BAR
        corner = min(CORNER, abs(to_x - x))
        if corner < 1:
            self._add("path", self.lines, d=f"M{_n(x)} {_n(y)}V{_n(bar)}", stroke=FAINT)
        else:
            path = (
                f"M{_n(x)} {_n(y)}V{_n(bar)}H{_n(to_x - corner if to_x > x else to_x + corner)}"
                f"Q{_n(to_x)} {_n(bar)} {_n(to_x)} {_n(bar + CORNER)}"
            )
            self._add("path", self.lines, d=path, stroke=FAINT)
        drop = f"M{_n(to_x)} {_n(bar + CORNER if corner >= 1 else bar)}V{_n(to_y)}"
        self._add("path", self.drops, d=drop, stroke=_mixed(color, 0.45), class_=kind)

    def _route(self, edge: Edge, route: Route) -> None:
        color = self._color(edge.label)
        remote = edge.remote
        self._add(
            "path",
            self.routes,
            d=route.path,
            stroke=_mixed(color, 0.25) if remote else LINE,
            stroke_dasharray="5 4" if remote else "1.5 3.5",
            stroke_linecap=None if remote else "round",
            class_="remote" if remote else "linkage",
        )
        self._add("path", self.routes, d=route.arrow, fill=color if remote else LINE)
        self._label(edge, route.label)

    def _label(self, edge: Edge, place: Point) -> None:
        group = self._add("g", self.labels, class_="label", data_label=edge.label)
        what = " (remote)" if edge.remote else " (implicit)" if edge.child.is_implicit else ""
        name = f"{category_name(edge.label)}{what}: {unit_words(edge.child) or '∅'}"
        self._add("title", group, name)
        self._pill(group, edge.label, place, edge.remote)

    def _node(self, unit: Unit) -> None:
        x, y = self.layout.places[unit.index]
        parent = unit.parent
        if parent is not None:
            edge = next(e for e in unit.incoming if not e.remote and e.parent == parent)
            self._label(edge, (x, self.layout.places[parent.index][1] + LABEL))
        color = self._color(unit.label) if parent is not None else INK
        group = self._add("g", self.labels, class_="unit", data_unit=unit.index)
        name = category_name(unit.label) if unit.label else unit.kind.replace("FN", "root")
        self._add("title", group, f"{name}: {unit_words(unit) or '∅'}")
        if unit.is_implicit:
            self._empty(group, (x, y), color)
        elif unit.kind == LINKAGE:
            path = f"M{_n(x)} {_n(y - 6)}l6 6l-6 6l-6 -6z"
            self._add("path", group, d=path, fill="#ffffff", stroke=LINE, stroke_width=1.6)
        elif parent is None:
            self._add("circle", group, cx=x, cy=y, r=RADIUS + 1, fill=INK)
        else:
            self._add("circle", group, cx=x, cy=y, r=RADIUS, fill=color)

    def _tokens(self) -> None:
        direction = "rtl" if self.rtl else None
        group = self._add("g", text_anchor="middle", fill=INK, direction=direction)
        for token, (x, y) in sorted(self.layout.tokens.items()):
            word, text = self.graph.words[token], self.layout.columns[token].text
            faint = "#94a3b8" if self.graph.punct[token] or text != word else None
            element = self._add("text", group, text, x=x, y=y + FONT_SIZE * 0.35, fill=faint)
            element.attrib["class"] = "token"
            if text != word:
                self._add("title", element, shown(word))

    def _legend(self, top: float) -> float:
        """Write what the signs mean below the picture. RETURNS (float): Where the legend ends."""
        used = {c for edge in self.graph.edges for c in edge.categories}
        names = {c: name for c, name in CATEGORY_NAMES.items() if c in used}
        names.update((c, c) for c in sorted(used - names.keys()))
        entries = [(label_width(c) + 6, c, name) for c, name in names.items()]
        if any(edge.remote for edge in self.graph.edges):
            entries.append((36.0, "remote", "remote edge"))
        if any(unit.is_implicit for unit in self.graph.units):
            entries.append((26.0, "implicit", "implicit unit"))
        group = self._add("g", font_size=12, fill="#475569", class_="legend")
        limit = max(self.layout.width, 420) - MARGIN
        x, y, widest = float(MARGIN), top, 0.0
        for sign, what, name in entries:
            width = sign + text_width(name, 12)
            if x > MARGIN and x + width > limit:
                x, y = float(MARGIN), y + 24
            if what == "remote":
                path = f"M{_n(x)} {_n(y)}h30"
                self._add("path", group, d=path, stroke="#475569", stroke_dasharray="5 4")
            elif what == "implicit":
                self._empty(group, (x + 10, y), "#475569")
            else:
                self._pill(group, what, (x + label_width(what) / 2, y))
            self._add("text", group, name, x=x + sign, y=y + 4.2)
            x += width + 16
            widest = max(widest, x)
        self.layout.width = max(self.layout.width, widest)
        return y + MARGIN + 4

    def _pill(self, parent: Any, label: str, center: Point, remote: bool = False) -> None:
        (x, y), color, width = center, self._color(label), label_width(label)
        self._add(
            "rect",
            parent,
            x=x - width / 2,
            y=y - LABEL_HEIGHT / 2,
            width=width,
            height=LABEL_HEIGHT,
            rx=LABEL_HEIGHT / 2,
            fill=_mixed(color, 0.9),
            stroke=_mixed(color, 0.35),
            stroke_dasharray="3 2" if remote else None,
        )
        style = {"text_anchor": "middle", "font_weight": 600, "fill": _mixed(color, -0.15)}
        self._add("text", parent, label, x=x, y=y + 4.2, **style)

    def _empty(self, parent: Any, center: Point, color: str) -> None:
        x, y = center
        style = {"fill": "#ffffff", "stroke": color, "stroke_dasharray": "2.5 2"}
        self._add("circle", parent, cx=x, cy=y, r=9, **style)
        self._add("text", parent, "∅", x=x, y=y + 4.4, fill=color, text_anchor="middle")


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _mixed(color: str, white: float) -> str:
    """RETURNS (str): The colour with that share of white in it, or of black if it is negative."""
    if len(color) != 7 or color[0] != "#":
        return color
    channels = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    target = 255 if white > 0 else 0
    return "#" + "".join(f"{round(c + (target - c) * abs(white)):02x}" for c in channels)


def _clean(text: str) -> str:
    """RETURNS (str): The text without what XML 1.0 cannot hold."""
    return NOT_XML.sub("�", text)
