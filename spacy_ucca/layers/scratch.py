"""Memory for large arrays, used again from batch to batch.

A large array that is freed goes back to the system, and the next one comes from there again, page by page. That can take
nearly a tenth of the time of parsing, and more where sentences are long.
"""

import bisect
import math
import threading
from collections import deque
from typing import Any

import numpy

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
        while sum(block.nbytes for block in self._free) > self.limit:
            self._free.pop(0)


SCRATCH = Scratch()
