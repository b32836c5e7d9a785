"""Layers of a transformer that stay as they are. What that does in training is in test_transformer.py, which needs one."""

from types import SimpleNamespace

import pytest
import spacy
from spacy.util import registry
from thinc.api import Model, chain


class Parameter:
    """What is asked of a parameter of PyTorch, which is not installed everywhere."""

    def __init__(self) -> None:
        self.requires_grad = True

    def requires_grad_(self, value: bool) -> None:
        self.requires_grad = value


def freeze(n_layers: int) -> tuple[list[str], list[str]]:
    """RETURNS (Tuple[List[str], List[str]]): The parameters of a transformer of twelve layers that learn, and the others."""
    names = [f"layer.{i}.weight" for i in range(12)]
    encoder = {name: Parameter() for name in (*names, "relative.weight")}
    embeddings = {"word": Parameter()}
    module = SimpleNamespace(
        embeddings=SimpleNamespace(named_parameters=embeddings.items),
        encoder=SimpleNamespace(named_parameters=encoder.items, layer=names),
    )
    shims = [SimpleNamespace(_model=module)]
    inner = Model("inner", lambda model, x, is_train: (x, lambda d: d), shims=shims)
    outer = Model("outer", lambda model, x, is_train: (x, lambda d: d))
    nlp = SimpleNamespace(
        get_pipe={"transformer": SimpleNamespace(model=chain(outer, inner))}.__getitem__
    )
    config = {"@callbacks": "spacy-ucca.freeze_layers.v1", "n_layers": n_layers}
    assert registry.resolve({"freeze": config})["freeze"](nlp) is nlp
    found = {**embeddings, **encoder}
    return [n for n in found if found[n].requires_grad], [
        n for n in found if not found[n].requires_grad
    ]


@pytest.mark.parametrize("n", [0, 1, 2, 12])
def test_the_first_layers_are_frozen(n: int) -> None:
    learned, frozen = freeze(n)
    assert learned == [f"layer.{i}.weight" for i in range(n, 12)]
    assert {"word", "relative.weight"} <= set(frozen)


def test_there_must_be_so_many() -> None:
    for n in (-1, 13):
        with pytest.raises(ValueError, match=r"UC821.*it has 12 layers"):
            freeze(n)


def test_components_without_a_transformer_are_named() -> None:
    config = {"@callbacks": "spacy-ucca.freeze_layers.v1", "n_layers": 2, "component": "tagger"}
    callback = registry.resolve({"freeze": config})["freeze"]
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    with pytest.raises(ValueError, match=r"UC821.*'tagger'.*it has none"):
        callback(nlp)
    with pytest.raises(KeyError):
        callback(spacy.blank("en"))
