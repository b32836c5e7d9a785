"""Build the graph of a Doc from the final states of its sentences: joined, repaired if need be, and linked; and, from the
parses of a beam, several with their probabilities."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TypeVar

import numpy
from spacy.tokens import Doc

from ..graph import Graph, GraphBuilder
from ..graph.data import with_guidelines
from ..rules.linkage import add_linkage
from ..rules.repair import repair
from ..tokens.extension import get_guidelines, get_punct
from ..tokens.sentences import Sentence
from ..tokens.storage import words_of
from ..transition import State
from .labels import Inventory
from .settings import GraphSettings, ParserSettings

P = TypeVar("P", bound=tuple)

# A sentence, its final state, and whether its graph may break a rule.
Parsed = tuple[Sentence, State, bool]
WeightedGraphs = list[tuple[float, Graph]]  # the graphs of a Doc with their probabilities


def by_doc(docs: Iterable[Doc], parsed: Iterable[P]) -> Iterator[tuple[Doc, list[P]]]:
    """Group parsed sentences by their Docs.

    docs (Iterable[Doc]): The Docs.
    parsed (Iterable[P]): Tuples, each with a sentence first.
    YIELDS (Tuple[Doc, List[P]]): Each Doc and those of its sentences, in order.
    """
    by_id: dict[int, list[P]] = defaultdict(list)
    for item in parsed:
        by_id[id(item[0].doc)].append(item)
    for doc in docs:
        yield doc, by_id[id(doc)]


def build_graph(
    doc: Doc,
    parsed: Iterable[Parsed],
    inventory: Inventory,
    settings: GraphSettings,
) -> Graph:
    """Join the graphs of the sentences of a Doc; whitespace stays unattached.

    doc (Doc): The Doc.
    parsed (Iterable[Parsed]): Its sentences.
    inventory (Inventory): The transition system, and the categories of each guidelines.
    settings (GraphSettings): With `repair`, violations of the rules of UCCA are repaired, and punctuation is set
        from `Doc._.ucca_punct`, if the Doc has it. With `linkage`, linkers are linked to the Scenes beside them.
    RETURNS (Graph): The graph, which says which guidelines it follows.
    """
    words = words_of(doc)
    builder, system = GraphBuilder(words), inventory.system
    guidelines = get_guidelines(doc) or settings.guidelines
    builder.details = with_guidelines({}, guidelines)
    categories = inventory.by_guidelines.categories.get(guidelines)
    for sentence, state, suspect in parsed:
        tokens = sentence.tokens.tolist()
        if suspect and settings.repair:
            graph = system.to_graph(state, [words[i] for i in tokens], check=False)
            graph = repair(graph, categories=categories)
            builder.add_graph(graph, tokens)
        else:
            system.add_to(builder, state, tokens)
    graph = builder.build(check=False)
    punct = get_punct(doc) if settings.repair else None
    if punct is not None and punct != graph.punct:
        graph = repair(graph, punct, categories=categories)
    return add_linkage(graph) if settings.linkage else graph


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
