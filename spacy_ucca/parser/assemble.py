"""From final states to the graph of a Doc: sentences put together, mended if need be, and linked.

What a state says is `transition.py`'s, what mending does `repair.py`'s.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeVar

from spacy.tokens import Doc

from ..graph import Graph, GraphBuilder
from ..rules.linkage import add_linkage
from ..rules.repair import repair
from ..tokens.extension import get_punct
from ..tokens.record import words_of
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem

__all__ = ["Parsed", "assemble", "by_doc"]

P = TypeVar("P", bound=tuple)

# A sentence, its final state, and whether its graph may break a rule.
Parsed = tuple[Sentence, State, bool]


def by_doc(docs: Iterable[Doc], parsed: Iterable[P]) -> Iterator[tuple[Doc, list[P]]]:
    """Sort what was made of sentences by their Docs.

    docs (Iterable[Doc]): The Docs.
    parsed (Iterable[P]): Tuples, each with a sentence first.
    YIELDS (Tuple[Doc, List[P]]): Each Doc and those of its sentences, in order.
    """
    found: dict[int, list[P]] = defaultdict(list)
    for own in parsed:
        found[id(own[0].doc)].append(own)
    for doc in docs:
        yield doc, found[id(doc)]


def assemble(
    doc: Doc, parsed: Iterable[Parsed], system: TransitionSystem, *, mend: bool, linkage: bool
) -> Graph:
    """Put the graphs of a Doc's sentences together; whitespace stays attached to nothing.

    doc (Doc): The Doc.
    parsed (Iterable[Parsed]): Its sentences.
    system (TransitionSystem): Makes graphs of states.
    mend (bool): Whether to mend what breaks the rules of UCCA. Punctuation is then what the Doc says
        (`Doc._.ucca_punct`), if anything; otherwise it is what the parser takes for it.
    linkage (bool): Whether to link linkers to the Scenes beside them.
    RETURNS (Graph): The graph.
    """
    words = words_of(doc)
    builder = GraphBuilder(words)
    for sentence, state, suspect in parsed:
        tokens = sentence.tokens.tolist()
        if suspect and mend:
            graph = system.to_graph(state, [words[i] for i in tokens], check=False)
            graph = repair(graph)
            builder.add_graph(graph, tokens)
        else:
            system.add_to(builder, state, tokens)
    graph = builder.build(check=False)
    punct = get_punct(doc) if mend else None
    if punct is not None and punct != graph.punct:
        graph = repair(graph, punct)
    return add_linkage(graph) if linkage else graph
