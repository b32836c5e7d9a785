"""The loss of a batch, and how the scorers learn from it.

With exploration they follow the mistakes of the model, and get the best actions of each state from the dynamic oracle
(Goldberg & Nivre, 2012).
"""

import random
from collections.abc import Sequence

import numpy

from ..features.state_rows import BatchRows, Rows, stack_rows
from ..layers.rows import Targets
from ..layers.scorer import ScorerStep
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


def explore(
    step: ScorerStep, inventory: Inventory, sentences: Sequence[GoldSentence], probability: float
) -> Targets:
    """Parse a batch of gold sentences, following the model or the oracle by chance, and note what is
    best in each state.

    step (ScorerStep): Scores actions.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[GoldSentence]): The sentences.
    probability (float): That a wrong guess of the model is followed.
    RETURNS (Targets): The rows of all states, and the best actions of each.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    states = [system.start(len(s.places)) for s in sentences]
    costs = [system.dynamic_oracle(s.graph) for s in sentences]
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
