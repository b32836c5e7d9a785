"""The best tree that can be put together of pieces of several trees.

A piece is a unit with its children: their words and categories. Pieces of different trees fit together where both
have the same unit, so that trees share most of them (a packed forest, as parsers keep ambiguity in), and what goes
together under one unit has always been put together by somebody. Which pieces there are and what they are worth is
`count.py`'s.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

# A unit as far as votes tell it apart: its kind and its sorted categories.
Label = tuple[str, tuple[str, ...]]


class Node(NamedTuple):
    """Units with the same words, by the uppermost.

    words (int): The words, as a bit set.
    label (Label): The label of the uppermost one.
    """

    words: int
    label: Label


class Piece(NamedTuple):
    """What is under a node.

    chain (Tuple[Label, ...]): The further units with the same words, from the top down.
    children (Tuple[Node, ...]): The units with less words, in order.
    """

    chain: tuple[Label, ...]
    children: tuple[Node, ...]


def best_trees(
    roots: Iterable[Iterable[tuple[Node, ...]]],
    pieces: Mapping[Node, Iterable[Piece]],
    gain: Callable[[int, Label], float],
) -> dict[int, tuple[Label, ...]]:
    """Choose pieces that make trees, so that the sum over their units is greatest. It is exact, by dynamic programming
    from the smallest units up; of several best trees, the same one is found in whatever order pieces come.

    roots (Iterable[Iterable[Tuple[Node, ...]]]): For each sentence, what can be under its root: one of these.
    pieces (Mapping[Node, Iterable[Piece]]): What can be under each node.
    gain (Callable[[int, Label], float]): What a unit is worth, given its words and label.
    RETURNS (Dict[int, Tuple[Label, ...]]): The units of the trees: by their words, from the top down.
    """
    best: dict[Node, tuple[float, Piece]] = {}

    def worth(children: Iterable[Node]) -> float:
        return round(sum(best[child][0] for child in children), 9)

    for node in sorted(pieces, key=lambda node: node.words.bit_count()):
        top = gain(*node)
        best[node] = max(
            (top + sum(gain(node.words, label) for label in chain) + worth(children), piece)
            for piece in pieces[node]
            for chain, children in [piece]
        )
    found: dict[int, tuple[Label, ...]] = {}
    stack = [
        node
        for tops in roots
        for node in max(tops, key=lambda children: (worth(children), children), default=())
    ]
    while stack:
        node = stack.pop()
        _, piece = best[node]
        found[node.words] = (node.label, *piece.chain)
        stack += piece.children
    return found
