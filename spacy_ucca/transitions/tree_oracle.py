"""The oracles of the `tree` transition system: the gold tree, step by step.

`TreeOracle` is static and deterministic: in a state reached by gold transitions, one transition is right.
`TreeDynamicOracle` says what is best in any state, also after mistakes, and what each action costs. Where no mistake was
made it says what the static oracle says.

What counts for it is what the metric counts: the edge to a unit is the set of its tokens and a label. What can
still be reached depends, then, on the tokens of the items (units on the stack and what is on the buffer)
alone, as SWAP can bring any two together:

- A gold unit is *alive* until its edge is made, or until it is lost: some item has tokens of it beside
  others, or all of its tokens and others.
- The *next unit* of an item is the smallest alive one with all tokens of the item.
- An item with all tokens of its next unit is *exact*: it waits for an edge, with the label of that unit.
  Else it is to grow to its next unit, as the *owner* of that unit; a second one is left without an
  edge of its own in the gold tree, and so is any below the root.
"""

from collections.abc import Sequence
from typing import Any

import numpy

from ..errors import Errors, OracleError
from ..graph import Graph
from ..graph.categories import LINKAGE, join_categories, priority
from ..transition import ROOT, DynamicOracle, Move, Oracle, State, TransitionSystem

# Kinds of items: a token by itself, which MERGE can put under another item with tokens of its own.
_OTHER, _WITH_TOKENS, _TOKEN = range(3)


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


