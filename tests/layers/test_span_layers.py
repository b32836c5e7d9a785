"""What scores spans and pairs of units: gradients against finite differences, parts against the whole."""

from types import SimpleNamespace

import numpy
import pytest
from thinc.api import set_dropout_rate
from util import random_rows

from spacy_ucca.features.state_rows import Schema
from spacy_ucca.layers.biaffine import PairScorer
from spacy_ucca.layers.rows import Part, Rows
from spacy_ucca.layers.span_scorer import SpanScorer, TreeScorer
from spacy_ucca.native.columns import LABEL_BITS

N_TOKENS, N_INPUT = 7, 5


def as_double(model):
    """Weights in double precision, for finite differences."""
    for node in model.walk():
        for name in node.param_names:
            node.set_param(name, node.get_param(name).astype("float64"))


@pytest.fixture
def double(monkeypatch):
    """NumPy's own sums in place of Thinc's, which know single precision only."""

    def scatter_add(self, table, index, values):
        numpy.add.at(table, index, values)

    def gather_add(self, table, index):
        return table[index].sum(axis=1)

    def alloc(self, *shape, **kwargs):
        return numpy.zeros(shape)

    from thinc.api import NumpyOps

    for name, what in (("scatter_add", scatter_add), ("gather_add", gather_add)):
        monkeypatch.setattr(NumpyOps, name, what)
    monkeypatch.setattr(NumpyOps, "alloc2f", alloc)
    monkeypatch.setattr(NumpyOps, "alloc3f", alloc)
    monkeypatch.setattr(
        NumpyOps, "as_contig", lambda self, data, dtype=None: numpy.ascontiguousarray(data)
    )


def check_gradients(model, X, score, rng):
    """score(step) -> scores, backprop. The gradients of a random sum of the scores, by finite differences."""

    def loss():
        step, _ = model(X, is_train=True)
        return float((score(step)[0] * weights).sum())

    step, finish = model(X, is_train=True)
    scores, backprop = score(step)
    weights = rng.normal(size=scores.shape)
    backprop(weights)
    found = {"X": finish()}
    values = {"X": X}
    for k, node in enumerate(model.walk()):
        for name in node.param_names:
            found[f"{name} {k}"], values[f"{name} {k}"] = node.get_grad(name), node.get_param(name)
    assert len(found) > 3
    for name, array in values.items():
        flat, gradient = array.reshape(-1), numpy.asarray(found[name]).reshape(-1)
        assert numpy.shares_memory(flat, array) and numpy.abs(gradient).max() > 0, name
        for i in rng.choice(len(flat), size=min(len(flat), 12), replace=False):
            before = flat[i]
            flat[i] = before + 1e-6
            up = loss()
            flat[i] = before - 1e-6
            down = loss()
            flat[i] = before
            assert gradient[i] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-6), name


def span_model(n_classes=4, n_shapes=6):
    model = SpanScorer(9)
    model.set_dim("nV", n_shapes)
    model.set_dim("nO", n_classes)
    model.set_dim("nI", N_INPUT)
    model.initialize()
    return model


def random_spans(rng, n, n_ends):
    sizes = [(0, n_ends), (0, n_ends), (0, N_TOKENS), (-1, N_TOKENS), *[(0, 6)] * 4]
    return numpy.stack([rng.integers(low, high, n) for low, high in sizes], axis=1).astype("int32")


def test_gradients_of_spans(double):
    rng = numpy.random.default_rng(0)
    model = span_model()
    as_double(model)
    spans = random_spans(rng, 30, 9)
    before, after = rng.integers(-1, N_TOKENS, (2, 9))
    before[0] = after[-1] = -1
    check_gradients(
        model,
        rng.normal(size=(N_TOKENS, N_INPUT)),
        lambda step: step.place(before, after).begin_update(spans),
        rng,
    )


def test_spans_are_scored_by_their_ends():
    """By the formula: the vectors on both sides of both ends, of the head, and of the shape."""
    rng = numpy.random.default_rng(0)
    model = span_model()
    X = rng.normal(size=(N_TOKENS, N_INPUT)).astype("float32")
    before, after = numpy.array([-1, 0, 1, 2]), numpy.array([0, 1, 2, -1])
    rows = [[0, 3, 1, 2, 5, 0, 1, 2], [1, 2, 1, -1, 0, 3, 3, 4]]
    spans = numpy.array(rows, dtype="int32")
    placed = model.predict(X).place(before, after)
    T, pad = model.get_param("T").reshape((6, 9, N_INPUT)), model.get_param("pad")
    for scores, (start, end, head, above, *own) in zip(placed.predict(spans), spans, strict=True):
        tokens = [before[start], after[start], before[end], after[end], head, above]
        hidden = model.get_param("V")[own].sum(axis=0) + model.get_param("b0")
        for k, token in enumerate(tokens):
            hidden = hidden + (T[k] @ X[token] if token >= 0 else pad[k])
        output = model.get_param("O")
        expected = output[:, :-1] @ numpy.maximum(hidden, 0) + output[:, -1]
        numpy.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
    again, _ = placed.begin_update(spans)
    numpy.testing.assert_allclose(again, placed.predict(spans), rtol=1e-5, atol=1e-6)


