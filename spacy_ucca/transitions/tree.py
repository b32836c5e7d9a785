"""The `tree` transition system, our default: the primary tree in few transitions.

Remote edges and implicit units are left to heads of the model that look at the finished
tree. Pre-terminal units come with SHIFT, so that Terminal edges need no transition of their own.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy

from ..graph import EdgeTuple, Graph, GraphBuilder
from ..graph.categories import FOUNDATIONAL, IMPLICIT, PUNCT, PUNCTUATION, TERMINAL, split_label
from ..native.load import COMPILED, greedy, tree_walk
from ..native.load import state as native_state
from ..transition import Move, State, TransitionSystem, systems
from .tree_oracle import TreeDynamicOracle, TreeOracle

_TERMINAL = (TERMINAL,)


@systems("tree")
class TreeSystem(TransitionSystem):
    """The root starts on the stack, the tokens on the buffer; a parse ends when the buffer is empty and
    only the root is left on the stack. With s0, s1 the top items of the stack, b0 the buffer's:

    SHIFT
        Validity: the buffer is not empty.
        Effect: b0 moves to the stack; a token comes with a new pre-terminal unit over it.
    MERGE
        Validity: s0 is a pre-terminal of one token, s1 is a pre-terminal, perhaps with children.
        Effect: the token of s0 goes under s1, s0 is gone. Makes unanalyzable units of several words.
    NODE-X
        Validity: s0 is not the root and was not made by too many NODEs in a row.
        Effect: a new unit takes the place of s0, which becomes its child with label X.
    LEFT-EDGE-X
        Validity: s1 is not the root; s0 is not the root.
        Effect: s1 becomes a child of s0 with label X and leaves the stack.
    RIGHT-EDGE-X
        Validity: there is an s1.
        Effect: s0 becomes a child of s1 with label X and leaves the stack.
    SWAP
        Validity: s1 is not the root; the two were not swapped before without something built since;
        fewer than `max_swaps` times the number of tokens were made.
        Effect: s1 goes back to the buffer. For discontinuous units.

    There is no dead end: a non-empty buffer allows SHIFT; otherwise, above the root, RIGHT-EDGE is
    valid. `bound` says why a parse ends.
    """

    name = "tree"
    plain_moves = (Move.SHIFT, Move.MERGE, Move.SWAP)
    labeled_moves = (Move.NODE, Move.LEFT_EDGE, Move.RIGHT_EDGE)
    scorers = ("actions", "remotes", "implicit")
    # Longest chain of NODEs over one unit. Gold graphs stay below; it is what bounds a parse.
    max_chain = 5
    # SWAPs per token of the sentence. Gold graphs stay far below.
    max_swaps = 4

    def start(self, n_tokens: int) -> State:
        state = State(n_tokens)
        state.stack.append(state.add_node(order=-1.0))
        state.buffer = list(range(-n_tokens, 0))  # tokens are negative: ~0 is the first, at the end
        state.done = n_tokens == 0
        return state

    def valid_key(self, state: State) -> int:
        return native_state.tree_key(state, self.max_chain, self.max_swaps)

    def valid_keys(self, states: list[State]) -> list[int]:
        return native_state.tree_keys(states, self.max_chain, self.max_swaps)

    def build_mask(self, key: int) -> numpy.ndarray:
        return numpy.array([bool(1 << action.move & key) for action in self.actions])

    def apply(self, state: State, action: int) -> None:
        label = self.action_labels[action]
        native_state.tree_apply(state, action, self.moves[action], label, self.ranks[label])

    def apply_all(self, states: list[State], actions: list[int]) -> None:
        native_state.tree_apply_all(states, actions, self.moves, self.action_labels, self.ranks)

    def bound(self, n_tokens: int) -> int:
        """Items (tokens, or the units in their place) leave by one EDGE or MERGE each; each SHIFT of a
        token and each EDGE allow `max_chain` NODEs; SWAPs are limited, and each costs a SHIFT."""
        return 2 * n_tokens * (1 + self.max_chain + self.max_swaps)

    def oracle(self, graph: Graph) -> TreeOracle:
        return TreeOracle(self, graph)

    def dynamic_oracle(self, graph: Graph) -> TreeDynamicOracle:
        return TreeDynamicOracle(self, graph)

    def search(
        self, states: list[State], sentences: Sequence[Any], scorer: Any, schema: Any, allowed: Any
    ) -> bool:
        """Parse greedily in compiled code, one sentence after the other: what it reads of one stays near the processor, and no
        step of Python comes between its steps. It knows scorers that are one sum of vectors.

        RAISES (FloatingPointError): If a score is infinite or not a number.
        """
        weights = scorer.weights_of_sum() if COMPILED and states else None
        if weights is None:
            return False
        n_actions, width = self.n_actions, weights[0].shape[-1]
        guidelines, rules = allowed.table, allowed.rows
        if allowed.is_everything:
            guidelines, rules = numpy.ones((1, n_actions)), numpy.zeros(len(states), dtype="int64")
        program, work, codes, row = schema.read.buffers()
        table, values, flags, bias, output, output_bias = weights
        log_probs: list[list[float]] = [[] for _ in states]
        is_finite = greedy.greedy_tree(
            program,
            work,
            codes,
            row,
            states,
            [sentence.syntax for sentence in sentences],
            numpy.concatenate([sentence.places for sentence in sentences]).astype("int32"),
            numpy.cumsum([0, *map(len, sentences[:-1])]),
            table,
            values,
            schema.offsets,
            flags,
            bias,
            output,
            output_bias,
            numpy.ascontiguousarray(guidelines, dtype="uint8"),
            rules,
            numpy.array(self.moves, dtype="int32"),
            self.action_labels,
            self.ranks,
            self.max_chain,
            self.max_swaps,
            numpy.empty(width + 4, dtype="int64"),
            numpy.empty((2, width + 4), dtype="float32"),
            numpy.empty(n_actions, dtype="float32"),
            log_probs,
        )
        if not is_finite:
            raise FloatingPointError
        for state, found in zip(states, log_probs):
            state.log_probs = numpy.array(found)
        return True

    def add_to(self, builder: GraphBuilder, state: State, tokens: Sequence[int]) -> None:
        builder.add_unit()
        parts = self.label_parts, IMPLICIT, _TERMINAL, EdgeTuple
        made = builder.edges, builder.kinds, builder.scores
        numbers = tree_walk.list_edges(state, tokens, *parts, *made)
        for parent, child, label_id in state.remotes:
            categories, _ = self.label_parts[label_id]
            edge = builder.add_edge(numbers[parent], numbers[child], *categories, remote=True)
            builder.add_score(edge, state.pair_scores.get((parent, child)))

    @cached_property
    def label_parts(self) -> list[tuple[tuple[str, ...], str]]:
        """RETURNS (List[Tuple[Tuple[str, ...], str]]): The categories of each label, and the kind of
        units with it."""
        return [
            (tuple(split_label(name)), PUNCT if name == PUNCTUATION else FOUNDATIONAL)
            for name in self.label_names
        ]