class TreeDynamicOracle(DynamicOracle):
    """The costs and the best actions in the states of one parse, which it follows from its start.

    Costs are exact, as an exhaustive search shows, where no two gold units have the same tokens and no
    limit binds: `max_chain`, `max_swaps`, and that two items are swapped once only before something is
    built. Of units over the same tokens, making the edge of an outer one first is taken to lose the inner
    ones, so that costs are estimates then. A parse without mistakes costs nothing in any case.

    system (TreeSystem): The `tree` system; its labels include those of the graph.
    graph (Graph): The gold graph of one sentence. What `TreeOracle` does not look at is not here either.
    RAISES (OracleError): If the graph has an unknown label or a token attached to nothing.
    """

    def __init__(self, system: Any, graph: Graph) -> None:
        gold = TreeOracle(system, graph)
        self.system = system
        self.root, self.token_unit = gold.root, gold.token_unit
        self.parent, self.label, self.head_child = gold.parent, gold.label, gold.head_child
        self.masks = [
            mask << start if mask else 0
            for mask, start in zip(graph.index.masks, graph.index.starts)
        ]
        every = (1 << len(graph.words)) - 1
        self.masks[self.root] = 2 * every + 1  # more than any unit below it has
        self.alive = [True] * len(self.masks)
        self.tokens = [0] * len(self.masks)  # to be right under the unit, beside others
        for token, unit in enumerate(self.token_unit):
            if self.masks[unit] != 1 << token:
                self.tokens[unit] |= 1 << token
        self.waiting = every  # tokens on the buffer
        self.yields = {ROOT: self.masks[self.root]}  # node of the state -> its tokens
        self.nexts = {ROOT: self.root}  # node -> its next unit, or one below that is alive no more
        self.by_move = {
            move: [i for i, other in enumerate(system.moves) if other == move] for move in Move
        }

    def next_unit(self, node: int) -> int:
        """RETURNS (int): The smallest unit alive with all tokens of an item."""
        unit = self.nexts[node]
        if not self.alive[unit]:
            unit = self.nexts[node] = self._above(unit)
        return unit

    def _above(self, unit: int) -> int:
        unit = self.parent[unit]
        while not self.alive[unit]:
            unit = self.parent[unit]
        return unit

    def _is_exact(self, node: int, unit: int) -> bool:
        return self.masks[unit] == self.yields[node] and unit != self.root

    # Following the parse

    def follow(self, state: State, action: int) -> None:
        """Take note of an action.

        state (State): The state before the action.
        action (int): A valid action. The caller applies it afterwards.
        """
        move, label = self.system.moves[action], self.system.action_labels[action]
        stack = state.stack
        if move == Move.SHIFT:
            node = state.buffer[-1]
            if node < 0:
                token, node = ~node, len(state.parent)
                self.yields[node], self.nexts[node] = 1 << token, self.token_unit[token]
            self.waiting &= ~self.yields[node]
        elif move == Move.SWAP:
            self.waiting |= self.yields[stack[-2]]
        elif move == Move.NODE:
            node = len(state.parent)
            self._make_edge(stack[-1], label)
            self.yields[node], self.nexts[node] = self.yields[stack[-1]], self.nexts[stack[-1]]
        elif move == Move.LEFT_EDGE:
            self._make_edge(stack[-2], label)
            self._join(stack[-1], stack[-2])
        else:
            if move == Move.RIGHT_EDGE:
                self._make_edge(stack[-1], label)
            self._join(stack[-2], stack[-1])

    def _make_edge(self, node: int, label: int) -> None:
        lost, made = self._find_label(node, label)
        if made >= 0:
            for unit in lost:
                self._lose(unit)
            self.alive[made] = False

    def _join(self, parent: int, child: int) -> None:
        tokens = self.yields[parent] | self.yields[child]
        for node in (parent, child):
            lost, self.nexts[node] = self._find_crossed(node, tokens)
            for unit in lost:
                self._lose(unit)
        self.yields[parent] = tokens

    def _lose(self, unit: int) -> None:
        self.alive[unit] = False
        if self.tokens[unit]:
            self.tokens[self._above(unit)] |= self.tokens[unit]

    def _find_label(self, node: int, label: int) -> tuple[list[int], int]:
        """Which edge would be made. RETURNS (Tuple[List[int], int]): Of the units alive with exactly the
        tokens of an item, from the innermost, those before the first one with the label, and that
        one; nothing and -1 if there is none."""
        unit = self.next_unit(node)
        lost: list[int] = []
        while self._is_exact(node, unit):
            if self.label[unit] == label:
                return lost, unit
            lost.append(unit)
            unit = self._above(unit)
        return [], -1

    def _find_crossed(self, node: int, tokens: int) -> tuple[list[int], int]:
        """What would be lost by more tokens. RETURNS (Tuple[List[int], int]): The units alive above an
        item that do not have all of some tokens, and the smallest one that has."""
        unit, lost = self.next_unit(node), []
        while self.masks[unit] & tokens != tokens:
            lost.append(unit)
            unit = self._above(unit)
        return lost, unit

    # What each action costs

    def costs(self, state: State) -> numpy.ndarray:
        """By how much each action makes the best tree that can still be reached worse: gold edges that it
        has not, and edges that it has and the gold tree has not.

        state (State): A state that is not done.
        RETURNS (ndarray[float]): (n_actions,); infinite for actions that are not valid.
        """
        system, stack = self.system, state.stack
        valid = system.valid(state)
        costs = numpy.where(valid, 0.0, numpy.inf)
        if len(stack) == 1:
            return costs
        s0, s1 = stack[-1], stack[-2]
        items = self._items(state)
        now = self._count_spare(items, ())
        for action in self.by_move[Move.NODE]:
            if valid[action]:
                lost, made = self._find_label(s0, system.action_labels[action])
                item = items[0][0], self.next_unit(s0) if made < 0 else self._above(made), _OTHER
                spare = self._count_spare([item, *items[1:]], lost)
                costs[action] = len(lost) + (made < 0) + spare - now
        for move, child, parent in (
            (Move.RIGHT_EDGE, s0, s1),
            (Move.LEFT_EDGE, s1, s0),
            (Move.MERGE, s0, s1),
        ):
            actions = self.by_move[move]
            if not valid[actions[0]]:
                continue
            tokens = self.yields[child] | self.yields[parent]
            below = self._find_crossed(child, tokens)[0]
            beside, unit = self._find_crossed(parent, tokens)
            after = items[2:] if s1 != ROOT else items[1:]
            if parent != ROOT:
                after.append((tokens, unit, _WITH_TOKENS if state.terminals[parent] else _OTHER))
            lost = [*below, *beside]
            costs[actions] = len(lost) + self._count_spare(after, lost) - now
            if move != Move.MERGE:
                for action in actions:
                    _, made = self._find_label(child, system.action_labels[action])
                    costs[action] += 1 if made < 0 else -1
        return costs

    def _items(self, state: State) -> list[tuple[int, int, int]]:
        """RETURNS (List[Tuple[int, int, int]]): Tokens, next unit and kind of all items but the root, s0
        first."""
        items = []
        for node in [*state.stack[:0:-1], *state.buffer]:
            if node < 0:
                unit = self.token_unit[~node]
                items.append((1 << ~node, unit if self.alive[unit] else self._above(unit), _TOKEN))
                continue
            kind = _WITH_TOKENS if state.terminals[node] else _OTHER
            if self._is_token(state, node):
                kind = _TOKEN
            items.append((self.yields[node], self.next_unit(node), kind))
        return items

    def _is_token(self, state: State, node: int) -> bool:
        return len(state.terminals[node]) == 1 and not state.children[node]

    def _count_spare(self, items: Sequence[tuple[int, int, int]], lost: Sequence[int]) -> int:
        """RETURNS (int): How many items the gold tree has no edge for: of those that are to grow to the
        same unit, all but one, and all below the root; without tokens that MERGE can take."""
        kinds: dict[int, list[int]] = {}
        for yielded, unit, kind in items:
            while unit in lost or not self.alive[unit]:
                unit = self.parent[unit]
            if self.masks[unit] != yielded:
                kinds.setdefault(unit, [0, 0, 0])[kind] += 1
        return sum(
            others + max(with_tokens, min(tokens, 1)) - (unit != self.root)
            for unit, (others, with_tokens, tokens) in kinds.items()
        )

    # What is best

    def best(self, state: State) -> list[int]:
        """The best actions of a state, which cost nothing unless a limit binds. Of several ways to the same tree it
        is that of `TreeOracle`: units are made from their head child, and edges as soon as can be.

        state (State): A state that is not done.
        RETURNS (List[int]): One action, or several that are equally good.
        """
        system, stack = self.system, state.stack
        if len(stack) == 1:
            return [system.action(Move.SHIFT)]
        s0, s1 = stack[-1], stack[-2]
        valid = system.valid(state)
        swap = system.action(Move.SWAP)
        unit0, unit1 = self.next_unit(s0), self.next_unit(s1)
        exact0, exact1 = self._is_exact(s0, unit0), self._is_exact(s1, unit1)
        if exact0:
            above0 = self._above(unit0)
            last = self.masks[above0] != self.masks[unit0]
            if last and not exact1 and unit1 == above0 and not self._is_apart(state, unit1, s1):
                return [system.action(Move.RIGHT_EDGE, self.label[unit0])]
            if above0 != self.root and state.chain[s0] < system.max_chain:
                if not last or self._wants_parent(state, unit0, above0):
                    return [system.action(Move.NODE, self.label[unit0])]
            waits = above0 == self.root or self._is_owned(state.stack[-3:0:-1], above0)
        elif (
            exact1
            and self._above(unit1) == unit0 != self.root
            and not self._is_apart(state, unit0, s0)
        ):
            return [system.action(Move.LEFT_EDGE, self.label[unit1])]
        elif unit0 == unit1 and not exact1:  # both are to grow to the same unit
            merge = system.action(Move.MERGE)
            if valid[merge] and not self._is_apart(state, unit1, s1):
                return [merge]
            if state.terminals[s0] and self._is_token(state, s1) and valid[swap]:
                return [swap]  # then MERGE will do
            costs = self.costs(state)
            edges = [*self.by_move[Move.RIGHT_EDGE], *self.by_move[Move.LEFT_EDGE]]
            spare = [action for action in edges if costs[action] == 0]
            if spare:
                return spare  # one of the two is too many, whatever is done
            waits = False  # MERGE will take one of them, later
        else:
            waits = not self.masks[unit0] & self.waiting or self._is_owned(
                state.stack[-3:0:-1], unit0
            )
            waits = waits or unit0 == self.root
        if valid[swap] and (waits or not state.buffer):
            return [swap]  # what s0 misses is deeper in the stack
        if state.buffer:
            return [system.action(Move.SHIFT)]
        costs = self.costs(state)
        return numpy.nonzero(costs == costs.min())[0].tolist()

    def _is_apart(self, state: State, unit: int, item: int) -> bool:
        """Whether s0 or s1 is a token that is to be merged with another item first: deeper in the stack, or moved to
        the buffer."""
        if not self._is_token(state, item):
            return False
        others = [*state.stack[-3:0:-1], *(node for node in state.buffer if node >= 0)]
        return any(state.terminals[node] and self._is_owned([node], unit) for node in others)

    def _wants_parent(self, state: State, unit: int, parent: int) -> bool:
        """Whether a unit is the one to make its parent from."""
        head = self.head_child[parent]
        if head != unit and self.alive[head] and self.masks[head] & self.waiting:
            return False  # the head is still to come
        if self.tokens[parent] & self.waiting or self._is_owned(state.stack[-2:0:-1], parent):
            return False
        swapped = []
        for node in reversed(state.buffer):
            if node < 0:
                break
            swapped.append(node)
        return not self._is_owned(swapped, parent)

    def _is_owned(self, nodes: Sequence[int], unit: int) -> bool:
        return any(
            self.next_unit(node) == unit and self.yields[node] != self.masks[unit] for node in nodes
        )
