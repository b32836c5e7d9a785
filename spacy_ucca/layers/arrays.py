"""Functions of arrays that layers share: softmax and cross entropy, dropout, sequences end to end, memory that is used again.

Softmax and cross entropy take arrays of NumPy or CuPy. Dropout masks are drawn faster than Thinc draws them: 16 random bits
decide about a value. A large array that is freed goes back to the system, and the next one comes from there again, page by
page: that can take nearly a tenth of the time of parsing, and more where sentences are long. So `Scratch` keeps memory.
"""

import bisect
import itertools
import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy
from thinc.api import Model
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


def begin_output(model: Model, hidden: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Multiply hidden vectors with the output of a layer, and keep what backpropagation needs.

    model (Model): The layer: its parameter "O" has the weights of each class, and last its bias.
    hidden (Floats2d): (n, nH).
    RETURNS (Tuple[Floats2d, Callable]): The scores (n, nO), and a function from their gradient to that of the hidden vectors.
    """
    output: Any = model.get_param("O")

    def backprop(d_scores: Any) -> Any:
        d_output: Any = model.ops.alloc2f(*output.shape)
        d_output[:, :-1] = d_scores.T @ hidden
        d_output[:, -1] = d_scores.sum(axis=0)
        model.inc_grad("O", d_output)
        return d_scores @ output[:, :-1]

    return hidden @ output[:, :-1].T + output[:, -1], backprop


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


MAX_BYTES = 1 << 28


class Scratch:
    """Blocks of memory that nobody uses at present.

    limit (int): How many bytes are kept at most. What is beyond that goes back to the system, the smallest blocks first.
    """

    def __init__(self, limit: int = MAX_BYTES) -> None:
        self.limit = limit
        self._free: list[numpy.ndarray] = []  # the smallest first
        self._given: deque[numpy.ndarray] = deque()  # not in order yet
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """RETURNS (int): The number of blocks that are kept."""
        with self._lock:
            self._collect()
            return len(self._free)

    def take(self, *shape: int) -> numpy.ndarray:
        """Take an array, for as long as nobody else may have it.

        *shape (int): Its shape.
        RETURNS (ndarray[float32]): The array, with anything in it.
        """
        size = math.prod(shape)
        with self._lock:
            self._collect()
            i = bisect.bisect_left(self._free, size, key=len)
            block = self._free.pop(i) if i < len(self._free) else None
        if block is None:  # powers of two, so that batches of about the same size share blocks
            block = numpy.empty(1 << max(size - 1, 0).bit_length(), dtype="float32")
        return block[:size].reshape(shape)

    def give(self, array: numpy.ndarray) -> None:
        """Give an array back.

        array (ndarray[float32]): What `take` gave. Neither it nor a view of it may be used any more.
        """
        block: Any = array.base
        # No lock: finalizers call this, whatever their thread is in the middle of.
        if block.nbytes <= self.limit:
            self._given.append(block)

    def _collect(self) -> None:
        while self._given:
            bisect.insort(self._free, self._given.popleft(), key=len)
        while sum(map(attrgetter("nbytes"), self._free)) > self.limit:
            self._free.pop(0)


SCRATCH = Scratch()
