"""Checks of a graph against UCCA's own rules, beyond the invariants every `Graph` keeps.

"error" rules say what makes a graph no UCCA graph: every token attached, no token under the root, which edges may be
remote. "warning" rules say what the guidelines ask of annotators: which categories may stand together and under each
other. Published corpora break some of the latter; `spacy-ucca validate` counts them. The rules follow the UCCA
guidelines 2.0 (Abend et al., 2020) and, for graphs with linkage units, 1.0. Checks of categories are derived from the table
of rules: each of its columns has a function that finds what breaks its rules at one unit, and says so in words.

A graph without tokens of white space breaks a rule, `OWN_RULES` left out, exactly if
`ucca.validation.validate(passage, linkage=False)` of the `ucca` package finds something in it: that is how the corpora are
checked where they are published. White space is no token of UCCA: on a Doc it hangs on nothing, and the formats of the
`ucca` package do not have it.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from ..graph import Graph
from ..graph.categories import LINKAGE, PUNCTUATION
from ..graph.unit import Edge, Unit
from .grammar import CATEGORIES, ERROR, OTHER_LETTER, WARNING, Category, Constraint, Table
from .structure_checks import CHECKS, Finding

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


class Surroundings(NamedTuple):
    """A unit with the edges and categories around it.

    unit (Unit): The unit.
    incoming, edges (Tuple[Edge, ...]): The edges to it and from it.
    own (Set[str]): The categories of all edges to it.
    children (Set[str]): The categories of all edges from it, remote ones included; none for linkage units.
    """

    unit: Unit
    incoming: tuple[Edge, ...]
    edges: tuple[Edge, ...]
    own: set[str]
    children: set[str]

    @classmethod
    def of(cls, unit: Unit) -> "Surroundings":
        """RETURNS (Surroundings): A unit with the edges and categories around it."""
        incoming, edges = unit.incoming, unit.edges
        own = {c for edge in incoming for c in edge.categories}
        children = {c for edge in edges if unit.kind != LINKAGE for c in edge.categories}
        return cls(unit, incoming, edges, own, children)


@cache
def find_groups(table: Table) -> tuple[Group, ...]:
    """RETURNS (Tuple[Group, ...]): The rules of a table, those of the first column first."""
    groups: dict[tuple[str, Constraint], str] = {}
    for column in COLUMNS:
        for row in table:
            constraint = getattr(row, column)
            if constraint is not None:
                groups[column, constraint] = groups.get((column, constraint), "") + row.letter
    return tuple(
        Group(column, cell, frozenset(rows), frozenset(cell.categories) - {OTHER_LETTER})
        for (column, cell), rows in groups.items()
    )


def category_findings(graph: Graph, table: Table) -> dict[str, list[Finding]]:
    """Find what breaks the rules of a table in a graph.

    graph (Graph): The graph.
    table (Table): The rules.
    RETURNS (Dict[str, List[Finding]]): By the name of the rule, what breaks it, unit by unit.
    """
    groups = find_groups(table)
    findings: dict[str, list[Finding]] = {group.constraint.rule: [] for group in groups}
    for place in map(Surroundings.of, graph.units):
        for group in groups:
            findings[group.constraint.rule] += _FIND[group.column](place, group)
    return findings


def _listed(categories: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(categories))


def _not_under_root(place: Surroundings, group: Group) -> Iterator[Finding]:
    for edge in place.edges if place.unit.is_root else ():
        rows = {c if c in _KNOWN else OTHER_LETTER for c in edge.categories if c != PUNCTUATION}
        if rows & group.rows:
            is_error = group.constraint.level == ERROR
            label = edge.label if is_error else _listed(rows & group.rows)
            yield edge.child, f"{label} under the root"


def _needs(place: Surroundings, group: Group) -> Iterator[Finding]:
    rows = place.children & group.rows
    if rows and not place.children & group.categories:
        yield place.unit, f"{_listed(rows)} without {' or '.join(group.constraint.categories)}"


def _not_beside(place: Surroundings, group: Group) -> Iterator[Finding]:
    rows, others = place.children & group.rows, place.children & group.categories
    if rows and others:
        yield place.unit, f"{_listed(rows)} beside {_listed(others)}"


def _not_beside_tokens(place: Surroundings, group: Group) -> Iterator[Finding]:
    rows, unit = place.children & group.rows, place.unit
    if rows and unit.terminals and not unit.is_root:
        yield unit, f"{_listed(rows)} beside '{unit.graph.words[unit.terminals[0]]}'"


def _at_most_one(place: Surroundings, group: Group) -> Iterator[Finding]:
    labels = [edge.label for edge in place.edges for c in edge.categories if c in group.rows]
    if len(labels) > 1:
        yield place.unit, f"{len(labels)} {group.constraint.noun} ({', '.join(labels)})"


def _no_child(place: Surroundings, group: Group) -> Iterator[Finding]:
    above, below = place.own & group.rows, place.children & group.categories
    if above and below:
        yield place.unit, f"{_listed(above)} with {_listed(below)} under it"


def _no_descendant(place: Surroundings, group: Group) -> Iterator[Finding]:
    """Children of the unit itself are checked by `no_child`."""
    unit = place.unit
    if not place.own & group.rows:
        return
    stack, seen = [unit], {unit}
    while stack:
        inner = stack.pop()
        below = {c for e in inner.edges if inner.kind != LINKAGE for c in e.categories}
        if inner != unit and below & group.categories:
            yield unit, f"a Scene under it: '{inner.text[:MAX_TEXT]}'"
            return
        children = [child for child in inner.children if child not in seen]
        seen.update(children)
        stack += children


def _childless(place: Surroundings, group: Group) -> Iterator[Finding]:
    categories, below = set(place.unit.categories), place.children - {PUNCTUATION}
    if categories and categories <= group.rows and below:
        yield place.unit, f"{_listed(categories)} with {_listed(below)} under it"


def _not_remote(place: Surroundings, group: Group) -> Iterator[Finding]:
    for edge in place.incoming:
        if edge.remote and group.rows.intersection(edge.categories):
            yield place.unit, f"remote {edge.label} of unit {edge.parent.index}"


def _one_parent(place: Surroundings, group: Group) -> Iterator[Finding]:
    for category in sorted(group.rows):
        n = sum(category in edge.categories for edge in place.incoming)
        if n > 1:
            yield place.unit, f"{category} of {n} units"


_FIND: dict[str, Callable[[Surroundings, Group], Iterator[Finding]]] = {
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


__all__ = ["ERROR", "OWN_RULES", "RULES", "WARNING", "Problem", "validate_graph"]

# What the `ucca` package does not ask for, at least without linkage.
OWN_RULES = frozenset({"known-category", "terminal-edge", "linkage", "function-childless"})


class Problem(NamedTuple):
    """A rule that a graph breaks.

    rule (str): The name of the rule, a key of `RULES`.
    level (str): "error" or "warning".
    unit (Optional[int]): The unit, by index.
    text (str): Its words, or what else shows the place.
    message (str): What is wrong there.
    """

    rule: str
    level: str
    unit: int | None
    text: str
    message: str


@cache
def rules_with(table: Table) -> dict[str, tuple[str, str]]:
    """RETURNS (Dict[str, Tuple[str, str]]): The level and the text of each rule by its name, with the rules of a table.
    Errors come first."""
    rules = {name: (check.level, check.text) for name, check in CHECKS.items()}
    cells = (group.constraint for group in find_groups(table))
    rules.update({cell.rule: (cell.level, cell.text) for cell in cells})
    return dict(sorted(rules.items(), key=lambda item: item[1][0] != ERROR))


# The level and the text of each rule, by its name.
RULES: dict[str, tuple[str, str]] = rules_with(CATEGORIES)


def validate_graph(
    graph: Graph, table: Table = CATEGORIES, *, one_root: bool = False
) -> Iterator[Problem]:
    """Find what breaks UCCA's rules in a graph.

    graph (Graph): The graph, of a sentence, a passage or a Doc.
    table (Table): The rules about categories.
    one_root (bool): Whether all sentences must have one root together, as in a file of UCCA XML. On a Doc, each has its
        own.
    YIELDS (Problem): One for each place, by rule.
    """
    by_category = category_findings(graph, table)
    unused = "root-per-sentence" if one_root else "one-root"
    for name, (level, _) in rules_with(table).items():
        if name == unused:
            continue
        findings = by_category[name] if name in by_category else CHECKS[name].find(graph)
        for unit, message in findings:
            text = "" if unit is None else unit.text
            if len(text) > MAX_TEXT:
                text = text[: MAX_TEXT - 1] + "…"
            yield Problem(name, level, None if unit is None else unit.index, text, message)
