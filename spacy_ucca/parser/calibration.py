"""Calibrate the scores of edges: from the model's own probabilities to `Edge.score`.

A softmax says how certain the parser was of one transition, not whether the unit is right that the transition attached:
that depends on every decision below the unit too. A logistic regression over both, fitted on graphs that the parser was
not trained on, gives calibrated probabilities (`spacy-ucca calibrate`). Without it, a score is the probability of the one
transition or class that made the edge.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy

from ..features.unit_rows import UnitTable
from ..graph.record import SCORE_STEPS
from ..transition import State

# What a score is made of, by construction; each is a weight of the logistic regression.
FEATURES: dict[str, tuple[str, ...]] = {
    "primary": ("bias", "own logit", "log probability of all below", "log of the number of tokens"),
    "remote": ("bias", "own logit"),
    "implicit": ("bias", "own logit"),
}
MIN_PROBABILITY = 1e-6  # of either outcome of a decision: bounds the logit


class Calibration:
    """Makes scores of features.

    weights (Optional[Mapping[str, Sequence[float]]]): By construction, a weight for each of `FEATURES`;
        those that are missing take the probability of the transition or class as it is.
    """

    def __init__(self, weights: Mapping[str, Sequence[float]] | None = None) -> None:
        self.weights = {
            kind: numpy.array(
                (weights or {}).get(kind, [float(name == "own logit") for name in names])
            )
            for kind, names in FEATURES.items()
        }

    def to_dict(self) -> dict[str, list[float]]:
        """RETURNS (Dict[str, List[float]]): The weights as plain data."""
        return {kind: weights.tolist() for kind, weights in self.weights.items()}

    def __call__(self, kind: str, features: numpy.ndarray) -> list[float]:
        """Make scores.

        kind (str): "primary", "remote" or "implicit".
        features (ndarray): (n, n_features) as `FEATURES` names them.
        RETURNS (List[float]): Probabilities, in the steps that records keep.
        """
        probs = 1 / (1 + numpy.exp(-(features @ self.weights[kind])))
        return (numpy.round(probs * SCORE_STEPS) / SCORE_STEPS).tolist()


class Recorder:
    """Stands in for a Calibration to see what it sees: the "score" of an edge is then a row number.

    rows (List[Tuple[str, ndarray]]): The construction and the features of each edge.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[str, numpy.ndarray]] = []

    def __call__(self, kind: str, features: numpy.ndarray) -> list[float]:
        start = len(self.rows)
        self.rows += [(kind, row) for row in features]
        return [float(i) for i in range(start, len(self.rows))]


def logits(log_probs: Any) -> numpy.ndarray:
    """RETURNS (ndarray[float64]): Log probabilities as log odds, within bounds."""
    log_probs = numpy.asarray(log_probs, dtype="float64")
    return log_probs - numpy.log(numpy.maximum(-numpy.expm1(log_probs), MIN_PROBABILITY))


def edge_features(own: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): (n, 2) the features of remote edges and implicit units, from log probabilities."""
    return numpy.stack([numpy.ones(len(own)), logits(own)], axis=1)


def unit_features(units: UnitTable) -> numpy.ndarray:
    """The features of the primary edges to units.

    units (UnitTable): Finished trees; their states know the log probability of each step.
    RETURNS (ndarray): (n_units, 4) as `FEATURES` names them; those of roots mean nothing.
    """
    steps = [numpy.asarray(state.log_probs, dtype="float64") for state in units.states]
    starts = numpy.cumsum([0, *map(len, steps)])[:-1]
    every = numpy.concatenate([*steps, [0.0]])
    own = every[starts[units.sentence] + numpy.maximum(units.when, 0)]
    own = numpy.where(units.when >= 0, own, 0.0)
    # Units are in depth-first order: what is below one comes right after it.
    sums = numpy.concatenate([[0.0], numpy.cumsum(own)])
    below = sums[units.end + 1] - sums[numpy.arange(len(own)) + 1]
    length = numpy.log(numpy.maximum(units.last - units.first + 1, 1))
    return numpy.stack([numpy.ones(len(own)), logits(own), below, length], axis=1)


def add_scores(units: UnitTable, calibration: Any) -> None:
    """Give scores to all edges that transitions made.

    units (UnitTable): Finished trees; the scores go to their states.
    calibration (Callable): A Calibration.
    """
    if not units.nodes:
        return
    scores = calibration("primary", unit_features(units))
    for i, state in enumerate(units.states):
        part = slice(int(units.starts[i]) + 1, int(units.starts[i + 1]))  # without the root
        state.scores = dict(zip(units.nodes[part], scores[part]))
        if state.pairs:
            add_pair_scores(
                state, list(state.pairs), state.log_probs[[*state.pairs.values()]], calibration
            )


def add_pair_scores(
    state: State, pairs: Sequence[tuple[int, int]], own: numpy.ndarray, calibration: Any
) -> None:
    """Give scores to remote edges and edges of linkage units.

    state (State): Where they go.
    pairs (Sequence[Tuple[int, int]]): Parent and child of each.
    own (ndarray): (n,) their log probabilities.
    calibration (Callable): A Calibration.
    """
    state.pair_scores.update(zip(pairs, calibration("remote", edge_features(own))))


# Judging scores


def fit(features: numpy.ndarray, right: numpy.ndarray, penalty: float = 1.0) -> numpy.ndarray:
    """Logistic regression by Newton's method.

    features (ndarray): (n, n_features).
    right (ndarray): (n,) ones and zeros.
    penalty (float): Of squared weights, in rows: what keeps few rows from extremes.
    RETURNS (ndarray): (n_features,) the weights.
    """
    weights = numpy.zeros(features.shape[1])
    for _ in range(50):
        guessed = 1 / (1 + numpy.exp(-numpy.clip(features @ weights, -30, 30)))
        gradient = features.T @ (right - guessed) - penalty * weights
        curvature = (features * (guessed * (1 - guessed))[:, None]).T @ features
        step = numpy.linalg.solve(curvature + penalty * numpy.eye(len(weights)), gradient)
        weights = weights + step
        if numpy.abs(step).max(initial=0) < 1e-8:
            break
    return weights


def calibration_error(scores: Iterable[float], right: Iterable[bool], n_bins: int = 10) -> float:
    """The expected calibration error (Naeini et al., 2015; Guo et al., 2017).

    scores (Iterable[float]): Probabilities.
    right (Iterable[bool]): Whether each was right.
    n_bins (int): The number of bins of equal width.
    RETURNS (float): How far, on average, the share of right ones is from the mean score in its bin.
    """
    found, truth = numpy.array([*scores]), numpy.array([*right], dtype="float64")
    if not len(found):
        return 0.0
    bins = numpy.minimum((found * n_bins).astype("int64"), n_bins - 1)
    gaps = numpy.bincount(bins, weights=found - truth, minlength=n_bins)
    return float(numpy.abs(gaps).sum() / len(found))
