"""Break a long picture into rows, as music is broken into staves.

A picture is cut where the fewest lines cross. A line that crosses a cut goes on in the next row; a long one is drawn at its
ends alone, so that the size of a picture is linear in that of the graph.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from ..graph.categories import LINKAGE
from ..graph.unit import Unit
from .layout import MARGIN, Layout, Point

PAD = 10.0  # how far lines run beyond a cut
ROW_GAP = 14.0
COVERED = 60.0  # what it costs to cut through a label, in lines cut
UNEVEN = 16.0  # what it costs to cut a whole row away from the best place
MAX_ROWS = 4  # of a line that is drawn from end to end


class Piece(NamedTuple):
    """An element of the picture, with the room that it takes.

    element (Element): Its SVG element.
    left, right (float): Its left and right end.
    y (float): Its height, which shows its sentence.
    layer (int): Its layer. Layers are painted in order.
    whole (bool): Whether it must stay in one row. Lines may be cut.
    stops (Tuple[float, ...]): Where a line must be seen if it crosses many rows: its ends and its label. If not given, in
        every row.
    """

    element: Element
    left: float
    right: float
    y: float
    layer: int
    whole: bool = False
    stops: tuple[float, ...] = ()


class Row(NamedTuple):
    """A part of a sentence: from `left` to `right` in the uncut picture."""

    left: float
    right: float


Layers = Sequence[Mapping[str, str]]  # the style of each
Below = dict[int, dict[int, list[tuple[Unit | None, Point]]]]
Filled = tuple[Row, list[Piece], list[Piece]]  # a row, its lines, and what is drawn whole


def cut_sentence(columns: Iterable[Row], pieces: Sequence[Piece], limit: float) -> list[Row]:
    """Cut a sentence into rows of about the same width: between tokens, through few lines and no labels.

    columns (Iterable[Row]): The columns of the tokens.
    pieces (Sequence[Piece]): The elements of the sentence.
    limit (float): The maximum width of a row. A token that is wider has a row by itself.
    RETURNS (List[Row]): The rows, from left to right.
    """
    borders = sorted({column.right for column in columns})
    end = max([p.right for p in pieces if p.whole] + borders[-1:], default=0.0)
    start, limit = MARGIN / 2, limit - 2 * MARGIN
    counts = [_Crossings(p for p in pieces if p.whole == whole) for whole in (True, False)]

    def cost(x: float) -> float:
        crossed = COVERED * counts[0].at(x) + counts[1].at(x)
        return crossed + UNEVEN * abs(x - target) / limit

    rows: list[Row] = []
    while end - start > limit:
        n = -(-(end - start) // limit)
        target = start + (end - start) / n
        last = bisect_left(borders, end - 1)
        middle = min(last, bisect_right(borders, start + limit))
        # no more rows than there must be, if the columns allow
        least = max(start + limit / 3, min(end - (n - 1) * limit, start + limit * 0.9))
        within = borders[bisect_right(borders, least) : middle]
        if not within and middle == last:
            break
        cut = min(within, key=cost) if within else borders[middle]
        rows.append(Row(start, cut))
        start = cut
    return [*rows, Row(start, end)]


class _Crossings:
    """Counts the pieces that a cut goes through."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        ends = [(p.left, p.right) for p in pieces if p.left < p.right]
        self.lefts = sorted(left for left, _ in ends)
        self.rights = sorted(right for _, right in ends)

    def at(self, x: float) -> int:
        """RETURNS (int): The number of pieces on both sides of a place."""
        return bisect_left(self.lefts, x) - bisect_right(self.rights, x)


def put_rows(
    svg: Element,
    layout: Layout,
    pieces: Sequence[Piece],
    layers: Layers,
    limit: float | None,
    rtl: bool,
    repeat: Callable[[int, Sequence[Row]], Iterable[Piece]],
) -> None:
    """Add elements to the document, with wide sentences in several rows.

    svg (Element): The document. Its layers are added here.
    layout (Layout): The places. Its size becomes that of the picture.
    pieces (Sequence[Piece]): The elements.
    layers (Sequence[Mapping[str, str]]): The attributes of each layer.
    limit (Optional[float]): The maximum width; None means no limit.
    rtl (bool): Whether the first row is the rightmost one.
    repeat (Callable): Gives what is drawn again in the rows of a sentence, by its number and its rows.
    """
    if limit is None or layout.width <= limit:
        _paint(svg, pieces, layers)
        return
    columns: list[list[Row]] = [[] for _ in layout.bands]
    for token, (x, y) in layout.tokens.items():
        number, half = layout.band_of(y), layout.columns[token].width / 2
        if number is not None:
            columns[number].append(Row(x - half, x + half))
    by_band: list[list[Piece]] = [[] for _ in layout.bands]
    for piece in pieces:
        number = layout.band_of(piece.y)
        if number is not None:
            by_band[number].append(piece)
    top = widest = 0.0
    groups: list[tuple[Element, float]] = []
    for number, band in enumerate(layout.bands):
        own_pieces = by_band[number]
        rows = cut_sentence(columns[number], own_pieces, limit)
        if len(rows) > 1:
            own_pieces += repeat(number, rows)
        height = band[1] - band[0]
        filled = _fill_rows(rows, own_pieces)
        for row in reversed(filled) if rtl else filled:
            (left, right), *_ = row
            group = SubElement(svg, "g", {"class": "row"})
            groups.append((group, right - left))
            _put_row(group, row, (band[0], height), top, layers)
            widest = max(widest, right - left)
            top += height + (ROW_GAP if len(rows) > 1 else 0)
    for group, width in groups:
        if rtl and width < widest:
            group.set("transform", f"translate({widest - width:.1f} 0)")
    layout.width, layout.height = widest, top


