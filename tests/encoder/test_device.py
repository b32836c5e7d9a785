"""The encoder on a GPU, by a stand-in: arrays that refuse, as CuPy's do, to be mixed with those of NumPy."""

import numpy
import pytest
import spacy
import tiny_bert
from thinc.api import NumpyOps, use_ops

from spacy_ucca.encoder.model import build_encoder


class DeviceArray(numpy.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        refuse(inputs)
        refuse(out or ())
        inputs = [x.view(numpy.ndarray) if isinstance(x, DeviceArray) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(x.view(numpy.ndarray) for x in out)
        return device(getattr(ufunc, method)(*inputs, **kwargs))

    def __array_function__(self, func, types, args, kwargs):
        for arg in args:
            refuse(arg if isinstance(arg, (list, tuple)) else [arg])
        return device(super().__array_function__(func, types, args, kwargs))

    def get(self):
        return self.view(numpy.ndarray)


def refuse(arrays):
    if any(type(x) is numpy.ndarray and x.ndim for x in arrays):
        raise TypeError("Unsupported type numpy.ndarray")


def device(x):
    return x.view(DeviceArray) if isinstance(x, numpy.ndarray) else x


class DeviceModule:
    """`numpy`, with functions that make arrays of the device."""

    def __getattr__(self, name):
        found = getattr(numpy, name)
        if isinstance(found, (numpy.ufunc, float)):
            return found
        return lambda *args, **kwargs: device(found(*args, **kwargs))


class DeviceOps(NumpyOps):
    xp = DeviceModule()

    def asarray(self, data, dtype=None):
        return device(numpy.asarray(data, dtype=dtype))

    def alloc(self, shape, *, dtype="float32", zeros=True):
        return device(numpy.zeros(shape, dtype=dtype))

    def reduce_mean(self, X, lengths):
        return device(super().reduce_mean(X, lengths))

    def backprop_reduce_mean(self, d_means, lengths):
        return device(super().backprop_reduce_mean(d_means, lengths))


def module_of(array):
    return DeviceOps.xp if isinstance(array, DeviceArray) else numpy


@pytest.fixture
def docs():
    nlp = spacy.blank("xx")
    return [nlp(text) for text in ("the mouse eats cheese .", "", " ", "the " * 40)]


@pytest.mark.parametrize("bits", [8, 32])
def test_it_predicts_and_learns_as_on_a_cpu(tmp_path, docs, bits):
    source = str(tiny_bert.write_directory(tmp_path / "bert"))
    settings = {"n_layers": 3, "n_frozen": 1, "dropout": 0.0, "bits": bits}
    expected = build_encoder(source, **settings)
    expected.initialize()
    data = expected.to_bytes()
    ops = DeviceOps()
    with use_ops("numpy"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_ucca.encoder.model.get_current_ops", lambda: ops)
        for module in ("encoder.layers", "encoder.rounded"):
            patch.setattr(f"spacy_ucca.{module}.get_array_module", module_of)
        models = [build_encoder(source, **settings), build_encoder(source, **settings)]
        models[0].initialize()
        models[1].from_bytes(data)
        for model in models:
            model.ops = ops
            for found, wanted in zip(model.predict(docs), expected.predict(docs), strict=True):
                assert isinstance(found, DeviceArray)
                assert numpy.allclose(found.get(), wanted, atol=1e-5 if model is models[0] else 0.1)
        gradients = []
        for model in (expected, models[0]):
            Y, backprop = model.begin_update(docs)
            backprop([y * 0 + 1 for y in Y])
            gradients.append(dict(model.shims[0].gradients))
        for name, gradient in gradients[1].items():
            assert isinstance(gradient, DeviceArray), name
            assert numpy.allclose(gradient.get(), gradients[0][name], atol=1e-3), name
        assert models[0].to_bytes() == data
