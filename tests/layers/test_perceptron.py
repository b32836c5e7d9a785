"""The perceptron: against a textbook's way to do it, with every row of weights kept and every mean taken."""

from itertools import pairwise
from typing import Any

import numpy
import pytest

from spacy_ucca.layers import perceptron
from spacy_ucca.layers.perceptron import AveragedPerceptron, FeatureIndex
from spacy_ucca.native import kernels

N_CLASSES, N_FEATURES = 4, 6


@pytest.fixture(params=["loaded", "plain"])
def way(request, monkeypatch) -> str:
    """The loop that learns, compiled where it can be, and as plain Python."""
    if request.param == "plain":
        monkeypatch.setattr(perceptron, "kernels", kernels)
    return request.param


def make_rows(n: int, seed: int = 0, n_values: int = 4) -> tuple[Any, Any, Any]:
    """RETURNS (Tuple): Features, with some left out, right classes that follow from them but for noise, masks."""
    rng = numpy.random.default_rng(seed)
    values = rng.integers(0, n_values, (n, N_FEATURES))
    secret = rng.normal(size=(N_FEATURES, n_values, N_CLASSES))
    classes = secret[numpy.arange(N_FEATURES), values].sum(axis=1).argmax(axis=1)
    noise = rng.random(n) < 0.1
    classes[noise] = rng.integers(0, N_CLASSES, noise.sum())
    hashes = numpy.random.default_rng(9).integers(1, 2**63, (N_FEATURES, n_values), dtype="uint64")
    ids = hashes[numpy.arange(N_FEATURES), values]
    ids[rng.random(ids.shape) < 0.2] = 0
    mask = rng.random((n, N_CLASSES)) < 0.8
    mask[numpy.arange(n), classes] = True
    return ids, classes, mask


class Textbook:
    """Weights by feature, as a dictionary; all of them after each row are kept for their mean."""

    def __init__(self, min_update: int) -> None:
        self.min_update = min_update
        self.weights: dict[int, list[float]] = {}
        self.counts: dict[int, int] = {}
        self.after: list[dict[int, list[float]]] = []

    def learn(self, ids: Any, right: int, mask: Any, rate: float) -> bool:
        features = [f for f in ids.tolist() if f]
        scores = [0.0 if ok else -numpy.inf for ok in mask]
        for f in features:
            if self.counts.get(f, 0) >= self.min_update:
                scores = [s + w for s, w in zip(scores, self.weights[f])]
        guess = scores.index(max(scores))
        if guess != right:
            for f in features:
                weights = self.weights.setdefault(f, [0.0] * N_CLASSES)
                weights[right] += rate
                weights[guess] -= rate
                self.counts[f] = self.counts.get(f, 0) + 1
        self.after.append({f: list(weights) for f, weights in self.weights.items()})
        return guess != right

    def average(self, feature: int) -> list[float]:
        if self.counts.get(feature, 0) < self.min_update:
            return [0.0] * N_CLASSES
        rows = [weights.get(feature, [0.0] * N_CLASSES) for weights in self.after]
        return [sum(column) / len(rows) for column in zip(*rows)]


@pytest.mark.parametrize("min_update", [1, 2, 5])
def test_it_learns_what_the_textbook_does(min_update: int, way: str) -> None:
    ours, theirs = AveragedPerceptron(N_CLASSES, min_update), Textbook(min_update)
    for part, rate in enumerate((1.0, 0.5, 0.25)):
        ids, classes, mask = make_rows(60, part)
        wrong = ours.learn(ids, classes, mask, rate)
        assert wrong == sum(
            theirs.learn(ids[i], int(classes[i]), mask[i], rate) for i in range(len(ids))
        )
        assert 0 < wrong < len(ids)
        assert ours.n_seen == len(theirs.after)
        assert ours.index.n == len(theirs.weights)
        assert ours.n_rows == 1 + sum(n >= min_update for n in theirs.counts.values())
        assert ours.n_rows > 1
        for row, scores in zip(ids, ours.scores(ids)):
            expected = sum(numpy.array(theirs.average(f)) for f in row.tolist() if f)
            numpy.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)


