"""Checks of a graph against UCCA's own rules, beyond the invariants every `Graph` keeps.

"error" rules say what makes a graph no UCCA graph: every token attached, no token under the root, which
edges may be remote. "warning" rules say what the guidelines ask of annotators: which categories may stand
together and under each other. Published corpora break some of the latter; `spacy-ucca validate` counts
them. The rules follow the UCCA guidelines 2.0 (Abend et al., 2020) and, for graphs with linkage units, 1.0.

A graph breaks a rule, `OWN_RULES` left out, exactly if `ucca.validation.validate(passage, linkage=False)` of the
`ucca` package finds something in it: that is how the corpora are checked where they are published. Graphs that
a parser made follow the rules (`repair.py`).
"""

import string
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..graph import Graph
from ..graph.categories import (
    CATEGORY_NAMES,
    LINK_ARGUMENT,
    LINK_RELATION,
    PUNCTUATION,
    TERMINAL,
    join_categories,
)
from ..graph.unit import LINKAGE, PUNCT, Unit

ERROR = "error"
WARNING = "warning"
MAX_TEXT = 40

TOP = frozenset("HLGF") | {PUNCTUATION}
SCENE_ONLY = frozenset("PSAT")  # D also stands in units that are no Scene (guidelines 2.0)
INNER_ONLY = frozenset("CENQ")
BETWEEN = frozenset("HL")
LEAVES = frozenset("F")
SINGLE = ("P", "S")
# What only a Scene, or what is as good as one, has. Units of the categories in FLAT have none of it.
OF_SCENES = SCENE_ONLY | BETWEEN | frozenset("DG")
FLAT = frozenset("PSDTLQNF")


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


Finding = tuple[Unit | None, str]
RULES: dict[str, tuple[str, str]] = {}
_CHECKS: list[tuple[str, Callable[[Graph], Iterator[Finding]]]] = []


def rule(level: str) -> Callable[[Callable[[Graph], Iterator[Finding]]], Callable]:
    """Make a function of a graph a rule, named by it; its docstring is the rule."""

    def register(check: Callable[[Graph], Iterator[Finding]]) -> Callable:
        name = check.__name__.strip("_").replace("_", "-")
        RULES[name] = level, (check.__doc__ or "").strip()
        _CHECKS.append((name, check))
        return check

    return register


def validate_graph(graph: Graph) -> Iterator[Problem]:
    """Find what breaks UCCA's rules in a graph.

    graph (Graph): The graph, of a sentence, a passage or a Doc.
    YIELDS (Problem): One for each place, by rule.
    """
    for name, check in _CHECKS:
        level = RULES[name][0]
        for unit, message in check(graph):
            text = "" if unit is None else unit.text
            if len(text) > MAX_TEXT:
                text = text[: MAX_TEXT - 1] + "…"
            yield Problem(name, level, None if unit is None else unit.index, text, message)


@rule(ERROR)
def _one_root(graph: Graph) -> Iterator[Finding]:
    """A passage has one root, above all its tokens."""
    if graph.words and not graph.roots:
        yield None, "no root"
    for root in graph.roots[1:]:
        yield root, "another root" if root.tokens() else "a root without tokens"


@rule(ERROR)
def _token_attached(graph: Graph) -> Iterator[Finding]:
    """Every token hangs on a unit."""
    for token, word in enumerate(graph.words):
        if graph.unit_of(token) is None:
            yield None, f"token {token} ('{word}') hangs on nothing"


@rule(ERROR)
def _no_token_under_root(graph: Graph) -> Iterator[Finding]:
    """No token hangs on the root itself."""
    for root in graph.roots:
        for token in root.terminals:
            yield root, f"token {token} ('{graph.words[token]}') hangs on the root"


@rule(ERROR)
def _root_children(graph: Graph) -> Iterator[Finding]:
    """Under the root there are only Parallel Scenes, Linkers, Grounds, Functions and punctuation."""
    for root in graph.roots:
        for edge in root.edges:
            if not TOP.issuperset(edge.categories):
                yield edge.child, f"{edge.label} under the root"


@rule(ERROR)
def _known_category(graph: Graph) -> Iterator[Finding]:
    """Every category is one of UCCA's."""
    for edge in graph.edges:
        for category in edge.categories:
            if category not in CATEGORY_NAMES:
                yield edge.child, f"unknown category '{category}'"


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
def _ground_under_root(graph: Graph) -> Iterator[Finding]:
    """A Ground stands in a Scene or beside Parallel Scenes that have a parent, not under the root."""
    for root in graph.roots:
        for edge in root.edges_by("G"):
            yield edge.child, "G under the root"


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
def _one_main_relation(graph: Graph) -> Iterator[Finding]:
    """A Scene has one Process or one State, not both."""
    for unit in graph.units:
        found = [edge.label for edge in unit.edges for c in SINGLE if c in edge.categories]
        if len(found) > 1:
            yield unit, f"{len(found)} main relations ({', '.join(found)})"


@rule(WARNING)
def _scene_has_main_relation(graph: Graph) -> Iterator[Finding]:
    """A unit with Participants or Times is a Scene, so it has a Process or a State."""
    for unit in graph.units:
        own = _categories(unit)
        if own & {"A", "T"} and not own.intersection(SINGLE):
            yield unit, f"{', '.join(sorted(own & {'A', 'T'}))} without P or S"


