"""Decode token vectors into final states: search for the primary tree, then add remote edges and implicit units."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy

from ..features.state_rows import MISSING, Rows, Schema
from ..features.unit_rows import UnitTable
from ..graph.algorithms import reached
from ..layers.arrays import log_softmax
from ..layers.scorer import ScorerStep
from ..model import Scorers
from ..native.columns import BITS_MASK
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from .calibration import (
    Calibration,
    add_pair_scores,
    add_scores,
    edge_features,
)
from .guidelines import EVERYTHING, Allowed, guidelines_of
from .labels import Inventory
from .screen import PredictedEdge, find_violations
from .search import beam_parses, beam_search, greedy_search, to_numpy
from .settings import DEFAULT_THRESHOLD, GraphSettings, ParserSettings

DEFAULT_SETTINGS = ParserSettings()
MAX_ROWS = 20_000  # pairs or units scored at once, which bounds memory
LEAST_THRESHOLD = 0.01  # with 0, a unit would get remote edges to all others
NO_EDGE = 0  # the class of pairs without a remote edge, and of units without implicit children


def add_remotes(
    step: Any,
    schema: Schema,
    labels: Sequence[int],
    is_child: numpy.ndarray,
    units: UnitTable,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = DEFAULT_THRESHOLD,
    allowed: Allowed = EVERYTHING,
    siblings: int = BITS_MASK,
) -> None:
    """Predict remote edges in finished trees and add them to the states.

    step (Union[SlotStep, PairStep]): Scores pairs of units.
    schema (Schema): The columns of a pair's row.
    labels (Sequence[int]): The label of each class; class 0 is no edge.
    is_child (ndarray[bool]): (n_units,) which units may be remote children.
    units (UnitTable): The units of all sentences.
    places (ndarray): The tokens of the sentences, as they are numbered in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): Minimum probability of an edge, of whatever category.
    allowed (Allowed): The classes under the guidelines of each sentence.
    siblings (int): The labels of which a parent has a child: `Inventory.remote_siblings`.
    """
    threshold = max(threshold, LEAST_THRESHOLD)
    parents, children = units.pairs_with(is_child, siblings)
    candidates: dict[int, list[tuple[float, int, int, float]]] = {}
    for start in range(0, len(parents), MAX_ROWS):
        part = slice(start, start + MAX_ROWS)
        parts = [
            p._replace(rows=_placed(p.rows, places))
            for p in units.pair_parts(schema, parents[part], children[part])
        ]
        scores = to_numpy(step.predict_parts(parts))
        # Skip most pairs: they stay below the threshold even if all other classes were as probable as the best of them.
        odds = threshold / (1 - threshold) if threshold < 1 else numpy.inf
        least = numpy.log(odds / (scores.shape[1] - 1)) - 1e-3
        near = numpy.nonzero(scores[:, 1:].max(axis=1) > scores[:, NO_EDGE] + least)[0]
        owners = units.sentence[parents[start + near]]
        log_probs = log_softmax(allowed.restrict_scores(scores[near], owners))
        no_edge = numpy.exp(log_probs[:, NO_EDGE])
        chosen = numpy.nonzero(no_edge < 1 - threshold)[0]
        classes = log_probs[chosen, 1:].argmax(axis=1) + 1
        columns = start + near[chosen], no_edge[chosen], classes, log_probs[chosen, classes]
        for i, none, k, log_prob in zip(*(column.tolist() for column in columns)):
            sentence = int(units.sentence[parents[i]])
            candidates.setdefault(sentence, []).append((none, i, k, log_prob))
    for sentence, edges in candidates.items():
        state = units.states[sentence]
        remote: dict[int, list[int]] = {}
        added: dict[tuple[int, int], float] = {}
        for _, i, label, log_prob in sorted(edges):
            parent, child = units.nodes[parents[i]], units.nodes[children[i]]
            if not _has_path(state, remote, child, parent):  # two remote edges can make a cycle
                remote.setdefault(parent, []).append(child)
                state.remotes.append((parent, child, labels[label]))
                added[parent, child] = log_prob
        add_pair_scores(state, [*added], numpy.array([*added.values()]), calibration)


def add_implicit(
    step: ScorerStep,
    schema: Schema,
    bags: Sequence[Sequence[int]],
    system: TransitionSystem,
    units: UnitTable,
    places: numpy.ndarray,
    calibration: Any,
    threshold: float = DEFAULT_THRESHOLD,
    allowed: Allowed = EVERYTHING,
) -> list[PredictedEdge]:
    """Predict implicit units in finished trees and add them to the states. A unit with a remote edge gets none of the
    same category.

    step (ScorerStep): Scores units.
    schema (Schema): The columns of a unit's row.
    bags (Sequence[Sequence[int]]): The labels of the implicit children of each class.
    system (TransitionSystem): The transition system.
    units (UnitTable): The units of all sentences.
    places (ndarray): The tokens of the sentences, as they are numbered in the batch.
    calibration (Callable): Makes scores of edges.
    threshold (float): Minimum probability of a unit.
    allowed (Allowed): The classes under the guidelines of each sentence.
    RETURNS (List[PredictedEdge]): The edges that were added.
    """
    threshold = max(threshold, LEAST_THRESHOLD)
    added: list[PredictedEdge] = []
    children, members = _members(bags)
    rows, indices = units.unit_rows(schema)
    rows = _placed(rows, places)
    for start in range(0, len(indices), MAX_ROWS):
        part = Rows(*(column[start : start + MAX_ROWS] for column in rows))
        owners = units.sentence[indices[start : start + MAX_ROWS]]
        scores = allowed.restrict_scores(to_numpy(step.predict(part)), owners)
        probs = numpy.minimum(numpy.exp(log_softmax(scores)) @ members, 1)
        chosen, which = numpy.nonzero(probs > threshold)
        rows_of_chosen = edge_features(numpy.log(probs[chosen, which]))
        for i, k, features in zip(chosen.tolist(), which.tolist(), rows_of_chosen):
            index, label = indices[start + i], children[k]
            state = units.states[units.sentence[index]]
            if any(
                (parent, own) == (units.nodes[index], label) for parent, _, own in state.remotes
            ):
                continue  # the Participant is elsewhere in the sentence
            node = state.add_node()
            (state.scores[node],) = calibration("implicit", features[None])
            state.implicit[node] = True
            state.attach(units.nodes[index], node, label, system.ranks[label])
            added.append((int(index), -1, label))
    return added


def _members(bags: Sequence[Sequence[int]]) -> tuple[list[int], numpy.ndarray]:
    """Compare bags of labels with single children, so that the probability of a child is the sum over the bags with it.

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
    """RETURNS (Rows): The rows with tokens numbered within the batch."""
    return rows._replace(tokens=places[rows.tokens])


