"""What one graph says in a vote: its units by their words, and what hangs on these without words of its own.

Units of different graphs are the same if they have the same words, as in the official metric: punctuation does
not count. What comes of several ballots is `count.py`'s.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from ..bit_sets import first_token
from ..graph import Graph
from ..units import LINKAGE

# What has no words, as far as votes tell it apart: its label and all that is under it. A token is
# ("", token, categories).
Shape = tuple
# A unit as far as votes tell it apart: its kind and its sorted categories. Units with the same words, from the top down
Label = tuple[str, tuple[str, ...]]
Chain = tuple[Label, ...]
LEAST = 0.01  # what a vote counts at least


class Loose(NamedTuple):
    """Something without words that hangs on a unit: punctuation, or an implicit unit.

    anchor (int): The unit it hangs on.
    shape (Shape): What it is.
    units (Tuple[int, ...]): Its units, from the top down.
    edge (int): The edge to it.
    """

    anchor: int
    shape: Shape
    units: tuple[int, ...]
    edge: int


class Ballot:
    """A graph as a vote.

    graph (Graph): The graph.
    weight (float): What its vote weighs.
    scores (Mapping[int, float]): How sure its parser was of its edges.
    usual (float): What edges without a score count.
    """

    def __init__(
        self, graph: Graph, weight: float, scores: Mapping[int, float], usual: float
    ) -> None:
        self.graph = graph
        self.weight = weight
        self.scores = scores
        self.usual = usual
        self.masks: list[int] = []
        self.chains: dict[int, list[int]] = {}

    def strength(self, edge: int) -> float:
        """RETURNS (float): What the vote for an edge weighs."""
        return self.weight * max(self.scores.get(edge, self.usual), LEAST)

    def covert(self, edge: int) -> float:
        """RETURNS (float): What the vote for an implicit unit weighs: the less, the likelier its parser holds a remote edge
        of these categories from the same unit. What is left out is either shared or implicit."""
        parent, _, categories, _ = self.graph.edge_tuples[edge]
        edges = ((i, self.graph.edge_tuples[i]) for i in self.graph.index.out[parent])
        shared = [
            self.scores.get(i, 0.0)
            for i, e in edges
            if e.remote and sorted(e.categories) == sorted(categories)
        ]
        return self.strength(edge) * prod(1.0 - score for score in shared)

    def edge_to(self, unit: int) -> int:
        """RETURNS (int): The primary edge to a unit; negative for roots."""
        return self.graph.index.parent_edge[unit]

    def categories(self, unit: int) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The categories of a unit, in their order."""
        return self.graph.edge_tuples[self.edge_to(unit)].categories

    def label(self, unit: int) -> Label:
        """RETURNS (Label): The kind and the sorted categories of a unit."""
        return self.graph.kinds[unit], tuple(sorted(self.categories(unit)))

    def find_chains(self, words: int, sentences: Sequence[int], owner: Sequence[int]) -> None:
        """Find the units that have words, by these.

        words (int): The words, as a bit set.
        sentences (Sequence[int]): The words of each sentence of the result.
        owner (Sequence[int]): The sentence of each token.
        """
        graph = self.graph
        self.masks = [
            (m << s) & words for m, s in zip(graph.index.masks, graph.index.starts, strict=True)
        ]
        for unit in reversed(graph.bottom_up()):  # from the top down
            mask = self.masks[unit]
            if not mask or self.edge_to(unit) < 0:
                continue
            if not mask & ~sentences[owner[first_token(mask)]]:
                self.chains.setdefault(mask, []).append(unit)

    def labels(self, mask: int) -> Chain:
        """RETURNS (Tuple[Label, ...]): The labels of the units with these words, from the top down."""
        return tuple(self.label(unit) for unit in self.chains[mask])

    def vote_for(self, mask: int, label: Label, copy: int = 0) -> float:
        """RETURNS (float): What the vote for a unit of these words and this label weighs, given how many there are
        already; 0 if there is none."""
        units = (u for u in self.chains.get(mask, ()) if self.label(u) == label)
        found = sorted((self.strength(self.edge_to(unit)) for unit in units), reverse=True)
        return found[copy] if copy < len(found) else 0.0

    def find_loose(self, attached: Sequence[bool]) -> list[Loose]:
        """Find what hangs on units and has no words.

        attached (Sequence[bool]): Whether each token hangs on something in the result.
        RETURNS (List[Loose]): What was found; the same things in the same order, if they hang on one unit.
        """
        graph, found = self.graph, []
        shapes: dict[int, tuple[Shape, tuple[int, ...]] | None] = {}
        for unit in graph.bottom_up():
            if graph.kinds[unit] == LINKAGE:
                continue
            wordless = not self.masks[unit] and self.edge_to(unit) >= 0
            parts: list[tuple[Shape, tuple, tuple[int, ...], int]] = []
            n_tokens = 0
            for i in graph.index.out[unit]:
                _, child, categories, remote = graph.edge_tuples[i]
                if remote:
                    continue
                if child < 0:
                    n_tokens += 1
                    if attached[~child] and (wordless or not self.is_word(~child)):
                        parts.append((("", ~child, categories), (), (), i))
                elif (below := shapes.get(child)) is not None:
                    parts.append((below[0], self._remotes_of(child), below[1], i))
            parts.sort(key=lambda part: part[:2])
            if not wordless:
                found += [Loose(unit, shape, units, i) for shape, _, units, i in parts]
            elif parts or not n_tokens:  # else its tokens are attached to nothing in the result
                shape = (*self.label(unit), tuple(part[0] for part in parts))
                shapes[unit] = shape, (unit, *(u for part in parts for u in part[2]))
        return found

    def is_word(self, token: int) -> bool:
        """RETURNS (bool): Whether a token is among the words of its unit."""
        edge = self.graph.index.token_edge[token]
        return bool(self.masks[self.graph.edge_tuples[edge].parent] >> token & 1)

    def _remotes_of(self, unit: int) -> tuple:
        """What tells units apart that are alike otherwise: the remote edges to and from them."""
        graph = self.graph
        edges = [graph.edge_tuples[i] for i in (*graph.index.into[unit], *graph.index.out[unit])]
        return tuple(
            sorted(
                (e.parent == unit, e.categories, self.masks[e.parent], self.masks[e.child])
                for e in edges
                if e.child >= 0 and (e.remote or graph.kinds[e.parent] == LINKAGE)
            )
        )


def align(ours: Sequence[Label], theirs: Sequence[Label]) -> list[int]:
    """Align two sequences by what they have in common (a longest common subsequence).

    ours, theirs (Sequence[Label]): The sequences.
    RETURNS (List[int]): For each of ours its place in theirs; -1 for what is not there.
    """
    n, m = len(ours), len(theirs)
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            if ours[i] == theirs[j]:
                length[i][j] = 1 + length[i + 1][j + 1]
            else:
                length[i][j] = max(length[i + 1][j], length[i][j + 1])
    found, i, j = [-1] * n, 0, 0
    while i < n and j < m:
        if ours[i] == theirs[j]:
            found[i] = j
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
