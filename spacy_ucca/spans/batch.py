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
        token = numpy.concatenate([empty, *places])[nearest + firsts[layout.sentence]]
        between = layout.ends + (firsts + numpy.arange(len(layout)))[layout.sentence]
        # (n_rows, 4): see `PlacedSpans`
        self.rows = numpy.stack([*between, token, shape], axis=1).astype("int32")

    def place(self, step: SpanStep) -> PlacedSpans:
        """RETURNS (PlacedSpans): What scores the spans."""
        return step.place(self.before, self.after)
