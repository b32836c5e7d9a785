"""Rows of units and of pairs of units of a finished tree."""

import random
import tracemalloc

import numpy
import pytest
from transition_walks import LABELS, POLICIES, policy
from util import no_syntax, random_syntax

from spacy_ucca.features.unit_rows import (
    MAX_PAIRS,
    MAX_PATH,
    MAX_REMOTE_DISTANCE,
    PAIRS,
    UNITS,
    UnitTable,
    _bucketed,
    relations,
)
from spacy_ucca.native.columns import LABEL_BITS
from spacy_ucca.native.load import rows as native_rows
from spacy_ucca.transition import ROOT, State
from spacy_ucca.transitions.systems import build_system

_bucket = native_rows._bucket
N_DEPS = 4
SYSTEM = build_system("tree", LABELS)
ALL_LABELS = numpy.array([False] + [True] * len(LABELS))


def random_state(n: int, seed: int, first: tuple = ()) -> State:
    choose = policy(SYSTEM, seed, first)
    state = SYSTEM.start(n)
    while not state.done:
        SYSTEM.apply(state, choose(SYSTEM.valid(state).nonzero()[0].tolist()))
    return state


def cases() -> list[UnitTable]:
    rng = random.Random(3)
    found = []
    for seed, (n, chosen) in enumerate((n, c) for n in (1, 2, 5, 12, 25) for c in POLICIES):
        syntax = random_syntax(rng, n, N_DEPS) if seed % 3 else no_syntax(n)
        found.append(UnitTable([random_state(n, seed, POLICIES[chosen])], [syntax]))
    return found


CASES = cases()


def ancestors(state: State, node: int) -> list[int]:
    """The node and those above it, up to the root."""
    found = [node]
    while state.parent[found[-1]] >= 0:
        found.append(state.parent[found[-1]])
    return found


@pytest.mark.parametrize("units", CASES)
def test_units_are_the_tree(units: UnitTable) -> None:
    state = units.state
    assert units.nodes[0] == ROOT
    # An empty node, left by MERGE, hangs nowhere.
    assert set(units.nodes) == {ROOT} | {i for i, parent in enumerate(state.parent) if parent >= 0}
    assert len(units.nodes) == len(set(units.nodes))
    for i, node in enumerate(units.nodes):
        up = ancestors(state, node)
        assert units.depth[i] == len(up) - 1
        assert units.nodes[units.parent[i]] == (up[1] if len(up) > 1 else ROOT)
        assert all((j <= i <= units.end[j]) == (n in up) for j, n in enumerate(units.nodes))
        assert units.n_children[i] == len(state.children[node])
        assert units.child_bits[i] == sum(
            1 << state.label[c] - 1 for c in set_by_label(state, node)
        )
        head = state.head[node]
        assert units.dep[i] == (units.syntax.deps[head] if head >= 0 else 0)


def set_by_label(state: State, node: int) -> list[int]:
    """Children, one for each label."""
    return list({state.label[c]: c for c in state.children[node]}.values())


