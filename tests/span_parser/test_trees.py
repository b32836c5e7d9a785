"""Labels of spans and states of their trees: what the span parser makes of gold graphs, and graphs of that."""

import random
from collections import Counter

import numpy
import pytest
from hypothesis import given, settings
from strategies import graphs
from util import attached, no_syntax, random_syntax

from spacy_ucca.conversion.constituency import from_constituency, to_constituency
from spacy_ucca.conversion.tree import ConstituencyTree
from spacy_ucca.errors import GraphError
from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.span_parser.batch import N_LINKS, N_SHAPES, SpanBatch, SpanLayout, n_values
from spacy_ucca.span_parser.labels import SpanLabels
from spacy_ucca.span_parser.parse import relatives, to_state
from spacy_ucca.span_parser.training import (
    gold_pairs,
    gold_spans,
    make_targets,
)


def one(text):
    return read_brackets(text)[0]


def targets_of(labels, graph):
    return make_targets(labels, graph, no_syntax(len(graph.words)))


def implicit_of(labels, target):
    """RETURNS (List[Tuple[int, int]]): The nodes with implicit children or remote edges, and their class."""
    units = UnitTable([target.state], [no_syntax(len(target.graph.words))])
    rows, indices = units.unit_rows(labels.schemas["implicit"])
    classes = target.implicit.classes
    assert len(classes) == len(indices) == len(rows.tokens)
    return [(units.nodes[i], int(c)) for i, c in zip(indices, classes, strict=True) if c]


def graph_of(labels, target):
    """RETURNS (Graph): The graph of a target."""
    system, state = labels.system, target.state
    state.remotes = [
        (parent, child, labels.remote_ids[label]) for parent, child, label in target.remotes
    ]
    for parent, bag in implicit_of(labels, target):
        for label in labels.bags[bag]:
            node = state.add_node()
            state.implicit[node] = True
            state.attach(parent, node, label, system.ranks[label])
    return system.to_graph(state, target.graph.words)


def alone(unit):
    """RETURNS (bool): Whether an implicit unit hangs on a unit with tokens, by that edge alone."""
    return len(unit.incoming) == 1 and bool(unit.incoming[0].parent.tokens())


@settings(max_examples=150)
@given(graphs())
def test_targets_have_all_that_trees_have(graph):
    """The graph of a target is that of the tree; its spans are those of the tree."""
    graph = attached(graph)
    if graph is None:
        return
    labels = SpanLabels.collect("tree", [graph], ["nsubj"])
    target = targets_of(labels, graph)
    tree = to_constituency(graph)
    expected = from_constituency(tree)
    state, _ = to_state(labels.system, tree)
    assert labels.system.to_graph(state, graph.words, punct=graph.punct).same_structure(expected)
    assert {labels.spans[c - 1] for _, _, c in target.spans} == {span.label for span in tree.spans}
    layout = SpanLayout([len(graph.words)])
    gold = gold_spans(layout, [target])
    assert (gold.classes > 0).sum() == len(tree.spans)
    kept = {(i, j): labels.classes[label] for i, j, label in tree.spans}
    for start, end, label in zip(*layout.ends.tolist(), gold.classes.tolist(), strict=True):
        assert kept.get((start, end), 0) == label


def test_the_sample_comes_back(sample):
    labels = SpanLabels.collect("tree", sample, [])
    for graph in sample:
        found = graph_of(labels, targets_of(labels, graph))
        expected = graph.without(linkage=True)
        if not all(alone(unit) for unit in graph if unit.is_implicit):
            found, expected = (g.without(implicit=True) for g in (found, expected))
        assert found.same_structure(expected), graph.details["id"]


def test_pairs_have_the_remote_edges(sample):
    labels = SpanLabels.collect("tree", sample, [])
    targets = [targets_of(labels, graph) for graph in sample]
    syntaxes = [no_syntax(len(graph.words)) for graph in sample]
    units = UnitTable([t.state for t in targets], syntaxes)
    parents, children, classes = gold_pairs(units, targets)
    assert (classes > 0).sum() == sum(len(target.remotes) for target in targets) > 10
    shared = {(int(units.sentence[c]), units.nodes[c]) for c in children}
    assert shared == {(k, node) for k, target in enumerate(targets) for node in target.shared}
    assert (units.sentence[parents] == units.sentence[children]).all()


def test_units_have_the_implicit_children(sample):
    labels = SpanLabels.collect("tree", sample, [])
    found = [implicit_of(labels, targets_of(labels, graph)) for graph in sample]
    assert sum(map(len, found)) > 5
    for graph, pairs in zip(sample, found, strict=True):
        expected = Counter(map(labels.implicit_class, graph.units))
        assert Counter(c for _, c in pairs) <= expected


@given(graphs())
def test_relatives(graph):
    tree = to_constituency(graph)
    spans = [span[:2] for span in tree.spans]
    order = numpy.random.default_rng(0).permutation(2 * len(spans))
    twice = numpy.array([(k, *span) for k in (0, 1) for span in spans], dtype="int64").reshape(
        (-1, 3)
    )
    found = relatives(*twice[order].T)
    place = {tuple(row): i for i, row in enumerate(twice[order].tolist())}
    for (k, start, end), i in place.items():
        around = [s for s in spans if s != (start, end) and s[0] <= start and end <= s[1]]
        parent = min(around, key=lambda s: s[1] - s[0], default=None)
        assert found[i, 0] == (place[(k, *parent)] if parent else -1)
        if parent is None:
            assert (found[i] == -1).all()
            continue
        beside = [s for (q, *s), j in place.items() if q == k and found[j, 0] == found[i, 0]]
        before = max((s for s in beside if s[1] <= start), default=None)
        after = min((s for s in beside if s[0] >= end), default=None)
        assert found[i, 1] == (place[(k, *before)] if before else -1)
        assert found[i, 2] == (place[(k, *after)] if after else -1)


