"""The losses of `sdp_parser`: the weighted likelihood of LogitEdge, and the margin of the structured SVM.

Both return the loss and the gradient of the scores. Scores are (n_pairs, 1 + n_labels), NOEDGE first.
"""

import numpy

from ..layers.arrays import log_softmax, softmax
from .batch import NO_EDGE, Pairs
from .decoding import best_labels

LossAndGradient = tuple[float, numpy.ndarray]


def likelihood_loss(
    scores: numpy.ndarray, gold: numpy.ndarray, noedge_weight: float, **kwargs: object
) -> LossAndGradient:
    """Compute the negative log-likelihood of the gold labels, each pair by itself (section 3.2.1).

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    gold (ndarray[int64]): (n_pairs,) the gold label of each, or NO_EDGE.
    noedge_weight (float): The weight of pairs without an edge. Others have 1.
    RETURNS (Tuple[float, ndarray[float32]]): The loss, and the gradient of the scores.
    """
    if not len(gold):
        return 0.0, numpy.zeros_like(scores)
    weights = numpy.where(gold == NO_EDGE, noedge_weight, 1.0).astype(scores.dtype)
    gradient = softmax(scores)
    gradient[numpy.arange(len(gold)), gold] -= 1
    return -float(weights @ log_softmax(scores, gold)), gradient * weights[:, None]


def margin_loss(
    scores: numpy.ndarray,
    gold: numpy.ndarray,
    noedge_weight: float,
    *,
    pairs: Pairs,
    both_directions: bool = False,
    deterministic: bool = False,
) -> LossAndGradient:
    """Compute the loss of a structured SVM (section 3.2.2): the score of the best graph, plus the costs of its wrong labels,
    less the score of the gold graph. A wrong label costs 1 where the gold graph has an edge, `noedge_weight` elsewhere.

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    gold (ndarray[int64]): (n_pairs,) the gold label of each, or NO_EDGE.
    noedge_weight (float): The cost of an edge that the gold graph does not have.
    pairs (Pairs): The pairs.
    both_directions, deterministic (bool): The constraints on graphs; see `best_labels`.
    RETURNS (Tuple[float, ndarray[float32]]): The loss, and a subgradient of the scores.
    """
    gradient = numpy.zeros_like(scores)
    if not len(gold):
        return 0.0, gradient
    rows = numpy.arange(len(gold))
    costs = numpy.where(gold == NO_EDGE, noedge_weight, 1.0).astype(scores.dtype)
    augmented = scores + costs[:, None]
    augmented[rows, gold] -= costs
    predicted = best_labels(
        augmented, pairs, both_directions=both_directions, deterministic=deterministic
    )
    wrong = predicted != gold
    gradient[rows[wrong], predicted[wrong]] += 1
    gradient[rows[wrong], gold[wrong]] -= 1
    loss = float((augmented[rows, predicted] - scores[rows, gold])[wrong].sum())
    return max(loss, 0.0), gradient


def binary_loss(scores: numpy.ndarray, gold: numpy.ndarray) -> LossAndGradient:
    """Compute the negative log-likelihood of binary labels.

    scores (ndarray[float]): (n,) log odds.
    gold (ndarray[bool]): (n,) the labels.
    RETURNS (Tuple[float, ndarray[float32]]): The loss, and the gradient of the scores.
    """
    signs = numpy.where(gold, -scores, scores)
    loss = float(numpy.logaddexp(0, signs).sum())
    odds = 1 / (1 + numpy.exp(-numpy.clip(scores, -80, 80)))
    return loss, (odds - gold).astype("float32")


LOSSES = {"likelihood": likelihood_loss, "margin": margin_loss}
