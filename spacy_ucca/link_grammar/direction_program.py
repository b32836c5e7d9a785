"""The integer program of the draft "Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses" (Hong and
Eisner), appendix A: which directions each label of a link may have, so that parses become reachable DAGs.

The draft's program, for links (i, j) with i < j, where arc = 1 means that i is the parent, is

    minimize    sum over labels, directions: allowed + sum over links: cost(label) * slack
    subject to  1 - arc <= allowed(label, left) + slack        arc <= allowed(label, right) + slack
                depth(i) + M * arc >= depth(j) + 1             depth(j) + M * (1 - arc) >= depth(i) + 1
                depth(wall) <= depth(i)                        at least one arc to each token

with cost(label) = 100 / its number of links, so that a direction that one percent of them deviate from is as good as
allowing both. M is the greatest number of a node, the wall's being 1: if it were 0, a chain over all tokens of the longest
sentence and a link from the wall to its last would be excluded.

`plain_program` is this. `Reduced` is the same over pieces (see `pieces.py`), without depths where links do not cross and
with equal pieces taken together, and has the same minimum.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..conversion.graph import ROOT
from .links import LinkGraph
from .pieces import Parts, Piece
from .solver import Program

__all__ = ["COST", "Allowed", "Consistent", "Reduced", "direction_cost", "plain_program"]

COST = 100.0
TOLERANCE = 1e-6
Terms = list[tuple[int, float]]


class Allowed(NamedTuple):
    """The columns that say whether a label's links may lead to the left, and to the right."""

    left: int
    right: int


def direction_cost(left: int, right: int) -> float:
    """RETURNS (float): What the directions of a label's links cost, if the best are allowed: one and slack, or both."""
    return min(1.0 + COST * min(left, right) / (left + right), 2.0)


def plain_program(graphs: Sequence[LinkGraph]) -> tuple[Program, list[list[int]]]:
    """Make the program as the draft has it.

    graphs (Sequence[LinkGraph]): Connected link graphs.
    RETURNS (Tuple[Program, List[List[int]]]): The program, and for each graph the columns of its links' directions: 1 is to
        the right.
    """
    program = Program()
    counts = Counter(link.label for graph in graphs for link in graph.links)
    allowed = {label: Allowed(program.binary(1.0), program.binary(1.0)) for label in sorted(counts)}
    big = max(link.right + 2 for graph in graphs for link in graph.links)  # ROOT is number 1
    columns = []
    for graph in graphs:
        arcs = [program.binary() for _ in graph.links]
        for link, arc in zip(graph.links, arcs):
            slack = program.column(COST / counts[link.label])
            _directions(program, allowed[link.label], [(arc, 1.0)], 0.0, slack)
        nodes = {node for link in graph.links for node in link[:2]}
        _acyclic(program, [link[:2] for link in graph.links], arcs, ROOT, nodes, big)
        for node in nodes - {ROOT}:
            terms = [(arc, 1.0) for link, arc in zip(graph.links, arcs) if link.right == node]
            others = [(arc, -1.0) for link, arc in zip(graph.links, arcs) if link.left == node]
            program.row(terms + others, 1.0 - len(others))
        columns.append(arcs)
    return program, columns


def _directions(
    program: Program, allowed: Allowed, arc: Terms, constant: float, slack: int
) -> None:
    """Links go in the allowed directions, except for slack."""
    left, right = ((allowed.left, 1.0), (slack, 1.0)), ((allowed.right, 1.0), (slack, 1.0))
    program.row([*left, *arc], 1.0 - constant)
    program.row([*right, *((column, -factor) for column, factor in arc)], constant)


def _acyclic(
    program: Program,
    pairs: Sequence[tuple[int, int]],
    arcs: Sequence[int],
    root: int,
    nodes: "set[int] | range",
    big: int,
) -> None:
    """Parents are less deep than children, and nothing is less deep than the root."""
    depth = {node: program.column() for node in sorted(nodes)}
    for (i, j), arc in zip(pairs, arcs):
        program.row([(depth[i], 1.0), (depth[j], -1.0), (arc, big)], 1.0)
        program.row([(depth[j], 1.0), (depth[i], -1.0), (arc, -big)], 1.0 - big)
    for node in nodes:
        if node != root:
            program.row([(depth[node], 1.0), (depth[root], -1.0)], 0.0)


