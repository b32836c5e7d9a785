"""Executing oracles: does a transition system rebuild a gold graph, and in how many transitions?"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..errors import Errors, OracleError
from ..graph import Graph
from ..graph.categories import LINKAGE, join_categories
from ..transition import TransitionSystem
from .systems import build_system, system_class


class Rebuild(NamedTuple):
    """What executing the oracle on one graph gave."""

    graph: Graph | None
    n_transitions: int
    exact: bool
    reason: str
    actions: tuple[int, ...] = ()


def graph_labels(graph: Graph, *, linkage: bool = False) -> set[str]:
    """RETURNS (Set[str]): The joined labels of the edges between units, of linkage too if asked."""
    return {
        join_categories(e.categories)
        for e in graph.edge_tuples
        if e.child >= 0 and (linkage or graph.kinds[e.parent] != LINKAGE)
    }


def rebuild(graph: Graph, system: TransitionSystem | str) -> Rebuild:
    """Execute the oracle and compare what it builds with the gold graph.

    graph (Graph): The gold graph of one sentence.
    system (TransitionSystem): A system, or its name.
    RETURNS (Rebuild): The graph built, the number of transitions, whether it is exact, or why not, and
        the transitions.
    """
    if isinstance(system, str):
        system = build_system(system, graph_labels(graph, linkage=True))
    state = system.start(len(graph.words))
    bound = system.bound(len(graph.words))
    try:
        oracle = system.oracle(graph)
        while not state.done:
            action = oracle.next_action(state)
            if not system.valid(state)[action]:
                raise OracleError(Errors.UC306.format(action=system.actions[action]))
            if state.steps > bound:
                raise OracleError(Errors.UC307.format(bound=bound))
            system.apply(state, action)
    except OracleError as err:
        return Rebuild(None, state.steps, False, str(err), tuple(state.history))
    built = system.to_graph(state, graph.words, punct=graph.punct)
    exact = built.same_structure(system.target(graph))
    reason = "" if exact else Errors.UC321
    return Rebuild(built, state.steps, exact, reason, tuple(state.history))


def report(
    graphs: Iterable[Graph], system: TransitionSystem | str, *, track: Callable[..., Any] = iter
) -> dict[str, Any]:
    """Rebuild many graphs and count.

    graphs (Iterable[Graph]): Gold graphs of sentences. The id in a graph's details names it in the
        report; without one, its place among the graphs, from 1.
    system (TransitionSystem): A system, or its name: then its labels are those of the graphs.
    track (Callable[[List[Graph]], Iterable[Graph]]): Shows progress.
    RETURNS (Dict[str, Any]): `system`; `sentences`, `exact`, `exact_percent`; `tokens`, `transitions`,
        `transitions_per_token` of the exact ones; `labels` and `actions` the system has, `used_actions`
        the oracle took; `misses`, the ids of the others by reason.
    """
    graphs = list(graphs)
    if isinstance(system, str):
        linkage = system_class(system).predicts_linkage
        labels = set().union(*(graph_labels(graph, linkage=linkage) for graph in graphs))
        system = build_system(system, labels)
    exact = tokens = transitions = 0
    used: set[int] = set()
    misses: dict[str, list[str]] = {}
    for place, graph in enumerate(track(graphs), start=1):
        rebuilt = rebuild(graph, system)
        if rebuilt.exact:
            exact += 1
            tokens += len(graph.words)
            transitions += rebuilt.n_transitions
            used.update(rebuilt.actions)
        else:
            misses.setdefault(rebuilt.reason, []).append(str(graph.details.get("id", place)))
    return {
        "system": system.name,
        "sentences": len(graphs),
        "exact": exact,
        "exact_percent": 100 * exact / len(graphs) if graphs else 100.0,
        "tokens": tokens,
        "transitions": transitions,
        "transitions_per_token": transitions / tokens if tokens else 0.0,
        "labels": len(system.labels),
        "actions": system.n_actions,
        "used_actions": len(used),
        "misses": misses,
    }
