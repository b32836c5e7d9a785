"""The dynamic oracle of the `tree` system: costs equal those of an exhaustive search on small graphs."""

import random

import numpy
import pytest
from best_reachable import BestReachable
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spacy_ucca.errors import OracleError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.transition import Action, Move, TransitionSystem
from spacy_ucca.transitions.rebuild import graph_labels
from spacy_ucca.transitions.systems import build_system
from spacy_ucca.transitions.tree import TreeSystem
from spacy_ucca.transitions.tree_oracle import TreeDynamicOracle

LABELS = ("A", "C")
SYSTEM = build_system("tree", LABELS)
SWAP = SYSTEM.action(Move.SWAP)


@pytest.fixture(autouse=True)
def short_chains(monkeypatch):
    """A limit that keeps the search small and that no walk here meets."""
    monkeypatch.setattr(TreeSystem, "max_chain", 3)


def small_graph(rng: random.Random, n: int, *, chains: bool = False) -> Graph:
    """A tree over n tokens: gaps, tokens beside units, units of several tokens. Units have the same
    tokens only if chains are wanted."""
    builder = GraphBuilder([f"w{i}" for i in range(n)])
    scattered = rng.random() < 0.3

    def fill(unit: int, tokens: list[int], is_root: bool = False) -> None:
        rest = list(tokens)
        if scattered:
            rng.shuffle(rest)
        parts = []
        while rest:
            size = rng.randint(1, len(rest))
            parts.append(sorted(rest[:size]))
            rest = rest[size:]
        same = len(parts) == 1 and not is_root
        if same and not (chains and rng.random() < 0.5) and len(tokens) > 1:
            parts, same = [[token] for token in tokens], False
        if not is_root and (len(tokens) == 1 or rng.random() < 0.2) and not (same and chains):
            parts = []
            for token in tokens:
                builder.add_terminal(unit, token)
        chain = chains and rng.random() < 0.5
        for part in parts:
            if same and not chain:
                for token in part:
                    builder.add_terminal(unit, token)
            elif not is_root and not same and len(part) == 1 and rng.random() < 0.2:
                builder.add_terminal(unit, part[0])
            else:
                child = builder.add_unit()
                builder.add_edge(unit, child, rng.choice(LABELS))
                fill(child, part)

    fill(builder.add_unit(), list(range(n)), True)
    return builder.build()


def some_walk(rng: random.Random, graph: Graph, n_steps: int):
    """A parse that makes mistakes, and has come so far; NODEs are not put over each other too often."""
    state, costs = SYSTEM.start(len(graph.words)), TreeDynamicOracle(SYSTEM, graph)
    for _ in range(n_steps):
        actions = costs.best(state)
        if rng.random() < 0.5:
            actions = SYSTEM.valid(state).nonzero()[0].tolist()
        if state.chain[state.stack[-1]] and len(state.stack) > 1:
            shorter = [a for a in actions if SYSTEM.moves[a] != Move.NODE]
            actions = shorter or [a for a in actions]
        action = rng.choice(actions)
        costs.follow(state, action)
        SYSTEM.apply(state, action)
        if state.done:
            break
    return state, costs


def compare(graph: Graph, seed: int, n_steps: int):
    """RETURNS (Optional[Tuple]): Costs by the oracle, costs by the search, and the actions that the oracle
    calls best; None where the rule that two items are swapped only once binds."""
    state, costs = some_walk(random.Random(seed), graph, n_steps)
    if state.done or state.exchanged:
        return None
    search = BestReachable(graph, LABELS)
    expected = numpy.full(SYSTEM.n_actions, numpy.inf)
    for action, cost in search.costs(search.configuration(SYSTEM, state)).items():
        expected[SYSTEM.action_ids[Action(*action)]] = cost
    return costs.costs(state), expected, costs.best(state)


SEEDS = st.integers(0, 10**9)


@given(seed=SEEDS, n_tokens=st.integers(1, 3), n_steps=st.integers(0, 9))
@settings(max_examples=40)
def test_costs_are_those_of_an_exhaustive_search(seed, n_tokens, n_steps):
    """All but that of SWAP, which is more where the two have to be swapped back: then less is right."""
    compared = compare(small_graph(random.Random(seed), n_tokens), seed, n_steps)
    if compared is not None:
        costs, expected, best = compared
        assert costs[SWAP] <= expected[SWAP]
        costs[SWAP] = expected[SWAP]
        assert costs.tolist() == expected.tolist()
        assert expected[best].tolist() == [0] * len(best)


