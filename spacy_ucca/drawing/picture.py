"""The SVG picture of one graph: shapes, colours and text, with the standard library alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, LINKAGE
from ..graph.data import LANG
from ..graph.unit import Edge, Unit
from . import layout as sizes
from .layout import Layout, Point, label_width, make_layout, text_width
from .part import Part
from .routes import Route, route_edges
from .rows import Piece, Row, put_rows, repeats
from .theme import DARK, FAINT, INK, LINE, MARKER, ONLY, OTHER, PAPER, SOFT, apply_theme, mixed
from .tree import PALETTE, category_name, shown, unit_words

if TYPE_CHECKING:
    from ..metric.compare import Mark

FONT = "'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"
NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
# The form of language tags of BCP 47, but for "xx", spaCy's code for any language
LANG_TAG = re.compile(r"(?ai)(?!xx\b)[a-z]{2,8}(-[a-z0-9]{1,8})*")
MAX_WORDS = 200  # characters of a unit in a tooltip
CORNER = 6.0
LEGEND = 320.0  # its width under a narrow picture
RADIUS = 4.5
LOOSE = object()  # as a parent: put into its row later
# What labels lack at two of their corners, and at the two others: width and height. Others are rectangles: of the form "pill", round;
# of the form "bare", without a frame.
FORMS = {"slanted": (6, 18, 0, 0), "cut": (5, 5, 5, 5), "pointed": (7, 9, 7, 9)}


@dataclass(frozen=True)
class Sign:
    """The style of one kind of error. Kinds differ in form, too, for readers who do not see the colours.

    text (str): The meaning, for the legend.
    color (str): The colour.
    corner (float): The radius of the corners of the frame around the label.
    path (str): The sign beside the label, from its centre.
    """

    text: str
    color: str
    corner: float
    path: str

    def line(self, remote: bool = False) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The attributes of the line of an edge. Remote edges are always dashed."""
        dashes = "9 4" if remote else None
        return {"stroke": self.color, "stroke_width": 3, "stroke_dasharray": dashes}


# By the status of a `comparison.Mark`: a cross, and an inequality sign.
SIGNS = {
    "only": Sign("only in this graph", ONLY, 0, "m-2.6 -2.6l5.2 5.2m0 -5.2l-5.2 5.2"),
    "label": Sign(
        "another category in the other graph", OTHER, 4, "m-3 -1.3h6m-6 2.6h6m-1.2 -4l-3.6 5.4"
    ),
}


