"""What runs for every state of a parse: State, the dependency tree beside it, the steps of the `tree` system.

One source runs in two ways: as plain Python, and compiled by Cython with the C types of `state.pxd`. Results are the
same to the last bit. Integers in plain lists keep both fast.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.graph.categories import HEAD_PRIORITY, TERMINAL
from spacy_ucca.native.columns import ROOT

NO_LABEL = 0
TERMINAL_RANK = HEAD_PRIORITY.index(TERMINAL)
NO_RANK = len(HEAD_PRIORITY) + 1


class State:
    """A configuration: stack, buffer and the graph built so far.

    Nodes are numbered as they are made; 0 is the root. A buffer item below zero is `~token`, not yet a
    node. All lists below `# per node` have one entry per node.

    n_tokens (int): The number of tokens of the sentence.
    """

    __slots__ = tuple(
        """buffer chain child_labels children done exchanged first head height history implicit is_token
        label last leaving linkage links log_probs n_implicit n_linkage n_tokens n_units order pair_scores
        pairs parent rank remote_parents remotes scores stack steps swaps terminals when""".split()
    )

    def __init__(self, n_tokens: int) -> None:
        self.n_tokens = n_tokens
        self.stack: list[int] = []
        self.buffer: list[int] = []  # reversed: the next item is the last
        self.history: list[int] = []  # actions taken, latest last
        self.remotes: list[tuple[int, int, int]] = []  # parent, child, label
        self.links: list[tuple[int, int, int]] = []  # the same for edges of linkage units
        self.pairs: dict[tuple[int, int], int] = {}  # of remotes and links: the step that made them
        self.remote_parents: dict[int, list[int]] = {}  # of nodes that have some
        self.exchanged: set[tuple[int, int]] = set()  # swapped since something was last built
        self.n_units = 0  # made by NODE, linkage left out
        self.n_implicit = 0
        self.n_linkage = 0
        self.leaving = -1  # a node that may only be reduced (`tupa`)
        self.steps = 0
        self.swaps = 0
        self.done = False
        # Probabilities by the model: of each step, of primary edges, of remotes and links.
        self.log_probs: Any = None
        self.scores: dict[int, float] = {}
        self.pair_scores: dict[tuple[int, int], float] = {}
        # per node
        self.parent: list[int] = []
        self.label: list[int] = []
        self.children: list[list[int]] = []
        self.child_labels: list[int] = []  # bit set of the labels of the children
        self.terminals: list[list[int]] = []
        self.head: list[int] = []  # head terminal, -1 if there is none
        self.rank: list[int] = []  # priority of the edge the head comes through
        self.first: list[int] = []  # first and last token of the yield
        self.last: list[int] = []
        self.height: list[int] = []
        self.order: list[float] = []  # where the node, or its first child, stands in the text
        self.chain: list[int] = []  # how many unary NODEs made the node
        self.implicit: list[bool] = []
        self.is_token: list[bool] = []  # only where tokens are nodes of their own
        self.linkage: list[bool] = []
        self.when: list[int] = []  # the step that made the primary edge to the node, -1 for none

    def add_node(self, token: int = -1, order: float = 0.0) -> int:
        """Make a node, over a token if one is given. RETURNS (int): Its number."""
        self.parent.append(-1)
        self.label.append(NO_LABEL)
        self.children.append([])
        self.child_labels.append(0)
        self.terminals.append([token] if token >= 0 else [])
        self.head.append(token)
        self.rank.append(TERMINAL_RANK if token >= 0 else NO_RANK)
        self.first.append(token if token >= 0 else self.n_tokens)
        self.last.append(token)
        self.height.append(0)
        self.order.append(order)
        self.chain.append(0)
        self.implicit.append(False)
        self.is_token.append(False)
        self.linkage.append(False)
        self.when.append(-1)
        return len(self.parent) - 1

    def copy(self) -> "State":
        """RETURNS (State): Another one, which can go another way from here. Only nodes that may still change are
        copied with what is below them: those on stack and buffer."""
        other = State(self.n_tokens)
        for name in State.__slots__:
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, (list, dict, set)) else value)
        other.remote_parents = {child: own[:] for child, own in self.remote_parents.items()}
        for nodes in (self.stack, self.buffer):
            for node in nodes:
                if node >= 0:
                    other.children[node] = self.children[node][:]
                    other.terminals[node] = self.terminals[node][:]
        return other

    def can_exchange(self) -> bool:
        """RETURNS (bool): Whether the two top items were not swapped since something was last built, so
        that swapping them may lead to something new."""
        s0, s1 = self.stack[-1], self.stack[-2]
        return ((s0, s1) if s0 < s1 else (s1, s0)) not in self.exchanged

    def exchange(self) -> None:
        """Put the second item of the stack back on the buffer. What builds clears `exchanged`."""
        s0, s1 = self.stack[-1], self.stack.pop(-2)
        self.buffer.append(s1)
        self.exchanged.add((s0, s1) if s0 < s1 else (s1, s0))
        self.swaps += 1

    def add_token(self, node: int, token: int) -> None:
        """Put one more token under a node."""
        self.terminals[node].append(token)
        if self.rank[node] > TERMINAL_RANK or (
            self.rank[node] == TERMINAL_RANK and token < self.head[node]
        ):
            self.rank[node], self.head[node] = TERMINAL_RANK, token
        self.first[node] = min(self.first[node], token)
        self.last[node] = max(self.last[node], token)

    def attach(self, parent: int, child: int, label: int, rank: int) -> None:
        """Make a primary edge.

        parent (int): Node.
        child (int): Node without a parent.
        label (int): Number of the label.
        rank (int): Head priority of the label.
        """
        self.parent[child] = parent
        self.label[child] = label
        self.when[child] = self.steps
        self.children[parent].append(child)
        self.child_labels[parent] |= 1 << label
        head, best = self.head[child], self.rank[parent]
        if head >= 0 and (rank < best or (rank == best and head < self.head[parent])):
            self.rank[parent], self.head[parent] = rank, head
        first, last, height = self.first[child], self.last[child], self.height[child] + 1
        if first < self.first[parent]:
            self.first[parent] = first
        if last > self.last[parent]:
            self.last[parent] = last
        if height > self.height[parent]:
            self.height[parent] = height


class Syntax:
    """The dependency tree of a sentence, as far as features need it.

    heads (Sequence[int]): For each token, its head in the sentence; itself for a root; -1 if unknown.
    deps (Sequence[int]): For each token, a small number for its dependency label; 0 if unknown.
    """

    __slots__ = ("deps", "heads", "left", "right")

    def __init__(self, heads: Sequence[int], deps: Sequence[int]) -> None:
        self.heads = list(heads)
        self.deps = list(deps)
        n = len(self.heads)
        self.left = list(range(n))  # edges of each token's subtree
        self.right = list(range(n))
        for i in range(n):
            seen, j = 0, self.heads[i]
            while j >= 0 and seen < n:
                if self.left[j] > i:
                    self.left[j] = i
                if self.right[j] < i:
                    self.right[j] = i
                if self.heads[j] == j:
                    break
                j, seen = self.heads[j], seen + 1

    def relation(self, i: int, j: int) -> int:
        """RETURNS (int): How two tokens are connected: 0 if they are not, 1 for the same token or the
        same head, else which depends on which, by what label."""
        if i < 0 or j < 0:
            return 0
        if i == j:
            return 1
        if self.heads[i] == j:
            return 2 + 2 * self.deps[i]
        if self.heads[j] == i:
            return 3 + 2 * self.deps[j]
        return 1 if self.heads[i] == self.heads[j] >= 0 else 0


# The types of transitions of the `tree` system, and what is valid as bits of a key.
_SHIFT, _MERGE, _NODE, _LEFT, _RIGHT, _SWAP = 0, 2, 3, 4, 5, 6  # as `transition.Move` has them


def tree_key(state: State, max_chain: int, max_swaps: int) -> int:
    """What may be done in a state of the `tree` system; see `TreeSystem`.

    state (State): A state that is not done.
    max_chain (int): The longest chain of NODEs.
    max_swaps (int): The number of SWAPs for each token.
    RETURNS (int): The valid types of transitions: the bit `1 << move` for each.
    """
    stack = state.stack
    size = len(stack)
    key = 1 << _SHIFT if state.buffer else 0
    if size < 2:
        return key
    s0, s1 = stack[size - 1], stack[size - 2]
    key |= 1 << _RIGHT
    if state.chain[s0] < max_chain:
        key |= 1 << _NODE
    if s1 != ROOT:
        key |= 1 << _LEFT
        if state.swaps < max_swaps * state.n_tokens and state.can_exchange():
            key |= 1 << _SWAP
        if state.terminals[s1] and len(state.terminals[s0]) == 1 and not state.children[s0]:
            key |= 1 << _MERGE
    return key


def tree_apply(state: State, action: int, move: int, label: int, rank: int) -> None:
    """Change a state of the `tree` system; see `TreeSystem`.

    state (State): The state, changed in place.
    action (int): The number of a valid action, for the history.
    move (int): Its type.
    label (int): The number of its label.
    rank (int): The head priority of the label.
    """
    stack = state.stack
    if move == _SHIFT:
        item = state.buffer.pop()
        stack.append(state.add_node(~item, ~item) if item < 0 else item)
    elif move == _NODE:
        s0 = stack[-1]
        node = state.add_node(-1, state.order[s0])
        stack[-1] = node
        state.chain[node] = state.chain[s0] + 1
        state.attach(node, s0, label, rank)
    elif move == _LEFT:
        s1 = stack.pop(-2)
        s0 = stack[-1]
        state.attach(s0, s1, label, rank)
        state.chain[s0] = 0
    elif move == _RIGHT:
        s0 = stack.pop()
        s1 = stack[-1]
        state.attach(s1, s0, label, rank)
        state.chain[s1] = 0
    elif move == _MERGE:
        s0 = stack.pop()
        state.add_token(stack[-1], state.terminals[s0][0])
        state.terminals[s0] = []  # an empty node: to_graph leaves it out
    else:
        state.exchange()
    if state.exchanged and move != _SWAP and move != _SHIFT:
        state.exchanged.clear()
    state.history.append(action)
    state.steps += 1
    state.done = not state.buffer and len(stack) == 1


def tree_keys(states: Sequence[State], max_chain: int, max_swaps: int) -> list[int]:
    """RETURNS (List[int]): `tree_key` of each state."""
    return [tree_key(state, max_chain, max_swaps) for state in states]


def tree_apply_all(
    states: Sequence[State],
    actions: list[int],
    moves: list[int],
    labels: list[int],
    ranks: list[int],
) -> None:
    """`tree_apply` of an action to each state; moves and labels are by action, ranks by label."""
    for i in range(len(states)):
        action = actions[i]
        label = labels[action]
        tree_apply(states[i], action, moves[action], label, ranks[label])
