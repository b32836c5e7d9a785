"""Upper bounds of the conversions: scores of gold graphs converted and converted back.

No parser that learns converted graphs can be better than these figures.
"""

from collections.abc import Callable, Iterable

from ..graph import Graph
from ..metric.score import score_graphs
from .attachment import score_trees
from .bilexical import WAYS, from_bilexical, to_bilexical
from .constituency import from_constituency, remote_edges, to_constituency
from .tree import first_steps

BILEXICAL = "bilexical"
# What is scored, by its name in the scorer's scores
MEASURES = {
    "ucca_primary_f": "primary",
    "ucca_remote_f": "remote",
    "ucca_f": "all",
    "ucca_unlabeled_primary_f": "primary, unlabeled",
    "ucca_unlabeled_remote_f": "remote, unlabeled",
    "ucca_unlabeled_f": "all, unlabeled",
    "ucca_weak_f": "all, weakly labeled",
    "ucca_las": "LAS",
    "ucca_uas": "UAS",
}


def _bilexical(remotes: bool, way: str) -> Callable[[Graph], Graph]:
    return lambda graph: from_bilexical(to_bilexical(graph, tree=not remotes), **WAYS[way])


def _constituency(remotes: bool, way: str) -> Callable[[Graph], Graph]:
    def convert(graph: Graph) -> Graph:
        tree, edges = to_constituency(graph), remote_edges(graph) if remotes else ()
        if way == "one step":
            # One for each child, as the notes have it: the first
            first = {edge.child: edge for edge in reversed(edges)}
            tree, edges = first_steps(tree), tuple(first.values())
        return from_constituency(tree, edges)

    return convert


# Round trips by name. "with remotes" includes the remote edges, which a parser would predict with classifiers.
CONVERSIONS: dict[str, Callable[[Graph], Graph]] = {
    f"{kind}, {way}, {'with' if remotes else 'no'} remotes": convert(remotes, way)
    for kind, convert, ways in (
        (BILEXICAL, _bilexical, ("draft", "published", "levels")),
        ("constituency", _constituency, ("one step", "all moves")),
    )
    for way in ways
    for remotes in (True, False)
}


def upper_bounds(graphs: Iterable[Graph]) -> dict[str, dict[str, float | None]]:
    """Convert gold graphs, convert them back, and score them.

    graphs (Iterable[Graph]): The graphs.
    RETURNS (Dict[str, Dict[str, Optional[float]]]): For each of CONVERSIONS, scores from 0 to 1 by MEASURES; None
        where there is nothing to score.
    """
    graphs = list(graphs)
    bounds = {}
    # Dependency parsers are scored by their arcs, not by those of graphs made of these: nothing is lost there.
    own_trees = score_trees(zip(graphs, graphs))
    for name, convert in CONVERSIONS.items():
        pairs = [(convert(graph), graph) for graph in graphs]
        attachment = own_trees if name.startswith(BILEXICAL) else score_trees(pairs)
        scores = score_graphs(pairs) | attachment.to_scores()
        bounds[name] = {measure: scores[measure] for measure in MEASURES}
    return bounds
