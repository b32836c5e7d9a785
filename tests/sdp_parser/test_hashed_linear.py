"""HashedLinear: scores against a plain sum, AdaGrad against a literal one, and Thinc's life cycle."""

import numpy
import pytest
from thinc.api import Adam

from spacy_ucca.sdp_parser.logit_edge import AdaGradTable, HashedLinear


@pytest.fixture
def layer():
    layer = HashedLinear(4, 0.1, 0.01, nO=3)
    layer.initialize()
    return layer


def batch(seed=0, n=6, features=4):
    random = numpy.random.default_rng(seed)
    rows = random.integers(0, 16, (n, features)).astype("int32")
    return rows, random.normal(size=(n, 3)).astype("float32")


def test_scores_are_sums_of_rows(layer):
    table = layer.shims[0]
    table.weights[:] = numpy.random.default_rng(1).normal(size=(16, 3))
    rows, _ = batch()
    expected = [sum(table.weights[row] for row in line) for line in rows]
    assert layer.predict(rows) == pytest.approx(numpy.array(expected), abs=1e-5)
    assert layer.predict(rows[:0]).shape == (0, 3)


def test_adagrad_by_the_book(layer):
    weights, squares = numpy.zeros((16, 3)), numpy.zeros((16, 3))
    for seed in range(4):
        # Two parts of a batch are one step.
        gradient = numpy.zeros((16, 3))
        touched = set()
        for part in (seed, seed + 10):
            rows, d_scores = batch(part)
            layer.begin_update(rows)[1](d_scores)
            for line, d in zip(rows, d_scores):
                for row in line:
                    gradient[row] += d
                    touched.add(row)
        layer.finish_update(Adam())
        for row in touched:
            step = gradient[row] + 0.01 * weights[row]
            squares[row] += step**2
            weights[row] -= 0.1 * step / (numpy.sqrt(squares[row]) + 1e-6)
    assert layer.shims[0].weights == pytest.approx(weights, abs=1e-5)


def test_nothing_changes_before_the_end_of_an_update(layer):
    rows, d_scores = batch()
    layer.begin_update(rows)[1](d_scores)
    assert not layer.shims[0].weights.any()
    layer.finish_update(Adam())
    assert layer.shims[0].weights.any()
    before = layer.shims[0].weights.copy()
    layer.finish_update(Adam())
    assert (layer.shims[0].weights == before).all()


def test_bytes_and_copies(layer):
    rows, d_scores = batch()
    layer.begin_update(rows)[1](d_scores)
    layer.finish_update(Adam())
    again = HashedLinear(4, 0.1, 0.01).from_bytes(layer.to_bytes())
    for other in (again, layer.copy()):
        assert (other.predict(rows) == layer.predict(rows)).all()
    begin, d_scores = again.begin_update(rows)
    d_scores(begin)
    again.finish_update(Adam())  # can be trained further
    assert again.get_dim("nO") == 3


def test_empty_updates():
    table = AdaGradTable()
    table.weights = numpy.zeros((4, 2), dtype="float32")
    nothing = numpy.zeros((0, 3), dtype="int32")
    table.pending.append((nothing, numpy.zeros((0, 2), dtype="float32")))
    table.finish_update(None)
    assert not table.weights.any() and not table.pending


def test_resize(layer):
    rows, d_scores = batch()
    layer.begin_update(rows)[1](d_scores)
    layer.finish_update(Adam())
    before = layer.predict(rows)
    layer.shims[0].resize(5)
    after = layer.predict(rows)
    assert (after[:, :3] == before).all() and not after[:, 3:].any()
