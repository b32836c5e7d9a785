"""The labels of the spans of trees: scored among each other, chosen one by one or together by the rules of UCCA.

Trees are found by `parse.py`; the search over labels is `tree_labels.py`'s.
"""

from typing import Any, NamedTuple

import numpy

from ..layers.span_scorer import PlacedSpans
from ..parser.calibration import SURE, log_softmax, logits
from ..parser.search import to_numpy
from ..rules.assign import NEVER, viterbi_labels
from .batch import SpanBatch
from .labels import NO_LABEL, SpanLabels
from .losses import softmax
from .model import N_SPLIT, SpanScorers
from .trees import relatives

# Spans of a tree that are less likely than that get no label, whatever the rules say.
POSSIBLE = 0.05


class ChosenSpans(NamedTuple):
    """Spans of the trees of a batch.

    rows (ndarray[int64]): (n,) the spans.
    likely (ndarray[float32]): (n,) how likely each is to have a label.
    is_labeled (ndarray[bool]): (n,) whether it is to have one, as far as it alone is concerned.
    """

    rows: numpy.ndarray
    likely: numpy.ndarray
    is_labeled: numpy.ndarray


class LabeledSpans(NamedTuple):
    """Spans with labels.

    rows (ndarray[int64]): (n,) the spans.
    likely (ndarray[float64]): (n,) how likely each is, and to have this label.
    classes (ndarray[int64]): (n,) the labels.
    """

    rows: numpy.ndarray
    likely: numpy.ndarray
    classes: numpy.ndarray


def label_spans(
    placed: PlacedSpans,
    scorers: SpanScorers,
    batch: SpanBatch,
    labels: SpanLabels,
    chosen: ChosenSpans,
) -> LabeledSpans:
    """Choose the best label of each span.

    placed (PlacedSpans): The scorer of spans.
    scorers (SpanScorers): All scorers.
    batch (SpanBatch): The batch.
    labels (SpanLabels): The labels.
    chosen (ChosenSpans): The spans of its trees.
    RETURNS (LabeledSpans): Those that have labels.
    """
    rows, likely = chosen.rows[chosen.is_labeled], chosen.likely[chosen.is_labeled]
    scores, near = _scores(placed, scorers, batch, labels, rows)
    whole = near[:, 0] < 0
    classes = scores.argmax(axis=1)
    # A root has Parallel Scenes as children, or is one Scene as well.
    several = labels.has_scenes(classes, near[:, 0])
    for which, bare in ((whole & (several > 0), True), (whole & (several < 0), False)):
        if labels.is_bare_root.any() and (labels.is_root & ~labels.is_bare_root).any():
            scores[numpy.ix_(which, labels.is_bare_root != bare)] = -numpy.inf
    classes = scores.argmax(axis=1)
    likely = likely * softmax(scores)[numpy.arange(len(rows)), classes]
    return LabeledSpans(rows, likely, classes)


def label_by_rules(
    placed: PlacedSpans,
    scorers: SpanScorers,
    batch: SpanBatch,
    labels: SpanLabels,
    chosen: ChosenSpans,
    threshold: float,
) -> LabeledSpans:
    """Choose the labels of all spans of a tree together, so that it follows the rules of UCCA. Where the best label of each
    does so, that is what is chosen. If the rules ask for it, spans get no label, or unlikely ones get one.

    placed (PlacedSpans): The scorer of spans.
    scorers (SpanScorers): All scorers.
    batch (SpanBatch): The batch.
    labels (SpanLabels): The labels.
    chosen (ChosenSpans): The spans of its trees.
    threshold (float): How likely a span is that may as well have a label as none.
    RETURNS (LabeledSpans): Spans that have labels.
    """
    rows, taken = chosen.rows, chosen.is_labeled
    scores, near = _scores(placed, scorers, batch, labels, rows)
    if not taken.all():
        # Labels of the spans of a tree do not depend on what might be there as well.
        scores[taken], _ = _scores(placed, scorers, batch, labels, rows[taken])
    logs = log_softmax(scores)
    best = logs.argmax(axis=1)
    costs = numpy.minimum(logs.max(axis=1, keepdims=True) - logs, NEVER)
    # Nothing is moved to get around the rules.
    costs[labels.rules.is_moved & ~labels.rules.is_moved[best, None]] = NEVER
    gains = _log_odds(chosen.likely) - _log_odds(threshold)
    no_label = numpy.where(taken, numpy.maximum(gains, SURE), numpy.minimum(gains, -SURE))
    start, end = batch.layout.ends[:, rows]
    own = end - start
    inner = near[:, 0] >= 0
    numpy.subtract.at(own, near[inner, 0], (end - start)[inner])
    classes = viterbi_labels(labels.rules, costs, no_label, near[:, 0], own > 0)
    kept = numpy.nonzero(classes != NO_LABEL)[0]
    likely = chosen.likely[kept] * numpy.exp(logs[kept, classes[kept]])
    return LabeledSpans(rows[kept], likely, classes[kept])


def _scores(
    placed: PlacedSpans,
    scorers: SpanScorers,
    batch: SpanBatch,
    labels: SpanLabels,
    rows: numpy.ndarray,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): (n, n_classes) the scores of the labels of the spans of trees, -inf for those that
    they may not have; (n, 3) the spans around each, as `relatives` finds them."""
    layout = batch.layout
    near = relatives(layout.sentence[rows], *layout.ends[:, rows])
    vectors = placed.vectors(batch.rows[rows])
    found, _ = scorers.labels((vectors, near))
    scores = to_numpy(found + placed.scores_of(vectors)[:, :-N_SPLIT])
    whole = numpy.isin(rows, layout.whole)
    for which, allowed in ((~whole, labels.allowed(False)), (whole, labels.allowed(True))):
        allowed[NO_LABEL] = False
        scores[numpy.ix_(which, ~allowed)] = -numpy.inf
    return scores, near


def _log_odds(likely: Any) -> numpy.ndarray:
    return logits(numpy.log(numpy.maximum(likely, SURE)))
