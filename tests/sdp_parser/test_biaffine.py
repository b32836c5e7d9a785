"""The biaffine model: scores by hand, and gradients by finite differences."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from thinc.api import Adam, Model, fix_random_seed
from util import VOCAB

from spacy_ucca.sdp_parser.batch import Pairs, find_pairs
from spacy_ucca.sdp_parser.biaffine import (
    BLOCK,
    Biaffine,
    backprop_pairs,
    build_biaffine_edges,
    pair_scores,
)


@st.composite
def problems(draw):
    n = draw(st.integers(1, 6))
    every = [(i, j) for i in range(n) for j in range(n) if i != j]
    chosen = [pair for pair in every if draw(st.booleans())]
    pairs = Pairs(*(numpy.array([p[k] for p in chosen], dtype="int64") for k in (0, 1)))
    random = numpy.random.default_rng(draw(st.integers(0, 99)))
    width, n_out = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    shapes = ((n, width), (n, width), (n_out, width, width), (len(pairs), n_out))
    return pairs, [random.normal(size=shape) for shape in shapes]


@given(problems())
def test_scores_by_hand(problem):
    pairs, (heads, dependents, weights, _) = problem
    scores, _ = pair_scores(heads, dependents, weights, pairs)
    expected = [
        [heads[i] @ matrix @ dependents[j] for matrix in weights]
        for i, j in zip(pairs.head, pairs.dependent)
    ]
    assert scores == pytest.approx(numpy.array(expected).reshape(scores.shape))


@given(problems())
def test_gradients(problem):
    pairs, (*inputs, d_scores) = problem
    _, kept = pair_scores(*inputs, pairs)
    gradients = backprop_pairs(*inputs, kept, d_scores)
    for place, (values, gradient) in enumerate(zip(inputs, gradients)):
        for index in numpy.ndindex(values.shape):
            sides = []
            for sign in (1, -1):
                moved = [x.copy() for x in inputs]
                moved[place][index] += sign * 1e-5
                sides.append((pair_scores(*moved, pairs)[0] * d_scores).sum())
            assert gradient[index] == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-6)


def test_many_heads_in_blocks():
    n = 3 * BLOCK + 5
    random = numpy.random.default_rng(0)
    heads, dependents = random.normal(size=(2, n, 4))
    weights = random.normal(size=(3, 4, 4))
    ends = [(i, j) for i in range(n) for j in (i - 2, i + 1) if 0 <= j < n and i % 70 != 5]
    pairs = Pairs(*(numpy.array([e[k] for e in ends]) for k in (0, 1)))
    scores, _ = pair_scores(heads, dependents, weights, pairs)
    expected = numpy.einsum(
        "pi,oij,pj->po", heads[pairs.head], weights, dependents[pairs.dependent]
    )
    assert scores == pytest.approx(expected)


def table_tok2vec(width=5) -> Model:
    """A trainable vector for each token of the batch, by its index: a tok2vec whose gradient can be looked at."""

    def forward(model, docs, is_train):
        table = model.get_param("E")

        def backprop(d_vectors):
            gradient = numpy.zeros_like(table)
            for d in d_vectors:
                gradient[: len(d)] += d
            model.inc_grad("E", gradient)
            return docs

        return [table[: len(doc)] for doc in docs], backprop

    def init(model, X=None, Y=None):
        model.set_param("E", numpy.random.default_rng(5).normal(size=(9, width)).astype("float32"))

    return Model("table", forward, init=init, params={"E": None}, dims={"nO": width})


def test_gradients_of_the_whole_model():
    vocab = VOCAB
    docs = [Doc(vocab, words=["a", " ", "b", "c"]), Doc(vocab), Doc(vocab, words=["d", "e"])]
    model = build_biaffine_edges(table_tok2vec(), 4, 3, dropout=0.0)
    model.set_dim("nO", 3)
    fix_random_seed(0)
    model.initialize(X=docs)
    random = numpy.random.default_rng(2)

    def run():
        scores, backprop = model.begin_update(docs)
        pairs = find_pairs(scores.batch.tokens, numpy.ones(5, dtype=bool), 10)
        return scores, [scores.singletons, scores.tops, scores.edges(pairs)], backprop

    scores, outputs, backprop = run()
    assert outputs[2].shape == (8, 3) and not outputs[2][:, 0].any()
    gradients = [random.normal(size=output.shape).astype("float32") for output in outputs]
    gradients[2][:, 0] = 0  # NOEDGE has no weights
    scores.learn(*gradients)
    backprop(None)

    def loss():
        return sum((g * o).sum(dtype="float64") for g, o in zip(gradients, run()[1])) / 5

    checked = 0
    for node in model.walk():
        for name in node.param_names:
            value, gradient = node.get_param(name), node.get_grad(name)
            for index in list(numpy.ndindex(value.shape))[::3]:
                before = value[index]
                sides = []
                for sign in (1, -1):
                    value[index] = before + sign * 1e-2
                    sides.append(loss())
                value[index] = before
                # ReLU has corners; a step over one says nothing.
                numeric = (sides[0] - sides[1]) / 2e-2
                checked += gradient[index] == pytest.approx(numeric, rel=0.02, abs=2e-3)
                if name == "W" and node.name == "biaffine":
                    assert gradient[index] == pytest.approx(numeric, rel=0.02, abs=2e-3)
    total = sum(-(-node.get_param(n).size // 3) for node in model.walk() for n in node.param_names)
    assert checked > 0.97 * total


def test_labels_can_be_added_with_the_same_optimizer():
    vocab = VOCAB
    docs = [Doc(vocab, words=["a", "b", "c"])]
    model = build_biaffine_edges(table_tok2vec(), 4, 3)
    model.set_dim("nO", 3)
    model.initialize(X=docs)
    optimizer = Adam()
    for n_out in (3, 5):
        if n_out == 5:
            model.attrs["resize_output"](model, 5)
        scores, backprop = model.begin_update(docs)
        pairs = find_pairs(scores.batch.tokens, numpy.ones(3, dtype=bool), 10)
        shapes = scores.singletons.shape, scores.tops.shape, scores.edges(pairs).shape
        assert shapes[2] == (6, n_out)
        scores.learn(*(numpy.ones(shape, dtype="float32") for shape in shapes))
        backprop(None)
        model.finish_update(optimizer)


def test_layer_without_pairs():
    layer = Biaffine(2)
    layer.set_dim("nI", 3)
    layer.initialize()
    nothing = numpy.zeros(0, dtype="int64")
    X = numpy.ones((4, 3), dtype="float32")
    scores, backprop = layer.begin_update((X, X, Pairs(nothing, nothing)))
    assert scores.shape == (0, 2)
    assert not any(gradient.any() for gradient in backprop(scores))