def check_static(system: TransitionSystem, graph: Graph) -> None:
    static, costs = system.oracle(graph), TreeDynamicOracle(system, graph)
    state = system.start(len(graph.words))
    while not state.done:
        action = static.next_action(state)
        assert costs.best(state) == [action]
        assert costs.costs(state)[action] == 0
        costs.follow(state, action)
        system.apply(state, action)
    built = system.to_graph(state, graph.words, punct=graph.punct)
    assert built.same_structure(system.target(graph))


@given(seed=SEEDS, n_tokens=st.integers(1, 30), chains=st.booleans())
@settings(max_examples=100)
def test_without_mistakes_it_is_the_static_oracle(seed, n_tokens, chains):
    """Not only are the same trees built: one way to each is chosen, the same. Units over the same tokens
    are no exception."""
    graph = small_graph(random.Random(seed), n_tokens, chains=chains)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeSystem, "max_chain", 20)
        patch.setattr(TreeSystem, "max_swaps", 20)  # random graphs have more gaps than real ones
        check_static(SYSTEM, graph)


def test_without_mistakes_on_real_graphs(sample, monkeypatch):
    monkeypatch.setattr(TreeSystem, "max_chain", 5)
    system = build_system("tree", set().union(*map(graph_labels, sample)))
    for graph in sample:
        check_static(system, graph)


@given(seed=SEEDS, n_tokens=st.integers(1, 12))
@example(seed=12468, n_tokens=9)  # a token that is to be merged is not to get a child before
@example(seed=3235, n_tokens=7)
@settings(max_examples=60)
def test_costs_add_up_to_the_loss(seed, n_tokens):
    """After any actions, those called best end in a tree that is worse by what the actions cost."""
    rng = random.Random(seed)
    graph = small_graph(rng, n_tokens)
    state, costs = SYSTEM.start(n_tokens), TreeDynamicOracle(SYSTEM, graph)
    total = 0
    while not state.done:
        valid = [a for a in SYSTEM.valid(state).nonzero()[0].tolist() if a != SWAP]
        best, found = costs.best(state), costs.costs(state)
        assert (found[best] == found.min()).all()
        action = rng.choice(best if rng.random() < 0.9 else valid)
        total += found[action]
        costs.follow(state, action)
        SYSTEM.apply(state, action)
    search = BestReachable(graph, LABELS)
    assert search.loss(SYSTEM.to_graph(state, graph.words)) >= total
    if state.swaps == 0:
        assert search.loss(SYSTEM.to_graph(state, graph.words)) == total


def test_a_wrong_turn():
    """The first Participant was left behind: SWAP still gets it; a wrong label costs the edge that is
    lost and the edge that is wrong."""
    (graph,) = read_brackets("[H [A John] [P moved] [A away]]")
    system = build_system("tree", sorted(graph_labels(graph)))
    state, costs = system.start(3), TreeDynamicOracle(system, graph)

    def do(*names):
        for name in names:
            (action,) = [i for i, a in enumerate(system.actions) if str(a) == name]
            assert system.valid(state)[action]
            costs.follow(state, action)
            system.apply(state, action)

    def best():
        return [str(system.actions[a]) for a in costs.best(state)]

    def cost(name):
        return {str(a): c for a, c in zip(system.actions, costs.costs(state))}[name]

    do("SHIFT", "SHIFT")
    assert best() == ["NODE-P"]
    do("NODE-P", "SHIFT")  # too early
    assert best() == ["RIGHT-EDGE-A"]
    assert cost("RIGHT-EDGE-A") == 0
    assert cost("RIGHT-EDGE-P") == 2
    assert cost("NODE-A") == 1  # a unit too many
    assert cost("LEFT-EDGE-P") == 2  # as much: away would be the Scene
    do("RIGHT-EDGE-P")
    assert best() == ["LEFT-EDGE-A"]


def test_labels_are_checked():
    (graph,) = read_brackets("[H [A John] [P moved]]")
    with pytest.raises(OracleError, match="UC303"):
        TreeDynamicOracle(SYSTEM, graph)
