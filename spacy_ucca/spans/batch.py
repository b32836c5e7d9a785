"""A batch of sentences as rows of spans: what the scorer of spans is asked, when parsing and when learning."""

from collections.abc import Sequence

import numpy

from ..layers.span_scorer import PlacedSpans, SpanStep
from .layout import SpanLayout, head_features


class SpanBatch:
    """The spans of some sentences, as the model sees them.

    places (Sequence[ndarray]): For each sentence, where its tokens are in the batch.
    heads (Sequence[Sequence[int]]): For each, the syntactic head of each token; itself for a root, -1 if unknown.
    """

    def __init__(self, places: Sequence[numpy.ndarray], heads: Sequence[Sequence[int]]) -> None:
        layout = self.layout = SpanLayout([len(p) for p in places])
        none = numpy.full(1, -1, dtype="int64")
        # The places between tokens: before the first of a sentence, between two, after the last.
        empty = numpy.zeros(0, dtype="int64")
        self.before = numpy.concatenate([empty, *(a for p in places for a in (none, p))])
        self.after = numpy.concatenate([empty, *(a for p in places for a in (p, none))])
        nearest, shape = head_features(layout, heads)
        firsts = numpy.cumsum(layout.lengths) - layout.lengths
        # The last place is that of no token.
        token = numpy.concatenate([empty, *places, none])
        above = numpy.concatenate([empty, *(_above(own, n) for own, n in zip(heads, firsts))])
        head = nearest + firsts[layout.sentence]
        between = layout.ends + (firsts + numpy.arange(len(layout)))[layout.sentence]
        rows = [*between, token[head], token[above[head]], shape]
        self.rows = numpy.stack(rows, axis=1).astype("int32")  # see `PlacedSpans`

    def place(self, step: SpanStep) -> PlacedSpans:
        """RETURNS (PlacedSpans): What scores the spans."""
        return step.place(self.before, self.after)


def _above(heads: Sequence[int], first: int) -> numpy.ndarray:
    """RETURNS (ndarray): For each token, its head among all tokens of the batch; -1 for none."""
    found = numpy.array(heads, dtype="int64")
    known = (found >= 0) & (found != numpy.arange(len(found)))
    return numpy.where(known, found + first, -1)
