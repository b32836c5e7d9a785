"""Blocks of link graphs, whose directions can be found independently of each other.

The program for directions asks that the directed graph of each sentence is acyclic, and that each token has a
parent, so that all are reached from the wall. For links that do not cross, this comes to less than it seems:

- A link that nothing else joins the two sides of (a bridge) leads away from the wall.
- The others form blocks (2-connected components). All paths from the wall into a block go through one node of it, its
  entry. So a block is a small sentence of its own with the entry as its wall, and links at the entry lead away from it.
- A block is drawn over its nodes in order without crossings, so each of its cycles is an outer rim with only
  links across inside. A link across a directed cycle closes a shorter one; so there is a directed cycle only if there is
  one around a face, a region without links inside.
- Blocks with the same links and entry, whatever the words, can be given the same directions at no loss.

None of this changes which directions are possible, nor what the best cost is.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..conversion.graph import ROOT
from ..errors import Errors, GraphError
from ..graph.algorithms import UnionFind
from .links import Link, LinkGraph

Face = tuple[int, tuple[int, ...]]  # the link above, and the links below it from left to right


class Block(NamedTuple):
    """A 2-connected component of a link graph: links whose directions depend on each other.

    entry (int): The node through which paths from the wall enter the block.
    links (Tuple[Link, ...]): The links, over nodes that are numbered from 0 in text order.
    planar (bool): Whether links do not cross, so that faces are enough to find cycles.
    """

    entry: int
    links: tuple[Link, ...]
    planar: bool = True

    @property
    def faces(self) -> list[Face]:
        """RETURNS (List[Face]): The faces, see `find_faces`."""
        return find_faces(self.links)

    @property
    def nodes(self) -> range:
        """RETURNS (range): The nodes."""
        return range(1 + max(link.right for link in self.links))

    def forced(self, i: int) -> bool | None:
        """RETURNS (Optional[bool]): Whether a link leads to the right, if it is at the entry."""
        link = self.links[i]
        return True if link.left == self.entry else False if link.right == self.entry else None


class Division(NamedTuple):
    """A link graph in bridges and blocks.

    forced (Dict[int, bool]): For the indices of bridges, whether they lead to the right.
    blocks (List[Tuple[Block, Tuple[int, ...]]]): The blocks, each with the indices of its links in the graph.
    """

    forced: dict[int, bool]
    blocks: list[tuple[Block, tuple[int, ...]]]


def divide(graph: LinkGraph) -> Division:
    """Divide a link graph into bridges and blocks. If links cross, all of them count as one block.

    graph (LinkGraph): A connected link graph; dropped tokens do no harm.
    RETURNS (Division): The bridges and blocks.
    RAISES (GraphError): If it is not connected.
    """
    if not graph.is_connected:
        raise GraphError(Errors.UC905.format(id=graph.id, text=" ".join(graph.words)[:60]))
    links = graph.links
    if not graph.is_planar:
        return Division({}, [_block(links, range(len(links)), ROOT, planar=False)])
    groups = UnionFind(len(links))
    for top, chain in find_faces(links):
        for link in chain:
            groups.join(top, link)
    distance = _distances(links)
    division = Division({}, [])
    for members in groups.sets():
        if len(members) == 1:
            left, right, _ = links[members[0]]
            division.forced[members[0]] = distance[left] < distance[right]
        else:
            nodes = {node for i in members for node in links[i][:2]}
            division.blocks.append(_block(links, members, min(nodes, key=distance.__getitem__)))
    return division


def find_faces(links: Sequence[Link]) -> list[Face]:
    """Find the regions that links which do not cross enclose.

    links (Sequence[Link]): The links, drawn above their nodes. There may be several between two nodes.
    RETURNS (List[Tuple[int, Tuple[int, ...]]]): For each region the index of the link above it, and those of the links
        below it, from left to right. A link above a gap encloses none.
    """
    rights: dict[int, list[int]] = {}  # links by their left node, the longest first
    for i in sorted(range(len(links)), key=lambda i: (-links[i].right, i)):
        rights.setdefault(links[i].left, []).append(i)
    faces = []
    for siblings in rights.values():
        for top, below in pairwise(siblings):
            chain = [below]
            while (node := links[chain[-1]].right) < links[top].right and node in rights:
                chain.append(rights[node][0])
            if node == links[top].right:
                faces.append((top, tuple(chain)))
    return faces


def _block(
    links: Sequence[Link], members: Sequence[int], entry: int, *, planar: bool = True
) -> tuple[Block, tuple[int, ...]]:
    nodes = sorted({node for i in members for node in links[i][:2]})
    number = {node: i for i, node in enumerate(nodes)}
    # In this order, blocks are the same whatever that of the links was.
    order = sorted(members, key=lambda i: (links[i], i))
    named = (Link(number[links[i].left], number[links[i].right], links[i].label) for i in order)
    return Block(number[entry], tuple(named), planar), tuple(order)


def _distances(links: Sequence[Link]) -> dict[int, int]:
    """RETURNS (Dict[int, int]): The number of links between each node and the wall."""
    beside: dict[int, list[int]] = {}
    for link in links:
        beside.setdefault(link.left, []).append(link.right)
        beside.setdefault(link.right, []).append(link.left)
    distance, todo = {ROOT: 0}, [ROOT]
    for node in todo:
        for other in beside[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                todo.append(other)
    return distance
