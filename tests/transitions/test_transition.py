"""The transition systems: no dead end, a bound, well-formed graphs, validity as written in the docs."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_transitions import NaiveTree, NaiveTupa
from transition_walks import (
    LABELS,
    LINK_LABELS,
    POLICIES,
    action_of,
    check_well_formed,
    names,
    policy,
    walk,
)

from spacy_ucca.transition import ROOT, Action, Move, State
from spacy_ucca.transitions import tupa as transition_tupa
from spacy_ucca.transitions.systems import build_system
from spacy_ucca.transitions.tree import TreeSystem

NAIVE = {"tree": NaiveTree, "tupa": NaiveTupa}


SYSTEMS = ("tree", "tupa")


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request):
    return build_system(request.param, LABELS + LINK_LABELS * (request.param == "tupa"))


@pytest.fixture
def tight(monkeypatch):
    """Limits so low that walks meet them."""
    monkeypatch.setattr(TreeSystem, "max_chain", 2)
    monkeypatch.setattr(TreeSystem, "max_swaps", 1)
    monkeypatch.setattr(transition_tupa, "MORE_SWAPS", 0)
    for name, value in (("CHAIN", 2), ("UNITS", 2), ("SWAPS", 1), ("IMPLICIT", 1), ("LINKAGE", 1)):
        monkeypatch.setattr(transition_tupa, f"MAX_{name}", value)


# Any sequence of valid transitions ends well


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("n_tokens", range(31))
def test_walks_end_well(system, name, n_tokens):
    for seed in range(3):
        walk(system, n_tokens, policy(system, seed, POLICIES[name]))


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("limit", ["UNITS", "SWAPS", "IMPLICIT", "LINKAGE"])
def test_the_bound_grows_with_each_limit(tight, monkeypatch, name, limit):
    """A bound that some limit lowers would be met where that limit is high and the others are low."""
    monkeypatch.setattr(transition_tupa, f"MAX_{limit}", 20)
    system = build_system("tupa", LABELS + LINK_LABELS)
    for seed in range(3):
        walk(system, 1 + seed, policy(system, seed, POLICIES[name]))


@pytest.mark.parametrize("name", POLICIES)
def test_walks_end_well_when_limits_are_met(system, tight, name):
    for seed in range(40):
        walk(system, 1 + seed % 5, policy(system, seed, POLICIES[name]))


@given(n_tokens=st.integers(0, 12), data=st.data())
@settings(max_examples=60)
def test_walks_drawn_by_hypothesis(system, n_tokens, data):
    draw = data.draw(st.randoms(use_true_random=False))
    walk(system, n_tokens, lambda valid: draw.choice(valid))


@pytest.mark.parametrize("name", ["uniform", "swaps", "reduce last"])
def test_a_thousand_tokens(system, name):
    walk(system, 1000, policy(system, 1, POLICIES[name]))


def test_changing_policies(system):
    """One policy until a point, another one after it: from any state on, a walk ends well."""
    rng = random.Random(7)
    for seed in range(60):
        before, after = (policy(system, seed, POLICIES[rng.choice(list(POLICIES))]) for _ in "12")
        turn, steps = rng.randrange(60), iter(range(10**6))
        walk(system, rng.randint(1, 8), lambda v: (before if next(steps) < turn else after)(v))  # noqa: B023


# Validity and effect are those of the plain rewrite


def lockstep(system, naive, state, check=True) -> list[int]:
    """RETURNS (List[int]): The valid actions, after comparing them with the naive system's."""
    valid = system.valid(state).nonzero()[0].tolist()
    if check:
        moves = [(a.move.name.replace("_", "-"), a.label) for a in system.actions]
        expected = [i for i, (move, label) in enumerate(moves) if naive.valid(move, label)]
        assert [str(system.actions[a]) for a in valid] == [
            str(system.actions[a]) for a in expected
        ], f"after {names(system, state)}"
    return valid


def follow(system, naive, state, action) -> None:
    system.apply(state, action)
    move, label = system.actions[action]
    naive.apply(move.name.replace("_", "-"), label)
    assert state.done == naive.done


