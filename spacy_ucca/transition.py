"""What transition systems share: State, Action and the interface.

A State is plain lists of integers, so that features, masks and transitions stay cheap. The default
system is in `systems/tree.py`, the one of the TUPA papers in `systems/tupa.py`. They are the only
places that know when a transition is valid and what it does; `systems/` chooses one by name.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy

from .categories import HEAD_PRIORITY, TERMINAL, priority, split_label
from .graph import Graph, GraphBuilder

NO_LABEL = 0
ROOT = 0
TERMINAL_RANK = HEAD_PRIORITY.index(TERMINAL)


class Move(IntEnum):
    """The types of transitions; a system uses some of them."""

    SHIFT = 0
    REDUCE = 1
    MERGE = 2
    NODE = 3
    LEFT_EDGE = 4
    RIGHT_EDGE = 5
    SWAP = 6
    FINISH = 7
    IMPLICIT = 8
    LEFT_REMOTE = 9
    RIGHT_REMOTE = 10
    REMOTE_NODE = 11


class Action(NamedTuple):
    """A transition: its type and, where the type takes one, the label of the edge it makes."""

    move: Move
    label: str = ""

    def __str__(self) -> str:
        name = self.move.name.replace("_", "-")
        return f"{name}-{self.label}" if self.label else name


class State:
    """A configuration: stack, buffer and the graph built so far.

    Nodes are numbered as they are made; 0 is the root. A buffer item below zero is `~token`, not yet a
    node. All lists below `# per node` have one entry per node.

    n_tokens (int): The number of tokens of the sentence.
    """

    __slots__ = (
        "buffer",
        "chain",
        "child_labels",
        "children",
        "done",
        "exchanged",
        "first",
        "head",
        "height",
        "history",
        "implicit",
        "is_token",
        "label",
        "last",
        "leaving",
        "linkage",
        "links",
        "n_implicit",
        "n_linkage",
        "n_tokens",
        "n_units",
        "order",
        "pairs",
        "parent",
        "rank",
        "remote_parents",
        "remotes",
        "stack",
        "steps",
        "swaps",
        "terminals",
    )

    def __init__(self, n_tokens: int) -> None:
        self.n_tokens = n_tokens
        self.stack: list[int] = []
        self.buffer: list[int] = []  # reversed: the next item is the last
        self.history: list[int] = []  # actions taken, latest last
        self.remotes: list[tuple[int, int, int]] = []  # parent, child, label
        self.links: list[tuple[int, int, int]] = []  # the same for edges of linkage units
        self.pairs: set[tuple[int, int]] = set()  # parent and child of all remotes and links
        self.remote_parents: dict[int, list[int]] = {}  # of nodes that have some
        self.exchanged: set[tuple[int, int]] = set()  # swapped since something was last built
        self.n_units = 0  # made by NODE, linkage left out
        self.n_implicit = 0
        self.n_linkage = 0
        self.leaving = -1  # a node that may only be reduced, see `systems/tupa.py`
        self.steps = 0
        self.swaps = 0
        self.done = False
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

    def add_node(self, token: int = -1, order: float = 0.0) -> int:
        """Make a node, over a token if one is given. RETURNS (int): Its number."""
        self.parent.append(-1)
        self.label.append(NO_LABEL)
        self.children.append([])
        self.child_labels.append(0)
        self.terminals.append([token] if token >= 0 else [])
        self.head.append(token)
        self.rank.append(TERMINAL_RANK if token >= 0 else len(HEAD_PRIORITY) + 1)
        self.first.append(token if token >= 0 else self.n_tokens)
        self.last.append(token)
        self.height.append(0)
        self.order.append(order)
        self.chain.append(0)
        self.implicit.append(False)
        self.is_token.append(False)
        self.linkage.append(False)
        return len(self.parent) - 1

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
        self.children[parent].append(child)
        self.child_labels[parent] |= 1 << label
        if self.head[child] >= 0 and (
            rank < self.rank[parent]
            or (rank == self.rank[parent] and self.head[child] < self.head[parent])
        ):
            self.rank[parent], self.head[parent] = rank, self.head[child]
        self.first[parent] = min(self.first[parent], self.first[child])
        self.last[parent] = max(self.last[parent], self.last[child])
        self.height[parent] = max(self.height[parent], self.height[child] + 1)


class TransitionSystem:
    """The interface of a transition system over a set of labels.

    labels (Iterable[str]): Joined labels of edges, such as "A" or "S|A". Their order numbers the
        actions; a set is sorted, so that it always gives the same.
    """

    name: str = ""
    plain_moves: tuple[Move, ...] = ()
    labeled_moves: tuple[Move, ...] = ()
    predicts_remote = False
    predicts_implicit = False
    predicts_linkage = False

    def __init__(self, labels: Iterable[str]) -> None:
        if isinstance(labels, set | frozenset):
            labels = sorted(labels)
        self.labels: tuple[str, ...] = tuple(dict.fromkeys(labels))
        self.label_ids: dict[str, int] = {label: i for i, label in enumerate(self.labels, start=1)}
        self.label_names: tuple[str, ...] = ("", *self.labels)
        self.ranks: list[int] = [len(HEAD_PRIORITY)] + [
            priority(split_label(label)) for label in self.labels
        ]
        self.actions: list[Action] = [Action(move) for move in self.plain_moves]
        self.actions += [
            Action(move, label) for move in self.labeled_moves for label in self.move_labels(move)
        ]
        self.moves: list[int] = [int(a.move) for a in self.actions]
        self.action_labels: list[int] = [
            self.label_ids.get(a.label, NO_LABEL) for a in self.actions
        ]
        self.action_ids: dict[Action, int] = {a: i for i, a in enumerate(self.actions)}
        self._masks: dict[int, numpy.ndarray] = {}

    def move_labels(self, move: Move) -> Iterable[str]:
        """RETURNS (Iterable[str]): The labels that a type of transition takes."""
        return self.labels

    @property
    def n_actions(self) -> int:
        """RETURNS (int): The number of actions."""
        return len(self.actions)

    def action(self, move: Move, label: int = NO_LABEL) -> int:
        """RETURNS (int): The number of an action, given its type and the number of its label."""
        return self.action_ids[Action(move, self.label_names[label])]

    def start(self, n_tokens: int) -> State:
        """RETURNS (State): The configuration to begin with."""
        raise NotImplementedError

    def valid_key(self, state: State) -> int:
        """What may be done in a state, as an integer. States with the same key share a mask.

        state (State): A state that is not done.
        RETURNS (int): The key, for `mask`.
        """
        raise NotImplementedError

    def build_mask(self, key: int) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): For each action, whether it is valid under the key; `mask` keeps
        what this computes."""
        raise NotImplementedError

    def mask(self, key: int) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_actions,): the valid actions of a state with that key."""
        row = self._masks.get(key)
        if row is None:
            row = self._masks[key] = self.build_mask(key)
        return row

    def valid(self, state: State) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_actions,): the valid actions of the state."""
        return self.mask(self.valid_key(state))

    def apply(self, state: State, action: int) -> None:
        """Change the state by a valid action.

        state (State): The state, changed in place.
        action (int): Number of an action that is valid in it.
        """
        raise NotImplementedError

    def bound(self, n_tokens: int) -> int:
        """RETURNS (int): No sequence of valid actions is longer than this."""
        raise NotImplementedError

    def target(self, graph: Graph) -> Graph:
        """RETURNS (Graph): The part of a gold graph that the system can express."""
        return graph.without(
            remotes=not self.predicts_remote,
            implicit=not self.predicts_implicit,
            linkage=not self.predicts_linkage,
        )

    def add_to(self, builder: GraphBuilder, state: State, tokens: Sequence[int]) -> None:
        """Put the units and edges of a finished state into a graph.

        builder (GraphBuilder): The graph of a sentence, or of a whole Doc; changed in place.
        state (State): A state that is done.
        tokens (Sequence[int]): For each token of the state, which token of the graph it is.
        """
        raise NotImplementedError

    def to_graph(
        self,
        state: State,
        words: Sequence[str],
        *,
        punct: Sequence[bool] | None = None,
    ) -> Graph:
        """Make the graph of a finished state.

        state (State): A state that is done.
        words (Sequence[str]): The tokens.
        punct (Optional[Sequence[bool]]): Whether each token is punctuation.
        RETURNS (Graph): The graph of the sentence.
        """
        builder = GraphBuilder(words, punct=punct)
        self.add_to(builder, state, range(len(words)))
        return builder.build()


class Oracle:
    """The interface of an oracle: made for one gold graph, it follows one state from its start."""

    def next_action(self, state: State) -> int:
        """RETURNS (int): The gold action in a state reached by gold actions. The caller applies it."""
        raise NotImplementedError
