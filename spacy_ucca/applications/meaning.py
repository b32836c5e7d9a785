"""How much of what two texts say is the same: F1 over predications."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from operator import eq
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

    relation (str): The lemma of the relation of its Scene; of a changed fact in the first text.
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
    require_graph(doc), require_graph(other)
    left, right = statements_of(doc), statements_of(other)
    agree = _agreement(similar or str.__eq__)
    differences: list[Difference] = []
    shared = penalty = 0
    for one, two in _pairs(left, right, agree, exact=similar is None):
        same, rest, others = match(one.facts, two.facts, agree)
        pairs, rest, others = match(rest, others, _exclude)
        shared += len(same)
        penalty += sum(DENIED if f.role == "polarity" else CHANGED for f, _ in pairs)
        differences += [Difference(one.relation, f.name, f.value, g.value) for f, g in pairs]
        differences += [Difference(one.relation, f.name, f.value, None) for f in rest]
        differences += [Difference(two.relation, f.name, None, f.value) for f in others]
    sizes = [sum(len(each.facts) for each in side) + penalty for side in (left, right)]
    return PredicationSimilarity(
        *Similarity.of(*(shared / size if size else 1.0 for size in sizes)),
        tuple(d for d in differences if d.right is None),
        tuple(d for d in differences if d.left is None),
        tuple(d for d in differences if None not in d),
    )


def _agreement(similar: Similar) -> Agree:
    """RETURNS (Callable[[Fact, Fact], bool]): Whether two facts agree. "Of the man" in "the house of the man" may belong to the house
    or to the Scene: parsers differ here by the order of words."""

    @cache
    def same(a: str, b: str) -> bool:
        words = [*zip_longest(a.split(), b.split())]
        return all(v == w or (v and w and (similar(v, w) or similar(w, v))) for v, w in words)

    def agree(one: Fact, two: Fact) -> bool:
        if one.role != two.role or (one.owner != two.owner and one.owner and two.owner):
            return False
        return one.value == two.value or (one.role != "polarity" and same(one.value, two.value))

    return agree


def _exclude(one: Fact, two: Fact) -> bool:
    """RETURNS (bool): Whether two facts of one relation exclude each other: not "John" and "he"."""
    return one[:2] == two[:2] and (one.value in PRONOUNS) == (two.value in PRONOUNS)


def _pairs(
    left: list[Statement], right: list[Statement], agree: Agree, exact: bool
) -> Iterator[tuple[Statement, Statement]]:
    """YIELDS (Tuple[Statement, Statement]): Scenes of the same relation one to one, those that share the largest part of their facts
    first; then each of the others with one that says nothing."""
    same = Counter(left) & Counter(right)
    yield from zip(same.elements(), same.elements(), strict=True)
    lefts, rights = (dict(enumerate((Counter(s) - same).elements())) for s in (left, right))
    places: dict[str, list[int]] = defaultdict(list)
    for j, each in rights.items():
        places[each.relation].append(j)
    scored: list[tuple[float, int, int]] = []
    for i, one in lefts.items():
        facts = set(one.facts)
        for relation, having in places.items():
            if agree(Fact("", "", one.relation), Fact("", "", relation)):
                for j in having:
                    two = rights[j].facts
                    found = facts.intersection(two) if exact else match(one.facts, two, agree)[0]
                    scored.append((-len(found) / (len(one.facts) + len(two)), i, j))
    for _, i, j in sorted(scored):
        if i in lefts and j in rights:
            yield lefts.pop(i), rights.pop(j)
    yield from ((one, Statement("", ())) for one in lefts.values())
    yield from ((Statement("", ()), two) for two in rights.values())


def match(
    left: Sequence[T], right: Sequence[T], agree: Callable[[T, T], bool]
) -> tuple[list[tuple[T, T]], list[T], list[T]]:
    """RETURNS (Tuple[List[Tuple[T, T]], List[T], List[T]]): Pairs of what is equal, then of what agrees, each at most once; what is
    left of both sides."""
    pairs, rest, others = list[tuple[T, T]](), [*left], [*right]
    for same in (eq, agree):
        for one in [*rest]:
            j = next((j for j, two in enumerate(others) if same(one, two)), None)
            if j is not None:
                rest.remove(one)
                pairs.append((one, others.pop(j)))
    return pairs, rest, others
