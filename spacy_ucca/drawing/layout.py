"""Places of everything in a picture of a graph, in pixels: columns, levels and lines.

Tokens and implicit units have a column each. A unit stands over its own columns, above everything that stands in its
gaps, so no line runs through a label: only the bars of discontinuous units cross other lines.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from ..graph import Graph
from ..graph.algorithms import first_token
from ..graph.categories import LINK_RELATION, LINKAGE
from ..graph.unit import Unit
from .tree import shorten, shown

FONT_SIZE = 15
LEVEL = 58  # from one level to the next
BAR = 12  # from a unit down to the bar that its children hang on
LABEL = 33  # from a unit down to the middle of its children's labels
LABEL_HEIGHT = 18
TOKENS = 40  # from the lowest level to the tokens
GAP = 12  # between columns
MIN_COLUMN = 34
MARGIN = 20
MAX_CHARACTERS = 40  # of a token; the rest is in its tooltip

_WIDE = frozenset("mwMW@%—…æœÆŒжмшщыюфЖДМШЩЫЮФسشصضث→⇒")
# Where scripts with wide letters begin and end: Armenian; Syriac to Sinhala; Burmese to Vedic signs; Coptic to Vai; Syloti to the last
_SCRIPTS = "\u0530\u0590\u0700\u0e00\u1000\u1d00\u2c80\ua640\ua800"

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a text in a common sans-serif font, without having the font.

    text (str): The text.
    size (float): The font size in pixels.
    RETURNS (float): The width in pixels. It is rather too large than too small.
    """
    width = 0.0
    for c in text:
        kind = unicodedata.category(c)
        if kind in ("Mn", "Me", "Cf"):
            continue
        if unicodedata.east_asian_width(c) in "WF" or ord(c) > 0x1F000:
            width += 1.1
        elif c in "iljtfrI.,;:'!|()[] -":
            width += 0.4
        elif c in _WIDE:
            width += 0.95
        elif kind[0] == "L" and bisect_right(_SCRIPTS, c) % 2:
            width += 1.0 if c < "\U00010000" else 1.4
        else:
            width += 0.72 if c.isupper() else 0.62
    return width * size


def label_width(label: str) -> float:
    """RETURNS (float): The width of the box around a label."""
    return max(LABEL_HEIGHT + 4.0, text_width(label, 12) + 12)


def is_rtl(words: Iterable[str]) -> bool:
    """RETURNS (bool): Whether most letters are of a script written from right to left."""
    rtl = sum(unicodedata.bidirectional(c) in ("R", "AL") for word in words for c in word)
    ltr = sum(unicodedata.bidirectional(c) == "L" for word in words for c in word)
    return rtl > ltr


@dataclass
class Column:
    """A column of the picture: that of a token, or an empty one under an implicit unit."""

    text: str
    width: float


@dataclass
class Layout:
    """The places of everything in one graph.

    width (float): Of the whole picture.
    height (float): Of the whole picture.
    columns (Dict[int, Column]): Token index to its column.
    places (Dict[int, Point]): Unit index to the centre of its node.
    tokens (Dict[int, Point]): Token index to the centre of its text.
    bands (List[Tuple[float, float]]): Where each sentence begins and ends, from top to bottom.
    """

    width: float = 2 * MARGIN
    height: float = 2 * MARGIN
    columns: dict[int, Column] = field(default_factory=dict)
    places: dict[int, Point] = field(default_factory=dict)
    tokens: dict[int, Point] = field(default_factory=dict)
    bands: list[tuple[float, float]] = field(default_factory=list)

    def band_of(self, y: float) -> int | None:
        """RETURNS (Optional[int]): The number of the sentence at a height; None if there is none."""
        number = bisect_right(self.bands, y, key=lambda band: band[0]) - 1
        return number if number >= 0 and y < self.bands[number][1] else None

    def obstacles(self, graph: Graph) -> list[Box]:
        """RETURNS (List[Box]): The boxes that other lines and labels should not cover: nodes, the labels of primary edges,
        tokens.
        """
        boxes = [(x - 7, y - 7, x + 7, y + 7) for x, y in self.places.values()]
        for token, (x, y) in self.tokens.items():
            half = self.columns[token].width / 2 - GAP / 2
            boxes.append((x - half, y - FONT_SIZE * 0.7, x + half, y + FONT_SIZE * 0.7))
        for unit in graph.units:
            parent = unit.parent
            if parent is not None:
                x, y = self.places[unit.index][0], self.places[parent.index][1]
                half = label_width(unit.label) / 2
                top = y + LABEL - LABEL_HEIGHT / 2
                boxes.append((x - half, top, x + half, top + LABEL_HEIGHT))
        return boxes


