"""Parse top-down: split a sentence at the best place, then each part, down to the tokens.

Greedy, after Stern, Andreas and Klein (2017), section 4.2, with their dynamic oracle (section 4.3, after Cross and
Huang, 2016), which also gives the best splits of spans that are not gold.
"""

from collections.abc import Callable, Iterable

import numpy

# The chosen split of a span, given its first token, its end and the score of each split between them.
Split = Callable[[int, int, numpy.ndarray], int]


def parse_top_down(
    values: numpy.ndarray, n: int, choose: Split | None = None
) -> list[tuple[int, int]]:
    """Split a sentence down to its tokens.

    values (ndarray): (n (n + 1) / 2,) by first token and end: the score of each span in a tree. The score of a split is
        the sum of those of its parts.
    n (int): The number of tokens.
    choose (Optional[Callable]): Chooses splits, instead of the best.
    RETURNS (List[Tuple[int, int]]): The spans of the tree, 2 n - 1, each before its parts.
    """
    table = numpy.zeros((n + 1, n + 1), dtype=values.dtype)
    starts, ends = numpy.triu_indices(n)
    table[starts, ends + 1] = values
    spans = []
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        spans.append((start, end))
        if end - start == 1:
            continue
        scores = table[start, start + 1 : end] + table[start + 1 : end, end]
        split = int(scores.argmax()) + start + 1 if choose is None else choose(start, end, scores)
        waiting += [(split, end), (start, split)]
    return spans


class SplitOracle:
    """The dynamic oracle: which splits are right, given those already made.

    spans (Iterable[Tuple[int, int]]): First token and end of the spans of the gold tree that have labels.
    """

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self.spans = numpy.array([*spans], dtype="int64").reshape((-1, 2))

    def splits(self, start: int, end: int) -> numpy.ndarray:
        """Find the splits of a span that cross no gold span inside it.

        start, end (int): The span, of two tokens at least.
        RETURNS (ndarray[bool]): (end - start - 1,) whether each split is right; one is at least.
        """
        first, last = self.spans[:, 0], self.spans[:, 1]
        inside = (first >= start) & (last <= end) & (last - first < end - start)
        # One more at the left end of what a gold span forbids, one less at its right end.
        crossed = numpy.zeros(end - start + 1, dtype="int64")
        numpy.add.at(crossed, first[inside] - start + 1, 1)
        numpy.add.at(crossed, last[inside] - start, -1)
        return crossed.cumsum()[1:-1] == 0
