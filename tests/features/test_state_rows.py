"""Rows of states: their columns, their ranges, and the dependency tree behind them."""

import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transition_walks import LABELS, LINK_LABELS, POLICIES, policy
from util import no_syntax, random_syntax

import spacy_ucca
from spacy_ucca.features.state_rows import (
    MISSING,
    STATE,
    BatchRows,
    Rows,
    Schema,
    Syntax,
    TokenPlaces,
)
from spacy_ucca.native.columns import LABEL_BITS, N_BUCKETS
from spacy_ucca.native.load import rows as native_rows
from spacy_ucca.transition import State
from spacy_ucca.transitions.systems import build_system

_bucket, BUCKETS = native_rows._bucket, native_rows.BUCKETS

N_DEPS = 4
SYSTEMS = {"tree": build_system("tree", LABELS), "tupa": build_system("tupa", LABELS + LINK_LABELS)}


def read_row(schema: Schema, state: State, syntax: Syntax) -> list[int]:
    """RETURNS (List[int]): The row of one state."""
    row: list[int] = schema.read([state], [syntax])[0].tolist()
    return row


def check_row(schema: Schema, n_tokens: int, row: list[int]) -> None:
    n, m = len(schema.tokens), len(schema.tokens) + len(schema.categories)
    assert len(row) == m + len(schema.bits)
    for name, token in zip(schema.tokens, row):
        assert MISSING <= token < n_tokens, (name, token)
    for (name, size), value in zip(schema.categories, row[n:m]):
        assert 0 <= value < size, (name, value, size)
    assert all(0 <= bits < 1 << LABEL_BITS for bits in row[m:])


@pytest.mark.parametrize("chosen", POLICIES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_rows_of_any_state_fit_the_schema(name: str, chosen: str) -> None:
    system = SYSTEMS[name]
    schema = STATE.schema(system, N_DEPS)
    rng = random.Random(chosen)
    for n in (1, 2, 3, 7, 20, 60):
        for syntax in (random_syntax(rng, n, N_DEPS), no_syntax(n)):
            choose = policy(system, n, POLICIES[chosen])
            state = system.start(n)
            while not state.done:
                check_row(schema, n, read_row(schema, state, syntax))
                system.apply(state, choose(system.valid(state).nonzero()[0].tolist()))


def column(schema: Schema, row: list[int], name: str) -> int:
    names = [*schema.tokens, *(n for n, _ in schema.categories), *schema.bits]
    return row[names.index(name)]


def row_after(words: int, actions: list[str], syntax: Syntax | None = None):
    system = SYSTEMS["tree"]
    state = system.start(words)
    number = {str(a): i for i, a in enumerate(system.actions)}
    for action in actions:
        assert system.valid(state)[number[action]]
        system.apply(state, number[action])
    return system, read_row(STATE.schema(system, N_DEPS), state, syntax or no_syntax(words))


def test_columns_say_what_they_are_called() -> None:
    syntax = Syntax([1, 2, 2, 2], [1, 2, 0, 3])  # the -> cat -> slept <- .
    schema = STATE.schema(SYSTEMS["tree"], N_DEPS)
    actions = ["SHIFT", "NODE-A", "SHIFT", "NODE-C", "LEFT-EDGE-A", "SHIFT"]
    system, row = row_after(4, actions, syntax)

    def get(name: str) -> int:
        return column(schema, row, name)

    # stack: root, unit over [the] [cat], slept; buffer: .
    assert (get("s0 head"), get("s1 head"), get("s2 head"), get("b0 head")) == (2, 1, -1, 3)
    assert (get("s0 first"), get("s0 last"), get("s1 first"), get("s1 last")) == (2, 2, 0, 1)
    assert (get("s0 type"), get("s1 type"), get("s2 type"), get("b0 type")) == (2, 4, 1, 5)
    assert get("s0 children") == 0 and get("s1 children") == 2
    assert get("s1 length") == 1 and get("s1 height") == 2
    assert get("s1 s0 relation") == syntax.relation(1, 2) == 2 + 2 * 2
    assert get("s0 b0 relation") == 3 + 2 * 3
    assert get("s0 s1 governor") == 1 and get("s1 s0 governor") == 3
    assert get("s1 subtree") == 1 * 3 + 1  # the subtree of "cat" is the item
    assert get("s0 subtree") == 2 * 3 + 2  # that of "slept" reaches out on both sides
    assert get("buffer size") == 1 and get("stack size") == 2
    assert get("a0 action") == system.action_ids[system.actions[0]] + 1
    ids = system.label_ids
    assert get("s1 child labels") == (1 << ids["A"] - 1) | (1 << ids["C"] - 1)
    assert get("s0 child labels") == 0
    assert {get("s1a label"), get("s1z label")} == {ids["A"], ids["C"]}


def test_first_row() -> None:
    schema = STATE.schema(SYSTEMS["tree"], N_DEPS)
    _, row = row_after(2, [])
    assert column(schema, row, "s0 type") == 1
    assert column(schema, row, "b0 head") == 0
    assert column(schema, row, "s1 type") == 0
    for name in ("s0 head", "s0 first", "s0 last", "s1 head", "s1 first", "s2 head"):
        assert column(schema, row, name) == MISSING
    for name in ("a0 action", "a1 action", "a2 action"):
        assert column(schema, row, name) == 0


@given(st.integers(-5, 5000), st.integers(-5, 5000))
def test_buckets_grow(a: int, b: int) -> None:
    assert 0 <= _bucket(a) < N_BUCKETS
    if a <= b:
        assert _bucket(a) <= _bucket(b)
    assert _bucket(max(min(a, 63), 0)) == BUCKETS[max(min(a, 63), 0)] == _bucket(a)


def brute_edges(heads: list[int], token: int) -> tuple[int, int]:
    """First and last token of those from which heads lead to the token."""
    below = []
    for i in range(len(heads)):
        j, seen = i, set()
        while j >= 0 and j not in seen:
            if j == token:
                below.append(i)
            seen.add(j)
            j = heads[j]
    return min(below), max(below)


@settings(max_examples=200)
@given(
    st.integers(1, 12).flatmap(lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n))
)
def test_edges_of_subtrees(heads: list[int]) -> None:
    """For any heads at all, so for those with a cycle too."""
    syntax = Syntax(heads, [0] * len(heads))
    found = list(zip(syntax.left, syntax.right))
    assert found == [brute_edges(heads, token) for token in range(len(heads))]


