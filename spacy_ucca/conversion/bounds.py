"""Upper bounds of the conversions: scores of gold graphs converted and converted back.

No parser that learns converted graphs can be better than these figures.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..graph import Graph
from ..metric.score import score_graphs
from .bilexical import from_bilexical, to_bilexical
from .constituency import from_constituency, remote_edges, to_constituency
from .tree import (
    ConstituencyTree,
    LabeledSpan,
    format_chain,
    parse_chain,
)

__all__ = ["CONVERSIONS", "MEASURES", "first_steps", "upper_bounds"]

# What is scored, and the name of its F1 in the scorer's scores
MEASURES = {
    "primary": "ucca_primary_f",
    "remote": "ucca_remote_f",
    "all": "ucca_f",
    "unlabeled_primary": "ucca_unlabeled_primary_f",
    "unlabeled_remote": "ucca_unlabeled_remote_f",
}


def first_steps(tree: ConstituencyTree) -> ConstituencyTree:
    """Let all moves be of one step: the few labels that the notes of Jiang (2019), section 3, train with.

    tree (ConstituencyTree): The tree.
    RETURNS (ConstituencyTree): The same with other labels.
    """
    spans = (
        LabeledSpan(
            start,
            end,
            format_chain(part._replace(steps=min(part.steps, 1)) for part in parse_chain(label)),
        )
        for start, end, label in tree.spans
    )
    return replace(tree, spans=tuple(spans))


def _bilexical(remotes: bool, levels: bool) -> Callable[[Graph], Graph]:
    return lambda graph: from_bilexical(to_bilexical(graph, tree=not remotes), levels=levels)


def _constituency(remotes: bool, all_moves: bool) -> Callable[[Graph], Graph]:
    def convert(graph: Graph) -> Graph:
        tree, edges = to_constituency(graph), remote_edges(graph) if remotes else ()
        if not all_moves:
            # One for each child, as the notes have it: the first
            first = {edge.child: edge for edge in reversed(edges)}
            tree, edges = first_steps(tree), tuple(first.values())
        return from_constituency(tree, edges)

    return convert


# Round trips by name. "with remotes" includes the remote edges, which a parser would predict with classifiers.
CONVERSIONS: dict[str, Callable[[Graph], Graph]] = {
    f"{kind}, {way}, {'with' if remotes else 'no'} remotes": convert(remotes, option)
    for kind, way, option, convert in (
        ("bilexical", "published", False, _bilexical),
        ("bilexical", "levels", True, _bilexical),
        ("constituency", "one step", False, _constituency),
        ("constituency", "all moves", True, _constituency),
    )
    for remotes in (True, False)
}


def upper_bounds(graphs: Iterable[Graph]) -> dict[str, dict[str, float | None]]:
    """Convert gold graphs, convert them back, and score them.

    graphs (Iterable[Graph]): The graphs.
    RETURNS (Dict[str, Dict[str, Optional[float]]]): For each of CONVERSIONS, F1 from 0 to 1 by MEASURES; None
        where there is nothing to score.
    """
    graphs = list(graphs)
    f1 = {}
    for name, convert in CONVERSIONS.items():
        scores = score_graphs((convert(graph), graph) for graph in graphs)
        f1[name] = {measure: scores[key] for measure, key in MEASURES.items()}
    return f1
