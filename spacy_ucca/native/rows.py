# cython: boundscheck=False, wraparound=False
"""Rows of states: what columns ask for, as integers.

It runs for every state: as plain Python, or compiled with the C types of `rows.pxd`. Results are the same.
"""

from collections.abc import Sequence
from typing import Any

from spacy_ucca.native.columns import BITS_MASK, CODES, N_BUCKETS, ROOT

NO_GAP, PASS, GAP = 0, 1, 2  # gap types
_LABEL, _HEAD, _FIRST, _LAST = CODES["label"], CODES["head"], CODES["first"], CODES["last"]
_TYPE, _CHILDREN, _HEIGHT = CODES["type"], CODES["children"], CODES["height"]
_LENGTH, _CHAIN, _BITS = CODES["length"], CODES["chain"], CODES["child labels"]
_SUBTREE, _RELATION, _GOVERNOR = CODES["subtree"], CODES["relation"], CODES["governor"]
_SPACE, _SPACE_TO_HEAD = CODES["gap"], CODES["gap to head"]
_ACTION, _STACK_SIZE, _BUFFER_SIZE = CODES["action"], CODES["stack size"], CODES["buffer size"]
_ACTION_CODE = CODES["action code"]
_TERMINAL, _EDGE_LABEL, _GAP_TYPE = CODES["terminal"], CODES["edge label"], CODES["gap type"]
_GAP_LENGTH, _PARENTS, _EDGE = CODES["gap length"], CODES["parents"], CODES["edge"]
_ALL_CHILDREN, _REMOTE_CHILDREN = CODES["all children"], CODES["remote children"]
_LABEL_BETWEEN = CODES["label between"]


def fill_rows(
    program: Any,
    work: Any,
    codes: list[int],
    states: Sequence[Any],
    syntaxes: Sequence[Any],
    rows: Any,
) -> None:
    """Write the rows of several states.

    program (Union[List[int], ndarray[int64]]): The columns, from `columns.compile_columns`.
    work (Union[List[int], ndarray[int64]]): Room for 4 integers for each node.
    codes (List[int]): What stands for each action in "action code".
    states (Sequence[State]): States that are not done.
    syntaxes (Sequence[Syntax]): The dependency tree of the sentence of each.
    rows (Union[List[List[int]], ndarray[int64]]): (n, n_columns) where they go.
    """
    for i in range(len(states)):
        fill_row(program, work, codes, states[i], syntaxes[i], rows[i])


def fill_row(program: Any, work: Any, codes: list[int], state: Any, syntax: Any, row: Any) -> None:
    """Write the row of a state. The arguments are those of `fill_rows`, for one state."""
    stack, buffer, history, children = state.stack, state.buffer, state.history, state.children
    label, heads = state.label, state.head
    size, n_buffer, steps = len(stack), len(buffer), len(history)
    n_nodes, n_columns = program[0], program[1]
    next_head = -1  # that of b0
    if n_buffer:
        node = buffer[n_buffer - 1]
        next_head = heads[node] if node >= 0 else ~node
    # Each node, its head, its first and its last token
    at = 2
    for i in range(n_nodes):
        way, start, node = program[at], program[at + 1], -1
        at += 2
        head, first, last = -1, -1, -1
        if way == 0:
            if start < size:
                node = stack[size - 1 - start]
        elif way == 1:
            if start < n_buffer:
                node = buffer[n_buffer - 1 - start]
                if node < 0:  # a token that is no node yet
                    head, node = ~node, -1
                    first, last = head, head
        elif work[4 * start] >= 0:
            node = _child(state, work[4 * start], way)
        if node > ROOT or (node == ROOT and way == 0 and start == 0):
            head, last = heads[node], state.last[node]
            first = state.first[node] if last >= 0 else -1
        work[4 * i], work[4 * i + 1] = node, head
        work[4 * i + 2], work[4 * i + 3] = first, last
    gap_of, gap, length = -1, NO_GAP, 0
    for i in range(n_columns):
        what, a, b = program[at], program[at + 1], 4 * program[at + 2]
        at += 3
        if what == _ACTION:
            row[i] = history[steps - 1 - a] + 1 if steps > a else 0
            continue
        if what == _ACTION_CODE:
            row[i] = codes[history[steps - 1 - a]] if steps > a else -1
            continue
        a *= 4
        node, head = work[a], work[a + 1]
        if what == _LABEL:
            row[i] = label[node] if node >= 0 else 0
        elif what == _HEAD:
            row[i] = head
        elif what == _TYPE:
            row[i] = _type(state, node) if node >= 0 else (5 if head >= 0 else 0)
        elif what == _RELATION:
            row[i] = syntax.relation(head, work[b + 1])
        elif what == _FIRST:
            row[i] = work[a + 2]
        elif what == _LAST:
            row[i] = work[a + 3]
        elif what == _CHILDREN:
            row[i] = _bucket(len(children[node])) if node >= 0 else 0
        elif what == _HEIGHT:
            row[i] = _bucket(state.height[node]) if node >= 0 else 0
        elif what == _LENGTH:
            row[i] = _bucket(work[a + 3] - work[a + 2])
        elif what == _SPACE:
            row[i] = _space(work[a + 3], work[b + 2])
        elif what == _SPACE_TO_HEAD:
            row[i] = _space(work[a + 3], work[b + 1])
        elif what == _GOVERNOR:
            row[i] = _governor(
                syntax, head, work[a + 2], work[a + 3], work[b + 2], work[b + 3], next_head
            )
        elif what == _SUBTREE:
            row[i] = _subtree(syntax, head, work[a + 2], work[a + 3])
        elif what == _BITS:
            row[i] = (state.child_labels[node] >> 1) & BITS_MASK if node >= 0 else 0
        elif what == _CHAIN:
            start = state.chain[node] if node >= 0 else 0
            row[i] = start if start < N_BUCKETS else N_BUCKETS - 1
        elif what == _STACK_SIZE:
            row[i] = _bucket(size - 1)
        elif what == _BUFFER_SIZE:
            row[i] = _bucket(n_buffer)
        elif node < 0:
            row[i] = -1
        elif what == _TERMINAL:
            row[i] = heads[node]
        elif what == _EDGE_LABEL:
            row[i] = label[node] if state.parent[node] >= 0 else -2 - state.rank[node]
        elif what == _GAP_TYPE or what == _GAP_LENGTH:
            if gap_of != node:
                gap_of, gap, length = node, NO_GAP, 0
                if state.first[node] < state.last[node] and not state.linkage[node]:
                    length = _gap_length(state, node)
                    gap = PASS if length else (GAP if _has_gap_below(state, node) else NO_GAP)
            row[i] = gap if what == _GAP_TYPE else length
        elif what == _PARENTS:
            start = len(state.remote_parents.get(node, ()))
            row[i] = start + 1 if state.parent[node] >= 0 else start
        elif what == _ALL_CHILDREN:
            row[i] = len(children[node]) + _remote_children(state, node)
        elif what == _REMOTE_CHILDREN:
            row[i] = _remote_children(state, node)
        elif work[b] < 0:
            row[i] = -1
        else:
            start = _edge(state, node, work[b])
            row[i] = start if what == _LABEL_BETWEEN else (1 if start >= 0 else 0)


