"""Mend single edges of what was read, so that they do not cost the whole graph. Each mended edge is named in a warning."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from ..errors import GraphError, Warnings
from ..graph import EdgeTuple, Graph, GraphBuilder
from ..graph.algorithms import find_cycle
from ..graph.categories import LINKAGE
from ..text.spacing import find_words


class FormatWarning(UserWarning):
    """Something in a file was read in another way than it stands there. The message names the file."""


def warn_of(message: str) -> None:
    """Warn of what was mended."""
    warnings.warn(message, FormatWarning, stacklevel=2)


def known_text(words: Sequence[str], text: str | None, where: str) -> str | None:
    """RETURNS (Optional[str]): The text that a file gives for words; None if it gives none, or, with a warning, that of other words.

    words (Sequence[str]): The words.
    text (Optional[str]): The text.
    where (str): The place of both, for messages.
    """
    if text is None or find_words(words, text) is not None:
        return text
    warn_of(Warnings.UW105.format(where=where))
    return None


@contextmanager
def take_notes(notes: list[str]) -> Iterator[None]:
    """Collect what readers and writers warn of, in place of showing it.

    notes (List[str]): Gets the messages.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes += (str(warning.message) for warning in caught)


def build_graph(builder: GraphBuilder, where: str) -> Graph:
    """Make a graph. Further primary parents of a unit become remote ones; remote edges that close a cycle are left out.

    builder (GraphBuilder): The units and edges.
    where (str): The place of the graph, for messages.
    RETURNS (Graph): The graph.
    RAISES (GraphError): If an invariant is broken.
    """
    try:
        return builder.build()
    except GraphError:  # nearly all graphs need no second look
        edges = one_parent(builder.edges, builder.kinds, where)
        closing = closing_edges(edges, where)
        builder.edges = [edge for i, edge in enumerate(edges) if i not in closing]
        return builder.build()


def closing_edges(edges: Sequence[EdgeTuple], where: str) -> set[int]:
    """Find remote edges to leave out so that there is no cycle, the later ones first, and name them in warnings.

    edges (Sequence[EdgeTuple]): All edges.
    where (str): The place of the graph, for messages.
    RETURNS (Set[int]): The edges by number; none if there is no cycle, or one of primary edges.
    """
    closing: set[int] = set()
    if not any(edge.remote for edge in edges):
        return closing
    inner = [(i, edge) for i, edge in enumerate(edges) if edge.child >= 0]
    while cycle := find_cycle((e.parent, e.child) for i, e in inner if i not in closing):
        # Each node is the child of the one after it
        pairs = {(parent, child) for child, parent in pairwise(cycle)}
        pairs |= {(child, parent) for parent, child in pairs}
        left = (i for i, e in inner if e.remote and e[:2] in pairs and i not in closing)
        last = max(left, default=-1)
        if last < 0:
            break
        closing.add(last)
        warn_of(Warnings.UW102.format(where=where, label="|".join(edges[last].categories)))
    return closing


def one_parent(edges: Iterable[EdgeTuple], kinds: Sequence[str], where: str) -> list[EdgeTuple]:
    """Let the first primary edge to each unit be its only one: later ones become remote edges, each named in a warning.

    edges (Iterable[EdgeTuple]): All edges.
    kinds (Sequence[str]): The kind of each unit.
    where (str): The place of the graph, for messages.
    RETURNS (List[EdgeTuple]): The edges, in the same order.
    """
    owned: set[int] = set()
    mended = []
    for edge in edges:
        if edge.child >= 0 and not edge.remote and kinds[edge.parent] != LINKAGE:
            if edge.child in owned:
                warn_of(Warnings.UW103.format(where=where, label="|".join(edge.categories)))
                edge = edge._replace(remote=True)
            owned.add(edge.child)
        mended.append(edge)
    return mended
