"""Choose other categories for edges that do not go together, and drop implicit units that do not fit.

Units are repaired from the root down. The children of each get the cheapest categories that make it a unit of some
type that its category allows. The cost of changing the children of its children is included.
"""

from ..graph.categories import IMPLICIT
from .bit_grammar import BitGrammar, bits
from .draft import Draft
from .repair_costs import (
    DROP_COST,
    IMPLICIT_COST,
    NEW,
    NEW_COST,
    PART_COST,
    WORD_COST,
    repair_actions,
)
from .unit_types import UnitType

INFINITE = float("inf")
_NEW = -1  # stands for a new Process or State among the edges of a unit


class LabelRepair:
    """Repair of the categories of a graph.

    draft (Draft): The graph.
    grammar (BitGrammar): The rules.
    new (int): The categories that edges may get, as bits. Others are used only where none of these fits.
    """

    def __init__(self, draft: Draft, grammar: BitGrammar, new: int = NEW) -> None:
        self.draft = draft
        self.grammar = grammar
        self.new = new
        self.plain: dict[int, float] = {}

    def repair(self) -> None:
        """Repair all units of the graph."""
        for root in self.draft.roots:
            self._repair_below(root)

    def _repair_below(self, root: int) -> None:
        draft = self.draft
        kids, children = draft.kids, draft.children
        order, stack = [], [root]
        while stack:
            unit = stack.pop()
            order.append(unit)
            stack += [children[i] for i in kids[unit]]
        # Upper bound of the cost of removing everything banned in Processes and States from a unit and below.
        self.plain = dict.fromkeys(order, 0.0)
        for unit in reversed(order):
            if kids[unit] or draft.remotes[unit]:
                below = sum([self.plain[children[i]] for i in kids[unit]])
                self.plain[unit] = self._banned_weight(unit, self.grammar.deep) + below
        levels = {root: self.grammar.top}
        for unit in order:  # parents come before their children
            if kids[unit] or draft.remotes[unit]:
                level = levels[unit]
                self._repair_unit(unit, level)
                for i in kids[unit]:
                    levels[children[i]] = self.grammar.below(level, draft.labels[i])

    def _conflict(self, unit: int, level: int) -> float:
        """RETURNS (float): The cost of making a unit fit its level, in weights of edges."""
        banned, deep = self.grammar.levels[level]
        if not banned or not (self.draft.kids[unit] or self.draft.remotes[unit]):
            return 0.0
        return self.plain[unit] if deep else self._banned_weight(unit, banned)

    def _banned_weight(self, unit: int, banned: int) -> float:
        """RETURNS (float): The weight of the edges of a unit that have some categories."""
        draft = self.draft
        labels, weights = draft.labels, draft.weights
        primary = sum([weights[i] for i in draft.kids[unit] if labels[i] & banned])
        return primary + sum([weights[i] for i in draft.remotes[unit] if labels[i] & banned])

    def _repair_unit(self, unit: int, level: int) -> None:
        """Give the children of a unit categories that go together and with it."""
        draft, grammar = self.draft, self.grammar
        labels, children = draft.labels, draft.children
        categories, n_main, conflict = 0, 0, 0.0
        for i in draft.edges_of(unit):
            categories |= labels[i]
            n_main += (labels[i] & grammar.at_most_one).bit_count()
        for i in draft.kids[unit]:
            if draft.kids[children[i]] or draft.remotes[children[i]]:
                conflict += self._conflict(children[i], grammar.below(level, labels[i]))
        if not conflict and grammar.fits(categories, level, n_main, unit in draft.tokens):
            return
        for new in (self.new, NEW):
            tried = [self._choose(unit, level, unit_type, new) for unit_type in grammar.unit_types]
            cost, best = min(
                (t for t in tried if t is not None), key=lambda t: t[0], default=(INFINITE, {})
            )
            if cost < INFINITE:
                break
        if best.pop(_NEW, 0):
            self.plain[draft.add_relation(unit)] = 0.0
        for i, label in best.items():
            labels[i] = label

    def _choose(
        self, unit: int, level: int, unit_type: UnitType, new: int
    ) -> tuple[float, dict[int, int]] | None:
        """Find the cheapest categories that make a unit one of some type.

        new (int): The categories that edges may get.
        RETURNS (Optional[Tuple[float, Dict[int, int]]]): What they cost, and the categories of each edge; None, if
            it cannot be.
        """
        draft = self.draft
        has_tokens = unit in draft.tokens
        needed, single = unit_type.needed, unit_type.single
        allowed = unit_type.allowed & ~self.grammar.levels[level].banned
        if has_tokens:
            allowed &= ~self.grammar.not_beside_tokens
        if needed and not allowed & needed:
            return None
        total, provided = 0.0, False
        chosen: dict[int, int] = {}
        for i in sorted(draft.remotes[unit], key=lambda i: -draft.weights[i]):
            label = draft.labels[i] & allowed
            if single and (provided or (label & needed).bit_count() > 1):
                label &= ~needed
            provided |= bool(label & needed)
            cost = 0.0 if label == draft.labels[i] else PART_COST if label else DROP_COST
            total += cost * draft.weights[i]
            chosen[i] = label
        gains = []
        bare = draft.is_bare(unit)
        keep = bare and not has_tokens
        for i in draft.kids[unit]:
            without = self._cheapest(i, level, allowed & ~needed, 0, keep, new)
            best = without
            if needed:
                having = self._cheapest(i, level, allowed, needed, keep, new)
                gains.append((having[0] - without[0], i, having[1]))
                if not single and having[0] < without[0]:
                    best, provided = having, True
            total += best[0]
            chosen[i] = best[1]
        if needed and not provided:
            if single:  # a Scene whose relation is not in the text, or all there is of it
                cost = WORD_COST if bare and has_tokens else NEW_COST
                gains.append((cost, _NEW, bits("P")))
            if not gains:
                return None
            gain, i, label = min(gains)
            total += gain
            chosen[i] = label
        return total, chosen

    def _cheapest(
        self, i: int, level: int, allowed: int, needed: int, keep: bool, new: int
    ) -> tuple[float, int]:
        """RETURNS (Tuple[float, int]): The cost of the cheapest categories of an edge with exactly one that is needed,
        and these; 0 leaves an implicit unit out, unless it is to be kept."""
        draft = self.draft
        label, child, weight = draft.labels[i], draft.children[i], draft.weights[i]
        best = (INFINITE, 0)
        droppable = draft.kinds[child] == IMPLICIT and child not in draft.linked
        if droppable and not needed and not keep and not draft.shared[child]:
            best = (IMPLICIT_COST * weight, 0)
        for cost, changed in repair_actions(label, allowed, needed, new):
            cost = cost * weight + self._conflict(child, self.grammar.below(level, changed))
            if cost < best[0]:
                best = cost, changed
        return best
