"""Parse by spans: from the scores of a batch to its trees, remote edges and implicit units, as states.

The labels of spans are chosen one by one, or together by the rules of UCCA. Trees of labeled spans become states of the `tree` system, from
which features of units and graphs are made: moves are undone, and no transition is applied.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy

from ..conversion.constituency import NO_UNIT, unit_parents
from ..conversion.graph import Token
from ..conversion.tree import (
    ROOT_LABEL,
    TOP,
    ConstituencyTree,
    LabeledSpan,
    format_chain,
    parse_chain,
)
from ..features.state_rows import Syntax
from ..features.unit_rows import UnitTable
from ..layers.arrays import log_softmax, softmax
from ..native.state import ROOT
from ..parser.calibration import MIN_PROBABILITY, logits
from ..parser.decode import Decoded, finish_trees
from ..parser.labels import Allowed, guidelines_of
from ..parser.search import finite, to_numpy
from ..parser.settings import SpanSettings
from ..rules.assign import NEVER, viterbi_labels
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from .batch import SpanBatch
from .chart import best_trees, parse_top_down, span_probabilities
from .labels import N_SPLIT, NO_LABEL, SpanLabels


def to_state(system: TransitionSystem, tree: ConstituencyTree) -> tuple[State, dict[int, int]]:
    """Make a state of a tree.

    system (TransitionSystem): That of the labels.
    tree (ConstituencyTree): Any tree whose labels it has.
    RETURNS (Tuple[State, Dict[int, int]]): The state, done: its graph is that of `from_constituency`; and for nodes of the
        tree that are units, the node of the state. Roots share one.
    """
    parents, tokens = unit_parents(tree)
    state = system.start(len(tree.tokens))
    state.stack, state.buffer, state.done = [ROOT], [], True
    nodes: dict[int, int] = {}
    # Children before parents: what is known of a unit hangs on all below it.
    pending = [0] * len(parents)
    for i, parent in enumerate(parents):
        if parent == NO_UNIT:
            continue
        if parent >= 0:
            pending[parent] += 1
        label = tree.nodes[i].label
        is_root = label.name not in system.label_ids
        nodes[i] = ROOT if is_root else state.add_node()
    for token, place in enumerate(tokens):
        state.add_token(nodes.get(place, ROOT) if place != TOP else ROOT, token)
    order = [i for i in nodes if not pending[i]]
    for i in order:  # grows while it is walked
        parent = parents[i]
        if nodes[i] != ROOT:
            number = system.label_ids[tree.nodes[i].label.name]
            above = nodes[parent] if parent != TOP else ROOT
            state.attach(above, nodes[i], number, system.ranks[number])
        if parent != TOP:
            pending[parent] -= 1
            if not pending[parent]:
                order.append(parent)
    for children in state.children:
        children.sort(key=state.first.__getitem__)
    return state, nodes


def relatives(sentence: numpy.ndarray, start: numpy.ndarray, end: numpy.ndarray) -> numpy.ndarray:
    """Find the spans around each span in the trees that nested spans form.

    sentence, start, end (ndarray): (n,) nested spans of sentences.
    RETURNS (ndarray[int64]): (n, 3) the smallest span around each, the span before and the one after it there; -1 for
        none.
    """
    spans_around = numpy.full((len(sentence), 3), -1, dtype="int64")
    order = numpy.lexsort((-end, start, sentence))
    above: list[list[int]] = []  # end, index and last child of the spans around the next one
    before = -1
    rows = zip(*(column[order].tolist() for column in (sentence, start, end)))
    for i, (k, first, last) in zip(order.tolist(), rows):
        if k != before:
            above, before = [], k
        while above and above[-1][0] <= first:
            above.pop()
        if above:
            _, parent, sibling = above[-1]
            spans_around[i, 0], spans_around[i, 1] = parent, sibling
            if sibling >= 0:
                spans_around[sibling, 2] = i
            above[-1][2] = i
        above.append([last, i, -1])
    return spans_around


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


LabeledSpans = tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]  # spans, probabilities, labels
MAX_SPANS = 4_096  # scored at once, which bounds memory
# The value of a span below the threshold, as a share of its probability. It is small, so that such spans are chosen only
# where no span above the threshold fits.
FILLER = 0.01
EVEN = 0.5  # the threshold where scores are no probabilities


class ScoredSpans(NamedTuple):
    """The scores of the spans of a batch.

    margins (ndarray[float32]): (n_rows,) the score of the best label of each minus that of no label.
    none (ndarray[float32]): (n_rows,) the probability of no label.
    splits (ndarray[float32]): (n_rows,) the score of each as a part of a split.
    """

    margins: numpy.ndarray
    none: numpy.ndarray
    splits: numpy.ndarray


class SpanLabeler:
    """Scores the spans of a batch, and labels those of its trees.

    scorers (Dict[str, Any]): The scorers.
    batch (SpanBatch): The batch.
    labels (SpanLabels): The labels.
    """

    def __init__(self, scorers: Mapping[str, Any], batch: SpanBatch, labels: SpanLabels) -> None:
        self.placed = batch.place(scorers["spans"])
        self.score_labels = scorers["labels"]
        self.batch, self.labels = batch, labels

    def score_all(self) -> ScoredSpans:
        """Score all spans, `MAX_SPANS` at a time.

        RETURNS (ScoredSpans): The scores; of each span only that of its best label.
        """
        n = self.batch.layout.n_rows
        margins, none, splits = numpy.zeros((3, n), dtype="float32")
        forbidden = ~self.labels.allowed(False)
        for start in range(0, n, MAX_SPANS):
            part = slice(start, start + MAX_SPANS)
            scores = finite(to_numpy(self.placed.predict(self.batch.rows[part])))
            splits[part] = scores[:, -N_SPLIT]
            scores = scores[:, :-N_SPLIT]
            scores[:, forbidden] = -numpy.inf
            self.batch.allowed.restrict_scores(scores, self.batch.layout.sentence[part])
            margins[part], none[part] = best_against_none(scores)
        return ScoredSpans(margins, none, splits)

    def label(self, chosen: ChosenSpans) -> LabeledSpans:
        """Choose the best label of each span.

        chosen (ChosenSpans): The spans of the trees.
        RETURNS (Tuple[ndarray, ndarray, ndarray]): (n,) the spans, their probabilities with their labels, and the labels.
        """
        labels = self.labels
        rows, probs = chosen.rows[chosen.is_labeled], chosen.probs[chosen.is_labeled]
        scores, near = self._scores(rows)
        whole = near[:, 0] < 0
        classes = scores.argmax(axis=1)
        # A root has Parallel Scenes as children, or is one Scene as well.
        several = labels.has_scenes(classes, near[:, 0])
        for which, bare in ((whole & (several > 0), True), (whole & (several < 0), False)):
            if labels.is_bare_root.any() and (labels.is_root & ~labels.is_bare_root).any():
                scores[numpy.ix_(which, labels.is_bare_root != bare)] = -numpy.inf
        classes = scores.argmax(axis=1)
        return rows, probs * softmax(scores)[numpy.arange(len(rows)), classes], classes

    def label_by_rules(self, chosen: ChosenSpans, threshold: float) -> LabeledSpans:
        """Choose the labels of all spans of a tree together, so that it follows the rules of UCCA. If the best label of
        each span breaks no rule, it is chosen. Otherwise other labels are chosen, labels are left out, or spans below the
        threshold get one.

        chosen (ChosenSpans): The spans of the trees.
        threshold (float): The probability at which a label and no label cost the same.
        RETURNS (Tuple[ndarray, ndarray, ndarray]): As of `label`.
        """
        labels, rows, taken = self.labels, chosen.rows, chosen.is_labeled
        scores, near = self._scores(rows)
        if not taken.all():
            # Score the spans above the threshold among themselves: their relatives must not depend on less probable spans.
            scores[taken], _ = self._scores(rows[taken])
        logs = log_softmax(scores)
        best = logs.argmax(axis=1)
        costs = numpy.minimum(logs.max(axis=1, keepdims=True) - logs, NEVER)
        # Labels of moved units are allowed only where they are the best: no unit is moved to follow a rule.
        costs[labels.rules.is_moved & ~labels.rules.is_moved[best, None]] = NEVER
        gains = _log_odds(chosen.probs) - _log_odds(threshold)
        no_label = numpy.where(
            taken, numpy.maximum(gains, MIN_PROBABILITY), numpy.minimum(gains, -MIN_PROBABILITY)
        )
        start, end = self.batch.layout.ends[:, rows]
        n_tokens = end - start  # without those of labeled spans inside
        inner = near[:, 0] >= 0
        numpy.subtract.at(n_tokens, near[inner, 0], (end - start)[inner])
        classes = viterbi_labels(labels.rules, costs, no_label, near[:, 0], n_tokens > 0)
        labeled = numpy.nonzero(classes != NO_LABEL)[0]
        probs = chosen.probs[labeled] * numpy.exp(logs[labeled, classes[labeled]])
        return rows[labeled], probs, classes[labeled]

    def _scores(self, rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """RETURNS (Tuple[ndarray, ndarray]): (n, n_classes) the scores of the labels of the spans of trees, -inf for labels
        that are not allowed; (n, 3) the spans around each, as of `relatives`."""
        layout = self.batch.layout
        near = relatives(layout.sentence[rows], *layout.ends[:, rows])
        vectors = self.placed.vectors(self.batch.rows[rows])
        raw: Any = self.placed.scores_of(vectors)[:, :-N_SPLIT]
        if self.score_labels is not None:
            raw = raw + self.score_labels((vectors, near))[0]
        scores = finite(to_numpy(raw))
        whole = numpy.isin(rows, layout.whole)
        for which, allowed in (
            (~whole, self.labels.allowed(False)),
            (whole, self.labels.allowed(True)),
        ):
            allowed[NO_LABEL] = False
            scores[numpy.ix_(which, ~allowed)] = -numpy.inf
        self.batch.allowed.restrict_scores(scores, layout.sentence[rows])
        return scores, near


def _log_odds(probs: Any) -> numpy.ndarray:
    return logits(numpy.log(numpy.maximum(probs, MIN_PROBABILITY)))


def best_against_none(scores: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): (n,) the score of the best label of each row minus that of no label; the
    probability of no label."""
    margins = scores[:, NO_LABEL + 1 :].max(axis=1) - scores[:, NO_LABEL]
    return margins, softmax(scores)[:, NO_LABEL]


