"""USim (Choshen and Abend, ACL 2018): how alike are the structures of two texts?"""

from collections import Counter, defaultdict
from typing import NamedTuple

from spacy.tokens import Doc

from ..graph import Graph
from ..metric.score import score_pair
from ..tokens.extension import require_graph


class Item(NamedTuple):
    """What is compared: the words of a unit, and all categories of units with these words."""

    tokens: frozenset[int]
    categories: frozenset[str]


class Similarity(NamedTuple):
    """How much of two texts agrees, from 0 to 1.

    recall (float): The share of the first text.
    precision (float): The share of the second.
    f (float): F1 of both.
    """

    recall: float
    precision: float
    f: float

    @classmethod
    def of(cls, recall: float, precision: float) -> "Similarity":
        """RETURNS (Similarity): With F1."""
        total = recall + precision
        return cls(recall, precision, 2 * recall * precision / total if total else 0.0)


def usim(doc: Doc, other: Doc, *, exact: bool = True) -> Similarity:
    """Align the units of two graphs and compare their categories.

    First equal words are aligned, long runs of them first; then each unit with that of the other side with which it shares most
    words. A unit agrees if its partner has one of its categories. The measure is the same in both directions, and 1
    for a text and itself.

    Two details differ from the published script: it pairs words by edit distance and position, so that it knows corrected
    spellings; and here texts of the same tokens get UCCA's own labeled F1 over primary and remote edges.

    The measure was made to compare a sentence with its correction, of nearly the same words. It sees categories, not roles: "He
    left after he ate" and "He ate after he left" are 1.0 alike, a passive and its active far less. `predication_f1` sees both.

    doc (Doc): A Doc with a graph.
    other (Doc): Another.
    exact (bool): Compare Docs of the same tokens by UCCA's metric.
    RETURNS (Similarity): From 0 to 1.
    RAISES (UccaError): If a Doc has no graph.
    """
    left, right = require_graph(doc), require_graph(other)
    if exact and left.words == right.words:
        scores = score_pair(right, left).to_scores()
        if scores["ucca_f"] is None:  # nothing on either side
            return Similarity(1.0, 1.0, 1.0)
        return Similarity(scores["ucca_r"] or 0.0, scores["ucca_p"] or 0.0, scores["ucca_f"])
    items, others = _items_of(left), _items_of(right)
    if not items and not others:
        same = float(left.words == right.words)
        return Similarity(same, same, same)
    pairs = align_words(_words_of(doc), _words_of(other))
    recall = _agreement(items, others, pairs)
    return Similarity.of(recall, _agreement(others, items, {j: i for i, j in pairs.items()}))


def _items_of(graph: Graph) -> list[Item]:
    """RETURNS (List[Item]): The units of a graph that are no punctuation, those of the same words together."""
    found: dict[frozenset[int], set[str]] = defaultdict(set)
    for unit in graph.units:
        tokens = frozenset(unit.tokens(punct=False))
        if tokens and unit.parent is not None and not unit.is_punct:
            found[tokens].update(unit.categories)
    return [Item(tokens, frozenset(categories)) for tokens, categories in found.items()]


def _words_of(doc: Doc) -> list[str]:
    """RETURNS (List[str]): What is compared of the words."""
    return [token.text.casefold() for token in doc]


def align_words(a: list[str], b: list[str]) -> dict[int, int]:
    """Align equal words one to one: runs of 16 words that both sides have, then of 15 ... then of 1, each from left to right.

    RETURNS (Dict[int, int]): The word of `b` for words of `a`.
    """
    if b < a:  # the same pairs in both directions
        return {i: j for j, i in align_words(b, a).items()}
    pairs: dict[int, int] = {}
    used: set[int] = set()
    for size in range(16, 0, -1):
        places: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for j in reversed(range(len(b) - size + 1)):
            places[tuple(b[j : j + size])].append(j)
        for i in range(len(a) - size + 1):
            having = places[tuple(a[i : i + size])]
            while having and not used.isdisjoint(range(having[-1], having[-1] + size)):
                having.pop()
            if having and pairs.keys().isdisjoint(range(i, i + size)):
                j = having.pop()
                pairs.update(zip(range(i, i + size), range(j, j + size), strict=True))
                used.update(range(j, j + size))
    return pairs


def _align_items(items: list[Item], others: list[Item], pairs: dict[int, int]) -> list[Item | None]:
    """RETURNS (List[Optional[Item]]): For each item the one that shares most words with it (F1), of several
    one with a common category; None if none shares any."""
    having: dict[int, list[int]] = defaultdict(list)
    for j, other in enumerate(others):
        for token in other.tokens:
            having[token].append(j)
    found: list[Item | None] = []
    for item in items:
        shared = Counter(j for i in item.tokens if i in pairs for j in having[pairs[i]])
        best = max(
            shared,
            key=lambda j: (
                2 * shared[j] / (len(item.tokens) + len(others[j].tokens)),
                bool(item.categories & others[j].categories),
                -j,
            ),
            default=None,
        )
        found.append(None if best is None else others[best])
    return found


def _agreement(items: list[Item], others: list[Item], pairs: dict[int, int]) -> float:
    """RETURNS (float): The share of items whose partner has one of their categories."""
    aligned = _align_items(items, others, pairs)
    agreeing = sum(
        other is not None and bool(item.categories & other.categories)
        for item, other in zip(items, aligned, strict=True)
    )
    return agreeing / len(items) if items else 0.0