@rule(WARNING)
def _scene_and_inner(graph: Graph) -> Iterator[Finding]:
    """What belongs to a Scene (P S A T) or to a speech event (G) does not stand beside what belongs to other
    units (C E N Q)."""
    for unit in graph.units:
        own = _categories(unit)
        if own & (SCENE_ONLY | {"G"}) and own & INNER_ONLY:
            yield unit, f"{_listed(own & (SCENE_ONLY | {'G'}))} beside {_listed(own & INNER_ONLY)}"


@rule(WARNING)
def _between_scenes(graph: Graph) -> Iterator[Finding]:
    """Parallel Scenes and Linkers do not stand beside what belongs to Scenes or to other units, nor beside
    tokens."""
    for unit in graph.units:
        own = _categories(unit)
        others = own & (SCENE_ONLY | INNER_ONLY | {"D"})
        if own & BETWEEN and others:
            yield unit, f"{_listed(own & BETWEEN)} beside {_listed(others)}"
        if "H" in own and unit.terminals and not unit.is_root:
            yield unit, f"H beside '{graph.words[unit.terminals[0]]}'"


@rule(WARNING)
def _inner_has_center(graph: Graph) -> Iterator[Finding]:
    """A unit with Elaborators, Quantifiers or Connectors has a Center."""
    for unit in graph.units:
        own = _categories(unit)
        if own & {"E", "N", "Q"} and "C" not in own:
            yield unit, f"{_listed(own & {'E', 'N', 'Q'})} without C"


@rule(WARNING)
def _connector_between_centers(graph: Graph) -> Iterator[Finding]:
    """A Connector connects Centers; Elaborators, Quantifiers and Adverbials are within these, not beside it."""
    for unit in graph.units:
        own = _categories(unit)
        if "N" in own and own & {"E", "Q", "D"}:
            yield unit, f"N beside {_listed(own & {'E', 'Q', 'D'})}"


@rule(WARNING)
def _linker_beside_scene(graph: Graph) -> Iterator[Finding]:
    """A Linker stands beside a Parallel Scene."""
    for unit in graph.units:
        own = _categories(unit)
        if "L" in own and "H" not in own:
            yield unit, "L without H"


@rule(WARNING)
def _flat_unit(graph: Graph) -> Iterator[Finding]:
    """A Process, State, Adverbial, Time, Quantifier, Connector, Linker or Function is no Scene, nor made of
    Scenes."""
    for unit in graph.units:
        found = FLAT.intersection(c for edge in unit.incoming for c in edge.categories)
        own = _categories(unit) & OF_SCENES
        if found and own:
            yield unit, f"{_listed(found)} with {_listed(own)} under it"


@rule(WARNING)
def _scene_in_main_relation(graph: Graph) -> Iterator[Finding]:
    """There is no Scene in a Process or a State, however deep; remote edges count."""
    for unit in graph.units:
        if any(edge.categories and set(SINGLE) & {*edge.categories} for edge in unit.incoming):
            stack, seen = [unit], {unit}
            while stack:
                inner = stack.pop()
                if inner != unit and _categories(inner) & OF_SCENES:
                    yield unit, f"a Scene under it: '{inner.text[:MAX_TEXT]}'"
                    break
                found = [child for child in inner.children if child not in seen]
                seen.update(found)
                stack += found


@rule(WARNING)
def _function_childless(graph: Graph) -> Iterator[Finding]:
    """A Function unit has no children but tokens and punctuation."""
    for unit in graph.units:
        if set(unit.categories) == LEAVES:
            own = _categories(unit) - {PUNCTUATION}
            if own:
                yield unit, f"F with {_listed(own)} under it"


@rule(WARNING)
def _function_not_remote(graph: Graph) -> Iterator[Finding]:
    """A Function is not a remote child, and a Connector is one of one unit only."""
    for edge in graph.edges:
        if edge.remote and LEAVES.intersection(edge.categories):
            yield edge.child, f"remote {edge.label} of unit {edge.parent.index}"
    for unit in graph.units:
        n = sum("N" in edge.categories for edge in unit.incoming)
        if n > 1:
            yield unit, f"N of {n} units"


@rule(WARNING)
def _nested_scenes(graph: Graph) -> Iterator[Finding]:
    """A Parallel Scene does not hold Parallel Scenes or Linkers directly, nor does a Ground, which holds no Ground
    either."""
    for unit in graph.units:
        found = {c for edge in unit.incoming for c in edge.categories}
        own = _categories(unit)
        for category, banned in (("H", BETWEEN), ("G", BETWEEN | {"G"})):
            if category in found and own & banned:
                yield unit, f"{category} with {_listed(own & banned)} under it"


@rule(WARNING)
def _word_has_space(graph: Graph) -> Iterator[Finding]:
    """A token has text, and no white space in it."""
    for token, word in enumerate(graph.words):
        if not word or set(word).intersection(string.whitespace):
            yield None, f"token {token} is {word!r}"


# What the `ucca` package does not ask for, at least without linkage.
OWN_RULES = frozenset({"known-category", "terminal-edge", "linkage", "function-childless"})


def _categories(unit: Unit) -> set[str]:
    """The categories of a unit's children, remote ones included."""
    return {c for edge in unit.edges if unit.kind != LINKAGE for c in edge.categories}


def _listed(categories: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(categories))
