"""Settings that are set on a component: refused if they are wrong, saved with it, and in the configuration of its pipeline."""

import copy
import pickle
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from util import parse

from spacy_ucca.errors import SettingError
from spacy_ucca.graph import IMPLICIT, Graph

# Of each component: settings other than the defaults
LIVE: dict[str, dict[str, Any]] = {
    "ucca_parser": {
        **{"guidelines": "v1", "linkage": True, "repair": False, "remote_threshold": 0.25},
        **{"implicit_threshold": 0.75, "beam_width": 4, "beam_density": 0.5},
        **{"exploration": 0.25, "exploration_start": 7, "keep_entities": True},
    },
    "ucca_span_parser": {
        **{"guidelines": "v1", "linkage": True, "repair": False, "remote_threshold": 0.25},
        **{"implicit_threshold": 0.75, "decoder": "topdown", "loss": "margin"},
        **{"threshold": 0.25, "max_length": 99, "one_step": True},
    },
    "sdp_parser": {
        **{"loss": "margin", "noedge_weight": 0.5, "deterministic": True, "tree": True},
        **{"both_directions": True, "max_distance": 0, "min_label_freq": 3},
    },
    "ucca_from_bilexical": {"levels": False, "one_unit": True, "linkage": True, "repair": False},
    "ucca_from_dependencies": {
        "levels": False,
        "one_unit": True,
        "linkage": True,
        "repair": False,
        "clear": True,
    },
}
WRONG: list[Any] = ["4", "no", -1, 2.5, None, [], float("nan"), object()]


def make(factory: str, **config: Any) -> tuple[Language, Any]:
    nlp = spacy.blank("xx")
    return nlp, nlp.add_pipe(factory, name="own", config=config)


def values(component: Any, factory: str) -> dict[str, Any]:
    return {name: getattr(component, name) for name in LIVE[factory]}


def set_all(component: Any, factory: str) -> None:
    for name, value in LIVE[factory].items():
        assert getattr(component, name) != value
        setattr(component, name, value)
    assert values(component, factory) == LIVE[factory]


@pytest.mark.parametrize("factory", LIVE)
def test_every_setting_is_tried(factory: str) -> None:
    nlp, component = make(factory)
    own = set(asdict(component.settings))
    if factory == "ucca_from_bilexical":
        own -= {"clear"}
    assert own == set(LIVE[factory])
    assert own <= set(nlp.get_pipe_config("own"))


@pytest.mark.parametrize("factory", LIVE)
def test_saved_with_the_pipeline(factory: str, tmp_path: Path) -> None:
    nlp, component = make(factory)
    set_all(component, factory)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert values(loaded.get_pipe("own"), factory) == LIVE[factory]
    loaded.to_disk(tmp_path / "again")
    again: Any = spacy.load(tmp_path / "again").get_pipe("own")
    assert values(again, factory) == LIVE[factory]
    other: Any = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert values(other.get_pipe("own"), factory) == LIVE[factory]
    for copied in (srsly.pickle_loads(srsly.pickle_dumps(nlp)), copy.deepcopy(component)):
        pipe = copied.get_pipe("own") if isinstance(copied, Language) else copied
        assert values(pipe, factory) == LIVE[factory]


@pytest.mark.parametrize("factory", LIVE)
def test_an_override_wins(factory: str, tmp_path: Path) -> None:
    """Also the value that the setting had before."""
    nlp, component = make(factory)
    before = values(component, factory)
    set_all(component, factory)
    nlp.to_disk(tmp_path)
    for name, old in before.items():
        loaded = spacy.load(tmp_path, config={f"components.own.{name}": old})
        expected = {**LIVE[factory], name: old}
        assert values(loaded.get_pipe("own"), factory) == expected
        config = loaded.config["components"]["own"]
        assert {key: config[key] for key in expected} == expected


