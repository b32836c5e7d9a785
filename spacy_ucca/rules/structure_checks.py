"""Checks of a graph that do not depend on which categories may stand together: roots, tokens, punctuation, linkage."""

import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..graph import Graph
from ..graph.categories import (
    CATEGORY_NAMES,
    LINK_ARGUMENT,
    LINK_RELATION,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
    TERMINAL,
    hint_at,
    join_categories,
)
from ..graph.unit import Unit
from .grammar import ERROR, WARNING

# A unit that breaks a rule, if it is one, and what is wrong there.
Finding = tuple[Unit | None, str]


class Check(NamedTuple):
    """A rule with the function that checks it.

    level (str): "error" or "warning".
    text (str): The rule in a sentence.
    find (Callable[[Graph], Iterator[Finding]]): Finds what breaks it in a graph.
    """

    level: str
    text: str
    find: Callable[[Graph], Iterator[Finding]]


CHECKS: dict[str, Check] = {}


def rule(level: str) -> Callable[[Callable[[Graph], Iterator[Finding]]], Callable]:
    """Make a function of a graph a rule, named by it; its docstring is the rule."""

    def register(find: Callable[[Graph], Iterator[Finding]]) -> Callable:
        name = find.__name__.strip("_").replace("_", "-")
        CHECKS[name] = Check(level, (find.__doc__ or "").strip(), find)
        return find

    return register


@rule(ERROR)
def _one_root(graph: Graph) -> Iterator[Finding]:
    """A passage has one root, above all its tokens."""
    yield from _no_root(graph)
    for root in graph.roots[1:]:
        yield root, "another root" if root.tokens() else "a root without tokens"


@rule(ERROR)
def _root_per_sentence(graph: Graph) -> Iterator[Finding]:
    """Each sentence has one root, above all its tokens."""
    yield from _no_root(graph)
    end = 0
    for i, root in enumerate(graph.roots):
        tokens = root.tokens()
        if i and not tokens:
            yield root, "a root without tokens"
        elif i and tokens[0] < end:
            yield root, "another root between the tokens of a sentence"
        end = max(end, 1 + max(tokens, default=-1))


@rule(ERROR)
def _token_attached(graph: Graph) -> Iterator[Finding]:
    """Every token hangs on a unit. White space is no token of UCCA: it hangs on nothing."""
    for token, word in enumerate(graph.words):
        if graph.unit_of(token) is None and not word.isspace():
            yield None, f"token {token} ('{word}') hangs on nothing"


@rule(ERROR)
def _no_token_under_root(graph: Graph) -> Iterator[Finding]:
    """No token hangs on the root itself."""
    for root in graph.roots:
        for token in root.terminals:
            yield root, f"token {token} ('{graph.words[token]}') hangs on the root"


@rule(ERROR)
def _known_category(graph: Graph) -> Iterator[Finding]:
    """Every category is one of UCCA's."""
    for edge in graph.edges:
        for category in edge.categories:
            if category not in CATEGORY_NAMES:
                hint = hint_at(category)
                yield edge.child, f"unknown category '{category}'{'.' if hint else ''}{hint}"


@rule(ERROR)
def _terminal_edge(graph: Graph) -> Iterator[Finding]:
    """Edges to tokens are Terminal, other edges are not."""
    for edge in graph.edge_tuples:
        if edge.child < 0 and edge.categories != (TERMINAL,):
            label = join_categories(edge.categories)
            yield graph[edge.parent], f"token '{graph.words[~edge.child]}' hangs on it as {label}"
        elif edge.child >= 0 and TERMINAL in edge.categories:
            yield graph[edge.child], "Terminal edge to a unit"


@rule(ERROR)
def _primary_parent(graph: Graph) -> Iterator[Finding]:
    """A unit that is a remote child or linked has a primary parent as well."""
    for root in graph.roots:
        for edge in root.incoming:
            yield root, f"no primary parent, but {edge.label} of unit {edge.parent.index}"


