"""Train with exploration: follow the mistakes of the model, and get the best actions of each state from the dynamic
oracle (Goldberg & Nivre, 2012)."""

import random
from collections.abc import Sequence

import numpy

from ..features.state_rows import BatchRows, Rows
from ..layers.slot_scorer import SlotStep
from ..transitions.tree_dynamic_oracle import TreeDynamicOracle
from .examples import Targets
from .labels import Inventory
from .search import choose, to_numpy
from .target_cache import GoldSentence


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
