"""What is read off finished trees, by walking them in the plainest way: units, and edges of graphs."""

import random

import numpy
import pytest
from transition_walks import LABELS, POLICIES, policy, walk

from spacy_ucca.graph import EdgeTuple
from spacy_ucca.graph.categories import IMPLICIT, TERMINAL
from spacy_ucca.native import load as loop
from spacy_ucca.native import tree_walk
from spacy_ucca.transition import ROOT, State
from spacy_ucca.transitions.tree import TreeSystem

SYSTEM = TreeSystem(LABELS)
MODULES = [tree_walk, loop.tree_walk]  # plain, and compiled where it is


def make_state(seed: int, name: str) -> State:
    """RETURNS (State): A finished tree, some units of which are implicit and some edges have scores."""
    rng = random.Random(seed)
    state, _ = walk(SYSTEM, rng.randrange(9), policy(SYSTEM, seed, POLICIES[name]))
    for _ in range(rng.randrange(3)):
        node = state.add_node()
        state.implicit[node] = True
        state.attach(rng.randrange(node), node, rng.randrange(1, 1 + len(LABELS)), 1)
    for node in range(1, len(state.parent)):
        if rng.random() < 0.5:
            state.scores[node] = rng.random()
    return state


def below(state: State, node: int) -> list[int]:
    """RETURNS (List[int]): A node and all below it, depth first."""
    return [node, *(n for child in state.children[node] for n in below(state, child))]


@pytest.mark.parametrize("name", ["uniform", "nodes", "swaps", "left", "right"])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("module", MODULES)
def test_units(module, seed, name):
    state, before, start, offset = make_state(seed, name), make_state(seed + 50, name), 0, 3
    nodes: list[int] = []
    room = len(before.label) + len(state.label)
    columns = numpy.zeros((module.N_UNIT_COLUMNS, room), dtype="int32")
    child_bits = numpy.zeros(room, dtype="int64")
    module.list_units(before, 0, 0, nodes, columns, child_bits)
    start = len(nodes)
    module.list_units(state, start, offset, nodes, columns, child_bits)
    own = below(state, ROOT)
    assert nodes[start:] == own
    number = {node: start + i for i, node in enumerate(own)}
    assert not columns[:, len(nodes) :].any()
    for node in own:
        unit = columns[:, number[node]].tolist()
        parent, depth, rank, head, first, last, label, height, n_children, end, when = unit
        up = state.parent[node]
        assert parent == number.get(up, number[node]) and label == state.label[node]
        above = 0 if node == ROOT else columns[1, parent] + 1
        assert depth == above and n_children == len(state.children[node])
        assert rank == (0 if node == ROOT else state.children[up].index(node))
        words = state.last[node] >= 0
        assert head == (state.head[node] + offset if state.head[node] >= 0 else -1)
        assert first == (state.first[node] + offset if words else -1)
        assert last == (state.last[node] + offset if words else -1)
        assert (height, when) == (state.height[node], state.when[node])
        assert child_bits[number[node]] == sum(
            {1 << state.label[child] >> 1 for child in state.children[node]}
        )
        assert end == number[node] + len(below(state, node)) - 1


@pytest.mark.parametrize("name", ["uniform", "nodes", "swaps", "left", "right"])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("module", MODULES)
def test_edges(module, seed, name):
    state = make_state(seed, name)
    tokens = [2 * i + 1 for i in range(state.n_tokens)]
    edges = [EdgeTuple(0, -1, (TERMINAL,))]  # of a sentence before
    kinds, scores = ["FN", "FN"], {0: 0.5}
    numbers = module.list_edges(
        state, tokens, SYSTEM.label_parts, IMPLICIT, (TERMINAL,), EdgeTuple, edges, kinds, scores
    )
    units = {node: number for node, number in enumerate(numbers) if number >= 0}
    assert sorted(units) == sorted(below(state, ROOT)) and units[ROOT] == 1
    assert sorted(units.values()) == list(range(1, len(kinds)))
    assert all(type(edge) is EdgeTuple and not edge.remote for edge in edges)
    expected = [(0, -1, (TERMINAL,), None)]
    for node, unit in units.items():
        expected += [(unit, ~tokens[i], (TERMINAL,), None) for i in state.terminals[node]]
        for child in state.children[node]:
            categories, kind = SYSTEM.label_parts[state.label[child]]
            expected.append((unit, units[child], categories, state.scores.get(child)))
            assert kinds[units[child]] == (IMPLICIT if state.implicit[child] else kind)
    found = [(*edge[:3], scores.get(i)) for i, edge in enumerate(edges)]
    assert scores[0] == 0.5 and sorted(found[1:], key=str) == sorted(expected[1:], key=str)
    for node, unit in units.items():  # children in text order
        node_of = {number: node for node, number in units.items()}
        own = [node_of[e.child] for e in edges[1:] if e.parent == unit and e.child >= 0]
        assert own == sorted(state.children[node], key=lambda child: state.first[child])
