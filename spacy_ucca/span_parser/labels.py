"""The labels of the span parser, in an order that stays: they number classes and embeddings.

A label of a span is that of all units over the same tokens, with marks of moves and remote edges: "H+A-remote".
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy

from ..conversion.constituency import count_labels, to_constituency
from ..conversion.tree import ROOT_LABEL, ConstituencyTree, NodeLabel, first_steps, parse_chain
from ..errors import GraphError
from ..graph import Graph
from ..graph.categories import INNER_PARTS, SCENE_PARTS, TERMINAL
from ..parser.labels import Inventory
from ..rules.assign import LabelRules

NO_LABEL = 0  # the class of spans without a label
N_SPLIT = 1  # one more output than labels: the score of a span as a part of a split
RESERVED = (ROOT_LABEL, TERMINAL)
SCENE, PARTS = "H", SCENE_PARTS + INNER_PARTS + "DR"


def make_tree(graph: Graph, one_step: bool) -> ConstituencyTree:
    """RETURNS (ConstituencyTree): The tree that the parser learns of a graph, given the setting `one_step`."""
    tree = to_constituency(graph)
    return first_steps(tree) if one_step else tree


# of those of an Inventory
KEPT = ("remote_labels", "implicit", "deps", "remote_only", "guidelines")


class SpanLabels(Inventory):
    """The labels of spans, and what follows from them: those of units, remote edges and implicit units, as in an Inventory.

    system_name (str): The transition system whose states trees become.
    spans (Sequence[str]): Labels of spans. Class 0 is no label, these are the classes after it.
    **labels: The arguments `remote_labels`, `implicit`, `deps`, `remote_only`, `guidelines` and `make_schemas` of Inventory.
    """

    def __init__(self, system_name: str = "tree", spans: Sequence[str] = (), **labels: Any) -> None:
        self.spans = tuple(spans)
        self.classes = {label: i for i, label in enumerate(self.spans, start=1)}
        self.chains: list[tuple[NodeLabel, ...]] = [(), *map(parse_chain, self.spans)]
        names = {part.name for chain in self.chains for part in chain}
        names.update(labels.get("remote_labels", ()), *labels.get("implicit", ()))
        super().__init__(system_name, sorted(names - set(RESERVED)), **labels)

    @classmethod
    def collect(
        cls,
        system_name: str,
        graphs: Iterable[Graph],
        deps: Iterable[str],
        tags: Iterable[str] = (),
        *,
        one_step: bool = False,
    ) -> "SpanLabels":
        """Read the labels off gold graphs.

        system_name (str): The transition system.
        graphs (Iterable[Graph]): The graphs, of a sentence each. Those with categories that cannot stand in a label
            are passed over.
        deps (Iterable[str]): All dependency labels.
        tags (Iterable[str]): Not used.
        one_step (bool): The setting of this name.
        RETURNS (SpanLabels): The labels, sorted.
        """
        spans: set[str] = set()
        known: list[Graph] = []
        for graph in graphs:
            with suppress(GraphError):
                spans.update(count_labels([make_tree(graph, one_step)]))
                known.append(graph)
        found = Inventory.collect(system_name, known, deps).to_dict()
        found["implicit"] = [
            bag for bag in found["implicit"] if not set(RESERVED).intersection(bag)
        ]
        return cls(system_name, sorted(spans), **{key: found[key] for key in KEPT})

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Plain data; the `label_data` of the component."""
        labels = super().to_dict()
        return {"spans": list(self.spans), **{key: labels[key] for key in KEPT}}

    def with_label(self, label: str, guidelines: Iterable[str] = ()) -> "SpanLabels":
        """RETURNS (SpanLabels): A copy with one more label of spans, after the others."""
        labels = {**self.to_dict(), "spans": (*self.spans, label)}
        return SpanLabels(self.system_name, **labels, make_schemas=self.make_schemas)

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
        """Tell whether spans have Parallel Scenes as children, or children of a Scene.

        classes (ndarray): (n,) the labels of spans in trees.
        parents (ndarray): (n,) the span above each, or -1.
        RETURNS (ndarray[int64]): (n,) 1 for Scenes, -1 for parts of one, 0 for neither.
        """
        below = numpy.nonzero(parents >= 0)[0]
        names = [chain[0].name if chain else "" for chain in self.chains]
        signs = numpy.zeros(len(classes), dtype="int64")
        for kinds, value in ((PARTS, -1), (SCENE, 1)):
            flags = numpy.array([not set(kinds).isdisjoint(name.split("|")) for name in names])
            signs[parents[below[flags[classes[below]]]]] = value
        return signs

    @cached_property
    def allowed_spans(self) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_guidelines + 1, n_classes) the labels of spans under each guidelines. Row 0, of
        unknown guidelines, allows all."""
        allowed, ids = self.by_guidelines.labels, self.system.label_ids
        parts = [[ids[p.name] for p in chain if p.name in ids] for chain in self.chains]
        return numpy.stack([allowed[:, own].all(axis=1) for own in parts], axis=1)

    def allowed(self, whole: bool) -> numpy.ndarray:
        """Find the labels that a span may have: those with a root for whole sentences, the others for other spans.

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
        """RETURNS (LabelRules): The rules of UCCA for the labels."""
        return LabelRules(self.chains)

    @property
    def n_outputs(self) -> dict[str, int]:
        """RETURNS (Dict[str, int]): The number of outputs of each scorer."""
        units, n = super().n_outputs, self.n_classes
        return {**units, "pairs": units["remotes"], "spans": n + N_SPLIT, "labels": n}
