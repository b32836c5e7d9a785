"""What transition systems share: Action and the interface.

A State is plain lists of integers, so that features, masks and transitions stay cheap. Only a TransitionSystem knows
when a transition is valid and what it does.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import catalogue
import numpy

from .graph import Graph, GraphBuilder
from .graph.categories import HEAD_PRIORITY, priority, split_label
from .native.load import state as native_state

# All transition systems by name; packages add theirs by the entry points `spacy_ucca_systems`.
systems = catalogue.create("spacy_ucca", "systems", entry_points=True)

# What users of transition systems find here.
State = native_state.State
NO_LABEL, ROOT, TERMINAL_RANK = native_state.NO_LABEL, native_state.ROOT, native_state.TERMINAL_RANK


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


# Methods that say what transitions do, and others that follow from them
_TRANSITIONS = {
    *("plain_moves", "labeled_moves", "move_labels", "start", "valid_key", "build_mask", "apply")
}
_DERIVED = ("valid_keys", "apply_all", "search", "dynamic_oracle")


class TransitionSystem:
    """The interface of a transition system over a set of labels. A class derived from a system, with other transitions, gets
    `valid_keys`, `apply_all`, `search` and `dynamic_oracle` of this class, unless it has its own: those of the system do not
    know its transitions.

    labels (Iterable[str]): Joined labels of edges, such as "A" or "S|A". Their order numbers the
        actions; a set is sorted, so that it always gives the same.
    """

    name: str = ""
    plain_moves: tuple[Move, ...] = ()
    labeled_moves: tuple[Move, ...] = ()
    predicts_remote = False
    predicts_implicit = False
    predicts_linkage = False  # of a class: whether it can, given labels for it
    # The scorers that a parser needs: "remotes" and "implicit" look at the finished tree.
    scorers: tuple[str, ...] = ("actions",)
    # Given a gold graph: its `DynamicOracle`, which exploration needs
    dynamic_oracle: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not _TRANSITIONS.isdisjoint(vars(cls)):
            for name in _DERIVED:
                if name not in vars(cls):
                    setattr(cls, name, getattr(TransitionSystem, name))

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
        self.n_actions = len(self.actions)
        self.moves: list[int] = [int(a.move) for a in self.actions]
        self.action_labels: list[int] = [
            self.label_ids.get(a.label, NO_LABEL) for a in self.actions
        ]
        self.action_ids: dict[Action, int] = {a: i for i, a in enumerate(self.actions)}
        self._masks: dict[int, numpy.ndarray] = {}
        self._key_numbers: dict[int, int] = {}  # rows of the table of the masks seen so far
        self._mask_table = numpy.zeros((0, self.n_actions), dtype="bool")

    def move_labels(self, move: Move) -> Iterable[str]:
        """RETURNS (Iterable[str]): The labels that a type of transition takes."""
        return self.labels

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

    def valid_keys(self, states: list[State]) -> list[int]:
        """RETURNS (List[int]): The key of each state; systems may do this faster."""
        return [self.valid_key(state) for state in states]

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

    def mask_rows(self, keys: Sequence[int]) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n, n_actions): the mask of each key."""
        numbers = self._key_numbers
        for key in set(keys).difference(numbers):
            numbers[key] = len(numbers)
            self._mask_table = numpy.concatenate([self._mask_table, self.mask(key)[None]])
        return self._mask_table[[numbers[key] for key in keys]]

    def valid(self, state: State) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_actions,): the valid actions of the state."""
        return self.mask(self.valid_key(state))

    def apply(self, state: State, action: int) -> None:
        """Change the state by a valid action.

        state (State): The state, changed in place.
        action (int): Number of an action that is valid in it.
        """
        raise NotImplementedError

    def apply_all(self, states: list[State], actions: list[int]) -> None:
        """`apply` an action to each of several states; systems may do this faster."""
        for state, action in zip(states, actions):
            self.apply(state, action)

    def oracle(self, graph: Graph) -> "Oracle":
        """Make the oracle of a gold graph.

        graph (Graph): The gold graph of one sentence.
        RETURNS (Oracle): The oracle.
        RAISES (OracleError): If the system cannot build the graph.
        """
        raise NotImplementedError

    def search(
        self, states: list[State], sentences: Sequence[Any], scorer: Any, schema: Any, allowed: Any
    ) -> bool:
        """Parse sentences greedily, if the system can do so faster than step by step.

        states (List[State]): The first state of each, changed in place.
        sentences (Sequence[Sentence]): The sentences.
        scorer (Any): Scores actions.
        schema (Schema): The columns of a state's row.
        allowed (Allowed): The actions under the guidelines of each sentence.
        RETURNS (bool): Whether it did. If not, states are as they were.
        """
        return False

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
        check: bool = True,
    ) -> Graph:
        """Make the graph of a finished state.

        state (State): A state that is done.
        words (Sequence[str]): The tokens.
        punct (Optional[Sequence[bool]]): Whether each token is punctuation.
        check (bool): See `Graph`.
        RETURNS (Graph): The graph of the sentence.
        """
        builder = GraphBuilder(words, punct=punct)
        self.add_to(builder, state, range(len(words)))
        return builder.build(check)


class Oracle:
    """The interface of an oracle: made for one gold graph, it follows one state from its start.

    unit (Dict[int, int]): The unit of the gold graph that each node of the state stands for. Systems with scorers of remote
        edges and implicit units need it.
    """

    unit: dict[int, int]

    def next_action(self, state: State) -> int:
        """RETURNS (int): The gold action in a state reached by gold actions. The caller applies it."""
        raise NotImplementedError


class DynamicOracle:
    """The interface of a dynamic oracle: made for one gold graph, it says what is best in any state."""

    def best(self, state: State) -> list[int]:
        """RETURNS (List[int]): The best actions in a state: one, or several that are equally good."""
        raise NotImplementedError

    def follow(self, state: State, action: int) -> None:
        """Take notice of an action, before the caller applies it."""
        raise NotImplementedError
