"""Matrices of small numbers: 4 or 8 bits for a value, and one scale for 32 values. They stay small on disk and, where rows are
looked up one by one, in memory."""

from typing import Any

import numpy

BLOCK = 32  # values with one scale


class BlockRows:
    """Rows of whole numbers, block by block with a scale.

    scales (ndarray[float16]): (n_rows, n_blocks) the scale of each block.
    values (ndarray[uint8]): (n_rows, n_blocks, 16 or 32) the values of each block. With 32, 128 stands for 0. With 16, each has two
        values of 4 bits, the one at j and, in its upper half, that at j + 16; 8 stands for 0.
    """

    def __init__(self, scales: numpy.ndarray, values: numpy.ndarray) -> None:
        self.scales = scales
        self.values = values

    @classmethod
    def from_floats(cls, rows: numpy.ndarray) -> "BlockRows":
        """Round to 8 bits. What was rounded already stays as it is.

        rows (ndarray[float32]): (n_rows, width); the width is a multiple of 32.
        RETURNS (BlockRows): The rounded rows.
        """
        blocks = rows.reshape((len(rows), -1, BLOCK))
        scales = (numpy.abs(blocks).max(axis=-1) / 127).astype("float16")
        divisors = numpy.where(scales > 0, scales, 1).astype("float32")
        values = numpy.rint(blocks / divisors[:, :, None]).clip(-127, 127) + 128
        return cls(scales, values.astype("uint8"))

    def __len__(self) -> int:
        """RETURNS (int): The number of rows."""
        return len(self.values)

    def floats(self, numbers: Any = slice(None)) -> numpy.ndarray:
        """Look up rows.

        numbers (Union[ndarray[int], slice]): Which ones; all by default.
        RETURNS (ndarray[float32]): (n, width).
        """
        values, scales = self.values[numbers], self.scales[numbers]
        if values.shape[-1] == BLOCK:
            rows = values.astype("float32")
            rows -= 128.0
        else:
            rows = numpy.concatenate([values & 15, values >> 4], axis=-1).astype("float32")
            rows -= 8.0
        rows *= scales.astype("float32")[:, :, None]
        return rows.reshape((len(rows), -1))
