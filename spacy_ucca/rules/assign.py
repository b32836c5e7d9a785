"""Find the most probable labels of whole trees that follow the rules of UCCA.

By dynamic programming (Viterbi) over the tree, for all sentences of a batch together and with all labels: the best
labels below a unit are found for all types and levels that the unit itself may have. A unit may also get no label; its
children then belong to the unit above.

Breaking a rule costs so much that it is chosen only where nothing else is possible, so there always is a result. The
search ignores remote edges and units that were moved (`A-down1`): they count neither for the unit that they belong to
nor for the unit that they stand in. `repair` corrects broken rules there.
"""

import numpy

from .label_rules import LabelRules
from .repair_costs import BROKEN, MISSING, NEVER

__all__ = ["BROKEN", "MISSING", "NEVER", "LabelRules", "viterbi_labels"]

PART = 1_024  # spans processed at once; bounds memory


def viterbi_labels(
    rules: LabelRules,
    costs: numpy.ndarray,
    no_label: numpy.ndarray,
    parents: numpy.ndarray,
    has_tokens: numpy.ndarray,
) -> numpy.ndarray:
    """Find the labels of trees with the least cost, broken rules included.

    rules (LabelRules): The labels.
    costs (ndarray): (n, n_classes) what each label of each span costs: its negative log probability. Finite.
    no_label (ndarray): (n,) what it costs that a span has none. Roots always have one.
    parents (ndarray): (n,) the span above each, or -1.
    has_tokens (ndarray[bool]): (n,) whether a span has tokens that are in no span below it.
    RETURNS (ndarray[int64]): (n,) the class of each; 0 for no label.
    """
    return _Search(rules, costs, no_label, parents, has_tokens).run()


class _Search:
    """The search. Its arrays have a row for each span and a column for each constraint on children."""

    def __init__(
        self,
        rules: LabelRules,
        costs: numpy.ndarray,
        no_label: numpy.ndarray,
        parents: numpy.ndarray,
        has_tokens: numpy.ndarray,
    ) -> None:
        self.rules, self.costs, self.no_label = rules, costs, no_label
        self.parents, self.has_tokens = parents, has_tokens
        self.table = rules.constraints
        n, n_constraints = len(costs), len(self.table.constraints)
        # Cost of a span under each constraint: without a needed category, and with one.
        self.without, self.giving = numpy.zeros((2, n, n_constraints))
        # What its children cost under it together: if none gives it; if any may; how much more if one has to.
        self.none_gives, self.any_gives = numpy.zeros((2, n, n_constraints))
        self.more = numpy.full((n, n_constraints), numpy.inf)
        # By the level of a unit: the best constraint on its children, and their cost under it.
        self.best = numpy.zeros((n, len(self.table.numbers)), dtype="int64")
        self.inner = numpy.zeros((n, len(self.table.numbers)))

    def run(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the classes."""
        depths = _depths(self.parents)
        order = numpy.argsort(depths, kind="stable")
        rows = numpy.split(order, numpy.cumsum(numpy.bincount(depths))[:-1])
        for at in reversed(rows):
            for start in range(0, len(at), PART):
                self._fill(at[start : start + PART])
        # For each span: its label, the constraint on its children, whether a child must have a needed category.
        self.chosen, self.constraint = numpy.zeros((2, len(depths)), dtype="int64")
        self.must = numpy.zeros(len(depths), dtype="bool")
        for at in rows:
            self._choose(at)
        return self.chosen

    def _fill(self, rows: numpy.ndarray) -> None:
        """Compute the costs of all choices from the leaves up."""
        table = self.table
        rules, more, any_gives = self.rules, self.more[rows], self.any_gives[rows]
        tokens = table.tokens * self.has_tokens[rows, None]
        # As a unit: the best constraint for each level
        total = (any_gives + tokens + table.needs * numpy.minimum(more, table.lacking))[
            :, table.numbers
        ]
        best = total.argmin(axis=2)
        self.best[rows] = table.numbers[numpy.arange(len(table.numbers)), best]
        self.inner[rows] = numpy.take_along_axis(total, best[:, :, None], axis=2)[:, :, 0]
        # As a child: the best label of each kind, under each constraint
        values = numpy.stack([self._values(rows, deep) for deep in (0, 1)], axis=1)
        values = numpy.minimum.reduceat(values[:, :, rules.by_kind], rules.cuts, axis=2)[
            :, table.deep
        ]
        without, giving = (values + rules.without).min(axis=2), (values + rules.giving).min(axis=2)
        # Without a label, those under it are children of the unit above.
        gone = self.no_label[rows, None] + tokens
        without = numpy.minimum(without, gone + self.none_gives[rows])
        giving = numpy.minimum(giving, gone + any_gives + more)
        self.without[rows], self.giving[rows] = without, giving
        inner = self.parents[rows] >= 0
        above, without, giving = self.parents[rows[inner]], without[inner], giving[inner]
        either = numpy.where(table.single, without, numpy.minimum(without, giving))
        numpy.add.at(self.none_gives, above, without)
        numpy.add.at(self.any_gives, above, either)
        numpy.minimum.at(self.more, above, giving - either)

    def _values(self, rows: numpy.ndarray, deep: int | numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray): (n, n_classes) the cost of each label with everything below it."""
        below = self.inner[rows[:, None], self.rules.level[deep]]
        return self.costs[rows] + self.rules.cost[deep] + below

    def _choose(self, rows: numpy.ndarray) -> None:
        """Select the best choices from the roots down."""
        table = self.table
        rules, above = self.rules, self.parents[rows]
        is_root = above < 0
        constraint = self.constraint[above]
        without, giving = self.without[rows, constraint], self.giving[rows, constraint]
        # If a child must have a needed category, take the one with the least extra cost; others choose freely.
        likes = ~table.single[constraint] & (giving <= without)
        order = numpy.lexsort((numpy.where(likes, 0.0, giving - without), above))
        first = numpy.ones(len(rows), dtype="bool")
        first[order[1:]] = above[order[1:]] != above[order[:-1]]
        gives = self.must[above] & (first | likes) & ~is_root
        deep = numpy.where(is_root, 0, table.deep[constraint])
        values = self._values(rows, deep)
        own_costs = numpy.where(gives[:, None], rules.giving[constraint], rules.without[constraint])
        values += numpy.where(is_root[:, None], 0.0, own_costs[:, rules.kind])
        chosen = values.argmin(axis=1)
        children = self.none_gives[rows, constraint]
        some = rows[gives], constraint[gives]
        children[gives] = self.any_gives[some] + self.more[some]
        gone = self.no_label[rows] + table.tokens[constraint] * self.has_tokens[rows] + children
        labeled = is_root | (values.min(axis=1) <= gone)
        self.chosen[rows] = numpy.where(labeled, chosen, 0)
        # Spans below are children of this unit or, if it has no label, take its place.
        below = self.best[rows, rules.level[deep, chosen]]
        must_below = table.needs[below] & (self.more[rows, below] <= table.lacking[below])
        self.constraint[rows] = numpy.where(labeled, below, constraint)
        self.must[rows] = numpy.where(labeled, must_below, gives)


def _depths(parents: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) how many spans are above each."""
    depths = numpy.zeros(len(parents), dtype="int64")
    rows, above = numpy.arange(len(parents)), parents
    while len(rows):
        rows, above = rows[above >= 0], above[above >= 0]
        depths[rows] += 1
        above = parents[above]
    return depths
