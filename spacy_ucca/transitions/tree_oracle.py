"""The oracle of the `tree` transition system: the gold tree, step by step.

It is static and deterministic: in a state reached by gold transitions, one transition is right.
"""

from ..errors import Errors, OracleError
from ..graph import Graph
from ..graph.categories import LINKAGE, join_categories, priority
from ..transition import ROOT, Move, Oracle, State, TransitionSystem


class TreeOracle(Oracle):
    """Gold actions of the `tree` system.

    NODE makes a unit from its head child (the child with the highest-priority label, leftmost on ties),
    the other children are attached to it. SWAP is lazy: only when all that s0 still misses waits
    deeper in the stack.

    system (TransitionSystem): The `tree` system; its labels include those of the graph.
    graph (Graph): The gold graph of one sentence. Remote edges, implicit units and linkage are not
        looked at.
    RAISES (OracleError): If the graph has an unknown label or a token attached to nothing.
    """

    def __init__(self, system: TransitionSystem, graph: Graph) -> None:
        self.system = system
        if len(graph.roots) != 1:
            raise OracleError(Errors.UC302.format(n=len(graph.roots)))
        n = len(graph)
        self.root = graph.root.index
        self.parent = [-1] * n
        self.label = [0] * n
        self.missing = [0] * n  # tokens and children a unit still waits for
        self.head_child = [-1] * n
        self.token_unit = [-1] * len(graph.words)
        ranks: list[tuple[int, int]] = [(len(graph.words), 0)] * n
        for edge in graph.edge_tuples:
            if edge.remote or graph.kinds[edge.parent] == LINKAGE:
                continue
            if edge.child >= 0 and not graph.index.masks[edge.child]:
                continue  # nothing but implicit units
            self.missing[edge.parent] += 1
            if edge.child < 0:
                self.token_unit[~edge.child] = edge.parent
                continue
            label = join_categories(edge.categories)
            if label not in system.label_ids:
                raise OracleError(Errors.UC303.format(label=label))
            self.parent[edge.child] = edge.parent
            self.label[edge.child] = system.label_ids[label]
            rank = (priority(edge.categories), graph[edge.child]._position[0])
            if self.head_child[edge.parent] < 0 or rank < ranks[edge.parent]:
                self.head_child[edge.parent], ranks[edge.parent] = edge.child, rank
        if -1 in self.token_unit:
            token = self.token_unit.index(-1)
            raise OracleError(Errors.UC304.format(token=token, word=graph.words[token]))
        if self.root in self.token_unit:
            token = self.token_unit.index(self.root)
            raise OracleError(Errors.UC305.format(token=token, word=graph.words[token]))
        self.has_terminals = set(self.token_unit)
        self.made = [False] * n  # is there a node for the unit, on the stack or buffer?
        self.made[self.root] = True
        self.unit = {ROOT: self.root}  # node of the state -> gold unit

    def next_action(self, state: State) -> int:
        """The gold action in a state reached by gold actions; the oracle follows it.

        state (State): The state.
        RETURNS (int): The number of the action. The caller applies it.
        """
        system, stack, unit = self.system, state.stack, self.unit
        if len(stack) > 1:
            node0, node1 = stack[-1], stack[-2]
            s0, s1 = unit[node0], unit[node1]
            if s0 == s1:
                self._found(s0)
                return system.action(Move.MERGE)
            if self.parent[s0] == s1 and not self.missing[s0]:
                self._found(s1)
                return system.action(Move.RIGHT_EDGE, self.label[s0])
            if self.parent[s1] == s0 and not self.missing[s1]:
                self._found(s0)
                return system.action(Move.LEFT_EDGE, self.label[s1])
            parent = self.parent[s0]
            if not self.missing[s0] and self.head_child[parent] == s0 and not self.made[parent]:
                if parent not in self.has_terminals:
                    self.made[parent] = True
                    self._found(parent)
                    unit[len(state.parent)] = parent
                    return system.action(Move.NODE, self.label[s0])
            if self._waits_below(state, s0) or not state.buffer:
                return system.action(Move.SWAP)
        item = state.buffer[-1]
        if item < 0:
            gold = self.token_unit[~item]
            unit[len(state.parent)] = gold
            if not self.made[gold]:
                self.made[gold] = True
                self._found(gold)
        return system.action(Move.SHIFT)

    def _found(self, gold: int) -> None:
        self.missing[gold] -= 1

    def _waits_below(self, state: State, s0: int) -> bool:
        """Whether the only things s0 still misses are deeper in the stack."""
        below = [self.unit[node] for node in state.stack[-3::-1]]
        if not self.missing[s0]:
            return self.parent[s0] in below
        if s0 in below:  # a second token of the same unit
            return True
        ready = sum(self.parent[u] == s0 and not self.missing[u] for u in below)
        return ready == self.missing[s0]
