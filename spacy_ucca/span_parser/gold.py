"""What gold graphs teach the span parser: labels of spans, remote edges between units, implicit units.

Trees are made by `conversion/constituency.py`; losses are in `losses.py`.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy
from spacy.training import Example

from ..conversion.constituency import remote_edges, to_constituency, unit_nodes
from ..errors import Errors, GraphError
from ..features.state_rows import Syntax
from ..features.unit_rows import UnitTable
from ..graph import Graph
from ..parser.loss import GoldSentence, LessonStore
from ..tokens.sentences import read_syntax
from ..transition import State
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
    implicit (Tuple[Tuple[int, int], ...]): The nodes that lack something, and their class: `Inventory.implicit_class`.
    oracle (Oracle): For top-down parsing.
    log_binarizations (float): See `losses.log_binarizations`.
    """

    graph: Graph
    spans: numpy.ndarray
    state: State
    shared: tuple[int, ...]
    remotes: tuple[tuple[int, int, int], ...]
    implicit: tuple[tuple[int, int], ...]
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
    implicit = tuple(
        (nodes[i], found)
        for unit, i in unit_nodes(graph).items()
        if i in nodes and (found := labels.units.implicit_class(graph.units[unit]))
    )
    shared = tuple(nodes[i] for i in tree.remote_children if i in nodes)
    array = numpy.array(spans, dtype="int64").reshape((-1, 3))
    ways = log_binarizations([span[:2] for span in spans], len(graph.words))
    return SpanLesson(graph, array, state, shared, remotes, implicit, Oracle(array[:, :2]), ways)


class SpanLessonBook(LessonStore[Graph, SpanLesson]):
    """The lessons of sentences.

    name (str): The name of the component, for messages.
    max_length (int): Longer sentences are left out.
    """

    refused = GraphError

    def __init__(self, name: str, max_length: int) -> None:
        super().__init__(name)
        self.max_length = max_length

    def __reduce__(self) -> tuple:
        return SpanLessonBook, (self.name, self.max_length)

    def find(self, labels: SpanLabels, examples: Iterable[Example]) -> list[Taught]:
        """The gold sentences of a batch, those left out that cannot be learned.

        labels (SpanLabels): The labels.
        examples (Iterable[Example]): The batch.
        RETURNS (List[Taught]): The sentences.
        RAISES (ValueError): If a predicted Doc has other tokens than its reference.
        """
        found = []
        for gold in self.sentences(examples):
            lesson = self.recall(gold.graph, partial(self._teach, labels, gold))
            if lesson is not None:
                syntax = read_syntax(gold.example.predicted, gold.tokens, labels.units.dep_ids)
                found.append(Taught(lesson, syntax, gold.places))
        return found

    def _teach(self, labels: SpanLabels, gold: GoldSentence) -> SpanLesson:
        n = len(gold.attached)
        if n > self.max_length:
            raise GraphError(Errors.UC842.format(n=n, most=self.max_length))
        return teach(labels, gold.graph.only(gold.attached))


def gold_spans(layout: Any, lessons: Sequence[SpanLesson]) -> GoldSpans:
    """RETURNS (GoldSpans): The right class of all spans of a batch."""
    classes = numpy.zeros(layout.n_rows, dtype="int64")
    for k, lesson in enumerate(lessons):
        start, end, label = lesson.spans.T
        classes[layout.rows(numpy.full(len(start), k), start, end)] = label
    return GoldSpans(layout, classes, sum(lesson.log_binarizations for lesson in lessons))


def gold_pairs(
    units: UnitTable, lessons: Sequence[SpanLesson]
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The pairs of units that remote edges are looked for between.

    units (UnitTable): The units of the gold trees.
    lessons (Sequence[SpanLesson]): The lessons of these sentences.
    RETURNS (Tuple[ndarray, ndarray, ndarray]): Parent, child and right class of each pair.
    """
    right: dict[tuple[int, int], int] = {}
    for k, lesson in enumerate(lessons):
        if lesson.remotes:
            number = _numbers(units, k)
            right.update(((number[p], number[c]), label) for p, c, label in lesson.remotes)
    is_child = marked(units, [lesson.shared for lesson in lessons])
    parents, children = units.pairs_with(is_child)
    pairs = zip(parents.tolist(), children.tolist())
    classes = numpy.array([right.get(pair, 0) for pair in pairs], dtype="int64")
    return parents, children, classes


def gold_implicit(
    units: UnitTable, lessons: Sequence[SpanLesson], indices: numpy.ndarray
) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) the right class of the implicit children of some units of the gold trees, by their
    indices."""
    classes = numpy.zeros(len(units.nodes), dtype="int64")
    for k, lesson in zip(range(len(units.starts) - 1), lessons, strict=True):
        if lesson.implicit:
            number = _numbers(units, k)
            for node, label in lesson.implicit:
                classes[number[node]] = label
    return classes[indices]


def _numbers(units: UnitTable, k: int) -> dict[int, int]:
    """RETURNS (Dict[int, int]): The unit of each node of a state, by the state's number."""
    start, stop = int(units.starts[k]), int(units.starts[k + 1])
    return {node: i for i, node in enumerate(units.nodes[start:stop], start=start)}
