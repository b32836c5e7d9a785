"""The table of rules, read cell by cell, against what is derived from it; and a rule that is added to a copy of it."""

import copy
import itertools
import pickle

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs
from util import no_syntax

from spacy_ucca.conversion.tree import parse_chain
from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import GraphBuilder
from spacy_ucca.graph.categories import CATEGORY_NAMES, HEAD_PRIORITY, INNER_PARTS, SCENE_PARTS
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.screen import Labels, find_violations
from spacy_ucca.rules.assign import LabelRules, constraint_table, viterbi_labels
from spacy_ucca.rules.bit_grammar import bit_grammar, bits
from spacy_ucca.rules.draft import NEVER
from spacy_ucca.rules.grammar import (
    CATEGORIES,
    NEEDS_CENTER,
    NOT_BESIDE_INNER,
    OTHER_LETTER,
    Category,
    Constraint,
)
from spacy_ucca.rules.repair import repair
from spacy_ucca.rules.validate import RULES, validate_graph
from spacy_ucca.transitions.rebuild import rebuild

UCCA = bit_grammar(CATEGORIES)
LETTERS = "".join(row.letter for row in CATEGORIES if row.letter != OTHER_LETTER)
SYSTEMS = {name: Inventory(name, sorted(LETTERS)).system for name in ("tree", "tupa")}
NOT_REPAIRED = {"function-childless"}


def test_categories_are_named_alike_everywhere():
    """A new one needs its name, its rank, its rules and, by these, its place in Scenes or other units."""
    assert set(CATEGORY_NAMES) == set(HEAD_PRIORITY)
    assert set(LETTERS) == {c for c in CATEGORY_NAMES if len(c) == 1 and c != "U"}
    assert set(INNER_PARTS) == {"C"} | {r.letter for r in CATEGORIES if r.needs == NEEDS_CENTER}
    beside = {row.letter for row in CATEGORIES if row.not_beside == NOT_BESIDE_INNER}
    assert set(SCENE_PARTS) == beside - {"G", OTHER_LETTER}


def rules_of(table):
    cells = (cell for row in table for cell in row[1:] if cell is not None)
    return {cell.rule for cell in cells}


def violations(graph, table=CATEGORIES):
    """RETURNS (Set[str]): The rules of a table that a graph breaks: its cells, read one by one, edge by edge."""
    rows = {row.letter: row for row in table if row.letter != OTHER_LETTER}

    def children(unit):
        return [c for edge in unit.edges for c in edge.categories]

    def descendants(unit):
        return {unit}.union(*(descendants(child) for child in unit.children))

    broken = set()
    for edge in graph.edges:
        parent, child = edge.parent, edge.child
        siblings, below = children(parent), children(child)
        inner = {c for unit in descendants(child) - {child} for c in children(unit)}
        for row in (rows[c] for c in edge.categories if c in rows):
            of = [set(cell.categories) if cell else set() for cell in row[1:]]
            of = dict(zip(Category._fields[1:], of, strict=True))
            n_single = sum(rows[c].at_most_one == row.at_most_one for c in siblings if c in rows)
            is_broken = {
                "not_under_root": parent.is_root,
                "needs": not of["needs"] & set(siblings),
                "not_beside": of["not_beside"] & set(siblings),
                "not_beside_tokens": parent.terminals and not parent.is_root,
                "at_most_one": n_single > 1,
                "no_child": of["no_child"] & set(below),
                "no_descendant": of["no_descendant"] & inner,
                "childless": set(child.categories) == {row.letter} and set(below) - {"U"},
                "not_remote": edge.remote,
                "one_parent": sum(row.letter in e.categories for e in child.incoming) > 1,
            }
            cells = {column: getattr(row, column) for column in Category._fields[1:]}
            assert set(is_broken) == set(cells)
            broken |= {cell.rule for name, cell in cells.items() if cell and is_broken[name]}
    return broken


def broken_rules(graph, table=CATEGORIES):
    return {problem.rule for problem in validate_graph(graph, table)} & rules_of(table)


