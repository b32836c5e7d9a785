"""What runs for every state of a parse: State, the row of a state, the steps of the `tree` system.

One source, two ways to run: as plain Python, and compiled by Cython, with the C types that
`state.pxd` gives; `load.py` chooses. Results are the same to the last bit. Integers in plain lists keep
both fast. Everything that runs once per batch or less is elsewhere.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.graph.categories import HEAD_PRIORITY, TERMINAL

NO_LABEL = 0
ROOT = 0
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
        self.leaving = -1  # a node that may only be reduced, see `systems/tupa.py`
        self.steps = 0
        self.swaps = 0
        self.done = False
        # How sure the parser is (`confidence.py`): of each step, of primary edges, of remotes and links.
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


def _bucket(n: int) -> int:
    """Small counts as they are, larger ones on a logarithmic scale: 0 .. 9."""
    if n < 5:
        return n if n > 0 else 0
    return 5 if n < 7 else 6 if n < 10 else 7 if n < 15 else 8 if n < 25 else 9


N_BUCKETS = 10
LABEL_BITS = 48  # labels with higher numbers have no bit in a bit set
BITS_MASK = (1 << LABEL_BITS) - 1
BUCKETS = [_bucket(n) for n in range(64)]


def _type(state: State, node: int) -> int:
    if node == ROOT:
        return 1
    if state.implicit[node]:
        return 5
    if state.terminals[node]:
        return 3 if state.children[node] else 2
    return 4


def _where(
    syntax: Syntax, head: int, first: int, last: int, other_first: int, other_last: int, b0: int
) -> int:
    """Where the syntactic head of an item lies: 1 root, 2 in the item, 3 in the other item, 4 b0,
    5 elsewhere to the left, 6 elsewhere to the right; 0 unknown."""
    if head < 0:
        return 0
    at = syntax.heads[head]
    if at < 0:
        return 0
    if at == head:
        return 1
    if first <= at <= last:
        return 2
    if other_first <= at <= other_last:
        return 3
    if at == b0:
        return 4
    return 5 if at < head else 6


def _span_fit(syntax: Syntax, head: int, first: int, last: int) -> int:
    """Whether the syntactic subtree of the head ends inside, with or outside the item, both sides."""
    if head < 0:
        return 0
    left, right = syntax.left[head], syntax.right[head]
    return (1 if left == first else 0 if left > first else 2) * 3 + (
        1 if right == last else 0 if right < last else 2
    )


def fill_row(state: State, syntax: Syntax, row: Any) -> None:
    """Write the row of a state, in the order of `features.state_schema`: tokens, categories, bit sets.

    state (State): A state that is not done.
    syntax (Syntax): The dependency tree of its sentence.
    row (Union[List[int], ndarray[int64]]): (n_columns,) where it goes.
    """
    stack, heads, kids = state.stack, state.head, state.children
    label, first, last = state.label, state.first, state.last
    size = len(stack)
    s0 = stack[-1] if size else ROOT
    s1 = stack[-2] if size > 1 else ROOT
    s0h, kids0 = heads[s0], kids[s0]
    s0f, s0l = first[s0], last[s0]
    if s0l < 0:
        s0f = -1
    s0r = heads[kids0[-1]] if kids0 else -1
    s0a = (label[s0], label[kids0[0]], label[kids0[-1]]) if kids0 else (label[s0], 0, 0)
    if size > 1:
        kids1 = kids[s1]
        s1h, s1f, s1l, s1t = heads[s1], first[s1], last[s1], _type(state, s1)
        if s1l < 0:
            s1f = -1
        s1a = (label[s1], label[kids1[0]], label[kids1[-1]]) if kids1 else (label[s1], 0, 0)
        n1, height1, bits1 = len(kids1), state.height[s1], (state.child_labels[s1] >> 1) & BITS_MASK
        if s1 == ROOT:
            s1h, s1f, s1l = -1, -1, -1
    else:
        s1h = s1f = s1l = -1
        s1t, s1a, n1, height1, bits1 = 0, (0, 0, 0), 0, 0, 0
    s2 = stack[-3] if size > 2 else -1
    s2h = heads[s2] if s2 > 0 else -1
    buffer = state.buffer
    b0t, b0h, height2 = 0, -1, 0
    if buffer:
        b0 = buffer[-1]
        if b0 < 0:
            b0t, b0h = 5, ~b0
        else:
            b0t, b0h, height2 = _type(state, b0), heads[b0], state.height[b0]
    history = state.history
    steps = len(history)
    gap01 = s0f - s1l if s0f >= 0 and s1l >= 0 else 0
    gap0b = b0h - s0l if b0h >= 0 and s0l >= 0 else 0
    row[0] = s0h
    row[1] = s1h
    row[2] = s2h
    row[3] = b0h
    row[4] = s0f
    row[5] = s0l
    row[6] = s1f
    row[7] = s1l
    row[8] = s0r
    row[9] = _type(state, s0) if size else 0
    row[10] = s1t
    row[11] = _type(state, s2) if s2 >= 0 else 0
    row[12] = b0t
    row[13] = s0a[0]
    row[14] = s1a[0]
    row[15] = label[s2] if s2 >= 0 else 0
    row[16] = s0a[1]
    row[17] = s0a[2]
    row[18] = s1a[1]
    row[19] = s1a[2]
    row[20] = _bucket(len(kids0))
    row[21] = _bucket(n1)
    row[22] = _bucket(state.height[s0])
    row[23] = _bucket(height1)
    row[24] = _bucket(height2)
    row[25] = _bucket(s0l - s0f)
    row[26] = _bucket(s1l - s1f)
    row[27] = _bucket(gap01) if gap01 >= 0 else N_BUCKETS
    row[28] = _bucket(gap0b) if gap0b >= 0 else N_BUCKETS
    row[29] = syntax.relation(s1h, s0h)
    row[30] = syntax.relation(s0h, b0h)
    row[31] = syntax.relation(s1h, b0h)
    row[32] = syntax.relation(s2h, s0h)
    row[33] = _where(syntax, s0h, s0f, s0l, s1f, s1l, b0h)
    row[34] = _where(syntax, s1h, s1f, s1l, s0f, s0l, b0h)
    row[35] = _span_fit(syntax, s0h, s0f, s0l)
    row[36] = _span_fit(syntax, s1h, s1f, s1l)
    row[37] = history[-1] + 1 if steps else 0
    row[38] = history[-2] + 1 if steps > 1 else 0
    row[39] = history[-3] + 1 if steps > 2 else 0
    row[40] = _bucket(len(buffer))
    row[41] = _bucket(size - 1)
    row[42] = state.chain[s0] if state.chain[s0] < 9 else 9
    row[43] = (state.child_labels[s0] >> 1) & BITS_MASK
    row[44] = bits1


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


def fill_rows(states: Sequence[State], syntaxes: Sequence[Syntax], rows: Any) -> None:
    """Write the rows of several states.

    states (Sequence[State]): States that are not done.
    syntaxes (Sequence[Syntax]): The dependency tree of the sentence of each.
    rows (Union[List[List[int]], ndarray[int64]]): (n, n_columns) where they go.
    """
    for i in range(len(states)):
        fill_row(states[i], syntaxes[i], rows[i])


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
