"""Linkage: which Scenes a linker links. Corpora of the first guidelines (Wiki 1.2) annotate it, as linkage
units without tokens: an LR edge leads to the linker, LA edges to the linked Scenes.

Linkage nearly follows from the rest of the graph: on the development set of Wiki 1.2, the linkage edges
that `add_linkage` builds from the gold trees have a precision of 95.8 % and a recall of 90.8 %. So the `tree`
system, which cannot express linkage, uses this rule; `tupa` learns linkage.
"""

from collections.abc import Iterable
from typing import NamedTuple

from ..graph import EdgeTuple, Graph
from ..graph.categories import LINK_ARGUMENT, LINK_RELATION, LINKAGE
from ..graph.scene import PARALLEL
from ..graph.unit import Edge, Unit
from ..metric.counts import Tally


class LinkageItem(NamedTuple):
    """The key by which edges of linkage units are compared.

    relation (Tuple[int, ...]): The tokens of the unit's linkers, punctuation left out.
    category (str): "LR" or "LA".
    tokens (Tuple[int, ...]): The tokens of the child, punctuation left out.
    """

    relation: tuple[int, ...]
    category: str
    tokens: tuple[int, ...]


def add_linkage(graph: Graph) -> Graph:
    """Link every linker to the Scenes beside it: the nearest H before it and the nearest after it, among the
    children of its parent.

    graph (Graph): A graph; its linkage units stay, and linkers that have a linkage unit get no other.
    RETURNS (Graph): The graph with linkage. The score of an edge is the minimum of the scores of the primary edges to
        the linker and to the Scene.
    """
    kinds, edges, scores = list(graph.kinds), list(graph.edge_tuples), dict(graph.scores)
    linked = {edge.child for unit in graph.linkages for edge in unit.edges}
    for unit in graph.linkers:
        if unit in linked:
            continue
        scenes = _beside(unit)
        if not scenes:
            continue
        primary = next(edge for edge in unit.incoming if not edge.remote)
        for edge, category in (
            (primary, LINK_RELATION),
            *((edge, LINK_ARGUMENT) for edge in scenes),
        ):
            if primary.score is not None and edge.score is not None:
                scores[len(edges)] = min(primary.score, edge.score)
            edges.append(EdgeTuple(len(kinds), edge.child.index, (category,)))
        kinds.append(LINKAGE)
    if len(kinds) == len(graph.kinds):
        return graph
    return graph.replace(kinds=kinds, edges=edges, scores=scores)


def _beside(linker: Unit) -> list[Edge]:
    """RETURNS (List[Edge]): The edges to the Scenes next to a linker, on either side."""
    if linker.parent is None:
        return []
    edges = [edge for edge in linker.parent.edges if not edge.remote]
    place = next(i for i, edge in enumerate(edges) if edge.child == linker)
    sides = reversed(edges[:place]), edges[place + 1 :]
    nearest = (next((e for e in side if PARALLEL in e.categories), None) for side in sides)
    return [edge for edge in nearest if edge is not None]


def linkage_items(graph: Graph) -> set[LinkageItem]:
    """RETURNS (Set[LinkageItem]): The edges of all linkage units of a graph, as they are compared."""
    items = set()
    for unit in graph.linkages:
        relation = sorted(
            token
            for edge in unit.edges_by(LINK_RELATION)
            for token in edge.child.tokens(punct=False)
        )
        for edge in unit.edges:
            for category in edge.categories:
                tokens = edge.child.tokens(punct=False)
                items.add(LinkageItem(tuple(relation), category, tokens))
    return items


def score_linkage(pairs: Iterable[tuple[Graph, Graph]]) -> Tally:
    """Score linkage: an LR or LA edge is right if the gold graph has one of the same category to the same
    tokens, of a linkage unit whose linkers have the same tokens, punctuation left out. The official metric
    leaves linkage out.

    pairs (Iterable[Tuple[Graph, Graph]]): Predicted and gold graphs over the same tokens.
    RETURNS (Tally): Matches, guessed and reference edges, with precision, recall and F1.
    """
    total = Tally()
    for predicted, gold in pairs:
        ours, theirs = linkage_items(predicted), linkage_items(gold)
        total += Tally(len(ours & theirs), len(ours), len(theirs))
    return total


def linkage_scores(tally: Tally) -> dict[str, float | None]:
    """RETURNS (Dict[str, Optional[float]]): Scores of linkage by their names: `ucca_linkage_p`, `_r` and `_f`."""
    return {f"ucca_linkage_{measure}": value for measure, value in tally.to_dict().items()}
