"""Products of numbers rounded to 8 bits: the kernel against NumPy, NumPy against products that are not rounded, and who uses them."""

import os
import subprocess
import sys

import numpy
import pytest
import spacy
import tiny_bert
from thinc.api import Adam

from spacy_ucca.encoder import layers, rounded
from spacy_ucca.encoder.layers import Group, gelu
from spacy_ucca.encoder.model import build_encoder
from spacy_ucca.encoder.rounded import RoundedMatrix

needs_kernel = pytest.mark.skipif(
    rounded.KERNEL is None, reason="the kernel is not compiled, or not for this processor"
)
WAYS = [pytest.param("kernel", marks=needs_kernel), "numpy"]
SIZES = [(0, 16, 64), (1, 16, 64), (5, 48, 128), (6, 384, 64), (13, 1536, 64), (70, 64, 192)]


def make_matrix(W, way, monkeypatch):
    with monkeypatch.context() as patch:
        if way == "numpy":
            patch.setattr(rounded, "KERNEL", None)
        matrix = RoundedMatrix(W)
    assert matrix.is_packed == (way == "kernel")
    return matrix


def draw(m, k, n):
    """Rows of very different sizes, one of them zeros."""
    rng = numpy.random.default_rng(m + k + n)
    X = rng.normal(size=(m, k)) * numpy.exp(2 * rng.normal(size=(m, 1)))
    X[m // 2 : m // 2 + 1] = 0
    W, bias = rng.normal(size=(n, k)) / k**0.5, rng.normal(size=n)
    return X.astype("float32"), W.astype("float32"), bias.astype("float32")


@needs_kernel
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("activation", [None, gelu])
def test_the_kernel_does_what_numpy_does(size, activation, monkeypatch):
    X, W, bias = draw(*size)
    one, other = (
        make_matrix(W, way, monkeypatch).product(X, bias, activation) for way in ("kernel", "numpy")
    )
    assert one.shape == other.shape == (size[0], size[2])
    numpy.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_rounded_products_are_near_those_of_what_was_rounded(way, monkeypatch):
    X, W, bias = draw(70, 384, 64)
    matrix = make_matrix(W, way, monkeypatch)
    expected = X @ W.T
    error = numpy.linalg.norm(matrix.product(X, 0 * bias) - expected, axis=1)
    assert (error <= 0.02 * numpy.linalg.norm(expected, axis=1)).all()
    active = matrix.product(X, bias, gelu)
    assert numpy.allclose(active, gelu(matrix.product(X, bias))[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_a_row_does_not_depend_on_others(way, monkeypatch):
    X, W, bias = draw(13, 384, 128)
    matrix = make_matrix(W, way, monkeypatch)
    together = matrix.product(X, bias, gelu)
    for i in range(len(X)):
        assert numpy.array_equal(matrix.product(X[i : i + 1], bias, gelu)[0], together[i])
    assert numpy.array_equal(matrix.product(X[::-2], bias, gelu), together[::-2])


@needs_kernel
@pytest.mark.parametrize("k, n", [(16, 48), (8, 64), (24, 64), (1, 1)])
def test_the_kernel_refuses_other_sizes(k, n, monkeypatch):
    X, W, bias = draw(3, k, n)
    matrix = RoundedMatrix(W)
    assert not matrix.is_packed and matrix.product(X, bias).shape == (3, n)
    out, whole = numpy.empty((3, n), "float32"), matrix.values.astype("int8")
    totals = whole.sum(axis=0, dtype="int32")
    with pytest.raises(ValueError, match="sizes"):
        rounded.KERNEL.product(X, whole, totals, matrix.scales, bias, out, False)


@needs_kernel
def test_the_kernel_refuses_sizes_that_do_not_fit():
    X, W, bias = draw(3, 32, 64)
    matrix, out = RoundedMatrix(W), numpy.empty((3, 64), "float32")
    good = [X, matrix.values, matrix.totals, matrix.scales, bias, out]
    rounded.KERNEL.product(*good, False)
    for i in range(6):
        for bad in (good[i][:-1], good[i].astype("float64"), good[i][:0]):
            with pytest.raises(ValueError):
                rounded.KERNEL.product(*good[:i], bad, *good[i + 1 :], False)


@needs_kernel
@pytest.mark.parametrize("width", [16, 128, 144, 272, 384])
@pytest.mark.parametrize("m", [0, 1, 7])
def test_the_kernel_normalizes_as_numpy_does_to_the_bit(m, width, monkeypatch):
    X, weights, scale = draw(m, width, width)
    for more in (None, weights[:m]):
        args = more, {"a.weight": scale, "a.bias": weights[0]}, "a", 1e-12
        found, _ = layers.normalize(X.copy(), *args)
        with monkeypatch.context() as patch:
            patch.setattr(layers, "KERNEL", None)
            expected, _ = layers.normalize(X.copy(), *args)
        assert numpy.array_equal(found, expected)


@needs_kernel
@pytest.mark.parametrize("n_heads, depth", [(1, 16), (3, 32), (2, 48)])
@pytest.mark.parametrize(
    "texts", [[(1, 1)], [(2, 3), (3, 4)], [(1, 15), (2, 16), (1, 17)], [(1, 129), (1, 300)]]
)
def test_the_kernel_attends_as_numpy_does_to_the_bit(texts, n_heads, depth):
    rng = numpy.random.default_rng(depth)
    ends = numpy.cumsum([0, *(n * length for n, length in texts)]).tolist()
    groups = [Group(start, n, length) for start, (n, length) in zip(ends, texts)]
    qkv = 2 * rng.normal(size=(ends[-1], 3 * n_heads * depth)).astype("float32")
    matrix = RoundedMatrix(rng.normal(size=(64, 16)).astype("float32"))
    assert matrix.is_packed
    found, _ = layers._attention(qkv.copy(), n_heads, groups, matrix)
    matrix.is_packed = False
    expected, _ = layers._attention(qkv.copy(), n_heads, groups, matrix)
    assert numpy.array_equal(found, expected)


@needs_kernel
def test_the_kernel_refuses_other_sizes_of_texts_and_rows():
    qkv, out, row = numpy.zeros((6, 96), "f"), numpy.zeros((6, 32), "f"), numpy.ones(32, "f")
    for lengths in ([6], [1, 2, 3], [0, 6]):
        rounded.KERNEL.attend(qkv, numpy.array(lengths), out, 2, 0.25)
    for lengths in ([], [5], [7], [7, -1]):
        with pytest.raises(ValueError, match="sizes"):
            rounded.KERNEL.attend(qkv, numpy.array(lengths, dtype="int64"), out, 2, 0.25)
    for n_heads in (-1, 0, 3, 4):
        with pytest.raises(ValueError, match="sizes"):
            rounded.KERNEL.attend(qkv, numpy.array([6]), out, n_heads, 0.25)
    rounded.KERNEL.normalize(out, b"", row, row, 1e-5)
    for bad in ((out, out[1:], row, row), (out, b"", row[1:], row), (out, b"", row, row[1:])):
        with pytest.raises(ValueError, match="sizes"):
            rounded.KERNEL.normalize(*bad, 1e-5)


@pytest.mark.parametrize("value, is_off", [("1", True), ("0", False)])
def test_the_variable_turns_the_kernel_off(value, is_off):
    code = "from spacy_ucca.encoder.rounded import KERNEL; print(KERNEL is None)"
    env = {**os.environ, "SPACY_UCCA_PURE": value}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    is_here = rounded.KERNEL is not None
    if is_off or is_here:
        assert found.stdout.strip() == str(is_off), found.stderr


def make(source, bits):
    model = build_encoder(source, n_layers=3, n_frozen=1, dropout=0.0, bits=bits)
    model.initialize()
    return model


def test_prediction_rounds_and_training_does_not(tmp_path):
    source = str(tiny_bert.write_directory(tmp_path / "model"))
    docs = [spacy.blank("xx")("the mouse eats cheese .")]
    exact, model = make(source, 32), make(source, 8)
    expected = exact.predict(docs)[0]
    before = model.predict(docs)[0]
    assert not numpy.array_equal(before, expected)
    assert numpy.linalg.norm(before - expected) < 0.05 * numpy.linalg.norm(expected)
    Y, backprop = model.begin_update(docs)
    assert numpy.allclose(Y[0], expected, atol=1e-5)
    # What was rounded before an update is not used after it.
    backprop(Y)
    model.finish_update(Adam(0.01))
    after = model.predict(docs)[0]
    assert not numpy.array_equal(after, before)
    other = make(source, 8)
    other.shims[0].weights = model.shims[0].weights
    assert numpy.array_equal(other.predict(docs)[0], after)
    name = "encoder.layer.0.qkv.weight"
    with model.use_params({(model.shims[0].id, name): 0 * model.shims[0].weights[name]}):
        assert not numpy.array_equal(model.predict(docs)[0], after)
    assert numpy.array_equal(model.predict(docs)[0], after)


def test_what_was_loaded_is_trained_as_it_was_saved(tmp_path):
    source = str(tiny_bert.write_directory(tmp_path / "model"))
    docs = [spacy.blank("xx")("the mouse eats cheese .")]
    data = make(source, 8).to_bytes()
    one, other = (make(source, 8).from_bytes(data) for _ in range(2))
    one.predict(docs)
    assert one.to_bytes() == data
    for model in (one, other):
        Y, backprop = model.begin_update(docs)
        backprop(Y)
        model.finish_update(Adam(0.01))
    assert one.to_bytes() == other.to_bytes() != data
    assert numpy.array_equal(one.predict(docs)[0], other.predict(docs)[0])


def test_sums_are_exact_so_that_vectors_are_the_same_to_the_bit_in_any_batch(tmp_path):
    model = make(str(tiny_bert.write_directory(tmp_path / "model")), 8)
    docs = [spacy.blank("xx")(text) for text in ("the mouse eats", "a b", "eats the cheese", "b")]
    for doc, vectors in zip(docs, model.predict(docs)):
        assert numpy.array_equal(model.predict([doc])[0], vectors)
