"""The spans of a batch of sentences: their numbers, by sentence, first token and end, and their rows of features, for parsing
and training."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

import numpy
from numpy import ndarray

from ..features.state_rows import Syntax
from ..features.unit_rows import relations
from ..layers.span_scorer import PlacedSpans, SpanStep
from ..parser.labels import EVERYTHING, Allowed

# Buckets of features
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 26)  # where buckets of lengths begin
MAX_HEADS, MAX_LEFT = 4, 3
N_LINKS = (MAX_HEADS + 1) * (MAX_LEFT + 1)
N_SHAPES = 4 * len(LENGTHS) * N_LINKS
# Sentences are padded to the longest of a group, but not to much more than their length.
MAX_PADDED, STRETCH = 400_000, 1.3


class SpanLayout:
    """The spans of some sentences.

    lengths (Sequence[int]): The number of tokens of each sentence.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = numpy.array(lengths, dtype="int64")
        sizes = self.lengths * (self.lengths + 1) // 2
        self.bases = numpy.concatenate([[0], numpy.cumsum(sizes)])  # the first row of each sentence
        self.n_rows = int(self.bases[-1])

    def __len__(self) -> int:
        """RETURNS (int): The number of sentences."""
        return len(self.lengths)

    @cached_property
    def sentence(self) -> ndarray:
        """RETURNS (ndarray[int64]): (n_rows,) the sentence of each span."""
        return numpy.repeat(numpy.arange(len(self.lengths)), numpy.diff(self.bases))

    @cached_property
    def ends(self) -> ndarray:
        """RETURNS (ndarray[int64]): (2, n_rows) first token and end of each span, in its sentence."""
        ends = [_triangle(n) for n in self.lengths.tolist()]
        return numpy.concatenate([numpy.zeros((2, 0), dtype="int64"), *ends], axis=1)

    @cached_property
    def whole(self) -> ndarray:
        """RETURNS (ndarray[int64]): (n_sentences,) the row of the span of each whole sentence."""
        return self.bases[:-1] + self.lengths - 1

    def rows(self, sentence: ndarray, start: ndarray, end: ndarray) -> ndarray:
        """RETURNS (ndarray[int64]): The rows of spans, given the sentence, first token and end of each."""
        n = self.lengths[sentence]
        return self.bases[sentence] + start * n - start * (start - 1) // 2 + end - start - 1

    @cached_property
    def groups(self) -> list[ndarray]:
        """RETURNS (List[ndarray]): The sentences, in groups of similar length."""
        order = numpy.argsort(self.lengths, kind="stable")
        groups: list[ndarray] = []
        begin = 0
        for k, n in enumerate(self.lengths[order].tolist()):
            shortest = int(self.lengths[order[begin]])
            if n > STRETCH * shortest + 4 or (k - begin + 1) * (n + 1) ** 2 > MAX_PADDED:
                groups.append(order[begin:k])
                begin = k
        groups.append(order[begin:])
        return [group for group in groups if len(group)]

    def padded(self, group: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """The spans of a group of sentences, by first token and length, as charts are filled.

        group (ndarray): Sentences.
        RETURNS (Tuple[ndarray, ndarray, ndarray]): For each span: its sentence in the group, first token, length.
        """
        parts = [_triangle(n) for n in self.lengths[group].tolist()]
        start, end = numpy.concatenate(parts, axis=1)
        which = numpy.repeat(numpy.arange(len(group)), [part.shape[1] for part in parts])
        return which, start, end - start

    def group_rows(self, group: ndarray) -> ndarray:
        """RETURNS (ndarray[int64]): The rows of the spans of a group, in the order of `padded`."""
        return numpy.concatenate(
            [numpy.arange(a, b) for a, b in zip(self.bases[group], self.bases[group + 1])]
        )

    def slices(self) -> Iterator[slice]:
        """YIELDS (slice): The rows of each sentence."""
        for a, b in zip(self.bases[:-1].tolist(), self.bases[1:].tolist()):
            yield slice(a, b)


@lru_cache(maxsize=256)
def _triangle(n: int) -> ndarray:
    starts, ends = numpy.triu_indices(n)
    return numpy.stack([starts, ends + 1]).astype("int64")


def head_features(layout: SpanLayout, heads: Sequence[Sequence[int]]) -> tuple[ndarray, ndarray]:
    """Compute features of spans from dependency trees.

    layout (SpanLayout): The spans.
    heads (Sequence[Sequence[int]]): For each sentence, the head of each token; itself for a root, -1 if unknown.
    RETURNS (Tuple[ndarray, ndarray]): For each span, the token in it that is nearest to the root, counted in the
        sentence; and a number below `N_SHAPES` for its length, whether it begins or ends the sentence, and (this alone
        modulo `N_LINKS`) how many of its tokens depend on others outside, how many outside depend on it.
    """
    nearest = numpy.zeros(layout.n_rows, dtype="int64")
    shape = numpy.zeros(layout.n_rows, dtype="int64")
    for group in layout.groups:
        rows = layout.group_rows(group)
        which, start, length = layout.padded(group)
        end = start + length
        size = int(layout.lengths[group].max())
        above = numpy.full((len(group), size), -1, dtype="int64")
        for k, sentence in enumerate(group.tolist()):
            above[k, : len(heads[sentence])] = heads[sentence]
        tokens = numpy.arange(size)
        # The nearest to the root: the least depth, then the first.
        key = _depths(above) * size + tokens
        table = numpy.where(
            tokens[None, :] < tokens[:, None], numpy.iinfo("int64").max, key[:, None, :]
        )
        best = numpy.minimum.accumulate(table, axis=2)
        nearest[rows] = best[which, start, end - 1] % size
        # Arcs by both ends, summed up from the start of the sentence.
        arcs = numpy.zeros((len(group), size + 1, size + 1), dtype="int32")
        place, dependent = numpy.nonzero((above >= 0) & (above != tokens))
        arcs[place, above[place, dependent] + 1, dependent + 1] = 1
        arcs = arcs.cumsum(axis=1, dtype="int32").cumsum(axis=2, dtype="int32")
        inside = (
            arcs[which, end, end]
            - arcs[which, start, end]
            - arcs[which, end, start]
            + arcs[which, start, start]
        )
        governed = arcs[which, end, size] - arcs[which, start, size] - inside
        known = (above.max(axis=1, initial=-1) >= 0)[which]
        outer = numpy.where(known, numpy.clip(length - inside, 1, MAX_HEADS), 0)
        n = layout.lengths[group][which]
        edges = 2 * (start == 0) + (end == n)
        bucket = numpy.searchsorted(LENGTHS, length, side="right") - 1
        outline = (edges * len(LENGTHS) + bucket) * (MAX_HEADS + 1) + outer
        shape[rows] = outline * (MAX_LEFT + 1) + numpy.minimum(governed, MAX_LEFT)
    return nearest, shape


def _depths(above: ndarray) -> ndarray:
    """RETURNS (ndarray[int64]): The depth of each token, given the head of each (itself or -1 for roots)."""
    size = above.shape[1]
    tokens = numpy.broadcast_to(numpy.arange(size), above.shape)
    up = numpy.where(above < 0, tokens, above)
    depth = (up != tokens).astype("int64")
    for _ in range(size.bit_length()):  # each round looks twice as far up
        further = numpy.take_along_axis(depth, up, axis=1)
        if not further.any():
            break
        depth += further
        up = numpy.take_along_axis(up, up, axis=1)
    return depth


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
        places: Sequence[ndarray],
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


def _above(heads: Sequence[int], first: int) -> ndarray:
    """RETURNS (ndarray): For each token, its head among all tokens of the batch; -1 for none."""
    array = numpy.array(heads, dtype="int64")
    known = (array >= 0) & (array != numpy.arange(len(array)))
    return numpy.where(known, array + first, -1)
