"""A transition system under a name of its own is asked what it can do, not what it is called."""

import pytest
import spacy
from spacy.util import fix_random_seed
from util import make_examples, tiny_config

from spacy_ucca.graph import LINKAGE, Graph
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.transitions.rebuild import report
from spacy_ucca.transitions.systems import ORACLES, SYSTEMS, system_class
from spacy_ucca.transitions.tree import TreeSystem
from spacy_ucca.transitions.tree_oracle import TreeOracle
from spacy_ucca.transitions.tupa import TupaSystem
from spacy_ucca.transitions.tupa_oracle import TupaOracle


class Renamed(TreeSystem):
    name = "renamed tree"


class RenamedTupa(TupaSystem):
    name = "renamed tupa"


@pytest.fixture(autouse=True)
def systems(monkeypatch):
    monkeypatch.setitem(SYSTEMS, Renamed.name, Renamed)
    monkeypatch.setitem(ORACLES, Renamed.name, TreeOracle)
    monkeypatch.setitem(SYSTEMS, RenamedTupa.name, RenamedTupa)
    monkeypatch.setitem(ORACLES, RenamedTupa.name, TupaOracle)


@pytest.mark.parametrize("name", ["tree", "tupa"])
def test_labels_do_not_depend_on_the_name(name: str, sample: list[Graph]) -> None:
    assert any(unit.kind == LINKAGE for graph in sample for unit in graph.units)
    own, other = (Inventory.collect(which, sample, []) for which in (name, f"renamed {name}"))
    assert own.to_dict() == other.to_dict()
    assert own.system.actions == other.system.actions
    assert ("LR" in own.labels) == (name == "tupa")


@pytest.mark.parametrize("name", ["tree", "tupa"])
def test_reports_do_not_depend_on_the_name(name: str, sample: list[Graph]) -> None:
    own, other = (report(sample, which) for which in (name, f"renamed {name}"))
    assert own | {"system": ""} == other | {"system": ""}


def test_exploration_with_a_tree_system_of_another_name(sample: list[Graph]) -> None:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config={**tiny_config(Renamed.name), "exploration": 1.0})
    examples = make_examples(nlp.vocab, sample[:4])
    nlp.initialize(lambda: examples)
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    losses = [nlp.update(examples, sgd=optimizer)["ucca_parser"] for _ in range(40)]
    assert losses[-1] < losses[0]


def test_exploration_needs_a_dynamic_oracle() -> None:
    config = {**tiny_config(RenamedTupa.name), "exploration": 0.5}
    with pytest.raises(ValueError, match="UC325"):
        spacy.blank("en").add_pipe("ucca_parser", config=config)


def test_a_system_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"UC301.*renamed tree"):
        system_class("trees")