def may_violate(graph, table=CATEGORIES):
    """RETURNS (bool): Whether screening suspects the graph's state."""
    system = SYSTEMS["tupa" if any(edge.remote for edge in graph.edges) else "tree"]
    state = system.start(len(graph.words))
    for action in rebuild(graph, system).actions:
        system.apply(state, action)
    units = UnitTable([state], [no_syntax(len(graph.words))])
    (found,) = find_violations(Labels.of(system, table), units)
    return bool(found)


def all_fit(graph, grammar):
    """RETURNS (bool): Whether all units of a tree have children that fit, by bits."""

    def fit(unit, level):
        edges = [edge for edge in unit.edges if edge.categories != ("U",)]
        own = bits(tuple(c for edge in edges for c in edge.categories))
        labels = [bits(edge.categories) for edge in edges]
        n_main = sum((label & grammar.at_most_one).bit_count() for label in labels)
        has_tokens = bool(unit.terminals) and not unit.is_root
        return grammar.fits(own, level, n_main, has_tokens) and all(
            fit(edge.child, grammar.below(level, label))
            for edge, label in zip(edges, labels, strict=True)
        )

    return fit(graph.root, grammar.top)


def small_trees():
    """YIELDS (Graph): Under the root a unit of each category, with each two children, one of them with a child."""
    for top, left, right in itertools.product(LETTERS, repeat=3):
        for inner in ("", "PC"[(ord(left) + ord(right)) % 2], "H"):
            if inner and (ord(top) + ord(left) * 3 + ord(right)) % 5:
                continue  # a fifth of them will do
            for token in (False, True) if not inner else (False,):
                builder = GraphBuilder(["a", "b", "c"][: 2 + token])
                root, unit, first, second = (builder.add_unit() for _ in range(4))
                builder.add_edge(root, unit, top)
                builder.add_edge(unit, first, left)
                builder.add_edge(unit, second, right)
                if inner:
                    below = builder.add_unit()
                    builder.add_edge(first, below, inner)
                    first = below
                builder.add_terminal(first, 0)
                builder.add_terminal(second, 1)
                if token:
                    builder.add_terminal(unit, 2)
                yield builder.build()


def test_all_that_is_derived_agrees_on_small_trees():
    n_broken = n = 0
    for graph in small_trees():
        expected = violations(graph)
        assert broken_rules(graph) == expected
        if n % 3 == 0:
            wrong = bool(expected - NOT_REPAIRED)
            assert all_fit(graph, UCCA) != wrong
            assert may_violate(graph) == wrong
            assert (repair(graph) is not graph) == wrong
        n_broken += bool(expected)
        n += 1
    assert n > 6_000 and 50 < n - n_broken


@settings(max_examples=300)
@given(graphs(max_units=9, max_roots=2))
def test_letters_are_checked_cell_by_cell(graph):
    if not any(unit.kind == "LKG" for unit in graph.units):
        assert broken_rules(graph) == violations(graph)


def test_sets_that_may_stand_under_one_unit():
    """All sets of categories, by the cells of the table."""
    others = {row.letter: row for row in CATEGORIES}
    for size in range(4):
        for own in itertools.combinations(others, size):
            pairs = itertools.permutations(own, 2)
            clash = any(
                others[a].not_beside and b in others[a].not_beside.categories for a, b in pairs
            )
            lacks = any(
                others[a].needs and not set(others[a].needs.categories) & set(own) for a in own
            )
            assert UCCA.together[bits(own)] == (not clash and not lacks)


def test_unit_types_cover_all_that_goes_together():
    sets = numpy.nonzero(UCCA.together)[0].tolist()
    for own in sets:
        types = [t for t in UCCA.unit_types if not own & ~t.allowed]
        assert any(not t.needed or own & t.needed for t in types)
    for unit_type in UCCA.unit_types:
        first = unit_type.needed & -unit_type.needed
        rest = unit_type.allowed & ~unit_type.needed
        assert UCCA.together[rest | first]


