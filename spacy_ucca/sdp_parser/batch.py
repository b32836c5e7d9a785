"""Batches of Docs as NumPy arrays: their tokens, the pairs of tokens that an edge may join, gold edges, and the scores that a
model gives them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy
from spacy.tokens import Doc
from spacy.training import Example

from ..conversion.graph import ROOT, Arc
from .extension import get_arcs
from .metric import REMOTE_MARK

NO_EDGE = 0


@dataclass(frozen=True)
class Tokens:
    """The tokens of a batch, sentence after sentence, without whitespace.

    form, lemma, tag, dep (ndarray[uint64]): (n,) attributes, by hash; 0 is none.
    head (ndarray[int64]): (n,) the syntactic head of each, by its number in the batch; the token itself for a root.
    start, end (ndarray[int64]): (n,) where the sentence of each token begins and ends in the batch.
    depth (ndarray[int64]): (n,) how many steps each is from its root; computed.
    """

    form: numpy.ndarray
    lemma: numpy.ndarray
    tag: numpy.ndarray
    dep: numpy.ndarray
    head: numpy.ndarray
    start: numpy.ndarray
    end: numpy.ndarray
    depth: numpy.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        depth = numpy.zeros(len(self.head), dtype="int64")
        at = self.head
        going = numpy.flatnonzero(at != numpy.arange(len(at)))
        while len(going):
            depth[going] += 1
            going = going[self.head[at[going]] != at[going]]
            at = at.copy()
            at[going] = self.head[at[going]]
        object.__setattr__(self, "depth", depth)

    def __len__(self) -> int:
        return len(self.head)

    @property
    def index(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the place of each token in its sentence, from 0."""
        return numpy.arange(len(self)) - self.start


@dataclass(frozen=True)
class Pairs:
    """Ordered pairs of tokens, sorted by head and then dependent. With (i, j) there is always (j, i).

    head, dependent (ndarray[int64]): (n_pairs,) tokens, by their numbers in the batch.
    """

    head: numpy.ndarray
    dependent: numpy.ndarray

    def __len__(self) -> int:
        return len(self.head)

    def find(self, heads: numpy.ndarray, dependents: numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n,) the numbers of the pairs with these heads and dependents; -1 where there
        is no such pair."""
        if not len(self):
            return numpy.full(len(heads), -1)
        factor = 1 + max(self.dependent.max(), dependents.max(initial=0))
        known = self.head * factor + self.dependent
        wanted = heads * factor + dependents
        at = numpy.minimum(numpy.searchsorted(known, wanted), len(known) - 1)
        return numpy.where(known[at] == wanted, at, -1)

    def reverse(self) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n_pairs,) the number of (j, i) for each (i, j)."""
        return numpy.lexsort((self.head, self.dependent))


