"""Unit and Edge: views of a graph. A view holds the graph and an index, nothing else."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..methods import registered
from .algorithms import reached, tokens_in
from .categories import (
    IMPLICIT,
    LINK_ARGUMENT,
    LINK_RELATION,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
    join_categories,
    no_attribute,
    priority,
)
from .data import EdgeTuple, check_categories
from .scene import UnitRoles

if TYPE_CHECKING:
    from .graph import Graph

MAX_TEXT = 60  # characters of a unit in a `repr`


def is_gap(graph: "Graph", before: int, after: int) -> bool:
    """RETURNS (bool): Whether tokens stand between two others, beside white space that hangs on nothing."""
    owners, words = graph.index.token_edge, graph.words
    return any(owners[i] >= 0 or not words[i].isspace() for i in range(before + 1, after))


def smallest_around(unit: "Unit | None", tokens: set[int]) -> "Unit | None":
    """RETURNS (Optional[Unit]): The first of a unit and those above it that has all of some tokens."""
    while unit is not None and not tokens.issubset(unit.tokens()):
        unit = unit.parent
    return unit


def _quoted(unit: "Unit") -> str:
    """RETURNS (str): The text of a unit, in quotes and not too long."""
    if unit.is_implicit:
        return "(implicit)"
    text = unit.text
    return repr(text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…")


class View:
    """A view of something in a graph. Two views are equal if they show the same."""

    __slots__ = ("graph", "index")

    def __init__(self, graph: "Graph", index: int) -> None:
        self.graph = graph
        self.index = index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View) or type(self) is not type(other):
            return False
        return self.graph is other.graph and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.graph), self.index))

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    @property
    def label(self) -> str:
        """RETURNS (str): The categories as one label, such as "S|A"."""
        return join_categories(self.categories)


class Unit(View, UnitRoles):
    """A view of one unit of a graph. Two views are equal if they show the same unit."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<Unit {self.index} {self.label or 'root'}: {_quoted(self)}>"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return str(registered("html")(self))

    @property
    def kind(self) -> str:
        """RETURNS (str): "FN", "PNCT", "LKG" or "IMPLICIT"."""
        return self.graph.kinds[self.index]

    @property
    def is_implicit(self) -> bool:
        """RETURNS (bool): Whether the unit has no correspondent in the text."""
        return self.kind == IMPLICIT

    @property
    def is_root(self) -> bool:
        """RETURNS (bool): Whether the unit is the root of a sentence."""
        return self.graph.index.parent_edge[self.index] < 0 and self.kind != LINKAGE

    @property
    def is_punct(self) -> bool:
        """RETURNS (bool): Whether the unit is punctuation, by kind or by the edge to it."""
        return self.kind == PUNCT or PUNCTUATION in self.categories

    @property
    def is_discontinuous(self) -> bool:
        """RETURNS (bool): Whether other tokens stand between the tokens of the unit. White space that hangs on nothing is
        none."""
        mask = self.graph.index.masks[self.index]
        if not mask & (mask + 1):
            return False
        return any(is_gap(self.graph, *pair) for pair in pairwise(self.tokens()))

    @property
    def edges(self) -> tuple["Edge", ...]:
        """RETURNS (Tuple[Edge, ...]): Edges to child units, remote ones included, in text order."""
        graph = self.graph
        return tuple([Edge(graph, i) for i in graph.unit_edges[self.index]])

    def edges_by(self, *categories: str, remotes: bool = True) -> tuple["Edge", ...]:
        """Edges to children with any of some categories.

        *categories (str): Such as "A" and "D".
        remotes (bool): Remote edges too.
        RETURNS (Tuple[Edge, ...]): The edges, in text order.
        RAISES (UccaError): If neither UCCA nor the graph has such a category.
        """
        graph = self.graph
        check_categories(graph, categories)
        edges, wanted = graph.edge_tuples, set(categories)
        found = []
        for i in graph.unit_edges[self.index]:
            edge = edges[i]
            if (remotes or not edge.remote) and not wanted.isdisjoint(edge.categories):
                found.append(Edge(graph, i))
        return tuple(found)

    @property
    def incoming(self) -> tuple["Edge", ...]:
        """RETURNS (Tuple[Edge, ...]): Edges from parents: the primary one first, then remote ones and
        linkage."""
        primary = self.graph.index.parent_edge[self.index]
        return tuple(
            Edge(self.graph, i)
            for i in sorted(self.graph.index.into[self.index], key=lambda i: (i != primary, i))
        )

    @property
    def children(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): Child units, those of remote edges included, in text order."""
        return tuple(edge.child for edge in self.edges)

    @property
    def parents(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): Parent units: the primary one first, then remote ones and
        linkage."""
        return tuple(edge.parent for edge in self.incoming)

    @property
    def parent(self) -> "Unit | None":
        """RETURNS (Optional[Unit]): The primary parent; None for a root."""
        edge = self.graph.index.parent_edge[self.index]
        return Unit(self.graph, self.graph.edge_tuples[edge].parent) if edge >= 0 else None

    @property
    def categories(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The categories of the primary edge to the unit; none for a
        root."""
        edge = self.graph.index.parent_edge[self.index]
        return self.graph.edge_tuples[edge].categories if edge >= 0 else ()

    @property
    def terminals(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): The tokens directly under the unit, by index."""
        edges = (self.graph.edge_tuples[i] for i in self.graph.index.out[self.index])
        return tuple(sorted(~e.child for e in edges if e.child < 0))

    def tokens(self, *, remotes: bool = False, punct: bool = True) -> tuple[int, ...]:
        """The tokens under the unit, at any depth.

        remotes (bool): Follow remote edges too.
        punct (bool): Include punctuation.
        RETURNS (Tuple[int, ...]): Token indices in text order, each once.
        """
        if remotes:
            tokens = self._remote_tokens()
        else:
            tokens = tokens_in(
                self.graph.index.masks[self.index], self.graph.index.starts[self.index]
            )
        return tuple(i for i in tokens if punct or not self.graph.punct[i])

    @property
    def text(self) -> str:
        """RETURNS (str): The words of the unit, with "..." where others stand between them."""
        words: list[str] = []
        previous = None
        for token in self.tokens():
            if previous is not None and is_gap(self.graph, previous, token):
                words.append("...")
            words.append(self.graph.words[token])
            previous = token
        return " ".join(words)

    @property
    def head(self) -> int | None:
        """RETURNS (Optional[int]): The head terminal: the token reached by always taking the most
        head-like primary edge, the leftmost on ties. None for units without tokens."""
        edges, index = self.graph.edge_tuples, self.graph.index

        def rank(edge: EdgeTuple) -> tuple[int, int]:
            child = edge.child
            return priority(edge.categories), ~child if child < 0 else index.starts[child]

        node = self.index
        while node >= 0:
            below = [edges[i] for i in index.out[node] if not edges[i].remote]
            below = [edge for edge in below if edge.child < 0 or index.masks[edge.child]]
            if not below:
                return None
            node = min(below, key=rank).child
        return ~node

    def iter(self) -> Iterator["Unit"]:
        """YIELDS (Unit): The unit and all under it by primary edges, depth first, in text order."""
        stack = [self]
        while stack:
            unit = stack.pop()
            yield unit
            if unit.kind == LINKAGE:
                continue
            stack.extend(e.child for e in reversed(unit.edges) if not e.remote)

    @property
    def _position(self) -> tuple[int, int]:
        """Sort key of siblings: first token and length; units without tokens come last."""
        return self.graph.index.starts[self.index], self.graph.index.masks[self.index].bit_length()

    def _remote_tokens(self) -> list[int]:
        index, edges = self.graph.index, self.graph.edge_tuples
        nodes = reached(
            (self.index,), lambda i: (edges[e].child for e in index.out[i]) if i >= 0 else ()
        )
        return sorted(~node for node in nodes if node < 0)


class Edge(View):
    """A view of one edge between two units."""

    __slots__ = ()

    def __repr__(self) -> str:
        parent = "the root" if self.parent.is_root else _quoted(self.parent.minimal_center)
        remote = " (remote)" if self.remote else ""
        return f"<Edge {self.label} {_quoted(self.child)} of {parent}{remote}>"

    def _repr_html_(self) -> str:
        return self.child._repr_html_()

    @property
    def parent(self) -> Unit:
        """RETURNS (Unit): The unit the edge comes from."""
        return Unit(self.graph, self.graph.edge_tuples[self.index].parent)

    @property
    def child(self) -> Unit:
        """RETURNS (Unit): The unit the edge leads to."""
        return Unit(self.graph, self.graph.edge_tuples[self.index].child)

    @property
    def categories(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The categories, as stored."""
        return self.graph.edge_tuples[self.index].categories

    @property
    def remote(self) -> bool:
        """RETURNS (bool): Whether the child belongs to another unit and is shared here."""
        return self.graph.edge_tuples[self.index].remote

    @property
    def score(self) -> float | None:
        """RETURNS (Optional[float]): How likely the parser holds the edge to be right: that a gold graph has
        one to the same tokens with one of its categories. None for edges that nobody predicted."""
        return self.graph.scores.get(self.index)

    @property
    def is_linkage(self) -> bool:
        """RETURNS (bool): Whether a linkage unit owns the edge (LR or LA)."""
        return bool({LINK_RELATION, LINK_ARGUMENT}.intersection(self.categories))
