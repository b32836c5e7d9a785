"""Columns and the rows that they make: against a row written out by hand, and property by property."""

import random
from collections.abc import Iterator

import pytest
from transition_walks import LABELS, LINK_LABELS, POLICIES, policy
from util import no_syntax, random_syntax

from spacy_ucca.features.state_rows import StateReader, Syntax
from spacy_ucca.native import rows as plain
from spacy_ucca.native.columns import (
    BITS,
    BITS_MASK,
    CATEGORY,
    FIRST_COLUMNS,
    N_BUCKETS,
    PROPERTIES,
    STATE_COLUMNS,
    TOKEN,
    Column,
    compile_columns,
    is_node,
    list_nodes,
)
from spacy_ucca.native.load import rows as chosen
from spacy_ucca.native.templates import TEMPLATE_COLUMNS
from spacy_ucca.transition import ROOT, State
from spacy_ucca.transitions.systems import build_system

_bucket = chosen._bucket
N_DEPS = 4
SYSTEMS = {"tree": build_system("tree", LABELS), "tupa": build_system("tupa", LABELS + LINK_LABELS)}


def walks(name: str, n_states: int) -> Iterator[tuple[State, Syntax]]:
    """YIELDS (Tuple[State, Syntax]): States of random walks that go on after each, and dependency trees."""
    system, rng = SYSTEMS[name], random.Random(0)
    while True:
        for way in POLICIES:
            n = rng.choice([1, 2, 3, 7, 20, 40])
            syntax = random_syntax(rng, n, N_DEPS) if rng.random() < 0.8 else no_syntax(n)
            choose = policy(system, rng.randrange(1000), POLICIES[way])
            state = system.start(n)
            while not state.done and state.steps < 300:
                if rng.random() < 0.2:
                    yield state, syntax
                    n_states -= 1
                    if not n_states:
                        return
                system.apply(state, choose(system.valid(state).nonzero()[0].tolist()))


def test_rows_are_those_written_out_by_hand() -> None:
    read = StateReader(STATE_COLUMNS)
    expected = [0] * len(STATE_COLUMNS)
    seen: list[set[int]] = [set() for _ in STATE_COLUMNS]
    for state, syntax in (*walks("tree", 2000), *walks("tupa", 2000)):
        slow_row(state, syntax, expected)
        assert read([state], [syntax])[0].tolist() == expected
        for values, value in zip(seen, expected):
            values.add(value)
    for column, values in zip(STATE_COLUMNS, seen):
        assert len(values) > 1, f"{column} is never anything else"


@pytest.mark.parametrize(
    "columns", [STATE_COLUMNS, TEMPLATE_COLUMNS], ids=["networks", "templates"]
)
def test_plain_and_compiled_rows_are_the_same(columns: tuple[Column, ...]) -> None:
    program = compile_columns(columns)
    codes = [7 * action for action in range(SYSTEMS["tupa"].n_actions)]
    read = StateReader(columns, codes)
    for state, syntax in walks("tupa", 500):
        row = [99] * len(columns)
        plain.fill_row(program, [0] * 4 * program[0], codes, state, syntax, row)
        assert read([state], [syntax])[0].tolist() == row


def test_each_property_is_in_a_column() -> None:
    columns = *STATE_COLUMNS, *TEMPLATE_COLUMNS
    assert {column.what for column in columns} == set(PROPERTIES)
    for part in (STATE_COLUMNS, TEMPLATE_COLUMNS):
        assert len(set(part)) == len(part) == len({str(column) for column in part})
    kinds = [PROPERTIES[column.what].kind for column in FIRST_COLUMNS]
    assert kinds == sorted(kinds, key=[TOKEN, CATEGORY, BITS].index)
    assert kinds.count(TOKEN) == 9 and kinds.count(BITS) == 2


def test_nodes_come_behind_those_that_lead_to_them() -> None:
    assert list_nodes(["s1rr", "b2", "", "a0", "s0z", "b0"]) == (
        *("s0", "s1", "b0", "b2", "s0z", "s1r", "s1rr"),
    )
    for name in ("s0", "b3", "s1rr", "s0az"):
        assert is_node(name)
    for name in ("", "s", "a0", "s0x", "s0 ", "t0", "s12"):
        assert not is_node(name)


@pytest.mark.parametrize(
    "wrong",
    [Column("s0", "colour"), Column("q0", "head"), Column("a0", "head"), Column("s0", "gap", "x")],
)
def test_columns_that_mean_nothing(wrong: Column) -> None:
    with pytest.raises(ValueError, match=wrong.what):
        compile_columns([wrong])


def test_any_node_of_the_figure_can_be_read() -> None:
    """A schema of other columns needs no other code: children of children, items deep in stack and buffer."""
    nodes = ("s2", "s1rr", "s0l", "s0lu", "b1")
    whats = ("head", "first", "last", "label", "children")
    columns = [Column(node, what) for node in nodes for what in whats]
    read, seen = StateReader(columns), set()
    for state, syntax in walks("tree", 1500):
        found = iter(read([state], [syntax])[0].tolist())
        for name in nodes:
            node = find_node(state, name)
            values = [next(found) for _ in whats]
            if node is None:
                assert values == [-1, -1, -1, 0, 0]
            elif node < 0:  # a token of the buffer
                assert values == [~node, ~node, ~node, 0, 0]
            elif node != ROOT:
                tokens = sorted(tokens_of(state, node))
                first, last = (tokens[0], tokens[-1]) if tokens else (-1, -1)
                count = _bucket(len(state.children[node]))
                assert values == [state.head[node], first, last, state.label[node], count]
                seen.add(name)
    assert seen == {"s2", "s1rr", "s0l", "s0lu", "b1"}


def find_node(state: State, name: str) -> int | None:
    items = state.stack if name[0] == "s" else state.buffer
    if int(name[1]) >= len(items):
        return None
    node = items[-1 - int(name[1])]
    for letter in name[2:]:
        kids = state.children[node] if node >= 0 else []
        if not kids or (letter == "u" and len(kids) > 1):
            return None
        if letter == "r":
            node = max(kids, key=lambda kid: state.last[kid])
        else:
            node = min(kids, key=lambda kid: state.first[kid])
    return node


def tokens_of(state: State, node: int) -> set[int]:
    return set(state.terminals[node]).union(*(tokens_of(state, k) for k in state.children[node]))


# The same by hand


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


def slow_row(state: State, syntax: Syntax, row: list[int]) -> None:
    """Write the row of a state: each of `STATE_COLUMNS`, one by one, in their order."""
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
