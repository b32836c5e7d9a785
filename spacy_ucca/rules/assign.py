"""Find the most probable labels of whole trees that follow the rules of UCCA.

By dynamic programming (Viterbi) over the tree, for all sentences of a batch together and with all labels: the best
labels below a unit are found for all types and levels that the unit itself may have. A unit may also get no label; its
children then belong to the unit above. `LabelRules` has the cost of each label under units of each type and level.

Breaking a rule costs so much that it is chosen only where nothing else is possible, so there always is a result. The
search ignores remote edges and units that were moved (`A-down1`): they count neither for the unit that they belong to
nor for the unit that they stand in. `repair` corrects broken rules there.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy
from numpy import ndarray

from ..conversion.tree import ROOT_LABEL, NodeLabel
from ..graph.categories import PUNCTUATION, TERMINAL, split_label
from .bit_grammar import BitGrammar, bit_grammar, bits
from .draft import BROKEN, MISSING, NEVER
from .grammar import CATEGORIES, Table


class ChildConstraint(NamedTuple):
    """What a unit of some type and level asks of each of its children.

    allowed (int): The categories that a child may have.
    needed (int): Those of which one child has to have one.
    single (bool): Whether no more than one child has one of `needed`.
    deep (bool): Whether what is banned in Processes and States is banned in all units below, too.
    childless (bool): Whether there should be no child at all.
    """

    allowed: int
    needed: int = 0
    single: bool = False
    deep: bool = False
    childless: bool = False

    def cost_without(self, categories: int) -> float:
        """RETURNS (float): The cost of a child with some categories that has no needed category."""
        return BROKEN * (self.childless + (categories & ~(self.allowed & ~self.needed)).bit_count())

    def cost_giving(self, categories: int) -> float:
        """RETURNS (float): The cost of a child with some categories that supplies the needed category."""
        given = categories & self.allowed & self.needed
        if not given:
            return NEVER
        too_many = given.bit_count() - 1 if self.single else 0
        return BROKEN * (too_many + (categories & ~self.allowed).bit_count())


class ConstraintTable:
    """The constraints on children of units of all types and levels, by number.

    grammar (BitGrammar): The rules.
    constraints (List[ChildConstraint]): All constraints.
    numbers (ndarray[int64]): (n_levels, n_types) the constraint of units of each level and type. The last levels are
        `leaf`, units without children but punctuation, and `punct`, punctuation units, which have none at all.
    deep, needs, single (ndarray): (n_constraints,) their fields; whether anything is needed.
    lacking (ndarray[float64]): (n_constraints,) cost if no child has a needed category.
    tokens (ndarray[float64]): (n_constraints,) cost if tokens stand beside the children.
    """

    def __init__(self, grammar: BitGrammar) -> None:
        self.grammar = grammar
        types = grammar.unit_types
        rows = [
            [ChildConstraint(t.allowed & ~banned, t.needed, t.single, deep) for t in types]
            for banned, deep in grammar.levels
        ]
        self.leaf, self.punct = len(rows), len(rows) + 1
        rows += [
            [ChildConstraint(0)] * len(types),
            [ChildConstraint(0, childless=True)] * len(types),
        ]
        constraints = self.constraints = sorted({constraint for row in rows for constraint in row})
        self.numbers = numpy.array(
            [[constraints.index(constraint) for constraint in row] for row in rows]
        )
        self.deep = numpy.array([int(constraint.deep) for constraint in constraints])
        self.needs = numpy.array([constraint.needed > 0 for constraint in constraints])
        self.single = numpy.array([constraint.single for constraint in constraints])
        wordless = numpy.array([bool(c.needed & grammar.not_beside_tokens) for c in constraints])
        self.lacking = numpy.where(wordless, BROKEN, MISSING)
        self.tokens = numpy.where(wordless, BROKEN, 0.0)
        self.costs = lru_cache(maxsize=4096)(self._costs)

    def __reduce__(self) -> tuple:
        return constraint_table, (self.grammar.table,)

    def _costs(self, categories: int) -> tuple[list[float], list[float]]:
        """RETURNS (Tuple[List[float], List[float]]): What a child with some categories costs under each constraint, if
        it gives nothing of what is needed and if it does."""
        without = [constraint.cost_without(categories) for constraint in self.constraints]
        return without, [constraint.cost_giving(categories) for constraint in self.constraints]

    def level_below(self, label: NodeLabel, deep: bool) -> int:
        """RETURNS (int): The level of the unit of a label, given whether its parent is in a Process or State."""
        grammar = self.grammar
        if label.name == ROOT_LABEL:
            return grammar.top
        if label.name == PUNCTUATION:
            return self.punct
        categories = label_categories(label._replace(move=""))
        if categories and not categories & ~grammar.childless:
            return self.leaf
        return grammar.plain if deep else grammar.level_of(categories)

    def fits(self, categories: int, level: int) -> bool:
        """RETURNS (bool): Whether an only child of a unit of some level may have some categories, perhaps beside a main
        relation or Center that is remote or implicit."""
        grammar = self.grammar
        added = [t.needed & -t.needed for t in grammar.unit_types]
        return level != self.leaf and any(
            grammar.fits(
                categories | more,
                level,
                ((categories | more) & grammar.at_most_one).bit_count(),
                False,
            )
            for more in {0, *added}
            if not more & grammar.not_beside_tokens
        )


@cache
def constraint_table(table: Table) -> ConstraintTable:
    """RETURNS (ConstraintTable): The constraints on children by the rules of a table, cached by table."""
    return ConstraintTable(bit_grammar(table))


def label_categories(label: NodeLabel) -> int:
    """RETURNS (int): The categories of a node that count for the unit above, as bits."""
    if label.move or label.name in (ROOT_LABEL, TERMINAL):
        return 0
    return bits(tuple(c for c in split_label(label.name) if c != PUNCTUATION))


class LabelRules:
    """Levels and costs of span labels by the rules.

    chains (Sequence[Tuple[NodeLabel, ...]]): The labels, by class; class 0 is no label.
    table (Table): The rules about categories.
    """

    def __init__(self, chains: Sequence[tuple[NodeLabel, ...]], table: Table = CATEGORIES) -> None:
        self.constraints = constraint_table(table)
        self.is_moved = numpy.array([any(link.move for link in chain) for chain in chains])
        # Labels with the same categories are equal for the unit above.
        categories = [label_categories(chain[0]) if chain else 0 for chain in chains]
        kinds = sorted(set(categories))
        self.kind = numpy.array([kinds.index(value) for value in categories])
        self.by_kind = numpy.argsort(self.kind, kind="stable")
        self.cuts = numpy.searchsorted(self.kind[self.by_kind], numpy.arange(len(kinds)))
        # (constraints, kinds) cost of a child without the needed category, and of a child that supplies it.
        costs = numpy.array([self.constraints.costs(categories) for categories in kinds])
        self.without, self.giving = costs.transpose(1, 2, 0)
        # (2, labels) level of the last unit of a chain and cost of the chain, first if not deep, then if deep.
        below = [[self._below(chain, deep) for chain in chains] for deep in (False, True)]
        self.level = numpy.array([[level for level, _ in row] for row in below])
        self.cost = numpy.array([[cost for _, cost in row] for row in below])

    def _below(self, chain: tuple[NodeLabel, ...], deep: bool) -> tuple[int, float]:
        """RETURNS (Tuple[int, float]): The level of the last unit of a chain, and the cost of rules broken within it."""
        table, grammar = self.constraints, self.constraints.grammar
        level, cost = grammar.plain if deep else grammar.FREE, 0.0
        for i, label in enumerate(chain):
            categories = label_categories(label)
            # A missing sibling costs nothing here: the probability of the label accounts for it.
            if i and (level == table.punct or (categories and not table.fits(categories, level))):
                cost += BROKEN
            level = table.level_below(label, level == grammar.plain and not label.move)
        return level, cost


PART = 1_024  # spans processed at once; bounds memory


def viterbi_labels(
    rules: LabelRules, costs: ndarray, no_label: ndarray, parents: ndarray, has_tokens: ndarray
) -> ndarray:
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
        costs: ndarray,
        no_label: ndarray,
        parents: ndarray,
        has_tokens: ndarray,
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

    def run(self) -> ndarray:
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

    def _fill(self, rows: ndarray) -> None:
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

    def _values(self, rows: ndarray, deep: int | ndarray) -> ndarray:
        """RETURNS (ndarray): (n, n_classes) the cost of each label with everything below it."""
        below = self.inner[rows[:, None], self.rules.level[deep]]
        return self.costs[rows] + self.rules.cost[deep] + below

    def _choose(self, rows: ndarray) -> None:
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


def _depths(parents: ndarray) -> ndarray:
    """RETURNS (ndarray[int64]): (n,) how many spans are above each."""
    depths = numpy.zeros(len(parents), dtype="int64")
    rows, above = numpy.arange(len(parents)), parents
    while len(rows):
        rows, above = rows[above >= 0], above[above >= 0]
        depths[rows] += 1
        above = parents[above]
    return depths
