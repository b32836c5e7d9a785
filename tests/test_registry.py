"""Everything the package registers with spaCy: found by its name, from a configuration alone; and each
configuration of `configs/` builds what it says."""

import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from spacy.util import load_config, registry
from thinc.api import Model

from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

ROOT = Path(__file__).parent.parent
ASSEMBLED = ROOT / "configs" / "assembled.cfg"  # which is not for training
CONFIGS = sorted(set((ROOT / "configs").glob("*.cfg")) - {ASSEMBLED})
GROUPS = {
    "spacy_architectures": "architectures",
    "spacy_scorers": "scorers",
    "spacy_readers": "readers",
    "thinc_optimizers": "optimizers",
    "spacy_callbacks": "callbacks",
    "spacy_factories": "factories",
}


def declared() -> list[tuple[str, str, str]]:
    """RETURNS (List[Tuple[str, str, str]]): Group, name and target of each entry point of setup.cfg."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf8")
    found = []
    for group, lines in setup["options.entry_points"].items():
        for line in lines.strip().splitlines():
            name, _, target = (part.strip() for part in line.partition("="))
            found.append((group, name, target))
    return found


REGISTERED = [item for item in declared() if item[0] in GROUPS]
ARCHITECTURES = [name for group, name, _ in REGISTERED if group == "spacy_architectures"]
# What an architecture needs beside its defaults.
ENCODER = {
    "tok2vec": {"@architectures": "spacy.HashEmbedCNN.v2"}
    | {"width": 16, "depth": 1, "embed_size": 50, "window_size": 1, "maxout_pieces": 2}
    | {"subword_features": True, "pretrained_vectors": None}
}
ARGUMENTS: dict[str, dict] = {
    "spacy-ucca.UccaModel.v1": ENCODER,
    "spacy-ucca.SpanModel.v1": ENCODER,
    "spacy-ucca.BiaffineEdges.v1": ENCODER,
    "spacy-ucca.Embed.v1": {"attrs": ["LOWER", "TAG"], "rows": [50, 20], "widths": [8, 4]},
    "spacy-ucca.BiLSTMEncoder.v1": {"width": 8},
    "spacy-ucca.Tok2Vec.v1": {
        "embed": {"@architectures": "spacy-ucca.Embed.v1"}
        | {"attrs": ["LOWER"], "rows": [50], "widths": [8]},
        "encode": {"@architectures": "spacy-ucca.BiLSTMEncoder.v1", "width": 8},
    },
}


def test_every_group_is_known():
    assert {group for group, _, _ in declared()} == {*GROUPS, "console_scripts"}


@pytest.mark.parametrize("group, name, target", REGISTERED, ids=lambda x: x)
def test_registered_under_its_name(group, name, target):
    if group == "spacy_factories":
        factory = spacy.blank("en").get_factory_meta(name)
        assert factory.factory == name
        assert {"doc._.ucca", "doc._.sdp", "token.head"} & set(factory.assigns)
    else:
        function = registry.get(GROUPS[group], name)
        assert f"{function.__module__}:{function.__name__}" == target
        assert name.startswith("spacy-ucca.") and name.rpartition(".v")[2].isdigit()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_architecture_resolves(name):
    config = {"model": {"@architectures": name, **ARGUMENTS.get(name, {})}}
    assert isinstance(registry.resolve(config)["model"], Model)


@pytest.mark.filterwarnings("ignore:.*UW301")  # the sample has no tags and heads
@pytest.mark.parametrize("name", [n for n in ARCHITECTURES if "Tupa" in n])
def test_tupa_architecture_learns_and_parses(name, sample: list[Graph]):
    nlp = spacy.blank("en")
    sizes = {"word_width": 16, "tag_width": 4, "dep_width": 4, "word_rows": 100, "hidden_width": 16}
    if "BiLSTM" in name:
        sizes["lstm_width"] = 16
    if "Sparse" in name:
        sizes = {"min_update": 2}
    config = {"model": {"@architectures": name, **sizes}}
    parser = nlp.add_pipe("ucca_parser", config=config)
    examples = []
    for graph in sample[:10]:
        reference = graph_to_doc(graph, nlp.vocab)
        examples.append(Example(bare_copy(reference, keep_annotations=False), reference))
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    assert "IMPLICIT-A" in parser.move_names  # the papers' own transitions
    losses = [nlp.update(examples, sgd=optimizer)["ucca_parser"] for _ in range(20)]
    assert losses[-1] < 0.8 * losses[0]
    doc = nlp(examples[0].predicted.copy())
    assert doc._.ucca.words == sample[0].words
    assert len(doc._.ucca.roots) == 1


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.name)
def test_config_resolves_and_builds(path):
    config = load_config(path)
    if "transformer" in config["components"]:
        pytest.importorskip("spacy_transformers", reason="spacy-transformers is not installed")
    # Frozen components are copied from a trained pipeline, which is not there: only ours is built.
    for name, component in list(config["components"].items()):
        if "source" in component:
            del config["components"][name]
    config["nlp"]["pipeline"] = list(config["components"])
    config["training"]["frozen_components"] = []
    for name in ("train", "dev", "silver"):
        if name in config["paths"]:
            config["paths"][name] = "corpus.spacy"
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names == list(config["components"])
    # Complete, as `spacy debug config` wants it: nothing is filled in here.
    sections = {name: config.interpolate()[name] for name in ("training", "initialize")}
    resolved = registry.resolve(sections["training"], schema=spacy.schemas.ConfigSchemaTraining)
    registry.resolve(sections["initialize"], schema=spacy.schemas.ConfigSchemaInit)
    assert resolved["max_epochs"] or resolved["max_steps"]
    readers = registry.resolve(nlp.config.interpolate()["corpora"])
    assert set(readers) == {"train", "dev"}
    if {"ucca_parser", "ucca_span_parser", "ucca_from_dependencies"} & set(nlp.pipe_names):
        assert nlp.config["training"]["score_weights"]["ucca_f"] == 1.0


def test_a_parser_is_put_over_the_tagger_of_another_pipeline(tmp_path: Path):
    for name, tag in (("syntax", "NEW"), ("source", "OLD")):
        nlp = spacy.blank("en")
        for component in ("tok2vec", "tagger", "parser"):
            nlp.add_pipe(component)
        nlp.get_pipe("tagger").add_label(tag)
        nlp.get_pipe("parser").add_label("dep")
        nlp.add_pipe("ucca_parser", config={"beam_width": 3 if name == "source" else 1})
        nlp.to_disk(tmp_path / name)
    command = [sys.executable, "-m", "spacy", "assemble", str(ASSEMBLED), str(tmp_path / "made")]
    paths = [f"--paths.{name}={tmp_path / name}" for name in ("syntax", "source")]
    subprocess.run([*command, *paths], check=True, capture_output=True)
    made = spacy.load(tmp_path / "made")
    assert made.pipe_names == ["tok2vec", "tagger", "parser", "ucca_parser"]
    assert made.get_pipe("tagger").labels == ("NEW",)
    assert made.config["components"]["ucca_parser"]["beam_width"] == 3


def test_default_config_is_the_default_model():
    # configs/ucca.cfg writes out what `nlp.add_pipe("ucca_parser")` uses.
    from spacy_ucca.component import DEFAULT_UCCA_MODEL

    written = load_config(ROOT / "configs" / "ucca.cfg")["components"]["ucca_parser"]["model"]
    default = spacy.blank("en")
    default.add_pipe("ucca_parser")
    filled = default.config["components"]["ucca_parser"]["model"]
    assert {**filled, "tok2vec": None} == {**written, "tok2vec": None}
    for part in ("embed", "encode"):
        ours, theirs = filled["tok2vec"][part], written["tok2vec"][part]
        assert {k: v for k, v in ours.items() if k in theirs} == dict(theirs)
    assert DEFAULT_UCCA_MODEL["system"] == "tree"


def test_span_config_is_the_default():
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
