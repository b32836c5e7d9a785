"""Search for the best transition sequence of each sentence of a batch, greedily or with a beam."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from ..features.state_rows import BatchRows, Schema
from ..layers.slot_scorer import ScorerStep
from ..native.load import kernels
from ..tokens.sentences import Sentence
from ..transition import State, TransitionSystem
from .given import Given
from .labels import EVERYTHING, Allowed
from .settings import Beam

Restrictions = Sequence[Given | None]
MIN_DENSITY = 1e-300  # in place of 0: a log probability of -inf marks invalid transitions


def greedy_search(
    step: ScorerStep,
    system: TransitionSystem,
    schema: Schema,
    sentences: Sequence[Sentence],
    allowed: Allowed = EVERYTHING,
    given: Restrictions = (),
    *,
    note: Callable[..., None] | None = None,
) -> list[State]:
    """Parse a batch greedily.

    step (ScorerStep): Scores actions.
    system (TransitionSystem): The transition system.
    schema (Schema): The columns of a state's row.
    sentences (Sequence[Sentence]): The sentences.
    allowed (Allowed): The actions under the guidelines of each sentence.
    given (Sequence[Optional[Given]]): What is given of each sentence; empty if nothing is of any.
    note (Optional[Callable]): Called with the states of a step, their sentences, what they may do, and what of it keeps all that is given.
    RETURNS (List[State]): The final state of each.
    """
    states = _start(system, sentences, given)
    if not given and system.search(states, sentences, step, schema, allowed):
        return states
    rows = BatchRows(schema, sentences)
    active = [i for i, state in enumerate(states) if not state.done]
    step_log_probs: list[numpy.ndarray] = []
    while active:
        current = [states[i] for i in active]
        scores = finite(to_numpy(step.predict(rows.of(current, active))))
        mask, kept = _valid(system, current, active, allowed, given)
        if note is not None:
            note(current, active, mask, kept)
        best, log_probs = choose(scores, kept)
        step_log_probs.append(numpy.zeros(len(states)))
        step_log_probs[-1][active] = log_probs
        system.apply_all(current, best.tolist())
        active = [i for i in active if not states[i].done]
    if step_log_probs:
        for state, column in zip(states, numpy.stack(step_log_probs, axis=1)):
            if state.log_probs is None:
                state.log_probs = column[: state.steps]
    return states


def beam_search(
    step: ScorerStep,
    system: TransitionSystem,
    schema: Schema,
    sentences: Sequence[Sentence],
    beam: Beam,
    allowed: Allowed = EVERYTHING,
    given: Restrictions = (),
) -> list[State]:
    """Parse a batch by beam search: return the parse of each sentence with the highest product of probabilities of
    transitions, among those that stayed in the beam.

    step (ScorerStep): Scores actions.
    system (TransitionSystem): The transition system.
    schema (Schema): The columns of a state's row.
    sentences (Sequence[Sentence]): The sentences.
    beam (Beam): How many parses to follow.
    allowed, given: As for `greedy_search`.
    RETURNS (List[State]): The final state of each.
    """
    # A sentence is done when its best parse is: log probabilities of the others can only fall.
    args = step, system, schema, sentences, beam, allowed, given
    return [parses[0] for parses in _follow(*args, every=False)]


def beam_parses(
    step: ScorerStep,
    system: TransitionSystem,
    schema: Schema,
    sentences: Sequence[Sentence],
    beam: Beam,
    allowed: Allowed = EVERYTHING,
    given: Restrictions = (),
) -> list[list[State]]:
    """Parse a batch by beam search and return all parses in the beam.

    step (ScorerStep): Scores actions.
    system (TransitionSystem): The transition system.
    schema (Schema): The columns of a state's row.
    sentences (Sequence[Sentence]): The sentences.
    beam (Beam): How many parses to follow.
    allowed, given: As for `greedy_search`.
    RETURNS (List[List[State]]): By sentence, the final states of at least one parse, the most probable first. The log
        probability of a parse is the sum of its `log_probs`.
    """
    beams = _follow(step, system, schema, sentences, beam, allowed, given, every=True)
    for state in (state for parses in beams for state in parses):
        # Copied parses share lists of children, and implicit units are still added to these.
        state.children = [children[:] for children in state.children]
    return beams


def _follow(
    step: ScorerStep,
    system: TransitionSystem,
    schema: Schema,
    sentences: Sequence[Sentence],
    beam: Beam,
    allowed: Allowed,
    given: Restrictions,
    *,
    every: bool,
) -> list[list[State]]:
    """Follow several parses of each sentence.

    every (bool): Whether to follow all parses to their ends, not only the most probable one.
    RETURNS (List[List[State]]): By sentence, the final states, the most probable first.
    """
    rows = BatchRows(schema, sentences)
    begun = _start(system, sentences, given)
    final = [[state] if state.done else [] for state in begun]
    # The parses in the beam, by sentence and the most probable first: sentence, state, log probability, last step
    owners = numpy.array([i for i, ended in enumerate(final) if not ended], dtype="int64")
    states = [begun[i] for i in owners]
    totals, last = numpy.zeros(len(states)), numpy.full(len(states), -1)
    done = numpy.zeros(len(states), dtype="bool")
    steps = _Steps()
    wait = system.n_actions
    while states:
        going = numpy.nonzero(~done)[0]
        current = [states[i] for i in going]
        scores = finite(to_numpy(step.predict(rows.of(current, owners[going].tolist()))))
        _, mask = _valid(system, current, owners[going], allowed, given)
        parses, actions, totals, log_probs = extend(scores, mask, owners, totals, done, beam)
        owners = owners[parses]
        last = steps.add(last[parses], log_probs, actions != wait)
        following = [states[i] for i in parses]
        again = numpy.ones(len(parses), dtype="bool")
        again[numpy.unique(parses, return_index=True)[1]] = False
        for i in numpy.nonzero(again)[0]:  # a parse that goes on in several ways
            following[i] = following[i].copy()
        states = following
        moving = numpy.nonzero(actions != wait)[0]
        system.apply_all([states[i] for i in moving], actions[moving].tolist())
        done = numpy.array([state.done for state in states])
        if every:
            over = ~numpy.isin(owners, owners[~done])
        else:
            over = done & (numpy.diff(owners, prepend=-1) != 0)
        if over.any():
            for i in numpy.nonzero(over)[0]:
                final[owners[i]].append(states[i])
                states[i].log_probs = steps.until(last[i])
            left = numpy.nonzero(~numpy.isin(owners, owners[over]))[0]
            states = [states[i] for i in left]
            owners, totals, last, done = owners[left], totals[left], last[left], done[left]
    return final


def _start(
    system: TransitionSystem, sentences: Sequence[Sentence], given: Restrictions
) -> list[State]:
    if not given:
        return [system.start(len(sentence)) for sentence in sentences]
    return [
        (own or system).start(len(sentence)) for own, sentence in zip(given, sentences, strict=True)
    ]


def _valid(
    system: TransitionSystem,
    states: list[State],
    owners: Any,
    allowed: Allowed,
    given: Restrictions,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """RETURNS (Tuple[ndarray, ndarray]): (n, n_actions) the actions of states that are valid and allowed, and those of them that
    keep what is given."""
    mask = allowed.restrict(system.mask_rows(system.valid_keys(states)), owners)
    kept = mask.copy() if given else mask
    for row, owner in enumerate(owners if given else ()):
        if (own := given[owner]) is not None:
            kept[row] = own.restrict(states[row], mask[row])
    return mask, kept


def extend(
    scores: numpy.ndarray,
    mask: numpy.ndarray,
    owners: numpy.ndarray,
    totals: numpy.ndarray,
    done: numpy.ndarray,
    beam: Beam,
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Extend the parses of each sentence by their best actions.

    scores (ndarray): (n_going, n_actions), before softmax, of parses that have not ended.
    mask (ndarray[bool]): (n_going, n_actions) the valid actions.
    owners (ndarray[int64]): (n,) the sentence of each parse; those of a sentence are together.
    totals (ndarray[float64]): (n,) the log probability of each.
    done (ndarray[bool]): (n,) whether it has ended. It then waits while another parse is more probable:
        its action is `n_actions`, which changes nothing.
    beam (Beam): The settings of the beam.
    RETURNS (Tuple[ndarray, ndarray, ndarray, ndarray]): By sentence and the most probable first: parses, their actions,
        the log probabilities of the extended parses and of the actions.
    """
    scores = numpy.ascontiguousarray(scores, dtype="float32")
    n, wait = len(owners), scores.shape[1]
    least = float(numpy.log(max(beam.density, MIN_DENSITY)))
    room = n * min(beam.width, wait + 1)
    parses, actions = numpy.empty((2, room), dtype="int64")
    norms, sums, steps = numpy.empty(n), *numpy.empty((2, room))
    states, results = (owners, totals, done.view("uint8")), (parses, actions, sums, steps)
    n = kernels.extend_parses(
        scores, mask.view("uint8"), *states, beam.width, least, norms, *results
    )
    return parses[:n], actions[:n], sums[:n], steps[:n]


