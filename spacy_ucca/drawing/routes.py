"""Routes of lines that can cross others: remote edges and linkage.

A route is a cubic curve. Of a few shapes, the one is chosen that covers the least, its label included.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import NamedTuple

from ..graph.categories import LINKAGE
from ..graph.unit import Edge
from .layout import LABEL_HEIGHT, LEVEL, Box, Layout, Point, label_width

SAMPLES = 24
NODE = 8.0  # how far from the centre of the child the arrow ends
BUCKET = 200.0
CLOSE = 7.0  # how near to another route a route should not come


class Route(NamedTuple):
    """The route of an edge: the paths of its curve and of its arrow head, and the centre of its label."""

    path: str
    arrow: str
    label: Point


class _Obstacles:
    """Boxes that lines should not cover, indexed by place.

    boxes (Iterable[Box]): The boxes.
    size (float): Width and height of the squares that they are indexed by: small ones for many boxes in one place.
    """

    def __init__(self, boxes: Iterable[Box], size: float = BUCKET) -> None:
        self.size = size
        self.buckets: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(box)

    def _squares(self, box: Box) -> Iterator[tuple[int, int]]:
        left, top, right, bottom = (int(side // self.size) for side in box)
        return product(range(left, right + 1), range(top, bottom + 1))

    def add(self, box: Box) -> None:
        for square in self._squares(box):
            self.buckets.setdefault(square, []).append(box)

    def hit(self, box: Box) -> float:
        """RETURNS (float): The area shared with obstacles."""
        left, top, right, bottom = box
        near = {other for square in self._squares(box) for other in self.buckets.get(square, ())}
        return sum(
            max(0.0, min(right, b[2]) - max(left, b[0]))
            * max(0.0, min(bottom, b[3]) - max(top, b[1]))
            for b in near
        )

    def touches(self, point: Point) -> bool:
        """RETURNS (bool): Whether the point lies in an obstacle."""
        x, y = point
        near = self.buckets.get((int(x // self.size), int(y // self.size)), ())
        return any(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in near)


def route_edges(
    edges: Iterable[Edge], layout: Layout, obstacles: Iterable[Box]
) -> Iterator[tuple[Edge, Route]]:
    """Find a route for each edge. Later edges avoid the labels of earlier ones.

    edges (Iterable[Edge]): Remote edges and those of linkage units.
    layout (Layout): The places of the units.
    obstacles (Iterable[Box]): The boxes that routes should not cover.
    YIELDS (Tuple[Edge, Route]): The edge and its route.
    """
    boxes, drawn = _Obstacles(obstacles), _Obstacles([], size=2 * CLOSE)
    for edge in edges:
        start, end = layout.places[edge.parent.index], layout.places[edge.child.index]
        best: tuple[float, list[Point], Point] | None = None
        for controls in _shapes(start, end, edge.parent.kind == LINKAGE):
            points = [_cubic(start, *controls, end, i / SAMPLES) for i in range(SAMPLES + 1)]
            if min(y for _, y in points) < 2:
                continue
            length = sum(math.dist(a, b) for a, b in pairwise(points))
            inner = [p for p in points if math.dist(p, start) > 9 and math.dist(p, end) > 9]
            length += 8 * sum(map(drawn.touches, inner))
            cost = length + 60 * sum(map(boxes.touches, inner)) * max(1.0, length / 400)
            label_cost, label = min(
                (
                    boxes.hit(_label_box(edge.label, points[i])) * 2 + abs(i - SAMPLES / 2) * 4,
                    points[i],
                )
                for i in range(4, SAMPLES - 3)
            )
            if best is None or cost + label_cost < best[0]:
                best = cost + label_cost, [*controls], label
        if best is None:
            continue
        _, (first, second), label = best
        boxes.add(_label_box(edge.label, label))
        for i in range(SAMPLES + 1):
            x, y = _cubic(start, first, second, end, i / SAMPLES)
            drawn.add((x - CLOSE, y - CLOSE, x + CLOSE, y + CLOSE))
        yield edge, _route(start, first, second, end, label)


def _label_box(label: str, center: Point) -> Box:
    half = label_width(label) / 2 + 2
    x, y = center
    return x - half, y - LABEL_HEIGHT / 2 - 2, x + half, y + LABEL_HEIGHT / 2 + 2


def _shapes(start: Point, end: Point, linkage: bool) -> Iterator[tuple[Point, Point]]:
    """The control points of the curves to choose from: over, under, sideways; shallow and steep."""
    (x, y), (to_x, to_y) = start, end
    dx, dy = to_x - x, to_y - y
    side = 1 if dx >= 0 else -1
    if linkage:
        yield (x + dx / 3, y + dy / 3), (to_x - dx / 3, to_y - dy / 3)
        yield (x + dx / 2, y), (to_x, to_y - dy / 2)
        return
    for reach in (0.3, 0.6, 1.0):
        k = max(30.0, abs(dx) * reach)
        yield (x + side * k, y), (to_x - side * k, to_y)  # sideways out, sideways in
    yield (x + dx * 0.5, y), (to_x, to_y - dy * 0.5)
    yield (x, y + dy * 0.5), (to_x - dx * 0.5, to_y)
    for height in (0.3, 0.7, 1.2, 2.0, 3.0):
        top, low = min(y, to_y) - height * LEVEL, max(y, to_y) + height * LEVEL
        yield (x + dx * 0.2, top), (to_x - dx * 0.2, top)
        if height < 1:
            yield (x + dx * 0.2, low), (to_x - dx * 0.2, low)
        for bow in (-1, 1) if abs(dx) < LEVEL else ():  # past what stands between the two
            yield (x + bow * height * LEVEL, y), (to_x + bow * height * LEVEL, to_y)


def _cubic(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    k = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
    return (
        k[0] * a[0] + k[1] * b[0] + k[2] * c[0] + k[3] * d[0],
        k[0] * a[1] + k[1] * b[1] + k[2] * c[1] + k[3] * d[1],
    )


def _route(start: Point, first: Point, second: Point, end: Point, label: Point) -> Route:
    dx, dy = end[0] - second[0], end[1] - second[1]
    norm = math.hypot(dx, dy) or 1.0
    ux, uy = dx / norm, dy / norm
    tip = end[0] - ux * NODE, end[1] - uy * NODE
    back = tip[0] - ux * 7, tip[1] - uy * 7
    path = (
        f"M{start[0]:.1f} {start[1]:.1f}C{first[0]:.1f} {first[1]:.1f} "
        f"{second[0]:.1f} {second[1]:.1f} {back[0]:.1f} {back[1]:.1f}"
    )
    arrow = (
        f"M{tip[0]:.1f} {tip[1]:.1f}L{back[0] - uy * 3.5:.1f} {back[1] + ux * 3.5:.1f}"
        f"L{back[0] + uy * 3.5:.1f} {back[1] - ux * 3.5:.1f}z"
    )
    return Route(path, arrow, label)
