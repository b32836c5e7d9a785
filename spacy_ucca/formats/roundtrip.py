"""Count what a graph loses when it is written in a format and read back, by kind.

Units are matched by kind, words, categories and place; what has no match is lost, and what hangs elsewhere
or has other categories is counted once. Nothing is counted if, and only if, the structure, punctuation flags
and paragraphs are the same and all details and scores are still there.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

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


class _Comparison:
    """A graph beside what came back of it.

    match (Dict[Unit, Unit]): Units of the first and their counterparts in the second.
    """

    def __init__(self, a: Graph, b: Graph) -> None:
        self.a, self.b = a, b
        self.same = self._words()
        self.match: dict[Unit, Unit] = {}

    def count(self) -> Counter[str]:
        a, b = self.a, self.b
        losses: Counter[str] = Counter()
        lost = len(a.words) - len(self.same)
        losses[WORDS] = lost + sum(a.words[i] != b.words[j] for j, i in self.same.items())
        losses[FLAGS] = sum(a.punct[i] != b.punct[j] for j, i in self.same.items())
        losses[PARAGRAPHS] = sum(a.paragraphs[i] != b.paragraphs[j] for j, i in self.same.items())
        structure = self._structure() if not a.same_structure(b) else Counter()
        if not structure and not a.same_structure(b) and not losses[WORDS]:
            structure[OTHER] = 1
        losses.update(structure)
        losses[SCORES] = max(0, len(a.scores) - len(b.scores))
        losses[IDS] = int("id" in a.details and a.details["id"] != b.details.get("id"))
        losses[DETAILS] = sum((_details(a) - _details(b)).values())
        return losses

    def _words(self) -> dict[int, int]:
        """RETURNS (Dict[int, int]): By words of the second graph, those in the first that they stand for."""
        n = len(self.a.words)
        if n == len(self.b.words):
            return {i: i for i in range(n)}
        matcher = SequenceMatcher(None, self.a.words, self.b.words, autojunk=False)
        return {
            j: i
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
            for i, j in zip(range(i1, i2), range(j1, j2))
            if tag == "equal" or i2 - i1 == j2 - j1
        }

    def _structure(self) -> Counter[str]:
        self._match_units()
        losses: Counter[str] = Counter()
        taken = set(self.match.values())
        for unit in self.a.units:
            other = self.match.get(unit)
            if other is None:
                losses[ROOTS if unit.is_root else UNITS[unit.kind]] += 1
            elif other.kind != unit.kind:
                losses[UNITS[unit.kind]] += 1
        losses[ADDED] = sum(unit not in taken for unit in self.b.units)
        back = {other: unit for unit, other in self.match.items()}
        for unit, other in self.match.items():
            if unit.kind == LINKAGE:
                continue
            above = self._above(unit.parent)
            if above is None and unit.parent is not None:
                continue  # its root is lost, which is counted
            if above != _first(back, other.parent):
                losses[ATTACHMENTS] += 1
            else:
                losses[CATEGORIES] += _fewer(unit.categories, other.categories)
        losses.update(self._remotes())
        for j, i in self.same.items():
            here, there = self.a.unit_of(i), self.b.unit_of(j)
            if self._above(here) != _first(back, there) or (here is None) != (there is None):
                losses[PLACES] += 1
            elif here is not None:
                losses[CATEGORIES] += _fewer(
                    *(_word_categories(*x) for x in ((self.a, i), (self.b, j)))
                )
        return +losses

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

    def _above(self, unit: Unit | None) -> Unit | None:
        """RETURNS (Optional[Unit]): The lowest unit from here up that has a counterpart."""
        while unit is not None and unit not in self.match:
            unit = unit.parent
        return unit

    def _match_units(self) -> None:
        """Match units, by more and then by less of what they have."""
        where = {j: i for j, i in self.same.items()}
        first = {u: frozenset(u.tokens()) for u in self.a.units}
        second = {u: frozenset(where.get(j, ~j) for j in u.tokens()) for u in self.b.units}
        words = {**first, **second}

        def matched(unit: Unit | None) -> Hashable:
            return self.match.get(unit, unit) if unit is not None else None

        def key(*parts: Callable[[Unit], Hashable]) -> Callable[[Unit], Hashable]:
            return lambda unit: tuple(part(unit) for part in parts)

        def kind(unit: Unit) -> str:
            return unit.kind

        def categories(unit: Unit) -> tuple[str, ...]:
            return tuple(sorted(unit.categories))

        def unit_tokens(unit: Unit) -> frozenset[int]:
            return words[unit]

        def terminals(unit: Unit) -> frozenset[int]:
            here = unit.graph is self.b
            return frozenset(where.get(i, ~i) if here else i for i in unit.terminals)

        def above(unit: Unit) -> Hashable:
            return matched(unit.parent)

        def around(unit: Unit) -> frozenset[int] | None:
            return words[unit.parent] if unit.parent is not None else None

        def level(unit: Unit) -> int:
            return sum(1 for _ in unit.ancestors())

        full = [
            key(kind, unit_tokens, categories, around, terminals, level),
            key(kind, unit_tokens, categories, around),
            key(kind, unit_tokens, categories),
            key(kind, unit_tokens),
            key(unit_tokens),
        ]
        for one in full:
            self._pair(one, lambda unit: bool(words[unit]))
        self._pair(lambda unit: unit.is_root, lambda unit: unit.is_root)
        self._pair_alike(words)
        depths = {unit: level(unit) for unit in (*self.a.units, *self.b.units)}
        empty = [key(kind, above, categories), key(kind, above), key(above), key(kind, categories)]
        for one in empty:
            for depth in sorted({depths[u] for u in self.a.units if not words[u]}):

                def here(unit: Unit, depth: int = depth) -> bool:
                    return not words[unit] and unit.kind != LINKAGE and depths[unit] == depth

                self._pair(one, here)

        def links(unit: Unit) -> Hashable:
            return frozenset((e.categories, matched(e.child)) for e in unit.edges)

        self._pair(links, lambda unit: unit.kind == LINKAGE)

    def _pair_alike(self, words: Mapping[Unit, frozenset[int]]) -> None:
        """Match units of one kind that share at least half of their words, the largest first."""
        taken = set(self.match.values())
        there: defaultdict[int, list[Unit]] = defaultdict(list)
        for unit in self.b.units:
            if unit not in taken:
                for token in words[unit]:
                    there[token].append(unit)
        left = [unit for unit in self.a.units if words[unit] and unit not in self.match]
        for unit in sorted(left, key=lambda u: -len(words[u])):
            shared = Counter(
                u for token in words[unit] for u in there[token] if u.kind == unit.kind
            )
            ranked = [
                (n / len(words[unit] | words[u]), u.categories == unit.categories, -u.index, u)
                for u, n in shared.items()
                if u not in taken
            ]
            if ranked and (best := max(ranked, key=lambda rank: rank[:3]))[0] >= 0.5:
                self.match[unit] = best[3]
                taken.add(best[3])

    def _pair(self, key: Callable[[Unit], Hashable], chosen: Callable[[Unit], bool]) -> None:
        """Match units that are alike by a key, in their order."""
        taken = set(self.match.values())
        there: defaultdict[Hashable, list[Unit]] = defaultdict(list)
        for unit in self.b.units:
            if unit not in taken and chosen(unit):
                there[key(unit)].append(unit)
        pairs = []
        for unit in self.a.units:
            if unit not in self.match and chosen(unit) and (candidates := there.get(key(unit))):
                pairs.append((unit, candidates.pop(0)))
        self.match.update(pairs)


def _first(back: Mapping[Unit, Unit], unit: Unit | None) -> Unit | None:
    """RETURNS (Optional[Unit]): The counterpart of the lowest unit from here up that has one."""
    while unit is not None and unit not in back:
        unit = unit.parent
    return back[unit] if unit is not None else None


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
