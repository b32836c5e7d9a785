"""Arcs beside texts, as SVG: over and under a line of words, or beside lines that stand under each other."""

from collections.abc import Mapping, Sequence
from operator import add
from typing import NamedTuple
from xml.sax.saxutils import escape

from ..conversion.graph import ROOT, Arc
from .layout import Point, is_rtl, text_width
from .picture import FONT, valid_xml
from .theme import COLORS, DARK, PAPER, apply_theme

SIZE, SMALL = 15, 11  # of letters
LEVEL = 20  # between arcs above one another
PORT = 5  # between arcs at one text
MARGIN, CORNER, TIP = 14, 8.0, 7.0
ROW = 36  # from line to line
BOX = 26  # the height of a line
INDENT = 24  # of a line that belongs to one above
BOX_FILL, BOX_LINE = "#f8fafc", "#cbd5e1"
DARKER = {**DARK, BOX_FILL: "#273449", BOX_LINE: "#475569"}
FRAME = f'fill="{BOX_FILL}" stroke="{BOX_LINE}"'


class ArcStyle(NamedTuple):
    """The style of an arc: its colour, width, and whether it is dotted."""

    color: str
    width: float
    dotted: bool


class ArcLayout(NamedTuple):
    """The arcs on one side of texts: their levels, from 1, and the ports at their first and last text."""

    levels: list[int]
    ports: list[tuple[int, int]]


def arrange_arcs(arcs: Sequence[Arc]) -> ArcLayout:
    """RETURNS (ArcLayout): Levels of arcs, so that none runs over another one, and their ports."""
    spans = [(min(arc[:2]), max(arc[:2])) for arc in arcs]
    levels = [0] * len(arcs)
    order = sorted(range(len(arcs)), key=lambda i: (spans[i][1] - spans[i][0], i))
    end = max((right for _, right in spans), default=ROOT)
    highest = [0] * (end - ROOT)  # of arcs over each gap between texts
    for i in order:
        gaps = slice(*(place - ROOT for place in spans[i]))
        levels[i] = 1 + max(highest[gaps], default=0)
        highest[gaps] = [levels[i]] * len(highest[gaps])
    # At a text, the longest arc is the innermost, so that lines do not cross.
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    ports = [(0, 0)] * len(arcs)
    for i in reversed(order):
        left, right = spans[i]
        starts[left], ends[right] = starts.get(left, 0) + 1, ends.get(right, 0) + 1
        ports[i] = starts[left], ends[right]
    return ArcLayout(levels, ports)


def draw_arc(
    start: Point, end: Point, top: float, style: ArcStyle, label: str, *, upright: bool = False
) -> list[str]:
    """Draw an arc with an arrow.

    start (Tuple[float, float]): Where it begins: along the texts, and across.
    end (Tuple[float, float]): Where it ends, with the arrow.
    top (float): Where it runs, across.
    style (ArcStyle): Its style.
    label (str): What stands on it: in the middle or, upright, after the text where it begins.
    upright (bool): Whether the texts stand under each other, so that x is across.
    RETURNS (List[str]): The elements.
    """

    def at(along: float, across: float) -> str:
        return f"{across:.1f} {along:.1f}" if upright else f"{along:.1f} {across:.1f}"

    way, sign = 1 if top > end[1] else -1, 1 if end[0] > start[0] else -1
    half = abs(end[0] - start[0]) / 2
    bend, turn = sign * min(CORNER, half), top - way * CORNER
    path = (
        f"M{at(*start)}L{at(start[0], turn)}Q{at(start[0], top)} {at(start[0] + bend, top)}"
        f"L{at(end[0] - bend, top)}Q{at(end[0], top)} {at(end[0], turn)}L{at(*end)}"
    )
    dots = ' stroke-dasharray="2 3"' if style.dotted else ""
    sides = (at(end[0] + side, end[1] + TIP * way) for side in (-4, 4))
    room = text_width(label, SMALL) + 4
    middle = start[0] + sign * (min(half, ROW / 2 - BOX / 8) if upright else half)
    x, y = (top, middle) if upright else (middle, top)
    return [
        f'<path d="{path}" fill="none" stroke="{style.color}" stroke-width="{style.width}"{dots}/>',
        f'<path d="M{at(*end)}L{"L".join(sides)}z" fill="{style.color}"/>',
        f'<rect x="{x - room / 2:.1f}" y="{y - 6:.1f}" width="{room:.1f}" height="12" fill="{PAPER}"/>',
        draw_text(label, x, y + 4, SMALL, style.color),
    ]