def choose_spans(settings: SpanSettings, batch: SpanBatch, scored: ScoredSpans) -> ChosenSpans:
    """Find the tree of each sentence.

    settings (SpanSettings): The decoder, the loss by which the model was trained, the threshold.
    batch (SpanBatch): The batch.
    scored (ScoredSpans): Its spans.
    RETURNS (ChosenSpans): The spans of all trees.
    """
    layout = batch.layout
    probs, labeled = 1 - scored.none, scored.margins > 0
    if settings.decoder == "topdown":
        chosen = numpy.zeros(layout.n_rows, dtype="bool")
        for k, part in enumerate(layout.slices()):
            spans = parse_top_down(scored.splits[part], int(layout.lengths[k]))
            start, end = numpy.array(spans, dtype="int64").reshape((-1, 2)).T
            chosen[layout.rows(numpy.full(len(start), k), start, end)] = True
    else:
        gains = scored.margins
        if settings.has_probabilities:
            # The tree of the most spans expected to be right, each less a threshold (Goodman, 1996).
            potentials = -numpy.log(scored.none + 1e-30)
            potentials[layout.whole] = 0.0
            _, among = span_probabilities(layout, potentials)
            probs *= among
            labeled = probs > settings.threshold
            gains = probs - settings.threshold
        chosen = best_trees(layout, numpy.maximum(gains, FILLER * probs))
    labeled[layout.whole], probs[layout.whole] = True, 1.0
    rows = numpy.nonzero(chosen & (labeled | (probs > POSSIBLE)))[0]
    return ChosenSpans(rows, probs[rows], labeled[rows])