class _Steps:
    """The steps of all parses, each with its predecessor. Parses of a sentence share their first steps."""

    def __init__(self) -> None:
        self.before: list[int] = []
        self.log_probs: list[float] = []

    def add(
        self, before: numpy.ndarray, log_probs: numpy.ndarray, moving: numpy.ndarray
    ) -> numpy.ndarray:
        """Add a step to each of some parses.

        before (ndarray[int]): (n,): the last step of each, -1 at its beginning.
        log_probs (ndarray): (n,): the log probability of the new one.
        moving (ndarray[bool]): (n,): whether there is one; other parses wait.
        RETURNS (ndarray[int]): (n,): the new last step of each.
        """
        last = before.copy()
        last[moving] = len(self.before) + numpy.arange(moving.sum())
        self.before += before[moving].tolist()
        self.log_probs += log_probs[moving].tolist()
        return last

    def until(self, last: int) -> numpy.ndarray:
        """RETURNS (ndarray[float64]): (n_steps,): the log probability of each step of a parse, given its last one."""
        log_probs = []
        while last >= 0:
            log_probs.append(self.log_probs[last])
            last = self.before[last]
        return numpy.array(log_probs[::-1])


def choose(scores: numpy.ndarray, mask: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Take the best action of each row.

    scores (ndarray): (n, n_actions), before softmax.
    mask (ndarray[bool]): (n, n_actions) the valid actions.
    RETURNS (Tuple[ndarray, ndarray]): (n,) the actions, and their log probabilities among the valid ones.
    """
    masked = numpy.where(mask, scores, -numpy.inf)
    best = masked.argmax(axis=1)
    top = masked[numpy.arange(len(best)), best]
    odds = numpy.exp(numpy.subtract(masked, top[:, None], dtype="float64"))
    return best, -numpy.log(odds.sum(axis=1))


def finite(scores: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): The scores.
    RAISES (FloatingPointError): If one is infinite or not a number: among such the best may be an invalid action."""
    if not numpy.isfinite(scores).all():
        raise FloatingPointError
    return scores


def to_numpy(array: Any) -> numpy.ndarray:
    """RETURNS (ndarray): The array in main memory."""
    return array.get() if hasattr(array, "get") else array