def test_relation() -> None:
    syntax = Syntax([1, 1, 1, -1, -1], [2, 0, 3, 0, 0])
    assert syntax.relation(0, 0) == 1
    assert syntax.relation(0, 1) == 2 + 2 * 2 and syntax.relation(1, 0) == 3 + 2 * 2
    assert syntax.relation(0, 2) == syntax.relation(2, 0) == 1  # the same head
    assert syntax.relation(0, 3) == 0
    assert syntax.relation(3, 4) == 0  # two unknown heads are not the same
    assert syntax.relation(-1, 1) == syntax.relation(1, -1) == syntax.relation(-1, -1) == 0


def test_schema_offsets() -> None:
    schema = Schema(("t",), (("a", 3), ("b", 1), ("c", 5)), ())
    assert schema.offsets.tolist() == [0, 3, 4]
    assert schema.n_values == 9


def test_rows_are_taken_apart_and_categories_shifted() -> None:
    schema = Schema(("t", "u"), (("a", 3), ("b", 2)), ("x",))
    rows = schema.split(numpy.array([[0, 1, 2, 1, 5], [-1, 2, 0, 0, 1 << 40]]))
    assert rows.tokens.tolist() == [[0, 1], [-1, 2]]
    assert rows.categories.tolist() == [[2, 4], [0, 3]]
    assert rows.bits.tolist() == [[5], [1 << 40]]
    empty = schema.split(numpy.zeros((0, 5), dtype="int64"))
    assert [part.shape for part in empty] == [(0, 2), (0, 2), (0, 1)]


