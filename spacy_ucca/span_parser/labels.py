"""The labels of the span parser: what spans may be, in an order that stays.

A label of a span is that of all units over the same tokens, with marks of moves and remote edges, as
`conversion/constituency.py` makes it: "H+A-remote". Labels of single units and of remote edges number embeddings
and classes in the same way as those of `ucca_parser` (`inventory.py`).
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy

from ..conversion.constituency import (
    count_labels,
    remote_edges,
    to_constituency,
    unit_nodes,
)
from ..conversion.tree import ROOT_LABEL, NodeLabel, parse_chain
from ..errors import GraphError
from ..graph import Graph
from ..graph.categories import TERMINAL
from ..parser.labels import (
    Bag,
    Inventory,
    elsewhere_label,
    implicit_bag,
)
from ..rules.label_rules import LabelRules

NO_LABEL = 0  # the class of spans without a label
RESERVED = (ROOT_LABEL, TERMINAL)
SCENE, PARTS = frozenset("H"), frozenset("PSADTCENQR")


class SpanLabels:
    """The labels.

    spans (Sequence[str]): Labels of spans. Class 0 is no label, these are the classes after it.
    remote_labels (Sequence[str]): Joined labels of remote edges.
    implicit (Sequence[Bag]): Bags of labels of implicit children of a unit.
    deps (Sequence[str]): Dependency labels.
    elsewhere (Sequence[str]): Labels of remote edges of units without implicit children; see `Inventory`.
    """

    def __init__(
        self,
        spans: Sequence[str] = (),
        remote_labels: Sequence[str] = (),
        implicit: Sequence[Sequence[str]] = (),
        deps: Sequence[str] = (),
        elsewhere: Sequence[str] = (),
    ) -> None:
        self.spans = tuple(spans)
        self.classes = {label: i for i, label in enumerate(self.spans, start=1)}
        self.chains: list[tuple[NodeLabel, ...]] = [(), *map(parse_chain, self.spans)]
        names = {part.name for chain in self.chains for part in chain}
        names.update(remote_labels, *implicit)
        self.units = Inventory(
            "tree",
            sorted(names - set(RESERVED)),
            remote_labels=remote_labels,
            implicit=implicit,
            deps=deps,
            elsewhere=elsewhere,
        )

    @classmethod
    def collect(cls, graphs: Iterable[Graph], deps: Iterable[str]) -> "SpanLabels":
        """Read the labels off gold graphs.

        graphs (Iterable[Graph]): The graphs, of a sentence each. Those with categories that cannot stand in a label
            are passed over.
        deps (Iterable[str]): All dependency labels.
        RETURNS (SpanLabels): The labels, sorted.
        """
        spans: set[str] = set()
        remote: set[str] = set()
        bags: set[Bag] = set()
        elsewhere: set[str] = set()
        for graph in graphs:
            try:
                spans.update(count_labels([to_constituency(graph)]))
                remote.update(edge.label for edge in remote_edges(graph))
                units = [graph.units[unit] for unit in unit_nodes(graph)]
                bags.update(map(implicit_bag, units))
                elsewhere.update(map(elsewhere_label, units))
            except GraphError:
                continue
        known = [bag for bag in sorted(bags - {()}) if not set(RESERVED).intersection(bag)]
        return cls(sorted(spans), sorted(remote), known, sorted(deps), sorted(elsewhere - {""}))

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Plain data; the `label_data` of the component."""
        return {
            "spans": list(self.spans),
            "remote_labels": list(self.remote_labels),
            "implicit": [list(bag) for bag in self.units.implicit],
            "deps": list(self.units.deps),
            "elsewhere": list(self.units.elsewhere),
        }

    def with_label(self, label: str) -> "SpanLabels":
        """RETURNS (SpanLabels): A copy with one more label of spans, after the others."""
        return SpanLabels(**{**self.to_dict(), "spans": (*self.spans, label)})

    @property
    def remote_labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of remote edges; class 0 of pairs is "no edge"."""
        return self.units.remote_labels

    @property
    def n_classes(self) -> int:
        """RETURNS (int): The number of classes of spans, with that of no label."""
        return len(self.spans) + 1

    @cached_property
    def is_root(self) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_classes,) which labels are those of whole sentences."""
        return numpy.array([bool(c) and c[0].name == ROOT_LABEL for c in self.chains])

    @cached_property
    def is_bare_root(self) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_classes,) which labels are of a root that is nothing else, such as one Scene."""
        return numpy.array([bool(c) and c[-1].name == ROOT_LABEL for c in self.chains])

    def has_scenes(self, classes: numpy.ndarray, parents: numpy.ndarray) -> numpy.ndarray:
        """Whether spans have Parallel Scenes as children, or what a Scene has.

        classes (ndarray): (n,) the labels of spans in trees.
        parents (ndarray): (n,) the span above each, or -1.
        RETURNS (ndarray[int64]): (n,) 1 for Scenes, -1 for parts of one, 0 for neither.
        """
        below = numpy.nonzero(parents >= 0)[0]
        names = [chain[0].name if chain else "" for chain in self.chains]
        found = numpy.zeros(len(classes), dtype="int64")
        for kinds, value in ((PARTS, -1), (SCENE, 1)):
            flags = numpy.array([not kinds.isdisjoint(name.split("|")) for name in names])
            found[parents[below[flags[classes[below]]]]] = value
        return found

    def allowed(self, whole: bool) -> numpy.ndarray:
        """The labels that a span may have: whole sentences have a root, no other spans do.

        whole (bool): Whether the span is a whole sentence.
        RETURNS (ndarray[bool]): (n_classes,) the labels. All but no label, if there are none for sentences.
        """
        allowed = self.is_root == whole
        allowed[NO_LABEL] = not whole
        if not allowed.any():
            allowed[1:] = True
        return allowed

    @cached_property
    def rules(self) -> LabelRules:
        """RETURNS (LabelRules): What the rules of UCCA say of the labels."""
        return LabelRules(self.chains)

    @property
    def n_deps(self) -> int:
        """RETURNS (int): The number of dependency labels, with that of unknown ones."""
        return len(self.units.deps) + 1
