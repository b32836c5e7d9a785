"""Softmax, its logarithm, and the cross entropy with its gradient, for arrays of NumPy or CuPy."""

from typing import Any

from thinc.util import get_array_module

SMALLEST = 1e-12  # is added to probabilities before their logarithm is taken


def softmax(scores: Any) -> Any:
    """Turn scores into probabilities.

    scores (ndarray[float]): (..., n_classes). A class with a score of -inf gets the probability 0.
    RETURNS (ndarray[float]): A new array of the same shape and type, which sums to 1 over the last axis.
    """
    xp = get_array_module(scores)
    probabilities = scores - scores.max(axis=-1, keepdims=True)
    xp.exp(probabilities, out=probabilities)
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    return probabilities


def log_softmax(scores: Any, chosen: Any = None) -> Any:
    """Turn scores into log probabilities, in double precision.

    scores (ndarray[float]): (n, n_classes). A class with a score of -inf keeps it.
    chosen (Optional[ndarray[int]]): (n,) a class of each row.
    RETURNS (ndarray[float64]): (n,) the log probability of the chosen class of each row; (n, n_classes) those of all
        classes if none is chosen.
    """
    xp = get_array_module(scores)
    scores = scores.astype("float64")
    top = scores.max(axis=1, keepdims=True)
    total = xp.log(xp.exp(scores - top).sum(axis=1, keepdims=True)) + top
    if chosen is None:
        return scores - total
    return scores[xp.arange(len(scores)), chosen] - total[:, 0]


def cross_entropy(scores: Any, right: Any) -> tuple[float, Any]:
    """Compute the cross entropy of the softmax of scores, and its gradient.

    scores (ndarray[float]): (n, n_classes).
    right (ndarray): (n,) the number of the right class of each row; or (n, n_classes) of 0 and 1, where several classes
        may be right: then the sum of their probabilities counts.
    RETURNS (Tuple[float, ndarray[float]]): The loss, summed over rows, and the gradient of the scores.
    """
    xp = get_array_module(scores)
    probabilities = softmax(scores)
    if right.ndim == 2:
        gold = probabilities * right
        total = gold.sum(axis=1, keepdims=True) + SMALLEST
        return -float(xp.log(total).sum()), probabilities - gold / total
    index = xp.arange(len(right)), right
    loss = -float(xp.log(probabilities[index] + SMALLEST).sum())
    probabilities[index] -= 1.0
    return loss, probabilities
