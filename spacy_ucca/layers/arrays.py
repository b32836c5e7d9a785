"""Functions of arrays that layers share: softmax and cross entropy, dropout, sequences end to end.

Softmax and cross entropy take arrays of NumPy or CuPy. Dropout masks are drawn faster than Thinc draws them: 16 random bits
decide about a value.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy
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


def dropout_mask(ops: Any, shape: tuple[int, ...], rate: float) -> Any:
    """A mask for dropout, from NumPy's global random state, as `Ops.get_dropout_mask` makes it.

    ops (Ops): The ops of the model.
    shape (Tuple[int, ...]): The shape of what is to be dropped.
    rate (float): How often, from 0 up to 1, to the nearest 1/65536.
    RETURNS (Floats): Zeros, and `1 / (1 - rate)` where a value is kept.
    """
    if ops.xp is not numpy or not 0 < rate < 1:
        return ops.get_dropout_mask(shape, rate)
    size = int(numpy.prod(shape))
    coins = numpy.frombuffer(numpy.random.bytes(2 * size), dtype="uint16").reshape(shape)
    mask = (coins >= round(rate * 65536)).astype("float32")
    mask *= numpy.float32(1 / (1 - rate))
    return mask


def divide(X: Any, lengths: Sequence[int]) -> list[Any]:
    """Divide an array into sequences. `Ops.unflatten` takes longer than what is done with a short one.

    X (Floats2d): The array.
    lengths (Sequence[int]): The length of each sequence.
    RETURNS (List[Floats2d]): The sequences, as views.
    """
    ends = itertools.accumulate(lengths)
    return [X[end - n : end] for n, end in zip(lengths, ends)]
