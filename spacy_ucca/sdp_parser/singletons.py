"""The accuracy of the first stage of `sdp_parser`, which finds the tokens without arcs (section 3.1 of the paper)."""

from collections.abc import Iterable

from spacy.training import Example
from spacy.util import minibatch

from .component import SdpParser
from .docs import read_gold

DOCS = 64  # whose scores are made at a time


def singleton_accuracy(parser: SdpParser, examples: Iterable[Example]) -> float | None:
    """Measure how often the first stage is right. Later stages can leave other tokens without arcs too.

    parser (SdpParser): The parser.
    examples (Iterable[Example]): Examples whose predicted Docs have the tags and dependencies that it uses.
    RETURNS (Optional[float]): The share of tokens that it takes for a singleton if they are one in the gold graph, and only
        then. None without tokens that have a gold graph.
    """
    n_right = n_tokens = 0
    for part in minibatch((eg for eg in examples if len(eg.predicted)), DOCS):
        scores = parser.model.predict([eg.predicted for eg in part])
        gold = read_gold(part, scores.batch, parser.labels)
        right = (scores.singletons() >= 0) == gold.used
        n_right += int(right[gold.known].sum())
        n_tokens += int(gold.known.sum())
    return n_right / n_tokens if n_tokens else None