@pytest.mark.parametrize("factory", LIVE)
def test_an_edited_configuration_wins(factory: str, tmp_path: Path) -> None:
    """That of a pipeline without changes at runtime, as the projects edit it."""
    nlp, _ = make(factory)
    nlp.to_disk(tmp_path)
    config = spacy.util.load_config(tmp_path / "config.cfg")
    config["components"]["own"].update(LIVE[factory])
    config.to_disk(tmp_path / "config.cfg")
    assert values(spacy.load(tmp_path).get_pipe("own"), factory) == LIVE[factory]


@pytest.mark.parametrize("factory", LIVE)
def test_the_configuration_of_the_pipeline_follows(factory: str) -> None:
    nlp, component = make(factory)
    set_all(component, factory)
    config = nlp.config["components"]["own"]
    assert {name: config[name] for name in LIVE[factory]} == LIVE[factory]
    rebuilt = spacy.util.load_model_from_config(nlp.config)
    assert values(rebuilt.get_pipe("own"), factory) == LIVE[factory]


@pytest.mark.parametrize("factory", LIVE)
def test_a_sourced_component_keeps_them(factory: str, tmp_path: Path) -> None:
    """Set before and after it was taken from another pipeline."""
    first, *others = LIVE[factory]
    source, component = make(factory)
    setattr(component, first, LIVE[factory][first])
    nlp = spacy.blank("xx")
    sourced: Any = nlp.add_pipe("own", source=source)
    for name in others:
        setattr(sourced, name, LIVE[factory][name])
    nlp.to_disk(tmp_path)
    del source, component
    assert values(spacy.load(tmp_path).get_pipe("own"), factory) == LIVE[factory]


@pytest.mark.parametrize("factory", LIVE)
def test_files_leave_settings_as_they_are(factory: str, tmp_path: Path) -> None:
    """Of a component, and of a whole pipeline: the configuration has them."""
    nlp, component = make(factory)
    defaults = values(component, factory)
    set_all(component, factory)
    nlp.to_disk(tmp_path)
    for load in (
        lambda new: new.from_disk(tmp_path),
        lambda new: new.from_bytes(nlp.to_bytes()),
    ):
        other, new = make(factory)
        load(other)
        assert values(new, factory) == defaults
        config = other.config["components"]["own"]
        assert rebuilt_values(config, factory) == defaults


def rebuilt_values(config: dict[str, Any], factory: str) -> dict[str, Any]:
    _, component = make(factory, **{name: config[name] for name in LIVE[factory]})
    return values(component, factory)


@pytest.mark.parametrize("factory", LIVE)
def test_saving_changes_no_file_of_the_user(factory: str, tmp_path: Path) -> None:
    nlp, component = make(factory)
    set_all(component, factory)
    nlp.to_disk(tmp_path)
    config = tmp_path / "config.cfg"
    edited = "# mine\n" + config.read_text()
    config.write_text(edited)
    if hasattr(component, "to_disk"):
        component.to_disk(tmp_path / "own", exclude=["vocab"])
    assert config.read_text() == edited


@pytest.mark.parametrize("factory", LIVE)
@pytest.mark.parametrize("how", ["sourced", "pickled", "copied"])
def test_an_override_of_a_copy_wins(factory: str, how: str, tmp_path: Path) -> None:
    """A pipeline that did not make the component: its saved configuration has the settings that hold."""
    source, component = make(factory)
    defaults = values(component, factory)
    if how == "sourced":
        nlp = spacy.blank("xx")
        nlp.add_pipe("own", name="other", source=source)
    else:
        nlp = copy.deepcopy(source) if how == "copied" else pickle.loads(pickle.dumps(source))
        nlp.rename_pipe("own", "other")
    set_all(nlp.get_pipe("other"), factory)
    nlp.to_disk(tmp_path)
    saved = spacy.util.load_config(tmp_path / "config.cfg")["components"]["other"]
    assert {name: saved[name] for name in LIVE[factory]} == LIVE[factory]
    for name, old in defaults.items():
        loaded = spacy.load(tmp_path, config={f"components.other.{name}": old})
        expected = {**LIVE[factory], name: old}
        assert values(loaded.get_pipe("other"), factory) == expected


