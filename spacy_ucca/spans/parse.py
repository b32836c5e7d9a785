"""From the vectors of a batch to its trees and remote edges.

Charts are searched by `chart.py` and `topdown.py`; graphs are made by the component.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy

from ..confidence import Calibration, log_softmax
from ..conversion.graph import Token
from ..conversion.tree import ROOT_LABEL, ConstituencyTree, LabeledSpan, format_chain, parse_chain
from ..decode import Sentence, add_remotes, to_numpy
from ..features import MISSING
from ..layers.span_scorer import PlacedSpans
from ..records import SCORE_STEPS
from ..screening import screen
from ..transition import State
from ..unit_features import Units
from .batch import SpanBatch
from .chart import best_trees
from .labels import NO_LABEL, SpanLabels
from .model import N_SPLIT, SpanScorers
from .topdown import parse_top_down
from .trees import to_state

DECODERS = ("chart", "topdown")
PART = 4_096  # spans scored at once: what bounds memory


class ScoredSpans(NamedTuple):
    """What the scorer says of the spans of a batch.

    labels (ndarray[int64]): (n_rows,) the best label of each, perhaps none.
    values (ndarray[float32]): (n_rows,) how much better it is than none.
    splits (ndarray[float32]): (n_rows,) how good a part each is.
    """

    labels: numpy.ndarray
    values: numpy.ndarray
    splits: numpy.ndarray


def score_spans(placed: PlacedSpans, batch: SpanBatch, labels: SpanLabels) -> ScoredSpans:
    """Score all spans of a batch, some at a time. Of the scores of their labels the best is kept.

    placed (PlacedSpans): The scorer.
    batch (SpanBatch): The batch.
    labels (SpanLabels): The labels.
    RETURNS (ScoredSpans): What it says.
    """
    n = batch.layout.n_rows
    best = numpy.zeros(n, dtype="int64")
    values, splits = numpy.zeros(n, dtype="float32"), numpy.zeros(n, dtype="float32")
    inner, whole = labels.allowed(False), labels.allowed(True)
    for start in range(0, n, PART):
        part = slice(start, start + PART)
        scores = to_numpy(placed.predict(batch.rows[part]))
        splits[part] = scores[:, -N_SPLIT]
        scores = scores[:, :-N_SPLIT]
        none = scores[:, NO_LABEL].copy()
        scores[:, ~inner] = -numpy.inf
        best[part] = scores.argmax(axis=1)
        values[part] = scores[numpy.arange(len(scores)), best[part]] - none
    if len(batch.layout):
        rows = batch.layout.whole
        scores = to_numpy(placed.predict(batch.rows[rows]))[:, :-N_SPLIT]
        scores[:, ~whole] = -numpy.inf
        best[rows] = scores.argmax(axis=1)
    return ScoredSpans(best, values, splits)


def choose_spans(decoder: str, batch: SpanBatch, scored: ScoredSpans) -> numpy.ndarray:
    """RETURNS (ndarray[bool]): (n_rows,) which spans are in the tree of their sentence and have a label."""
    layout = batch.layout
    if decoder == "chart":
        chosen = best_trees(layout, scored.values)
    else:
        chosen = numpy.zeros(layout.n_rows, dtype="bool")
        for k, part in enumerate(layout.slices()):
            spans = parse_top_down(scored.splits[part], int(layout.lengths[k]))
            start, end = numpy.array(spans, dtype="int64").reshape((-1, 2)).T
            chosen[layout.rows(numpy.full(len(start), k), start, end)] = True
    return chosen & (scored.labels != NO_LABEL)


class Stretch(NamedTuple):
    """A part of a sentence that is parsed by itself: all of it, if it is not too long.

    sentence (int): The sentence.
    start, end (int): Its tokens there.
    """

    sentence: int
    start: int
    end: int


def stretches(sentences: Sequence[Sentence], max_length: int) -> Iterator[Stretch]:
    """YIELDS (Stretch): The sentences, long ones in equal parts."""
    for k, sentence in enumerate(sentences):
        n_parts = -(-len(sentence) // max_length)
        cuts = [i * len(sentence) // n_parts for i in range(n_parts + 1)]
        yield from (Stretch(k, start, end) for start, end in itertools.pairwise(cuts))


class Parsed(NamedTuple):
    """What parsing gives.

    states (List[State]): The tree of each sentence, with remote edges.
    suspects (ndarray[bool]): For each, whether its graph may break a rule; see `screening.py`.
    """

    states: list[State]
    suspects: numpy.ndarray


def parse(
    scorers: SpanScorers,
    labels: SpanLabels,
    sentences: Sequence[Sentence],
    decoder: str,
    max_length: int,
) -> Parsed:
    """Parse a batch.

    scorers (SpanScorers): What the model makes of it.
    labels (SpanLabels): The labels.
    sentences (Sequence[Sentence]): Its sentences.
    decoder (str): One of `DECODERS`.
    max_length (int): Longer sentences are parsed in parts, which come under one root.
    RETURNS (Parsed): The trees.
    """
    parts = list(stretches(sentences, max_length))
    batch = SpanBatch(
        [sentences[p.sentence].places[p.start : p.end] for p in parts],
        [_heads(sentences[p.sentence], p) for p in parts],
    )
    placed = batch.place(scorers.spans)
    scored = score_spans(placed, batch, labels)
    rows = numpy.nonzero(choose_spans(decoder, batch, scored))[0]
    own = to_numpy(placed.predict(batch.rows[rows]))[:, :-N_SPLIT]
    sure = numpy.exp(log_softmax(own, scored.labels[rows]))
    found = _Found(sentences)
    which, classes = batch.layout.sentence[rows].tolist(), scored.labels[rows].tolist()
    starts, ends = batch.layout.ends[:, rows].tolist()
    for k, start, end, label, score in zip(which, starts, ends, classes, _rounded(sure)):
        found.add(parts[k], start, end, labels.spans[label - 1], score)
    states, shared = [], []
    for k in range(len(sentences)):
        tree = found.tree(k)
        state, nodes = to_state(labels.units.system, tree)
        for i, node in nodes.items():
            if node:
                state.scores[node] = found.scores[k][tree.nodes[i][:2]]
        states.append(state)
        shared.append([nodes[i] for i in tree.remote_children if nodes.get(i)])
    units = Units.of_batch(labels.units.system, states, [s.syntax for s in sentences])
    if any(shared) and labels.remote_labels:
        places = numpy.concatenate([*(s.places for s in sentences), [MISSING]]).astype("int32")
        schema, ids = labels.units.schemas["remotes"], labels.units.remote_ids
        is_child = marked(units, shared)
        add_remotes(scorers.pairs, schema, ids, is_child, units, places, Calibration())
    return Parsed(states, screen(labels.units.label_facts, units))


def marked(units: Units, nodes: Sequence[Sequence[int]]) -> numpy.ndarray:
    """RETURNS (ndarray[bool]): (n_units,) which units are among some nodes of each state."""
    found = numpy.zeros(len(units.nodes), dtype="bool")
    for k, own in enumerate(nodes):
        if own:
            start, stop = int(units.starts[k]), int(units.starts[k + 1])
            found[start:stop] = numpy.isin(units.nodes[start:stop], own)
    return found


def _heads(sentence: Sentence, part: Stretch) -> list[int]:
    heads = sentence.syntax.heads
    if part.end - part.start == len(heads):
        return heads
    return [
        head - part.start if part.start <= head < part.end else -1
        for head in heads[part.start : part.end]
    ]


def _rounded(scores: numpy.ndarray) -> list[float]:
    return (numpy.round(scores * SCORE_STEPS) / SCORE_STEPS).tolist()


class _Found:
    """The labeled spans of sentences, put together from those of their parts."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.lengths = [len(sentence) for sentence in sentences]
        self.spans: list[list[LabeledSpan]] = [[] for _ in sentences]
        self.scores: list[dict[tuple[int, int], float]] = [{} for _ in sentences]

    def add(self, part: Stretch, start: int, end: int, label: str, score: float) -> None:
        k, n = part.sentence, part.end - part.start
        if end - start == n < self.lengths[k]:  # the root of a part
            if not part.start:
                self.spans[k].append(LabeledSpan(0, self.lengths[k], ROOT_LABEL))
            label = format_chain(link for link in parse_chain(label) if link.name != ROOT_LABEL)
            if not label:
                return
        self.spans[k].append(LabeledSpan(part.start + start, part.start + end, label))
        self.scores[k][part.start + start, part.start + end] = score

    def tree(self, k: int) -> ConstituencyTree:
        return ConstituencyTree((_TOKEN,) * self.lengths[k], tuple(self.spans[k]))


_TOKEN = Token("_")  # words are of no interest here
