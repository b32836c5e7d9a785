"""What the templates of TUPA Sparse see of a State: the row of a state, in the order of `features.template_schema`.

The head terminals of all nodes that `templates.py` names, then the properties that only the state knows: -1 where
there is none. Words, tags and separators follow from the head terminals; `layers/template_scorer.py` looks them
up. It runs for every state: as plain Python, or compiled with the C types of `template_rows.pxd`.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.native.templates import CATEGORIES, NODES, is_node

NO_GAP, PASS, GAP = 0, 1, 2  # gap types

# How to get at each node: 0 from the stack or 1 from the buffer, by index; or from a node before it, by its
# leftmost (2), rightmost (3) or only child (4).
_HOW = ["sb".index(n[0]) if len(n) == 2 else 2 + "lru".index(n[-1]) for n in NODES]
_FROM = [int(n[1]) if len(n) == 2 else NODES.index(n[:-1]) for n in NODES]
# Which property (of "exyPCR") of which node. Most nodes that matter are not yet below anything: then "e" is the head
# priority of the edge that leads to the head terminal, below -1.
_NODE_COLUMNS = [c for c in CATEGORIES if is_node(c.item)]
_WHAT = ["exyPCR".index(c.name) for c in _NODE_COLUMNS]
_WHOSE = [NODES.index(c.item) for c in _NODE_COLUMNS]
# Edges from which node to which, and whether it is their labels that are asked for
_EDGES = [c for c in CATEGORIES if not is_node(c.item) and not c.item.startswith("a")]
_PARENTS = [NODES.index(c.item[:2]) for c in _EDGES]
_CHILDREN = [NODES.index(c.item[2:]) for c in _EDGES]
_LABELED = [int(c.name == "e") for c in _EDGES]
# Actions how many steps back
_BACK = [int(c.item[1]) for c in CATEGORIES if c.item.startswith("a")]

_N_NODES, _N_WHAT, _N_EDGES, _N_BACK = len(NODES), len(_WHAT), len(_EDGES), len(_BACK)


def fill_template_rows(
    codes: list[int], states: Sequence[Any], syntaxes: Sequence[Any], rows: Any
) -> None:
    """Write the rows of several states.

    codes (List[int]): What stands for each action.
    states (Sequence[State]): States of the `tupa` system that are not done.
    syntaxes (Sequence[Syntax]): The dependency tree of the sentence of each; not used.
    rows (Union[List[List[int]], ndarray[int64]]): (n, n_columns) where they go.
    """
    for i in range(len(states)):
        fill_template_row(states[i], codes, rows[i])


def fill_template_row(state: Any, codes: list[int], row: Any) -> None:
    """Write the row of a state.

    state (State): A state of the `tupa` system that is not done.
    codes (List[int]): What stands for each action.
    row (Union[List[int], ndarray[int64]]): (n_columns,) where it goes.
    """
    stack, buffer, children = state.stack, state.buffer, state.children
    head, label, parents = state.head, state.label, state.parent
    first, last, terminals = state.first, state.last, state.terminals
    ranks, remotes, history = state.rank, state.remotes, state.history
    nodes: list[int] = []
    for i in range(_N_NODES):
        how, start, node = _HOW[i], _FROM[i], -1
        if how == 0:
            if start < len(stack):
                node = stack[len(stack) - 1 - start]
        elif how == 1:
            if start < len(buffer):
                node = buffer[len(buffer) - 1 - start]
        elif nodes[start] >= 0:
            node = _child(children[nodes[start]], first, last, how)
        nodes.append(node)
        row[i] = head[node] if node >= 0 else -1
    at = _N_NODES
    gap_of, gap, length = -1, 0, 0
    for i in range(_N_WHAT):
        node, what = nodes[_WHOSE[i]], _WHAT[i]
        if node < 0:
            row[at] = -1
        elif what == 0:
            row[at] = label[node] if parents[node] >= 0 else -2 - ranks[node]
        elif what <= 2:
            if gap_of != node:
                gap_of, gap, length = node, NO_GAP, 0
                if first[node] < last[node] and not state.linkage[node]:
                    length = _gap_length(node, children, first, last, terminals)
                    gap = PASS if length else NO_GAP
                    if not length and _has_gap_below(node, children, first, last, terminals):
                        gap = GAP
            row[at] = gap if what == 1 else length
        elif what == 3:
            row[at] = (1 if parents[node] >= 0 else 0) + len(state.remote_parents.get(node, ()))
        else:
            n = 0
            for above, _, _ in remotes:
                if above == node:
                    n += 1
            row[at] = n + len(children[node]) if what == 4 else n
        at += 1
    for i in range(_N_EDGES):
        node, child = nodes[_PARENTS[i]], nodes[_CHILDREN[i]]
        if node < 0 or child < 0:
            row[at] = -1
        else:
            found = _edge(state, node, child, parents, label)
            row[at] = found if _LABELED[i] else (1 if found >= 0 else 0)
        at += 1
    for i in range(_N_BACK):
        back = len(history) - 1 - _BACK[i]
        row[at] = codes[history[back]] if back >= 0 else -1
        at += 1


def _child(kids: list[int], first: list[int], last: list[int], how: int) -> int:
    """RETURNS (int): The leftmost (2), rightmost (3) or only child (4), -1 if there is none."""
    n = len(kids)
    if not n or (how == 4 and n > 1):
        return -1
    found = kids[0]
    for i in range(1, n):
        kid = kids[i]
        if first[kid] < first[found] if how == 2 else last[kid] > last[found]:
            found = kid
    return found


def _edge(state: Any, node: int, child: int, parents: list[int], label: list[int]) -> int:
    """RETURNS (int): The label of the edge from one node to another, -1 if there is none."""
    if parents[child] == node:
        return label[child]
    if state.pairs and (node, child) in state.pairs:
        for above, below, name in (*state.remotes, *state.links):
            if above == node and below == child:
                return name
    return -1


def _gap_length(
    node: int, children: list, first: list[int], last: list[int], terminals: list
) -> int:
    """RETURNS (int): How many tokens are left out between the first and the last token of a node."""
    n, todo = 0, [node]
    while todo:
        found = todo.pop()
        n += len(terminals[found])
        todo.extend(children[found])
    return last[node] - first[node] + 1 - n


def _has_gap_below(
    node: int, children: list, first: list[int], last: list[int], terminals: list
) -> bool:
    """RETURNS (bool): Whether a child has a gap, which other children of the node fill."""
    for child in children[node]:
        if first[child] < last[child] and _gap_length(child, children, first, last, terminals):
            return True
    return False
