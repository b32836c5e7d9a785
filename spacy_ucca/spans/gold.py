"""What gold graphs teach the span parser: labels of spans, and remote edges between units.

Trees are made by `conversion/constituency.py`; losses are in `losses.py`.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy
from spacy.training import Example

from ..conversion.constituency import remote_edges, to_constituency
from ..decode import read_syntax
from ..errors import Errors, GraphError, Warnings
from ..features import Syntax
from ..graph import Graph
from ..lessons import MAX_LESSONS, gold_sentences
from ..transition import State
from ..unit_features import Units
from .labels import SpanLabels
from .losses import GoldSpans, log_binarizations
from .parse import marked
from .topdown import Oracle
from .trees import to_state


class SpanLesson(NamedTuple):
    """What a gold sentence teaches.

    graph (Graph): Its graph.
    spans (ndarray[int64]): (n, 3) first token, end and class of the spans that have a label.
    state (State): Its tree.
    shared (Tuple[int, ...]): The nodes of the state that are children of remote edges.
    remotes (Tuple[Tuple[int, int, int], ...]): Parent, child and class of the remote edges.
    oracle (Oracle): For top-down parsing.
    log_binarizations (float): See `losses.log_binarizations`.
    """

    graph: Graph
    spans: numpy.ndarray
    state: State
    shared: tuple[int, ...]
    remotes: tuple[tuple[int, int, int], ...]
    oracle: Oracle
    log_binarizations: float


class Taught(NamedTuple):
    """A sentence of a batch.

    lesson (SpanLesson): What it teaches.
    syntax (Syntax): Its dependency tree.
    places (ndarray): Where its tokens are in the batch.
    """

    lesson: SpanLesson
    syntax: Syntax
    places: numpy.ndarray


def teach(labels: SpanLabels, graph: Graph) -> SpanLesson:
    """Make the lesson of a sentence.

    labels (SpanLabels): The labels.
    graph (Graph): The gold graph; every token is attached.
    RETURNS (SpanLesson): The lesson.
    RAISES (GraphError): If the graph has a label that is not known, or that no tree can have.
    """
    tree = to_constituency(graph)
    unknown = [span.label for span in tree.spans if span.label not in labels.classes]
    if unknown:
        raise GraphError(Errors.UC841.format(label=unknown[0]))
    spans = [(start, end, labels.classes[label]) for start, end, label in tree.spans]
    state, nodes = to_state(labels.units.system, tree)
    classes = {label: i for i, label in enumerate(labels.remote_labels, start=1)}
    remotes = tuple(
        (nodes[edge.parent], nodes[edge.child], classes[edge.label])
        for edge in remote_edges(graph)
        if edge.label in classes and edge.parent in nodes and edge.child in nodes
    )
    shared = tuple(nodes[i] for i in tree.remote_children if i in nodes)
    array = numpy.array(spans, dtype="int64").reshape((-1, 3))
    ways = log_binarizations([span[:2] for span in spans], len(graph.words))
    return SpanLesson(graph, array, state, shared, remotes, Oracle(array[:, :2]), ways)


class SpanLessonBook:
    """The lessons of sentences, made when first asked for. Copies begin with an empty one.

    name (str): The name of the component, for messages.
    max_length (int): Longer sentences are left out.
    """

    def __init__(self, name: str, max_length: int) -> None:
        self.name, self.max_length = name, max_length
        self._kept: dict[Graph, SpanLesson | None] = {}
        self._warned: set[str] = set()

    def __reduce__(self) -> tuple:
        return SpanLessonBook, (self.name, self.max_length)

    def clear(self) -> None:
        """Forget all lessons, as labels have changed."""
        self._kept.clear()

    def find(self, labels: SpanLabels, examples: Iterable[Example]) -> list[Taught]:
        """The gold sentences of a batch, those left out that cannot be learned.

        labels (SpanLabels): The labels.
        examples (Iterable[Example]): The batch.
        RETURNS (List[Taught]): The sentences.
        RAISES (ValueError): If a predicted Doc has other tokens than its reference.
        """
        found = []
        offset = 0
        for eg in examples:
            for start, graph in gold_sentences(eg, self.name):
                attached = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
                if not attached:
                    continue
                if graph not in self._kept:
                    self._keep(labels, graph, attached)
                lesson = self._kept[graph]
                if lesson is not None:
                    tokens = numpy.array(attached, dtype="int32") + start
                    syntax = read_syntax(eg.predicted, tokens, labels.units.dep_ids)
                    found.append(Taught(lesson, syntax, tokens + offset))
            offset += len(eg.predicted)
        return found

    def _keep(self, labels: SpanLabels, graph: Graph, attached: list[int]) -> None:
        lesson = None
        try:
            if len(attached) > self.max_length:
                raise GraphError(Errors.UC842.format(n=len(attached), most=self.max_length))
            lesson = teach(labels, graph.only(attached))
        except GraphError as err:
            message = Warnings.UW302.format(name=self.name, reason=err)
            if message not in self._warned:
                self._warned.add(message)
                warnings.warn(message, stacklevel=2)
        if len(self._kept) >= MAX_LESSONS:
            self._kept.pop(next(iter(self._kept)))
        self._kept[graph] = lesson


def gold_spans(layout: Any, lessons: Sequence[SpanLesson]) -> GoldSpans:
    """RETURNS (GoldSpans): The right class of all spans of a batch."""
    classes = numpy.zeros(layout.n_rows, dtype="int64")
    for k, lesson in enumerate(lessons):
        start, end, label = lesson.spans.T
        classes[layout.rows(numpy.full(len(start), k), start, end)] = label
    return GoldSpans(layout, classes, sum(lesson.log_binarizations for lesson in lessons))


def gold_pairs(
    units: Units, lessons: Sequence[SpanLesson]
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The pairs of units that remote edges are looked for between.

    units (Units): The units of the gold trees.
    lessons (Sequence[SpanLesson]): The lessons of these sentences.
    RETURNS (Tuple[ndarray, ndarray, ndarray]): Parent, child and right class of each pair.
    """
    right: dict[tuple[int, int], int] = {}
    for k, lesson in enumerate(lessons):
        if lesson.remotes:
            start, stop = int(units.starts[k]), int(units.starts[k + 1])
            number = {node: start + i for i, node in enumerate(units.nodes[start:stop])}
            right.update(((number[p], number[c]), label) for p, c, label in lesson.remotes)
    is_child = marked(units, [lesson.shared for lesson in lessons])
    parents, children = units.pairs_with(is_child)
    pairs = zip(parents.tolist(), children.tolist())
    classes = numpy.array([right.get(pair, 0) for pair in pairs], dtype="int64")
    return parents, children, classes