class SentencePart(NamedTuple):
    """A part of a sentence that is parsed separately: the whole sentence, unless it is too long.

    sentence (int): The sentence.
    start, end (int): Its tokens there.
    """

    sentence: int
    start: int
    end: int


def split_long(sentences: Sequence[Sentence], max_length: int) -> Iterator[SentencePart]:
    """YIELDS (SentencePart): The sentences, long ones in equal parts."""
    for k, sentence in enumerate(sentences):
        n_parts = -(-len(sentence) // max_length)
        cuts = [i * len(sentence) // n_parts for i in range(n_parts + 1)]
        yield from (SentencePart(k, start, end) for start, end in itertools.pairwise(cuts))


def parse(
    scorers: Mapping[str, Any],
    labels: SpanLabels,
    sentences: Sequence[Sentence],
    settings: SpanSettings,
    calibration: Any,
) -> Decoded:
    """Parse a batch.

    scorers (Dict[str, Any]): The scorers of the batch.
    labels (SpanLabels): The labels.
    sentences (Sequence[Sentence]): Its sentences.
    settings (SpanSettings): The settings.
    calibration (Callable): Makes scores of edges.
    RETURNS (Decoded): The tree of each sentence as a state, with remote edges and implicit units.
    """
    parts = list(split_long(sentences, settings.max_length))
    guidelines = guidelines_of(sentences, labels.by_guidelines.ids, settings.guidelines)
    batch = SpanBatch(
        [sentences[p.sentence].places[p.start : p.end] for p in parts],
        [_syntax(sentences[p.sentence], p) for p in parts],
        len(labels.deps) + 1,
        Allowed(labels.allowed_spans, guidelines[[p.sentence for p in parts]]),
    )
    labeler = SpanLabeler(scorers, batch, labels)
    chosen = choose_spans(settings, batch, labeler.score_all())
    if settings.repair:
        least = settings.threshold if settings.has_probabilities else EVEN
        rows, probabilities, classes = labeler.label_by_rules(chosen, least)
    else:
        rows, probabilities, classes = labeler.label(chosen)
    spans = _SentenceSpans(sentences)
    which = batch.layout.sentence[rows].tolist()
    starts, ends = batch.layout.ends[:, rows].tolist()
    logs = numpy.log(numpy.maximum(probabilities, MIN_PROBABILITY)).tolist()
    for k, start, end, label, log in zip(which, starts, ends, classes.tolist(), logs):
        spans.add(parts[k], start, end, labels.spans[label - 1], log)
    states, shared = [], []
    for k in range(len(sentences)):
        tree = spans.tree(k)
        state, nodes = to_state(labels.system, tree)
        # As if a transition had made each unit: its "step" is the number of its node.
        state.log_probs = numpy.zeros(len(state.parent))
        for i, node in nodes.items():
            if node != ROOT:
                state.when[node], state.log_probs[node] = node, spans.logs[k][tree.nodes[i][:2]]
        states.append(state)
        shared.append([nodes[i] for i in tree.remote_children if nodes.get(i)])
    decoded = finish_trees(
        labels,
        sentences,
        states,
        guidelines,
        settings,
        calibration,
        remotes=scorers["pairs"] if any(shared) else None,
        implicit=scorers["implicit"],
        is_child=partial(unit_mask, nodes=shared),
    )
    # Transitions put no tokens on the root, so screening does not look for them.
    on_root = numpy.array([bool(state.terminals[ROOT]) for state in states], dtype="bool")
    return decoded._replace(may_violate=decoded.may_violate | on_root)


def unit_mask(units: UnitTable, nodes: Sequence[Sequence[int]]) -> numpy.ndarray:
    """RETURNS (ndarray[bool]): (n_units,) which units are among some nodes of each state."""
    mask = numpy.zeros(len(units.nodes), dtype="bool")
    for k, wanted in enumerate(nodes):
        if wanted:
            start, stop = int(units.starts[k]), int(units.starts[k + 1])
            mask[start:stop] = numpy.isin(units.nodes[start:stop], wanted)
    return mask


def _syntax(sentence: Sentence, part: SentencePart) -> Syntax:
    heads, deps = sentence.syntax.heads, sentence.syntax.deps
    if part.end - part.start == len(heads):
        return sentence.syntax
    inside = [
        head - part.start if part.start <= head < part.end else -1
        for head in heads[part.start : part.end]
    ]
    return Syntax(inside, deps[part.start : part.end])


class _SentenceSpans:
    """The labeled spans of sentences, put together from those of their parts."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.lengths = [len(sentence) for sentence in sentences]
        self.spans: list[list[LabeledSpan]] = [[] for _ in sentences]
        self.logs: list[dict[tuple[int, int], float]] = [{} for _ in sentences]

    def add(self, part: SentencePart, start: int, end: int, label: str, log: float) -> None:
        k, n = part.sentence, part.end - part.start
        if end - start == n < self.lengths[k]:  # the root of a part
            if not part.start:
                self.spans[k].append(LabeledSpan(0, self.lengths[k], ROOT_LABEL))
            label = format_chain(link for link in parse_chain(label) if link.name != ROOT_LABEL)
            if not label:
                return
        self.spans[k].append(LabeledSpan(part.start + start, part.start + end, label))
        self.logs[k][part.start + start, part.start + end] = log

    def tree(self, k: int) -> ConstituencyTree:
        return ConstituencyTree((_TOKEN,) * self.lengths[k], tuple(self.spans[k]))


_TOKEN = Token("_")  # words are of no interest here
