"""Find the matches of a pattern in a graph: units for its nodes, from the root of the pattern on.

A pattern is a tree, so tests of tokens, which few units pass, first narrow down the units of the nodes above (a semi-join).
"""

from collections.abc import Sequence

from .pattern import Group, Node, Pattern
from .relations import CHILD, FAR, PARENT, RELATIONS
from .view import View

Units = Sequence[set[int] | None]  # for each node those that may be its unit; None for all


def can_match(view: View, pattern: Pattern) -> bool:
    """RETURNS (bool): Whether the graph has the categories that a pattern asks for: a cheap test."""
    return not any(map(view.present.isdisjoint, pattern.categories))


def find_matches(view: View, pattern: Pattern, by_tokens: Units | None) -> list[tuple[int, ...]]:
    """Find all matches.

    view (View): The Doc and its graph.
    pattern (Pattern): The pattern.
    by_tokens (Optional[Sequence[Optional[Set[int]]]]): For each node the units that pass its tests of tokens, None if it has
        none; None if no node has any.
    RETURNS (List[Tuple[int, ...]]): For each match the units of the named nodes, in text order.
    """
    allowed: Units | None = [None] * len(pattern.nodes)
    if by_tokens is not None:
        allowed = _narrow(view, pattern, by_tokens)
    if allowed is None:
        return []
    search = _Search(view, pattern, allowed)
    search.collect(0)
    own = [node for node in pattern.group.named if node.same < 0]
    if len(pattern.names) == len(own) or len(search.found) < 2:
        return list(search.found)
    return sorted(search.found, key=lambda units: [view.position(unit) for unit in units])


def _narrow(view: View, pattern: Pattern, by_tokens: Units) -> list[set[int] | None] | None:
    """RETURNS (Optional[List[Optional[Set[int]]]]): The units that a node may have, by the tokens of the nodes below it; None if
    a node has none."""
    allowed = list(by_tokens)
    for node in reversed(pattern.group.nodes):
        units = allowed[node.slot]
        if units is None:
            continue
        if not units:
            return None
        if node.left >= 0 and node.op not in FAR:
            opposite, _ = RELATIONS[RELATIONS[node.op][1]]
            above = {other for unit in units for other in opposite(view, unit)}
            known = allowed[node.left]
            allowed[node.left] = above if known is None else above & known
    return allowed


class _Search:
    """The state of a search.

    view (View): The Doc and its graph.
    pattern (Pattern): The pattern.
    allowed (Sequence[Optional[Set[int]]]): The units that each node may have; None for all.
    """

    def __init__(self, view: View, pattern: Pattern, allowed: Units) -> None:
        self.view = view
        self.group = pattern.group
        self.slots = [*pattern.names.values()]
        self.allowed = allowed
        self.units = [-1] * len(pattern.nodes)  # that are chosen
        self.found: dict[tuple[int, ...], None] = {}
        self._fitting: dict[tuple[int, int], list[int]] = {}

    def collect(self, at: int) -> None:
        """Find all choices of units for the named nodes from one on, given those that are chosen."""
        group, units = self.group, self.units
        if at == len(group.named):
            if (not group.others and not group.absent) or self._exists(group, group.others, 0):
                self.found[tuple([units[slot] for slot in self.slots])] = None
            return
        node = group.named[at]
        if node.same >= 0:
            if units[node.same] in self._candidates(node):
                self.collect(at + 1)
            return
        for unit in self._candidates(node):
            if unit not in units:
                units[node.slot] = unit
                self.collect(at + 1)
        units[node.slot] = -1

    def _exists(self, group: Group, nodes: list[Node], at: int) -> bool:
        """RETURNS (bool): Whether there are units for the nodes from one on, beside those that are chosen, and none for what must be
        absent."""
        if at == len(nodes):
            for below in group.absent:  # `any` would go one call deeper
                if self._exists(below, below.nodes, 0):
                    return False
            return True
        node, units = nodes[at], self.units
        if node.same >= 0:
            return units[node.same] in self._candidates(node) and self._exists(group, nodes, at + 1)
        found = False
        for unit in self._candidates(node):
            if unit not in units:
                units[node.slot] = unit
                found = self._exists(group, nodes, at + 1)
                if found:
                    break
        units[node.slot] = -1
        return found

    def _candidates(self, node: Node) -> list[int]:
        """RETURNS (List[int]): The units that a node may have, in text order, given those that are chosen for the nodes that it hangs
        on and comes after."""
        left = self.units[node.left] if node.left >= 0 else -1
        found = self._fitting.get((node.slot, left))
        if found is None:
            found = self._fitting[node.slot, left] = self._find(node, left)
        if self.view.check is not None:
            self.view.check(1 + len(found))
        if node.after < 0:
            return found
        before = self.view.position(self.units[node.after])
        return [unit for unit in found if self.view.position(unit) > before]

    def _find(self, node: Node, left: int) -> list[int]:
        view = self.view
        allowed, inside = self.allowed[node.slot], view.inside
        units = self._roots(node) if left < 0 else self._related(node, left)
        if allowed is not None:
            units = [unit for unit in units if unit in allowed]
        if inside is not None:
            units = [unit for unit in units if unit in inside]
        for test in node.unit.tests:
            units = [unit for unit in units if test(view, unit)]
        if len(units) < 2:
            return units
        return sorted(set(units), key=view.position)  # there may be several edges to a unit

    def _related(self, node: Node, left: int) -> list[int]:
        view = self.view
        if node.edge is None:
            return RELATIONS[node.op][0](view, left)
        edges, test = view.edges, node.edge.test
        if node.op == CHILD:
            out = view.index.out[left]
            return [edges[i].child for i in out if edges[i].child >= 0 and test(view, i)]
        assert node.op == PARENT
        return [edges[i].parent for i in view.index.into[left] if test(view, i)]

    def _roots(self, node: Node) -> list[int]:
        """RETURNS (List[int]): The units that the root of the pattern may have: a few, if its category or tokens say so."""
        allowed, view = self.allowed[node.slot], self.view
        if allowed is not None:
            return list(allowed)
        if node.unit.some is None:
            return list(range(len(view.graph.kinds)))
        return view.with_category(node.unit.some)