class Picture:
    """The SVG elements of a graph, or of a part of it, in the order they are painted."""

    def __init__(
        self,
        part: Part,
        rtl: bool,
        colors: Mapping[str, str],
        font: str,
        marks: "Mapping[int, Mark]",
        highlight: frozenset[int] = frozenset(),
    ) -> None:
        self.part = part
        self.graph = graph = part.graph
        self.rtl, self.colors, self.dark = rtl, colors, dict(DARK)
        self.marks, self.highlight = marks, highlight
        lit = [unit for unit in graph.units if part.units[unit.index] in highlight]
        self.bold = {token for unit in lit for token in unit.tokens()}
        self.pieces: list[Piece] = []
        self.layout: Layout = make_layout(graph, rtl=rtl)
        self.obstacles = self.layout.obstacles(graph)
        lang = lang_of(graph)
        xmlns, size = "http://www.w3.org/2000/svg", _n(sizes.FONT_SIZE)
        # "ltr" in a page of Hebrew, too
        names: dict[str, Any] = {
            "font_size": size,
            "direction": "ltr",
            "class_": "ucca",
            "lang": lang or None,
        }
        self.svg = self._add("svg", LOOSE, xmlns=xmlns, role="img", font_family=font, **names)

    def draw(self, legend: bool, background: str | None, wrap: float | None, theme: str) -> str:
        """RETURNS (str): The SVG document."""
        layout, graph = self.layout, self.graph
        self._add("title", text=" ".join(unit_words(root) for root in graph.roots) or "UCCA")
        behind = self._add("rect", fill=background) if background else None
        for unit in graph.units:
            self._lines(unit)
        shared = [e for e in graph.edges if e.remote or e.parent.kind == LINKAGE]
        together = True  # whether no line leads from one sentence to another
        for edge, route in route_edges(shared, layout, self.obstacles):
            ends = (layout.places[unit.index][1] for unit in (edge.parent, edge.child))
            first, second = map(layout.band_of, ends)
            together &= first is not None and first == second
            self._route(edge, route)
        for unit in graph.units:
            self._node(unit)
        self._tokens()
        lines = {"fill": "none", "stroke-width": "1.6"}
        tokens = {"text-anchor": "middle", "fill": INK}
        if self.rtl:
            tokens["direction"] = "rtl"
        layers = (lines, lines, lines, {"font-size": "12"}, tokens)
        limit = wrap if together else None
        put_rows(self.svg, layout, self.pieces, layers, limit, self.rtl, self._repeat)
        height = self._note(layout.height) if self.part.note else layout.height
        height = self._legend(height) if legend and graph.units else height
        size = {"width": _n(layout.width), "height": _n(height)}
        self.svg.attrib.update(size, viewBox=f"0 0 {size['width']} {size['height']}")
        if behind is not None:
            behind.attrib.update(size)
        ElementTree.indent(self.svg)
        svg = ElementTree.tostring(self.svg, encoding="unicode") + "\n"
        return apply_theme(svg, theme, self.dark)

    def _put(self, element: Any, layer: int, ends: Point, y: float, **more: Any) -> None:
        """Add an element, with the room that it takes."""
        self.pieces.append(Piece(element, min(ends), max(ends), y, layer, **more))

    def _add(self, tag: str, parent: Any = None, text: str = "", **attributes: Any) -> Any:
        given = {
            key: valid_xml(_n(value)) for key, value in attributes.items() if value is not None
        }
        named = {key.rstrip("_").replace("_", "-"): value for key, value in given.items()}
        element = ElementTree.Element(tag, named)
        if parent is not LOOSE:
            (self.svg if parent is None else parent).append(element)
        element.text = valid_xml(text) or None
        return element

    def _color(self, label: str) -> str:
        return self.colors.get(label.split("|")[0], SOFT)

    def _lines(self, unit: Unit) -> None:
        """Draw primary edges: down to the bar, along it, round the corner, down to the child."""
        if unit.kind == LINKAGE:
            return
        x, y = self.layout.places[unit.index]
        for token in unit.terminals:
            to_x, to_y = self.layout.tokens[token]
            self._line((x, y), (to_x, to_y - sizes.FONT_SIZE * 0.8), LINE, "terminal")
        for edge in unit.edges:
            if not edge.remote:
                place = self.layout.places[edge.child.index]
                sign = self._sign(edge)
                color = self._color(edge.label) if sign is None else sign.color
                self._line((x, y), place, color, "primary", sign)

    def _line(
        self, start: Point, end: Point, color: str, kind: str, sign: Sign | None = None
    ) -> None:
        (x, y), (to_x, to_y), bar = start, end, start[1] + sizes.BAR
        corner = min(CORNER, abs(to_x - x))
        if corner < 1:
            path = f"M{_n(x)} {_n(y)}V{_n(bar)}"
        else:
            path = (
                f"M{_n(x)} {_n(y)}V{_n(bar)}H{_n(to_x - corner if to_x > x else to_x + corner)}"
                f"Q{_n(to_x)} {_n(bar)} {_n(to_x)} {_n(bar + CORNER)}"
            )
        ends = (min(x, to_x) - 1, max(x, to_x) + 1)
        self._put(self._add("path", LOOSE, d=path, stroke=FAINT), 0, ends, y, stops=(x, to_x))
        drop = f"M{_n(to_x)} {_n(bar + CORNER if corner >= 1 else bar)}V{_n(to_y)}"
        style = {"stroke": mixed(color, 0.45, self.dark)} if sign is None else sign.line()
        style |= {"stroke_dasharray": "2 4"} if kind == "skipped" else {}
        path = self._add("path", LOOSE, d=drop, class_=kind, **style)
        self._put(path, 1, (to_x - 1, to_x + 1), y)

    def _route(self, edge: Edge, route: Route) -> None:
        color, remote, sign = self._color(edge.label), edge.remote, self._sign(edge)
        style: dict[str, Any] = {
            "stroke": mixed(color, 0.25, self.dark) if remote else LINE,
            "stroke_dasharray": "5 4" if remote else "1.5 3.5",
            "stroke_linecap": None if remote else "round",
        }
        if sign is not None:
            color, style = sign.color, sign.line(remote)
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", route.path)]
        ends, y = (min(numbers[::2]), max(numbers[::2])), numbers[1]
        kind = "remote" if remote else "linkage"
        x = self.layout.places[edge.child.index][0]
        stops = (numbers[0], route.label[0], x)
        line = self._add("path", LOOSE, d=route.path, class_=kind, **style)
        self._put(line, 2, ends, y, stops=stops)
        arrow = self._add("path", LOOSE, d=route.arrow, fill=color if remote else LINE)
        self._put(arrow, 2, (x - 14, x + 14), y)
        self._label(edge, route.label)

    def _mark(self, edge: Edge) -> "Mark | None":
        return self.marks.get(self.part.edges[edge.index])

    def _sign(self, edge: Edge) -> Sign | None:
        mark = self._mark(edge)
        return None if mark is None else SIGNS.get(mark.status)

    def _label(self, edge: Edge, place: Point) -> None:
        sign, mark = self._sign(edge), self._mark(edge)
        status, number = None if mark is None else mark.status, self.part.edges[edge.index]
        group = self._add(
            "g", LOOSE, class_="label", data_label=edge.label, data_edge=number, data_status=status
        )
        what = " (remote)" if edge.remote else " (implicit)" if edge.child.is_implicit else ""
        name = f"{category_name(edge.label)}{what}: {unit_words(edge.child, MAX_WORDS) or '∅'}"
        if sign is not None and mark is not None:
            other = "|".join(map(category_name, mark.other))
            name += f" – {sign.text}" + (f": {other}" if other else "")
        if edge.score is not None:
            name += f" – {edge.score:.0%}"
        self._add("title", group, name)
        self._pill(group, edge.label, place, edge.remote, sign)
        half = label_width(edge.label) / 2
        y = self.layout.places[edge.parent.index][1]
        self._put(group, 3, (place[0] - half, place[0] + half), y, whole=True)

    def _node(self, unit: Unit) -> None:
        x, y = self.layout.places[unit.index]
        parent = unit.parent
        if parent is not None:
            edge = next(e for e in unit.incoming if not e.remote and e.parent == parent)
            self._label(edge, (x, self.layout.places[parent.index][1] + sizes.LABEL))
        color = self._color(unit.label) if parent is not None else INK
        group = self._add("g", LOOSE, class_="unit", data_unit=self.part.units[unit.index])
        self._put(group, 3, (x - 7, x + 7), y, whole=True)
        name = category_name(unit.label) if unit.label else unit.kind.replace("FN", "root")
        self._add("title", group, f"{name}: {unit_words(unit, MAX_WORDS) or '∅'}")
        if self.part.units[unit.index] in self.highlight:
            self._circle(
                group, (x, y), RADIUS + 5, MARKER, stroke=INK, stroke_width=1.6, class_="highlight"
            )
        if unit.is_implicit:
            self._empty(group, (x, y), color)
        elif unit.kind == LINKAGE:
            path = f"M{_n(x)} {_n(y - 6)}l6 6l-6 6l-6 -6z"
            self._add("path", group, d=path, fill=PAPER, stroke=LINE, stroke_width=1.6)
        elif parent is None:
            self._circle(group, (x, y), RADIUS + 1, INK)
        else:
            self._circle(group, (x, y), RADIUS, color)

    def _repeat(self, number: int, rows: Sequence[Row]) -> list[Piece]:
        """Draw the units of a sentence again, as rings, in the rows where something hangs on them, but not their node.

        RETURNS (List[Piece]): The elements.
        """
        start = len(self.pieces)
        for root in self.graph.roots[number : number + 1]:
            for unit, (x, y), is_new, below in repeats(root, self.layout, rows):
                for other, place in below:
                    kind = "again" if other.parent == unit else "skipped"
                    self._line((x, y), place, self._color(other.label), kind)
                    group = self._add("g", LOOSE, class_="again")
                    self._pill(group, other.label, (place[0], y + sizes.LABEL))
                    self._put(group, 3, (place[0], place[0]), y, whole=True)
                if is_new:
                    self._line((x, y), (x, y + sizes.BAR + CORNER), LINE, "again")
                    group = self._add("g", LOOSE, class_="again")
                    self._add("title", group, f"{unit_words(unit, MAX_WORDS)} (continued)")
                    color = self._color(unit.label) if unit.label else INK
                    self._circle(group, (x, y), RADIUS, PAPER, stroke=color, stroke_width=1.8)
                    self._put(group, 3, (x, x), y, whole=True)
        return self.pieces[start:]

    def _tokens(self) -> None:
        for token, (x, y) in sorted(self.layout.tokens.items()):
            word, column = self.graph.words[token], self.layout.columns[token]
            text = column.text
            faint = SOFT if self.graph.punct[token] or text != word else None
            weight = 700 if token in self.bold else None
            place = {"x": x, "y": y + sizes.FONT_SIZE * 0.35}
            element = self._add("text", LOOSE, text, **place, fill=faint, font_weight=weight)
            element.attrib["class"] = "token"
            if text != word:
                self._add("title", element, shown(word))
            half = (column.width - sizes.GAP) / 2
            self._put(element, 4, (x - half, x + half), y, whole=True)

    def _note(self, top: float) -> float:
        """Say below the picture what is left out.

        RETURNS (float): The bottom of the note.
        """
        note = self.part.note
        self._add("text", None, note, x=sizes.MARGIN, y=top + 4.2, font_size=12, class_="note")
        self.layout.width = max(self.layout.width, 2 * sizes.MARGIN + text_width(note, 12))
        return top + sizes.MARGIN + 4

    def _legend(self, top: float) -> float:
        """Write the meaning of the signs below the picture.

        RETURNS (float): The bottom of the legend.
        """
        used = {c for edge in self.graph.edges for c in edge.categories}
        names = {c: name for c, name in CATEGORY_NAMES.items() if c in used}
        names.update((c, c) for c in sorted(used - names.keys()))
        entries = [(label_width(c) + 6, c, name) for c, name in names.items()]
        if any(edge.remote for edge in self.graph.edges):
            entries.append((36.0, "remote", "remote edge"))
        if any(unit.is_implicit for unit in self.graph.units):
            entries.append((26.0, "implicit", "implicit unit"))
        for status in dict.fromkeys(m.status for m in self.marks.values() if m.status in SIGNS):
            entries.append((label_width("A") + 12, status, SIGNS[status].text))
        group = self._add("g", font_size=12, fill=SOFT, class_="legend")
        limit = max(self.layout.width, LEGEND) - sizes.MARGIN
        x, y, widest = float(sizes.MARGIN), top, 0.0
        for sign, what, name in entries:
            width = sign + text_width(name, 12)
            if x > sizes.MARGIN and x + width > limit:
                x, y = float(sizes.MARGIN), y + 24
            if what == "remote":
                path = f"M{_n(x)} {_n(y)}h30"
                self._add("path", group, d=path, stroke=SOFT, stroke_dasharray="5 4")
            elif what == "implicit":
                self._empty(group, (x + 10, y), SOFT)
            elif what in SIGNS:
                self._pill(group, "", (x + label_width("A") / 2, y), sign=SIGNS[what])
            else:
                self._pill(group, what, (x + label_width(what) / 2, y))
            self._add("text", group, name, x=x + sign, y=y + 4.2)
            x += width + 16
            widest = max(widest, x)
        self.layout.width = max(self.layout.width, widest)
        return y + sizes.MARGIN + 4

    def _pill(
        self, parent: Any, label: str, center: Point, remote: bool = False, sign: Sign | None = None
    ) -> None:
        (x, y), color, width = center, self._color(label), label_width(label or "A")
        left, right, top, bottom = x - width / 2, x + width / 2, y - 9, y + 9
        form = PALETTE.get(label.split("|")[0], ("", "", "", "pill"))[3]
        frame: dict[str, Any] = {
            "fill": mixed(color, 0.9, self.dark) if label else PAPER,
            "stroke": None if form == "bare" and not remote else mixed(color, 0.2, self.dark),
            "stroke_dasharray": "3 2" if remote else None,
        }
        if sign is None and form in FORMS:
            a, b, c, d = FORMS[form]
            path = f"M{_n(left + a)} {_n(top)}H{_n(right - c)}L{_n(right)} {_n(top + d)}V{_n(bottom - b)}"
            path += f"L{_n(right - a)} {_n(bottom)}H{_n(left + c)}L{_n(left)} {_n(bottom - d)}V{_n(top + b)}z"
            self._add("path", parent, d=path, **frame)
        else:
            frame |= {
                "width": width,
                "height": sizes.LABEL_HEIGHT,
                "rx": 9 if form == "pill" else 0,
            }
            if sign is not None:
                frame |= {"rx": sign.corner, "stroke": sign.color, "stroke_width": 2.4}
            self._add("rect", parent, x=left, y=top, **frame)
        style = {"text_anchor": "middle", "font_weight": 600, "fill": mixed(color, -0.3, self.dark)}
        if label:
            self._add("text", parent, label, x=x, y=y + 4.2, **style)
        if sign is not None:
            x, y = x + width / 2 + 1, y - sizes.LABEL_HEIGHT / 2 + 1
            self._circle(parent, (x, y), 6, sign.color, class_="sign")
            path = f"M{_n(x)} {_n(y)}{sign.path}"
            self._add("path", parent, d=path, stroke=PAPER, stroke_width=1.5, fill="none")

    def _empty(self, parent: Any, center: Point, color: str) -> None:
        # Drawn, because fonts often lack the character "∅".
        x, y = center
        style: dict[str, Any] = {"fill": "none", "stroke": color, "stroke_width": 1.3}
        self._circle(parent, center, 9, PAPER, stroke=color, stroke_dasharray="2.5 2")
        self._circle(parent, center, 4, class_="empty", **style)
        self._add("path", parent, d=f"M{_n(x - 4.5)} {_n(y + 4.5)}l9 -9", **style)

    def _circle(self, parent: Any, center: Point, r: float, fill: str, **more: Any) -> None:
        self._add("circle", parent, cx=center[0], cy=center[1], r=r, fill=fill, **more)


def lang_of(graph: Graph) -> str:
    """RETURNS (str): The language that a graph names, for the attribute `lang`, by which browsers choose glyphs and voices; "" if it
    names none, or what it names is no tag of BCP 47."""
    lang = str(graph.details.get(LANG, ""))
    return lang if LANG_TAG.fullmatch(lang) else ""


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def valid_xml(text: str) -> str:
    """RETURNS (str): The text without characters that XML 1.0 cannot contain."""
    return NOT_XML.sub("�", text)