@pytest.mark.parametrize("units", CASES)
def test_pairs_are_all_that_a_remote_edge_may_connect(
    units: UnitTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_ucca.features.unit_rows.MAX_PAIRS", 10**6)
    flags = numpy.array([False, True, False, True, True, False])
    state = units.state
    parents, children = units.pairs(flags)
    found = [(units.nodes[p], units.nodes[c]) for p, c in zip(parents, children)]
    assert len(found) == len(set(found))
    expected = {
        (p, c)
        for p in units.nodes
        for c in units.nodes
        if state.children[p]
        and ROOT not in (p, c)
        and flags[state.label[c]]
        and c not in ancestors(state, p)
        and state.parent[c] != p
        and abs(state.head[p] - state.head[c]) <= MAX_REMOTE_DISTANCE
    }
    assert set(found) == expected


def test_no_pairs_without_labels() -> None:
    for units in CASES[:20]:
        parents, children = units.pairs(numpy.zeros(len(LABELS) + 1, dtype="bool"))
        assert len(parents) == len(children) == 0
        rows = units.pair_rows(PAIRS.schema(SYSTEM, N_DEPS), parents, children)
        assert [len(part) for part in rows] == [0, 0, 0]


def check_ranges(schema, rows, n_tokens: int) -> None:
    n = len(rows.tokens)
    assert rows.tokens.shape == (n, len(schema.tokens)) and rows.tokens.dtype == numpy.int32
    assert rows.categories.shape == (n, len(schema.categories))
    assert rows.bits.shape == (n, len(schema.bits)) and rows.bits.dtype == numpy.int64
    assert ((rows.tokens >= -1) & (rows.tokens < n_tokens)).all()
    values = rows.categories - schema.offsets
    for k, (name, size) in enumerate(schema.categories):
        assert ((values[:, k] >= 0) & (values[:, k] < size)).all(), name
    assert ((rows.bits >= 0) & (rows.bits < 1 << LABEL_BITS)).all()


@pytest.mark.parametrize("units", CASES)
def test_rows_fit_their_schemas(units: UnitTable) -> None:
    n = units.state.n_tokens
    schema = UNITS.schema(SYSTEM, N_DEPS)
    rows, indices = units.unit_rows(schema)
    assert len(rows.tokens) == len(indices)
    check_ranges(schema, rows, n)
    expected = {u for u in units.nodes if u != ROOT and units.state.children[u]}
    assert {units.nodes[i] for i in indices} == expected
    schema = PAIRS.schema(SYSTEM, N_DEPS)
    pairs = units.pairs(ALL_LABELS)
    rows = units.pair_rows(schema, *pairs)
    assert len(rows.tokens) == len(pairs[0])
    check_ranges(schema, rows, n)


@pytest.mark.parametrize("units", CASES)
def test_columns_of_pairs_equal_what_a_loop_finds(units: UnitTable) -> None:
    state, syntax = units.state, units.syntax
    schema = PAIRS.schema(SYSTEM, N_DEPS)
    parents, children = units.pairs(ALL_LABELS)
    rows = units.pair_rows(schema, parents, children)
    values = rows.categories - schema.offsets
    column = {name: values[:, k] for k, (name, _) in enumerate(schema.categories)}
    for i, (p, c) in enumerate(zip(parents, children)):
        up, child = units.nodes[p], units.nodes[c]
        above_p, above_c = ancestors(state, up), ancestors(state, child)
        lowest = next(node for node in above_p if node in above_c)
        path = min(above_p.index(lowest), MAX_PATH), min(above_c.index(lowest), MAX_PATH)
        assert divmod(int(column["path"][i]), MAX_PATH + 1) == path
        heads = state.head[up], state.head[child]
        assert column["relation"][i] == syntax.relation(*heads)
        of_parent = state.head[state.parent[child]]
        assert column["child parent-unit relation"][i] == syntax.relation(heads[0], of_parent)
        gap = heads[1] - heads[0]
        assert column["distance"][i] == (_bucket(gap) if gap >= 0 else 11 + _bucket(-gap))
        labels = {state.label[k] for k in state.children[up]}
        assert column["label taken"][i] == (state.label[child] in labels)
        siblings = state.children[state.parent[child]]
        assert column["child rank"][i] == _bucket(siblings.index(child))
        assert column["child label"][i] == state.label[child]
        assert column["unit parent label"][i] == state.label[state.parent[up]]
        last = state.last[child]
        assert rows.tokens[i].tolist() == [
            *(heads[0], state.first[up], heads[1]),
            *(state.first[child], last),
        ]


@pytest.mark.parametrize("units", CASES[::3])
def test_relations_over_arrays(units: UnitTable) -> None:
    n = units.state.n_tokens
    i, j = (a.ravel() for a in numpy.mgrid[-1:n, -1:n])
    expected = [units.syntax.relation(a, b) for a, b in zip(i.tolist(), j.tolist())]
    assert relations(units.token_heads, units.token_deps, i, j).tolist() == expected


def test_buckets_over_arrays() -> None:
    values = numpy.arange(-3, 300)
    assert _bucketed(values).tolist() == [_bucket(v) for v in values.tolist()]


def test_more_labels_than_bits() -> None:
    system = build_system("tree", [f"L{i}" for i in range(70)])
    state = system.start(3)
    number = {str(a): i for i, a in enumerate(system.actions)}
    for action in (
        "SHIFT NODE-L69 SHIFT NODE-L1 SHIFT NODE-L60 RIGHT-EDGE-L60 RIGHT-EDGE-L2"
    ).split():
        system.apply(state, number[action])
    system.apply(state, number["RIGHT-EDGE-L3"])
    assert state.done
    units = UnitTable([state], [no_syntax(3)])
    schema = PAIRS.schema(system, 1)
    parents, children = units.pairs(numpy.array([False] + [True] * 70))
    assert len(parents)
    check_ranges(schema, units.pair_rows(schema, parents, children), 3)


@pytest.mark.parametrize(
    "chosen", ["uniform", "shift first", pytest.param("nodes", marks=pytest.mark.slow), "left"]
)
def test_long_sentence_in_bounded_memory(chosen: str) -> None:
    n = 1000
    state = random_state(n, 0, POLICIES[chosen])
    tracemalloc.start()
    units = UnitTable([state], [no_syntax(n)])
    pairs = units.pairs(ALL_LABELS)
    units.pair_rows(PAIRS.schema(SYSTEM, N_DEPS), *pairs)
    units.unit_rows(UNITS.schema(SYSTEM, N_DEPS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(pairs[0]) <= MAX_PAIRS * n
    assert peak < 1e9


def test_too_many_pairs_keep_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    units = UnitTable([random_state(12, 5, POLICIES["nodes"])], [no_syntax(12)])
    everything = list(zip(*units.pairs(ALL_LABELS)))
    monkeypatch.setattr("spacy_ucca.features.unit_rows.MAX_PAIRS", 10)
    kept = list(zip(*units.pairs(ALL_LABELS)))
    assert len(everything) > 120 == len(kept)
    assert kept == [pair for pair in everything if pair in set(kept)]

    def gap(pair: tuple) -> int:
        return abs(int(units.head[pair[0]]) - int(units.head[pair[1]]))

    assert max(map(gap, kept)) <= min(gap(pair) for pair in set(everything) - set(kept))
