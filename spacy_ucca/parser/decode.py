"""From token vectors to graphs: the tree that `search.py` finds, then remote edges and implicit units.

What a row holds is `features.py`'s and `unit_features.py`'s, weights are `model.py`'s, effects of transitions are those of
`systems/`.
"""

import gc
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy

from ..features.state_rows import MISSING, Rows, Schema
from ..features.unit_rows import Units
from ..layers.slot_scorer import SlotStep
from ..model import Scorers
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from .calibration import (
    Calibration,
    add_pair_scores,
    add_scores,
    edge_features,
    log_softmax,
)
from .labels import Inventory
from .screen import Extra, find_violations
from .search import (
    GREEDY,
    Beam,
    beam_parses,
    beam_search,
    greedy_search,
    to_numpy,
)

NO_EDGE = 0  # the class of pairs without a remote edge, and of units without implicit children
# How likely remote edges and implicit units have to be, unless a parser is told otherwise. F1 is best with all edges that
# are likelier than half of it (Lipton, Elkan and Naryanaswamy, 2014), which is 0.76 for primary and remote edges together.
LIKELY = 0.4


def add_remotes(
    step: Any,
    schema: Schema,
    labels: Sequence[int],
    is_child: numpy.ndarray,
    units: Units,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = LIKELY,
) -> None:
    """Find remote edges in finished trees and add them to the states.

    step (SlotStep): Scores pairs of units; a `PairStep` does it too.
    schema (Schema): The columns of a pair's row.
    labels (Sequence[int]): The label of each class; class 0 is no edge.
    is_child (ndarray[bool]): (n_units,) which units may be remote children.
    units (Units): The units of all sentences.
    places (ndarray): Where the tokens of the sentences are in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): How likely an edge has to be, of whatever category.
    """
    parents, children = units.pairs_with(is_child)
    found: dict[int, list[tuple[float, int, int, float]]] = {}
    for start in range(0, len(parents), MAX_ROWS):
        part = slice(start, start + MAX_ROWS)
        parts = [
            p._replace(rows=_placed(p.rows, places))
            for p in units.pair_parts(schema, parents[part], children[part])
        ]
        scores = to_numpy(step.predict_parts(parts))
        # Most pairs are far from being edges: not even with all other classes as likely as the likeliest of them.
        least = numpy.log(threshold / (1 - threshold) / (scores.shape[1] - 1)) - 1e-3
        near = numpy.nonzero(scores[:, 1:].max(axis=1) > scores[:, NO_EDGE] + least)[0]
        sure = log_softmax(scores[near])
        no_edge = numpy.exp(sure[:, NO_EDGE])
        chosen = numpy.nonzero(no_edge < 1 - threshold)[0]
        classes = sure[chosen, 1:].argmax(axis=1) + 1
        columns = start + near[chosen], no_edge[chosen], classes, sure[chosen, classes]
        for i, none, k, own in zip(*(column.tolist() for column in columns)):
            found.setdefault(int(units.sentence[parents[i]]), []).append((none, i, k, own))
    for sentence, edges in found.items():
        state = units.states[sentence]
        below = _Reach(state)
        added: dict[tuple[int, int], float] = {}
        for _, i, label, own in sorted(edges):
            parent, child = units.nodes[parents[i]], units.nodes[children[i]]
            if not below.reaches(child, parent):  # two remote edges can make a cycle
                below.add(parent, child)
                state.remotes.append((parent, child, labels[label]))
                added[parent, child] = own
        add_pair_scores(state, [*added], numpy.array([*added.values()]), calibration)


def add_implicit(
    step: SlotStep,
    schema: Schema,
    bags: Sequence[Sequence[int]],
    system: TransitionSystem,
    units: Units,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = LIKELY,
) -> list[Extra]:
    """Find implicit units in finished trees and add them to the states.

    step (SlotStep): Scores units.
    schema (Schema): The columns of a unit's row.
    bags (Sequence[Sequence[int]]): The labels of the implicit children of each class.
    system (TransitionSystem): The transition system.
    units (Units): The units of all sentences.
    places (ndarray): Where the tokens of the sentences are in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): How likely a unit has to be.
    RETURNS (List[Extra]): The edges that were added.
    """
    added: list[Extra] = []
    children, members = _members(bags)
    rows, indices = units.unit_rows(schema)
    rows = _placed(rows, places)
    for start in range(0, len(indices), MAX_ROWS):
        part = Rows(*(column[start : start + MAX_ROWS] for column in rows))
        likely = numpy.exp(log_softmax(to_numpy(step.predict(part)))) @ members
        chosen, which = numpy.nonzero(likely > threshold)
        sure = edge_features(numpy.log(numpy.minimum(likely[chosen, which], 1)))
        for i, k, features in zip(chosen.tolist(), which.tolist(), sure):
            index, label = indices[start + i], children[k]
            state = units.states[units.sentence[index]]
            node = state.add_node()
            (state.scores[node],) = calibration("implicit", features[None])
            state.implicit[node] = True
            state.attach(units.nodes[index], node, label, system.ranks[label])
            added.append((int(index), -1, label))
    return added


