"""What a batch of gold sentences asks of the model, and what follows from its answers."""

from collections.abc import Sequence
from typing import Any

import numpy
from thinc.types import Floats2d

from ..decode import to_numpy
from ..features import MISSING
from ..unit_features import Units
from .batch import SpanBatch
from .gold import Taught, gold_pairs, gold_spans
from .labels import NO_LABEL, SpanLabels
from .losses import chart_loss, cross_entropy, top_down_loss
from .model import N_SPLIT, SpanScorers
from .trees import relatives


class Task:
    """The spans of some gold sentences, and the pairs of units that may have remote edges.

    taught (Sequence[Taught]): The sentences.
    labels (SpanLabels): The labels.
    decoder (str): "chart" or "topdown".
    loss (str): One of `losses.LOSSES`.
    """

    def __init__(
        self, taught: Sequence[Taught], labels: SpanLabels, decoder: str, loss: str
    ) -> None:
        self.decoder, self.loss = decoder, loss
        lessons = [t.lesson for t in taught]
        self.batch = SpanBatch([t.places for t in taught], [t.syntax.heads for t in taught])
        self.gold = gold_spans(self.batch.layout, lessons)
        self.labeled = numpy.nonzero(self.gold.classes != NO_LABEL)[0]
        layout = self.batch.layout
        ends = (layout.sentence[self.labeled], *layout.ends[:, self.labeled])
        self.relatives = relatives(*ends)
        self.oracles = [lesson.oracle for lesson in lessons]
        self.n_tokens = max(int(self.batch.layout.lengths.sum()), 1)
        states = [lesson.state for lesson in lessons]
        units = Units.of_batch(labels.units.system, states, [t.syntax for t in taught])
        parents, children, self.classes = gold_pairs(units, lessons)
        places = numpy.concatenate([*(t.places for t in taught), [MISSING]]).astype("int32")
        self.parts = [
            part._replace(rows=part.rows._replace(tokens=places[part.rows.tokens]))
            for part in units.pair_parts(labels.units.schemas["remotes"], parents, children)
        ]

    def losses(
        self, ops: Any, scores: dict[str, Floats2d]
    ) -> tuple[float, dict[str, Floats2d]]:
        """The loss of some scores, by the number of tokens.

        ops (Ops): The ops of the model.
        scores (Dict[str, Floats2d]): "spans": (n_rows, n_classes + 1) of all spans, the last column for splits;
            "labels": (n, n_classes) of those that have labels, in the gold trees; "pairs": (n_pairs, n_remote) of pairs
            of units, if there are any.
        RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss, and the gradient of the scores.
        """
        loss, gradients = 0.0, {}
        for name, values in scores.items():
            own, gradient = getattr(self, f"_{name}")(to_numpy(values))
            loss += own / self.n_tokens
            gradient *= 1 / self.n_tokens
            gradients[name] = ops.asarray(gradient, dtype="float32")
        return loss, gradients

    def learn(self, ops: Any, scorers: SpanScorers) -> float:
        """Have a model learn.

        ops (Ops): Its ops.
        scorers (SpanScorers): What it makes of the batch.
        RETURNS (float): The loss.
        """
        placed = self.batch.place(scorers.spans)
        found = {"spans": placed.begin_update(self.batch.rows)}
        vectors, learn_vectors = placed.begin_vectors(self.batch.rows[self.labeled])
        found["labels"] = scorers.labels((vectors, self.relatives))
        if len(self.classes):
            found["pairs"] = scorers.pairs.begin_update(self.parts)
        loss, gradients = self.losses(ops, {name: scores for name, (scores, _) in found.items()})
        found["spans"][1](gradients["spans"])
        learn_vectors(found["labels"][1](gradients["labels"])[0])
        if "pairs" in found:
            found["pairs"][1](gradients["pairs"])
        return loss

    def _spans(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        gradient = numpy.zeros_like(scores)
        labels, splits = scores[:, :-N_SPLIT], scores[:, -N_SPLIT]
        if self.decoder == "chart":
            loss, gradient[:, :-N_SPLIT] = chart_loss(self.loss, self.gold, labels)
            return loss, gradient
        loss, gradient[:, :-N_SPLIT], gradient[:, -N_SPLIT] = top_down_loss(
            self.loss, self.gold, labels, splits, self.oracles
        )
        return loss, gradient

    def _labels(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        return cross_entropy(scores, self.gold.classes[self.labeled])

    def _pairs(self, scores: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        return cross_entropy(scores, self.classes)
