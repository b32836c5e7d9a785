"""Checks of the categories of a graph, derived from the table of rules: one for each name of a rule in it.

Each column of the table has a function that finds what breaks its rules at one unit, and says so in words.
"""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import NamedTuple

from ..graph import Graph
from ..graph.categories import PUNCTUATION
from ..graph.unit import LINKAGE, Unit
from .grammar import CATEGORIES, ERROR, OTHER_LETTER, Category, Constraint, Table
from .structure_checks import Check, Finding

MAX_TEXT = 40
COLUMNS = Category._fields[1:]
_KNOWN = frozenset(row.letter for row in CATEGORIES) - {OTHER_LETTER}


class Group(NamedTuple):
    """The rows of a table that have the same rule in the same column.

    column (str): The name of the column.
    constraint (Constraint): The rule.
    rows (FrozenSet[str]): The categories of these rows.
    categories (FrozenSet[str]): The categories that the rule speaks of.
    """

    column: str
    constraint: Constraint
    rows: frozenset[str]
    categories: frozenset[str]


@cache
def category_checks(table: Table) -> dict[str, Check]:
    """RETURNS (Dict[str, Check]): The rules of a table by name, those of the first column first."""
    groups: dict[tuple[str, Constraint], str] = {}
    for column in COLUMNS:
        for row in table:
            constraint = getattr(row, column)
            if constraint is not None:
                groups[column, constraint] = groups.get((column, constraint), "") + row.letter
    by_rule: dict[str, list[Group]] = {}
    for (column, constraint), rows in groups.items():
        group = Group(column, constraint, frozenset(rows), _letters(constraint))
        by_rule.setdefault(constraint.rule, []).append(group)
    return {
        name: Check(own[0].constraint.level, own[0].constraint.text, partial(_check, own))
        for name, own in by_rule.items()
    }


def _letters(constraint: Constraint) -> frozenset[str]:
    return frozenset(constraint.categories) - {OTHER_LETTER}


def _check(groups: list[Group], graph: Graph) -> Iterator[Finding]:
    """YIELDS (Finding): What breaks a rule in a graph, unit by unit."""
    for unit in graph.units:
        for group in groups:
            yield from _FIND[group.column](unit, group)


def child_categories(unit: Unit) -> set[str]:
    """RETURNS (Set[str]): The categories of a unit's children, remote ones included; none for linkage units."""
    return {c for edge in unit.edges if unit.kind != LINKAGE for c in edge.categories}


def _own_categories(unit: Unit) -> set[str]:
    """RETURNS (Set[str]): The categories of all edges to a unit."""
    return {c for edge in unit.incoming for c in edge.categories}


def _listed(categories: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(categories))


def _not_under_root(unit: Unit, group: Group) -> Iterator[Finding]:
    for edge in unit.edges if unit.is_root else ():
        rows = {c if c in _KNOWN else OTHER_LETTER for c in edge.categories if c != PUNCTUATION}
        if rows & group.rows:
            is_error = group.constraint.level == ERROR
            label = edge.label if is_error else _listed(rows & group.rows)
            yield edge.child, f"{label} under the root"


def _needs(unit: Unit, group: Group) -> Iterator[Finding]:
    own = child_categories(unit)
    if own & group.rows and not own & group.categories:
        needed = " or ".join(group.constraint.categories)
        yield unit, f"{_listed(own & group.rows)} without {needed}"


def _not_beside(unit: Unit, group: Group) -> Iterator[Finding]:
    own = child_categories(unit)
    if own & group.rows and own & group.categories:
        yield unit, f"{_listed(own & group.rows)} beside {_listed(own & group.categories)}"


def _not_beside_tokens(unit: Unit, group: Group) -> Iterator[Finding]:
    own = child_categories(unit)
    if own & group.rows and unit.terminals and not unit.is_root:
        yield unit, f"{_listed(own & group.rows)} beside '{unit.graph.words[unit.terminals[0]]}'"


def _at_most_one(unit: Unit, group: Group) -> Iterator[Finding]:
    labels = [edge.label for edge in unit.edges for c in edge.categories if c in group.rows]
    if len(labels) > 1:
        yield unit, f"{len(labels)} {group.constraint.noun} ({', '.join(labels)})"


def _no_child(unit: Unit, group: Group) -> Iterator[Finding]:
    own, below = _own_categories(unit) & group.rows, child_categories(unit) & group.categories
    if own and below:
        yield unit, f"{_listed(own)} with {_listed(below)} under it"


def _no_descendant(unit: Unit, group: Group) -> Iterator[Finding]:
    """Children of the unit itself are checked by `no_child`."""
    if not _own_categories(unit) & group.rows:
        return
    stack, seen = [unit], {unit}
    while stack:
        inner = stack.pop()
        if inner != unit and child_categories(inner) & group.categories:
            yield unit, f"a Scene under it: '{inner.text[:MAX_TEXT]}'"
            return
        children = [child for child in inner.children if child not in seen]
        seen.update(children)
        stack += children


def _childless(unit: Unit, group: Group) -> Iterator[Finding]:
    own = set(unit.categories)
    below = child_categories(unit) - {PUNCTUATION}
    if own and own <= group.rows and below:
        yield unit, f"{_listed(own)} with {_listed(below)} under it"


def _not_remote(unit: Unit, group: Group) -> Iterator[Finding]:
    for edge in unit.incoming:
        if edge.remote and group.rows.intersection(edge.categories):
            yield unit, f"remote {edge.label} of unit {edge.parent.index}"


def _one_parent(unit: Unit, group: Group) -> Iterator[Finding]:
    for category in sorted(group.rows):
        n = sum(category in edge.categories for edge in unit.incoming)
        if n > 1:
            yield unit, f"{category} of {n} units"


_FIND: dict[str, Callable[[Unit, Group], Iterator[Finding]]] = {
    "not_under_root": _not_under_root,
    "needs": _needs,
    "not_beside": _not_beside,
    "not_beside_tokens": _not_beside_tokens,
    "at_most_one": _at_most_one,
    "no_child": _no_child,
    "no_descendant": _no_descendant,
    "childless": _childless,
    "not_remote": _not_remote,
    "one_parent": _one_parent,
}
