"""The relations of a pattern (REL_OP): from a unit to the units that stand in the relation to it."""

from collections.abc import Callable
from functools import partial

from ..graph.categories import LINKAGE
from .view import View

Related = Callable[[View, int], list[int]]


def _children(view: View, unit: int) -> list[int]:
    edges = view.edges
    return [edges[i].child for i in view.index.out[unit] if edges[i].child >= 0]


def _parents(view: View, unit: int) -> list[int]:
    return [view.edges[i].parent for i in view.index.into[unit]]


def _descendants(view: View, unit: int) -> list[int]:
    found = [unit]
    for above in found:  # grows while it is walked
        if view.graph.kinds[above] != LINKAGE:  # what that links belongs to others
            found += _own_children(view, above)
    return found[1:]


def _own_children(view: View, unit: int) -> list[int]:
    edges = (view.edges[i] for i in view.index.out[unit])
    return [edge.child for edge in edges if edge.child >= 0 and not edge.remote]


def _ancestors(view: View, unit: int) -> list[int]:
    found: list[int] = []
    while (edge := view.index.parent_edge[unit]) >= 0:
        unit = view.edges[edge].parent
        found.append(unit)
    return found


def _siblings(view: View, unit: int) -> list[int]:
    edge = view.index.parent_edge[unit]
    children = [] if edge < 0 else _own_children(view, view.edges[edge].parent)
    return [child for child in children if child != unit]


def _side_siblings(view: View, unit: int, later: bool) -> list[int]:
    """RETURNS (List[int]): The siblings that begin after the first token of a unit, or before it."""
    masks, start = view.index.masks, view.index.starts
    others = (u for u in _siblings(view, unit) if masks[u] and masks[unit])
    return [u for u in others if (start[u] > start[unit] if later else start[u] < start[unit])]


def _nearest_siblings(view: View, unit: int, later: bool) -> list[int]:
    """RETURNS (List[int]): The nearest of these, up to one that is no punctuation."""
    units = sorted(_side_siblings(view, unit, later), key=view.position, reverse=not later)
    for n, each in enumerate(units, start=1):
        if not view.is_punct(each):
            return units[:n]
    return units


def _beside(view: View, unit: int, later: bool) -> list[int]:
    """RETURNS (List[int]): The units of the sentence that begin where a unit ends, or end where it begins; punctuation between
    does not count."""
    if not view.index.masks[unit]:
        return []
    start, end, n = view.index.starts[unit], view.end(unit), len(view.graph.words)
    found: list[int] = []
    for token in range(end, n) if later else range(start - 1, -1, -1):
        found += view.by_start[token] if later else view.by_end[token + 1]
        if not view.is_passed_over(token):
            break
    return [u for u in found if view.roots[u] == view.roots[unit]]


def _farther(view: View, unit: int, later: bool) -> list[int]:
    """RETURNS (List[int]): The units of the sentence that begin after the end of a unit, or end before it begins."""
    if not view.index.masks[unit]:
        return []
    start, end = view.index.starts, view.end
    others = view.by_root[view.roots[unit]]
    return [u for u in others if (start[u] >= end(unit) if later else end(u) <= start[unit])]


CHILD, PARENT = ">", "<"
# With each, the relation from right to left.
RELATIONS: dict[str, tuple[Related, str]] = {
    CHILD: (_children, PARENT),  # children, by any edge
    PARENT: (_parents, CHILD),  # parents, by any edge
    ">>": (_descendants, "<<"),
    "<<": (_ancestors, ">>"),
    "$": (_siblings, "$"),
    "$+": (partial(_nearest_siblings, later=True), "$-"),
    "$-": (partial(_nearest_siblings, later=False), "$+"),
    "$++": (partial(_side_siblings, later=True), "$--"),
    "$--": (partial(_side_siblings, later=False), "$++"),
    ".": (partial(_beside, later=True), ";"),
    ".*": (partial(_farther, later=True), ";*"),
    ";": (partial(_beside, later=False), "."),
    ";*": (partial(_farther, later=False), ".*"),
}
# Their opposites are not worth a search: half a text stands in the relation to a unit.
FAR = frozenset((".*", ";*"))