def test_rows_of_a_state_with_more_labels_than_bits() -> None:
    system = build_system("tree", [f"L{i}" for i in range(70)])
    schema = STATE.schema(system, 1)
    state = system.start(2)
    number = {str(a): i for i, a in enumerate(system.actions)}
    for action in ("SHIFT", "NODE-L69", "SHIFT", "RIGHT-EDGE-L2"):
        system.apply(state, number[action])
    row = read_row(schema, state, no_syntax(2))
    check_row(schema, 2, row)
    assert row[-2:] == [1 << 2, 0]


def test_stacking_and_placing() -> None:
    def rows(tokens: list[list[int]], value: int) -> Rows:
        n = len(tokens)
        return Rows(
            numpy.array(tokens, dtype="int32").reshape((n, 2)),
            numpy.full((n, 1), value, dtype="int32"),
            numpy.full((n, 1), value, dtype="int64"),
        )

    places = [numpy.array([0, 2, 3]), numpy.array([5]), numpy.array([8, 9])]
    stacked = TokenPlaces(places).stack(
        [rows([[0, 1], [2, -1]], 1), rows([], 2), rows([[1, 0], [-1, -1]], 3)]
    )
    assert stacked.tokens.tolist() == [[0, 2], [3, -1], [9, 8], [-1, -1]]
    assert stacked.categories.ravel().tolist() == [1, 1, 3, 3]
    assert stacked.bits.ravel().tolist() == [1, 1, 3, 3]
    assert stacked.tokens.dtype == numpy.int32
    assert stacked.tokens.flags.c_contiguous


def test_tokens_of_a_batch() -> None:
    places = TokenPlaces([numpy.array([0, 2, 3]), numpy.array([], dtype="int64"), numpy.array([8])])
    rows = numpy.array([[0, 2, -1], [-1, 0, 0], [-1, -1, -1]])
    found = places.of(rows, [0, 2, 1])
    assert found.tolist() == [[0, 3, -1], [-1, 8, 8], [-1, -1, -1]]
    assert found.dtype == numpy.int32
    assert TokenPlaces([]).of(rows[:0], numpy.zeros(0, dtype="int64")).shape == (0, 3)


def test_rows_of_a_batch_are_those_of_each_sentence_stacked() -> None:
    schema, rng = STATE.schema(SYSTEMS["tree"], N_DEPS), random.Random(0)
    syntaxes = [random_syntax(rng, n, N_DEPS) for n in (3, 5, 4)]
    places = [numpy.array([7, 8, 9]), numpy.arange(5), numpy.array([20, 11, 12, 13])]
    states = [SYSTEMS["tree"].start(n) for n in (3, 5, 4)]
    for state in states:
        SYSTEMS["tree"].apply(state, 0)
    active = [0, 2]
    sentences = [SimpleNamespace(syntax=s, places=p) for s, p in zip(syntaxes, places)]
    found = BatchRows(schema, sentences).of([states[i] for i in active], active)
    own = [schema.split(schema.read([states[i]], [syntaxes[i]])) for i in active]
    stacked = TokenPlaces([places[i] for i in active]).stack(own)
    for part, expected in zip(found, stacked, strict=True):
        assert part.dtype == expected.dtype and part.tolist() == expected.tolist()
        assert part.flags.c_contiguous


def test_features_need_neither_spacy_nor_thinc() -> None:
    code = (
        "import sys; sys.modules['spacy'] = sys.modules['thinc'] = None\n"
        "import importlib.util, types\n"
        "package = types.ModuleType('spacy_ucca'); package.__path__ = [sys.argv[1]]\n"
        "sys.modules['spacy_ucca'] = package\n"
        "import spacy_ucca.features.state_rows, spacy_ucca.features.unit_rows\n"
    )
    folder = str(Path(spacy_ucca.__file__).parent)
    subprocess.run([sys.executable, "-c", code, folder], check=True)


def test_state_is_not_changed() -> None:
    system = SYSTEMS["tree"]
    state = system.start(3)
    for _ in range(2):
        system.apply(state, 0)
    before = {name: repr(getattr(state, name)) for name in State.__slots__}
    read_row(STATE.schema(system, N_DEPS), state, no_syntax(3))
    assert before == {name: repr(getattr(state, name)) for name in State.__slots__}
