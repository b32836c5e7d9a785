"""Calibrate the scores of edges: from the probabilities of the model to `Edge.score`.

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

# The features of the logistic regression, by kind of edge: one weight each.
FEATURES: dict[str, tuple[str, ...]] = {
    "primary": (
        "bias",
        "own logit",
        "log probability of all below",
        "log of the number of tokens",
        # Tells sentences unlike those the parser has learned from.
        "mean log probability of the sentence's transitions",
    ),
    "remote": ("bias", "own logit"),
    "implicit": ("bias", "own logit"),
}
MIN_PROBABILITY = 1e-6  # of either outcome of a decision: bounds the logit


class Calibration:
    """Compute calibrated scores from features.

    weights (Optional[Mapping[str, Sequence[float]]]): By kind of edge, a weight for each of `FEATURES`.
        Kinds without weights use the uncalibrated probability of the transition or class.
    """

    def __init__(self, weights: Mapping[str, Sequence[float]] | None = None) -> None:
        self.weights: dict[str, numpy.ndarray] = {}
        for kind, names in FEATURES.items():
            given = (weights or {}).get(kind, [float(name == "own logit") for name in names])
            self.weights[kind] = numpy.array(given)

    def to_dict(self) -> dict[str, list[float]]:
        """RETURNS (Dict[str, List[float]]): The weights as plain data."""
        return {kind: weights.tolist() for kind, weights in self.weights.items()}

    def __call__(self, kind: str, features: numpy.ndarray) -> list[float]:
        """Compute scores.

        kind (str): "primary", "remote" or "implicit".
        features (ndarray): (n, n_features) as `FEATURES` names them.
        RETURNS (List[float]): Probabilities, in the steps that records keep.
        """
        probs = 1 / (1 + numpy.exp(-(features @ self.weights[kind])))
        return (numpy.round(probs * SCORE_STEPS) / SCORE_STEPS).tolist()


class Recorder:
    """Record the features that a Calibration would get: the "score" of an edge is the number of its row.

    rows (List[Tuple[str, ndarray]]): The kind and the features of each edge.
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


def edge_features(log_probs: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): (n, 2) the features of remote edges and implicit units, from log probabilities."""
    return numpy.stack([numpy.ones(len(log_probs)), logits(log_probs)], axis=1)


def unit_features(units: UnitTable) -> numpy.ndarray:
    """Compute the features of the primary edges to units.

    units (UnitTable): Finished trees; their states hold the log probability of each step.
    RETURNS (ndarray): (n_units, 5) in the order of `FEATURES`; the rows of roots have no meaning.
    """
    steps = [numpy.asarray(state.log_probs, dtype="float64") for state in units.states]
    means = numpy.array([own.sum() / max(len(own), 1) for own in steps])[units.sentence]
    starts = numpy.cumsum([0, *map(len, steps)])[:-1]
    all_log_probs = numpy.concatenate([*steps, [0.0]])
    log_probs = all_log_probs[starts[units.sentence] + numpy.maximum(units.when, 0)]
    log_probs = numpy.where(units.when >= 0, log_probs, 0.0)
    # Units are in depth-first order: the units below one come right after it.
    sums = numpy.concatenate([[0.0], numpy.cumsum(log_probs)])
    below = sums[units.end + 1] - sums[numpy.arange(len(log_probs)) + 1]
    length = numpy.log(numpy.maximum(units.last - units.first + 1, 1))
    columns = [numpy.ones(len(log_probs)), logits(log_probs), below, length, means]
    return numpy.stack(columns, axis=1)


def add_scores(units: UnitTable, calibration: Any) -> None:
    """Set the scores of all edges that transitions made.

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
    state: State, pairs: Sequence[tuple[int, int]], log_probs: numpy.ndarray, calibration: Any
) -> None:
    """Set the scores of remote edges and edges of linkage units.

    state (State): The state that gets them.
    pairs (Sequence[Tuple[int, int]]): Parent and child of each.
    log_probs (ndarray): (n,) the log probability of each.
    calibration (Callable): A Calibration.
    """
    state.pair_scores.update(zip(pairs, calibration("remote", edge_features(log_probs))))


# Judging scores


def fit(features: numpy.ndarray, right: numpy.ndarray, penalty: float = 1.0) -> numpy.ndarray:
    """Fit a logistic regression by Newton's method.

    features (ndarray): (n, n_features).
    right (ndarray): (n,) ones and zeros.
    penalty (float): The weight of the squared weights (L2), in rows: it keeps weights small when rows are few.
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
    """Compute the expected calibration error (Naeini et al., 2015; Guo et al., 2017).

    scores (Iterable[float]): Probabilities.
    right (Iterable[bool]): Whether each was right.
    n_bins (int): The number of bins of equal width.
    RETURNS (float): The mean distance between accuracy and mean score of a bin, weighted by its size.
    """
    probs, truth = numpy.array([*scores]), numpy.array([*right], dtype="float64")
    if not len(probs):
        return 0.0
    bins = numpy.minimum((probs * n_bins).astype("int64"), n_bins - 1)
    gaps = numpy.bincount(bins, weights=probs - truth, minlength=n_bins)
    return float(numpy.abs(gaps).sum() / len(probs))
