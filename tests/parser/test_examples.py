"""Lessons: rows and classes of gold sentences, and that perfect scorers would rebuild the graphs."""

import random

import numpy
import pytest
from perfect import corpus_sentences, expected_graph, parse_perfectly
from util import no_syntax, random_syntax

from spacy_ucca.errors import OracleError
from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.targets import make_targets
from spacy_ucca.transitions.rebuild import rebuild

NAMES = ("tree", "tupa")


@pytest.fixture(scope="module", params=NAMES)
def inventory(request: pytest.FixtureRequest, sample: list[Graph]) -> Inventory:
    return Inventory.collect(request.param, sample, {"a", "b", "c"})


def test_classes_are_allowed_and_those_of_the_oracle(
    inventory: Inventory, sample: list[Graph]
) -> None:
    rng = random.Random(0)
    for graph in sample:
        n = len(graph.words)
        for syntax in (no_syntax(n), random_syntax(rng, n, 4)):
            targets = make_targets(inventory, graph, syntax)
            rebuilt = rebuild(graph, inventory.system)
            rows, classes, mask = targets["actions"][:3]
            assert rebuilt.exact
            assert classes.tolist() == list(rebuilt.actions)
            assert len(rows.tokens) == len(rows.categories) == len(rows.bits) == len(classes)
            assert mask is not None and mask.shape == (len(classes), inventory.system.n_actions)
            assert mask[numpy.arange(len(classes)), classes].all()
            for name, right in targets.items():
                assert len(right.rows.tokens) == len(right.classes)
                assert right.classes.min(initial=0) >= 0
                assert right.classes.max(initial=0) < inventory.n_outputs[name]
                assert right.rows.categories.max(initial=0) < inventory.schemas[name].n_values
        expected = {"actions"} | (
            {"remotes", "implicit"} if inventory.system_name == "tree" else set()
        )
        assert set(targets) == expected


def test_masks_and_rows_are_those_of_the_states(inventory: Inventory, sample: list[Graph]) -> None:
    system = inventory.system
    graph = max(sample, key=lambda g: len(g.words))
    right = make_targets(inventory, graph, no_syntax(len(graph.words)))["actions"]
    state = system.start(len(graph.words))
    for row, action in zip(right.mask, right.classes.tolist()):
        numpy.testing.assert_array_equal(row, system.valid(state))
        system.apply(state, action)
    assert state.done


def test_perfect_scorers_give_the_gold_graphs(inventory: Inventory, sample: list[Graph]) -> None:
    """Decoding undoes the making of targets, all sentences of the sample in one batch."""
    found = parse_perfectly(inventory, sample)
    missed = []
    for graph, parsed in zip(sample, found):
        if not parsed.same_structure(expected_graph(inventory, graph)):
            missed.append(graph.details["id"])
    assert missed == []
    assert any(unit.is_implicit for graph in found for unit in graph)
    assert any(edge.remote for graph in found for edge in graph.edges)


def test_nothing_of_the_sample_is_out_of_reach_but_what_is_named(sample: list[Graph]) -> None:
    """`tree` cannot give linkage; `expected_graph` leaves no more out than that here."""
    for name in NAMES:
        inventory = Inventory.collect(name, sample, [])
        for graph in sample:
            wanted = graph.without(linkage=name == "tree")
            same = expected_graph(inventory, graph).same_structure(wanted)
            assert same or graph.details["id"] in OUT_OF_REACH[name]


OUT_OF_REACH: dict[str, set[str]] = {
    "tree": {"remote-implicit", "possessive-pronoun"},
    "tupa": set(),
}


def test_remote_classes(sample: list[Graph]) -> None:
    inventory = Inventory.collect("tree", sample, [])
    graph = next(g for g in sample if g.details["id"] == "parallel-scenes-shared-participants")
    targets = make_targets(inventory, graph, no_syntax(len(graph.words)))
    found = [inventory.remote_labels[c - 1] for c in targets["remotes"].classes if c]
    assert found == ["A", "A"]
    lacking = [c - len(inventory.implicit) - 1 for c in targets["implicit"].classes if c]
    assert [inventory.remote_only[c] for c in lacking] == ["A"] * len(lacking) and lacking