def test_labels():
    graph = one("[H [P#1 gave] [A#2 it] [P#1- up]] [L and] [H [P left] [D IMPLICIT] [A* =2]] [U .]")
    labels = SpanLabels.collect("tree", [graph], ["obj", "nsubj"])
    expected = {span.label for span in to_constituency(graph).spans}
    assert set(labels.spans) == expected and "A-remote-down1" in expected
    assert labels.remote_labels == ("A",) and labels.deps == ("nsubj", "obj")
    assert labels.implicit == (("D",),)
    again = SpanLabels(**labels.to_dict())
    assert again.to_dict() == labels.to_dict()
    grown = labels.with_label("E")
    assert grown.spans == (*labels.spans, "E") and "E" in grown.labels
    inner, whole = labels.allowed(False), labels.allowed(True)
    assert inner[0] and not whole[0] and not (inner & whole).any()
    assert [labels.spans[i - 1] for i in numpy.nonzero(whole)[0]] == ["ROOT"]
    rootless = SpanLabels(spans=["A", "P"]).allowed(True)
    assert rootless.tolist() == [False, True, True]
    with pytest.raises(GraphError, match="UC841"):
        targets_of(labels, one("[H [P go] [D now]]"))


def test_bags_of_implicit_units_that_no_tree_can_have_are_passed_over():
    graph = one("[H [P go] [ROOT IMPLICIT] [A IMPLICIT]] [L and] [H [P go] [A IMPLICIT]]")
    labels = SpanLabels.collect("tree", [graph], [])
    assert labels.implicit == (("A",),)
    assert [label for _, label in implicit_of(labels, targets_of(labels, graph))] == [1]


@pytest.mark.parametrize(
    "spans",
    [
        [],
        [(0, 3, "ROOT")],
        [(0, 3, "H")],
        [(0, 3, "ROOT+H"), (0, 2, "A-down2"), (0, 1, "C-left1"), (2, 3, "U")],
        [(0, 3, "ROOT"), (0, 2, "ROOT-down1"), (1, 2, "Terminal-down1")],
    ],
)
def test_any_tree_has_a_state(spans):
    tree = ConstituencyTree(
        tuple(one("[H a b c]").words and to_constituency(one("[H a b c]")).tokens), tuple(spans)
    )
    labels = SpanLabels(spans=sorted({label for _, _, label in spans}))
    state, nodes = to_state(labels.system, tree)
    graph = labels.system.to_graph(state, tree.words)
    assert all(graph.unit_of(i) is not None for i in range(3)) and len(graph.roots) == 1
    assert set(nodes) <= set(range(len(tree.nodes)))


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_a_batch(seed):
    """By the definitions, span by span."""
    rng = random.Random(seed)
    n_deps, lengths = 5, [3, 1, 6]
    syntaxes = [random_syntax(rng, n, n_deps) for n in lengths]
    places = [numpy.array([2, 3, 5]), numpy.array([6]), numpy.arange(8, 14)]
    batch = SpanBatch(places, syntaxes, n_deps)
    layout = batch.layout
    assert batch.rows[:, 4:].min() >= 0 and batch.rows[:, 4:].max() < n_values(n_deps)
    shapes = N_SHAPES + N_LINKS * n_deps
    for row, k, start, end in zip(batch.rows, layout.sentence, *layout.ends, strict=True):
        own, syntax, inside = places[k], syntaxes[k], range(start, end)
        before = batch.before[row[0]], batch.before[row[1]]
        after = batch.after[row[0]], batch.after[row[1]]
        assert before == (own[start - 1] if start else -1, own[end - 1])
        assert after == (own[start], own[end] if end < len(own) else -1)
        head = own.tolist().index(row[2])
        assert head in inside
        above = syntax.heads[head]
        assert row[3] == (-1 if above in (-1, head) else own[above])
        assert (row[5] - N_SHAPES) // N_LINKS == syntax.deps[head]
        neighbors = (start - 1 if start else -1), (end if end < len(own) else -1)
        for column, token in zip((6, 7), neighbors, strict=True):
            relation = (row[column] - shapes) % (2 + 2 * n_deps)
            assert relation == syntax.relation(head, token)


def test_roots_have_scenes_or_are_one():
    labels = SpanLabels(spans=["A", "H", "H+P", "L", "P", "ROOT", "ROOT+H", "U"])
    assert labels.is_bare_root.tolist() == [name == "ROOT" for name in ("", *labels.spans)]
    classes = [labels.classes[name] for name in ("ROOT", "H", "L", "ROOT", "A", "U", "ROOT", "U")]
    parents = [-1, 0, 0, -1, 3, 3, -1, 6]
    found = labels.has_scenes(numpy.array(classes), numpy.array(parents))
    assert found.tolist() == [1, 0, 0, -1, 0, 0, 0, 0]
