"""Products of numbers that are rounded to 8 bits, for prediction: by a kernel in C where the processor has AVX512-VNNI, else in NumPy
or CuPy. Sums of whole numbers are exact, so that both give the same graphs.
"""

import os
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy
from thinc.util import get_array_module

SMALLEST = numpy.float32(1e-30)  # instead of the range of a row of zeros
STEPS = numpy.float32(254)  # of a range: 255 if both of its ends are rounded outwards
BLOCK = 64  # rows that stay in the cache of the processor from one pass to the next


def _load() -> Any:
    """RETURNS (Optional[module]): The kernel, unless it was compiled from another source, or this processor cannot run it."""
    if os.environ.get("SPACY_UCCA_PURE", "0") in ("", "0"):
        try:
            kernel = import_module(f"{__package__}._int8")
        except ImportError:
            return None
        source = Path(__file__).with_name("int8.c")
        data = source.read_bytes().replace(b"\r\n", b"\n") if source.exists() else None
        if kernel.SUPPORTED and (data is None or zlib.crc32(data) == kernel.SOURCE):
            return kernel
    return None


KERNEL = _load()


class RoundedMatrix:
    """A matrix of whole numbers from -127 to 127, with one scale for each row.

    W (Floats2d): (n_outputs, n_inputs) what is rounded.
    """

    def __init__(self, W: Any) -> None:
        n, k = W.shape
        xp = get_array_module(W)
        self.scales = (abs(W).max(axis=1) / 127).clip(SMALLEST, None)
        whole = xp.rint(W / self.scales[:, None])
        self.is_packed = bool(KERNEL) and xp is numpy and not n % 64 and not k % 16
        if self.is_packed:
            tiles = whole.astype("int8").reshape((n // 64, 64, k // 4, 4))
            self.values = tiles.transpose((0, 2, 1, 3)).copy()
            self.totals = whole.sum(axis=1).astype("int32")
        else:
            self.values = xp.ascontiguousarray(whole.T)  # products with few rows are faster so

    def product(self, X: Any, bias: Any, gelu: Callable[[Any], tuple] | None = None) -> Any:
        """Round rows to 8 bits, each with a scale of its own, multiply, and add a bias.

        X (Floats2d): (n_rows, n_inputs) the rows.
        bias (Floats1d): (n_outputs,).
        gelu (Optional[Callable]): `layers.gelu`, to be applied to the outputs.
        RETURNS (Floats2d): (n_rows, n_outputs).
        """
        if self.is_packed:
            Y = numpy.empty((len(X), len(bias)), dtype="float32")
            X = numpy.ascontiguousarray(X)
            KERNEL.product(X, self.values, self.totals, self.scales, bias, Y, gelu is not None)
            return Y
        whole, scales = _round_rows(X)
        Y = whole @ self.values
        for start in range(0, len(Y), BLOCK):
            rows = slice(start, start + BLOCK)
            y = Y[rows]
            y *= scales[rows]
            y *= self.scales
            y += bias
            if gelu is not None:
                y[...] = gelu(y)[0]
        return Y


def _round_rows(X: Any) -> tuple[Any, Any]:
    """RETURNS (Tuple[Floats2d, Floats2d]): Whole numbers, 256 different ones in a row at most, and the scales of the rows."""
    xp = get_array_module(X)
    whole, scales = xp.empty_like(X), xp.empty((len(X), 1), dtype=X.dtype)
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        x = X[rows]
        most, least = x.max(axis=1, keepdims=True), x.min(axis=1, keepdims=True)
        range_ = (most.clip(0, None) - least.clip(None, 0)).clip(SMALLEST, None)
        xp.multiply(x, STEPS / range_, out=whole[rows])
        xp.rint(whole[rows], out=whole[rows])
        scales[rows] = range_ / STEPS
    return whole, scales
