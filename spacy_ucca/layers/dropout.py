"""Dropout masks, drawn faster than Thinc draws them: 16 random bits decide about a value."""

from typing import Any

import numpy


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
