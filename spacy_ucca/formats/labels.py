"""Categories as formats write them: what would not be read back as it was is refused before anything is written."""

from collections.abc import Callable

from ..errors import Errors, FormatError
from ..graph import Graph
from ..graph.data import EdgeTuple


def check_labels(graph: Graph, title: str, comes_back: Callable[[EdgeTuple], bool]) -> None:
    """Refuse a graph with categories that a format cannot hold.

    graph (Graph): The graph.
    title (str): What messages call the format.
    comes_back (Callable[[EdgeTuple], bool]): Whether the categories of an edge are the same when they are read again.
    RAISES (FormatError): If those of an edge are not.
    """
    known: set[tuple] = set()
    for edge in graph.edge_tuples:
        label = (edge.categories, edge.remote, edge.child < 0)
        if label in known:
            continue
        if "" in edge.categories or not comes_back(edge):
            category = " and ".join(map(repr, edge.categories))
            raise FormatError(Errors.UC171.format(category=category, title=title))
        known.add(label)
