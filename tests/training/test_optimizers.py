"""The optimizer with several learn rates."""

import numpy
import pytest
from spacy.util import registry
from thinc.api import Adam, warmup_linear

from spacy_ucca.errors import UccaError

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


def test_averages_begin_with_the_weights() -> None:
    optimizer = make(learn_rate=0.0)
    weights = numpy.ones(4, dtype="float32")
    optimizer((0, "W"), weights, weights.copy())
    numpy.testing.assert_allclose(optimizer.averages[0, "W"], weights)


@pytest.mark.parametrize("steps", [1, 2])
def test_schedule_holds_for_all_groups(steps: int) -> None:
    config = {"@schedules": "warmup_linear.v1"}
    config |= {"initial_rate": 0.1, "warmup_steps": 2, "total_steps": 10}
    optimizer = make(learn_rate=config, rates={"slow": 0.5})
    assert not step(optimizer, "W", 1).any()  # a warm-up begins at zero
    whole, half = Adam(warmup_linear(0.1, 2, 10)), step(optimizer, "slow", steps)
    step(whole, "W", 1)
    numpy.testing.assert_allclose(half, 0.5 * step(whole, "V", steps), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
def test_wrong_rates_are_named(value: float) -> None:
    decay = registry.callbacks.get("spacy-ucca.learn_rate_decay.v1")
    logit_edge = registry.architectures.get("spacy-ucca.LogitEdge.v1")
    for key, wrong in (
        ("rates.encoder", lambda: make(rates={"W": 1.0, "encoder": value})),
        ("learn_rate", lambda: make(learn_rate=value)),
        ("learn_rate", lambda: decay(learn_rate=value)),
        ("decay", lambda: decay(decay=value)),
        ("learn_rate", lambda: logit_edge(learn_rate=value)),
        ("L2", lambda: logit_edge(L2=value)),
    ):
        with pytest.raises(UccaError, match=rf"`{key}` is {value}\. Use"):
            wrong()