def test_a_variable_of_the_configuration_can_be_overridden(tmp_path: Path) -> None:
    nlp, _ = make("ucca_parser")
    nlp.to_disk(tmp_path)
    file = tmp_path / "config.cfg"
    file.write_text(
        file.read_text().replace("beam_width = 1\n", "beam_width = ${vars.width}\n")
        + "\n[vars]\nwidth = 2\n"
    )
    spacy.load(tmp_path).to_disk(tmp_path / "again")
    for width in (2, 3):
        loaded: Any = spacy.load(tmp_path / "again", config={"vars.width": width})
        assert loaded.get_pipe("own").beam_width == width


def is_right(name: str, value: Any) -> bool:
    """RETURNS (bool): Whether one of the wrong values is a right one of this setting."""
    return (
        (name == "guidelines" and isinstance(value, str))
        or (name == "exploration" and value is None)
        or (name == "noedge_weight" and value == 2.5)
    )


@pytest.mark.parametrize("factory", LIVE)
def test_wrong_values_are_refused(factory: str) -> None:
    nlp, component = make(factory)
    before, config = asdict(component.settings), copy.deepcopy(nlp.get_pipe_config("own"))
    for name in LIVE[factory]:
        for value in WRONG:
            if is_right(name, value):
                continue
            with pytest.raises(ValueError, match=r"\[UC\d{3}\]") as caught:
                setattr(component, name, value)
            assert name in str(caught.value)
    assert asdict(component.settings) == before
    assert nlp.get_pipe_config("own") == config


@pytest.mark.parametrize("factory", LIVE)
def test_other_attributes(factory: str) -> None:
    """spaCy and subclasses set some of their own."""
    _, component = make(factory)
    component.set_error_handler(print)
    component.scorer = None
    for wrong in ({"repair": True}, None):
        with pytest.raises(SettingError, match="UC351") as caught:
            component.settings = wrong
        assert isinstance(caught.value, AttributeError)
    for name in ("mine", *(f"{own}s" for own in LIVE[factory])):
        setattr(component, name, 3)
        assert getattr(component, name) == 3


def test_numbers_of_arrays_are_plain(tmp_path: Path) -> None:
    import numpy

    _, parser = make("ucca_parser")
    parser.beam_width, parser.remote_threshold = numpy.int64(3), numpy.float32(0.5)
    assert (type(parser.beam_width), type(parser.remote_threshold)) == (int, float)
    parser.to_disk(tmp_path)


def test_calibration_is_checked() -> None:
    _, parser = make("ucca_parser")
    with pytest.raises(ValueError, match="UC353"):
        parser.calibration = {"primary": [1.0]}


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_the_ends_of_thresholds(
    tree: Language, sample: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`spacy find-threshold` tries 0 and 1: the first is as 0.01, the second adds nothing."""
    parser = tree.get_pipe("ucca_parser")
    monkeypatch.setattr(parser, "repair", False)  # which gives Scenes an implicit Process
    found = {}
    for value in (0, 0.01, 1.0):
        for name in ("remote_threshold", "implicit_threshold"):
            monkeypatch.setattr(parser, name, value)
        found[value] = parse(tree, sample)
    assert [g.to_record() for g in found[0]] == [g.to_record() for g in found[0.01]]
    assert not any(edge.remote for graph in found[1.0] for edge in graph.edge_tuples)
    assert not any(IMPLICIT in graph.kinds for graph in found[1.0])
    assert any(edge.remote for graph in found[0] for edge in graph.edge_tuples)


def test_pipelines_that_were_never_finished_do_not_matter() -> None:
    """As one lives on in a notebook after `spacy.load` has failed."""
    unfinished = Language.__new__(Language)
    nlp = spacy.blank("en")
    parser: Any = nlp.add_pipe("ucca_parser")
    parser.beam_width = 3
    assert nlp.config["components"]["ucca_parser"]["beam_width"] == 3
    assert not hasattr(unfinished, "_components")
