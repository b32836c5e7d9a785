"""How alike are the meanings of two texts? Align the units of their graphs and compare labels, as USim does
(Choshen and Abend, ACL 2018) between a sentence and its correction.

    python examples/similarity.py models/en_ucca_sm "John has moved to Paris." "John moved to Paris last year."

Texts of the same tokens are compared exactly: the score is UCCA's own labeled F1 over primary and remote edges, that of
`ucca.evaluation`. Others are aligned: first their words (the same form but for case, in the same order as far as
possible; USim pairs words by edit distance and position), then each unit with that of the other side with which
it shares most words. A unit agrees if its partner has one of its categories, and the score is the F1 of
agreeing units. Both are 1 for a text and itself, and the same in both directions.
"""

from collections import Counter, defaultdict
from difflib import SequenceMatcher
from typing import NamedTuple

import typer
from common import MODEL, graph_of, joined, load, read, run
from spacy.tokens import Doc

from spacy_ucca import Graph
from spacy_ucca.metric.score import score_pair


class Item(NamedTuple):
    """What is compared: the words of a unit, and all categories of units with these words."""

    tokens: frozenset[int]
    categories: frozenset[str]


class Similarity(NamedTuple):
    """Agreeing units of the first text, of the second, and both."""

    recall: float
    precision: float
    f: float


def main(
    model: str = MODEL,
    first: str = typer.Argument(..., help="A text, or a file"),
    second: str = typer.Argument(..., help="Another"),
    pairs: bool = typer.Option(False, help="Print the aligned units of the first text too"),
):
    """Compare two texts by their graphs."""
    nlp = load(model)
    a, b = nlp(read(first)), nlp(read(second))
    print(f"similarity {similarity(a, b).f:.3f}")
    if pairs:
        items = [items_of(graph_of(doc)) for doc in (a, b)]
        aligned = align_items(*items, align_words(words_of(a), words_of(b)))
        for item, other in zip(items[0], aligned, strict=True):
            partner = "-" if other is None else f"{labels(other)} {joined(other.tokens, b)}"
            print(f"{labels(item)} {joined(item.tokens, a)} -> {partner}")


def similarity(a: Doc, b: Doc, *, exact: bool = True) -> Similarity:
    """Compare two Docs.

    a (Doc): A Doc with a graph.
    b (Doc): Another.
    exact (bool): Whether Docs of the same tokens are compared by them, with UCCA's metric.
    RETURNS (Similarity): From 0 to 1.
    """
    left, right = graph_of(a), graph_of(b)
    if exact and left.words == right.words:
        scores = score_pair(right, left).to_scores()
        if scores["ucca_f"] is None:  # nothing on either side
            return Similarity(1.0, 1.0, 1.0)
        return Similarity(scores["ucca_r"] or 0.0, scores["ucca_p"] or 0.0, scores["ucca_f"])
    items_a, items_b = items_of(left), items_of(right)
    if not items_a and not items_b:
        same = float(left.words == right.words)
        return Similarity(same, same, same)
    a2b = align_words(words_of(a), words_of(b))
    recall = agreement(items_a, items_b, a2b)
    precision = agreement(items_b, items_a, {j: i for i, j in a2b.items()})
    total = recall + precision
    return Similarity(recall, precision, 2 * recall * precision / total if total else 0.0)


def items_of(graph: Graph) -> list[Item]:
    """RETURNS (List[Item]): The units of a graph that are no punctuation, those of the same words together."""
    found: dict[frozenset[int], set[str]] = defaultdict(set)
    for unit in graph.units:
        tokens = frozenset(unit.tokens(punct=False))
        if tokens and unit.parent is not None and not unit.is_punct:
            found[tokens].update(unit.categories)
    return [Item(tokens, frozenset(categories)) for tokens, categories in found.items()]


def words_of(doc: Doc) -> list[str]:
    """RETURNS (List[str]): What is compared of the words."""
    return [token.text.casefold() for token in doc]


def align_words(a: list[str], b: list[str]) -> dict[int, int]:
    """Align equal words one to one: a longest run in common first, then what lies beside it; words that changed
    places at last, from left to right.

    RETURNS (Dict[int, int]): The word of `b` for words of `a`.
    """
    if b < a:  # the same pairs in both directions
        return {i: j for j, i in align_words(b, a).items()}
    pairs: dict[int, int] = {}
    for i, j, size in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
        pairs.update((i + k, j + k) for k in range(size))
    left: dict[str, list[int]] = defaultdict(list)
    for j in sorted(set(range(len(b))) - set(pairs.values()), reverse=True):
        left[b[j]].append(j)
    for i in range(len(a)):
        if i not in pairs and left[a[i]]:
            pairs[i] = left[a[i]].pop()
    return pairs


def align_items(items: list[Item], others: list[Item], pairs: dict[int, int]) -> list[Item | None]:
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


def agreement(items: list[Item], others: list[Item], pairs: dict[int, int]) -> float:
    """RETURNS (float): The share of items whose partner has one of their categories."""
    aligned = align_items(items, others, pairs)
    agreeing = sum(
        other is not None and bool(item.categories & other.categories)
        for item, other in zip(items, aligned, strict=True)
    )
    return agreeing / len(items) if items else 0.0


def labels(item: Item) -> str:
    return "|".join(sorted(item.categories))


if __name__ == "__main__":
    run(main)