@pytest.mark.parametrize("name", POLICIES)
def test_mask_and_graph_equal_the_naive_ones(system, name, request):
    for limits in ("loose", "tight"):
        if limits == "tight":
            request.getfixturevalue("tight")
        for seed in range(6):
            n_tokens = seed % 4
            state, naive = system.start(n_tokens), NAIVE[system.name](n_tokens)
            choose = policy(system, seed, POLICIES[name])
            while not state.done and state.steps < 80:
                follow(system, naive, state, choose(lockstep(system, naive, state)))
            while not state.done:
                follow(system, naive, state, choose(lockstep(system, naive, state, check=False)))
            words = [f"w{i}" for i in range(n_tokens)]
            assert system.to_graph(state, words).same_structure(naive.build(words))


def clone(state: State) -> State:
    other = State(state.n_tokens)
    for slot in State.__slots__:
        value = getattr(state, slot)
        if slot == "children" or slot == "terminals":
            value = [list(part) for part in value]
        elif slot == "remote_parents":
            value = {key: list(part) for key, part in value.items()}
        elif isinstance(value, list | set | dict):
            value = value.copy()
        setattr(other, slot, value)
    return other


def signature(state: State) -> tuple:
    """Everything that says what may come."""
    return (
        *(tuple(state.stack), tuple(state.buffer), tuple(state.parent), tuple(state.label)),
        *(tuple(map(tuple, state.terminals)), tuple(state.remotes), tuple(state.links)),
        *(tuple(state.implicit), tuple(state.chain), state.leaving, state.swaps, state.done),
        frozenset(state.exchanged),
    )


SMALL = [
    ("tree", 2, {"A", "U"}, {"tree.max_chain": 1}),
    ("tree", 3, {"A"}, {"tree.max_chain": 0}),
    ("tupa", 1, {"A", "LA"}, {"UNITS": 1}),
    ("tupa", 2, {"A"}, {"UNITS": 1, "IMPLICIT": 0}),
]
LARGE = [
    ("tree", 3, {"A"}, {"tree.max_chain": 1}),
    ("tupa", 1, {"A", "LA"}, {"UNITS": 2}),
    ("tupa", 2, {"A"}, {"UNITS": 0, "SWAPS": 0}),
    ("tupa", 3, {"A"}, {"UNITS": 0, "IMPLICIT": 0, "SWAPS": 0}),
]


@pytest.mark.parametrize(
    ("name", "n_tokens", "labels", "limits"),
    [*SMALL, *(pytest.param(*case, marks=pytest.mark.slow) for case in LARGE)],
)
def test_all_states_there_are(name, n_tokens, labels, limits, tight, monkeypatch):
    """Exhaustive: every state that can be reached has the valid actions the naive system has, at least
    one, until the end; and every end is well-formed."""
    for limit, value in limits.items():
        if limit.startswith("tree."):
            monkeypatch.setattr(TreeSystem, limit.removeprefix("tree."), value)
        else:
            monkeypatch.setattr(transition_tupa, "MAX_" + limit, value)
    system = build_system(name, labels)
    words = [f"w{i}" for i in range(n_tokens)]
    seen: set[tuple] = set()
    todo = [(system.start(n_tokens), NAIVE[name](n_tokens))]
    ends = 0
    while todo:
        state, naive = todo.pop()
        if state.done:
            ends += 1
            graph = system.to_graph(state, words)
            check_well_formed(graph)
            assert graph.same_structure(naive.build(words))
            continue
        valid = lockstep(system, naive, state)
        assert valid
        for action in valid:
            next_state, next_naive = clone(state), naive.copy()
            follow(system, next_naive, next_state, action)
            key = signature(next_state)
            if key not in seen:
                seen.add(key)
                todo.append((next_state, next_naive))
    assert ends > 1


# By hand


def test_stuck_items_make_way():
    """The unit on top lacks a parent, and what is below it is its own child: they swap all the same.

    p (no parent)        stack: root, p, w   then   root, w, p   after all SWAPs were used
    |
    w
    """
    system = build_system("tupa", {"A"})
    state = system.start(1)
    for name in ("SHIFT", "NODE-Terminal", "SHIFT"):
        system.apply(state, action_of(system, name))
    state.swaps = transition_tupa.MAX_SWAPS + transition_tupa.MORE_SWAPS
    state.exchanged.add((1, 2))
    assert valid_names(system, state) == ["IMPLICIT-A", "NODE-A", "SWAP"]
    for name in ("SWAP", "SHIFT", "REDUCE"):
        assert name in valid_names(system, state)
        system.apply(state, action_of(system, name))
        if name != "REDUCE":
            assert len(valid_names(system, state)) == 1
    assert state.leaving == -1
    assert valid_names(system, state) == ["IMPLICIT-A", "NODE-A", "RIGHT-EDGE-A"]


