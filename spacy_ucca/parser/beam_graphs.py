"""Graphs of whole Docs with their probabilities, from the parses of a beam."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy
from spacy.tokens import Doc

from ..graph import Graph
from ..tokens.sentences import Sentence
from ..transition import State
from .assemble import build_graph, by_doc
from .labels import Inventory
from .settings import ParserSettings

WeightedGraphs = list[tuple[float, Graph]]  # the graphs of a Doc with their probabilities


def systematic_sample(
    parses: Sequence[Sequence[State]], n: int
) -> list[tuple[float, tuple[State, ...]]]:
    """Sample parses of a whole Doc from the parses of its sentences, systematically: the share of samples with a parse is
    its probability, rounded to a multiple of 1 / n.

    parses (Sequence[Sequence[State]]): By sentence, the final states of its parses, the most probable first.
    n (int): The number of samples. Equal ones are counted together.
    RETURNS (List[Tuple[float, Tuple[State, ...]]]): The different samples: the share of each, in sum 1, and a state of
        each sentence. The first has the most probable parse of every sentence.
    """
    points = (numpy.arange(n) + 0.5) / n
    columns = []
    for states in parses:
        log_probs = numpy.array([numpy.sum(state.log_probs) for state in states])
        cumulative = numpy.cumsum(numpy.exp(log_probs - log_probs.max()))
        columns.append(numpy.searchsorted(cumulative / cumulative[-1], points).tolist())
    counts = Counter(zip(*columns)) if columns else {(): n}
    return [
        (count / n, tuple(states[k] for states, k in zip(parses, chosen)))
        for chosen, count in counts.items()
    ]


def beam_graphs(
    docs: Iterable[Doc],
    sentences: Iterable[Sentence],
    parses: Iterable[Sequence[State]],
    inventory: Inventory,
    settings: ParserSettings,
) -> Iterator[WeightedGraphs]:
    """Make graphs of the parses of the sentences of Docs.

    docs (Iterable[Doc]): The Docs.
    sentences (Iterable[Sentence]): Their sentences.
    parses (Iterable[Sequence[State]]): The final states of each sentence.
    inventory (Inventory): Makes graphs of states.
    settings (ParserSettings): How to make graphs; its beam width is the number of samples of a Doc.
    YIELDS (List[Tuple[float, Graph]]): For each Doc, its graphs with their probabilities.
    """
    for doc, pairs in by_doc(docs, zip(sentences, parses, strict=True)):
        of_doc = [sentence for sentence, _ in pairs]
        samples = systematic_sample([states for _, states in pairs], settings.beam_width)
        parsed = [(share, zip(of_doc, states, repeat(True))) for share, states in samples]
        yield [(s, build_graph(doc, p, inventory, settings)) for s, p in parsed]
