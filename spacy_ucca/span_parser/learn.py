"""Compute the targets and the training loss of a batch of gold sentences, for the span parser."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy
from thinc.types import Floats2d

from ..features.state_rows import MISSING
from ..features.unit_rows import UnitTable
from ..layers.span_scorer import PlacedSpans
from ..parser.search import to_numpy
from ..parser.settings import SpanSettings
from ..parser.targets import GoldSentence
from .batch import SpanBatch
from .gold import SpanTargets, gold_implicit, gold_pairs, gold_spans
from .labels import NO_LABEL, SpanLabels
from .losses import chart_loss, cross_entropy, top_down_loss
from .model import N_SPLIT, SpanScorers
from .parse import ScoredSpans, best_against_none, choose_spans
from .trees import relatives


class Trees(NamedTuple):
    """Spans of trees.

    rows (ndarray[int64]): (n,) the spans, as rows of the batch.
    relatives (ndarray[int64]): (n, 3) the spans around each: parent, span before, span after.
    """

    rows: numpy.ndarray
    relatives: numpy.ndarray


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
        self.span_batch = SpanBatch(all_places, syntaxes, labels.n_deps)
        self.gold = gold_spans(self.span_batch.layout, targets)
        self.labeled = numpy.nonzero(self.gold.classes != NO_LABEL)[0]
        self.oracles = [t.oracle for t in targets]
        self.n_tokens = max(int(self.span_batch.layout.lengths.sum()), 1)
        states = [t.state for t in targets]
        units = UnitTable(states, syntaxes)
        schemas = labels.units.schemas
        parents, children, self.classes = gold_pairs(units, targets)
        places = numpy.concatenate([*all_places, [MISSING]]).astype("int32")
        self.parts = [
            part._replace(rows=part.rows._replace(tokens=places[part.rows.tokens]))
            for part in units.pair_parts(schemas["remotes"], parents, children)
        ]
        rows, indices = units.unit_rows(schemas["implicit"])
        self.unit_rows = rows._replace(tokens=places[rows.tokens])
        self.bags = gold_implicit(units, targets, indices)

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

    def learn(self, ops: Any, scorers: SpanScorers) -> float:
        """Compute the loss of a model and backpropagate it.

        ops (Ops): Its ops.
        scorers (SpanScorers): Its scorers, with callbacks.
        RETURNS (float): The loss.
        """
        placed = self.span_batch.place(scorers.spans)
        begun: dict[str, Any] = {"spans": placed.begin_update(self.span_batch.rows)}
        if scorers.labels is not None:
            trees = self.trees(to_numpy(begun["spans"][0]))
            begun["labels"] = self._begin_labels(ops, placed, scorers.labels, trees)
        if len(self.classes):
            begun["pairs"] = scorers.pairs.begin_update(self.parts)
        begun["implicit"] = scorers.implicit.begin_update(self.unit_rows)
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

    def trees(self, scores: numpy.ndarray) -> Trees:
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

    def _spans(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        gradient = numpy.zeros_like(scores)
        labels, splits = scores[:, :-N_SPLIT], scores[:, -N_SPLIT]
        if self.settings.decoder == "chart":
            loss, gradient[:, :-N_SPLIT] = chart_loss(self.settings.loss, self.gold, labels)
            return loss, gradient
        loss, gradient[:, :-N_SPLIT], gradient[:, -N_SPLIT] = top_down_loss(
            self.settings.loss, self.gold, labels, splits, self.oracles
        )
        return loss, gradient

    def _labels(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        # Gold and predicted trees count half each. Predicted spans that are not gold have no label to learn.
        labeled = numpy.nonzero(self.right != NO_LABEL)[0]
        gradient = numpy.zeros_like(scores)
        loss, d_labels = cross_entropy(scores[labeled], self.right[labeled])
        gradient[labeled] = d_labels / 2
        return loss / 2, gradient

    def _pairs(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        return cross_entropy(scores, self.classes)

    def _implicit(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        return cross_entropy(scores, self.bags)
