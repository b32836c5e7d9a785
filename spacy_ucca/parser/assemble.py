"""Build the graph of a Doc from the final states of its sentences: joined, repaired if need be, and linked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

from spacy.tokens import Doc

from ..graph import Graph, GraphBuilder
from ..graph.details import with_guidelines
from ..rules.linkage import add_linkage
from ..rules.repair import repair
from ..tokens.extension import get_guidelines, get_punct
from ..tokens.sentences import Sentence
from ..tokens.storage import words_of
from ..transition import State
from .labels import Inventory
from .settings import GraphSettings

P = TypeVar("P", bound=tuple)

# A sentence, its final state, and whether its graph may break a rule.
Parsed = tuple[Sentence, State, bool]


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
