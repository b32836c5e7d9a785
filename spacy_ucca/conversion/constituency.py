"""UCCA graphs to constituency trees, and back.

The way there is that of the notes on a UCCA parsing system (Jiang, 2019), sections 2 and 4, and of Hershcovich,
Abend and Rappoport's draft on semantic constituency parsing, section 3.3. Implicit units and linkage go, and
so do remote edges; the primary edge to a child of theirs is marked `-remote`, for a classifier over pairs of
nodes to restore them. Units become continuous; labels stand on nodes, not on edges to them; unary chains
are folded.

A unit with a gap gets what stands in it. A sibling that is in the gap with all its tokens moves *down* into the
unit; of one that crosses the unit, the parts that are in the gap move *left*, into the unit, which
begins first. (The notes know moves to the right and up as well, and do without them.) This goes from the
root down, so what was moved into a unit may be moved on into a unit within it. Then the label says where
it was, as seen from where it is:

    A-down2    belongs to the node 2 above its parent: down1 is the parent's parent
    A-left1    belongs to the 1st node, the outermost first, that begins after its parent ends

Where a token that hangs on a unit with others is moved, a node `Terminal` around it has the mark.

What is lost: implicit units and all that hangs only on them; linkage; remote edges, if they are not given on
the way back; categories of edges to tokens; the order of several categories; paragraphs and details. A unit with the category U alone is
punctuation. All else comes back as it was: any tree of units, however discontinuous, of one root or several,
with tokens that are attached to nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..errors import Errors, GraphError
from ..graph import Graph, GraphBuilder
from ..graph.algorithms import first_token, reached, without_gaps
from ..graph.categories import (
    FOUNDATIONAL,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
    TERMINAL,
    join_categories,
    split_label,
)
from .graph import Token
from .tree import (
    CHAIN,
    DOWN,
    LEFT,
    ROOT_LABEL,
    TOP,
    ConstituencyTree,
    NodeLabel,
    TreeNode,
    fold,
    parse_chain,
)

NO_UNIT = -2  # a node that does not become a unit

RESERVED = frozenset((ROOT_LABEL, TERMINAL))
# What brackets are read by
_NOT_IN_LABELS = frozenset("() \t\r\n\v\f")


class RemoteEdge(NamedTuple):
    """A remote edge between two nodes of a tree, by their indices in `ConstituencyTree.nodes`.

    parent, child (int): The nodes.
    label (str): The joined categories, such as "S|A".
    """

    parent: int
    child: int
    label: str


def to_constituency(
    graph: Graph, *, mark_remotes: bool = True, tokens: Sequence[Token] | None = None
) -> ConstituencyTree:
    """Convert a UCCA graph to a constituency tree.

    graph (Graph): The graph.
    mark_remotes (bool): Mark children of remote edges.
    tokens (Optional[Sequence[Token]]): The tokens, if they have tags.
    RETURNS (ConstituencyTree): The tree. Its spans are what a span parser learns, `count_labels` gives their
        labels, and `remote_edges` what a classifier of remote edges learns.
    RAISES (GraphError): If a category cannot stand in a label.
    """
    flat = _Continuous(graph)
    shared = {edge.child for edge in flat.remotes} if mark_remotes else set()
    labels = flat.labels(shared)
    return ConstituencyTree(
        tokens=tuple(tokens if tokens is not None else map(Token, graph.words)),
        spans=tuple(fold([(*span, label) for span, label in zip(flat.spans, labels, strict=True)])),
        punct=graph.punct,
        id=str(graph.details.get("id", "")),
    )


def remote_edges(graph: Graph) -> tuple[RemoteEdge, ...]:
    """The remote edges of a UCCA graph, between the nodes of its constituency tree.

    graph (Graph): The graph.
    RETURNS (Tuple[RemoteEdge, ...]): The edges, by child, then parent; without those from or to units that
        have no tokens. Their children are the tree's `remote_children`.
    """
    return _Continuous(graph).remotes


def unit_nodes(graph: Graph) -> dict[int, int]:
    """RETURNS (Dict[int, int]): For each unit of a UCCA graph that has tokens, by its index, its node in the constituency
    tree of the graph."""
    return {item: place for item, place in _Continuous(graph).place.items() if item >= 0}


def count_moves(graph: Graph) -> Counter[str]:
    """RETURNS (Counter[str]): The moves that make the units of a UCCA graph continuous, such as `down1`, whatever the
    categories."""
    flat = _Continuous(graph)
    moves = (flat.move_of(item) for item in flat.items)
    return Counter(f"{move}{steps}" for move, steps in moves if move)


def from_constituency(tree: ConstituencyTree, remotes: Iterable[RemoteEdge] = ()) -> Graph:
    """Convert a constituency tree to a UCCA graph, undoing its moves.

    Any tree is taken, as a parser may give it. A move that leads to nothing is not undone, one that leads
    above the root stops there; a unit left without tokens goes, with its remote edges. Without a root there
    is one nevertheless.

    tree (ConstituencyTree): The tree.
    remotes (Iterable[RemoteEdge]): Remote edges to add. One that is there already, or that would close a
        cycle with the edges before it, is dropped.
    RETURNS (Graph): The graph: `from_constituency(to_constituency(graph), remote_edges(graph))` is
        `graph.without(implicit=True, linkage=True)` again, but for what the module's docstring says is lost.
    RAISES (GraphError): If there is no such node as a remote edge says.
    """
    return _Rebuilder(tree).build(remotes)


def unit_parents(tree: ConstituencyTree) -> tuple[list[int], list[int]]:
    """Where units and tokens hang when moves are undone: what `from_constituency` makes a graph of.

    tree (ConstituencyTree): Any tree.
    RETURNS (Tuple[List[int], List[int]]): For each node, the node of the unit above, TOP if there is none, NO_UNIT if it
        does not become a unit itself; for each token, the node that it hangs on, or TOP. Units that no token is
        under go.
    """
    return _Rebuilder(tree).unit_parents()


def count_labels(trees: Iterable[ConstituencyTree]) -> Counter[str]:
    """RETURNS (Counter[str]): How often each label of a span occurs: the inventory of a span parser."""
    return Counter(span.label for tree in trees for span in tree.spans)


class _Continuous:
    """The primary tree of a graph, its units made continuous.

    Items are units by index, tokens as `~token`, and the top of all, which holds the roots and the tokens
    attached to nothing.

    items (List[int]): What becomes nodes, each before what is under it: units, and tokens that were moved.
    spans (List[Tuple[int, int]]): First token and end of each.
    remotes (Tuple[RemoteEdge, ...]): The remote edges between them.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.top = len(graph.kinds)
        self.masks: dict[int, int] = {~t: 1 << t for t in range(len(graph.words))}
        self.masks[self.top] = (1 << len(graph.words)) - 1
        for unit, mask in enumerate(graph.index.masks):
            if mask and graph.kinds[unit] != LINKAGE:
                self.masks[unit] = mask << graph.index.starts[unit]
        self.home = {item: self._parent(item) for item in self.masks if item != self.top}
        self.under: dict[int, list[int]] = {item: [] for item in self.masks}
        for item, parent in self.home.items():
            self.under[parent].append(item)
        self.parent = dict(self.home)
        self._move()
        self._number()

    def _parent(self, item: int) -> int:
        graph = self.graph
        edge = graph.index.token_edge[~item] if item < 0 else graph.index.parent_edge[item]
        while edge >= 0:
            parent = graph.edge_tuples[edge].parent
            if graph.kinds[parent] != LINKAGE:
                return parent
            edge = graph.index.parent_edge[parent]  # linkage has no place in the tree
        return self.top

    def _move(self) -> None:
        waiting = [self.top]
        while waiting:
            parent = waiting.pop()
            self._close_gaps(parent)
            waiting.extend(item for item in self.under[parent] if item >= 0)

    def _close_gaps(self, parent: int) -> None:
        """Move items that stand in gaps of a unit's children into these children, from the left."""
        items = sorted(self.under[parent], key=lambda item: first_token(self.masks[item]))
        while items:
            first, *items = items
            mask = self.masks[first]
            inside = without_gaps(mask)
            if mask == inside:
                continue
            rest = []
            for item in items:
                if not self.masks[item] & inside:
                    rest.append(item)
                elif not self.masks[item] & ~inside:
                    self._attach(item, first)
                else:
                    self._cut(item, inside, first)
                    rest.append(item)
            self.masks[first] = inside
            items = sorted(rest, key=lambda item: first_token(self.masks[item]))

    def _cut(self, unit: int, inside: int, to: int) -> None:
        """Move the largest parts of a unit that are all inside to another one."""
        waiting = [unit]
        while waiting:
            unit = waiting.pop()
            self.masks[unit] &= ~inside
            for item in list(self.under[unit]):
                if not self.masks[item] & ~inside:
                    self._attach(item, to)
                elif self.masks[item] & inside:
                    waiting.append(item)

    def _attach(self, item: int, parent: int) -> None:
        self.under[self.parent[item]].remove(item)
        self.under[parent].append(item)
        self.parent[item] = parent

    def _number(self) -> None:
        self.items: list[int] = []
        waiting = [self.top]
        while waiting:
            item = waiting.pop()
            if item != self.top and (item >= 0 or self.parent[item] != self.home[item]):
                self.items.append(item)
            below = self.under[item]
            waiting.extend(
                sorted(below, key=lambda item: first_token(self.masks[item]), reverse=True)
            )
        self.place = {item: i for i, item in enumerate(self.items)}
        self.spans = [
            (first_token(mask), mask.bit_length())
            for mask in map(self.masks.__getitem__, self.items)
        ]
        place = self.place
        edges = {
            RemoteEdge(place[parent], place[child], join_categories(categories))
            for parent, child, categories, remote in self.graph.edge_tuples
            if remote and parent in place and child in place
        }
        self.remotes = tuple(sorted(edges, key=lambda edge: (edge.child, edge.parent, edge.label)))

    def labels(self, shared: set[int]) -> list[NodeLabel]:
        """RETURNS (List[NodeLabel]): The label of each node, given the children of remote edges."""
        graph, labels = self.graph, []
        for i, item in enumerate(self.items):
            if item < 0:
                name = TERMINAL
            elif self.home[item] == self.top:
                name = ROOT_LABEL
            else:
                edge = graph.edge_tuples[graph.index.parent_edge[item]]
                name = join_categories(edge.categories)
                if (
                    name in RESERVED
                    or _NOT_IN_LABELS.intersection(name)
                    or set(split_label(name)) != set(edge.categories)
                    or "" in edge.categories
                    or CHAIN in name
                    or parse_chain(name) != (NodeLabel(name),)
                ):
                    raise GraphError(Errors.UC800.format(category=name))
            labels.append(NodeLabel(name, i in shared, *self.move_of(item)))
        return labels

    def move_of(self, item: int) -> tuple[str, int]:
        """RETURNS (Tuple[str, int]): The kind of move, or "", and its steps."""
        home, parent = self.home[item], self.parent[item]
        steps = 0
        above = parent
        while above not in (home, self.top):
            above = self.parent[above]
            steps += 1
        if above == home:
            return (DOWN, steps) if steps else ("", 0)
        return LEFT, self.place[home] - _next(self.spans, self.place[parent]) + 1