class Reduced:
    """The program over pieces: equal ones have one set of columns.

    parts (Sequence[Parts]): The sentences, divided.
    labels (Sequence[Sequence[str]]): The labels of their links.
    """

    def __init__(self, parts: Sequence[Parts], labels: Sequence[Sequence[str]]) -> None:
        self.program = Program()
        self.counts = Counter(label for names in labels for label in names)
        self.pieces = Counter(piece for part in parts for piece, _ in part.pieces)
        # Links whose direction is forced, by label and direction.
        self.forced: Counter[tuple[str, bool]] = Counter()
        for part, names in zip(parts, labels, strict=True):
            self.forced.update((names[i], right) for i, right in part.forced.items())
        for piece, n in self.pieces.items():
            for i, link in enumerate(piece.links):
                if (right := piece.forced(i)) is not None:
                    self.forced[link.label, right] += n
        self.allowed = {label: self._label(label) for label in sorted(self.counts)}
        # For each piece the columns of its links that are not forced, by their indices in it.
        self.columns = {piece: self._piece(piece, n) for piece, n in self.pieces.items()}

    def _label(self, label: str) -> Allowed:
        """A label's directions, with the slack of links whose direction is forced: what allowing it saves."""
        program, unit = self.program, COST / self.counts[label]
        slack = [unit * self.forced[label, right] for right in (False, True)]
        program.constant += sum(slack)
        allowed = Allowed(*(program.binary(1.0 - cost) for cost in slack))
        # One is always allowed: slack for all links of a label costs 100, a direction 1.
        program.row([(column, 1.0) for column in allowed], 1.0)
        return allowed

    def _slack(self, label: str, n: int) -> int:
        return self.program.column(n * COST / self.counts[label], upper=1.0)

    def _piece(self, piece: Piece, n: int) -> dict[int, int]:
        program = self.program
        free = {i: program.binary() for i in range(len(piece.links)) if piece.forced(i) is None}
        for i, arc in free.items():
            label = piece.links[i].label
            slack = self._slack(label, n)
            _directions(program, self.allowed[label], [(arc, 1.0)], 0.0, slack)
        for node in piece.nodes:
            if node != piece.entry:
                into = [
                    (i, link.right == node)
                    for i, link in enumerate(piece.links)
                    if node in link[:2]
                ]
                self._at_least_one(piece, free, into)
        if piece.planar:
            for top, chain in piece.faces:
                self._at_least_one(piece, free, [(top, True), *((i, False) for i in chain)])
                self._at_least_one(piece, free, [(top, False), *((i, True) for i in chain)])
        else:
            self._deep(piece, free)
        return free

    def _at_least_one(
        self, piece: Piece, free: dict[int, int], wanted: Sequence[tuple[int, bool]]
    ) -> None:
        """Of several links, one at least has the direction that stands beside it."""
        terms: Terms = []
        least = 1.0
        for i, right in wanted:
            forced = piece.forced(i)
            if forced is not None:
                least -= forced == right
            elif right:
                terms.append((free[i], 1.0))
            else:
                terms.append((free[i], -1.0))
                least -= 1.0
        if least > -sum(value < 0 for _, value in terms):
            self.program.row(terms, least)

    def _deep(self, piece: Piece, free: dict[int, int]) -> None:
        """Depths, as in the plain program, for links that cross. Columns of forced links are constant."""
        program = self.program
        pairs = [link[:2] for link in piece.links]
        arcs = []
        for i in range(len(pairs)):
            arc = free.get(i)
            if arc is None:
                arc = program.binary()
                program.fix(arc, float(bool(piece.forced(i))))
            arcs.append(arc)
        _acyclic(program, pairs, arcs, piece.entry, piece.nodes, len(piece.nodes))

    def read(self, parts: Sequence[Parts], values: Sequence[float]) -> Iterator[list[bool]]:
        """YIELDS (List[bool]): For the links of each sentence, whether they lead to the right."""
        for part in parts:
            found = dict(part.forced)
            for piece, indices in part.pieces:
                columns = self.columns[piece]
                for i, index in enumerate(indices):
                    forced = piece.forced(i)
                    found[index] = values[columns[i]] > 0.5 if forced is None else forced
            yield [found[i] for i in range(len(found))]


class Consistent(Reduced):
    """Of directions with the cost that was found, those with the fewest links against the commoner direction of their
    label: once a label may have both, the draft's program does not mind which its links take.

    parts, labels: As for `Reduced`.
    both (Set[str]): The labels that may have both directions.
    single (Dict[str, bool]): The other labels, and whether theirs is to the right.
    slack (float): The cost of slack that was found, which is not exceeded.
    """

    def __init__(
        self,
        parts: Sequence[Parts],
        labels: Sequence[Sequence[str]],
        both: set[str],
        single: dict[str, bool],
        slack: float,
    ) -> None:
        self.both, self.single = both, single
        self.budget: Terms = []
        self.spent = 0.0
        super().__init__(parts, labels)
        row = ((column, -cost) for column, cost in self.budget)
        self.program.row(row, self.spent - slack - TOLERANCE)

    def _label(self, label: str) -> Allowed:
        program = self.program
        forced = [self.forced[label, right] for right in (False, True)]
        if label in self.both:
            allowed = Allowed(*(program.binary(-float(n)) for n in forced))
            program.constant += sum(forced)
            program.row([(column, -1.0) for column in allowed], -1.0)
        else:
            allowed = Allowed(program.binary(), program.binary())
            program.fix(allowed[self.single[label]], 1.0)
            program.fix(allowed[not self.single[label]], 0.0)
            self.spent += forced[not self.single[label]] * COST / self.counts[label]
        return allowed

    def _slack(self, label: str, n: int) -> int:
        if label in self.both:
            return self.program.column(float(n), upper=1.0)
        column = self.program.column(upper=1.0)
        self.budget.append((column, n * COST / self.counts[label]))
        return column