def test_categories_of_the_table():
    assert {row.letter for row in CATEGORIES} == {*LETTERS, OTHER_LETTER}
    assert rules_of(CATEGORIES) <= set(RULES)
    assert bits(OTHER_LETTER) == bits(("X",)) == bits(("LR",))
    assert [level.deep for level in UCCA.levels] == [False] * 4 + [True, False]


@pytest.mark.parametrize("value", [UCCA, constraint_table(CATEGORIES)])
def test_what_is_derived_is_made_once(value):
    assert copy.deepcopy(value) is value and pickle.loads(pickle.dumps(value)) is value


# A rule that is added


def with_rule(letter, column, categories="", **more):
    """RETURNS (Table): The table with another cell."""
    cell = Constraint("added", "A rule of this test.", categories, **more)
    return tuple(
        row._replace(**{column: cell}) if row.letter == letter else row for row in CATEGORIES
    )


ADDED = [
    ("R", "not_beside", "D", "[H [P a] [D b] [R c]]"),
    ("A", "no_child", "E", "[H [A [C a] [E b]] [P c]]"),
    ("G", "not_beside_tokens", "", "[H [P [C a] [E b]] [A c] [G d] e]"),
    ("L", "not_under_root", "", "[H [P a]] [L b] [H [P c]]"),
    ("A", "not_remote", "", "[H [A#1 a] [P b]] [L c] [H [P d] [A* =1]]"),
    ("A", "one_parent", "", "[H [A#1 a] [P b]] [L c] [H [P d] [A* =1]]"),
]


@pytest.mark.parametrize("letter, column, categories, text", ADDED)
def test_checking_screening_and_repair_know_an_added_rule(letter, column, categories, text):
    table = with_rule(letter, column, categories)
    (graph,) = read_brackets(text)
    assert not broken_rules(graph) and repair(graph) is graph and not may_violate(graph)
    assert broken_rules(graph, table) == violations(graph, table) == {"added"}
    assert may_violate(graph, table)
    repaired = repair(graph, table=table)
    assert not list(validate_graph(repaired, table)), write_brackets(repaired)
    assert repaired.words == graph.words and not may_violate(repaired, table)


@settings(max_examples=150)
@given(graphs(max_units=9, loose=False), st.sampled_from(ADDED))
def test_repair_follows_an_added_rule(graph, added):
    table = with_rule(*added[:3])
    repaired = repair(graph, table=table)
    assert broken_rules(repaired, table) <= NOT_REPAIRED
    assert repair(repaired, table=table) is repaired


def test_the_label_search_knows_an_added_rule():
    names = ["", "ROOT", "H", "P", "D", "R", "F"]
    chains = [(), *map(parse_chain, names[1:])]
    best = ["ROOT", "H", "P", "D", "R"]
    costs = numpy.full((5, len(names)), 9.0)
    for i, name in enumerate(best):
        costs[i, names.index(name)] = 0.0
    costs[4, names.index("F")] = 1.0
    costs[:, 0] = NEVER
    parents = numpy.array([-1, 0, 1, 1, 1])

    def labels(table):
        rules = LabelRules(chains, table)
        found = viterbi_labels(rules, costs, numpy.full(5, 9.0), parents, parents > 0)
        return [names[i] for i in found]

    assert labels(CATEGORIES) == ["ROOT", "H", "P", "D", "R"]
    assert labels(with_rule("R", "not_beside", "D")) == ["ROOT", "H", "P", "D", "F"]


@pytest.mark.parametrize(
    "letter, column, categories",
    [("G", "needs", "PS"), ("A", "at_most_one", ""), ("P", "no_child", "C")],
)
def test_tables_that_repair_cannot_follow(letter, column, categories):
    with pytest.raises(ValueError):
        bit_grammar(with_rule(letter, column, categories))
    with pytest.raises(ValueError):
        bit_grammar(CATEGORIES[1:])


def test_checking_needs_no_table_that_repair_can_follow():
    table = with_rule("G", "needs", "PS")
    (graph,) = read_brackets("[H [H [P a]] [L b] [H [P c]] [G d]]")
    assert "added" in broken_rules(graph, table)
