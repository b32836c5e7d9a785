"""Search over transitions: beams follow the likeliest parses, and with enough room they find the likeliest of all."""

import heapq
import itertools
import random
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import numpy
import pytest
from random_models import random_docs, random_model
from transition_walks import LABELS, LINK_LABELS
from util import VOCAB

from spacy_ucca.features.state_rows import BatchRows
from spacy_ucca.graph import Graph
from spacy_ucca.layers.arrays import log_softmax
from spacy_ucca.layers.slot_scorer import ScorerStep
from spacy_ucca.native import kernels
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.search import (
    MIN_DENSITY,
    Beam,
    beam_parses,
    beam_search,
    extend,
    greedy_search,
)
from spacy_ucca.tokens.sentences import Sentence, find_sentences
from spacy_ucca.transition import State
from spacy_ucca.transitions.systems import build_system


class Scores(ScorerStep):
    """Scores of a model with random weights, over random sentences.

    inventory (Inventory): Labels and system.
    scale (float): How sure it is.
    """

    def __init__(self, inventory: Inventory, seed: int, *, n: int = 12, scale: float = 1.0) -> None:
        docs = random_docs(VOCAB, seed, n)
        self.sentences = find_sentences(docs, inventory.dep_ids)
        self.step = random_model(inventory, seed).predict(docs)["actions"]
        self.scale = scale
        self.system, self.schema = inventory.system, inventory.schemas["actions"]

    def predict(self, rows) -> numpy.ndarray:
        return self.scale * self.step.predict(rows)

    def run(self, how, *beam: Beam) -> list[State]:
        return how(self, self.system, self.schema, self.sentences, *beam)

    def next(self, sentence: Sentence, state: State) -> numpy.ndarray:
        """RETURNS (ndarray): The log probability of each transition in a state."""
        rows = BatchRows(self.schema, [sentence]).of([state], [0])
        return log_softmax(numpy.where(self.system.valid(state), self.predict(rows), -numpy.inf))[0]

    def replay(self, sentence: Sentence, history: list[int]) -> tuple[State, numpy.ndarray]:
        """RETURNS (Tuple[State, ndarray]): The state after some transitions, and how likely each was."""
        state, found = self.system.start(len(sentence)), []
        for action in history:
            assert self.system.valid(state)[action]
            found.append(self.next(sentence, state)[action])
            self.system.apply(state, action)
        return state, numpy.array(found)

    def likeliest(self, sentence: Sentence, patience: int) -> tuple[float, list[int]] | None:
        """RETURNS (Optional[Tuple[float, List[int]]]): Of all parses the likeliest, by uniform-cost search; None if it is
        not found soon."""
        queue: list[tuple[float, list[int]]] = [(0.0, [])]
        for _ in range(patience):
            cost, history = heapq.heappop(queue)
            state, _ = self.replay(sentence, history)
            if state.done:
                return -cost, history
            for action, log_prob in enumerate(self.next(sentence, state)):
                if log_prob > -8:
                    heapq.heappush(queue, (cost - log_prob, [*history, action]))
        return None


@pytest.fixture(scope="module", params=["tree", "tupa"])
def inventory(request: pytest.FixtureRequest, sample: list[Graph]) -> Inventory:
    return Inventory.collect(request.param, sample, {"nsubj", "obj"})


@pytest.mark.parametrize("seed", range(3))
def test_a_beam_of_one_is_greedy(inventory: Inventory, seed: int) -> None:
    scores = Scores(inventory, seed)
    greedy = scores.run(greedy_search)
    for beam in (Beam(1), Beam(1, 0.0), Beam(4, 1.0)):
        found = scores.run(beam_search, beam)
        assert [state.history for state in found] == [state.history for state in greedy]
        for state, other in zip(found, greedy):
            if state.history:
                assert numpy.allclose(state.log_probs, other.log_probs, atol=1e-4)


