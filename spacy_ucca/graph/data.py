"""The stored fields of a graph, as the views of it and the functions over it read them."""

from typing import Any, Protocol, TypeVar

from .index import EdgeTuple, Index


class GraphData(Protocol):
    """The stored fields of a graph and the index of its edges. `Graph` documents the fields."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]
    edge_tuples: tuple[EdgeTuple, ...]
    punct: tuple[bool, ...]
    paragraphs: tuple[int, ...]
    details: dict[str, Any]
    scores: dict[int, float]

    @property
    def index(self) -> Index:
        """RETURNS (Index): Who is next to whom, and the tokens of each unit."""
        ...

    @property
    def unit_edges(self) -> list[list[int]]:
        """RETURNS (List[List[int]]): The edges from each unit to units, in the text order of these."""
        ...

    @property
    def scene_numbers(self) -> frozenset[int]:
        """RETURNS (FrozenSet[int]): The units that have a Process or a State, also a shared one."""
        ...

    def _yield(self, edge: int) -> tuple[int, int]: ...


class CopyableGraph(GraphData, Protocol):
    """A graph that can be copied with other fields."""

    def replace(self: "AnyGraph", **fields: Any) -> "AnyGraph":
        """RETURNS (AnyGraph): A copy with some fields replaced."""
        ...


AnyGraph = TypeVar("AnyGraph", bound=CopyableGraph)
