"""configs/transformer.cfg with a transformer of random weights: it learns, it is stored, it goes by sentence."""

from pathlib import Path

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed, load_config, registry
from util import TINY, make_bert, make_doc, make_examples, parse, same_graphs

from spacy_ucca.graph import Graph
from spacy_ucca.training.optimizers import create_freeze_layers

pytest.importorskip("spacy_transformers", reason="spacy-transformers is not installed")
CONFIG = Path(__file__).parents[2] / "configs" / "transformer.cfg"
N_LAYERS = 4


@pytest.fixture(scope="module")
def nlp(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Language:
    """The pipeline of the configuration, small, without tagger and parser, and initialized."""
    pieces = sorted({word.lower() for graph in graphs for word in graph.words})
    config = load_config(CONFIG)
    config["paths"]["transformer"] = str(make_bert(tmp_path_factory.mktemp("bert"), pieces, 5))
    layers = {"num_hidden_layers": N_LAYERS}
    config["components"]["transformer"]["model"]["transformer_config"] = layers
    config["nlp"]["pipeline"] = ["transformer", "ucca_parser"]
    config["components"] = {name: config["components"][name] for name in config["nlp"]["pipeline"]}
    config["training"]["frozen_components"] = []
    model = config["components"]["ucca_parser"]["model"]
    model.update({key: TINY[key] for key in ("hidden_width", "pair_width", "unit_width")})
    for part, settings in TINY["tok2vec"].items():
        model["tok2vec"][part].update(settings)
    fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def weights(nlp: Language) -> dict[str, numpy.ndarray]:
    """RETURNS (Dict[str, numpy.ndarray]): The transformer's parameters."""
    module = nlp.get_pipe("transformer").model.transformer
    return {name: value.detach().numpy().copy() for name, value in module.named_parameters()}


def test_only_so_many_layers_are_used(nlp: Language) -> None:
    layers = {name.split(".")[2] for name in weights(nlp) if name.startswith("encoder.layer.")}
    assert len(layers) == N_LAYERS < 5


def test_gradient_reaches_the_transformer_and_rates_hold(
    nlp: Language, graphs: list[Graph]
) -> None:
    config = load_config(CONFIG)["training"]["optimizer"]
    optimizer = registry.resolve({"optimizer": {**config, "learn_rate": 0.01}})["optimizer"]
    before = weights(nlp)
    # spaCy applies what a shared layer has learnt from a batch when the next one comes.
    for _ in range(2):
        nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer)
    moved = {name: numpy.abs(value - before[name]).max() for name, value in weights(nlp).items()}
    rate = config["rates"]["encoder"]
    assert 0 < rate < 1
    for name, distance in moved.items():
        if name.startswith(("embeddings", "pooler")):
            assert distance == 0, name
        else:  # the first step of Adam is as long as the learn rate, where there is a gradient
            assert distance <= 0.0101 * rate, name
            # Queries and keys of random weights have next to no gradient.
            assert distance > 0 or ".query." in name or ".key." in name, name


def test_what_is_frozen_gets_no_gradient(nlp: Language, graphs: list[Graph]) -> None:
    frozen = ("embeddings", "encoder.layer.0.", "encoder.layer.1.")
    module = nlp.get_pipe("transformer").model.transformer
    module.zero_grad()  # what another test has left
    create_freeze_layers(2)(nlp)
    optimizer = registry.resolve({"optimizer": {"@optimizers": "Adam.v1", "learn_rate": 0.001}})
    before = weights(nlp)
    for _ in range(2):
        nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer["optimizer"])
    for name, value in weights(nlp).items():
        moved = bool((value != before[name]).any())
        assert not moved or not name.startswith(frozen), name
        assert moved or "encoder.layer.3.output.dense" not in name
    module.requires_grad_(True)


def test_layers_that_are_not_there(nlp: Language) -> None:
    with pytest.raises(ValueError, match=f"UC821.*it has {N_LAYERS} layers"):
        create_freeze_layers(N_LAYERS + 1)(nlp)


def test_it_learns_is_stored_and_goes_sentence_by_sentence(
    nlp: Language, graphs: list[Graph], tmp_path: Path
) -> None:
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer)
    found = parse(nlp, graphs)
    assert all(same_graphs(found, graphs))
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert all(same_graphs(parse(again, graphs), found))
    together = Doc.from_docs([make_doc(nlp.vocab, graph, gold=False) for graph in graphs[:3]])
    assert all(same_graphs([g for _, g in nlp(together)._.ucca.sentences()], found[:3]))
    assert nlp(Doc(nlp.vocab))._.ucca.words == ()