def _next(spans: Sequence[TreeNode] | Sequence[tuple[int, int]], node: int) -> int:
    """RETURNS (int): The first node that begins after one ends; the number of nodes, if none does."""
    after = (i for i in range(node, len(spans)) if spans[i][0] >= spans[node][1])
    return next(after, len(spans))


class _Rebuilder:
    """Makes a graph of a tree."""

    def __init__(self, tree: ConstituencyTree) -> None:
        self.tree, self.nodes = tree, tree.nodes
        # Where each node is attached when moves are undone, and whether it becomes a unit
        self.home = [self._home(node) for node in self.nodes]
        self.is_unit = [
            node.label.name not in RESERVED or (node.label.name == ROOT_LABEL and home == TOP)
            for node, home in zip(self.nodes, self.home, strict=True)
        ]

    def build(self, remotes: Iterable[RemoteEdge]) -> Graph:
        tree, nodes = self.tree, self.nodes
        above, places = self.unit_parents()
        builder = self.builder = GraphBuilder(tree.words, punct=tree.punct or None)
        number = {i: -1 for i, parent in enumerate(above) if parent != NO_UNIT}  # units by nodes
        roots = [i for i in number if nodes[i].label.name == ROOT_LABEL]
        default = min(roots, default=TOP)
        if default == TOP:
            number[TOP] = builder.add_unit()
        for i in sorted(number.keys() - {TOP}):
            name = nodes[i].label.name
            number[i] = builder.add_unit(PUNCT if name == PUNCTUATION else FOUNDATIONAL)
        self.parents: dict[int, list[int]] = {unit: [] for unit in number.values()}
        for i in sorted(number.keys() - {TOP, *roots}):
            parent = default if above[i] == TOP else above[i]
            self._add(number[parent], number[i], nodes[i].label.name)
        for token, place in enumerate(places):
            if place != TOP:
                builder.add_terminal(number[place], token)
        self._add_remotes(remotes, number)
        if tree.id:
            builder.details["id"] = tree.id
        return builder.build()

    def _home(self, node: TreeNode) -> int:
        """RETURNS (int): The node that a node belongs to, or TOP."""
        label, parent = node.label, node.parent
        if label.move == DOWN:
            home = parent
            for _ in range(label.steps):
                if home == TOP or (self.nodes[home].parent == TOP and label.name not in RESERVED):
                    break
                home = self.nodes[home].parent
            return home
        if label.move == LEFT and parent != TOP:
            end = _next(self.nodes, parent)
            if label.steps and end + label.steps <= len(self.nodes):
                return end + label.steps - 1
        return parent

    def unit_parents(self) -> tuple[list[int], list[int]]:
        """RETURNS (Tuple[List[int], List[int]]): See `unit_parents`."""
        tokens = [self._unit_above(place) for place in self.tree.token_parents]
        parents = [NO_UNIT] * len(self.nodes)
        for place in tokens:
            while place != TOP and parents[place] == NO_UNIT:
                parents[place] = self._unit_above(self.home[place])
                place = parents[place]
        return parents, tokens

    def _unit_above(self, place: int) -> int:
        """RETURNS (int): The first node that becomes a unit, from one upwards, or TOP."""
        while place != TOP and not self.is_unit[place]:
            place = self.home[place]
        return place

    def _add(self, parent: int, child: int, label: str, remote: bool = False) -> None:
        self.builder.add_edge(parent, child, *split_label(label), remote=remote)
        self.parents[child].append(parent)

    def _add_remotes(self, remotes: Iterable[RemoteEdge], number: dict[int, int]) -> None:
        seen = set()
        for edge in remotes:
            if not (0 <= edge.parent < len(self.nodes) and 0 <= edge.child < len(self.nodes)):
                raise GraphError(
                    Errors.UC804.format(parent=edge.parent, child=edge.child, n=len(self.nodes))
                )
            parent, child = number.get(edge.parent, -1), number.get(edge.child, -1)
            if parent < 0 or child < 0 or edge in seen or self._is_above(child, parent):
                continue
            seen.add(edge)
            self._add(parent, child, edge.label, remote=True)

    def _is_above(self, above: int, unit: int) -> bool:
        """RETURNS (bool): Whether one unit is another, or above it, by remote edges too."""
        return above in reached((unit,), self.parents.__getitem__)
