"""Draw a sentence with a dependency tree above it and directed links below: appendix C of "Deriving Multi-Headed
Projective Dependency Parses from Link Grammar Parses". Arcs that both have are solid lines.
"""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from ..conversion.graph import ROOT, Arc, BilexicalGraph
from ..drawing.layout import is_rtl, text_width
from ..drawing.picture import FONT, NOT_XML
from ..drawing.theme import DARK, INK, PAPER, apply_theme
from ..drawing.tree import shown
from ..errors import Errors, UccaError
from ..link_grammar import agreement

SIZE, SMALL = 15, 11  # of letters
LEVEL = 20  # between arcs above one another
PORT = 5  # between arcs at one word
MARGIN, GAP = 14, 18
BLUE, RED, ORANGE, GRAY = "#2563eb", "#dc2626", "#ea580c", "#64748b"
DARKER = {**DARK, BLUE: "#7cb2ff", RED: "#f87171", ORANGE: "#fbbf24", GRAY: "#a9b6c8"}
NO_TAG = "-"
ROOT_NAME = "ROOT"


class ArcStyle(NamedTuple):
    """The style of an arc: its colour, width, and whether it is dotted."""

    color: str
    width: float
    dotted: bool


TREE_STYLES = {
    agreement.SAME: ArcStyle(BLUE, 1.4, False),
    agreement.OPPOSITE: ArcStyle(BLUE, 1.4, False),
    agreement.OTHER: ArcStyle(BLUE, 1.4, True),
}
LINK_STYLES = {
    agreement.SAME: ArcStyle(RED, 1.4, False),
    agreement.OPPOSITE: ArcStyle(RED, 3.0, False),
    agreement.SEVERAL: ArcStyle(ORANGE, 3.0, False),
    agreement.OTHER: ArcStyle(RED, 1.4, True),
}


def render_arcs(
    graph: BilexicalGraph, tree: BilexicalGraph | None = None, tags: Sequence[str] = ()
) -> str:
    """Draw directed links below a sentence and a dependency tree above it.

    graph (BilexicalGraph): The links.
    tree (Optional[BilexicalGraph]): The tree, over the same tokens. Its arcs are solid where links join the same two tokens,
        and dotted elsewhere. Links with an arc are solid, and thick if the arc has the opposite direction. Other links are
        thick and orange if they lead to a token with several heads, and dotted elsewhere.
    tags (Sequence[str]): What Link Grammar writes after each word, see `LinkGraph`. If they are given, tags stand below the
        words, guessed words have a mark, such as [!], and words without links are in brackets: they were dropped.
    RETURNS (str): The picture, as SVG.
    RAISES (UccaError): If the tree is over other tokens.
    """
    if tree is not None and tree.words != graph.words:
        raise UccaError(Errors.UC910.format(id=graph.id or tree.id))
    words = _words(graph, tags)
    above = _side([] if tree is None else tree.arcs)
    below = _side(graph.arcs)
    names = _names(tags)
    centers, width = _place(words, names, graph, tree)
    rtl = is_rtl(graph.words)
    if rtl:
        centers = [width - center for center in centers]
    line = MARGIN + LEVEL * (1 + max(above.levels, default=0)) + SIZE
    bottom = line + 6 + (SMALL + 2) * bool(names)
    height = bottom + LEVEL * (1 + max(below.levels, default=0)) + SIZE + MARGIN - 6
    shapes = [
        _text(word, center, line, SIZE, INK) for word, center in zip(words, centers, strict=True)
    ]
    shapes += (_text(n, x, line + SMALL + 2, SMALL, GRAY) for n, x in zip(names, centers))
    if tree is not None:
        styles = [TREE_STYLES[kind] for kind in agreement.tree_kinds(graph, tree)]
        shapes += _draw(tree.arcs, above, styles, centers, line - SIZE - 2, -1)
        kinds = agreement.link_kinds(graph, tree)
    else:
        kinds = [agreement.SAME] * len(graph.arcs)
    shapes += _draw(graph.arcs, below, [LINK_STYLES[k] for k in kinds], centers, bottom, 1)
    title = escape(NOT_XML.sub("\ufffd", " ".join(graph.words)))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" direction="{"rtl" if rtl else "ltr"}" class="ucca">\n<title>{title}</title>\n'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )
    return apply_theme(svg, "auto", DARKER)


def picture_width(
    graph: BilexicalGraph, tree: BilexicalGraph | None = None, tags: Sequence[str] = ()
) -> float:
    """RETURNS (float): The width of the picture of `render_arcs`, in pixels."""
    return _place(_words(graph, tags), _names(tags), graph, tree)[1]


def _names(tags: Sequence[str]) -> list[str]:
    """RETURNS (List[str]): What stands below each word and ROOT, or nothing if no tags are given."""
    return ["", *(tag.partition(".")[2] or NO_TAG for tag in tags)] if tags else []


