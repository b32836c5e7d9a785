"""Compute the cost of each span label under units of each type and level, by the rules of UCCA."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import numpy

from ..conversion.tree import ROOT_LABEL, NodeLabel
from ..graph.categories import PUNCTUATION, TERMINAL, split_label
from .bit_grammar import BitGrammar, bit_grammar, bits
from .grammar import CATEGORIES, Table
from .repair_costs import BROKEN, MISSING, NEVER


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
