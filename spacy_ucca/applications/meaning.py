"""How much of what two texts say is the same: F1 over predications."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from spacy.tokens import Doc

from ..tokens.extension import require_graph
from .facts import Fact, Statement, statements_of
from .usim import Similarity

Similar = Callable[[str, str], bool]
Agree = Callable[[Fact, Fact], bool]
T = TypeVar("T")
# What a changed fact and a change of polarity weigh in both texts besides the fact itself: a text that contradicts another is less
# like it than one that leaves something out.
CHANGED, DENIED = 2, 5
PRONOUNS = frozenset("he she it they er sie es il elle ils elles".split())


class Difference(NamedTuple):
    """A fact that two texts do not share.

    relation (str): The lemma of the relation of its Scene.
    role (str): "subject", "object", "object quantity", "time", "in", "polarity" ...
    left (Optional[str]): What the first text says; None if it says nothing.
    right (Optional[str]): What the second text says; None if it says nothing.

    A Scene that only one text has gives one for each of its facts.
    """

    relation: str
    role: str
    left: str | None
    right: str | None

    def __str__(self) -> str:
        sides = [side for side in (self.left, self.right) if side is not None]
        return f"{self.relation} {self.role}: {' → '.join(sides)}".strip()


class PredicationSimilarity(NamedTuple):
    """How much of what two texts say agrees, and what does not.

    recall (float): The share of the first text, from 0 to 1.
    precision (float): The share of the second.
    f (float): F1 of both.
    missing (Tuple[Difference, ...]): What only the first text says.
    added (Tuple[Difference, ...]): What only the second says.
    changed (Tuple[Difference, ...]): What they say differently of the same relation and role.
    """

    recall: float
    precision: float
    f: float
    missing: tuple[Difference, ...] = ()
    added: tuple[Difference, ...] = ()
    changed: tuple[Difference, ...] = ()

    def __str__(self) -> str:
        lines = [f"F1 {self.f:.2f}, recall {self.recall:.2f}, precision {self.precision:.2f}"]
        for name in ("missing", "added", "changed"):
            lines += [f"{name}: {each}" for each in getattr(self, name)]
        return "\n".join(lines)


def predication_f1(
    doc: Doc, other: Doc, *, similar: Similar | None = None
) -> PredicationSimilarity:
    """Compare two texts by who does what to whom.

    Each Scene gives a fact for its relation, and one for each participant, time, place, adverbial, modal verb, secondary verb and
    linker; for their numbers, quantifiers, attributes and owners too. Scenes of the same relation are paired, each with the one that
    shares most facts. The measure is F1 over facts. A fact that is changed, and not just missing, counts three times, and a negation
    six times. The measure is the same in both directions, and 1 for a text and itself.

    Passives count as their actives. Tenses, articles and "and" do not count. The measure knows no coreference, and synonyms by
    `similar` alone. It is as good as the parser and the lemmatizer are. It is no published measure.

    doc (Doc): A Doc with a graph, best with tags, lemmas and dependencies.
    other (Doc): Another.
    similar (Optional[Callable[[str, str], bool]]): Whether two different lemmas mean the same, in one of both orders. Values of
        several words, such as "john smith", are compared word by word.
    RETURNS (PredicationSimilarity): From 0 to 1, with the differences.
    RAISES (UccaError): If a Doc has no graph.
    """
    graphs = [require_graph(each) for each in (doc, other)]
    left, right = (sorted(statements_of(each)) for each in (doc, other))
    if not left and not right:
        same = float(graphs[0].words == graphs[1].words)
        return PredicationSimilarity(same, same, same)
    agree = _agreement(similar)
    if left <= right:
        return _compare(left, right, agree)
    back = _compare(right, left, agree)  # the same pairs in both directions
    sides = (tuple(Difference(*d[:2], d[3], d[2]) for d in side) for side in back[3:])
    missing, added, changed = sides
    return PredicationSimilarity(back.precision, back.recall, back.f, added, missing, changed)


def _agreement(similar: Similar | None) -> Agree:
    """RETURNS (Callable[[Fact, Fact], bool]): Whether two facts agree. "Of the man" in "the house of the man" may belong to the house
    or to the Scene: parsers differ here by the order of words."""

    @cache
    def same(a: str, b: str) -> bool:
        one, two = a.split(), b.split()
        return a == b or (
            similar is not None
            and len(one) == len(two)
            and all(v == w or similar(v, w) or similar(w, v) for v, w in zip(one, two, strict=True))
        )

    def agree(one: Fact, two: Fact) -> bool:
        if one.role != two.role or (one.owner != two.owner and one.owner and two.owner):
            return False
        return one.value == two.value if one.role == "polarity" else same(one.value, two.value)

    return agree


def _compare(left: list[Statement], right: list[Statement], agree: Agree) -> PredicationSimilarity:
    missing, added, changed = list[Difference](), list[Difference](), list[Difference]()
    shared = penalty = 0
    for one, two in _pairs(left, right, agree):
        relation = one.relation or two.relation
        found = match(one.facts, two.facts, agree)
        rest = [fact for i, fact in enumerate(one.facts) if i not in found]
        others = [fact for j, fact in enumerate(two.facts) if j not in found.values()]
        exclusive = match(rest, others, _exclude)
        shared += len(found)
        for i, fact in enumerate(rest):
            if i in exclusive:
                penalty += DENIED if fact.role == "polarity" else CHANGED
                value = others[exclusive[i]].value
                changed.append(Difference(relation, fact.name, fact.value, value))
            else:
                missing.append(Difference(relation, fact.name, fact.value, None))
        for j, fact in enumerate(others):
            if j not in exclusive.values():
                added.append(Difference(relation, fact.name, None, fact.value))
    sizes = [sum(len(each.facts) for each in side) + penalty for side in (left, right)]
    ratio = Similarity.of(*(shared / max(size, 1) for size in sizes))
    return PredicationSimilarity(*ratio, tuple(missing), tuple(added), tuple(changed))


def _exclude(one: Fact, two: Fact) -> bool:
    """RETURNS (bool): Whether two facts of one relation exclude each other: not "John" and "he"."""
    return one[:2] == two[:2] and (one.value in PRONOUNS) == (two.value in PRONOUNS)


def _pairs(
    left: list[Statement], right: list[Statement], agree: Agree
) -> Iterator[tuple[Statement, Statement]]:
    """YIELDS (Tuple[Statement, Statement]): Scenes of the same relation one to one, those that share the largest part of their facts
    first; then each of the others with one that says nothing."""
    same = Counter(left) & Counter(right)
    yield from ((each, each) for each in same.elements())
    lefts, rights = ([*(Counter(side) - same).elements()] for side in (left, right))
    places: dict[str, list[int]] = defaultdict(list)
    for j, two in enumerate(rights):
        places[two.relation].append(j)
    scored: list[tuple[float, int, int]] = []
    for i, one in enumerate(lefts):
        for relation, having in places.items():
            if agree(Fact("", "relation", one.relation), Fact("", "relation", relation)):
                scored += [(-_share(one.facts, rights[j].facts, agree), i, j) for j in having]
    alone = [dict(enumerate(lefts)), dict(enumerate(rights))]
    for _, i, j in sorted(scored):
        if i in alone[0] and j in alone[1]:
            yield alone[0].pop(i), alone[1].pop(j)
    yield from ((one, Statement("", ())) for one in alone[0].values())
    yield from ((Statement("", ()), two) for two in alone[1].values())


def _share(left: Sequence[Fact], right: Sequence[Fact], agree: Agree) -> float:
    return len(match(left, right, agree)) / (len(left) + len(right))


def match(left: Sequence[T], right: Sequence[T], agree: Callable[[T, T], bool]) -> dict[int, int]:
    """Match what agrees, each at most once, in as many pairs as possible.

    RETURNS (Dict[int, int]): The place on the right for places on the left.
    """
    pairs: dict[int, int] = {}
    back: dict[int, int] = {}
    for start in range(len(left)):
        origin: dict[int, int] = {}  # by whom a place on the right was reached
        queue = [start]
        for i in queue:
            near = [j for j in range(len(right)) if j not in origin and agree(left[i], right[j])]
            origin.update(dict.fromkeys(near, i))
            free: int | None = next((j for j in near if j not in back), None)
            if free is not None:
                while free is not None:  # exchange the pairs on the way
                    i = origin[free]
                    back[free] = i
                    pairs[i], free = free, pairs.get(i)
                break
            queue += [back[j] for j in near]
    return pairs
