"""Convert trees of labeled spans to states of the `tree` system, from which features of units and graphs are made. Moves
are undone; no transition is applied.
"""

from typing import NamedTuple

import numpy

from ..conversion.constituency import NO_UNIT, unit_parents
from ..conversion.tree import TOP, ConstituencyTree
from ..native.state import ROOT
from ..transition import State, TransitionSystem


class TreeState(NamedTuple):
    """A tree as a state.

    state (State): The state, done.
    nodes (Dict[int, int]): For nodes of the tree that are units, the node of the state. Roots share one.
    """

    state: State
    nodes: dict[int, int]


def to_state(system: TransitionSystem, tree: ConstituencyTree) -> TreeState:
    """Make a state of a tree.

    system (TransitionSystem): That of the labels.
    tree (ConstituencyTree): Any tree whose labels it has.
    RETURNS (TreeState): The state: its graph is that of `from_constituency`.
    """
    parents, tokens = unit_parents(tree)
    state = system.start(len(tree.tokens))
    state.stack, state.buffer, state.done = [ROOT], [], True
    nodes: dict[int, int] = {}
    # Children before parents: what is known of a unit hangs on all below it.
    pending = [0] * len(parents)
    for i, parent in enumerate(parents):
        if parent == NO_UNIT:
            continue
        if parent >= 0:
            pending[parent] += 1
        label = tree.nodes[i].label
        is_root = label.name not in system.label_ids
        nodes[i] = ROOT if is_root else state.add_node()
    for token, place in enumerate(tokens):
        state.add_token(nodes.get(place, ROOT) if place != TOP else ROOT, token)
    order = [i for i in nodes if not pending[i]]
    for i in order:  # grows while it is walked
        parent = parents[i]
        if nodes[i] != ROOT:
            number = system.label_ids[tree.nodes[i].label.name]
            above = nodes[parent] if parent != TOP else ROOT
            state.attach(above, nodes[i], number, system.ranks[number])
        if parent != TOP:
            pending[parent] -= 1
            if not pending[parent]:
                order.append(parent)
    for children in state.children:
        children.sort(key=state.first.__getitem__)
    return TreeState(state, nodes)


def relatives(sentence: numpy.ndarray, start: numpy.ndarray, end: numpy.ndarray) -> numpy.ndarray:
    """Find the spans around each span in the trees that nested spans form.

    sentence, start, end (ndarray): (n,) nested spans of sentences.
    RETURNS (ndarray[int64]): (n, 3) the smallest span around each, the span before and the one after it there; -1 for
        none.
    """
    spans_around = numpy.full((len(sentence), 3), -1, dtype="int64")
    order = numpy.lexsort((-end, start, sentence))
    above: list[list[int]] = []  # end, index and last child of the spans around the next one
    before = -1
    rows = zip(*(column[order].tolist() for column in (sentence, start, end)))
    for i, (k, first, last) in zip(order.tolist(), rows):
        if k != before:
            above, before = [], k
        while above and above[-1][0] <= first:
            above.pop()
        if above:
            _, parent, sibling = above[-1]
            spans_around[i, 0], spans_around[i, 1] = parent, sibling
            if sibling >= 0:
                spans_around[sibling, 2] = i
            above[-1][2] = i
        above.append([last, i, -1])
    return spans_around
