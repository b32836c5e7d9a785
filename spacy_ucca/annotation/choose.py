"""Choose the sentences to annotate: those of which a parser is least certain, and no two that are alike (active learning;
Settles, 2009, on density and diversity)."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import Errors, UccaError
from ..graph import Graph

UNCERTAIN, RANDOM, TEXT = "uncertain", "random", "text"
ORDERS = (UNCERTAIN, RANDOM, TEXT)
# Edges without doubt that each sentence is counted with, so that one doubtful edge of two does not put it first
CERTAIN_EDGES = 5


def doubt(graph: Graph) -> float:
    """How large a part of a graph is expected to be wrong.

    graph (Graph): A parsed sentence.
    RETURNS (float): The sum over edges of 1 - `Edge.score`, divided by the number of edges with a score and `CERTAIN_EDGES` more.
    """
    wrong = sum(1 - score for score in graph.scores.values())
    return wrong / (len(graph.scores) + CERTAIN_EDGES)


def choose_sentences(
    graphs: Sequence[Graph], n: int, *, order: str = UNCERTAIN, seed: int = 0
) -> list[int]:
    """Choose sentences to annotate.

    graphs (Sequence[Graph]): Parsed sentences.
    n (int): How many to choose; all if there are fewer.
    order (str): "uncertain": the most doubt first, less for sentences that share words with those chosen before (the cosine of words
        weighted by rarity); "random"; or "text", the first ones.
    seed (int): The seed of "random".
    RETURNS (List[int]): The numbers of the sentences, the first to annotate first.
    RAISES (UccaError): If there is no such order.
    """
    if order not in ORDERS:
        raise UccaError(Errors.UC615.format(order=order, known=", ".join(ORDERS)))
    numbers = list(range(len(graphs)))
    if order == RANDOM:
        random.Random(seed).shuffle(numbers)
    if order != UNCERTAIN:
        return numbers[:n]
    values = np.array([doubt(graph) for graph in graphs])
    words = _Words(graph.words for graph in graphs)
    nearest, taken = np.zeros((2, len(graphs)))
    chosen: list[int] = []
    for _ in numbers[:n]:
        best = int((values * (1 - nearest) - taken).argmax())
        chosen.append(best)
        taken[best] = 1
        nearest = np.maximum(nearest, words.likeness(best))
    return chosen


class _Words:
    """The words of sentences, for comparing them.

    sentences (Iterable[Sequence[str]]): The words of each.
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        self.counts = [Counter(word.lower() for word in words) for words in sentences]
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for i, counted in enumerate(self.counts):
            for word, k in counted.items():
                found[word].append((i, k))
        self.weights: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        squares = np.zeros(len(self.counts))
        for word, pairs in found.items():
            places, counts = np.array(pairs).T
            weights = counts * np.log((1 + len(self.counts)) / len(pairs))
            self.weights[word] = places, weights
            squares[places] += weights**2
        self.norms = np.maximum(np.sqrt(squares), 1e-12)

    def likeness(self, i: int) -> np.ndarray:
        """RETURNS (ndarray): (n,) the cosine of each sentence to one."""
        products = np.zeros(len(self.counts))
        for word in self.counts[i]:
            places, weights = self.weights[word]
            products[places] += weights * weights[np.searchsorted(places, i)]
        return np.minimum(products / (self.norms * self.norms[i]), 1)
