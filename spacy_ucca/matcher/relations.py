"""The relations of a pattern (REL_OP): from a unit to the units that stand in the relation to it."""

from collections.abc import Callable
from typing import NamedTuple

from ..graph.categories import LINKAGE, PUNCT, PUNCTUATION
from .view import View

Related = Callable[[View, int], list[int]]


class Relation(NamedTuple):
    """A relation between two units.

    units (Callable): The units that are on the right of it, given the one on the left. Of `>` and `<` they come by edges.
    opposite (str): The relation from right to left.
    meaning (str): What the unit on the right is, in a few words.
    """

    units: Related
    opposite: str
    meaning: str


def child_edges(view: View, unit: int) -> list[int]:
    """RETURNS (List[int]): The edges to the children of a unit, remote ones too."""
    edges = view.edges
    return [i for i in view.index.out[unit] if edges[i].child >= 0]


def _children(view: View, unit: int) -> list[int]:
    return [view.edges[i].child for i in child_edges(view, unit)]


def _parents(view: View, unit: int) -> list[int]:
    return [view.edges[i].parent for i in view.index.into[unit]]


def _descendants(view: View, unit: int) -> list[int]:
    found = [unit]
    for above in found:  # grows while it is walked
        if view.graph.kinds[above] != LINKAGE:  # what that links belongs to others
            found += [
                view.edges[i].child
                for i in view.index.out[above]
                if view.edges[i].child >= 0 and not view.edges[i].remote
            ]
    return found[1:]


def _ancestors(view: View, unit: int) -> list[int]:
    found: list[int] = []
    while (edge := view.index.parent_edge[unit]) >= 0:
        unit = view.edges[edge].parent
        found.append(unit)
    return found


def _siblings(view: View, unit: int) -> list[int]:
    edge = view.index.parent_edge[unit]
    if edge < 0:
        return []
    children = (view.edges[i] for i in view.index.out[view.edges[edge].parent])
    return [e.child for e in children if e.child >= 0 and not e.remote and e.child != unit]


def _right_siblings(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    start, masks = view.index.starts, view.index.masks
    return [u for u in _siblings(view, unit) if masks[u] and start[u] > start[unit]]


def _left_siblings(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    start = view.index.starts
    return [u for u in _siblings(view, unit) if start[u] < start[unit]]


def _next_siblings(view: View, unit: int) -> list[int]:
    return _up_to_word(view, sorted(_right_siblings(view, unit), key=view.position))


def _previous_siblings(view: View, unit: int) -> list[int]:
    return _up_to_word(view, sorted(_left_siblings(view, unit), key=view.position, reverse=True))


def _up_to_word(view: View, units: list[int]) -> list[int]:
    """RETURNS (List[int]): The first units, up to one that is no punctuation."""
    for n, unit in enumerate(units, start=1):
        if not (view.graph.kinds[unit] == PUNCT or PUNCTUATION in view.categories(unit)):
            return units[:n]
    return units


def _right_after(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    found: list[int] = []
    for token in range(view.end(unit), len(view.graph.words)):
        found += view.by_start.get(token, ())
        if not view.is_passed_over(token):
            break
    return [u for u in found if view.roots[u] == view.roots[unit]]


def _right_before(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    found: list[int] = []
    for token in range(view.index.starts[unit] - 1, -1, -1):
        found += view.by_end.get(token + 1, ())
        if not view.is_passed_over(token):
            break
    return [u for u in found if view.roots[u] == view.roots[unit]]


def _after(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    end, starts = view.end(unit), view.index.starts
    return [u for u in view.by_root[view.roots[unit]] if starts[u] >= end]


def _before(view: View, unit: int) -> list[int]:
    if not view.index.masks[unit]:
        return []
    start = view.index.starts[unit]
    return [u for u in view.by_root[view.roots[unit]] if view.end(u) <= start]


CHILD, PARENT, DESCENDANT = ">", "<", ">>"
RELATIONS: dict[str, Relation] = {
    CHILD: Relation(_children, PARENT, "child, by any edge"),
    PARENT: Relation(_parents, CHILD, "parent, by any edge"),
    DESCENDANT: Relation(_descendants, "<<", "descendant"),
    "<<": Relation(_ancestors, DESCENDANT, "ancestor"),
    "$": Relation(_siblings, "$", "sibling"),
    "$+": Relation(_next_siblings, "$-", "next sibling"),
    "$-": Relation(_previous_siblings, "$+", "sibling right before"),
    "$++": Relation(_right_siblings, "$--", "later sibling"),
    "$--": Relation(_left_siblings, "$++", "earlier sibling"),
    ".": Relation(_right_after, ";", "begins right after the end"),
    ".*": Relation(_after, ";*", "begins after the end"),
    ";": Relation(_right_before, ".", "ends right before the beginning"),
    ";*": Relation(_before, ".*", "ends before the beginning"),
}
# Their opposites are not worth a search: half a text stands in the relation to a unit.
FAR = frozenset((".*", ";*"))
