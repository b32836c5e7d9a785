"""configs/transformer.cfg with a transformer of random weights: it learns, it is stored, it goes by sentence."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed, load_config, registry
from util import TINY, make_bert, make_doc, make_examples, parse, same_graphs

from spacy_ucca.frozen_layers import create_freeze_layers
from spacy_ucca.graph import Graph

pytest.importorskip("spacy_transformers", reason="spacy-transformers is not installed")
CONFIG = Path(__file__).parent.parent / "configs" / "transformer.cfg"
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


@pytest.fixture()
def module(nlp: Language) -> Iterator[Any]:
    """The transformer, which is put back as it was."""
    module = nlp.get_pipe("transformer").model.transformer
    module.zero_grad()  # what another test has left
    yield module
    module.__dict__.pop("forward", None)
    module.requires_grad_(True)


@pytest.mark.parametrize("once", [False, True])
def test_what_is_frozen_does_not_move(
    nlp: Language, graphs: list[Graph], module: Any, once: bool
) -> None:
    frozen = ("embeddings", "encoder.layer.0.", "encoder.layer.1.")
    create_freeze_layers(2, once=once, bfloat16=once)(nlp)
    optimizer = registry.resolve({"optimizer": {"@optimizers": "Adam.v1", "learn_rate": 0.001}})
    before = weights(nlp)
    for _ in range(2):
        nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer["optimizer"])
    for name, value in weights(nlp).items():
        moved = bool((value != before[name]).any())
        assert not moved or not name.startswith(frozen), name
        assert moved or "encoder.layer.3.output.dense" not in name


def batch(lengths: list[int]) -> dict[str, Any]:
    """RETURNS (Dict[str, torch.Tensor]): Sentences of random pieces."""
    import torch

    ids = torch.randint(5, 20, (len(lengths), max(lengths)))
    mask = torch.arange(max(lengths))[None] < torch.tensor(lengths)[:, None]
    kinds = torch.zeros_like(ids)
    return {"input_ids": ids * mask, "attention_mask": mask.long(), "token_type_ids": kinds}


@pytest.mark.parametrize("n_layers", [0, 1, N_LAYERS])
def test_layers_computed_once_are_those_layers(nlp: Language, module: Any, n_layers: int) -> None:
    import torch

    module.eval()
    create_freeze_layers(n_layers)(nlp)
    torch.manual_seed(0)
    first, second = batch([3, 9, 1]), batch([5])
    for name, value in first.items():  # one sentence again, beside shorter ones
        second[name] = torch.cat([second[name], value[:1, :5]])

    def run() -> tuple[list[Any], dict[str, Any]]:
        module.zero_grad()
        outputs = [module(**given).last_hidden_state for given in (first, second, first)]
        masks = [given["attention_mask"][:, :, None] for given in (first, second, first)]
        if n_layers < N_LAYERS:
            sum(
                (output * mask).sum() * i for i, (output, mask) in enumerate(zip(outputs, masks))
            ).backward()
        found = {name: p.grad for name, p in module.named_parameters() if p.grad is not None}
        return [(o * m).detach() for o, m in zip(outputs, masks)], found

    outputs, gradients = run()
    create_freeze_layers(n_layers, once=True)(nlp)
    seen: list[int] = []
    layers = list(module.encoder.layer)
    hooks = [
        layer.register_forward_hook(lambda *_, i=i: seen.append(i))
        for i, layer in enumerate(layers)
    ]
    again, others = run()
    for hook in hooks:
        hook.remove()
    assert list(module.encoder.layer) == layers and module.embeddings.word_embeddings is not None
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(outputs, again, strict=True))
    assert gradients.keys() == others.keys()
    assert all(torch.allclose(gradients[name], others[name], atol=1e-5) for name in gradients)
    # The third batch has nothing new.
    assert [seen.count(i) for i in range(N_LAYERS)] == [2] * n_layers + [3] * (N_LAYERS - n_layers)


def test_half_of_the_bits(nlp: Language, module: Any) -> None:
    import torch

    module.eval()
    given = batch([4, 7])
    with torch.no_grad():
        full = module(**given).last_hidden_state
        create_freeze_layers(2, once=True, bfloat16=True)(nlp)
        half = [module(**given).last_hidden_state for _ in range(2)]
    assert half[0].dtype == torch.float32 and torch.equal(*half)
    words = given["attention_mask"].bool()  # what is made of the rest does not count
    assert torch.allclose(half[0][words], full[words], atol=0.1)
    assert not torch.equal(half[0][words], full[words])
    assert all(parameter.dtype == torch.float32 for parameter in module.parameters())


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
