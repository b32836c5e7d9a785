"""Walks through transition systems, and what must hold at their end; for several test modules."""

import random
from collections.abc import Callable

from spacy_ucca.graph import IMPLICIT, LINKAGE, Graph
from spacy_ucca.transition import Move, State, TransitionSystem

LABELS = ("A", "C", "H", "P|A", "U")
LINK_LABELS = ("LA", "LR")

# Moves in the order in which a walk takes them if it can: the ways to make a parse long or strange.
POLICIES: dict[str, tuple[Move, ...]] = {
    "uniform": (),
    "swaps": (Move.SWAP,),
    "swaps and shifts": (Move.SWAP, Move.SHIFT),
    "nodes": (Move.NODE,),
    "nodes and shifts": (Move.NODE, Move.SHIFT),
    "implicit": (Move.IMPLICIT,),
    "remotes": (Move.LEFT_REMOTE, Move.RIGHT_REMOTE),
    "left": (Move.LEFT_EDGE, Move.LEFT_REMOTE),
    "right": (Move.RIGHT_EDGE, Move.RIGHT_REMOTE),
    "shift first": (Move.SHIFT,),
    "shift first, then swaps": (Move.SHIFT, Move.SWAP),
    "reduce last": (
        *(Move.SWAP, Move.NODE, Move.IMPLICIT, Move.LEFT_REMOTE, Move.RIGHT_REMOTE),
        *(Move.LEFT_EDGE, Move.RIGHT_EDGE, Move.SHIFT),
    ),
}


def walk(
    system: TransitionSystem, n_tokens: int, choose: Callable[[list[int]], int]
) -> tuple[State, Graph]:
    """Take valid actions until the end, and check what the system promises.

    choose (Callable): Picks one of the numbers of the valid actions.
    RETURNS (Tuple[State, Graph]): The end.
    """
    state = system.start(n_tokens)
    bound = system.bound(n_tokens)
    while not state.done:
        valid = system.valid(state).nonzero()[0].tolist()
        assert valid, f"dead end: {[str(system.actions[a]) for a in state.history]}"
        assert state.steps < bound, "longer than the bound"
        system.apply(state, choose(valid))
    graph = system.to_graph(state, [f"w{i}" for i in range(n_tokens)])
    check_well_formed(graph)
    return state, graph


def policy(system: TransitionSystem, seed: int, first: tuple[Move, ...]) -> Callable:
    """RETURNS (Callable): A `choose` that prefers moves in the order given, else takes any."""
    rng = random.Random(seed)
    moves = [action.move for action in system.actions]

    def choose(valid: list[int]) -> int:
        for move in first:
            preferred = [a for a in valid if moves[a] == move]
            if preferred and rng.random() < 0.97:
                return rng.choice(preferred)
        return rng.choice(valid)

    return choose


def check_well_formed(graph: Graph) -> None:
    """What `Graph` does not check itself: one root, all tokens under it, nothing empty or hollow."""
    assert len(graph.roots) == 1
    assert graph.root.tokens() == tuple(range(len(graph.words)))
    assert not graph.root.terminals
    for unit in graph.units:
        if unit.kind == LINKAGE:
            assert unit.edges and not unit.incoming and not unit.terminals
            assert {edge.label for edge in unit.edges} <= set(LINK_LABELS)
            continue
        assert not {edge.label for edge in unit.edges} & {*LINK_LABELS, "Terminal"}
        if unit.kind == IMPLICIT:
            assert not unit.edges and not unit.terminals
        elif not unit.is_root:
            assert unit.tokens()
        ends = [edge.child for edge in unit.edges]
        assert len(ends) == len(set(ends)), "two edges between the same units"


def names(system: TransitionSystem, state: State) -> list[str]:
    """RETURNS (List[str]): The actions that were taken."""
    return [str(system.actions[a]) for a in state.history]


def action_of(system: TransitionSystem, name: str) -> int:
    """RETURNS (int): The number of an action, by the name it is printed with."""
    return next(i for i, action in enumerate(system.actions) if str(action) == name)


__all__ = [
    *("LABELS", "LINK_LABELS", "POLICIES", "Action", "Move", "action_of"),
    *("check_well_formed", "names", "policy", "walk"),
]
