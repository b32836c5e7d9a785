"""The SDP metric as spaCy's training and `nlp.evaluate` call it: over Examples. What is counted is `metric.py`'s."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.training import Example
from spacy.util import registry

from ..conversion.graph import ROOT, Arc
from ..tokens.alignment import reference_tokens
from .extension import get_arcs, sentence_arcs
from .metric import SdpCounts, count_arcs


@registry.scorers("spacy-ucca.sdp_scorer.v1")
def make_sdp_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): The scorer of `sdp_parser`: `sdp_score`."""
    return sdp_score


def sdp_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score `doc._.sdp` of predicted Docs against that of the reference Docs, sentence by sentence of the reference.
    Examples whose reference has no graph are left out; a predicted Doc without one has missed everything. An arc of a
    token that has no single counterpart in the reference is wrong.

    examples (Iterable[Example]): The examples.
    RETURNS (Dict[str, Any]): "sdp_lp", "sdp_lr", "sdp_lf", "sdp_lm", ...: see `SdpCounts.to_scores`.
    """
    total = SdpCounts()
    for example in examples:
        gold = get_arcs(example.reference)
        if gold is None:
            continue
        expected = sentence_arcs(example.reference, gold)
        found = _predicted(example, len(expected))
        for predicted, arcs in zip(found, expected):
            total += count_arcs(predicted, arcs)
    return total.to_scores()


def _predicted(example: Example, n_sentences: int) -> list[list[Arc]]:
    """RETURNS (List[List[Arc]]): The predicted arcs of each sentence of the reference, over its tokens."""
    arcs = get_arcs(example.predicted)
    if arcs is None:
        return [[] for _ in range(n_sentences)]
    numbers = reference_tokens(example)
    n = len(example.reference)
    # What has no counterpart gets a number that no token of the reference has.
    places = [number if number >= 0 else n + i for i, number in enumerate(numbers)]
    starts = [0]
    if example.reference.has_annotation("SENT_START"):
        starts = [sent.start for sent in example.reference.sents]
    found: list[list[Arc]] = [[] for _ in range(n_sentences)]
    sentence = 0
    sentence_of = []
    for number in numbers:  # a token without counterpart belongs to where the one before it does
        while number >= 0 and sentence + 1 < len(starts) and starts[sentence + 1] <= number:
            sentence += 1
        sentence_of.append(sentence)
    for arc in arcs:
        head = ROOT if arc.head == ROOT else places[arc.head]
        if found:
            found[sentence_of[arc.dependent]].append(
                Arc(head, places[arc.dependent], arc.label, arc.remote)
            )
    return found
