"""The undirected labeled graph of a Link Grammar parse, over the tokens of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..conversion.graph import ROOT, Arc, BilexicalGraph, Token
from ..errors import Errors, GraphError
from .properties import is_connected, is_planar

__all__ = ["Link", "LinkGraph"]


class Link(NamedTuple):
    """A link between two tokens by their indices, from 0. ROOT, which may be on the left, is the wall there."""

    left: int
    right: int
    label: str

    @classmethod
    def between(cls, i: int, j: int, label: str) -> "Link":
        """RETURNS (Link): The link between two tokens, given in any order."""
        return cls(min(i, j), max(i, j), label)


@dataclass(frozen=True)
class LinkGraph:
    """Labeled links over the tokens of a sentence.

    tokens (Tuple[Token, ...]): The tokens in text order.
    links (Tuple[Link, ...]): The links.
    id (str): The id of the sentence, or "".
    punct (Tuple[bool, ...]): Whether each token is punctuation. None is, if it is empty.
    tags (Tuple[str, ...]): What Link Grammar writes after each word: ".v" for a verb, "[!].v" or "[?].v" if it guessed that,
        or "". None are known, if it is empty.
    RAISES (GraphError): If a link does not lead from a token or ROOT to a later token, or has no label.
    """

    tokens: tuple[Token, ...]
    links: tuple[Link, ...] = ()
    id: str = ""
    punct: tuple[bool, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.tokens)
        for link in self.links:
            if not (ROOT <= link.left < link.right < n and link.label):
                raise GraphError(Errors.UC900.format(link=tuple(link), n=n))

    @classmethod
    def from_bilexical(cls, graph: BilexicalGraph) -> "LinkGraph":
        """Forget the directions of a graph.

        graph (BilexicalGraph): Any graph, with cycles too.
        RETURNS (LinkGraph): A link for each arc; two arcs with one label between two tokens become one.
        """
        links = (Link.between(a.head, a.dependent, a.label) for a in graph.arcs)
        return cls(graph.tokens, tuple(dict.fromkeys(links)), graph.id, graph.punct)

    @property
    def words(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The words."""
        return tuple(token.form for token in self.tokens)

    @property
    def dropped(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): The tokens without a link."""
        linked = {node for link in self.links for node in link[:2]}
        return tuple(token for token in range(len(self.tokens)) if token not in linked)

    @property
    def is_connected(self) -> bool:
        """RETURNS (bool): Whether all tokens that have a link are joined to ROOT, and there is one."""
        joined = [*((link.left, link.right) for link in self.links)]
        dropped = ((ROOT, token) for token in self.dropped)
        return bool(joined) and is_connected((*joined, *dropped), len(self.tokens))

    @property
    def is_complete(self) -> bool:
        """RETURNS (bool): Whether it is connected and no token is dropped."""
        return not self.dropped and self.is_connected

    @property
    def is_planar(self) -> bool:
        """RETURNS (bool): Whether no two links cross."""
        return is_planar((link.left, link.right) for link in self.links)

    def oriented(self, rightward: Sequence[bool] | None = None) -> BilexicalGraph:
        """Give links directions.

        rightward (Optional[Sequence[bool]]): For each link whether its head is on the left. If it is None, all are so:
            what files of links have.
        RETURNS (BilexicalGraph): An arc for each link.
        """
        ways = rightward if rightward is not None else [True] * len(self.links)
        arcs = (
            Arc(link.left, link.right, link.label)
            if way
            else Arc(link.right, link.left, link.label)
            for link, way in zip(self.links, ways, strict=True)
        )
        return BilexicalGraph(self.tokens, tuple(arcs), self.punct, self.id)
