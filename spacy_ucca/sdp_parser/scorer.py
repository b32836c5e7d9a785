"""The SDP metric as a scorer of spaCy: over Examples, for training and `nlp.evaluate`."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy
from spacy.training import Example
from spacy.util import registry

from ..conversion.graph import ROOT, Arc
from ..errors import Warnings
from .batch import reference_tokens
from .extension import get_arcs, sentence_arcs
from .metric import SdpCounts


@registry.scorers("spacy-ucca.sdp_scorer.v1")
def make_sdp_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): The scorer of `sdp_parser`: `sdp_score`."""
    return sdp_score


def sdp_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score `doc._.sdp` of predicted Docs against that of the reference Docs, by the sentences of the reference. Examples whose
    reference has no graph are left out. A predicted Doc without a graph misses all arcs. An arc of a token without a single
    counterpart in the reference is wrong.

    examples (Iterable[Example]): The examples.
    RETURNS (Dict[str, Any]): "sdp_lp", "sdp_lr", "sdp_lf", "sdp_lm", ...: see `SdpCounts.to_scores`.
    """
    total = SdpCounts()
    n_examples = n_graphs = 0
    for example in examples:
        n_examples += 1
        gold = get_arcs(example.reference)
        if gold is None:
            continue
        n_graphs += 1
        expected = sentence_arcs(example.reference, gold)
        for predicted, arcs in zip(_predicted(example), expected):
            total.add(predicted, arcs)
    if n_examples and not n_graphs:
        message = Warnings.UW351.format(attribute="sdp", reader="SdpCorpus")
        warnings.warn(message, stacklevel=2)
    return total.to_scores()


def _predicted(example: Example) -> list[list[Arc]]:
    """RETURNS (List[List[Arc]]): The predicted arcs of each sentence of the reference, over its tokens."""
    arcs = get_arcs(example.predicted)
    if not arcs:
        return sentence_arcs(example.reference, [])
    numbers = reference_tokens(example)
    n = len(example.reference)
    # What has no counterpart gets a number that no token of the reference has.
    places = [number if number >= 0 else n + i for i, number in enumerate(numbers)]
    # A token without counterpart belongs to where the one before it does.
    before = numpy.maximum.accumulate([0, *numbers])[1:].tolist()
    moved = [
        Arc(ROOT if head == ROOT else places[head], places[dependent], label, remote)
        for head, dependent, label, remote in arcs
    ]
    return sentence_arcs(example.reference, moved, [before[arc.dependent] for arc in arcs])
