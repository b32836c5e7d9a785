"""Count what a graph loses when it is written in a format and read back, by kind.

Units are matched by words, kind, categories and place; what has no match is lost, and what hangs elsewhere
or has other categories is counted once. Nothing is counted if, and only if, the structure, punctuation flags
and paragraphs are the same and all details and scores are still there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from operator import itemgetter
from typing import Any, NamedTuple

from ..graph import Graph
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT
from ..graph.unit import Unit

WORDS, FLAGS, PARAGRAPHS = "words", "punctuation marks", "paragraphs"
UNITS = {
    **{FOUNDATIONAL: "units", PUNCT: "punctuation units"},
    **{IMPLICIT: "implicit units", LINKAGE: "linkage units"},
}
ROOTS, REMOTES, MARKS, CATEGORIES = "roots", "remote edges", "remote marks", "categories"
ATTACHMENTS, PLACES, ADDED = "attachments", "places of words", "added units"
SCORES, IDS, DETAILS, OTHER = "scores", "ids", "details", "other structure"
# Names of kinds, and what one of each is
KINDS: dict[str, str] = {
    WORDS: "a word that is missing or is another one",
    FLAGS: "a word that is punctuation where it was not, or the reverse",
    PARAGRAPHS: "a word in a paragraph of another number",
    PLACES: "a word under another unit, or under none",
    UNITS[FOUNDATIONAL]: "a unit with words, not a root",
    UNITS[PUNCT]: "a unit of punctuation",
    UNITS[IMPLICIT]: "a unit without words",
    UNITS[LINKAGE]: "a unit that links Scenes (guidelines 1.x)",
    ROOTS: "the root of a sentence",
    ATTACHMENTS: "a unit under another unit than before",
    REMOTES: "a remote edge that is gone, perhaps with a unit",
    MARKS: "a remote edge that has become primary",
    CATEGORIES: "a category of an edge that is still there",
    ADDED: "a unit that was not there before",
    SCORES: "how likely an edge is right",
    IDS: "the id of a passage",
    DETAILS: "the text of the words, or a detail of a format: ids of units, remarks, attributes, slots of categories",
    OTHER: "a graph that differs in some other way",
}


def count_losses(graph: Graph, back: Graph) -> Counter[str]:
    """Count what is not the same after writing and reading.

    graph (Graph): The graph.
    back (Graph): What was read after writing it.
    RETURNS (Counter[str]): By names of `KINDS`; empty if all is the same.
    """
    return +_Comparison(graph, back).count()


def contents(graph: Graph) -> Counter[str]:
    """RETURNS (Counter[str]): How many of each kind a graph has, of those that can be counted without
    something to compare it with: what a format that drops a kind loses."""
    counts = Counter({WORDS: len(graph.words), FLAGS: sum(graph.punct), ROOTS: len(graph.roots)})
    counts[PARAGRAPHS] = sum(p != 1 for p in graph.paragraphs)
    counts.update(UNITS[unit.kind] for unit in graph.units if not unit.is_root)
    for edge in graph.edges:
        counts[CATEGORIES] += len(edge.categories) - 1
        counts[REMOTES] += edge.remote
    counts[MARKS] = counts[REMOTES]
    counts[SCORES] = len(graph.scores)
    counts[IDS] = int("id" in graph.details)
    counts[DETAILS] = sum(_details(graph).values())
    return +counts


class _Features(NamedTuple):
    """What a unit is told by: the most telling first.

    words (FrozenSet[int]): Its words, by their numbers in the first graph.
    kind (str): Its kind.
    categories (List[str]): Those of the edge to it.
    around (Any): The words of its parent; for a linkage unit, what it links.
    terminals (FrozenSet[int]): The words right under it.
    depth (int): The number of units above it.
    """

    words: frozenset[int]
    kind: str
    categories: list[str]
    around: Any
    terminals: frozenset[int]
    depth: int


class _Comparison:
    """A graph beside what came back of it.

    same (Dict[int, int]): By words of the second graph, those in the first that they stand for.
    match (Dict[Unit, Unit]): Units of the first and their counterparts in the second.
    back (Dict[Unit, Unit]): The reverse.
    """

    def __init__(self, a: Graph, b: Graph) -> None:
        self.a, self.b = a, b
        self.same = _same_words(a.words, b.words)
        self.match: dict[Unit, Unit] = {}
        self.back: dict[Unit, Unit] = {}

    def count(self) -> Counter[str]:
        a, b = self.a, self.b
        losses: Counter[str] = Counter()
        lost = len(a.words) - len(self.same)
        losses[WORDS] = lost + sum(a.words[i] != b.words[j] for j, i in self.same.items())
        losses[FLAGS] = sum(a.punct[i] != b.punct[j] for j, i in self.same.items())
        losses[PARAGRAPHS] = sum(a.paragraphs[i] != b.paragraphs[j] for j, i in self.same.items())
        if not a.same_structure(b):
            structure = self._structure()
            losses.update(structure)
            losses[OTHER] = int(not structure and not losses[WORDS])
        losses[SCORES] = max(0, len(a.scores) - len(b.scores))
        losses[IDS] = int("id" in a.details and a.details["id"] != b.details.get("id"))
        losses[DETAILS] = sum((_details(a) - _details(b)).values())
        return losses

    def _structure(self) -> Counter[str]:
        self._match_units()
        losses: Counter[str] = Counter()
        for unit in self.a.units:
            other = self.match.get(unit)
            if other is None:
                losses[ROOTS if unit.is_root else UNITS[unit.kind]] += 1
            elif other.kind != unit.kind:
                losses[UNITS[unit.kind]] += 1
        losses[ADDED] = sum(unit not in self.back for unit in self.b.units)
        for unit, other in self.match.items():
            above = _nearest(unit.parent, self.match)
            if unit.kind == LINKAGE or (above is None and unit.parent is not None):
                continue  # its root is lost, which is counted
            if above != self._before(other.parent):
                losses[ATTACHMENTS] += 1
            else:
                losses[CATEGORIES] += _fewer(unit.categories, other.categories)
        losses.update(self._remotes())
        for j, i in self.same.items():
            here, there = self.a.unit_of(i), self.b.unit_of(j)
            is_same = _nearest(here, self.match) == self._before(there)
            if not is_same or (here is None) != (there is None):
                losses[PLACES] += 1
            elif here is not None:
                ours, theirs = _word_categories(self.a, i), _word_categories(self.b, j)
                losses[CATEGORIES] += _fewer(ours, theirs)
        return +losses

    def _before(self, unit: Unit | None) -> Unit | None:
        """RETURNS (Optional[Unit]): What the lowest unit from one of the second graph up was in the first."""
        known = _nearest(unit, self.back)
        return None if known is None else self.back[known]

    def _remotes(self) -> Iterator[str]:
        """YIELDS (str): The kind of each loss of a remote edge."""
        for edge in self.a.edges:
            if not edge.remote:
                continue
            parent, child = self.match.get(edge.parent), self.match.get(edge.child)
            edges = [e for e in child.incoming if e.parent == parent] if child and parent else []
            if not edges:
                yield REMOTES
            elif not any(e.remote for e in edges):
                yield MARKS
            else:
                left = [c for e in edges if e.remote for c in e.categories]
                yield from [CATEGORIES] * _fewer(edge.categories, left)

    def _match_units(self) -> None:
        """Match units, those that are most alike first."""
        theirs = _features(self.b, self.same)
        there: defaultdict[int | None, set[Unit]] = defaultdict(set)
        for unit, features in theirs.items():
            for token in features.words or (None,):
                there[token].add(unit)
        pairs = []
        for unit, own in _features(self.a, {i: i for i in range(len(self.a.words))}).items():
            near = set[Unit]().union(*(there[token] for token in own.words or (None,)))
            for other in near.union(self.b.roots if unit.is_root else ()):
                rank = _likeness(own, theirs[other])
                is_same = rank[0] == 1 or (rank[0] >= 0.5 and own.kind == other.kind)
                if is_same or (unit.is_root and other.is_root):
                    pairs.append((rank, -unit.index, -other.index, unit, other))
        for *_, unit, other in sorted(pairs, key=itemgetter(0, 1, 2), reverse=True):
            if unit not in self.match and other not in self.back:
                self.match[unit], self.back[other] = other, unit


def _features(graph: Graph, places: Mapping[int, int]) -> dict[Unit, _Features]:
    """RETURNS (Dict[Unit, _Features]): The features of each unit, given the number of each word in the first graph."""
    words = {unit: frozenset(places.get(i, ~i) for i in unit.tokens()) for unit in graph.units}
    found: dict[Unit, _Features] = {}
    for unit in graph.units:  # parents come first
        parent = unit.parent
        around: Any = None if parent is None else words[parent]
        if unit.kind == LINKAGE:
            around = frozenset((edge.categories, words[edge.child]) for edge in unit.edges)
        terminals = frozenset(places.get(i, ~i) for i in unit.terminals)
        depth = 0 if parent is None else found[parent].depth + 1
        categories = sorted(unit.categories)
        found[unit] = _Features(words[unit], unit.kind, categories, around, terminals, depth)
    return found


def _likeness(features: _Features, others: _Features) -> tuple[float, ...]:
    """RETURNS (Tuple[float, ...]): The part of all words that both units have, and which other features are the same."""
    words = features.words | others.words
    shared = len(features.words & others.words) / len(words) if words else 1.0
    return (shared, *(x == y for x, y in zip(features[1:], others[1:], strict=True)))


def _same_words(words: Sequence[str], others: Sequence[str]) -> dict[int, int]:
    """RETURNS (Dict[int, int]): By numbers of the second words, those of the first that they stand for."""
    if len(words) == len(others):
        return {i: i for i in range(len(words))}
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    return {
        j: i
        for _, i1, i2, j1, j2 in matcher.get_opcodes()
        if i2 - i1 == j2 - j1
        for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
    }


def _nearest(unit: Unit | None, known: Mapping[Unit, Unit]) -> Unit | None:
    """RETURNS (Optional[Unit]): The lowest unit from one up that is known."""
    while unit is not None and unit not in known:
        unit = unit.parent
    return unit


def _word_categories(graph: Graph, token: int) -> tuple[str, ...]:
    return graph.edge_tuples[graph.index.token_edge[token]].categories


def _fewer(before: Iterable[str], after: Iterable[str]) -> int:
    """RETURNS (int): How many are not there any more."""
    return sum((Counter(before) - Counter(after)).values())


def _details(graph: Graph) -> Counter[tuple]:
    """RETURNS (Counter): The details but for the id, each with its path, numbers of units and edges left out."""
    details: Counter[tuple] = Counter()

    def visit(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                visit(inner, (*path, *(() if str(key).isdecimal() else (str(key),))))
        elif isinstance(value, list | tuple):
            for inner in value:
                visit(inner, path)
        else:
            details.update([(*path, str(value))])

    for key, value in graph.details.items():
        if key != "id":
            visit(value, (str(key),))
    return details
