"""The oracle of the `tupa` transition system: what builds the whole gold graph, step by step.

It is static and deterministic, after the oracle of the TUPA papers, which allows all of several orders
where this one settles for one.
"""

from typing import NamedTuple

from ..errors import Errors, OracleError
from ..graph import Graph
from ..graph.categories import IMPLICIT, LINKAGE, TERMINAL, join_categories
from ..transition import ROOT, Move, Oracle, State, TransitionSystem
from .tupa import is_link


class _Pending(NamedTuple):
    """A gold edge that is still to be made, between nodes of the gold graph."""

    parent: int
    child: int
    label: int
    remote: bool
    link: bool


class TupaOracle(Oracle):
    """Gold actions of the `tupa` system.

    What can be built is built at once: the implicit children of s0, its linkage unit and its parent (from
    the first child that gets to the top of the stack; a linkage unit from its relation), an edge
    between s0 and s1. A node is reduced when all its edges are there. SWAP is lazy: only when all that
    s0 still has to be connected to is deeper in the stack.

    system (TransitionSystem): The `tupa` system; its labels include those of the graph.
    graph (Graph): The gold graph of one sentence. Linkage is left out if the system has no labels for it.
    RAISES (OracleError): If the graph has no single root, an unknown label, a token attached to nothing or
        to the root, a unit over nothing but implicit and remote ones, or two edges between the same units.
    """

    def __init__(self, system: TransitionSystem, graph: Graph) -> None:
        self.system = system
        gold = system.target(graph)
        if len(gold.roots) != 1:
            raise OracleError(Errors.UC302.format(n=len(gold.roots)))
        n_units = len(gold)
        self.root = gold.root.index
        self.gold: dict[int, int] = {ROOT: self.root}  # node of the state -> gold node
        self.node: list[int] = [-1] * (n_units + len(gold.words))  # and back
        self.node[self.root] = ROOT
        for token in range(len(gold.words)):  # gold nodes: the units, then the tokens
            self.gold[token + 1] = n_units + token
            self.node[n_units + token] = token + 1
        self.pending: list[dict[int, _Pending]] = [{} for _ in self.node]
        self.implicit = [kind == IMPLICIT for kind in gold.kinds] + [False] * len(gold.words)
        self.maker = [-1] * n_units  # the child that makes a linkage unit
        self.attached = [False] * len(self.node)
        self._check(gold)
        for edge in gold.edge_tuples:
            self._add(gold, edge.parent, edge.child, edge.categories, edge.remote)

    def _check(self, gold: Graph) -> None:
        for token, word in enumerate(gold.words):
            unit = gold.unit_of(token)
            if unit is None:
                raise OracleError(Errors.UC304.format(token=token, word=word))
            if unit.is_root:
                raise OracleError(Errors.UC305.format(token=token, word=word))
        for unit in gold:
            if not unit.is_implicit and unit.kind != LINKAGE and not unit.tokens():
                if not unit.is_root or len(gold) > 1:
                    raise OracleError(Errors.UC308.format(unit=unit.index))
            if unit.is_implicit and unit.edges:
                raise OracleError(Errors.UC309.format(unit=unit.index))

    def _add(
        self, gold: Graph, parent: int, child: int, categories: tuple[str, ...], remote: bool
    ) -> None:
        link = gold.kinds[parent] == LINKAGE
        label = TERMINAL if child < 0 else join_categories(categories)
        if label not in self.system.label_ids or is_link(label) != link:
            raise OracleError(Errors.UC303.format(label=label))
        child = len(gold) + ~child if child < 0 else child
        if child in self.pending[parent]:
            raise OracleError(Errors.UC320.format(parent=parent, child=child))
        edge = _Pending(parent, child, self.system.label_ids[label], remote, link)
        self.pending[parent][child] = self.pending[child][parent] = edge
        maker = self.maker[parent]
        if link and (maker < 0 or self._rank(self.pending[parent][maker]) > self._rank(edge)):
            self.maker[parent] = child

    def _rank(self, edge: _Pending) -> tuple[int, int]:
        return self.system.ranks[edge.label], edge.child

    def next_action(self, state: State) -> int:
        """The gold action in a state reached by gold actions; the oracle follows it.

        state (State): The state.
        RETURNS (int): The number of the action. The caller applies it.
        """
        system, stack = self.system, state.stack
        s0 = self.gold[stack[-1]]
        pending = self.pending[s0]
        made = self._make_node(state, s0)
        if made >= 0:
            return made
        if len(stack) > 1:
            if not pending:
                return system.action(Move.REDUCE)
            s1 = self.gold[stack[-2]]
            edge = pending.get(s1)
            if edge is not None and self._feasible(edge):
                self._built(edge)
                if edge.parent == s0:
                    move = Move.LEFT_REMOTE if edge.remote else Move.LEFT_EDGE
                else:
                    move = Move.RIGHT_REMOTE if edge.remote else Move.RIGHT_EDGE
                return system.action(move, edge.label)
            if not state.buffer or self._waits_below(state, s0):
                return system.action(Move.SWAP)
        return system.action(Move.SHIFT if state.buffer else Move.FINISH)

    def _make_node(self, state: State, s0: int) -> int:
        """RETURNS (int): The action that makes a neighbour of s0, or -1."""
        chosen = None
        for other, edge in self.pending[s0].items():
            if self.node[other] >= 0 or edge.remote:
                continue
            if edge.parent == s0:
                if self.implicit[other] and not edge.link:
                    return self._new(state, other, edge, Move.IMPLICIT)
            elif not edge.link or self.maker[other] == s0:
                # the parent last, so that it comes before all else that waits on the buffer
                if chosen is None or chosen.link:
                    chosen = edge
        return -1 if chosen is None else self._new(state, chosen.parent, chosen, Move.NODE)

    def _new(self, state: State, gold: int, edge: _Pending, move: Move) -> int:
        node = len(state.parent)
        self.gold[node], self.node[gold] = gold, node
        self._built(edge)
        return self.system.action(move, edge.label)

    def _built(self, edge: _Pending) -> None:
        del self.pending[edge.parent][edge.child], self.pending[edge.child][edge.parent]
        if not edge.remote and not edge.link:
            self.attached[edge.child] = True

    def _feasible(self, edge: _Pending) -> bool:
        return not edge.remote or self.attached[edge.child]

    def _waits_below(self, state: State, s0: int) -> bool:
        """Whether all that s0 still has to be connected to, and can be by now, is in the stack."""
        edges = [edge for edge in self.pending[s0].values() if self._feasible(edge)]
        return bool(edges) and all(self._in_stack(state, e.parent + e.child - s0) for e in edges)

    def _in_stack(self, state: State, gold: int) -> bool:
        return self.node[gold] >= 0 and self.node[gold] in state.stack
