"""Which units remote edges may leave: those with a child of one of a few labels, chosen from the training data."""

import itertools

import numpy
from hypothesis import given
from hypothesis import strategies as st
from transition_walks import POLICIES, policy, walk
from util import no_syntax

from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.native.columns import BITS_MASK
from spacy_ucca.parser.labels import COVERAGE, FEW, Inventory, child_labels, covering_labels

LABELS = ["A", "C", "D", "P"]


@given(st.lists(st.frozensets(st.sampled_from(LABELS))), st.sampled_from([1, FEW]))
def test_labels_cover_enough_and_none_is_idle(parents, times):
    chosen = covering_labels(parents * times)

    def enough(labels):
        wanted = COVERAGE if len(parents) * times >= FEW else 1
        return sum(bool(own & set(labels)) for own in parents) >= wanted * len(parents)

    assert bool(chosen) == (bool(parents) and enough(LABELS))
    assert enough(chosen) or not chosen
    assert len(set(chosen)) == len(chosen)
    assert not any(enough(chosen[:n]) for n in range(len(chosen)))


def test_a_tenth_of_units_without_such_a_child_are_too_many():
    assert covering_labels([frozenset("A")] * 190 + [frozenset()] * 10) == ["A"]
    assert covering_labels([frozenset("A")] * 180 + [frozenset()] * 20) == []


def test_children_of_implicit_and_remote_edges_do_not_count():
    (graph,) = read_brackets("[H [A#n Ann] [P came]] [L and] [H [A* =n] [P left] [D IMPLICIT]]")
    scene = next(unit for unit in graph.units if any(edge.remote for edge in unit.edges))
    assert child_labels(scene) == {"P"}
    inventory = Inventory.collect("tree", [graph], [])
    assert inventory.remote_sibling_labels == ("P",)
    assert (
        Inventory.from_dict("tree", inventory.to_dict()).remote_siblings
        == inventory.remote_siblings
    )


def test_pairs_are_those_whose_parent_has_such_a_child():
    system = Inventory("tree", LABELS).system
    for seed in range(20):
        state, _ = walk(system, 8, policy(system, seed, POLICIES["uniform"]))
        units = UnitTable([state], [no_syntax(8)])
        every = list(zip(*(x.tolist() for x in units.pairs(numpy.ones(9, dtype="bool")))))
        inventory = Inventory("tree", LABELS, remote_siblings=["A", "P"])
        found = units.pairs(numpy.ones(9, dtype="bool"), inventory.remote_siblings)
        ids = {system.label_ids[label] for label in ("A", "P")}
        has = {int(p) for p, label in zip(units.parent, units.label) if label in ids}
        assert list(zip(*(x.tolist() for x in found))) == [pair for pair in every if pair[0] in has]


def test_any_unit_may_have_remote_edges_where_nothing_is_known():
    many = [f"X{i}" for i in range(60)]
    for siblings in ([], ["X0", "X59"]):  # of labels beyond those of bit sets, nobody knows
        inventory = Inventory("tree", many, remote_siblings=siblings)
        assert inventory.remote_siblings == BITS_MASK


def test_labels_of_other_data_join_those_that_are_known():
    for own, other in itertools.product([[], ["A"]], [[], ["A", "P"]]):
        first = Inventory("tree", LABELS, remote_siblings=own)
        second = Inventory("tree", LABELS, remote_siblings=other)
        merged = first.extended(second).remote_sibling_labels
        assert merged == ((*own, *(x for x in other if x not in own)) if own else ())
