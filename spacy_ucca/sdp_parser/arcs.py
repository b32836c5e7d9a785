"""Draw a sentence with a dependency tree above it and directed links below: appendix C of "Deriving Multi-Headed
Projective Dependency Parses from Link Grammar Parses". Arcs that both have are solid lines.
"""

from collections.abc import Sequence

from ..conversion.graph import ROOT, Arc, BilexicalGraph
from ..drawing import arcs as sizes
from ..drawing.arcs import ArcLayout, ArcStyle, arrange_arcs, draw_arc, draw_text, picture
from ..drawing.layout import is_rtl, text_width
from ..drawing.theme import DARK, INK
from ..drawing.tree import shown
from ..errors import Errors, UccaError
from ..link_grammar import agreement

SIZE, SMALL, GAP = sizes.SIZE, sizes.SMALL, 18
BLUE, RED, ORANGE, GRAY = "#2563eb", "#dc2626", "#ea580c", "#64748b"
DARKER = {**DARK, BLUE: "#7cb2ff", RED: "#f87171", ORANGE: "#fbbf24", GRAY: "#a9b6c8"}
NO_TAG = "-"
ROOT_NAME = "ROOT"


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
    above = arrange_arcs([] if tree is None else tree.arcs)
    below = arrange_arcs(graph.arcs)
    names = _names(tags)
    centers, width = _place(words, names, graph, tree)
    rtl = is_rtl(graph.words)
    if rtl:
        centers = [width - center for center in centers]
    line = sizes.MARGIN + sizes.LEVEL * (1 + max(above.levels, default=0)) + SIZE
    bottom = line + 6 + (SMALL + 2) * bool(names)
    height = bottom + sizes.LEVEL * (1 + max(below.levels, default=0)) + SIZE + sizes.MARGIN - 6
    shapes = [
        draw_text(word, center, line, SIZE, INK)
        for word, center in zip(words, centers, strict=True)
    ]
    shapes += (draw_text(n, x, line + SMALL + 2, SMALL, GRAY) for n, x in zip(names, centers))
    if tree is not None:
        styles = [TREE_STYLES[kind] for kind in agreement.tree_kinds(graph, tree)]
        shapes += _draw(tree.arcs, above, styles, centers, line - SIZE - 2, -1)
        kinds = agreement.link_kinds(graph, tree)
    else:
        kinds = [agreement.SAME] * len(graph.arcs)
    shapes += _draw(graph.arcs, below, [LINK_STYLES[k] for k in kinds], centers, bottom, 1)
    return picture(shapes, " ".join(graph.words), width, height, rtl, DARKER)


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
        ending.setdefault(right, []).append((left, text_width(arc.label, SMALL) + 8 * sizes.PORT))
    centers = [sizes.MARGIN + widths[0] / 2]
    for i in range(1, len(words)):
        needed = centers[-1] + (widths[i - 1] + widths[i]) / 2 + GAP
        centers.append(max([needed, *(centers[left] + room for left, room in ending.get(i, ()))]))
    return centers, centers[-1] + widths[-1] / 2 + sizes.MARGIN


def _draw(
    arcs: Sequence[Arc],
    layout: ArcLayout,
    styles: Sequence[ArcStyle],
    centers: Sequence[float],
    line: float,
    way: int,
) -> list[str]:
    """RETURNS (List[str]): The arcs of a side. `way` is 1 below the line, -1 above it."""
    shapes = []
    sign = -1 if centers[-1] < centers[0] else 1
    for arc, level, ports, style in zip(arcs, *layout, styles, strict=True):
        left, right = sorted((arc.head - ROOT, arc.dependent - ROOT))
        start = centers[left] + sign * sizes.PORT * ports[0]
        end = centers[right] - sign * sizes.PORT * ports[1]
        top = line + way * sizes.LEVEL * level
        if arc.head > arc.dependent:
            start, end = end, start
        name = agreement.relation_name(arc.label)
        shapes += draw_arc((start, line), (end, line), top, style, name)
    return shapes
