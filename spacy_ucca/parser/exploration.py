"""Training with exploration: the model's own states, and what would be best in them.

What is best is the dynamic oracle's (`systems/tree_costs.py`). The loop is that of `search.py`, but goes
wrong on purpose; losses are `component.py`'s.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy

from ..features.state_rows import BatchRows, Rows, Syntax
from ..graph import Graph
from ..layers.slot_scorer import SlotStep
from ..transitions.tree_dynamic_oracle import TreeDynamicOracle
from .examples import Lesson
from .labels import Inventory
from .search import choose, to_numpy


class Taught(NamedTuple):
    """A gold sentence of a batch.

    graph (Graph): Its graph; every token is attached.
    syntax (Syntax): The dependency tree of the sentence.
    places (ndarray): Its tokens, as they are numbered in the batch.
    """

    graph: Graph
    syntax: Syntax
    places: numpy.ndarray


def explore(
    step: SlotStep, inventory: Inventory, sentences: Sequence[Taught], probability: float
) -> Lesson:
    """Parse a batch of gold sentences, following the model or the oracle by chance, and note what is
    best in each state (Goldberg & Nivre, 2012).

    step (SlotStep): Scores actions.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Taught]): The sentences.
    probability (float): How often the model is followed.
    RETURNS (Lesson): The rows of all states, and the best actions of each.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    states = [system.start(len(s.places)) for s in sentences]
    costs = [TreeDynamicOracle(system, s.graph) for s in sentences]
    batch = BatchRows(schema, [s.syntax for s in sentences], [s.places for s in sentences])
    all_rows, masks, targets = [], [], []
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
        targets.append(best)
        active = [i for i in active if not states[i].done]
    found = numpy.concatenate(targets)
    stacked = Rows(*(numpy.concatenate(column) for column in zip(*all_rows)))
    return Lesson(stacked, found.argmax(axis=1), numpy.concatenate(masks), found)
