"""An immutable UCCA graph over a sequence of tokens, and the builder that makes one.

`Graph` holds units and edges as plain tuples. `Unit` and `Edge` are views of it: they hold the graph and a number.

Indices: tokens are 0..n-1 in text order, units are 0..m-1. In the plain tuples an edge's child is a
unit's index, or `~token` (a negative number) where the edge leads to a token.
"""

import json
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from math import isclose
from typing import Any

from ..errors import Errors, GraphError, PlaceError
from ..methods import registered
from .categories import FOUNDATIONAL, LINKAGE, MAIN_RELATIONS, PUNCT, TERMINAL, no_attribute
from .data import EdgeTuple, Index, bottom_up, common_details, make_index, read_guidelines
from .edit import canonical_form, renumber_edges, subgraph
from .record import PlainData, make_record, read_record
from .scene import GraphRoles
from .unit import Edge, Unit, smallest_around

SCORE_TOLERANCE = 0.002  # two units of the last digit in records
ROUNDING = 1e-9  # of a difference of floats


class Graph(PlainData, GraphRoles):
    """A UCCA graph over the tokens of a sentence, a passage or a whole Doc.

        graph = nlp("After graduation, John moved to Paris.")._.ucca
        print(graph)  # a tree
        for scene in graph.scenes:
            print(scene.main_relation.text, [unit.text for unit in scene.participants])

    words (Sequence[str]): The tokens.
    kinds (Sequence[str]): The kind of each unit: "FN", "PNCT", "LKG" or "IMPLICIT".
    edges (Iterable[EdgeTuple]): All edges, those to tokens included.
    punct (Optional[Sequence[bool]]): Whether each token is punctuation. Tokens under punctuation
        units are, if it is not given.
    paragraphs (Optional[Sequence[int]]): The paragraph number of each token, from 1.
    details (Optional[Mapping]): What a format keeps beside the graph, as plain data: see `details`.
    scores (Optional[Mapping[int, float]]): How likely edges are right, by their index: see `Edge.score`.
    check (bool): Whether to look for broken invariants at once, and not when the graph is first looked into: parsers,
        whose graphs have none, leave that to those who read them.
    RAISES (GraphError): If two primary parents, a cycle or another broken invariant is found.
    """

    def __init__(
        self,
        words: Sequence[str],
        kinds: Sequence[str],
        edges: Iterable[EdgeTuple],
        *,
        punct: Sequence[bool] | None = None,
        paragraphs: Sequence[int] | None = None,
        details: Mapping[str, Any] | None = None,
        scores: Mapping[int, float] | None = None,
        check: bool = True,
    ) -> None:
        self.words: tuple[str, ...] = tuple(words)
        self.kinds: tuple[str, ...] = tuple(kinds)
        self.edge_tuples: tuple[EdgeTuple, ...] = tuple(edges)
        self.punct: tuple[bool, ...]
        self.paragraphs: tuple[int, ...] = tuple(paragraphs or [1] * len(self.words))
        self.details: dict[str, Any] = dict(details or {})
        self.scores: dict[int, float] = dict(scores or {})
        if check:
            _ = self.index  # made now, and so checked
        if punct is None:
            covered = {
                ~child
                for parent, child, _, _ in self.edge_tuples
                if child < 0 and self.kinds[parent] == PUNCT
            }
            punct = [i in covered for i in range(len(self.words))]
        self.punct = tuple(bool(p) for p in punct)
        for what, values in (("punct flags", self.punct), ("paragraphs", self.paragraphs)):
            if len(values) != len(self.words):
                raise GraphError(
                    Errors.UC012.format(n=len(values), what=what, words=len(self.words))
                )

    @cached_property
    def index(self) -> Index:
        """RETURNS (Index): What follows from the edges: who is next to whom, the tokens of each unit.
        RAISES (GraphError): If an invariant is broken and the graph was not checked when it was made."""
        return make_index(self.words, self.kinds, self.edge_tuples)

    @cached_property
    def unit_edges(self) -> list[list[int]]:
        """RETURNS (List[List[int]]): The edges from each unit to units, in the text order of these. Units without tokens come last."""
        edges, starts, masks = self.edge_tuples, self.index.starts, self.index.masks

        def position(edge: int) -> tuple[int, int]:
            child = edges[edge].child
            return starts[child], masks[child].bit_length()

        return [
            sorted((i for i in out if edges[i].child >= 0), key=position) for out in self.index.out
        ]

    @cached_property
    def scene_numbers(self) -> frozenset[int]:
        """RETURNS (FrozenSet[int]): The units that have a Process or a State, also a shared one: see `Unit.is_scene`."""
        return frozenset(
            edge.parent
            for edge in self.edge_tuples
            if edge.child >= 0 and not MAIN_RELATIONS.isdisjoint(edge.categories)
        )

    def bottom_up(self) -> list[int]:
        """RETURNS (List[int]): Units, children before parents, over all edges."""
        return bottom_up(self.edge_tuples, self.index.out, self.index.into)

    # What a reader of code asks for

    def __len__(self) -> int:
        """RETURNS (int): The number of units."""
        return len(self.kinds)

    def __iter__(self) -> Iterator["Unit"]:
        """YIELDS (Unit): All units; see `units`."""
        return iter(self.units)

    def __getitem__(self, index: int) -> "Unit":
        """RETURNS (Unit): The unit with that index.
        RAISES (PlaceError): If there is none, which is an IndexError too."""
        n = len(self.kinds)
        if not -n <= index < n:
            raise PlaceError(Errors.UC687.format(what="unit", number=index, n=n))
        return Unit(self, range(n)[index])

    def __str__(self) -> str:
        """RETURNS (str): The graph as a tree of text."""
        return str(registered("tree")(self))

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    def _repr_html_(self) -> str:
        """RETURNS (str): The graph as a picture, for notebooks."""
        return str(registered("html")(self))

    def __repr__(self) -> str:
        return f"<Graph of {len(self.words)} tokens, {len(self.kinds)} units>"

    @cached_property
    def units(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): All units: each sentence from its root down, depth first and
        in text order (implicit units after their siblings), then linkage units."""
        below = (unit for root in self.roots for unit in root.iter() if unit.kind != LINKAGE)
        return (*below, *self.linkages)

    @cached_property
    def roots(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): The root of each sentence, in text order."""
        roots = [
            Unit(self, u)
            for u, edge in enumerate(self.index.parent_edge)
            if edge < 0 and self.kinds[u] != LINKAGE
        ]
        return tuple(sorted(roots, key=lambda unit: unit._position))

    @property
    def root(self) -> "Unit":
        """RETURNS (Unit): The root of a graph with one.
        RAISES (GraphError): If the graph has several sentences or none."""
        if len(self.roots) != 1:
            raise GraphError(Errors.UC008.format(n=len(self.roots)))
        return self.roots[0]

    @cached_property
    def linkages(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): The linkage units (guidelines 1.x), as stored."""
        return tuple(Unit(self, u) for u, kind in enumerate(self.kinds) if kind == LINKAGE)

    @property
    def edges(self) -> tuple["Edge", ...]:
        """RETURNS (Tuple[Edge, ...]): All edges between units, remote ones and linkage included, in
        the order of `units`. Edges to tokens are `unit.terminals`."""
        return tuple(edge for unit in self.units for edge in unit.edges)

    @property
    def guidelines(self) -> str:
        """RETURNS (str): The name of the guidelines that the graph follows, such as "v2"; "" if it is not known."""
        return read_guidelines(self.details)

    def unit_of(self, token: int) -> "Unit | None":
        """The unit a token hangs on.

        token (int): The token's index.
        RETURNS (Optional[Unit]): Its parent, or None if the token is attached to nothing.
        RAISES (PlaceError): If there is no such token, which is an IndexError too.
        """
        n = len(self.words)
        if not -n <= token < n:
            raise PlaceError(Errors.UC687.format(what="token", number=token, n=n))
        edge = self.index.token_edge[token]
        return Unit(self, self.edge_tuples[edge].parent) if edge >= 0 else None

    def covering(self, start: int, end: int) -> "Unit | None":
        """The smallest unit whose yield has all tokens from `start` up to `end`.

        start (int): First token.
        end (int): The token after the last one.
        RETURNS (Optional[Unit]): The unit, or None if no single sentence has them all.
        """
        if start >= end:
            return None
        return smallest_around(self.unit_of(start), set(range(start, end)))

    # Comparing

    def __eq__(self, other: object) -> bool:
        """RETURNS (bool): Whether both are the same to the last detail, order and ids included; only
        scores do not count, which `allclose` compares. `same_structure` is what most callers want."""
        if not isinstance(other, Graph):
            return False
        return self is other or (
            self.words == other.words
            and self.kinds == other.kinds
            and self.edge_tuples == other.edge_tuples
            and self.punct == other.punct
            and self.paragraphs == other.paragraphs
            and self.details == other.details
        )

    def allclose(self, other: "Graph", *, atol: float = SCORE_TOLERANCE) -> bool:
        """Compare graphs with their scores. The scores of a parser depend a little on the batch that a text is in, and
        records round them to three digits, so they are compared as `numpy.allclose` compares numbers.

        other (Graph): Another graph.
        atol (float): The maximum difference of two scores of an edge.
        RETURNS (bool): Whether both graphs are equal, have scores for the same edges, and no score differs by more.
        """
        return (
            self == other
            and self.scores.keys() == other.scores.keys()
            and all(
                isclose(score, other.scores[edge], rel_tol=0, abs_tol=atol + ROUNDING)
                for edge, score in self.scores.items()
            )
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.words, self.kinds, self.edge_tuples))

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of strings differ between processes.
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    def same_structure(self, other: "Graph") -> bool:
        """RETURNS (bool): Whether both have the same tokens, units, edges and categories, whatever
        the numbers of the units, the order of the edges and the details."""
        return self.words == other.words and self.canonical == other.canonical

    @cached_property
    def canonical(self) -> tuple[tuple[str, ...], tuple[tuple, ...]]:
        """RETURNS (Tuple): The kinds and the sorted edges, units numbered in a canonical order."""
        return canonical_form(self)

    # Plain data

    def to_record(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The graph as plain data; see `record.make_record`."""
        return make_record(self)

    def __json__(self) -> str:
        """RETURNS (str): The record as JSON, which `srsly` writes: `srsly.json_dumps(doc.to_json(underscore=["ucca"]))`."""
        return json.dumps(self.to_record(), default=operator.index)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Graph":
        """Read a record back; lists may have become tuples on the way, as in spaCy's DocBin.

        record (Mapping[str, Any]): What `to_record` gave.
        RETURNS (Graph): The graph.
        RAISES (GraphError): If it is no record, or of another version.
        """
        try:
            return cls(**read_record(record))
        except (KeyError, IndexError, TypeError) as err:
            raise GraphError(Errors.UC010.format(reason=repr(err))) from None

    # Making others of it

    def replace(self, **fields: Any) -> "Graph":
        """A copy with some fields replaced; all others stay.

        **fields: Arguments of `Graph` by name, such as `details`. With other `edges`, give `scores` too: they go by
            the numbers of edges.
        RETURNS (Graph): The copy.
        RAISES (GraphError): If an invariant is broken.
        """
        current: dict[str, Any] = {
            "words": self.words,
            "kinds": self.kinds,
            "edges": self.edge_tuples,
            "punct": self.punct,
            "paragraphs": self.paragraphs,
            "details": self.details,
            "scores": self.scores,
        }
        return Graph(**{**current, **fields})

    def without(
        self, *, remotes: bool = False, implicit: bool = False, linkage: bool = False
    ) -> "Graph":
        """Copy the graph without some kinds of annotation.

        remotes (bool): Drop remote edges.
        implicit (bool): Drop implicit units, and units left with nothing under them.
        linkage (bool): Drop linkage units.
        RETURNS (Graph): The smaller graph. Of the details, those of units, edges and tokens are left out.
        """
        gone = {u for u, kind in enumerate(self.kinds) if linkage and kind == LINKAGE}
        if implicit:
            gone |= {
                u for u, m in enumerate(self.index.masks) if not m and self.kinds[u] != LINKAGE
            }
            gone -= {root.index for root in self.roots}
        units = [u for u in range(len(self.kinds)) if u not in gone]
        edges = [i for i, edge in enumerate(self.edge_tuples) if not (remotes and edge.remote)]
        return subgraph(self, units=units, edges=edges)

    def sentences(self) -> list[tuple[int, "Graph"]]:
        """Take the graph apart at its roots.

        RETURNS (List[Tuple[int, Graph]]): For each root, the first token of the sentence and its graph.
            Tokens attached to nothing go with the sentence before them. Edges between sentences and
            linkage across them are left out, and so are details of formats, except the guidelines and the language.
        RAISES (GraphError): If the tokens of a sentence are not one after the other.
        """
        starts = [min(root.tokens(), default=0) for root in self.roots]
        ends = [*starts[1:], len(self.words)]
        if starts:
            starts[0] = 0
        parts = []
        details = common_details([self])
        for root, start, end in zip(self.roots, starts, ends):
            if (last := max(root.tokens(), default=0)) >= end > start:
                edge = self.index.token_edge[last]
                raise GraphError(
                    Errors.UC001.format(edge=edge, what="token", index=last - start, n=end - start)
                )
            units = [unit.index for unit in root.iter()]
            inside = set(units)
            units += [
                unit.index
                for unit in self.linkages
                if unit.index not in inside and all(u.index in inside for u in unit.children)
            ]
            part = subgraph(self, units=units, tokens=range(start, end), details=details)
            parts.append((start, part))
        return parts

    def only(self, tokens: Sequence[int]) -> "Graph":
        """A copy without tokens that are attached to nothing, such as whitespace.

        tokens (Sequence[int]): The tokens to keep, in any order, which will be their order.
        RETURNS (Graph): The graph over these tokens; itself, if they are all, in text order.
        """
        if [*tokens] == [*range(len(self.words))]:
            return self
        return subgraph(self, tokens=tokens)

    @classmethod
    def join(cls, graphs: Iterable["Graph"]) -> "Graph":
        """Put the graphs of consecutive sentences side by side; each keeps its root.

        graphs (Iterable[Graph]): The graphs, in text order.
        RETURNS (Graph): One graph over all their tokens. Details of formats are not carried over; guidelines and
            language are, if all graphs name the same.
        """
        parts = list(graphs)
        builder = GraphBuilder(
            [word for part in parts for word in part.words],
            punct=[flag for part in parts for flag in part.punct],
            paragraphs=[number for part in parts for number in part.paragraphs],
        )
        start = 0
        for part in parts:
            builder.add_graph(part, range(start, start + len(part.words)))
            start += len(part.words)
        builder.details = common_details(parts)
        return builder.build()


