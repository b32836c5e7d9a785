"""The parses of a beam, put together to graphs of a Doc, and the graph that they vote for.

The likeliest parse is the one most probable to be right throughout. What F1 counts is units, and the set of units that is
best on average over all parses (minimum Bayes risk: Goel and Byrne, 2000) may be in none of them. How votes are counted is
`voting/`'s, how beams are searched `search.py`'s.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy
from spacy.tokens import Doc

from .assembly import assemble, by_doc
from .extensions import get_punct
from .graph import Graph
from .repair import repair
from .sentences import Sentence
from .transition import State, TransitionSystem
from .voting import Thresholds, vote

__all__ = ["Votes", "agree", "beam_graphs", "stand_ins"]

Votes = list[tuple[float, Graph]]  # of a Doc: what each of some graphs weighs, and it


def stand_ins(parses: Sequence[Sequence[State]], n: int) -> list[tuple[float, tuple[State, ...]]]:
    """Have a few parses of a whole Doc stand for all that its sentences may have: each parse of a sentence is in as many
    of them as its probability says, to the nearest.

    parses (Sequence[Sequence[State]]): By sentence, the final states of its parses, from `beam_parses`.
    n (int): How many there are, the same ones counted each by itself.
    RETURNS (List[Tuple[float, Tuple[State, ...]]]): Different ones: how much each weighs, in sum 1, and a state of each
        sentence. First the one of the likeliest parses.
    """
    points = (numpy.arange(n) + 0.5) / n
    columns = []
    for own in parses:
        likely = numpy.array([numpy.sum(state.log_probs) for state in own])
        reached = numpy.cumsum(numpy.exp(likely - likely.max()))
        columns.append(numpy.searchsorted(reached / reached[-1], points).tolist())
    counts = Counter(zip(*columns)) if columns else {(): n}
    return [
        (count / n, tuple(own[k] for own, k in zip(parses, chosen)))
        for chosen, count in counts.items()
    ]


def beam_graphs(
    docs: Iterable[Doc],
    sentences: Iterable[Sentence],
    parses: Iterable[Sequence[State]],
    n: int,
    system: TransitionSystem,
    *,
    mend: bool,
    linkage: bool,
) -> Iterator[Votes]:
    """Make graphs of the parses of the sentences of Docs.

    docs (Iterable[Doc]): The Docs.
    sentences (Iterable[Sentence]): Their sentences.
    parses (Iterable[Sequence[State]]): The final states of each sentence.
    n (int): How many graphs of a Doc there may be.
    system (TransitionSystem): Makes graphs of states.
    mend (bool): Whether to mend what breaks the rules of UCCA.
    linkage (bool): Whether to link linkers to the Scenes beside them.
    YIELDS (List[Tuple[float, Graph]]): For each Doc, what its graphs weigh, and they.
    """
    for doc, own in by_doc(docs, zip(sentences, parses, strict=True)):
        divided = [sentence for sentence, _ in own]
        chosen = stand_ins([states for _, states in own], n)
        parsed = [(weight, zip(divided, states, repeat(True))) for weight, states in chosen]
        yield [(w, assemble(doc, p, system, mend=mend, linkage=linkage)) for w, p in parsed]


def agree(
    doc: Doc,
    votes: Votes,
    thresholds: Thresholds,
    *,
    mend: bool,
    scored: bool = True,
    shares: bool = True,
) -> Graph:
    """Make one graph of several.

    doc (Doc): The Doc.
    votes (List[Tuple[float, Graph]]): Graphs of it as they were decoded, and what each weighs.
    thresholds (Thresholds): What share of the votes things need.
    mend (bool): Whether it follows the rules of UCCA.
    scored (bool): Whether votes of edges that a parser is surer of weigh more.
    shares (bool): Whether scores of edges to units with words are their shares of the votes; see `vote`.
    RETURNS (Graph): The graph.
    """
    weights, graphs = zip(*votes, strict=True)
    how = {"scored": scored, "rules": mend, "shares": shares}
    graph = vote(graphs, weights, thresholds=thresholds, **how)
    return repair(graph, get_punct(doc)) if mend else graph