def test_remote_edges_to_units_of_several_tokens() -> None:
    """The tokens of such a unit were nodes of their own before MERGE."""
    graphs = read_brackets(
        "[H [A#n Cary Grant Jr] [P came]] [L and] [H [A* =n] [P left]]\n\n"
        "[H [A She] [P#g gave] [A it] [P#g- up]] [L and] [H [A they] [P* =g]]\n\n"
        "[H [A#a One] [S is] [A#a- two] [A [E three] [C four]]] [L and] [H [A* =a] [P left]]"
    )
    inventory = Inventory.collect("tree", graphs, [])
    for graph, found in zip(graphs, parse_perfectly(inventory, graphs)):
        assert found.same_structure(graph)
        right = make_targets(inventory, graph, no_syntax(len(graph.words)))["remotes"]
        assert numpy.count_nonzero(right.classes) == 1


def test_implicit_classes(sample: list[Graph]) -> None:
    inventory = Inventory.collect("tree", sample, [])
    graph = next(g for g in sample if g.details["id"] == "implicit-center")
    targets = make_targets(inventory, graph, no_syntax(len(graph.words)))
    classes = [c for c in targets["implicit"].classes if c]
    assert [inventory.implicit[c - 1] for c in classes] == [("C",)]


def test_labels_that_are_unknown(sample: list[Graph]) -> None:
    graph = read_brackets("[H [A Ann] [P slept]] [U .]")[0]
    for name in NAMES:
        inventory = Inventory(name, ["H", "P", "U"])
        with pytest.raises(OracleError, match=r"\[UC303\].*'A'.*add_label"):
            make_targets(inventory, graph, no_syntax(4))


def test_remote_and_implicit_labels_that_are_unknown_have_no_targets() -> None:
    graph = read_brackets("[H [A#a Ann] [P slept] [A IMPLICIT]] [L and] [H [A* =a] [P ate]]")[0]
    inventory = Inventory("tree", ["A", "H", "L", "P"])
    targets = make_targets(inventory, graph, no_syntax(4))
    assert not targets["remotes"].classes.any() and not targets["implicit"].classes.any()


def test_tokens_attached_to_nothing_are_refused() -> None:
    graph = read_brackets("[H [A Ann] [P slept]]")[0]
    loose = Graph([*graph.words, " "], graph.kinds, graph.edge_tuples)
    for name in NAMES:
        with pytest.raises(OracleError):
            make_targets(Inventory(name, ["H", "A", "P"]), loose, no_syntax(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_perfect_scorers_give_the_gold_graphs_of_corpora(name: str) -> None:
    """`expected_graph` says what the `tree` system's rows cannot reach; it has to be little."""
    for corpus, graphs in corpus_sentences(limit=120).items():
        usable = [g for g in graphs if rebuild(g, name).exact]
        inventory = Inventory.collect(name, usable, [])
        found = parse_perfectly(inventory, usable)
        expected = [expected_graph(inventory, graph) for graph in usable]
        wrong = sum(not a.same_structure(b) for a, b in zip(found, expected))
        assert (corpus, wrong) == (corpus, 0)
        whole = [g.without(linkage=not inventory.system.predicts_linkage) for g in usable]
        n_edges = sum(len(graph.edges) for graph in whole)
        assert n_edges - sum(len(graph.edges) for graph in expected) <= 0.007 * n_edges, corpus


def test_units_are_found_again(sample: list[Graph]) -> None:
    """The state that the classes lead to has the units whose rows were made."""
    inventory = Inventory.collect("tree", sample, [])
    for graph in sample:
        syntax = no_syntax(len(graph.words))
        targets = make_targets(inventory, graph, syntax)
        state = inventory.system.start(len(graph.words))
        for action in targets["actions"].classes.tolist():
            inventory.system.apply(state, action)
        units = UnitTable([state], [syntax])
        pairs = units.pairs(inventory.remote_children, inventory.remote_siblings)
        again = units.pair_rows(inventory.schemas["remotes"], *pairs)
        for a, b in zip(again, targets["remotes"].rows):
            numpy.testing.assert_array_equal(a, b)