def draw_text(text: str, x: float, y: float, size: int, color: str) -> str:
    """RETURNS (str): A text with its middle at x."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle"'
    return f'<text {place} fill="{color}">{_clean(text)}</text>'


def picture(
    shapes: Sequence[str],
    title: str,
    width: float,
    height: float,
    rtl: bool,
    dark: Mapping[str, str],
) -> str:
    """RETURNS (str): An SVG document of these elements, with dark colours for its light ones."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" direction="{"rtl" if rtl else "ltr"}" class="ucca">\n<title>{_clean(title)}</title>\n'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )
    return apply_theme(svg, "auto", dark)


def _clean(text: str) -> str:
    return escape(valid_xml(text))


def draw_lines(
    lines: Sequence[Sequence[tuple[str, str]]], hosts: Sequence[int | None], arcs: Sequence[Arc]
) -> str:
    """Draw lines under each other, with arcs beside them, each with its label where it begins.

    lines (Sequence[Sequence[Tuple[str, str]]]): The texts of each line, and the attributes that they are drawn with.
    hosts (Sequence[Optional[int]]): For each line the one above that it belongs to.
    arcs (Sequence[Arc]): From a line, the head, to another one.
    RETURNS (str): The picture, as SVG. It runs from right to left if the texts do.
    """
    levels = arrange_arcs(arcs).levels
    lane = max((text_width(arc.label, SMALL) for arc in arcs), default=0.0) + 2 * PORT
    left, insets = MARGIN + lane * max(levels, default=0) + CORNER + TIP, list[float]()
    for host in hosts:
        insets.append(left if host is None else insets[host] + INDENT)
    ys = [MARGIN + BOX / 2 + ROW * i for i in range(len(lines))]
    sizes = [TIP + sum(text_width(text, SIZE) + TIP for text, _ in line) for line in lines]
    width = MARGIN + max(map(add, insets, sizes), default=left)
    words = [" ".join(text for text, _ in line) for line in lines]
    way = -1 if is_rtl(words) else 1

    def at(x: float) -> float:
        return x if way == 1 else width - x

    shapes = []
    for line, host, x, y, size in zip(lines, hosts, insets, ys, sizes, strict=True):
        if host is not None:
            path = f"M{at(insets[host] + INDENT / 2):.1f} {ys[host] + BOX / 2}V{y}H{at(x):.1f}"
            shapes.append(f'<path d="{path}" {FRAME} fill-opacity="0"/>')
        box = f'x="{min(at(x), at(x + size)):.1f}" y="{y - BOX / 2}" width="{size:.1f}" height="{BOX}"'
        parts = (f'<tspan dx="{way * TIP}" {how}>{_clean(text)}</tspan>' for text, how in line)
        text = f'<text x="{at(x):.1f}" y="{y + 5}" font-size="{SIZE}">{"".join(parts)}</text>'
        shapes.append(f'<rect {box} rx="6" {FRAME}/>{text}')
    for (start, end, label, *_), level in zip(arcs, levels, strict=True):
        gap = BOX / 8 * (1 if end > start else -1)
        ends = (ys[start] + gap, at(insets[start])), (ys[end] - 3 * gap, at(insets[end]))
        top = at(left - CORNER - TIP - lane * (level - 0.5))
        shapes += draw_arc(*ends, top, ArcStyle(COLORS["L"], 1.4, False), label, upright=True)
    height = 2 * MARGIN + ROW * len(lines)
    return picture(shapes, "\n".join(words), width, height, way == -1, DARKER)
