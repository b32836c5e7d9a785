"""Choose the labels of the spans of trees: one by one, or together by the rules of UCCA."""

from typing import Any, NamedTuple

import numpy

from ..layers.arrays import log_softmax, softmax
from ..layers.span_scorer import PlacedSpans
from ..parser.calibration import MIN_PROBABILITY, logits
from ..parser.search import finite, to_numpy
from ..rules.assign import NEVER, viterbi_labels
from .batch import SpanBatch
from .labels import NO_LABEL, SpanLabels
from .model import N_SPLIT, SpanScorers
from .trees import relatives

# Minimum probability of a span that may get a label because the rules ask for one. Chosen on the dev sets.
POSSIBLE = 0.05


class ChosenSpans(NamedTuple):
    """Spans of the trees of a batch.

    rows (ndarray[int64]): (n,) the spans.
    probs (ndarray[float32]): (n,) the probability that each has a label.
    is_labeled (ndarray[bool]): (n,) whether it gets one by its score alone, without the rules of UCCA.
    """

    rows: numpy.ndarray
    probs: numpy.ndarray
    is_labeled: numpy.ndarray


class LabeledSpans(NamedTuple):
    """Spans with labels.

    rows (ndarray[int64]): (n,) the spans.
    probs (ndarray[float64]): (n,) the probability of each, with its label.
    classes (ndarray[int64]): (n,) the labels.
    """

    rows: numpy.ndarray
    probs: numpy.ndarray
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
    RETURNS (LabeledSpans): The spans with labels.
    """
    rows, probs = chosen.rows[chosen.is_labeled], chosen.probs[chosen.is_labeled]
    scores, near = _scores(placed, scorers, batch, labels, rows)
    whole = near[:, 0] < 0
    classes = scores.argmax(axis=1)
    # A root has Parallel Scenes as children, or is one Scene as well.
    several = labels.has_scenes(classes, near[:, 0])
    for which, bare in ((whole & (several > 0), True), (whole & (several < 0), False)):
        if labels.is_bare_root.any() and (labels.is_root & ~labels.is_bare_root).any():
            scores[numpy.ix_(which, labels.is_bare_root != bare)] = -numpy.inf
    classes = scores.argmax(axis=1)
    probs = probs * softmax(scores)[numpy.arange(len(rows)), classes]
    return LabeledSpans(rows, probs, classes)


def label_by_rules(
    placed: PlacedSpans,
    scorers: SpanScorers,
    batch: SpanBatch,
    labels: SpanLabels,
    chosen: ChosenSpans,
    threshold: float,
) -> LabeledSpans:
    """Choose the labels of all spans of a tree together, so that it follows the rules of UCCA. If the best label of
    each span breaks no rule, it is chosen. Otherwise other labels are chosen, labels are left out, or spans below the
    threshold get one.

    placed (PlacedSpans): The scorer of spans.
    scorers (SpanScorers): All scorers.
    batch (SpanBatch): The batch.
    labels (SpanLabels): The labels.
    chosen (ChosenSpans): The spans of its trees.
    threshold (float): The probability at which a label and no label cost the same.
    RETURNS (LabeledSpans): Spans that have labels.
    """
    rows, taken = chosen.rows, chosen.is_labeled
    scores, near = _scores(placed, scorers, batch, labels, rows)
    if not taken.all():
        # Score the spans above the threshold among themselves: their relatives must not depend on less probable spans.
        scores[taken], _ = _scores(placed, scorers, batch, labels, rows[taken])
    logs = log_softmax(scores)
    best = logs.argmax(axis=1)
    costs = numpy.minimum(logs.max(axis=1, keepdims=True) - logs, NEVER)
    # Labels of moved units are allowed only where they are the best: no unit is moved to follow a rule.
    costs[labels.rules.is_moved & ~labels.rules.is_moved[best, None]] = NEVER
    gains = _log_odds(chosen.probs) - _log_odds(threshold)
    no_label = numpy.where(
        taken, numpy.maximum(gains, MIN_PROBABILITY), numpy.minimum(gains, -MIN_PROBABILITY)
    )
    start, end = batch.layout.ends[:, rows]
    n_tokens = end - start  # without those of labeled spans inside
    inner = near[:, 0] >= 0
    numpy.subtract.at(n_tokens, near[inner, 0], (end - start)[inner])
    classes = viterbi_labels(labels.rules, costs, no_label, near[:, 0], n_tokens > 0)
    labeled = numpy.nonzero(classes != NO_LABEL)[0]
    probs = chosen.probs[labeled] * numpy.exp(logs[labeled, classes[labeled]])
    return LabeledSpans(rows[labeled], probs, classes[labeled])


def _scores(
    placed: PlacedSpans,
    scorers: SpanScorers,
    batch: SpanBatch,
    labels: SpanLabels,
    rows: numpy.ndarray,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): (n, n_classes) the scores of the labels of the spans of trees, -inf for labels that
    are not allowed; (n, 3) the spans around each, as of `relatives`."""
    layout = batch.layout
    near = relatives(layout.sentence[rows], *layout.ends[:, rows])
    vectors = placed.vectors(batch.rows[rows])
    raw: Any = placed.scores_of(vectors)[:, :-N_SPLIT]
    if scorers.labels is not None:
        raw = raw + scorers.labels((vectors, near))[0]
    scores = finite(to_numpy(raw))
    whole = numpy.isin(rows, layout.whole)
    for which, allowed in ((~whole, labels.allowed(False)), (whole, labels.allowed(True))):
        allowed[NO_LABEL] = False
        scores[numpy.ix_(which, ~allowed)] = -numpy.inf
    batch.allowed.restrict_scores(scores, layout.sentence[rows])
    return scores, near


def _log_odds(probs: Any) -> numpy.ndarray:
    return logits(numpy.log(numpy.maximum(probs, MIN_PROBABILITY)))
