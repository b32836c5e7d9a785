"""Inventory: what is read off gold graphs, and that it stays the same through plain data."""

import json

import numpy
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import LINKAGE, TERMINAL
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.span_parser.labels import SpanLabels
from spacy_ucca.transitions.systems import build_system

NAMES = ("tree", "tupa")


@pytest.mark.parametrize("name", NAMES)
def test_collects_all_labels_of_the_sample(name: str, sample: list[Graph]) -> None:
    inventory = Inventory.collect(name, sample, {"nsubj", "obj"})
    labels = {
        edge.label
        for graph in sample
        for edge in graph.edges
        if name == "tupa" or edge.parent.kind != LINKAGE
    }
    assert set(inventory.labels) == labels
    assert ("LR" in labels) == (name == "tupa")
    assert list(inventory.labels) == sorted(labels)
    assert inventory.deps == ("nsubj", "obj")
    remote = [e for graph in sample for e in graph.edges if e.remote]
    assert set(inventory.remote_labels) == {e.label for e in remote}
    assert set(inventory.remote_child_labels) == {e.child.label for e in remote}
    assert ("A",) in inventory.implicit and () not in inventory.implicit


@pytest.mark.parametrize("name", NAMES)
def test_order_of_the_data_changes_nothing(name: str, sample: list[Graph]) -> None:
    first = Inventory.collect(name, sample, ["b", "a"])
    second = Inventory.collect(name, sample[::-1], ["a", "b"])
    assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_round_trip_through_json(name: str, sample: list[Graph]) -> None:
    inventory = Inventory.collect(name, sample, {"nsubj"})
    again = Inventory(name, **json.loads(json.dumps(inventory.to_dict())))
    assert again.to_dict() == inventory.to_dict()
    assert again.n_outputs == inventory.n_outputs
    assert again.schemas == inventory.schemas
    assert again.implicit == inventory.implicit
    assert again.dep_ids == inventory.dep_ids
    assert [str(a) for a in again.system.actions] == [str(a) for a in inventory.system.actions]


def test_nothing() -> None:
    inventory = Inventory.collect("tree", [], [])
    assert inventory.labels == () and inventory.n_outputs["remotes"] == 1
    assert inventory.remote_children.tolist() == [False]
    assert inventory.bags == [[]] and inventory.remote_ids == [0]
    assert inventory.to_dict() == Inventory("tree").to_dict()


def test_dependency_labels_are_numbered_as_docs_have_them(sample: list[Graph]) -> None:
    deps = ["nsubj", "det", "nmod:poss", "obl", "amod", "ROOT"]
    doc = Doc(Vocab(), words=["a"] * len(deps), heads=[0] * len(deps), deps=deps)
    for inventory in (
        Inventory.collect("tree", sample, deps),
        SpanLabels.collect("tree", sample, deps),
    ):
        numbers = [inventory.dep_ids[dep] for dep in doc.to_array("DEP").tolist()]
        assert [inventory.deps[i - 1] for i in numbers] == deps
        saved = inventory.to_dict()
        again = Inventory.from_dict("tree", {**saved})
        assert again.dep_ids == inventory.dep_ids


def test_classes_are_labels_by_number(sample: list[Graph]) -> None:
    inventory = Inventory.collect("tree", sample, [])
    names = inventory.system.label_names
    assert inventory.remote_ids[0] == 0 and inventory.bags[0] == []
    assert [names[i] for i in inventory.remote_ids[1:]] == list(inventory.remote_labels)
    own, n = inventory.bags[1:], len(inventory.implicit)
    assert [tuple(names[i] for i in bag) for bag in own[:n]] == list(inventory.implicit)
    assert own[n:] == [[] for _ in inventory.remote_only] and inventory.remote_only
    assert len(inventory.remote_ids) == inventory.n_outputs["remotes"]
    assert len(inventory.bags) == inventory.n_outputs["implicit"]
    flagged = {names[i] for i in numpy.nonzero(inventory.remote_children)[0]}
    assert flagged == set(inventory.remote_child_labels)


def test_bags_have_an_order_of_their_own() -> None:
    first, second = read_brackets(
        "[H [A IMPLICIT] [E IMPLICIT] [P Go]]\n\n[H [E IMPLICIT] [P Go] [A IMPLICIT]]"
    )
    inventory = Inventory.collect("tree", [first, second], [])
    assert inventory.implicit == (("A", "E"),)


def test_what_units_lack_is_implicit_or_remote_only(sample: list[Graph]) -> None:
    inventory = Inventory.collect("tree", sample, [])
    bags = [(), *inventory.implicit]
    seen = set()
    for unit in (unit for graph in sample for unit in graph.units if unit.kind != LINKAGE):
        implicit = sorted(e.label for e in unit.edges if e.child.is_implicit and not e.remote)
        remote = {e.label for e in unit.edges if e.remote}
        found = inventory.implicit_class(unit)
        if implicit:
            assert bags[found] == tuple(implicit)
        elif remote:
            assert inventory.remote_only[found - len(bags)] in remote
        else:
            assert found == 0
        seen.add((found > 0, found >= len(bags)))
    assert seen == {(False, False), (True, False), (True, True)}


def test_remote_only_units_are_told_apart_only_beside_implicit_units() -> None:
    text = "[H [A#a Ann] [P slept]] [L and] [H [A* =a] [P ate]"
    without, beside = (read_brackets(text + rest)[0] for rest in ("]", " [A IMPLICIT]]"))
    assert Inventory.collect("tree", [without], []).bags == [[]]
    assert Inventory.collect("tree", [beside], []).remote_only == ()
    assert Inventory.collect("tree", [without, beside], []).remote_only == ("A",)


def test_without_remote_only_labels(sample: list[Graph]) -> None:
    labels = Inventory.collect("tree", sample, []).to_dict()
    assert labels.pop("remote_only")
    without = Inventory("tree", **labels)
    assert without.n_outputs["implicit"] == len(without.implicit) + 1
    shared = next(u for g in sample for u in g.units if any(e.remote for e in u.edges))
    assert without.implicit_class(shared) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_new_label_goes_last_and_leaves_the_rest(name: str, sample: list[Graph]) -> None:
    old = Inventory.collect(name, sample[:20], {"nsubj"})
    before = old.to_dict()
    new = old.with_label("ZZ")
    assert old.to_dict() == before
    assert new.labels == (*old.labels, "ZZ")
    assert {**new.to_dict(), "labels": before["labels"]} == before
    assert all(new.system.label_ids[k] == v for k, v in old.system.label_ids.items())
    assert set(old.system.actions) < set(new.system.actions)


def test_linkage_is_left_to_the_system_that_has_it(sample: list[Graph]) -> None:
    tree = Inventory.collect("tree", sample, [])
    assert not {"LR", "LA"} & {*tree.labels, *tree.remote_labels}
    tupa = Inventory.collect("tupa", sample, [])
    assert tupa.system.predicts_linkage and TERMINAL in tupa.system.labels
    without = [graph for graph in sample if not graph.linkages]
    assert not Inventory.collect("tupa", without, []).system.predicts_linkage


def test_unknown_system() -> None:
    with pytest.raises(ValueError, match="UC301"):
        _ = Inventory("trees").system


@pytest.mark.parametrize("name", NAMES)
def test_labels_are_enough_for_the_oracle(name: str, sample: list[Graph]) -> None:
    system = Inventory.collect(name, sample, []).system
    for graph in sample:
        wanted = {e.label for e in system.target(graph).edges}
        assert wanted <= set(system.labels)
    assert system.name == build_system(name, ()).name
