"""The table of rules as arithmetic on bits: which sets of categories may stand under one unit, and under which.

A set of categories is an integer with a bit for each row of the table. `BitGrammar` answers for one unit at a time
(`fits`) and, with the arrays of its masks, for all units of a batch at once. What the children of a unit may be together are
the types of units that follow from the table. For UCCA these are a unit without relation, a Scene, a unit with a Center, one
with coordinated Centers, and Parallel Scenes.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy

from .grammar import CATEGORIES, OTHER_LETTER, Category, Table


class UnitType(NamedTuple):
    """The categories that the children of a unit of some type may have.

    allowed (int): All of them.
    needed (int): Those of which one child at least has one; 0 for none.
    single (bool): Whether no more than one child has one of `needed`.
    """

    allowed: int
    needed: int = 0
    single: bool = False


def unit_types(
    compatible: numpy.ndarray, needs: Mapping[int, int], at_most_one: int, not_beside_tokens: int
) -> list[UnitType]:
    """Find the types of units: the largest sets of categories that may stand beside each other.

    compatible (ndarray[bool]): (n_sets,) whether a set of categories may stand under one unit.
    needs (Mapping[int, int]): For categories that need others: those of which there has to be one.
    at_most_one (int): The categories of which a unit has one at most.
    not_beside_tokens (int): The categories that do not stand beside tokens.
    RETURNS (List[UnitType]): The types. Those that ask for less come first, which decides between equally good ones.
    RAISES (ValueError): If one unit would need two things.
    """
    types, bare = [], set()
    for allowed in _largest(compatible):
        needed = {group for category, group in needs.items() if category & allowed}
        if len(needed) > 1:
            raise ValueError("categories that may stand beside each other need different others")
        for group in needed:
            types.append(UnitType(allowed, group, not group & ~at_most_one))
            for category in (group, *(c for c, other in needs.items() if other == group)):
                allowed &= ~category
        bare.add(allowed)
    types += [UnitType(s) for s in bare if not any(s & ~o == 0 for o in bare - {s})]

    def demands(of: UnitType) -> tuple:
        wordless = bool(of.needed & not_beside_tokens)
        return of.needed > 0, not of.single, wordless, -of.allowed.bit_count(), of.allowed

    return sorted(types, key=demands)


def _largest(compatible: numpy.ndarray) -> list[int]:
    """RETURNS (List[int]): The compatible sets to which no category can be added."""
    sets = numpy.arange(len(compatible))
    largest = compatible.copy()
    for i in range(len(compatible).bit_length() - 1):
        more = sets | 1 << i
        largest &= (more == sets) | ~compatible[more]
    return numpy.nonzero(largest)[0].tolist()


BITS = {row.letter: 1 << i for i, row in enumerate(CATEGORIES)}
OTHER = BITS.pop(OTHER_LETTER)
NAMES = {bit: category for category, bit in BITS.items()}


@cache
def bits(categories: str | tuple[str, ...]) -> int:
    """RETURNS (int): Categories as bits."""
    mask = 0
    for category in categories:
        mask |= BITS.get(category, OTHER)
    return mask


class Level(NamedTuple):
    """What a unit may not have below it.

    banned (int): Categories that no child has.
    deep (bool): Whether no unit further below has one of them either.
    """

    banned: int = 0
    deep: bool = False

    def union(self, other: "Level") -> "Level":
        """RETURNS (Level): What a unit may not have that two levels hold for."""
        return Level(self.banned | other.banned, self.deep or other.deep)


class BitGrammar:
    """What the rules of a table say of sets of categories.

    table (Table): The rules.
    levels (List[Level]): What units may not have below them, from `FREE` on: the later, the less they may have. The
        last but one is `plain`, the last `top`, that of the root.
    together (ndarray[bool]): (n_sets,) whether children with a set of categories may stand under one unit.
    unit_types (List[UnitType]): What the children of a unit may be together.

    The others are sets of categories: those of `at_most_one`, `not_beside_tokens`, `childless`, `not_remote` and
    `one_parent`; `deep_in`, which have units that nothing of `deep` stands in, however deep.
    RAISES (ValueError): If the table is none that repair and the search for labels can follow.
    """

    FREE = 0

    def __init__(self, table: Table) -> None:
        if [row.letter for row in table] != [row.letter for row in CATEGORIES]:
            raise ValueError("a table of rules has the rows of CATEGORIES, in their order")
        self.table = table
        self.at_most_one = self._rows("at_most_one")
        self.not_beside_tokens = self._rows("not_beside_tokens")
        self.childless = self._rows("childless")
        self.not_remote = self._rows("not_remote")
        self.one_parent = self._rows("one_parent")
        self.deep_in = self._rows("no_descendant")
        row_levels = [_level(row) for row in table]
        self.deep = 0
        for level in row_levels:
            self.deep |= level.banned if level.deep else 0
        unions = {Level()}
        for level in row_levels:
            unions |= {level.union(other) for other in unions}
        self.levels = sorted(unions, key=lambda x: (x.deep, x.banned.bit_count(), x.banned))
        self._numbers = {level: i for i, level in enumerate(self.levels)}
        self.plain, self.top = len(self.levels) - 1, len(self.levels)
        self.levels.append(Level(self._rows("not_under_root")))
        self._own_levels = row_levels
        sets = numpy.arange(1 << len(table), dtype="int32")
        clashes = self._breaks(sets, "not_beside", has_one=True)
        self.together = ~(clashes | self._breaks(sets, "needs", has_one=False))
        needs = {1 << i: bits(row.needs.categories) for i, row in enumerate(table) if row.needs}
        if self.at_most_one not in {0, *needs.values()}:
            raise ValueError("at_most_one is only for all categories that another one needs")
        self.unit_types: list[UnitType] = unit_types(
            ~clashes, needs, self.at_most_one, self.not_beside_tokens
        )
        self.level_of, self.below = cache(self._level_of), cache(self._below)

    def __reduce__(self) -> tuple:
        return bit_grammar, (self.table,)

    def _rows(self, column: str) -> int:
        """RETURNS (int): The categories with a rule in a column."""
        return sum(1 << i for i, row in enumerate(self.table) if getattr(row, column))

    def _breaks(self, sets: numpy.ndarray, column: str, *, has_one: bool) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_sets,) whether a set has a category with a rule in a column and one that the rule names, or
        else none of these."""
        is_broken = numpy.zeros(len(sets), dtype=bool)
        for i, row in enumerate(self.table):
            if rule := getattr(row, column):
                has = sets & bits(rule.categories) != 0
                is_broken |= (sets >> i & 1 != 0) & (has == has_one)
        return is_broken

    def _level_of(self, categories: int) -> int:
        level = Level()
        for i, category_level in enumerate(self._own_levels):
            if categories >> i & 1:
                level = level.union(category_level)
        return self._numbers[level]

    def _below(self, level: int, categories: int) -> int:
        child_level = self.level_of(categories)
        if not self.levels[level].deep:
            return child_level
        return self._numbers[self.levels[level].union(self.levels[child_level])]

    def fits(self, categories: int, level: int, n_main: int, has_tokens: bool) -> bool:
        """Whether a unit may have children of some categories.

        categories (int): The categories of its children.
        level (int): What its own categories allow, by number.
        n_main (int): How many of its children's categories are among those of `at_most_one`.
        has_tokens (bool): Whether tokens hang on it.
        RETURNS (bool): Whether it may.
        """
        if categories & self.levels[level].banned or n_main > 1:
            return False
        if has_tokens and categories & self.not_beside_tokens:
            return False
        return bool(self.together[categories])


def _level(row: Category) -> Level:
    banned = bits(row.no_child.categories) if row.no_child else 0
    if row.no_descendant and bits(row.no_descendant.categories) & ~banned:
        raise ValueError(f"{row.letter}: no_descendant forbids what no_child allows")
    return Level(banned, row.no_descendant is not None)


@cache
def bit_grammar(table: Table) -> BitGrammar:
    """RETURNS (BitGrammar): What the rules of a table say of sets of categories. Made once for each table."""
    return BitGrammar(table)
