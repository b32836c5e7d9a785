"""The optimizer with several learn rates, and what is frozen."""

from types import SimpleNamespace

import numpy
import pytest
import spacy
from spacy.util import registry
from thinc.api import Adam, Model, chain, warmup_linear

import spacy_ucca.optimizers

CONFIG = {"@optimizers": "spacy-ucca.Adam.v1", "grad_clip": 0.0}


def make(**kwargs):
    return registry.resolve({"optimizer": {**CONFIG, **kwargs}})["optimizer"]


def step(optimizer, name: str, times: int = 3) -> numpy.ndarray:
    """RETURNS (numpy.ndarray): How far some weights move."""
    before = numpy.ones(4, dtype="float32")
    weights = before.copy()
    for _ in range(times):
        gradient = numpy.array([1, -1, 0.5, 2], dtype="float32")
        weights, gradient = optimizer((0, name), weights, gradient)
        optimizer.step_schedules()
    return weights - before


def test_without_rates_it_is_thincs_adam() -> None:
    theirs = Adam(0.01, grad_clip=0.0)
    numpy.testing.assert_array_equal(step(make(learn_rate=0.01), "W"), step(theirs, "W"))


def test_longest_beginning_of_the_name_counts() -> None:
    rates = {"encoder": 0.1, "encoder.layer.0.": 0.0, "embeddings": 0.0}
    optimizer = make(learn_rate=0.01, rates=rates)
    full = step(optimizer, "W")
    numpy.testing.assert_allclose(step(optimizer, "encoder.layer.1.weight"), 0.1 * full, rtol=1e-4)
    numpy.testing.assert_allclose(step(optimizer, "encoder.layer.00.x"), 0.1 * full, rtol=1e-4)
    for name in ("encoder.layer.0.weight", "embeddings.word_embeddings.weight"):
        assert not step(optimizer, name).any()


@pytest.mark.parametrize("steps", [1, 2])
def test_schedule_holds_for_all_groups(steps: int) -> None:
    config = {"@schedules": "warmup_linear.v1"}
    config |= {"initial_rate": 0.1, "warmup_steps": 2, "total_steps": 10}
    optimizer = make(learn_rate=config, rates={"slow": 0.5})
    assert not step(optimizer, "W", 1).any()  # a warm-up begins at zero
    whole, half = Adam(warmup_linear(0.1, 2, 10)), step(optimizer, "slow", steps)
    step(whole, "W", 1)
    numpy.testing.assert_allclose(half, 0.5 * step(whole, "V", steps), rtol=1e-3, atol=1e-6)


class Parameter:
    """What is asked of a parameter of PyTorch, which is not installed everywhere."""

    def __init__(self) -> None:
        self.requires_grad = True

    def requires_grad_(self, value: bool) -> None:
        self.requires_grad = value


NAMES = [
    "embeddings.weight",
    "encoder.layer.1.weight",
    "encoder.layer.1.bias",
    "encoder.layer.10.weight",
]


def freeze(parameters: dict[str, Parameter], names: list[str]) -> None:
    """Freeze parameters of a model in a pipeline."""
    module = SimpleNamespace(named_parameters=parameters.items)
    inner = Model(
        "inner", lambda model, x, is_train: (x, lambda d: d), shims=[SimpleNamespace(_model=module)]
    )
    pipe = SimpleNamespace(
        model=chain(Model("outer", lambda model, x, is_train: (x, lambda d: d)), inner)
    )
    config = {"@callbacks": "spacy-ucca.freeze_parameters.v1", "names": names}
    callback = registry.resolve({"freeze": config})["freeze"]
    nlp = SimpleNamespace(get_pipe={"transformer": pipe}.__getitem__)
    assert callback(nlp) is nlp


def test_parameters_are_frozen_by_the_beginnings_of_their_names() -> None:
    parameters = {name: Parameter() for name in NAMES}
    freeze(parameters, ["embeddings", "encoder.layer.1."])
    learned = [name for name, parameter in parameters.items() if parameter.requires_grad]
    assert learned == ["encoder.layer.10.weight"]


def test_what_is_to_be_frozen_must_be_there() -> None:
    with pytest.raises(ValueError, match=r"UC821.*'decoder'.*encoder\.layer\.10\."):
        freeze({name: Parameter() for name in NAMES}, ["embeddings", "decoder"])
    callback = spacy_ucca.optimizers.create_freeze_parameters(["encoder"], component="tagger")
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    with pytest.raises(ValueError, match=r"UC821.*There are: none"):
        callback(nlp)