def valid_names(system, state) -> list[str]:
    return sorted(str(system.actions[a]) for a in system.valid(state).nonzero()[0])


def test_a_pair_swaps_again_only_after_something_was_built(system):
    """SWAP and SHIFT back and forth lead nowhere."""
    state = system.start(3)
    shift, swap = action_of(system, "SHIFT"), action_of(system, "SWAP")
    for action in (shift, shift, swap, shift):
        system.apply(state, action)
    assert "SWAP" not in valid_names(system, state)
    node = "NODE-A" if system.name == "tree" else "NODE-Terminal"
    system.apply(state, action_of(system, node))
    assert "SWAP" in valid_names(system, state)


def test_terminal_is_forced_for_tokens():
    system = build_system("tupa", LABELS + LINK_LABELS)
    state = system.start(2)
    system.apply(state, action_of(system, "SHIFT"))
    assert valid_names(system, state) == ["NODE-Terminal", "SHIFT"]


def test_no_action_without_sense():
    system = build_system("tupa", LABELS + LINK_LABELS)
    printed = [str(action) for action in system.actions]
    assert "NODE-Terminal" in printed and "NODE-LR" in printed
    for move in ("IMPLICIT", "LEFT-REMOTE", "RIGHT-REMOTE"):
        assert not {f"{move}-{label}" for label in ("Terminal", *LINK_LABELS)} & set(printed)


def test_heads_and_spans_follow_what_is_attached_above():
    """[H [A a] [P b c]]: H has a parent (the root) before P gets its second token.

    root - H - A - a
             \\- P - b, c
    """
    system = build_system("tupa", {"A", "H", "P"})
    state = system.start(3)
    for name in (
        *("SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "NODE-A", "REDUCE"),
        *("SHIFT", "RIGHT-EDGE-H", "SHIFT", "NODE-Terminal", "REDUCE", "SHIFT", "RIGHT-EDGE-P"),
    ):
        system.apply(state, action_of(system, name))
    scene = 5
    assert (state.first[ROOT], state.last[ROOT], state.height[ROOT]) == (0, 1, 3)
    assert state.head[scene] == state.head[ROOT] == 1, "the Process comes before the Participant"
    system.apply(state, action_of(system, "SHIFT"))
    system.apply(state, action_of(system, "RIGHT-EDGE-Terminal"))
    assert (state.last[scene], state.last[ROOT]) == (2, 2)


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_tokens(name):
    system = build_system(name, LABELS)
    state = system.start(0)
    assert state.done
    assert system.bound(0) >= 0
    assert len(system.to_graph(state, [])) == 1


def test_interface(system):
    assert system.n_actions == len(system.actions) == len(set(system.actions))
    for i, (move, label) in enumerate(system.actions):
        assert system.action(move, system.label_ids.get(label, 0)) == i
    assert str(Action(Move.LEFT_EDGE, "P|A")) == "LEFT-EDGE-P|A"
    state = system.start(1)
    key = system.valid_key(state)
    assert isinstance(key, int)
    assert system.mask(key) is system.mask(key), "masks are kept"
    assert system.mask(key).shape == (system.n_actions,)


def test_labels_keep_their_order_unless_given_as_a_set():
    for name in SYSTEMS:
        listed = build_system(name, ["P", "A"]).labels
        assert [label for label in listed if label != "Terminal"] == ["P", "A"]
        assert build_system(name, {"P", "A"}).labels == build_system(name, {"A", "P"}).labels
        again = build_system(name, listed)
        assert again.actions == build_system(name, listed).actions and again.labels == listed


def test_linkage_only_with_labels_for_it():
    assert build_system("tupa", LABELS + LINK_LABELS).predicts_linkage
    assert not build_system("tupa", LABELS).predicts_linkage
    assert not build_system("tree", LABELS).predicts_linkage


def test_unknown_system():
    with pytest.raises(ValueError, match=r"UC301.*'arc-eager'.*tree, tupa"):
        build_system("arc-eager", LABELS)