def _members(bags: Sequence[Sequence[int]]) -> tuple[list[int], numpy.ndarray]:
    """What is in bags of labels, so that several that are unlikely can make likely what they have in common.

    bags (Sequence[Sequence[int]]): The labels of each class.
    RETURNS (Tuple[List[int], ndarray]): The label of each child that a unit can have, a second one of the same label
        by itself, and (n_bags, n_children) in which bags it is.
    """
    counts = [Counter(bag) for bag in bags]
    most = Counter[int]()
    for count in counts:
        most |= count
    children = [(label, k) for label in sorted(most) for k in range(most[label])]
    members = numpy.array([[count[label] > k for label, k in children] for count in counts])
    return [label for label, _ in children], members.astype("float64")


def _placed(rows: Rows, places: numpy.ndarray) -> Rows:
    """RETURNS (Rows): The same with tokens as they are numbered in the batch."""
    return rows._replace(tokens=places[rows.tokens])


MAX_ROWS = 20_000  # what bounds memory


class _Reach:
    """Which nodes can be reached from which, over primary and remote edges."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.remote: dict[int, list[int]] = {}

    def add(self, parent: int, child: int) -> None:
        self.remote.setdefault(parent, []).append(child)

    def reaches(self, start: int, end: int) -> bool:
        stack, seen = [start], {start}
        while stack:
            node = stack.pop()
            if node == end:
                return True
            for child in (*self.state.children[node], *self.remote.get(node, ())):
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return False


class Decoded(NamedTuple):
    """What decoding gives.

    states (List[State]): The final state of each sentence.
    suspects (ndarray[bool]): For each, whether its graph may break a rule; see `screening.py`.
    """

    states: list[State]
    suspects: numpy.ndarray


def decode_all(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    calibration: Any = None,
    beam: Beam = GREEDY,
    threshold: float = LIKELY,
) -> Decoded:
    """Parse a batch: the tree, then what the transition system leaves to the other scorers.

    steps (Dict[str, SlotStep]): The scorers of the batch.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    calibration (Optional[Callable]): Makes scores of edges; see `confidence.py`.
    beam (Beam): How many parses of a sentence to follow.
    threshold (float): How likely remote edges and implicit units have to be.
    RETURNS (Decoded): The final states.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    search = greedy_search if beam.width == 1 else partial(beam_search, beam=beam)
    states = search(steps["actions"], system, schema, sentences)
    return _finish(steps, inventory, sentences, states, calibration, threshold)


def decode_beams(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    calibration: Any = None,
    beam: Beam = GREEDY,
    threshold: float = LIKELY,
) -> list[list[State]]:
    """Parse a batch as `decode_all` does, and keep all parses of the beams. Arguments are the same.

    RETURNS (List[List[State]]): By sentence, the final states, the likeliest first.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    found = beam_parses(steps["actions"], system, schema, sentences, beam)
    repeated = [sentence for sentence, own in zip(sentences, found) for _ in own]
    states = [state for own in found for state in own]
    _finish(steps, inventory, repeated, states, calibration, threshold)
    return found


def _finish(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    states: list[State],
    calibration: Any,
    threshold: float,
) -> Decoded:
    """Add to finished trees what the transition system leaves to the other scorers.

    sentences (Sequence[Sentence]): The sentence of each state.
    states (List[State]): The states.
    RETURNS (Decoded): The same states.
    """
    calibration = calibration or Calibration()
    system = inventory.system
    units = Units.of_batch(system, states, [s.syntax for s in sentences])
    add_scores(units, calibration)
    implicit: list[Extra] = []
    if "remotes" in steps:
        # The last place is that of missing tokens.
        places = numpy.concatenate([*(s.places for s in sentences), [MISSING]]).astype("int32")
        args = (units, places, calibration, threshold)
        if len(inventory.remote_ids) > 1:
            schema = inventory.schemas["remotes"]
            is_child = inventory.remote_children[units.label]
            add_remotes(steps["remotes"], schema, inventory.remote_ids, is_child, *args)
        if inventory.implicit:
            schema = inventory.schemas["implicit"]
            implicit = add_implicit(steps["implicit"], schema, inventory.bags, system, *args)
    return Decoded(states, find_violations(inventory.label_facts, units, implicit))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's cyclic garbage collector, as a context or a decorator. A batch makes tens of thousands of
    small lists that live until its end: the collector would walk over them again and again, for an eighth of
    the time, and find nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
