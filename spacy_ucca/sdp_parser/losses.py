"""The losses of `sdp_parser`: the weighted likelihood of LogitEdge, and the margin of the structured SVM.

Both return the loss and the gradient of the scores. Scores are (n_pairs, 1 + n_labels), NOEDGE first.
"""

import numpy

from ..errors import Errors
from .decoding import NO_EDGE, best_labels
from .tokens import Pairs

__all__ = ["LOSSES", "binary_loss", "likelihood_loss", "margin_loss"]

Found = tuple[float, numpy.ndarray]


def likelihood_loss(
    scores: numpy.ndarray, gold: numpy.ndarray, noedge_weight: float, **kwargs: object
) -> Found:
    """The negative log-likelihood of the gold labels, of each pair alone (section 3.2.1).

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    gold (ndarray[int64]): (n_pairs,) the gold label of each, or NO_EDGE.
    noedge_weight (float): The weight of pairs without an edge. Others have 1.
    RETURNS (Tuple[float, ndarray[float32]]): The loss, and the gradient of the scores.
    """
    if not len(gold):
        return 0.0, numpy.zeros_like(scores)
    rows = numpy.arange(len(gold))
    shifted = scores - scores.max(axis=1, keepdims=True)
    exp = numpy.exp(shifted)
    total = exp.sum(axis=1, keepdims=True)
    weights = numpy.where(gold == NO_EDGE, noedge_weight, 1.0).astype(scores.dtype)
    loss = float((weights * (numpy.log(total[:, 0]) - shifted[rows, gold])).sum())
    gradient = exp / total
    gradient[rows, gold] -= 1
    return loss, gradient * weights[:, None]


def margin_loss(
    scores: numpy.ndarray,
    gold: numpy.ndarray,
    noedge_weight: float,
    *,
    pairs: Pairs,
    both_directions: bool = False,
    deterministic: bool = False,
) -> Found:
    """The loss of a structured SVM (section 3.2.2): how much better than the gold graph the best graph is if
    each wrong label counts for it: 1 where an edge is missed or has a wrong label, `noedge_weight` where none should be.

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    gold (ndarray[int64]): (n_pairs,) the gold label of each, or NO_EDGE.
    noedge_weight (float): What an edge costs that should not be.
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
    found = best_labels(
        augmented, pairs, both_directions=both_directions, deterministic=deterministic
    )
    wrong = found != gold
    gradient[rows[wrong], found[wrong]] += 1
    gradient[rows[wrong], gold[wrong]] -= 1
    loss = float((augmented[rows, found] - scores[rows, gold])[wrong].sum())
    return max(loss, 0.0), gradient


def binary_loss(scores: numpy.ndarray, gold: numpy.ndarray) -> Found:
    """The negative log-likelihood of a yes or no.

    scores (ndarray[float]): (n,) log odds.
    gold (ndarray[bool]): (n,) the truth.
    RETURNS (Tuple[float, ndarray[float32]]): The loss, and the gradient of the scores.
    """
    signs = numpy.where(gold, -scores, scores)
    loss = float(numpy.logaddexp(0, signs).sum())
    odds = 1 / (1 + numpy.exp(-numpy.clip(scores, -80, 80)))
    return loss, (odds - gold).astype("float32")


LOSSES = {"likelihood": likelihood_loss, "margin": margin_loss}


def check_loss(name: str) -> None:
    """RAISES (ValueError): If no loss has that name."""
    if name not in LOSSES:
        raise ValueError(Errors.UC878.format(name=name, known=", ".join(LOSSES)))