def make_layout(graph: Graph, *, rtl: bool = False) -> Layout:
    """Place every token, unit and linkage unit. Sentences stand under each other.

    graph (Graph): The graph.
    rtl (bool): Whether the text runs from right to left.
    RETURNS (Layout): The places.
    """
    layout = Layout()
    owner: dict[int, int] = {}
    for i, root in enumerate(graph.roots):
        owner.update(dict.fromkeys(root.tokens(), i))
    # Tokens attached to nothing stand with the sentence before them.
    tokens: list[list[int]] = [[] for _ in range(max(1, len(graph.roots)))]
    current = 0
    for token in range(len(graph.words)):
        current = owner.get(token, current)
        tokens[current].append(token)
    parts = zip(graph.roots or (None,), tokens, strict=True)
    sentences = [_Sentence(graph, root, own) for root, own in parts]
    layout.width = max(sentence.width for sentence in sentences) + 2 * MARGIN
    linkages: list[list[Unit]] = [[] for _ in sentences]
    for unit in graph.linkages:
        below = [t for e in unit.edges for t in e.child.tokens()]
        linkages[owner.get(min(below, default=-1), 0)].append(unit)
    top = float(MARGIN)
    for sentence, above in zip(sentences, linkages, strict=True):
        end = sentence.put(layout, top + (LEVEL if above else 0), rtl)
        _put_linkage(above, layout, top)
        layout.bands.append((top - MARGIN, end + MARGIN))
        top = end + 2 * MARGIN
    layout.height = top - MARGIN
    return layout