def _bucket(n: int) -> int:
    """Small counts as they are, larger ones on a logarithmic scale: 0 .. 9."""
    if n < 5:
        return n if n > 0 else 0
    return 5 if n < 7 else 6 if n < 10 else 7 if n < 15 else 8 if n < 25 else 9


BUCKETS = [_bucket(n) for n in range(64)]


def _space(last: int, first: int) -> int:
    """RETURNS (int): How far a token lies behind another one; `N_BUCKETS` before it, 0 if one is missing."""
    if last < 0 or first < 0:
        return 0
    return _bucket(first - last) if first >= last else N_BUCKETS


def _type(state: Any, node: int) -> int:
    if node == ROOT:
        return 1
    if state.implicit[node]:
        return 5
    if state.terminals[node]:
        return 3 if state.children[node] else 2
    return 4


def _governor(
    syntax: Any, head: int, first: int, last: int, other_first: int, other_last: int, b0: int
) -> int:
    """Where the governor of the head of an item lies: 1 the head is a root, 2 in the item, 3 in the other item, 4 it is
    the head of b0, 5 elsewhere to the left, 6 elsewhere to the right; 0 unknown."""
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


def _subtree(syntax: Any, head: int, first: int, last: int) -> int:
    """Whether the syntactic subtree of the head ends inside, with or outside the item, both sides."""
    if head < 0:
        return 0
    left, right = syntax.left[head], syntax.right[head]
    return (1 if left == first else 0 if left > first else 2) * 3 + (
        1 if right == last else 0 if right < last else 2
    )


def _child(state: Any, node: int, way: int) -> int:
    """RETURNS (int): The leftmost (2), rightmost (3), only (4), first (5) or last attached child (6); -1 for none."""
    kids = state.children[node]
    n = len(kids)
    if not n or (way == 4 and n > 1):
        return -1
    if way == 6:
        return kids[n - 1]
    found = kids[0]
    if way < 4:
        ends = state.first if way == 2 else state.last
        for i in range(1, n):
            kid = kids[i]
            if ends[kid] < ends[found] if way == 2 else ends[kid] > ends[found]:
                found = kid
    return found


def _edge(state: Any, node: int, child: int) -> int:
    """RETURNS (int): The label of the edge from one node to another, -1 if there is none."""
    if state.parent[child] == node:
        return state.label[child]
    if state.pairs and (node, child) in state.pairs:
        for above, below, name in (*state.remotes, *state.links):
            if above == node and below == child:
                return name
    return -1


def _remote_children(state: Any, node: int) -> int:
    """RETURNS (int): How many there are."""
    n = 0
    for above, _, _ in state.remotes:
        if above == node:
            n += 1
    return n


def _gap_length(state: Any, node: int) -> int:
    """RETURNS (int): How many tokens are left out between the first and the last token of a node."""
    n, todo = 0, [node]
    while todo:
        found = todo.pop()
        n += len(state.terminals[found])
        todo.extend(state.children[found])
    return state.last[node] - state.first[node] + 1 - n


def _has_gap_below(state: Any, node: int) -> bool:
    """RETURNS (bool): Whether a child has a gap, which other children of the node fill."""
    for child in state.children[node]:
        if state.first[child] < state.last[child] and _gap_length(state, child):
            return True
    return False
