"""The sentences of a batch of Docs, as parsers see them: tokens without whitespace, and a dependency tree."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy
from numpy import ndarray
from spacy.tokens import Doc

from ..features.state_rows import Syntax

# What is decoded together. Tables of so many tokens are made in memory that is used again, larger ones cost more
# than they give; but a step of the loop costs the same for one sentence as for ten.
PART_TOKENS, PART_DOCS, MAX_TOKENS = 4_000, 10, 16_000


@dataclass(eq=False, slots=True)
class Sentence:
    """A sentence of a batch: its tokens, without whitespace, and its dependency tree.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of the sentence's tokens in the Doc.
    places (ndarray[int]): The same in the tokens of the batch.
    syntax (Syntax): The dependency tree over the tokens.
    """

    doc: Doc
    tokens: ndarray
    places: ndarray
    syntax: Syntax

    def __len__(self) -> int:
        return len(self.tokens)


def read_syntax(doc: Doc, tokens: ndarray, deps: dict[int, int]) -> Syntax:
    """The dependency tree over some tokens of a Doc; heads elsewhere count as unknown.

    doc (Doc): The Doc.
    tokens (ndarray[int]): Indices of tokens.
    deps (Dict[int, int]): Dependency label (by its hash) to small number; unknown ones count as 0. Without any, heads
        count as unknown too: a parser that has learned without trees reads none.
    RETURNS (Syntax): The tree.
    """
    values = doc.to_array(["HEAD", "DEP"]).reshape((-1, 2))
    known = numpy.full(len(doc), bool(deps) and doc.has_annotation("DEP"))
    return _syntaxes(values, known, tokens, numpy.array([0, len(tokens)]), deps)[0]


def _syntaxes(
    values: ndarray, known: ndarray, tokens: ndarray, bounds: ndarray, deps: dict[int, int]
) -> list[Syntax]:
    """The dependency trees of sentences.

    values (ndarray[uint64]): (n, 2): HEAD and DEP of all tokens of a Doc, or of several, one after the other.
    known (ndarray[bool]): (n,) which of them are of a Doc with dependencies; heads of others are unknown.
    tokens (ndarray[int]): Indices of the tokens of all sentences, one sentence after the other.
    bounds (ndarray[int]): (n_sentences + 1,) where sentences begin and end among them.
    deps (Dict[int, int]): Dependency label (by its hash) to small number.
    RETURNS (List[Syntax]): The tree of each sentence.
    """
    lengths = numpy.diff(bounds)
    begin, end = numpy.repeat(bounds[:-1], lengths), numpy.repeat(bounds[1:], lengths)
    number = numpy.full(len(values), -1, dtype="int64")
    number[tokens] = numpy.arange(len(tokens))
    at = number[tokens + values[tokens, 0].astype("int64")]
    heads = numpy.where(known[tokens] & (at >= begin) & (at < end), at - begin, -1).tolist()
    labels = [deps.get(dep, 0) for dep in values[tokens, 1].tolist()]
    return [Syntax(heads[i:j], labels[i:j]) for i, j in itertools.pairwise(bounds.tolist())]


def find_sentences(docs: Sequence[Doc], deps: dict[int, int]) -> list[Sentence]:
    """The sentences of a batch.

    docs (Sequence[Doc]): The Docs. One without sentence boundaries is one sentence.
    deps (Dict[int, int]): Dependency label (by its hash) to small number, as in `read_syntax`.
    RETURNS (List[Sentence]): In order, those with nothing but whitespace left out.
    """
    # Process all Docs at once: for one sentence, the overhead of NumPy calls exceeds their work.
    arrays = [doc.to_array(["SENT_START", "IS_SPACE", "HEAD", "DEP"]) for doc in docs]
    values = numpy.concatenate([numpy.zeros((0, 4), dtype="uint64"), *arrays])
    lengths = list(map(len, docs))
    offsets = numpy.cumsum([0, *lengths])
    begins, known = values[:, 0] == 1, numpy.ones(len(values), dtype="bool")
    for doc, start, end in zip(docs, offsets.tolist(), offsets[1:].tolist()):
        if not doc.has_annotation("SENT_START"):
            begins[start:end] = False
        elif "sents" in doc.user_hooks:
            begins[start:end] = False
            begins[[start + sent.start for sent in doc.sents]] = True
        if not deps or not doc.has_annotation("DEP"):
            known[start:end] = False
        if start < end:
            begins[start] = True
    places = numpy.nonzero(values[:, 1] == 0)[0].astype("int32")
    bounds = numpy.searchsorted(places, numpy.append(numpy.nonzero(begins)[0], len(values)))
    owner = numpy.repeat(numpy.arange(len(docs)), lengths)
    tokens = places - offsets[owner[places]].astype("int32")
    trees = _syntaxes(values[:, 2:], known, places, bounds, deps)
    sentences = []
    for doc, (start, end), tree in zip(
        owner[begins].tolist(), itertools.pairwise(bounds.tolist()), trees
    ):
        if start < end:
            sentences.append(Sentence(docs[doc], tokens[start:end], places[start:end], tree))
    return sentences


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


def sentence_lengths(doc: Doc) -> list[int]:
    """RETURNS (List[int]): The number of tokens of each sentence; of the Doc, if it has no sentence
    boundaries."""
    if doc.has_annotation("SENT_START"):
        return list(map(len, doc.sents))
    return [len(doc)] if len(doc) else []