def find_pairs(tokens: Tokens, used: numpy.ndarray, max_distance: int) -> Pairs:
    """Find the ordered pairs of tokens that are near each other in a sentence (section 3.2 of the paper).

    tokens (Tokens): The tokens.
    used (ndarray[bool]): (n,) whether each may have edges: whether it is no singleton.
    max_distance (int): The maximum distance of two tokens: 1 is side by side. 0 is no limit.
    RETURNS (Pairs): The pairs.
    """
    longest = int((tokens.end - tokens.start).max(initial=0))
    reach = min(max_distance or longest, max(longest - 1, 0))
    used_tokens = numpy.flatnonzero(used)
    # Each token with all places around it: what is outside its sentence, or not used, goes.
    offsets = numpy.concatenate([numpy.arange(-reach, 0), numpy.arange(1, reach + 1)])
    heads, dependents = [], []
    rows = max(1, 4_000_000 // max(len(offsets), 1))  # at a time, for the sake of memory
    for first in range(0, len(used_tokens), rows):
        head = used_tokens[first : first + rows, None]
        dependent = head + offsets
        inside = (dependent >= tokens.start[head]) & (dependent < tokens.end[head])
        inside &= used[numpy.where(inside, dependent, 0)]
        heads.append(numpy.broadcast_to(head, inside.shape)[inside])
        dependents.append(dependent[inside])
    if not heads:
        return Pairs(numpy.zeros(0, dtype="int64"), numpy.zeros(0, dtype="int64"))
    return Pairs(numpy.concatenate(heads), numpy.concatenate(dependents))


_COLUMNS = ("ORTH", "LEMMA", "LOWER", "TAG", "POS", "DEP", "HEAD", "SENT_START", "IS_SPACE")


@dataclass(frozen=True)
class Batch:
    """The tokens of some Docs, without whitespace.

    docs (Sequence[Doc]): The Docs.
    tokens (Tokens): Their tokens.
    doc (ndarray[int64]): (n,) the number of the Doc of each.
    index (ndarray[int64]): (n,) its index in the Doc.
    place (ndarray[int64]): (n,) its index among all tokens of the Docs.
    """

    docs: Sequence[Doc]
    tokens: Tokens
    doc: numpy.ndarray
    index: numpy.ndarray
    place: numpy.ndarray

    def numbers(self) -> list[numpy.ndarray]:
        """RETURNS (List[ndarray[int64]]): For each Doc, the number of each of its tokens in the batch; -1 for
        whitespace."""
        rows = numpy.full(sum(map(len, self.docs)), -1, dtype="int64")
        rows[self.place] = numpy.arange(len(self.place))
        return numpy.split(rows, numpy.cumsum([len(doc) for doc in self.docs])[:-1])


@dataclass(frozen=True)
class Gold:
    """The gold graphs of a batch.

    head, dependent, label (ndarray[int64]): (n_edges,) edges between tokens of the batch, at most one between two
        tokens in one direction; numbers of labels, from 1.
    top, used (ndarray[bool]): (n,) whether each token is a top; whether it is no singleton.
    known (ndarray[bool]): (n,) whether its Doc has a gold graph.
    unknown (Set[str]): Labels of edges that were left out, because the parser does not have them.
    """

    head: numpy.ndarray
    dependent: numpy.ndarray
    label: numpy.ndarray
    top: numpy.ndarray
    used: numpy.ndarray
    known: numpy.ndarray
    unknown: set[str]

    def classes(self, pairs: Pairs) -> numpy.ndarray:
        """RETURNS (ndarray[int64]): (n_pairs,) the label of each pair, or NO_EDGE."""
        labels = numpy.full(len(pairs), NO_EDGE, dtype="int64")
        at = pairs.find(self.head, self.dependent)
        labels[at[at >= 0]] = self.label[at >= 0]
        return labels


def read_batch(docs: Sequence[Doc]) -> Batch:
    """Read Docs. A Doc without sentence boundaries is one sentence; in a Doc without dependencies, each token is a tree. A
    missing lemma is replaced by the lower-cased form, a missing tag by the coarse one.

    docs (Sequence[Doc]): The Docs.
    RETURNS (Batch): Their tokens.
    """
    lengths = numpy.array([len(doc) for doc in docs], dtype="int64")
    tables = [doc.to_array([*_COLUMNS]).reshape(len(doc), len(_COLUMNS)) for doc in docs]
    table = numpy.concatenate([*tables, numpy.zeros((0, len(_COLUMNS)), dtype="uint64")])
    starts = [_sentence_starts(doc, own[:, 7]) for doc, own in zip(docs, tables)]
    sentence = numpy.cumsum(numpy.concatenate([*starts, numpy.zeros(0, dtype="int64")]))
    space = table[:, 8] != 0
    head = _heads(table[:, 6].view("int64"), space, sentence)
    words = numpy.flatnonzero(~space)
    number = numpy.full(len(table), -1)
    number[words] = numpy.arange(len(words))
    doc_of = numpy.repeat(numpy.arange(len(docs)), lengths)[words]
    table, sentence = table[words], sentence[words]
    tokens = Tokens(
        form=table[:, 0],
        lemma=numpy.where(table[:, 1] != 0, table[:, 1], table[:, 2]),
        tag=numpy.where(table[:, 3] != 0, table[:, 3], table[:, 4]),
        dep=table[:, 5],
        head=number[head[words]],
        start=numpy.searchsorted(sentence, sentence),
        end=numpy.searchsorted(sentence, sentence, side="right"),
    )
    index = words - (numpy.cumsum(lengths) - lengths)[doc_of]
    return Batch(docs, tokens, doc_of, index, words)


def _sentence_starts(doc: Doc, starts: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) 1 for the tokens that a sentence starts with, 0 for others."""
    first = numpy.zeros(len(doc), dtype="int64")
    if doc.has_annotation("SENT_START"):
        if "sents" in doc.user_hooks:
            first[[sent.start for sent in doc.sents]] = 1
        else:
            first[starts == 1] = 1
    first[:1] = 1
    return first


def _heads(offsets: numpy.ndarray, space: numpy.ndarray, sentence: numpy.ndarray) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) the head of each token, past whitespace; the token itself for a root."""
    tokens = numpy.arange(len(offsets))
    heads = tokens + offsets
    above = heads
    while True:
        past = numpy.where(space[above], heads[above], above)
        if (past == above).all():
            break
        above = past
    return numpy.where(space[above] | (sentence[above] != sentence), tokens, above)


def edge_label(arc: Arc) -> str:
    """RETURNS (str): The label of an edge as the parser learns it: a star marks remote arcs."""
    return arc.label + REMOTE_MARK * arc.remote


def reference_tokens(example: Example) -> list[int]:
    """RETURNS (List[int]): For each token of the predicted Doc, the one token of the reference that is the same; -1
    where there is none."""
    predicted, reference = example.predicted, example.reference
    if [t.text for t in predicted] == [t.text for t in reference]:
        return [*range(len(predicted))]
    to_reference, to_predicted = example.alignment.x2y, example.alignment.y2x
    tokens = []
    start = 0
    for length in (int(n) for n in to_reference.lengths):
        token = int(to_reference.data[start]) if length == 1 else -1
        tokens.append(token if token >= 0 and int(to_predicted.lengths[token]) == 1 else -1)
        start += length
    return tokens


def read_gold(examples: Iterable[Example], batch: Batch, labels: Sequence[str]) -> Gold:
    """Read the gold graphs of a batch.

    examples (Iterable[Example]): The examples. Those without a gold graph have no effect.
    batch (Batch): Their predicted Docs.
    labels (Sequence[str]): The labels.
    RETURNS (Gold): The graphs. Left out are arcs of tokens that the predicted Doc divides otherwise or takes for whitespace;
        and of several arcs between two tokens in one direction, all but the first.
    """
    number_of = {label: number for number, label in enumerate(labels, start=1)}
    edges: dict[tuple[int, int], int] = {}
    top, used, known = (numpy.zeros(len(batch.tokens), dtype="bool") for _ in range(3))
    unknown: set[str] = set()
    for example, numbers in zip(examples, batch.numbers()):
        arcs = get_arcs(example.reference)
        if arcs is None:
            continue
        known[numbers[numbers >= 0]] = True
        there = {
            token: int(number)
            for token, number in zip(reference_tokens(example), numbers)
            if token >= 0 and number >= 0
        }
        for arc in arcs:
            head, dependent = there.get(arc.head, -1), there.get(arc.dependent, -1)
            if dependent >= 0 and (arc.head == ROOT or head >= 0):
                used[dependent] = True
                if arc.head == ROOT:
                    top[dependent] = True
                    continue
                used[head] = True
                label = edge_label(arc)
                if label in number_of:
                    edges.setdefault((head, dependent), number_of[label])
                else:
                    unknown.add(label)
    ends = numpy.array([*edges], dtype="int64").reshape(len(edges), 2)
    return Gold(
        head=ends[:, 0],
        dependent=ends[:, 1],
        label=numpy.array([*edges.values()], dtype="int64"),
        top=top,
        used=used,
        known=known,
        unknown=unknown,
    )


class Scores(Protocol):
    """The scores of a batch by a model. They take gradients, which train the model.

    batch (Batch): The batch.
    singletons (ndarray[float32]): (n,) the log odds of each token to be no singleton.
    tops (ndarray[float32]): (n,) the log odds of each token to be a top.
    """

    batch: Batch
    singletons: numpy.ndarray
    tops: numpy.ndarray

    def edges(self, pairs: Pairs) -> numpy.ndarray:
        """RETURNS (ndarray[float32]): (n_pairs, 1 + n_labels) the scores of NOEDGE and of all labels."""

    def learn(self, singletons: numpy.ndarray, tops: numpy.ndarray, edges: numpy.ndarray) -> None:
        """Backpropagate the gradients of the last singletons, tops and edges."""