def _has_path(state: State, remote: Mapping[int, Sequence[int]], start: int, end: int) -> bool:
    """RETURNS (bool): Whether primary edges and new remote edges lead from one node to another."""
    return end in reached((start,), lambda node: (*state.children[node], *remote.get(node, ())))


class Decoded(NamedTuple):
    """The result of decoding.

    states (List[State]): The final state of each sentence.
    may_violate (ndarray[bool]): For each, whether its graph may break a rule of UCCA.
    """

    states: list[State]
    may_violate: numpy.ndarray


def decode_all(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    settings: ParserSettings = DEFAULT_SETTINGS,
    calibration: Any = None,
) -> Decoded:
    """Parse a batch: search for the tree, then add remote edges and implicit units.

    steps (Dict[str, ScorerStep]): The scorers of the batch.
    inventory (Inventory): Labels, system and columns.
    sentences (Sequence[Sentence]): The sentences.
    settings (ParserSettings): The beam and the thresholds.
    calibration (Optional[Callable]): Makes scores of edges.
    RETURNS (Decoded): The final states.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    beam = settings.beam
    search = greedy_search if beam.width == 1 else partial(beam_search, beam=beam)
    guidelines = _guidelines(inventory, sentences, settings)
    allowed = Allowed(inventory.by_guidelines.actions, guidelines)
    states = search(steps["actions"], system, schema, sentences, allowed=allowed)
    return _finish(steps, inventory, sentences, states, guidelines, settings, calibration)


def decode_beams(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    settings: ParserSettings = DEFAULT_SETTINGS,
    calibration: Any = None,
) -> list[list[State]]:
    """Parse a batch and return all parses of the beams. Arguments are those of `decode_all`.

    RETURNS (List[List[State]]): By sentence, the final states, the most probable first.
    """
    system, schema = inventory.system, inventory.schemas["actions"]
    guidelines = _guidelines(inventory, sentences, settings)
    allowed = Allowed(inventory.by_guidelines.actions, guidelines)
    beams = beam_parses(steps["actions"], system, schema, sentences, settings.beam, allowed)
    repeated = [sentence for sentence, parses in zip(sentences, beams) for _ in parses]
    guidelines = numpy.repeat(guidelines, [len(parses) for parses in beams])
    states = [state for parses in beams for state in parses]
    _finish(steps, inventory, repeated, states, guidelines, settings, calibration)
    return beams


def _guidelines(
    inventory: Inventory, sentences: Sequence[Sentence], settings: GraphSettings
) -> numpy.ndarray:
    """RETURNS (ndarray[int]): The guidelines of each sentence, as numbered by `LabelsByGuidelines.ids`."""
    return guidelines_of(sentences, inventory.by_guidelines.ids, settings.guidelines)


def _finish(
    steps: Scorers,
    inventory: Inventory,
    sentences: Sequence[Sentence],
    states: list[State],
    guidelines: numpy.ndarray,
    settings: ParserSettings,
    calibration: Any,
) -> Decoded:
    """Add to finished trees what the transition system leaves to the other scorers.

    sentences (Sequence[Sentence]): The sentence of each state.
    states (List[State]): The states.
    guidelines (ndarray[int]): (n_states,) the guidelines of each.
    RETURNS (Decoded): The same states.
    """
    calibration = calibration or Calibration()
    system = inventory.system
    units = UnitTable.of_batch(system, states, [s.syntax for s in sentences])
    add_scores(units, calibration)
    implicit: list[PredictedEdge] = []
    if "remotes" in steps:
        # The last place is that of missing tokens.
        places = numpy.concatenate([*(s.places for s in sentences), [MISSING]]).astype("int32")
        args = units, places, calibration
        if len(inventory.remote_ids) > 1:
            schema = inventory.schemas["remotes"]
            is_child = inventory.remote_children[units.label]
            add_remotes(
                steps["remotes"],
                schema,
                inventory.remote_ids,
                is_child,
                *args,
                settings.remote_threshold,
                Allowed(inventory.by_guidelines.remotes, guidelines),
                inventory.remote_siblings,
            )
        if inventory.implicit:
            schema = inventory.schemas["implicit"]
            implicit = add_implicit(
                steps["implicit"],
                schema,
                inventory.bags,
                system,
                *args,
                settings.implicit_threshold,
                Allowed(inventory.by_guidelines.implicit, guidelines),
            )
    return Decoded(states, find_violations(inventory.label_facts, units, implicit))