@dataclass(eq=False)
class GraphBuilder:
    """Collects units and edges, then makes the Graph.

    words (Sequence[str]): The tokens.
    punct (Optional[Sequence[bool]]): Whether each token is punctuation.
    paragraphs (Optional[Sequence[int]]): The paragraph number of each token, from 1.
    """

    words: Sequence[str]
    _: KW_ONLY
    punct: Sequence[bool] | None = None
    paragraphs: Sequence[int] | None = None
    kinds: list[str] = field(default_factory=list, init=False)
    edges: list[EdgeTuple] = field(default_factory=list, init=False)
    details: dict[str, Any] = field(default_factory=dict, init=False)
    scores: dict[int, float] = field(default_factory=dict, init=False)

    def add_unit(self, kind: str = FOUNDATIONAL) -> int:
        """RETURNS (int): The index of a new unit of that kind."""
        self.kinds.append(kind)
        return len(self.kinds) - 1

    def add_edge(self, parent: int, child: int, *categories: str, remote: bool = False) -> int:
        """Connect two units. RETURNS (int): The index of the edge."""
        self.edges.append(EdgeTuple(parent, child, categories, remote))
        return len(self.edges) - 1

    def add_terminal(self, parent: int, token: int, *categories: str) -> int:
        """Put a token under a unit. RETURNS (int): The index of the edge."""
        return self.add_edge(parent, ~token, *(categories or (TERMINAL,)))

    def add_graph(self, graph: Graph, tokens: Sequence[int]) -> None:
        """Put in all units and edges of another graph.

        graph (Graph): Such as that of one sentence.
        tokens (Sequence[int]): Which token each of its tokens is here.
        """
        first, before = len(self.kinds), len(self.edges)
        self.kinds += graph.kinds
        if first == 0 and [*tokens] == [*range(len(tokens))]:
            self.edges += graph.edge_tuples
        else:
            units = range(first, first + len(graph.kinds))
            self.edges += renumber_edges(graph.edge_tuples, units, tokens)
        self.scores.update((before + i, score) for i, score in graph.scores.items())

    def add_score(self, edge: int, score: float | None) -> None:
        """Say how likely an edge is right, from 0 to 1, if that is known."""
        if score is not None:
            self.scores[edge] = score

    def build(self, check: bool = True) -> Graph:
        """Make the graph.

        check (bool): See `Graph`.
        RETURNS (Graph): The graph.
        RAISES (GraphError): If an invariant is broken.
        """
        return Graph(
            self.words,
            self.kinds,
            self.edges,
            punct=self.punct,
            paragraphs=self.paragraphs,
            details=self.details,
            scores=self.scores,
            check=check,
        )