def _put_linkage(units: list[Unit], layout: Layout, top: float) -> None:
    """Place linkage units in a row above their sentence, over their relation."""
    taken: dict[int, list[float]] = {}  # places, by the number of their stretch of the row
    step = 2 * MARGIN
    for unit in units:
        edges = sorted(unit.edges, key=lambda edge: edge.label != LINK_RELATION)
        places = [layout.places[e.child.index][0] for e in edges if e.child.index in layout.places]
        x = places[0] if places else layout.width / 2
        while any(
            abs(x - other) < step
            for stretch in range(int(x // step) - 1, int(x // step) + 2)
            for other in taken.get(stretch, ())
        ):
            x += step
        taken.setdefault(int(x // step), []).append(x)
        layout.places[unit.index] = (x, top)
        layout.width = max(layout.width, x + MARGIN)


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """YIELDS (Tuple[int, int]): The columns of a mask that stand together: the first one, and the one after the last."""
    column = 0
    while mask:
        skipped = (mask & -mask).bit_length() - 1
        mask >>= skipped
        length = (~mask & (mask + 1)).bit_length() - 1
        mask >>= length
        yield column + skipped, column + skipped + length
        column += skipped + length


def _gaps(mask: int) -> list[tuple[int, int]]:
    """RETURNS (List[Tuple[int, int]]): The columns between those of a mask, as `_runs` gives them."""
    return [(before[1], after[0]) for before, after in pairwise(_runs(mask))]


class _Sentence:
    """The layout of one sentence. Columns are bits of a mask, as in the yields of units."""

    def __init__(self, graph: Graph, root: Unit | None, tokens: list[int]) -> None:
        self.graph = graph
        self.units = [u for u in root.iter() if u.kind != LINKAGE] if root is not None else []
        inside = {u.index for u in self.units}
        self.children = {
            u.index: [e.child.index for e in u.edges if not e.remote and e.child.index in inside]
            for u in self.units
        }
        self.columns: list[Column] = []
        self.of: dict[int, int] = {}  # column of a token (by ~index) or of a unit without tokens
        self._make_columns(tokens)
        self.width = sum(column.width for column in self.columns)
        self.mask: dict[int, int] = {}
        for unit in reversed(self.units):
            mask = 1 << self.of[unit.index] if unit.index in self.of else 0
            for token in unit.terminals:
                mask |= 1 << self.of[~token]
            for child in self.children[unit.index]:
                mask |= self.mask[child]
            self.mask[unit.index] = mask

    def _make_columns(self, tokens: list[int]) -> None:
        """Tokens in order; a unit without any has its column after the last token of its parent."""
        starts, masks = self.graph.index.starts, self.graph.index.masks
        empty: dict[int, list[int]] = {}
        for unit in reversed(self.units):  # deepest first: it stands nearest
            if masks[unit.index] or self.children[unit.index]:
                continue
            above: Unit | None = unit
            while above is not None and not masks[above.index]:
                above = above.parent
            last = -1
            if above is not None:
                last = starts[above.index] + masks[above.index].bit_length() - 1
            empty.setdefault(last, []).append(unit.index)
        for token in (-1, *tokens):
            if token >= 0:
                text = shorten(shown(self.graph.words[token]), MAX_CHARACTERS)
                self.of[~token] = len(self.columns)
                self.columns.append(Column(text, max(MIN_COLUMN, text_width(text)) + GAP))
            for index in empty.get(token, ()):
                self.of[index] = len(self.columns)
                self.columns.append(Column("", MIN_COLUMN + GAP))

    def _levels(self) -> dict[int, int]:
        """The level of each unit, from 1: above its children and above all that overlaps its span.

        Yields are nested or disjoint, so spans of unrelated units overlap only around a gap: one of them
        begins or ends in a gap of the other. Narrow spans first: whatever stands in a gap comes before the
        unit around it.
        """
        span = {u: (first_token(m), m.bit_length()) for u, m in self.mask.items()}
        # `units` runs from parents to children: reversed and sorted stably, children come first.
        order = sorted(reversed(self.units), key=lambda u: span[u.index][1] - span[u.index][0])
        level: dict[int, int] = {}
        highest = [0] * len(self.columns)  # of the units that begin or end at each column
        for unit in order:
            u, (start, end) = unit.index, span[unit.index]
            beneath = [level[child] for child in self.children[u]]
            beneath += [max(highest[a:b]) for a, b in _gaps(self.mask[u])]
            level[u] = 1 + max(beneath, default=0)
            for column in (start, end - 1):
                highest[column] = max(highest[column], level[u])
        return level

    def put(self, layout: Layout, top: float, rtl: bool) -> float:
        """Write the places into the layout.

        RETURNS (float): The bottom of the sentence.
        """
        levels = self._levels()
        highest = max(levels.values(), default=0)
        x, centers = float(MARGIN), []
        for column in self.columns:
            center = x + column.width / 2
            centers.append(layout.width - center if rtl else center)
            x += column.width
        bottom = top + max(0, highest - 1) * LEVEL + (TOKENS if highest else 0) + FONT_SIZE / 2
        for key, place in self.of.items():
            if key < 0:
                layout.columns[~key] = self.columns[place]
                layout.tokens[~key] = (centers[place], bottom)
        across: dict[int, float] = {}
        for unit in reversed(self.units):
            across[unit.index] = self._across(unit, centers, across)
            y = top + (highest - levels[unit.index]) * LEVEL
            layout.places[unit.index] = (across[unit.index], y)
        return bottom + FONT_SIZE

    def _across(self, unit: Unit, centers: list[float], across: dict[int, float]) -> float:
        """RETURNS (float): The middle of the unit's children over its longest run of columns."""
        below = [across[child] for child in self.children[unit.index]]
        below += [centers[self.of[~token]] for token in unit.terminals]
        if unit.index in self.of:
            below.append(centers[self.of[unit.index]])
        runs = [(end - start, start) for start, end in _runs(self.mask[unit.index])]
        length, first = max(runs, key=lambda run: (run[0], -run[1]), default=(0, 0))
        ends = (centers[first], centers[first + length - 1]) if length else (MARGIN, MARGIN)
        left, right = min(ends), max(ends)
        inside = [x for x in below if left - 1 <= x <= right + 1] or [left, right]
        return (min(inside) + max(inside)) / 2
