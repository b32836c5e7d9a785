"""Memory for large arrays, used again from batch to batch.

A large array that is freed goes back to the system, and the next one comes from there again, page by page. That can take
longer than what is computed in it: a tenth of the time of parsing, and more where sentences are long.
"""

import bisect
import math
import threading

import numpy

LIMIT = 1 << 28  # bytes


class Scratch:
    """Blocks of memory that nobody uses at present.

    limit (int): How many bytes are kept at most. What is beyond that goes back to the system, the smallest blocks first.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self._free: list[numpy.ndarray] = []  # the smallest first
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """RETURNS (int): The number of blocks that are kept."""
        return len(self._free)

    def take(self, *shape: int) -> numpy.ndarray:
        """Take an array, for as long as nobody else may have it.

        *shape (int): Its shape.
        RETURNS (ndarray[float32]): The array, with anything in it.
        """
        size = math.prod(shape)
        with self._lock:
            i = bisect.bisect_left(self._free, size, key=len)
            block = self._free.pop(i) if i < len(self._free) else None
        if block is None:  # powers of two, so that batches of about the same size share blocks
            block = numpy.empty(1 << max(size - 1, 0).bit_length(), dtype="float32")
        return block[:size].reshape(shape)

    def give(self, array: numpy.ndarray) -> None:
        """Give an array back.

        array (ndarray[float32]): What `take` gave. Neither it nor a view of it may be used any more.
        """
        block = array.base
        assert isinstance(block, numpy.ndarray)
        with self._lock:
            bisect.insort(self._free, block, key=len)
            while sum(block.nbytes for block in self._free) > self.limit:
                self._free.pop(0)


SCRATCH = Scratch()