def test_dropout_of_spans():
    rng = numpy.random.default_rng(0)
    model = span_model()
    set_dropout_rate(model, 0.5)
    X = rng.normal(size=(N_TOKENS, N_INPUT)).astype("float32")
    spans, ends = random_spans(rng, 20, 3), numpy.array([0, 1, 2])
    step, _ = model(X, is_train=True)
    placed = step.place(ends, ends)
    first, second = (placed.begin_update(spans)[0] for _ in range(2))
    assert not numpy.allclose(first, second)
    numpy.testing.assert_array_equal(placed.predict(spans), placed.predict(spans))


def test_nothing_to_score():
    model = span_model()
    step, finish = model(numpy.zeros((0, N_INPUT), dtype="float32"), is_train=True)
    empty = numpy.zeros(0, dtype="int64")
    scores, backprop = step.place(empty, empty).begin_update(numpy.zeros((0, 8), dtype="int32"))
    assert scores.shape == (0, 4)
    backprop(scores)
    assert finish().shape == (0, N_INPUT)


def random_relatives(rng, n):
    found = rng.integers(-1, n, (n, 3))
    found[0] = -1
    return found


def test_gradients_in_trees(double):
    rng = numpy.random.default_rng(3)
    model = TreeScorer(6)
    for dim, size in (("nO", 4), ("nI", N_INPUT)):
        model.set_dim(dim, size)
    model.initialize()
    as_double(model)
    near = random_relatives(rng, 9)

    def forward(X, is_train):
        scores, learn = model((X, near), is_train)
        found = []

        def backprop(d_scores):
            found.append(learn(d_scores)[0])

        return SimpleNamespace(scores=scores, backprop=backprop), lambda: found[0]

    forward.walk = model.walk
    check_gradients(
        forward, rng.normal(size=(9, N_INPUT)), lambda step: (step.scores, step.backprop), rng
    )


def test_labels_are_scored_by_relatives():
    rng = numpy.random.default_rng(4)
    model = TreeScorer(6)
    for dim, size in (("nO", 4), ("nI", N_INPUT)):
        model.set_dim(dim, size)
    model.initialize()
    X, near = rng.normal(size=(7, N_INPUT)).astype("float32"), random_relatives(rng, 7)
    scores = model.predict((X, near))
    W, output = model.get_param("W").reshape((5, 6, N_INPUT)), model.get_param("O")
    for i in range(7):
        hidden = model.get_param("b") + W[0] @ X[i]
        hidden = hidden + sum(W[k + 1] @ X[j] for k, j in enumerate(near[i]) if j >= 0)
        children = [X[j] for j in range(7) if near[j, 0] == i]
        if children:
            hidden = hidden + W[4] @ numpy.mean(children, axis=0)
        expected = output[:, :-1] @ numpy.maximum(hidden, 0) + output[:, -1]
        numpy.testing.assert_allclose(scores[i], expected, rtol=1e-4, atol=1e-5)
    none = model.predict((X[:0], near[:0]))
    assert none.shape == (0, 4)


# Columns of the first, of the second and of both: tokens, categories, bits
PARTS = (
    ((0, 1), (0, 1, 7), (0,)),
    ((2, 3, 4), (2, 3, 8, 11, 12), (1,)),
    ((), (4, 5, 6, 9, 10), ()),
)
SCHEMA = Schema(
    tokens=("a", "b", "c", "d", "e"),
    categories=tuple((f"c{i}", 3) for i in range(13)),
    bits=("f", "g"),
)


def pair_model(n_labels=3):
    model = PairScorer(6)
    model.set_dim("nO", n_labels)
    model.set_dim("nI", N_INPUT)
    model.set_dim("nV", SCHEMA.n_values)
    for layer, (tokens, _, bits) in zip(model.layers, PARTS, strict=False):
        layer.set_dim("nF", len(tokens))
        layer.set_dim("nV", SCHEMA.n_values)
        layer.set_dim("nB", len(bits) * LABEL_BITS)
    model.initialize()
    return model


def random_parts(rng, n_parents=4, n_children=3, n_pairs=8):
    sizes = (n_parents, n_children, n_pairs)
    parts = []
    for n, columns in zip(sizes, PARTS, strict=True):
        rows = random_rows(rng, SCHEMA, n, N_TOKENS)
        rows = Rows(
            *(
                numpy.ascontiguousarray(whole[:, list(own)])
                for whole, own in zip(rows, columns, strict=True)
            )
        )
        take = rng.integers(0, n, n_pairs) if n is not n_pairs else None
        parts.append(Part(*columns, rows, take))
    return parts


def test_gradients_of_pairs(double, monkeypatch):
    rng = numpy.random.default_rng(1)
    model = pair_model()
    as_double(model)
    parts = random_parts(rng)
    check_gradients(
        model, rng.normal(size=(N_TOKENS, N_INPUT)), lambda step: step.begin_update(parts), rng
    )


def test_pairs_are_scored_by_a_biaffine_form():
    rng = numpy.random.default_rng(2)
    model = pair_model()
    X = rng.normal(size=(N_TOKENS, N_INPUT)).astype("float32")
    parts = random_parts(rng)
    scores = model.predict(X).predict_parts(parts)
    units = [
        layer.predict(X).predict(part.rows)
        for layer, part in zip(model.layers, parts, strict=False)
    ]
    form, table = model.get_param("U"), model.get_param("V")
    for i, (p, c) in enumerate(zip(parts[0].take, parts[1].take, strict=True)):
        parent, child = numpy.append(units[0][p], 1), numpy.append(units[1][c], 1)
        own = sum(table[k] for k in parts[2].rows.categories[i])
        expected = [parent @ label @ child for label in form] + own
        numpy.testing.assert_allclose(scores[i], expected, rtol=1e-4, atol=1e-5)
