"""Greedy search of the `tree` system in compiled code, one sentence after the other: what it reads of one stays near the
processor, and no step of Python comes between its steps."""

from collections.abc import Sequence
from typing import Any

import numpy

from ..features.state_rows import Schema
from ..layers.slot_scorer import SlotStep
from ..native.load import compiled, greedy
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from ..transitions.tree import MAX_CHAIN, MAX_SWAPS, TreeSystem
from .guidelines import Allowed


def can_parse(step: Any, system: TransitionSystem) -> bool:
    """RETURNS (bool): Whether it is compiled, and scorer and system are those that it knows; not classes derived from them."""
    return compiled() and type(step) is SlotStep and step.is_sum and type(system) is TreeSystem


def parse_trees(
    step: SlotStep,
    system: TransitionSystem,
    schema: Schema,
    sentences: Sequence[Sentence],
    states: list[State],
    allowed: Allowed,
) -> None:
    """Parse a batch greedily.

    step (SlotStep): Scores actions.
    system (TransitionSystem): The `tree` system.
    schema (Schema): The columns of a state's row.
    sentences (Sequence[Sentence]): The sentences.
    states (List[State]): The state of each, changed in place.
    allowed (Allowed): The actions under the guidelines of each sentence.
    RAISES (FloatingPointError): If a score is infinite or not a number.
    """
    assert schema.read is not None, "a schema of states"
    if not states:
        return
    log_probs: list[list[float]] = [[] for _ in states]
    lengths = [len(sentence) for sentence in sentences]
    output = step.params["O"]
    n_actions, width = len(output), step.width
    table, rules = allowed.table, allowed.rows
    if allowed.is_everything:
        table, rules = numpy.ones((1, n_actions)), numpy.zeros(len(states), dtype="int64")
    arguments: tuple[Any, ...] = (
        *schema.read.room(),
        states,
        [sentence.syntax for sentence in sentences],
        numpy.concatenate([sentence.places for sentence in sentences]).astype("int32"),
        numpy.cumsum([0, *lengths[:-1]]),
        step.table.reshape((-1, step.n_slots, width)),
        numpy.vstack([step.params["V"], numpy.zeros((1, width), dtype="float32")]),
        schema.offsets,
        step.params["B"],
        step.params["b0"],
        numpy.ascontiguousarray(output[:, :-1].T),
        numpy.ascontiguousarray(output[:, -1]),
        numpy.ascontiguousarray(table, dtype="uint8"),
        rules,
        numpy.array(system.moves, dtype="int32"),
        system.action_labels,
        system.ranks,
        MAX_CHAIN,
        MAX_SWAPS,
        numpy.empty(width + 4, dtype="int64"),
        numpy.empty((2, width + 4), dtype="float32"),
        numpy.empty(n_actions, dtype="float32"),
        log_probs,
    )
    if not greedy.greedy_tree(*arguments):
        raise FloatingPointError
    for state, found in zip(states, log_probs):
        state.log_probs = numpy.array(found)
