"""A transition system under a name of its own is asked what it can do, not what it is called."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import catalogue
import pytest
import spacy
from spacy.util import fix_random_seed
from util import make_examples, make_nlp, parse, tiny_config

import spacy_ucca.model
from spacy_ucca.errors import VersionError
from spacy_ucca.features.state_rows import STATE
from spacy_ucca.graph import LINKAGE, Graph
from spacy_ucca.layers.slot_scorer import ScorerKind, SlotScorer
from spacy_ucca.model import build_parser_model
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.transitions.rebuild import report
from spacy_ucca.transitions.systems import system_class, systems
from spacy_ucca.transitions.tree import TreeSystem
from spacy_ucca.transitions.tupa import TupaSystem

EXTEND = Path(__file__).parents[2] / "docs" / "extend.md"
SAMPLE = Path(__file__).parents[1] / "data" / "sample.txt"


class Renamed(TreeSystem):
    name = "renamed tree"


class RenamedTupa(TupaSystem):
    name = "renamed tupa"


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for system in (Renamed, RenamedTupa):
        monkeypatch.setitem(catalogue.REGISTRY, (*systems.namespace, system.name), system)


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


def own_code() -> str:
    """RETURNS (str): The Python code of the page that adds a system, up to its registration."""
    blocks = re.findall(r"```python\n(.*?)```", EXTEND.read_text("utf8"), re.DOTALL)
    return "\n".join(block for block in blocks if "class Short" in block)


def test_a_system_of_the_user_is_trained_and_loaded(sample: list[Graph], tmp_path: Path) -> None:
    code, model, text = tmp_path / "short.py", tmp_path / "model", tmp_path / "a.txt"
    code.write_text(own_code(), "utf8")
    text.write_text("John moved to Paris.", "utf8")
    train = f"""
import sys
sys.path[:0] = {[str(EXTEND.parents[1] / "tests")]}
import spacy
from spacy.util import import_file
from util import make_examples, tiny_config
import_file("python_code", {str(code)!r})
from spacy_ucca.formats.brackets import read_brackets
graphs = read_brackets(open({str(SAMPLE)!r}, encoding="utf8").read())
nlp = spacy.blank("en")
nlp.add_pipe("ucca_parser", config=tiny_config("short"))
examples = make_examples(nlp.vocab, graphs)
nlp.initialize(lambda: examples)
nlp.update(examples)
assert any(name.startswith("SHIFT-") for name in nlp.get_pipe("ucca_parser").move_names)
nlp.to_disk({str(model)!r})
"""
    subprocess.run([sys.executable, "-c", train], check=True)
    command = [sys.executable, "-m", "spacy_ucca", "parse", str(text), "-m", str(model)]
    for options, expected in ((["--code", str(code)], 0), ([], 1)):
        out = str(tmp_path / "out.xml")
        run = [*command, "-o", out, *options, "--n-process", "2"]
        result = subprocess.run(run, capture_output=True, text=True, check=False)
        assert result.returncode == expected, result.stderr
        assert ("--code FILE" in result.stderr) == bool(expected)
    oracle = [sys.executable, "-m", "spacy_ucca", "oracle", str(SAMPLE), "--system", "short"]
    subprocess.run([*oracle, "--code", str(code)], capture_output=True, check=True)


def test_new_columns_leave_trained_models_as_they_are(
    sample: list[Graph], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nlp = make_nlp(sample[:4])
    nlp.to_disk(tmp_path)
    expected = [graph.to_record() for graph in parse(nlp, sample[:4])]
    n_slots = nlp.get_pipe("ucca_parser").model.get_ref("actions").get_dim("nF")
    more = replace(STATE, new=(*STATE.new[:9], "s3 head", *STATE.new[9:], "s2 child labels"))
    monkeypatch.setattr(spacy_ucca.model, "STATE", more)
    assert [graph.to_record() for graph in parse(spacy.load(tmp_path), sample[:4])] == expected
    new = make_nlp(sample[:4]).get_pipe("ucca_parser").model.get_ref("actions")
    assert new.get_dim("nF") == n_slots + 1 and "s3 head" in new.attrs["reads"]


@pytest.mark.parametrize("name", ["actions", "remotes", "implicit"])
def test_models_that_do_not_say_what_they_read(name: str, sample: list[Graph]) -> None:
    """Those of spacy-ucca 0.2: they read the first columns."""
    nlp = make_nlp(sample[:4])
    model = nlp.get_pipe("ucca_parser").model
    scorer = model.get_ref(name)
    assert scorer.attrs["reads"] == [*scorer.attrs["columns of rows"].first]
    expected = [graph.to_record() for graph in parse(nlp, sample[:4])]
    del scorer.attrs["reads"]
    saved = nlp.get_pipe("ucca_parser").to_bytes()
    scorer.attrs["reads"] = [*scorer.attrs["columns of rows"].first]
    nlp.get_pipe("ucca_parser").from_bytes(saved)
    assert [graph.to_record() for graph in parse(nlp, sample[:4])] == expected


@pytest.mark.parametrize("name", ["actions", "remotes", "implicit"])
def test_a_column_that_this_version_does_not_have(
    name: str, sample: list[Graph], tmp_path: Path
) -> None:
    nlp = make_nlp(sample[:4])
    nlp.get_pipe("ucca_parser").model.get_ref(name).attrs["reads"][0] = "s0 colour"
    nlp.to_disk(tmp_path)
    with pytest.raises(VersionError, match=r"UC355.*'s0 colour'"):
        spacy.load(tmp_path)


def test_a_network_of_the_user(sample: list[Graph], tmp_path: Path) -> None:
    """An architecture that gives its scorers, one of a kind and with a column of its own."""

    class OwnKind(ScorerKind):
        def inputs(self, docs, vectors):
            return 2 * vectors

    def scorer_like(scorer):
        return own_scorer(scorer.get_dim("nH"))

    def own_scorer(width):
        scorer = SlotScorer(width, 1)
        scorer.attrs["kind"] = OwnKind(scorer_like)
        return scorer

    @spacy.registry.architectures("test_systems.Own.v1")
    def build(tok2vec, width: int):
        columns = replace(STATE, new=(*STATE.new, "s3 head"))
        return build_parser_model(tok2vec, "tupa", {"actions": (own_scorer(width), columns)})

    config = tiny_config("tupa")
    tok2vec = config["model"]["tok2vec"]
    model = {"@architectures": "test_systems.Own.v1", "tok2vec": tok2vec, "width": 8}
    nlp = make_nlp(sample[:4], config={"model": model})
    parser = nlp.get_pipe("ucca_parser")
    before = nlp.update(make_examples(nlp.vocab, sample[:4]))["ucca_parser"]
    assert before > 0 and parser.add_label("X")
    after = nlp.update(make_examples(nlp.vocab, sample[:4]))["ucca_parser"]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    scorer = loaded.get_pipe("ucca_parser").model.get_ref("actions")
    assert "s3 head" in scorer.attrs["reads"] and scorer.get_dim("nF") == 10
    found = [graph.to_record() for graph in parse(loaded, sample[:4])]
    assert found == [graph.to_record() for graph in parse(nlp, sample[:4])] and after > 0
