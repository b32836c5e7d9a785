"""Train the span parser: the targets of gold sentences, the losses for chart and top-down decoding, and their gradients.

Chart: "crf" is the negative log-likelihood of the gold tree among all trees (a conditional random field; Zhang, Zhou
and Li, 2020). "margin" is the hinge loss, with the number of wrong spans as margin (Stern, Andreas and Klein, 2017,
section 3.2). Top-down: "crf" is the cross entropy of each decision, "margin" its hinge loss.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy
from numpy import ndarray
from thinc.types import Floats2d

from ..conversion.constituency import remote_edges, unit_nodes
from ..errors import Errors, GraphError
from ..features.state_rows import MISSING, Syntax
from ..features.unit_rows import UnitTable
from ..graph import Graph
from ..layers.arrays import cross_entropy, softmax
from ..layers.span_scorer import PlacedSpans
from ..parser.search import to_numpy
from ..parser.settings import SpanSettings
from ..parser.targets import GoldSentence, Targets, implicit_targets, stack_targets
from ..transition import State
from .batch import SpanBatch, SpanLayout
from .chart import SplitOracle, best_trees, parse_top_down, span_probabilities
from .labels import N_SPLIT, NO_LABEL, SpanLabels, make_tree
from .parse import ScoredSpans, best_against_none, choose_spans, relatives, to_state, unit_mask

DEFAULT_SETTINGS = SpanSettings()
LossAndGradient = tuple[float, ndarray]  # the gradient is that of the scores


class GoldSpans(NamedTuple):
    """The labeled spans of a batch.

    layout (SpanLayout): All spans.
    classes (ndarray[int64]): (n_rows,) the class of each; `NO_LABEL` for those that no gold tree has.
    log_binarizations (float): The sum of `log_binarizations` of all gold trees.
    """

    layout: SpanLayout
    classes: ndarray
    log_binarizations: float = 0.0


def chart_loss(kind: str, gold: GoldSpans, scores: ndarray) -> LossAndGradient:
    """Compute the loss of all spans.

    kind (str): "crf" or "margin".
    gold (GoldSpans): The gold spans.
    scores (ndarray): (n_rows, n_classes).
    RETURNS (Tuple[float, ndarray]): The loss, a sum over sentences, and the gradient of the scores.
    """
    return _margin(gold, scores) if kind == "margin" else _crf(gold, scores)


def _crf(gold: GoldSpans, scores: ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    gradient = softmax(scores)
    # The log potential of a span: log-sum-exp over its classes, relative to no label.
    potentials = -numpy.log(gradient[:, NO_LABEL] + 1e-30)
    total, chosen = span_probabilities(gold.layout, potentials)
    gold_scores = scores[rows, gold.classes] - scores[:, NO_LABEL]
    gradient *= chosen[:, None]
    gradient[:, NO_LABEL] -= chosen
    labeled = numpy.nonzero(gold.classes != NO_LABEL)[0]
    gradient[labeled, gold.classes[labeled]] -= 1.0
    gradient[labeled, NO_LABEL] += 1.0
    # All binarizations of the gold tree count as right.
    return float(total.sum() - gold_scores.sum()) - gold.log_binarizations, gradient


def _margin(gold: GoldSpans, scores: ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    margins = scores - scores[:, [NO_LABEL]]  # labels against none
    gold_scores = margins[rows, gold.classes]
    augmented = margins + 1.0
    augmented[rows, gold.classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    values = augmented[rows, guessed]
    chosen = best_trees(gold.layout, values)
    sentence, n = gold.layout.sentence, len(gold.layout)
    excess = numpy.bincount(sentence, numpy.where(chosen, values, 0.0) - gold_scores, minlength=n)
    wrong = excess > 0
    gradient = numpy.zeros_like(scores)
    taken = numpy.nonzero(chosen & wrong[sentence])[0]
    gradient[taken, guessed[taken]] += 1.0
    gradient[taken, NO_LABEL] -= 1.0
    right = numpy.nonzero((gold.classes != NO_LABEL) & wrong[sentence])[0]
    gradient[right, gold.classes[right]] -= 1.0
    gradient[right, NO_LABEL] += 1.0
    return float(excess[wrong].sum()), gradient


def top_down_loss(
    kind: str, gold: GoldSpans, scores: ndarray, splits: ndarray, oracles: Sequence[SplitOracle]
) -> tuple[float, ndarray, ndarray]:
    """Compute the loss of top-down decisions. The parser follows its own decisions, and a dynamic oracle gives the best ones
    also after mistakes.

    kind (str): "crf" or "margin".
    gold (GoldSpans): The gold spans.
    scores (ndarray): (n_rows, n_classes).
    splits (ndarray): (n_rows,) the score of each span as a part of a split.
    oracles (Sequence[SplitOracle]): Of each sentence.
    RETURNS (Tuple[float, ndarray, ndarray]): The loss, and the gradients of both kinds of scores.
    """
    layout, classes = gold.layout, gold.classes
    d_scores, d_splits = numpy.zeros_like(scores), numpy.zeros_like(splits)
    loss = 0.0
    visited: list[tuple[int, int, int]] = []  # sentence, first token, end
    for k, part in enumerate(layout.slices()):
        n = int(layout.lengths[k])
        split_loss = _SplitLoss(kind, layout, k, oracles[k], d_splits)
        for start, end in parse_top_down(splits[part], n, split_loss):
            visited.append((k, start, end))
        loss += split_loss.loss
    rows = layout.rows(*numpy.array(visited, dtype="int64").reshape((-1, 3)).T)
    visited_loss = _hinge if kind == "margin" else cross_entropy
    label_loss, d_scores[rows] = visited_loss(scores[rows], classes[rows])
    return loss + label_loss, d_scores, d_splits


def _hinge(scores: ndarray, classes: ndarray) -> LossAndGradient:
    rows = numpy.arange(len(scores))
    augmented = scores + 1.0
    augmented[rows, classes] -= 1.0
    guessed = augmented.argmax(axis=1)
    gradient = numpy.zeros_like(scores)
    gradient[rows, guessed] += 1.0
    gradient[rows, classes] -= 1.0
    return float((augmented[rows, guessed] - scores[rows, classes]).sum()), gradient


def log_binarizations(spans: Iterable[tuple[int, int]], n: int) -> float:
    """Compute the logarithm of the number of binary trees that contain some spans.

    spans (Iterable[Tuple[int, int]]): First token and end of nested spans.
    n (int): The number of tokens.
    RETURNS (float): The sum of the logarithms of the Catalan numbers C(k - 1) of spans of k parts.
    """
    total = 0.0
    above: list[list[int]] = []  # end and number of parts of the spans around the next one
    items = {(0, n), *spans, *((i, i + 1) for i in range(n))}
    for start, end in [*sorted(items, key=lambda span: (span[0], -span[1])), (n, n)]:
        while above and above[-1][0] <= start:
            k = above.pop()[1] - 1
            if k > 0:
                total += math.lgamma(2 * k + 1) - math.lgamma(k + 2) - math.lgamma(k + 1)
        if above:
            above[-1][1] += 1
        above.append([end, 0])
    return total


class _SplitLoss:
    """Chooses the splits of one sentence as the parser does, and adds up the loss of each choice."""

    def __init__(
        self, kind: str, layout: SpanLayout, k: int, oracle: SplitOracle, d_splits: ndarray
    ) -> None:
        self.kind, self.layout, self.k = kind, layout, k
        self.oracle, self.d_splits = oracle, d_splits
        self.loss = 0.0

    def __call__(self, start: int, end: int, scores: ndarray) -> int:
        right = self.oracle.splits(start, end)
        if self.kind == "margin":
            augmented = scores + ~right
            best = int(augmented.argmax())
            good = int(numpy.where(right, scores, -numpy.inf).argmax())
            if not right[best]:
                self.loss += float(augmented[best] - scores[good])
                change = numpy.array([1.0, -1.0], dtype=self.d_splits.dtype)
                self._push(start, end, numpy.array([best, good]), change)
            return start + 1 + best
        weights = numpy.exp(scores - scores.max())
        weights /= weights.sum()
        total = float(weights[right].sum()) + 1e-12
        self.loss -= float(numpy.log(total))
        if not right.all():
            gradient = weights - numpy.where(right, weights / total, 0.0)
            self._push(start, end, numpy.arange(end - start - 1), gradient)
        return start + 1 + int(scores.argmax())

    def _push(self, start: int, end: int, splits: ndarray, change: ndarray) -> None:
        """Add to the gradient of the scores of both parts of different splits."""
        middle, k = start + 1 + splits, numpy.full(len(splits), self.k)
        self.d_splits[self.layout.rows(k, numpy.full(len(splits), start), middle)] += change
        self.d_splits[self.layout.rows(k, middle, numpy.full(len(splits), end))] += change


class SpanTargets(NamedTuple):
    """The training targets of a gold sentence.

    graph (Graph): Its graph.
    spans (ndarray[int64]): (n, 3) first token, end and class of the spans that have a label.
    state (State): Its tree.
    shared (Tuple[int, ...]): The nodes of the state that are children of remote edges.
    remotes (Tuple[Tuple[int, int, int], ...]): Parent, child and class of the remote edges.
    implicit (Targets): The rows and classes of implicit units.
    oracle (SplitOracle): For top-down parsing.
    log_binarizations (float): The logarithm of the number of binary trees that have the spans.
    """

    graph: Graph
    spans: ndarray
    state: State
    shared: tuple[int, ...]
    remotes: tuple[tuple[int, int, int], ...]
    implicit: Targets
    oracle: SplitOracle
    log_binarizations: float


def make_targets(
    labels: SpanLabels, graph: Graph, syntax: Syntax, settings: SpanSettings = DEFAULT_SETTINGS
) -> SpanTargets:
    """Make the targets of a sentence.

    labels (SpanLabels): The labels.
    graph (Graph): The gold graph; every token is attached.
    syntax (Syntax): The dependency tree of the sentence.
    settings (SpanSettings): The settings of the parser.
    RETURNS (SpanTargets): The targets.
    RAISES (GraphError): If the graph is too long, or has a label that is not known, or that no tree can have.
    """
    n = len(graph.words)
    if n > settings.max_length:
        raise GraphError(Errors.UC842.format(n=n, most=settings.max_length))
    tree = make_tree(graph, settings.one_step)
    unknown = [span.label for span in tree.spans if span.label not in labels.classes]
    if unknown:
        raise GraphError(Errors.UC841.format(label=unknown[0]))
    spans = [(start, end, labels.classes[label]) for start, end, label in tree.spans]
    state, nodes = to_state(labels.system, tree)
    classes = {label: i for i, label in enumerate(labels.remote_labels, start=1)}
    remotes = tuple(
        (nodes[edge.parent], nodes[edge.child], classes[edge.label])
        for edge in remote_edges(graph)
        if edge.label in classes and edge.parent in nodes and edge.child in nodes
    )
    node_of = {unit: nodes[i] for unit, i in unit_nodes(graph).items() if i in nodes}
    implicit = implicit_targets(labels, graph, UnitTable([state], [syntax]), node_of)
    shared = tuple(nodes[i] for i in tree.remote_children if i in nodes)
    array = numpy.array(spans, dtype="int64").reshape((-1, 3))
    ways = log_binarizations([span[:2] for span in spans], n)
    return SpanTargets(
        graph, array, state, shared, remotes, implicit, SplitOracle(array[:, :2]), ways
    )


def gold_spans(layout: Any, targets: Sequence[SpanTargets]) -> GoldSpans:
    """RETURNS (GoldSpans): The right class of all spans of a batch."""
    classes = numpy.zeros(layout.n_rows, dtype="int64")
    for k, target in enumerate(targets):
        start, end, label = target.spans.T
        classes[layout.rows(numpy.full(len(start), k), start, end)] = label
    return GoldSpans(layout, classes, sum(target.log_binarizations for target in targets))


def gold_pairs(
    units: UnitTable, targets: Sequence[SpanTargets]
) -> tuple[ndarray, ndarray, ndarray]:
    """Find the pairs of units that remote edges may link.

    units (UnitTable): The units of the gold trees.
    targets (Sequence[SpanTargets]): The targets of these sentences.
    RETURNS (Tuple[ndarray, ndarray, ndarray]): Parent, child and right class of each pair.
    """
    right: dict[tuple[int, int], int] = {}
    for k, target in enumerate(targets):
        if target.remotes:
            number = _numbers(units, k)
            right.update(((number[p], number[c]), label) for p, c, label in target.remotes)
    is_child = unit_mask(units, [target.shared for target in targets])
    parents, children = units.pairs_with(is_child)
    pairs = zip(parents.tolist(), children.tolist())
    classes = numpy.array([right.get(pair, 0) for pair in pairs], dtype="int64")
    return parents, children, classes


def _numbers(units: UnitTable, k: int) -> dict[int, int]:
    """RETURNS (Dict[int, int]): The unit of each node of a state, by the state's number."""
    start, stop = int(units.starts[k]), int(units.starts[k + 1])
    return {node: i for i, node in enumerate(units.nodes[start:stop], start=start)}