def test_batches_make_no_difference(way: str) -> None:
    ids, classes, mask = make_rows(200)
    whole, parts = AveragedPerceptron(N_CLASSES, 3), AveragedPerceptron(N_CLASSES, 3)
    wrong = whole.learn(ids, classes, mask)
    bounds = [0, 1, 2, 50, 50, 199, 200]
    each = [parts.learn(ids[a:b], classes[a:b], mask[a:b]) for a, b in pairwise(bounds)]
    assert sum(each) == wrong
    assert parts.to_bytes() == whole.to_bytes()


def test_both_ways_learn_the_same(monkeypatch) -> None:
    made = []
    for loop in (perceptron.kernels, kernels):
        monkeypatch.setattr(perceptron, "kernels", loop)
        made.append(AveragedPerceptron(N_CLASSES, 2))
        for part in range(3):
            made[-1].learn(*make_rows(100, part, n_values=20), rate=0.7)
    assert made[0].to_bytes() == made[1].to_bytes()
    assert made[0].n_rows > 20


def test_it_is_stored_with_its_mean(way: str) -> None:
    ids, classes, mask = make_rows(300)
    ours = AveragedPerceptron(N_CLASSES, 3)
    ours.learn(ids, classes, mask)
    again = AveragedPerceptron.from_bytes(ours.to_bytes())
    numpy.testing.assert_array_equal(again.scores(ids), ours.scores(ids))
    assert again.to_bytes() == ours.to_bytes()
    before = numpy.where(mask, ours.scores(ids), -numpy.inf).argmax(axis=1)
    assert (before == classes).mean() > 0.5  # a fifth of the features is hidden
    again.learn(ids, classes, mask)  # goes on from there
    assert again.n_seen == 300 and again.n_updates < ours.n_updates
    empty = AveragedPerceptron.from_bytes(AveragedPerceptron(N_CLASSES).to_bytes())
    assert not empty.scores(ids).any()


def test_it_grows(way: str) -> None:
    ids, classes, mask = make_rows(200)
    ours = AveragedPerceptron(N_CLASSES, 3)
    ours.learn(ids[:100], classes[:100], mask[:100])
    before = ours.scores(ids)
    places = {0: 0, 1: 2, 2: 3, 3: 5}
    ours.resize(6, places)
    after = ours.scores(ids)
    numpy.testing.assert_array_equal(after[:, [*places.values()]], before)
    assert not after[:, [1, 4]].any()
    # What features learned that do not count yet has moved too.
    wide = numpy.zeros((100, 6), dtype="bool")
    wide[:, [*places.values()]] = mask[100:]
    ours.learn(ids[100:], numpy.array([*places.values()])[classes[100:]], wide)
    whole = AveragedPerceptron(N_CLASSES, 3)
    whole.learn(ids, classes, mask)
    numpy.testing.assert_allclose(ours.scores(ids)[:, [0, 2, 3, 5]], whole.scores(ids), atol=1e-5)


def test_the_index_is_a_dictionary() -> None:
    rng = numpy.random.default_rng(0)
    index, known = FeatureIndex(), {}
    pool = rng.integers(1, 2**63, 3000, dtype="uint64")
    pool[:1000] = (pool[:1000] << numpy.uint64(16)) | numpy.uint64(5)  # all begin at one place
    pool = numpy.unique(pool)
    rng.shuffle(pool)
    for part in numpy.split(pool, [0, 1, 30, 700, 701, 2500]):
        numbers = index.add(part)
        known.update(zip(part.tolist(), numbers.tolist()))
        assert index.n == len(known) == len(set(known.values()))
        asked = rng.permutation(
            numpy.concatenate([pool, rng.integers(1, 2**63, 50, dtype="uint64"), [0]])
        )
        asked = asked.astype("uint64")[: 2 * (len(asked) // 2)].reshape((2, -1))
        expected = [[known.get(i, 0) for i in row] for row in asked.tolist()]
        assert index.find(asked).tolist() == expected
    assert index.find(numpy.zeros((0, 3), dtype="uint64")).shape == (0, 3)