def repeats(
    root: Unit, layout: Layout, rows: Sequence[Row]
) -> Iterator[tuple[Unit, Point, bool, list[tuple[Unit, Point]]]]:
    """Find the units to draw again, so that each row can be read by itself: the root, and those on which something hangs in a
    row that has not their node. Those with one such unit below them and nothing else are left out.

    root (Unit): The root of the sentence.
    layout (Layout): The places.
    rows (Sequence[Row]): Its rows.
    YIELDS (Tuple[Unit, Point, bool, List[Tuple[Unit, Point]]]): A unit, its place in a row, whether it is drawn again there,
        and the units that hang on it there and are drawn again, with their places. Their parent may be left out.
    """
    cuts = [row.right for row in rows[:-1]]
    # By unit and row: what hangs there, with its place; None for what has its own line
    below: Below = defaultdict(lambda: defaultdict(list))
    for unit in reversed([unit for unit in root.iter() if unit.kind != LINKAGE]):
        above = below[-1 if unit.parent is None else unit.parent.index]
        own, found = layout.places[unit.index], below[unit.index]
        for place in (layout.tokens[token] for token in unit.terminals):
            found[bisect_right(cuts, place[0])].append((None, place))
        here = bisect_right(cuts, own[0])
        above[here].append((None, own))
        for row, items in found.items():
            if row != here and unit != root and len(items) == 1 and items[0][0] is not None:
                above[row] += items
                continue
            place = own
            if row != here:
                place = sorted(x for _, (x, _) in items)[len(items) // 2], own[1]
                above[row].append((unit, place))
            again = [(other, at) for other, at in items if other is not None]
            yield unit, place, row != here, again


def _fill_rows(rows: Sequence[Row], pieces: Iterable[Piece]) -> list[Filled]:
    """Say what is in each row.

    RETURNS (List[Tuple[Row, List[Piece], List[Piece]]]): The part of the picture that a row shows, its lines, and what is
        whole in it.
    """
    # The outer ends of a sentence have the margin, cuts the ends of their lines.
    outer, cuts = MARGIN / 2, [row.right for row in rows[:-1]]
    lefts = [row.left - (PAD if i else outer) for i, row in enumerate(rows)]
    rights = [row.right + (PAD if i + 1 < len(rows) else outer) for i, row in enumerate(rows)]
    filled: list[Filled] = [(Row(*ends), [], []) for ends in zip(lefts, rights, strict=True)]
    for piece in pieces:
        if piece.whole:
            filled[bisect_right(cuts, (piece.left + piece.right) / 2)][2].append(piece)
            continue
        first, last = bisect_right(rights, piece.left), bisect_left(lefts, piece.right)
        numbers: Iterable[int] = range(first, last)
        if piece.stops and last - first > MAX_ROWS:
            numbers = sorted({bisect_right(cuts, x) for x in piece.stops})
        for number in numbers:
            filled[number][1].append(piece)
    return filled


def _put_row(
    group: Element, row: Filled, band: tuple[float, float], top: float, layers: Layers
) -> None:
    ((left, right), lines, whole), (from_y, height) = row, band
    # A nested document shows its own part of the lines and nothing else.
    width, size = f"{right - left:.1f}", f"{height:.1f}"
    part = {"x": "0", "y": f"{top:.1f}", "width": width, "height": size}
    part["viewBox"] = f"{left:.1f} {from_y:.1f} {width} {size}"
    _paint(SubElement(group, "svg", part), lines, layers)
    move = {"transform": f"translate({-left:.1f} {top - from_y:.1f})"}
    _paint(SubElement(group, "g", move), whole, layers)


def _paint(parent: Element, pieces: Sequence[Piece], layers: Layers) -> None:
    for i, style in enumerate(layers):
        elements = [piece.element for piece in pieces if piece.layer == i]
        if elements:
            SubElement(parent, "g", dict(style)).extend(elements)