@rule(ERROR)
def _one_edge_between(graph: Graph) -> Iterator[Finding]:
    """Between two units there is one edge at most; it may have several categories."""
    for unit in graph.units:
        counts = Counter(edge.child for edge in unit.edges)
        for child, n in counts.items():
            if n > 1:
                yield child, f"{n} edges from unit {unit.index}"


@rule(ERROR)
def _no_empty_unit(graph: Graph) -> Iterator[Finding]:
    """A unit without tokens or children is marked as implicit."""
    for unit in graph.units:
        if unit.kind not in (LINKAGE,) and not unit.is_implicit and not unit.is_root:
            if not unit.terminals and all(edge.remote for edge in unit.edges):
                yield unit, f"{unit.label} with no child of its own, and not implicit"


@rule(ERROR)
def _implicit_childless(graph: Graph) -> Iterator[Finding]:
    """An implicit unit has no children."""
    for unit in graph.units:
        if unit.is_implicit and unit.edges:
            yield unit, f"implicit {unit.label} with children"


@rule(ERROR)
def _punctuation(graph: Graph) -> Iterator[Finding]:
    """Edges labelled U lead to punctuation units, and only those do; they hold nothing but tokens marked
    as punctuation."""
    for unit in graph.units:
        if (PUNCTUATION in unit.categories) != (unit.kind == PUNCT):
            yield unit, f"a unit of kind {unit.kind} with the category {unit.label or 'of a root'}"
        if unit.kind == PUNCT:
            if unit.edges:
                yield unit, "a punctuation unit with units in it"
            for token in unit.terminals:
                if not graph.punct[token]:
                    yield unit, f"'{graph.words[token]}' is not marked as punctuation"


@rule(ERROR)
def _linkage(graph: Graph) -> Iterator[Finding]:
    """LR and LA edges start at linkage units, and only those; each has one LR and at least one LA."""
    for edge in graph.edges:
        linking = bool({LINK_RELATION, LINK_ARGUMENT}.intersection(edge.categories))
        if linking != (edge.parent.kind == LINKAGE):
            yield edge.child, f"{edge.label} of a unit of kind {edge.parent.kind}"
    for unit in graph.linkages:
        counts = Counter(edge.label for edge in unit.edges)
        if counts[LINK_RELATION] != 1 or not counts[LINK_ARGUMENT]:
            n, m = counts[LINK_RELATION], counts[LINK_ARGUMENT]
            yield unit, f"a linkage unit with {n} LR and {m} LA"
        if unit.incoming:
            yield unit, "a linkage unit with a parent"
    for linker, n in Counter(
        edge.child for unit in graph.linkages for edge in unit.edges_by(LINK_RELATION)
    ).items():
        if n > 1:
            yield linker, f"the linker of {n} linkage units"


@rule(WARNING)
def _punctuation_token(graph: Graph) -> Iterator[Finding]:
    """A punctuation token hangs on a punctuation unit, or on a unit with more tokens, which has nothing else."""
    for token, punct in enumerate(graph.punct):
        unit = graph.unit_of(token) if punct else None
        if unit is not None and unit.kind != PUNCT and not unit.is_root:
            others = [edge for edge in unit.edges if PUNCTUATION not in edge.categories]
            if others or len(unit.terminals) + len(unit.edges) < 2:
                yield unit, f"'{graph.words[token]}' is marked as punctuation"


@rule(WARNING)
def _word_has_space(graph: Graph) -> Iterator[Finding]:
    """A token has text, and no white space in it."""
    for token, word in enumerate(graph.words):
        if not word or set(word).intersection(string.whitespace):
            if not word.isspace() or graph.unit_of(token) is not None:
                yield None, f"token {token} is {word!r}"


def _no_root(graph: Graph) -> Iterator[Finding]:
    if not graph.roots and not all(map(str.isspace, graph.words)):
        yield None, "no root"
