"""Break a long picture into rows, as music is broken into staves.

A picture is cut where the fewest lines cross. A line that crosses a cut goes on in the next row.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from .layout import MARGIN, Layout

PAD = 10.0  # how far lines run beyond a cut
ROW_GAP = 14.0
COVERED = 60.0  # what it costs to cut through a label, in lines cut


class Piece(NamedTuple):
    """An element of the picture, with the room that it takes.

    element (Element): Its SVG element.
    left, right (float): Its left and right end.
    y (float): Its height, which shows its sentence.
    layer (int): Its layer. Layers are painted in order.
    whole (bool): Whether it must stay in one row. Lines may be cut.
    """

    element: ElementTree.Element
    left: float
    right: float
    y: float
    layer: int
    whole: bool


class Row(NamedTuple):
    """A part of a sentence: from `left` to `right` in the uncut picture."""

    left: float
    right: float


def cut_sentence(
    layout: Layout, band: tuple[float, float], pieces: Sequence[Piece], limit: float
) -> list[Row]:
    """Cut a sentence into rows of about the same width: between tokens, through few lines and no labels.

    layout (Layout): The places of the tokens.
    band (Tuple[float, float]): The top and bottom of the sentence.
    pieces (Sequence[Piece]): The elements of the sentence.
    limit (float): The maximum width of a row. A token that is wider has a row by itself.
    RETURNS (List[Row]): The rows, from left to right.
    """
    edges = [
        (x - layout.columns[token].width / 2, x + layout.columns[token].width / 2)
        for token, (x, y) in layout.tokens.items()
        if band[0] <= y <= band[1]
    ]
    end = max([p.right for p in pieces if p.whole] + [right for _, right in edges], default=0.0)
    start, limit = MARGIN / 2, limit - 2 * MARGIN
    borders = sorted({right for _, right in edges})
    rows: list[Row] = []
    while end - start > limit:
        target = start + (end - start) / -(-(end - start) // limit)

        def cost(x: float, target: float = target) -> float:
            crossed = sum(COVERED if p.whole else 1 for p in pieces if p.left < x < p.right)
            return crossed + 8 * abs(x - target) / limit

        within = [x for x in borders if start + limit / 3 < x <= start + limit and x < end - 1]
        later = [x for x in borders if x > start + limit and x < end - 1]
        if not within and not later:
            break
        cut = min(within, key=cost) if within else later[0]
        rows.append(Row(start, cut))
        start = cut
    return [*rows, Row(start, end)]


def put_rows(
    svg: ElementTree.Element,
    layout: Layout,
    pieces: Sequence[Piece],
    layers: Sequence[Mapping[str, str]],
    limit: float | None,
    rtl: bool,
) -> None:
    """Add elements to the document, with wide sentences in several rows.

    svg (Element): The document. Its layers are added here.
    layout (Layout): The places. Its size becomes that of the picture.
    pieces (Sequence[Piece]): The elements.
    layers (Sequence[Mapping[str, str]]): The attributes of each layer.
    limit (Optional[float]): The maximum width; None means no limit.
    rtl (bool): Whether the first row is the rightmost one.
    """
    if limit is None or layout.width <= limit:
        _paint(svg, pieces, layers)
        return
    top = widest = 0.0
    groups: list[tuple[ElementTree.Element, float]] = []
    for band in layout.bands:
        row_pieces = [piece for piece in pieces if band[0] <= piece.y < band[1]]
        rows = cut_sentence(layout, band, row_pieces, limit)
        first, last = rows[0], rows[-1]
        if rtl:
            rows.reverse()
        height = band[1] - band[0]
        for row in rows:
            ends = (
                -math.inf if row is first else row.left,
                math.inf if row is last else row.right,
            )
            # The outer ends of a sentence have the margin, cuts the ends of their lines.
            left = row.left - (MARGIN / 2 if row is first else PAD)
            right = row.right + (MARGIN / 2 if row is last else PAD)
            group = ElementTree.SubElement(svg, "g", {"class": "row"})
            groups.append((group, right - left))
            _put_row(group, (left, right), ends, (band[0], height), top, row_pieces, layers)
            widest = max(widest, right - left)
            top += height + (ROW_GAP if len(rows) > 1 else 0)
    for group, width in groups:
        if rtl and width < widest:
            group.set("transform", f"translate({widest - width:.1f} 0)")
    layout.width, layout.height = widest, top


def _put_row(
    group: ElementTree.Element,
    reach: tuple[float, float],
    ends: tuple[float, float],
    band: tuple[float, float],
    top: float,
    pieces: Sequence[Piece],
    layers: Sequence[Mapping[str, str]],
) -> None:
    (left, right), (from_y, height) = reach, band
    lines = [p for p in pieces if not p.whole and p.left < right and p.right > left]
    whole = [p for p in pieces if p.whole and ends[0] <= (p.left + p.right) / 2 < ends[1]]
    # A nested document shows its own part of the lines and nothing else.
    part = {
        "x": "0",
        "y": f"{top:.1f}",
        "width": f"{right - left:.1f}",
        "height": f"{height:.1f}",
        "viewBox": f"{left:.1f} {from_y:.1f} {right - left:.1f} {height:.1f}",
    }
    _paint(ElementTree.SubElement(group, "svg", part), lines, layers)
    move = {"transform": f"translate({-left:.1f} {top - from_y:.1f})"}
    _paint(ElementTree.SubElement(group, "g", move), whole, layers)


def _paint(
    parent: ElementTree.Element, pieces: Sequence[Piece], layers: Sequence[Mapping[str, str]]
) -> None:
    for i, style in enumerate(layers):
        elements = [piece.element for piece in pieces if piece.layer == i]
        if elements:
            ElementTree.SubElement(parent, "g", dict(style)).extend(elements)
