"""Turn a batch of sentences into rows of features of spans, for parsing and training."""

from collections.abc import Sequence

import numpy

from ..features.state_rows import Syntax
from ..features.unit_rows import relations
from ..layers.span_scorer import PlacedSpans, SpanStep
from ..parser.labels import EVERYTHING, Allowed
from .layout import (
    N_LINKS,
    N_SHAPES,
    SpanLayout,
    head_features,
)


def n_values(n_deps: int) -> int:
    """RETURNS (int): How many values the categories of spans have together, given the number of dependency labels."""
    return N_SHAPES + N_LINKS * n_deps + 2 * _n_relations(n_deps)


def _n_relations(n_deps: int) -> int:
    return 2 + 2 * n_deps


class SpanBatch:
    """The spans of some sentences, as the model sees them: where they begin and end, which token is their head and what
    governs it; their shape; what the head's dependency is and how closed the span is in the dependency tree; how the head
    is connected to the tokens before and after the span.

    places (Sequence[ndarray]): For each sentence, where its tokens are in the batch.
    syntaxes (Sequence[Syntax]): The dependency tree of each.
    n_deps (int): The number of dependency labels.
    allowed (Allowed): The labels of spans under the guidelines of each sentence.
    """

    def __init__(
        self,
        places: Sequence[numpy.ndarray],
        syntaxes: Sequence[Syntax],
        n_deps: int,
        allowed: Allowed = EVERYTHING,
    ) -> None:
        self.allowed = allowed
        layout = self.layout = SpanLayout([len(p) for p in places])
        none = numpy.full(1, -1, dtype="int64")
        # The places between tokens: before the first of a sentence, between two, after the last.
        empty = numpy.zeros(0, dtype="int64")
        self.before = numpy.concatenate([empty, *(a for p in places for a in (none, p))])
        self.after = numpy.concatenate([empty, *(a for p in places for a in (p, none))])
        nearest, shape = head_features(layout, [syntax.heads for syntax in syntaxes])
        firsts = numpy.cumsum(layout.lengths) - layout.lengths
        # The last place is that of no token.
        token = numpy.concatenate([empty, *places, none])
        above = [_above(syntax.heads, n) for syntax, n in zip(syntaxes, firsts)]
        heads = numpy.concatenate([empty, *above, none])
        deps = [numpy.array(syntax.deps, dtype="int64") for syntax in syntaxes]
        dep = numpy.concatenate([empty, *deps, none + 1])
        sentence, (start, end) = layout.sentence, layout.ends
        first, head = firsts[sentence], nearest + firsts[sentence]
        left = numpy.where(start > 0, first + start - 1, -1)
        right = numpy.where(end < layout.lengths[sentence], first + end, -1)
        rows = [
            *(layout.ends + first + sentence),
            token[head],
            token[heads[head]],
            shape,
            N_SHAPES + dep[head] * N_LINKS + shape % N_LINKS,
            N_SHAPES + N_LINKS * n_deps + relations(heads, dep, head, left),
            N_SHAPES + N_LINKS * n_deps + _n_relations(n_deps) + relations(heads, dep, head, right),
        ]
        self.rows = numpy.stack(rows, axis=1).astype("int32")

    def place(self, step: SpanStep) -> PlacedSpans:
        """RETURNS (PlacedSpans): The scorer of the spans."""
        return step.place(self.before, self.after)


def _above(heads: Sequence[int], first: int) -> numpy.ndarray:
    """RETURNS (ndarray): For each token, its head among all tokens of the batch; -1 for none."""
    array = numpy.array(heads, dtype="int64")
    known = (array >= 0) & (array != numpy.arange(len(array)))
    return numpy.where(known, array + first, -1)