def test_with_enough_room_it_finds_the_likeliest_parse() -> None:
    """Parses as likely as the likeliest one, at any step, are never more than one by its probability."""
    found = 0
    inventory = Inventory("tree", ["A", "C", "H"], ["A"], ["A"], [["A"]], [])
    for seed in range(6):
        scores = Scores(inventory, seed, scale=2.0)
        for i, sentence in enumerate(scores.sentences):
            best = scores.likeliest(sentence, 300) if len(sentence) <= 3 else None
            if best is None or best[0] < -6:
                continue
            beam = Beam(10**6, 0.999 * numpy.exp(best[0]))
            state = scores.run(beam_search, beam)[i]
            assert state.history == best[1]
            assert numpy.isclose(state.log_probs.sum(), best[0], atol=1e-3)
            greedy = scores.run(greedy_search)[i]
            assert greedy.log_probs.sum() <= best[0] + 1e-3
            found += greedy.history != best[1]
    assert found >= 3  # or the test says little


@pytest.mark.parametrize("beam", [Beam(2), Beam(5, 0.01), Beam(3, 0.0)])
def test_parses_are_valid_and_as_likely_as_they_say(inventory: Inventory, beam: Beam) -> None:
    scores = Scores(inventory, 7)
    better = 0.0
    for sentence, state, greedy in zip(
        scores.sentences, scores.run(beam_search, beam), scores.run(greedy_search), strict=True
    ):
        again, log_probs = scores.replay(sentence, state.history)
        assert again.done and state.done and state.steps == len(log_probs)
        assert numpy.allclose(state.log_probs, log_probs, atol=1e-4)
        words = [f"w{i}" for i in range(len(sentence))]
        graphs = [scores.system.to_graph(s, words) for s in (state, again)]
        assert graphs[0].same_structure(graphs[1])
        better += state.log_probs.sum() - greedy.log_probs.sum()
    assert better > 0  # on the whole, if not for each sentence


@pytest.mark.parametrize("beam", [Beam(1), Beam(2), Beam(5, 0.01), Beam(3, 0.0)])
def test_all_parses_of_a_beam(inventory: Inventory, beam: Beam) -> None:
    scores = Scores(inventory, 8)
    found = scores.run(beam_parses, beam)
    best = scores.run(beam_search, beam)
    assert [parses[0].history for parses in found] == [state.history for state in best]
    assert max(map(len, found)) == beam.width
    for sentence, parses in zip(scores.sentences, found, strict=True):
        assert len({tuple(state.history) for state in parses}) == len(parses) <= beam.width
        totals = [state.log_probs.sum() for state in parses]
        assert totals == sorted(totals, reverse=True)
        assert all(numpy.exp(total - totals[0]) >= beam.density - 1e-6 for total in totals)
        words = [f"w{i}" for i in range(len(sentence))]
        for state in parses:
            again, log_probs = scores.replay(sentence, state.history)
            assert again.done and numpy.allclose(state.log_probs, log_probs, atol=1e-4)
            graphs = [scores.system.to_graph(s, words) for s in (state, again)]
            assert graphs[0].same_structure(graphs[1])
        # What is put under a node of one is not under that of another.
        lists = [children for state in parses for children in state.children]
        assert len({id(children) for children in lists}) == len(lists)


def test_with_enough_room_all_parses_are_found() -> None:
    """Then their probabilities have a sum of one."""
    inventory = Inventory("tree", ["A", "H"], ["A"], ["A"], [["A"]], [])
    for seed in range(3):
        scores = Scores(inventory, seed)
        scores.sentences = [sentence for sentence in scores.sentences if len(sentence) == 1][:2]
        for parses in scores.run(beam_parses, Beam(3000, 1e-5)):
            likely = numpy.exp([state.log_probs.sum() for state in parses])
            assert len(likely) > 5 and 0.99 < likely.sum() < 1 + 1e-6