def _words(graph: BilexicalGraph, tags: Sequence[str]) -> list[str]:
    """RETURNS (List[str]): The words, with marks where tags are given."""
    words = [ROOT_NAME, *map(shown, graph.words)]
    linked = {node for arc in graph.arcs for node in arc[:2]}
    for i, tag in enumerate(tags):
        words[i + 1] += tag.partition(".")[0]
        if i not in linked:
            words[i + 1] = f"[{words[i + 1]}]"
    return words


class _ArcLayout(NamedTuple):
    """The arcs on one side of the sentence: their levels, from 1, and the ports at their left and right node."""

    levels: list[int]
    ports: list[tuple[int, int]]


def _side(arcs: Sequence[Arc]) -> _ArcLayout:
    spans = [(min(arc[:2]), max(arc[:2])) for arc in arcs]
    levels = [0] * len(arcs)
    order = sorted(range(len(arcs)), key=lambda i: (spans[i][1] - spans[i][0], i))
    end = max((right for _, right in spans), default=ROOT)
    highest = [0] * (end - ROOT)  # of arcs over each gap between words
    for i in order:
        gaps = slice(*(place - ROOT for place in spans[i]))
        levels[i] = 1 + max(highest[gaps], default=0)
        highest[gaps] = [levels[i]] * len(highest[gaps])
    # At a word, the longest arc is the innermost, so that lines do not cross.
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    ports = [(0, 0)] * len(arcs)
    for i in reversed(order):
        left, right = spans[i]
        starts[left], ends[right] = starts.get(left, 0) + 1, ends.get(right, 0) + 1
        ports[i] = starts[left], ends[right]
    return _ArcLayout(levels, ports)


def _place(
    words: Sequence[str], names: Sequence[str], graph: BilexicalGraph, tree: BilexicalGraph | None
) -> tuple[list[float], float]:
    """RETURNS (Tuple[List[float], float]): The places of words, with room for the labels of arcs between them, and the width."""
    widths = [text_width(word, SIZE) for word in words]
    for i, name in enumerate(names):
        widths[i] = max(widths[i], text_width(name, SMALL))
    ending: dict[int, list[tuple[int, float]]] = {}
    for arc in (*graph.arcs, *(tree.arcs if tree is not None else ())):
        left, right = sorted((arc.head - ROOT, arc.dependent - ROOT))
        ending.setdefault(right, []).append((left, text_width(arc.label, SMALL) + 8 * PORT))
    centers = [MARGIN + widths[0] / 2]
    for i in range(1, len(words)):
        needed = centers[-1] + (widths[i - 1] + widths[i]) / 2 + GAP
        centers.append(max([needed, *(centers[left] + room for left, room in ending.get(i, ()))]))
    return centers, centers[-1] + widths[-1] / 2 + MARGIN


def _draw(
    arcs: Sequence[Arc],
    side: _ArcLayout,
    styles: Sequence[ArcStyle],
    centers: Sequence[float],
    line: float,
    way: int,
) -> list[str]:
    """RETURNS (List[str]): The arcs of a side. `way` is 1 below the line, -1 above it."""
    shapes = []
    mirrored = centers[-1] < centers[0]
    for arc, level, ports, style in zip(arcs, *side, styles, strict=True):
        nodes = sorted((arc.head - ROOT, arc.dependent - ROOT))
        sign = -1 if mirrored else 1
        start = centers[nodes[0]] + sign * PORT * ports[0]
        end = centers[nodes[1]] - sign * PORT * ports[1]
        top = line + way * LEVEL * level
        bend = sign * min(8.0, abs(end - start) / 2)
        path = (
            f"M{start:.1f} {line:.1f}V{top - way * 8:.1f}Q{start:.1f} {top:.1f} {start + bend:.1f} {top:.1f}"
            f"H{end - bend:.1f}Q{end:.1f} {top:.1f} {end:.1f} {top - way * 8:.1f}V{line:.1f}"
        )
        dots = ' stroke-dasharray="2 3"' if style.dotted else ""
        shapes.append(
            f'<path d="{path}" fill="none" stroke="{style.color}" stroke-width="{style.width}"{dots}/>'
        )
        tip = end if arc.head < arc.dependent else start
        shapes.append(f'<path d="M{tip:.1f} {line:.1f}l-4 {7 * way}h8z" fill="{style.color}"/>')
        label = agreement.relation_name(arc.label)
        middle, room = (start + end) / 2, text_width(label, SMALL) + 4
        shapes.append(
            f'<rect x="{middle - room / 2:.1f}" y="{top - 6:.1f}" width="{room:.1f}" height="12" fill="{PAPER}"/>'
        )
        shapes.append(_text(label, middle, top + 4, SMALL, style.color))
    return shapes


def _text(text: str, x: float, y: float, size: int, color: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{color}">'
        f"{escape(NOT_XML.sub(chr(0xFFFD), text))}</text>"
    )
