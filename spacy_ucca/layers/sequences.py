"""Sequences that lie end to end in one array."""

import itertools
from collections.abc import Sequence
from typing import Any


def divide(X: Any, lengths: Sequence[int]) -> list[Any]:
    """Divide an array into sequences. `Ops.unflatten` takes longer than what is done with a short one.

    X (Floats2d): The array.
    lengths (Sequence[int]): The length of each sequence.
    RETURNS (List[Floats2d]): The sequences, as views.
    """
    ends = itertools.accumulate(lengths)
    return [X[end - n : end] for n, end in zip(lengths, ends)]
