"""The loss of a batch, and how the scorers learn from it.

With exploration they follow the mistakes of the model, and get the best actions of each state from the dynamic oracle
(Goldberg & Nivre, 2012).
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy
from thinc.types import Floats2d

from ..features.state_rows import BatchRows, Rows, stack_rows
from ..layers import arrays
from ..layers.slot_scorer import SlotStep
from ..layers.template_scorer import TemplateStep
from ..transitions.tree_dynamic_oracle import TreeDynamicOracle
from .examples import Targets
from .labels import Inventory
from .search import choose, to_numpy
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
        value, gradient = arrays.cross_entropy(logits, ops.asarray(classes))
        loss += value
        gradients[name] = (gradient / n_states).astype("float32")
    return loss / n_states, gradients


def explore(
    step: SlotStep, inventory: Inventory, sentences: Sequence[GoldSentence], probability: float
) -> Targets:
    """Parse a batch of gold sentences, following the model or the oracle by chance, and note what is
    best in each state.

    step (SlotStep): Scores actions.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[GoldSentence]): The sentences.
    probability (float): That a wrong guess of the model is followed.
    RETURNS (Targets): The rows of all states, and the best actions of each.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    states = [system.start(len(s.places)) for s in sentences]
    costs = [TreeDynamicOracle(system, s.graph) for s in sentences]
    batch = BatchRows(schema, [s.syntax for s in sentences], [s.places for s in sentences])
    all_rows, masks, best_masks = [], [], []
    active = [i for i, state in enumerate(states) if not state.done]
    while active:
        current = [states[i] for i in active]
        rows = batch.of(current, active)
        scores = to_numpy(step.predict(rows))
        mask = system.mask_rows(system.valid_keys(current))
        best = numpy.zeros_like(mask)
        for row, i in enumerate(active):
            best[row, costs[i].best(states[i])] = True
        guessed, right = (choose(scores, among)[0].tolist() for among in (mask, best))
        taken = [
            guess if guess != action and random.random() < probability else action
            for guess, action in zip(guessed, right)
        ]
        for i, action in zip(active, taken):
            costs[i].follow(states[i], action)
        system.apply_all(current, taken)
        all_rows.append(rows)
        masks.append(mask)
        best_masks.append(best)
        active = [i for i in active if not states[i].done]
    every_best = numpy.concatenate(best_masks)
    stacked = Rows(*(numpy.concatenate(column) for column in zip(*all_rows)))
    return Targets(stacked, every_best.argmax(axis=1), numpy.concatenate(masks), every_best)