class Trees(NamedTuple):
    """Spans of trees.

    rows (ndarray[int64]): (n,) the spans, as rows of the batch.
    relatives (ndarray[int64]): (n, 3) the spans around each: parent, span before, span after.
    """

    rows: ndarray
    relatives: ndarray


class TrainingBatch:
    """The spans of some gold sentences, the pairs of units that may have remote edges, and the units that may have implicit
    children.

    pairs (Sequence[Tuple[GoldSentence, SpanTargets]]): The sentences.
    labels (SpanLabels): The labels.
    settings (SpanSettings): The settings of the parser.
    """

    def __init__(
        self,
        pairs: Sequence[tuple[GoldSentence, SpanTargets]],
        labels: SpanLabels,
        settings: SpanSettings,
    ) -> None:
        self.settings = settings
        targets = [sentence_targets for _, sentence_targets in pairs]
        syntaxes = [sentence.syntax for sentence, _ in pairs]
        all_places = [sentence.places for sentence, _ in pairs]
        self.span_batch = SpanBatch(all_places, syntaxes, len(labels.deps) + 1)
        self.gold = gold_spans(self.span_batch.layout, targets)
        self.labeled = numpy.nonzero(self.gold.classes != NO_LABEL)[0]
        self.oracles = [t.oracle for t in targets]
        self.n_tokens = max(int(self.span_batch.layout.lengths.sum()), 1)
        states = [t.state for t in targets]
        units = UnitTable(states, syntaxes)
        schemas = labels.schemas
        parents, children, self.classes = gold_pairs(units, targets)
        places = numpy.concatenate([*all_places, [MISSING]]).astype("int32")
        self.parts = [
            part._replace(rows=part.rows._replace(tokens=places[part.rows.tokens]))
            for part in units.pair_parts(schemas["remotes"], parents, children)
        ]
        by_sentence = [(sentence, {"implicit": target.implicit}) for sentence, target in pairs]
        self.implicit = stack_targets(by_sentence)["implicit"]

    def losses(self, ops: Any, scores: dict[str, Floats2d]) -> tuple[float, dict[str, Floats2d]]:
        """Compute the loss of scores, divided by the number of tokens.

        ops (Ops): The ops of the model.
        scores (Dict[str, Floats2d]): "spans": (n_rows, n_classes + 1) of all spans, the last column for splits; "labels":
            (n, n_classes) of those in `trees`, if they are scored again; "pairs": (n_pairs, n_remote) of pairs of units, if there are any;
            "implicit": (n_units, n_bags) of units.
        RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss, and the gradient of the scores.
        """
        loss, gradients = 0.0, {}
        if "labels" in scores:
            self.right = self.gold.classes[self.trees(to_numpy(scores["spans"])).rows]
        for name, values in scores.items():
            part, gradient = getattr(self, f"_{name}")(to_numpy(values))
            loss += part / self.n_tokens
            gradient *= 1 / self.n_tokens
            gradients[name] = ops.asarray(gradient, dtype="float32")
        return loss, gradients

    def learn(self, ops: Any, scorers: Mapping[str, Any]) -> float:
        """Compute the loss of a model and backpropagate it.

        ops (Ops): Its ops.
        scorers (Dict[str, Any]): Its scorers, with callbacks.
        RETURNS (float): The loss.
        """
        placed = self.span_batch.place(scorers["spans"])
        begun: dict[str, Any] = {"spans": placed.begin_update(self.span_batch.rows)}
        if scorers["labels"] is not None:
            trees = self.trees(to_numpy(begun["spans"][0]))
            begun["labels"] = self._begin_labels(ops, placed, scorers["labels"], trees)
        if len(self.classes):
            begun["pairs"] = scorers["pairs"].begin_update(self.parts)
        begun["implicit"] = scorers["implicit"].begin_update(self.implicit.rows)
        loss, gradients = self.losses(ops, {name: scores for name, (scores, _) in begun.items()})
        for name, (_, backprop) in begun.items():
            backprop(gradients[name])
        return loss

    def _begin_labels(
        self, ops: Any, placed: PlacedSpans, labels: Callable, trees: Trees
    ) -> tuple[Any, Callable[[Any], None]]:
        vectors, learn_vectors = placed.begin_vectors(self.span_batch.rows[trees.rows])
        in_trees, learn_labels = labels((vectors, trees.relatives))
        alone, learn_alone = placed.begin_scores(vectors)

        def backprop(d_labels: Any) -> None:
            d_alone = ops.alloc2f(*alone.shape)
            d_alone[:, :-N_SPLIT] = d_labels
            learn_vectors(learn_labels(d_labels)[0] + learn_alone(d_alone))

        return in_trees + alone[:, :-N_SPLIT], backprop

    def trees(self, scores: ndarray) -> Trees:
        """Find the trees in which labels are learned: the gold trees and the predicted ones, so that labels are also
        learned among wrong spans.

        scores (ndarray): (n_rows, n_classes + 1) the scores of all spans.
        RETURNS (Trees): Their spans.
        """
        layout = self.span_batch.layout
        scored = ScoredSpans(*best_against_none(scores[:, :-N_SPLIT]), scores[:, -N_SPLIT])
        chosen = choose_spans(self.settings, self.span_batch, scored)
        rows = numpy.concatenate([self.labeled, chosen.rows[chosen.is_labeled]])
        tree = layout.sentence[rows]
        tree[len(self.labeled) :] += len(layout)
        return Trees(rows, relatives(tree, *layout.ends[:, rows]))

    def _spans(self, scores: ndarray) -> tuple[float, ndarray]:
        gradient = numpy.zeros_like(scores)
        labels, splits = scores[:, :-N_SPLIT], scores[:, -N_SPLIT]
        if self.settings.decoder == "chart":
            loss, gradient[:, :-N_SPLIT] = chart_loss(self.settings.loss, self.gold, labels)
            return loss, gradient
        loss, gradient[:, :-N_SPLIT], gradient[:, -N_SPLIT] = top_down_loss(
            self.settings.loss, self.gold, labels, splits, self.oracles
        )
        return loss, gradient

    def _labels(self, scores: ndarray) -> tuple[float, ndarray]:
        # Gold and predicted trees count half each. Predicted spans that are not gold have no label to learn.
        labeled = numpy.nonzero(self.right != NO_LABEL)[0]
        gradient = numpy.zeros_like(scores)
        loss, d_labels = cross_entropy(scores[labeled], self.right[labeled])
        gradient[labeled] = d_labels / 2
        return loss / 2, gradient

    def _pairs(self, scores: ndarray) -> tuple[float, ndarray]:
        return cross_entropy(scores, self.classes)

    def _implicit(self, scores: ndarray) -> tuple[float, ndarray]:
        return cross_entropy(scores, self.implicit.classes)
