"""The `tupa` transition system: the TUPA papers' own set, which builds the whole graph.

Tokens, units, remote edges, implicit units and linkage units all come from transitions. The set is that
of "A Transition-Based DAG Parser for UCCA" (ACL 2017, Section 3 and supplement E) with IMPLICIT from
its draft; what is added here sees to it that no parse ends in a dead end.

Its oracle is static and deterministic, after that of the TUPA papers, which allows all of several orders where this one
settles for one.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy

from ..errors import Errors, OracleError
from ..graph import Graph, GraphBuilder
from ..graph import categories as ucca
from ..graph.categories import join_categories, split_label
from ..transition import ROOT, Move, Oracle, State, TransitionSystem, systems

# Longest chain of NODEs, one over the other before anything else is attached. Gold graphs stay below.
MAX_CHAIN = 15
# SWAPs, units, implicit and linkage units per token of the sentence, so that an untrained parser makes no endless graphs.
# The most in gold graphs of 5 tokens or more, in English, German and French: 2.4, 1.9, 1.0, 0.2.
MAX_SWAPS = 4
MORE_SWAPS = 40  # beside, for short sentences
MAX_UNITS = 3
MAX_IMPLICIT = 2
MAX_LINKAGE = 1

_SHIFT, _REDUCE, _SWAP, _FINISH, _IMPLICIT = (1 << i for i in range(5))
_LEFT, _RIGHT, _NODE = 5, 9, 13  # where the bits of what each may make begin:
_TERMINAL, _PRIMARY, _LINK, _REMOTE = (1 << i for i in range(4))
_PLAIN_BIT = {
    Move.SHIFT: _SHIFT,
    Move.REDUCE: _REDUCE,
    Move.SWAP: _SWAP,
    Move.FINISH: _FINISH,
    Move.IMPLICIT: _IMPLICIT,
    Move.LEFT_REMOTE: _REMOTE << _LEFT,
    Move.RIGHT_REMOTE: _REMOTE << _RIGHT,
}
_GROUP = {Move.NODE: _NODE, Move.LEFT_EDGE: _LEFT, Move.RIGHT_EDGE: _RIGHT}


def is_link(label: str) -> bool:
    """RETURNS (bool): Whether a label belongs to edges of linkage units."""
    return not {ucca.LINK_RELATION, ucca.LINK_ARGUMENT}.isdisjoint(split_label(label))


@systems("tupa")
class TupaSystem(TransitionSystem):
    """The root starts on the stack and stays at its bottom, the tokens, which are nodes, on the buffer.
    With s0, s1 the top items of the stack, b0 the buffer's. A unit is a node that is no token and not
    implicit; linkage units are no units here. X is Terminal if and only if the child is a token, and
    LR or LA if and only if the parent is a linkage unit.

    SHIFT
        Validity: the buffer is not empty.
        Effect: b0 moves to the stack.
    REDUCE
        Validity: s0 has a primary parent or is a linkage unit.
        Effect: s0 leaves the stack.
    NODE-X
        Validity: s0 is a token or unit without a primary parent, not the root; if it is a unit, it was
        not made by `MAX_CHAIN` NODEs in a row, and there are fewer than `MAX_UNITS` times as many units
        as tokens. With a linkage label: s0 is a unit or implicit, not the root; there are fewer than
        `MAX_LINKAGE` times as many linkage units as tokens.
        Effect: a new unit, put at the head of the buffer, becomes the parent of s0. With a linkage
        label it is a linkage unit, which is nobody's primary parent.
    IMPLICIT-X
        Validity: s0 is a unit; fewer than `MAX_IMPLICIT` times as many implicit units as tokens.
        Effect: a new implicit unit, put at the head of the buffer, becomes a child of s0.
    LEFT-EDGE-X, RIGHT-EDGE-X
        With s0 the parent and s1 the child for LEFT, the other way round for RIGHT.
        Validity: the parent is a unit, and not the root if the child is a token; the child has no
        primary parent, is not the root, and the parent is not below it. With a linkage label: the
        parent is a linkage unit, the child a unit or implicit, not the root, the edge is new.
        Effect: a primary edge, or one of linkage. The stack stays as it is.
    LEFT-REMOTE-X, RIGHT-REMOTE-X
        Validity: the parent is a unit; the child is a unit or implicit and has another primary
        parent; the parent is not below it; the edge is new.
        Effect: a remote edge. The stack stays as it is.
    SWAP
        Validity: s1 is not the root; the two were not swapped before without something built
        since; fewer than `MAX_SWAPS` times the number of tokens and `MORE_SWAPS` were made. It is also valid where
        the parse would be stuck otherwise: see below.
        Effect: s1 goes back to the buffer. For discontinuous units and for edges between nodes that
        are not neighbours.
    FINISH
        Validity: the buffer is empty, only the root is on the stack.
        Effect: the parse ends.

    There is no dead end. SHIFT is valid while the buffer has something. With an empty buffer and s0
    above the root: if s0 has a primary parent, REDUCE is valid; if it is a token without one, NODE is. If
    it is a unit without one, nothing but linkage leads to it, so RIGHT-EDGE from s1 is valid if s1 is a
    unit that is not below s0; else LEFT-EDGE if s1 is a token without a parent; else s1 has a primary
    parent or is a linkage unit: then SWAP is valid in any case, and where only for this reason, s1 can
    but be shifted and reduced (`state.leaving`). At FINISH every node but the root and linkage units
    was reduced, so it has a primary parent; edges make no cycle; so the root is above all of them.
    """

    name = "tupa"
    plain_moves = (Move.SHIFT, Move.REDUCE, Move.SWAP, Move.FINISH)
    labeled_moves = (
        Move.NODE,
        Move.IMPLICIT,
        Move.LEFT_EDGE,
        Move.RIGHT_EDGE,
        Move.LEFT_REMOTE,
        Move.RIGHT_REMOTE,
    )
    predicts_remote = True
    predicts_implicit = True
    predicts_linkage = True

    def __init__(self, labels: Iterable[str]) -> None:
        if isinstance(labels, set | frozenset):
            labels = sorted(labels)
        super().__init__([ucca.TERMINAL, *labels])
        self.predicts_linkage = any(is_link(label) for label in self.labels)
        self._bits = numpy.zeros(len(self.actions), dtype="int32")
        for i, (move, label) in enumerate(self.actions):
            if move in _PLAIN_BIT:
                self._bits[i] = _PLAIN_BIT[move]
            else:
                what = (
                    _TERMINAL if label == ucca.TERMINAL else _LINK if is_link(label) else _PRIMARY
                )
                self._bits[i] = what << _GROUP[move]

    def move_labels(self, move: Move) -> Iterable[str]:
        if move in _GROUP:
            return self.labels
        return [label for label in self.labels if label != ucca.TERMINAL and not is_link(label)]

    def start(self, n_tokens: int) -> State:
        state = State(n_tokens)
        state.stack.append(state.add_node(order=-1.0))
        for token in range(n_tokens):
            state.is_token[state.add_node(token, order=float(token))] = True
        state.buffer = list(range(n_tokens, 0, -1))
        state.done = n_tokens == 0
        return state

    def valid_key(self, state: State) -> int:
        stack, n = state.stack, state.n_tokens
        s0 = stack[-1]
        if state.leaving >= 0:
            return _REDUCE if s0 == state.leaving else _SHIFT
        key = _SHIFT if state.buffer else 0
        token, implicit, linkage = state.is_token[s0], state.implicit[s0], state.linkage[s0]
        if not (token or implicit or linkage) and state.n_implicit < MAX_IMPLICIT * n:
            key |= _IMPLICIT
        if len(stack) == 1:
            return key if state.buffer else key | _FINISH
        attached = state.parent[s0] >= 0 or linkage
        if attached:
            key |= _REDUCE
        elif token:
            key |= _TERMINAL << _NODE
        elif state.chain[s0] < MAX_CHAIN and state.n_units < MAX_UNITS * n:
            key |= _PRIMARY << _NODE
        if not (token or linkage) and state.n_linkage < MAX_LINKAGE * n:
            key |= _LINK << _NODE
        s1 = stack[-2]
        right = self._possible_edge(state, s1, s0)
        key |= right << _RIGHT | self._possible_edge(state, s0, s1) << _LEFT
        if s1 != ROOT:
            if self._may_swap(state):
                key |= _SWAP
            elif not (state.buffer or attached or token or right):
                if state.parent[s1] >= 0 or state.linkage[s1]:
                    key |= _SWAP
        return key

    def _possible_edge(self, state: State, parent: int, child: int) -> int:
        """RETURNS (int): The bit of the one kind of edge that may lead from a node to another."""
        if state.is_token[parent] or state.implicit[parent]:
            return 0
        if child == ROOT or state.linkage[child]:
            return 0
        if state.linkage[parent]:
            return 0 if state.is_token[child] or (parent, child) in state.pairs else _LINK
        if state.is_token[child]:
            return _TERMINAL if state.parent[child] < 0 and parent != ROOT else 0
        if state.parent[child] == parent or (parent, child) in state.pairs:
            return 0
        if self._is_above(state, child, parent):
            return 0
        return _PRIMARY if state.parent[child] < 0 else _REMOTE

    @staticmethod
    def _is_above(state: State, node: int, other: int) -> bool:
        """Whether edges lead from one unit down to another. A search that keeps a set
        of all nodes takes three times as long."""
        todo = [other]
        seen = set()  # of nodes where several ways may meet
        while todo:
            ancestor = todo.pop()
            while ancestor > ROOT and ancestor not in seen:
                if ancestor == node:
                    return True
                if ancestor in state.remote_parents:
                    seen.add(ancestor)
                    todo.extend(state.remote_parents[ancestor])
                ancestor = state.parent[ancestor]
        return False

    @staticmethod
    def _may_swap(state: State) -> bool:
        return state.swaps < MAX_SWAPS * state.n_tokens + MORE_SWAPS and state.can_exchange()

    def build_mask(self, key: int) -> numpy.ndarray:
        return (self._bits & key) != 0

    def apply(self, state: State, action: int) -> None:
        move, label = self.moves[action], self.action_labels[action]
        stack = state.stack
        if move == Move.SHIFT:
            stack.append(state.buffer.pop())
        elif move == Move.REDUCE:
            stack.pop()
            state.leaving = -1
        elif move == Move.SWAP:
            if not self._may_swap(state):
                state.leaving = stack[-2]
            state.exchange()
        elif move == Move.FINISH:
            state.done = True
        else:
            self._build(state, move, label)
            if state.exchanged:
                state.exchanged.clear()
        state.history.append(action)
        state.steps += 1

    def _build(self, state: State, move: int, label: int) -> None:
        s0 = state.stack[-1]
        if move == Move.NODE or move == Move.IMPLICIT:
            node = state.add_node(order=state.order[s0])
            state.buffer.append(node)
            if move == Move.IMPLICIT:
                state.implicit[node] = True
                state.n_implicit += 1
                self._attach(state, s0, node, label)
            elif is_link(self.label_names[label]):
                state.linkage[node] = True
                state.n_linkage += 1
                self._link(state, node, s0, label)
            else:
                state.chain[node] = state.chain[s0] + 1
                state.n_units += 1
                self._attach(state, node, s0, label)
            return
        parent, child = s0, state.stack[-2]
        if move == Move.RIGHT_EDGE or move == Move.RIGHT_REMOTE:
            parent, child = child, parent
        if move == Move.LEFT_REMOTE or move == Move.RIGHT_REMOTE:
            state.remotes.append((parent, child, label))
            state.pairs[parent, child] = state.steps
            state.remote_parents.setdefault(child, []).append(parent)
        elif state.linkage[parent]:
            self._link(state, parent, child, label)
        else:
            self._attach(state, parent, child, label)
            state.chain[parent] = 0

    def _link(self, state: State, parent: int, child: int, label: int) -> None:
        """Make an edge of a linkage unit: it covers what its children cover, but owns nothing."""
        state.links.append((parent, child, label))
        state.pairs[parent, child] = state.steps
        state.child_labels[parent] |= 1 << label
        if self.ranks[label] < state.rank[parent]:
            state.rank[parent], state.head[parent] = self.ranks[label], state.head[child]
        state.first[parent] = min(state.first[parent], state.first[child])
        state.last[parent] = max(state.last[parent], state.last[child])
        state.height[parent] = max(state.height[parent], state.height[child] + 1)

    def _attach(self, state: State, parent: int, child: int, label: int) -> None:
        """Make a primary edge, and tell the nodes above: a parent may have a parent already."""
        head = state.head[parent]
        state.attach(parent, child, label, self.ranks[label])
        while (above := state.parent[parent]) >= 0:
            below, parent = parent, above
            rank = self.ranks[state.label[below]]
            old = state.head[parent]
            if (rank, state.head[below]) < (state.rank[parent], old) or (
                rank == state.rank[parent] and old == head
            ):
                state.rank[parent], state.head[parent] = rank, state.head[below]
            head = old
            state.first[parent] = min(state.first[parent], state.first[below])
            state.last[parent] = max(state.last[parent], state.last[below])
            state.height[parent] = max(state.height[parent], state.height[below] + 1)

    def oracle(self, graph: Graph) -> "TupaOracle":
        return TupaOracle(self, graph)

    def bound(self, n_tokens: int) -> int:
        """Each kind of node is limited; tokens get one NODE each beyond that. Each node is shifted and
        reduced once, swapped at the end at most once, and shifted again after each SWAP. A pair on
        top of the stack gets at most one edge before it changes."""
        nodes = (2 + MAX_UNITS + MAX_IMPLICIT + MAX_LINKAGE) * n_tokens
        swaps = MAX_SWAPS * n_tokens + MORE_SWAPS + nodes
        tops = nodes + swaps + nodes + swaps  # SHIFT, REDUCE, SWAP
        return tops + tops + nodes + 2

    def add_to(self, builder: GraphBuilder, state: State, tokens: Sequence[int]) -> None:
        number = {ROOT: builder.add_unit()}
        stack = [ROOT]
        while stack:
            node = stack.pop()
            for child in sorted(state.children[node], key=state.first.__getitem__):
                if state.is_token[child]:
                    builder.add_terminal(number[node], tokens[state.terminals[child][0]])
                    continue
                label = self.label_names[state.label[child]]
                kind = ucca.PUNCT if label == ucca.PUNCTUATION else ucca.FOUNDATIONAL
                number[child] = builder.add_unit(ucca.IMPLICIT if state.implicit[child] else kind)
                edge = builder.add_edge(number[node], number[child], *split_label(label))
                builder.add_score(edge, state.scores.get(child))
                stack.append(child)
        remotes = ((edge, True) for edge in state.remotes)
        links = ((edge, False) for edge in state.links)
        for (parent, child, label_id), remote in (*remotes, *links):
            if parent not in number:
                number[parent] = builder.add_unit(ucca.LINKAGE)
            categories = split_label(self.label_names[label_id])
            edge = builder.add_edge(number[parent], number[child], *categories, remote=remote)
            builder.add_score(edge, state.pair_scores.get((parent, child)))


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
        self.implicit = [kind == ucca.IMPLICIT for kind in gold.kinds] + [False] * len(gold.words)
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
            if not unit.is_implicit and unit.kind != ucca.LINKAGE and not unit.tokens():
                if not unit.is_root or len(gold) > 1:
                    raise OracleError(Errors.UC308.format(unit=unit.index))
            if unit.is_implicit and unit.edges:
                raise OracleError(Errors.UC309.format(unit=unit.index))

    def _add(
        self, gold: Graph, parent: int, child: int, categories: tuple[str, ...], remote: bool
    ) -> None:
        link = gold.kinds[parent] == ucca.LINKAGE
        label = ucca.TERMINAL if child < 0 else join_categories(categories)
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