@pytest.mark.parametrize(
    "beam", [Beam(1), Beam(2, 0.5), Beam(3, 0.0), Beam(50, 0.01), Beam(2, 1.0)]
)
@pytest.mark.parametrize("pure", [False, True])
def test_how_parses_go_on(beam: Beam, pure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against all candidates of each sentence, sorted."""
    if pure:
        monkeypatch.setattr("spacy_ucca.parser.search.kernels", kernels)
    rng = numpy.random.default_rng(0)
    for n, n_actions in ((0, 4), (1, 1), (1, 4), (40, 5)):
        owners = numpy.sort(rng.integers(0, 12, n)) * 2
        totals, done = -rng.exponential(1, n).round(1), rng.random(n) < 0.3
        scores = rng.normal(0, 2, ((~done).sum(), n_actions)).round(1).astype("float32")
        mask = rng.random(scores.shape) < 0.6
        mask[numpy.arange(len(mask)), rng.integers(0, n_actions, len(mask))] = True
        candidates: dict[int, list[tuple[float, float, int, int]]] = {}
        valid = log_softmax(numpy.where(mask, scores, -numpy.inf)) if len(scores) else scores
        rows = iter(valid)
        for i in range(n):
            steps = {n_actions: 0.0} if done[i] else dict(enumerate(next(rows)))
            found = candidates.setdefault(int(owners[i]), [])
            found += [(totals[i] + s, s, i, a) for a, s in steps.items() if s > -numpy.inf]
        expected = []
        for _, own in sorted(candidates.items()):
            own.sort(key=lambda candidate: -round(candidate[0], 9))  # stable: the first on ties
            least = own[0][0] + numpy.log(max(beam.density, MIN_DENSITY)) - 1e-12
            expected += [candidate for candidate in own if candidate[0] >= least][: beam.width]
        parses, actions, likely, log_probs = extend(scores, mask, owners, totals, done, beam)
        assert [*zip(parses.tolist(), actions.tolist())] == [c[2:] for c in expected]
        assert numpy.allclose(likely, [c[0] for c in expected], rtol=1e-9)
        assert numpy.allclose(log_probs, [c[1] for c in expected], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("search", [greedy_search, partial(beam_search, beam=Beam(3))])
def test_only_valid_actions_are_taken(inventory: Inventory, search: Callable) -> None:
    """However the scores are."""
    system = inventory.system

    def predict(rows) -> numpy.ndarray:
        return numpy.random.normal(0, 1, (len(rows.tokens), system.n_actions)) - 1e6

    step = SimpleNamespace(predict=predict, weights_of_sum=lambda: None)
    sentences = find_sentences(random_docs(VOCAB, 5), {})
    states = search(step, system, inventory.schemas["actions"], sentences)
    for state, sentence in zip(states, sentences):
        again = system.start(len(sentence))
        for action in state.history:
            assert system.valid(again)[action]
            system.apply(again, action)
        assert again.done


def test_no_sentences(inventory: Inventory) -> None:
    scores = Scores(inventory, 0)
    assert beam_search(scores, scores.system, scores.schema, [], Beam(3)) == []


@pytest.mark.parametrize("name", ["tree", "tupa"])
@pytest.mark.parametrize("seed", range(5))
def test_what_a_copy_does_is_not_seen_by_the_other(name: str, seed: int) -> None:
    system = build_system(name, LABELS + (LINK_LABELS if name == "tupa" else ()))
    rng = random.Random(seed)

    def go_on(state: State, stop: int | None = None) -> State:
        while not state.done and state.steps != stop:
            system.apply(state, rng.choice(system.valid(state).nonzero()[0].tolist()))
        return state

    def everything(state: State) -> dict:
        return {name: repr(getattr(state, name)) for name in State.__slots__}

    for n_tokens, stop in itertools.product((1, 4, 9), (0, 3, 8, 15)):
        state = go_on(system.start(n_tokens), stop)
        before, history = everything(state), list(state.history)
        other = go_on(state.copy())
        assert everything(state) == before
        go_on(state)
        for parse in (state, other):
            assert parse.done and parse.history[: len(history)] == history
            again = system.start(n_tokens)
            for action in parse.history:
                system.apply(again, action)
            assert everything(again) == everything(parse)
