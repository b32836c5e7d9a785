"""The BiLSTM against finite differences and against itself in other batches."""

import numpy
import pytest
from thinc.api import get_ops

from spacy_ucca.layers import bilstm
from spacy_ucca.layers.arrays import dropout_mask
from spacy_ucca.layers.bilstm import BiLSTM
from spacy_ucca.native import kernels
from spacy_ucca.native.load import compiled
from spacy_ucca.native.load import kernels as chosen


def make(nO=6, nI=4, seed=0):
    numpy.random.seed(seed)
    model = BiLSTM(nO, nI)
    model.initialize()
    return model, numpy.random.default_rng(seed)


def sequences(rng, lengths, width=4):
    return [rng.normal(size=(n, width)).astype("float32") for n in lengths]


@pytest.mark.parametrize("lengths", [[1], [3], [2, 5, 1], [4, 4], [1, 3, 2, 3], [0, 2, 0, 3]])
def test_gradient_is_that_of_finite_differences(lengths):
    model, rng = make()
    X = sequences(rng, lengths)
    weights = [rng.normal(size=(n, 6)).astype("float32") for n in lengths]

    def objective():
        return sum(float((y * w).sum()) for y, w in zip(model.predict(X), weights))

    _, backprop = model.begin_update(X)
    dX = backprop([w.copy() for w in weights])
    checked = [(model.get_param(name), model.get_grad(name)) for name in ("Wx", "Wh", "b")]
    checked += list(zip(X, dX))
    for values, gradient in checked:
        for index in rng.choice(values.size, size=min(12, values.size), replace=False):
            flat, step = values.reshape(-1), 1e-2
            kept = flat[index]
            flat[index] = kept + step
            above = objective()
            flat[index] = kept - step
            below = objective()
            flat[index] = kept
            assert (above - below) / (2 * step) == pytest.approx(
                float(gradient.reshape(-1)[index]), abs=5e-3
            )


def test_a_sequence_is_encoded_alone_as_in_a_batch():
    model, rng = make()
    X = sequences(rng, [3, 7, 1, 7, 2])
    together = model.predict(X)
    for x, y in zip(X, together):
        assert numpy.allclose(model.predict([x])[0], y, atol=1e-5)


def test_right_to_left_is_left_to_right_of_the_reverse():
    model, rng = make()
    for name in ("Wx", "Wh", "b"):
        param = model.get_param(name)
        param[1] = param[0]
    x = sequences(rng, [6])[0]
    straight, reverse = model.predict([x])[0], model.predict([x[::-1].copy()])[0]
    assert numpy.allclose(straight[:, :3], reverse[::-1, 3:], atol=1e-6)


def test_recurrent_dropout_only_in_training():
    model, rng = make()
    model.attrs["recurrent_dropout"] = 0.5
    X = sequences(rng, [5])
    assert numpy.array_equal(model.predict(X)[0], model.predict(X)[0])
    assert not numpy.allclose(model.begin_update(X)[0][0], model.predict(X)[0])


@pytest.mark.parametrize("lengths", [[1], [2, 5, 1], [0, 3, 0], []])
def test_predicting_is_training_without_what_training_needs(lengths):
    model, rng = make()
    X = [20 * x for x in sequences(rng, lengths)]
    for predicted, trained in zip(model.predict(X), model.begin_update(X)[0], strict=True):
        assert numpy.allclose(predicted, trained, atol=2e-6)


def test_hyperbolic_tangent():
    x = numpy.concatenate([numpy.linspace(-10, 10, 2001), [0, 1e-30, 1e30, -1e30, numpy.inf]])
    found = bilstm.tanh(x.astype("float32"))
    assert found.dtype == "float32"
    assert numpy.abs(found - numpy.tanh(x)).max() < 1e-6
    assert [kernels.tanh(value) for value in x.tolist()] == pytest.approx(numpy.tanh(x), abs=1e-6)


@pytest.mark.skipif(not compiled(), reason="nothing is compiled")
@pytest.mark.parametrize(("n", "width"), [(1, 1), (3, 7), (50, 128)])
def test_compiled_step_is_that_of_numpy_to_the_last_bit(n, width):
    rng = numpy.random.default_rng(0)
    shapes = (n, 4 * width), (4 * width,), (n, width), (n, width), (n, width)
    rest = [8 * rng.normal(size=shape).astype("float32") for shape in shapes]
    gates = 8 * rng.normal(size=(2 * n, 4 * width)).astype("float32")
    given = [gates, rng.permutation(2 * n)[:n], *rest]
    found = []
    for step in (chosen.lstm_step, bilstm.lstm_step):
        own = [values.copy() for values in given]
        step(*own)
        found.append(own)
    for one, other in zip(*found, strict=True):
        assert numpy.array_equal(one, other)


def test_no_sequences():
    model, _ = make()
    Y, backprop = model.begin_update([])
    assert Y == [] and backprop([]) == []


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_dropout_masks_keep_as_much_as_thinc_keeps(rate):
    ops = get_ops("numpy")
    ours = dropout_mask(ops, (300, 400), rate)
    theirs = ops.get_dropout_mask((300, 400), rate)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert numpy.allclose(numpy.unique(ours), numpy.unique(theirs))
    assert abs(ours.mean() - 1) < 0.05
