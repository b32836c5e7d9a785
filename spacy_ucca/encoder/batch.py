"""The pieces of a batch of Docs: sentences in windows, windows of one length together, and the way back to vectors of tokens."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy
from spacy.tokens import Doc

from ..tokens.sentences import sentence_lengths
from .layers import Group
from .pieces import Pieces


class _Window(NamedTuple):
    """A text for the encoder: its pieces; how many of them to skip, and how many then get their vectors from it; and the place of the
    first of these among the pieces of all tokens."""

    pieces: list[int]
    skipped: int
    n_own: int
    place: int


class Batch:
    """The pieces of Docs, sentence by sentence.

    docs (Sequence[Doc]): The Docs.
    pieces (Pieces): Divides their words.
    max_length (int): The length of the longest text that the encoder takes, in pieces. Longer sentences are divided into windows,
        each of which begins in the middle of the one before; a piece gets its vector from the window that has most around it.

    ids, positions (ndarray[int]): (n,) the number of each piece, and where it is in its window.
    groups (List[Group]): The windows, those of one length together.
    """

    def __init__(self, docs: Sequence[Doc], pieces: Pieces, max_length: int) -> None:
        windows: list[_Window] = []
        self.n_pieces: list[int] = []  # of each token
        n = 0
        for doc in docs:
            for of_tokens in pieces_of(doc, pieces):
                self.n_pieces += map(len, of_tokens)
                content = list(itertools.chain.from_iterable(of_tokens))
                for first, last, own_first, own_last in _windows(len(content), max_length - 2):
                    window = [pieces.begin, *content[first:last], pieces.end]
                    skipped, n_own = own_first - first + 1, own_last - own_first
                    windows.append(_Window(window, skipped, n_own, n + own_first))
                n += len(content)
        windows.sort(key=lambda window: len(window.pieces))
        self.ids = numpy.array([i for window in windows for i in window.pieces], dtype="int64")
        lengths = [len(window.pieces) for window in windows]
        self.positions = numpy.concatenate([numpy.arange(0), *map(numpy.arange, lengths)])
        self.groups: list[Group] = []
        start = 0
        for length, same in itertools.groupby(lengths):
            count = len(list(same))
            self.groups.append(Group(start, count, length))
            start += count * length
        self.rows = numpy.zeros(n, dtype="int64")  # the row of each piece of a token
        starts = itertools.accumulate(lengths, initial=0)
        for start, (_, skipped, n_own, place) in zip(starts, windows):
            self.rows[place : place + n_own] = start + skipped + numpy.arange(n_own)

    def token_vectors(self, Y: Any, ops: Any) -> Any:
        """RETURNS (Floats2d): (n_tokens, width) the mean of the vectors of the pieces of each token; 0 for white space."""
        if not len(self.rows):
            return ops.alloc2f(len(self.n_pieces), Y.shape[1])
        return ops.reduce_mean(Y[ops.asarray1i(self.rows)], ops.asarray1i(self.n_pieces))

    def piece_gradient(self, d_vectors: Any, n: int, ops: Any) -> Any:
        """RETURNS (Floats2d): (n, width) the gradient of the vectors of pieces."""
        dY = ops.alloc2f(n, d_vectors.shape[1])
        if len(self.rows):
            lengths = ops.asarray1i(self.n_pieces)
            dY[ops.asarray1i(self.rows)] = ops.backprop_reduce_mean(d_vectors, lengths)
        return dY

    def parts(self, limit: int) -> Iterator[tuple[slice, list[Group]]]:
        """Divide the windows into parts that are encoded one after the other.

        limit (int): How many pieces a part has at most, unless one window has more.
        YIELDS (Tuple[slice, List[Group]]): The pieces of a part, and its windows.
        """
        part: list[Group] = []
        start = end = 0
        for group in self.groups:
            left = group.n
            while left:
                n = min(left, max((limit - (end - start)) // group.length, 0))
                if not n and end > start:
                    yield slice(start, end), part
                    part, start = [], end
                    continue
                n = n or 1
                part.append(Group(end - start, n, group.length))
                end += n * group.length
                left -= n
        if part:
            yield slice(start, end), part


def pieces_of(doc: Doc, pieces: Pieces) -> Iterator[list[list[int]]]:
    """YIELDS (List[List[int]]): The pieces of each token of a sentence. A sentence in capitals has those of small letters, which the
    encoder knows better."""
    start, after_space = 0, True
    for length in sentence_lengths(doc):
        sentence = doc[start : start + length]
        lower = all(map(str.isupper, filter(str.isalpha, sentence.text)))
        of_tokens, start = [], start + length
        for token in sentence:
            of_tokens.append(pieces.of(token.text.lower() if lower else token.text, after_space))
            after_space = bool(token.whitespace_) or token.is_space
        yield of_tokens


def _windows(n: int, longest: int) -> Iterator[tuple[int, int, int, int]]:
    """YIELDS (Tuple[int, int, int, int]): The start and the end of each window, and of the pieces that take their vectors from it."""
    if not n:
        return
    starts = [*range(0, n - longest, longest // 2), max(n - longest, 0)]
    borders = [(a + b + longest) // 2 for a, b in itertools.pairwise(starts)]
    for start, own, own_end in zip(starts, [0, *borders], [*borders, n]):
        yield start, min(start + longest, n), own, own_end
