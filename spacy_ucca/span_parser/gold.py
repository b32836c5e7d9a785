"""Compute the training targets of the span parser: labels of spans, remote edges between units, implicit units."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy
from spacy.training import Example

from ..conversion.constituency import remote_edges, unit_nodes
from ..errors import Errors, GraphError
from ..features.unit_rows import UnitTable
from ..graph import Graph
from ..parser.targets import GoldSentence, SentenceCache
from ..transition import State
from .chart import SplitOracle
from .labels import SpanLabels, make_tree
from .losses import GoldSpans, log_binarizations
from .parse import unit_mask
from .trees import to_state


class SpanTargets(NamedTuple):
    """The training targets of a gold sentence.

    graph (Graph): Its graph.
    spans (ndarray[int64]): (n, 3) first token, end and class of the spans that have a label.
    state (State): Its tree.
    shared (Tuple[int, ...]): The nodes of the state that are children of remote edges.
    remotes (Tuple[Tuple[int, int, int], ...]): Parent, child and class of the remote edges.
    implicit (Tuple[Tuple[int, int], ...]): The nodes with implicit children or remote edges, and their class, as
        `Inventory.implicit_class` numbers them.
    oracle (SplitOracle): For top-down parsing.
    log_binarizations (float): The logarithm of the number of binary trees that have the spans.
    """

    graph: Graph
    spans: numpy.ndarray
    state: State
    shared: tuple[int, ...]
    remotes: tuple[tuple[int, int, int], ...]
    implicit: tuple[tuple[int, int], ...]
    oracle: SplitOracle
    log_binarizations: float


def make_targets(labels: SpanLabels, graph: Graph, one_step: bool = False) -> SpanTargets:
    """Make the targets of a sentence.

    labels (SpanLabels): The labels.
    graph (Graph): The gold graph; every token is attached.
    one_step (bool): The setting of this name.
    RETURNS (SpanTargets): The targets.
    RAISES (GraphError): If the graph has a label that is not known, or that no tree can have.
    """
    tree = make_tree(graph, one_step)
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
        (nodes[i], bag)
        for unit, i in unit_nodes(graph).items()
        if i in nodes and (bag := labels.units.implicit_class(graph.units[unit]))
    )
    shared = tuple(nodes[i] for i in tree.remote_children if i in nodes)
    array = numpy.array(spans, dtype="int64").reshape((-1, 3))
    ways = log_binarizations([span[:2] for span in spans], len(graph.words))
    return SpanTargets(
        graph, array, state, shared, remotes, implicit, SplitOracle(array[:, :2]), ways
    )


class SpanTargetCache(SentenceCache[Graph, SpanTargets]):
    """The targets of sentences.

    name (str): The name of the component, for messages.
    max_length (int): Longer sentences are left out.
    one_step (bool): The setting of this name.
    """

    refusal = GraphError

    def __init__(self, name: str, max_length: int, one_step: bool) -> None:
        super().__init__(name)
        self.max_length, self.one_step = max_length, one_step

    def __reduce__(self) -> tuple:
        return SpanTargetCache, (self.name, self.max_length, self.one_step)

    def find(
        self, labels: SpanLabels, examples: Iterable[Example]
    ) -> list[tuple[GoldSentence, SpanTargets]]:
        """Find the gold sentences of a batch with their targets, without those that cannot be learned.

        labels (SpanLabels): The labels.
        examples (Iterable[Example]): The batch.
        RETURNS (List[Tuple[GoldSentence, SpanTargets]]): The sentences.
        RAISES (ValueError): If a predicted Doc has other tokens than its reference.
        """
        pairs = []
        for gold in self.sentences(examples, labels.units.dep_ids):
            targets = self.get_or_make(gold.graph, partial(self._make, labels, gold.graph))
            if targets is not None:
                pairs.append((gold, targets))
        return pairs

    def _make(self, labels: SpanLabels, graph: Graph) -> SpanTargets:
        n = len(graph.words)
        if n > self.max_length:
            raise GraphError(Errors.UC842.format(n=n, most=self.max_length))
        return make_targets(labels, graph, self.one_step)


def gold_spans(layout: Any, targets: Sequence[SpanTargets]) -> GoldSpans:
    """RETURNS (GoldSpans): The right class of all spans of a batch."""
    classes = numpy.zeros(layout.n_rows, dtype="int64")
    for k, target in enumerate(targets):
        start, end, label = target.spans.T
        classes[layout.rows(numpy.full(len(start), k), start, end)] = label
    return GoldSpans(layout, classes, sum(target.log_binarizations for target in targets))


def gold_pairs(
    units: UnitTable, targets: Sequence[SpanTargets]
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Find the pairs of units that remote edges may link.

    units (UnitTable): The units of the gold trees.
    targets (Sequence[SpanTargets]): The targets of these sentences.
    RETURNS (Tuple[ndarray, ndarray, ndarray]): Parent, child and right class of each pair.
    """
    right: dict[tuple[int, int], int] = {}
    for k, target in enumerate(targets):
        if target.remotes:
            number = _numbers(units, k)
            right.update(((number[p], number[c]), label) for p, c, label in target.remotes)
    is_child = unit_mask(units, [target.shared for target in targets])
    parents, children = units.pairs_with(is_child)
    pairs = zip(parents.tolist(), children.tolist())
    classes = numpy.array([right.get(pair, 0) for pair in pairs], dtype="int64")
    return parents, children, classes


def gold_implicit(
    units: UnitTable, targets: Sequence[SpanTargets], indices: numpy.ndarray
) -> numpy.ndarray:
    """RETURNS (ndarray[int64]): (n,) the right class of the implicit children of some units of the gold trees, by their
    indices."""
    classes = numpy.zeros(len(units.nodes), dtype="int64")
    for k, target in zip(range(len(units.starts) - 1), targets, strict=True):
        if target.implicit:
            number = _numbers(units, k)
            for node, label in target.implicit:
                classes[number[node]] = label
    return classes[indices]


def _numbers(units: UnitTable, k: int) -> dict[int, int]:
    """RETURNS (Dict[int, int]): The unit of each node of a state, by the state's number."""
    start, stop = int(units.starts[k]), int(units.starts[k + 1])
    return {node: i for i, node in enumerate(units.nodes[start:stop], start=start)}
