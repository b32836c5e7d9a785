"""The constituency tree: labeled spans over tokens, nested, as span parsers and bracket files have it.

A plain value, without what converts it or reads it from a file.

A span holds one label for all nodes over the same tokens: a unary chain is folded, "H+A-remote". A label
of one node is a name, what marks it as also being the child of remote edges, and how it was moved:

    A-remote-down2
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from ..errors import Errors, GraphError
from .graph import Token

TOP = -1  # the parent of nodes and tokens that are in no other span
ROOT_LABEL = "ROOT"
DOWN, LEFT = "down", "left"
CHAIN = "+"
REMOTE_MARK = "-remote"
_NODE = re.compile(
    rf"(?P<name>.+?)(?P<remote>{REMOTE_MARK})?(?:-(?P<move>{DOWN}|{LEFT})(?P<steps>[0-9]{{0,9}}))?$"
)


class NodeLabel(NamedTuple):
    """The label of one node.

    name (str): The joined categories of the edge to the unit, such as "S|A"; "ROOT" for a root, "Terminal"
        for what stands around a token that was moved.
    remote (bool): Whether the unit is the child of remote edges, too.
    move (str): "" if it is where it belongs, else the direction it was moved in, "down" or "left".
    steps (int): How far it was moved.
    """

    name: str
    remote: bool = False
    move: str = ""
    steps: int = 0

    def __str__(self) -> str:
        move = f"-{self.move}{self.steps}" if self.move else ""
        return f"{self.name}{REMOTE_MARK if self.remote else ''}{move}"


class LabeledSpan(NamedTuple):
    """Tokens from `start` up to `end`, and the label of the nodes that have just these, from the top."""

    start: int
    end: int
    label: str


class TreeNode(NamedTuple):
    """One node of a tree: one link of a chain.

    start, end (int): Its tokens.
    label (NodeLabel): Its label.
    parent (int): The index of the node above it in `ConstituencyTree.nodes`, or TOP.
    """

    start: int
    end: int
    label: NodeLabel
    parent: int


@dataclass(frozen=True)
class ConstituencyTree:
    """Nested labeled spans over the tokens of a sentence.

    tokens (Tuple[Token, ...]): The tokens in text order.
    spans (Tuple[LabeledSpan, ...]): The spans, in any order; they are kept sorted, outer ones first. A
        token needs none of its own.
    punct (Tuple[bool, ...]): Whether each token is punctuation; empty if that is not known.
    id (str): The id of the sentence, or "".
    RAISES (GraphError): If a span has no tokens or no label, or two have the same tokens or cross.
    """

    tokens: tuple[Token, ...]
    spans: tuple[LabeledSpan, ...] = ()
    punct: tuple[bool, ...] = ()
    id: str = ""

    def __post_init__(self) -> None:
        n = len(self.tokens)
        if self.punct and len(self.punct) != n:
            raise GraphError(Errors.UC012.format(n=len(self.punct), what="punct flags", words=n))
        spans = sorted((LabeledSpan(*s) for s in self.spans), key=lambda s: (s.start, -s.end))
        object.__setattr__(self, "spans", tuple(spans))
        open_spans: list[LabeledSpan] = []
        for span in spans:
            start, end, label = span
            if not (0 <= start < end <= n and label):
                raise GraphError(Errors.UC801.format(start=start, end=end, label=label, n=n))
            while open_spans and open_spans[-1].end <= start:
                open_spans.pop()
            around = open_spans[-1] if open_spans else LabeledSpan(0, n + 1, "")
            if around[:2] == (start, end) or around.end < end:
                raise GraphError(Errors.UC802.format(span=tuple(span), other=tuple(around)))
            open_spans.append(span)

    @property
    def words(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The words."""
        return tuple(token.form for token in self.tokens)

    @cached_property
    def nodes(self) -> tuple[TreeNode, ...]:
        """RETURNS (Tuple[TreeNode, ...]): All nodes, chains unfolded: each before what is under it, in text
        order. Edges between nodes name them by their places here."""
        nodes: list[TreeNode] = []
        above: list[int] = []  # the nodes around the next one
        for start, end, label in self.spans:
            while above and nodes[above[-1]].end <= start:
                above.pop()
            for part in parse_chain(label):
                nodes.append(TreeNode(start, end, part, above[-1] if above else TOP))
                above.append(len(nodes) - 1)
        return tuple(nodes)

    @cached_property
    def token_parents(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): For each token, the lowest node that has it, or TOP."""
        parents = [TOP] * len(self.tokens)
        for i, node in enumerate(self.nodes):  # inner ones come later
            parents[node.start : node.end] = [i] * (node.end - node.start)
        return tuple(parents)

    @property
    def remote_children(self) -> tuple[int, ...]:
        """RETURNS (Tuple[int, ...]): The nodes marked as children of remote edges."""
        return tuple(i for i, node in enumerate(self.nodes) if node.label.remote)


def format_chain(labels: Iterable[NodeLabel]) -> str:
    """RETURNS (str): The labels of nodes over the same tokens as the one of their span."""
    return CHAIN.join(map(str, labels))


@lru_cache(maxsize=4096)
def parse_chain(label: str) -> tuple[NodeLabel, ...]:
    """The labels of the nodes of a span; the inverse of `format_chain`.

    label (str): Any text: what is not of the form NAME[-remote][-down1] is all name.
    RETURNS (Tuple[NodeLabel, ...]): The labels, from the top. One at least.
    """
    return tuple(_parse(part) for part in label.split(CHAIN) if part) or (NodeLabel(label),)


def _parse(text: str) -> NodeLabel:
    match = _NODE.fullmatch(text)
    if match is None:
        return NodeLabel(text)
    move = match["move"] or ""
    steps = int(match["steps"] or 1) if move else 0
    return NodeLabel(match["name"], bool(match["remote"]), move, steps)


def fold(nodes: Sequence[tuple[int, int, NodeLabel]]) -> list[LabeledSpan]:
    """Fold unary chains.

    nodes (Sequence[Tuple[int, int, NodeLabel]]): Start, end and label of nodes, each before what is under it.
    RETURNS (List[LabeledSpan]): One span for all that have the same tokens.
    """
    chains: dict[tuple[int, int], list[NodeLabel]] = {}
    for start, end, label in nodes:
        chains.setdefault((start, end), []).append(label)
    return [LabeledSpan(*span, format_chain(labels)) for span, labels in chains.items()]


def first_steps(tree: ConstituencyTree) -> ConstituencyTree:
    """Let all moves be of one step: the few labels that the notes of Jiang (2019), section 3, train with.

    tree (ConstituencyTree): The tree.
    RETURNS (ConstituencyTree): The same with other labels.
    """

    def one_step(label: str) -> str:
        return format_chain(part._replace(steps=min(part.steps, 1)) for part in parse_chain(label))

    return replace(tree, spans=tuple(s._replace(label=one_step(s.label)) for s in tree.spans))
