"""The sentences of a batch of Docs, as parsers see them: tokens without whitespace, and a dependency tree.

What is found in them is `search.py`'s and `decode.py`'s.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy
from spacy.tokens import Doc

from .features import Syntax

# What is decoded together. Tables of so many tokens are made in memory that is used again, larger ones cost more
# than they give; but a step of the loop costs the same for one sentence as for ten.
PART_TOKENS, PART_DOCS, MAX_TOKENS = 4_000, 10, 16_000


class Sentence:
    """A sentence of a batch: its tokens, without whitespace, and its dependency tree.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of the sentence's tokens in the Doc.
    offset (int): Where the Doc starts in the tokens of the batch.
    syntax (Syntax): The dependency tree over the tokens.
    """

    __slots__ = ("doc", "places", "syntax", "tokens")

    def __init__(self, doc: Doc, tokens: numpy.ndarray, offset: int, syntax: Syntax) -> None:
        self.doc = doc
        self.tokens = tokens
        self.places = tokens + offset
        self.syntax = syntax

    def __len__(self) -> int:
        return len(self.tokens)


def read_syntax(doc: Doc, tokens: numpy.ndarray, deps: dict[int, int]) -> Syntax:
    """The dependency tree over some tokens of a Doc; heads elsewhere count as unknown.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of tokens.
    deps (Dict[int, int]): Dependency label (by its hash) to small number; unknown ones count as 0.
    RETURNS (Syntax): The tree.
    """
    values = doc.to_array(["HEAD", "DEP"]).reshape((-1, 2))
    return _syntaxes(doc, values, tokens, numpy.array([0, len(tokens)]), deps)[0]


def _syntaxes(
    doc: Doc,
    values: numpy.ndarray,
    tokens: numpy.ndarray,
    bounds: numpy.ndarray,
    deps: dict[int, int],
) -> list[Syntax]:
    """The dependency trees of parts of a Doc; of one without dependencies, all heads are unknown.

    doc (Doc): The Doc.
    values (ndarray[uint64]): (n, 2): HEAD and DEP of all its tokens.
    tokens (ndarray[int]): Indices of the tokens of all parts, one part after the other.
    bounds (ndarray[int]): (n_parts + 1,) where parts begin and end among them.
    deps (Dict[int, int]): Dependency label (by its hash) to small number.
    RETURNS (List[Syntax]): The tree of each part.
    """
    lengths = numpy.diff(bounds)
    if not doc.has_annotation("DEP"):
        return [Syntax([-1] * n, [0] * n) for n in lengths.tolist()]
    begin, end = numpy.repeat(bounds[:-1], lengths), numpy.repeat(bounds[1:], lengths)
    number = numpy.full(len(values), -1, dtype="int64")
    number[tokens] = numpy.arange(len(tokens))
    at = number[tokens + values[tokens, 0].astype("int64")]
    heads = numpy.where((at >= begin) & (at < end), at - begin, -1).tolist()
    labels = [deps.get(dep, 0) for dep in values[tokens, 1].tolist()]
    return [Syntax(heads[i:j], labels[i:j]) for i, j in itertools.pairwise(bounds.tolist())]


def find_sentences(docs: Sequence[Doc], deps: dict[int, int]) -> list[Sentence]:
    """The sentences of a batch.

    docs (Sequence[Doc]): The Docs. One without sentence boundaries is one sentence.
    deps (Dict[int, int]): Dependency label (by its hash) to small number.
    RETURNS (List[Sentence]): In order, those with nothing but whitespace left out.
    """
    found, offset = [], 0
    for doc in docs:
        values = doc.to_array(["SENT_START", "IS_SPACE", "HEAD", "DEP"]).reshape((-1, 4))
        words = numpy.nonzero(values[:, 1] == 0)[0].astype("int32")
        starts = numpy.searchsorted(words, _sentence_starts(doc, values))
        bounds = numpy.array([0, *starts, len(words)])
        trees = _syntaxes(doc, values[:, 2:], words, bounds, deps)
        for start, end, syntax in zip(bounds[:-1].tolist(), bounds[1:].tolist(), trees):
            if start < end:
                found.append(Sentence(doc, words[start:end], offset, syntax))
        offset += len(doc)
    return found


def _sentence_starts(doc: Doc, values: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray): Where sentences begin, the first one left out."""
    if not doc.has_annotation("SENT_START"):
        return numpy.zeros(0, dtype="int64")
    if "sents" in doc.user_hooks:
        return numpy.array([sent.start for sent in doc.sents][1:], dtype="int64")
    starts = numpy.nonzero(values[:, 0] == 1)[0]
    return starts[starts > 0]


def decoding_parts(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Divide a batch into parts that are decoded one after the other.

    docs (Iterable[Doc]): The batch.
    YIELDS (List[Doc]): In order, Docs of `PART_TOKENS` tokens; long ones `PART_DOCS` at a time, if these have
        less than `MAX_TOKENS` together.
    """
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        limit = PART_TOKENS if len(part) >= PART_DOCS else MAX_TOKENS
        if part and n_tokens + len(doc) > limit:
            yield part
            part, n_tokens = [], 0
        part.append(doc)
        n_tokens += len(doc)
    if part:
        yield part
