"""The loss of a batch, and how the scorers learn from it."""

from collections.abc import Sequence
from typing import Any

import numpy
from thinc.types import Floats2d

from ..features.state_rows import stack_rows
from ..layers import softmax
from ..layers.template_scorer import TemplateStep
from .examples import Targets
from .target_cache import GoldSentence


def stack_targets(
    pairs: Sequence[tuple[GoldSentence, dict[str, Targets]]],
) -> dict[str, Targets]:
    """Put the targets of a batch together.

    pairs (Sequence[Tuple[GoldSentence, Dict[str, Targets]]]): Each sentence, and its targets by scorer.
    RETURNS (Dict[str, Targets]): By scorer, the rows of all sentences; none if there are no sentences.
    """
    stacked = {}
    places = [sentence.places for sentence, _ in pairs]
    for name in pairs[0][1] if pairs else ():
        parts = [targets[name] for _, targets in pairs]
        rows = stack_rows([part.rows for part in parts], places)
        if not len(rows.tokens):
            continue
        masks = [part.mask for part in parts if part.mask is not None]
        stacked[name] = Targets(
            rows,
            numpy.concatenate([part.classes for part in parts]),
            numpy.concatenate(masks) if masks else None,
        )
    return stacked


def update_scorers(ops: Any, steps: dict[str, Any], targets: dict[str, Targets]) -> float:
    """Update the scorers of a batch: a perceptron by the perceptron rule, others by backpropagating the cross
    entropy.

    ops (Ops): The ops of the model.
    steps (Dict[str, Any]): The scorers.
    targets (Dict[str, Targets]): By scorer, what is right.
    RETURNS (float): The loss.
    """
    actions = steps["actions"]
    if isinstance(actions, TemplateStep):
        right = targets["actions"]
        assert right.mask is not None
        return actions.learn(right.rows, right.classes, right.mask)
    scores, backprops = {}, {}
    for name, right in targets.items():
        scores[name], backprops[name] = steps[name].begin_update(right.rows)
    loss, d_scores = cross_entropy(ops, targets, scores)
    for name, gradient in d_scores.items():
        backprops[name](gradient)
    return loss


def cross_entropy(
    ops: Any, targets: dict[str, Targets], scores: dict[str, Floats2d]
) -> tuple[float, dict[str, Floats2d]]:
    """Compute the loss of a batch. If several classes are right, their probabilities are summed.

    ops (Ops): The ops of the model.
    targets (Dict[str, Targets]): By scorer, what is right.
    scores (Dict[str, Floats2d]): By scorer, the scores of its rows.
    RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss and the gradient of the scores.
    """
    loss, gradients = 0.0, {}
    # One scale for all scorers: a state, a pair and a unit count the same.
    n_states = max(len(targets["actions"].classes), 1) if targets else 1
    for name, right in targets.items():
        logits: Any = scores[name]
        if right.mask is not None:
            logits = ops.xp.where(ops.asarray(right.mask), logits, -1e9)
        classes = right.classes if right.best is None else right.best
        value, gradient = softmax.cross_entropy(logits, ops.asarray(classes))
        loss += value
        gradients[name] = (gradient / n_states).astype("float32")
    return loss / n_states, gradients
