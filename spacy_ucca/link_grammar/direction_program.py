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

`plain_program` is this program. `Reduced` is the same over blocks, without depths where links do not cross and with one set
of variables for equal blocks, and has the same minimum.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..conversion.graph import ROOT
from .blocks import Block, Division
from .links import Link, LinkGraph
from .solver import new_program

COST = 100.0
TOLERANCE = 1e-6
Arc = Any  # a binary variable (highspy.highs_var) that is 1 if the link leads to the right; or a bool, if that is forced


class Allowed(NamedTuple):
    """Whether a label's links may lead to the left, and to the right: binary variables, or numbers if that is known."""

    left: Any
    right: Any


def direction_cost(left: int, right: int) -> float:
    """RETURNS (float): The cost of a label by the numbers of its links in each direction: of one direction and slack, or of
    both directions, whichever is less.
    """
    return min(1.0 + COST * min(left, right) / (left + right), 2.0)


def is_right(arc: Arc, values: Sequence[float]) -> bool:
    """RETURNS (bool): Whether a link leads to the right in a solution, whose variables have these values."""
    return arc if isinstance(arc, bool) else values[arc.index] > 0.5


def plain_program(graphs: Sequence[LinkGraph]) -> tuple[Any, list[list[Arc]]]:
    """Make the program as in the draft.

    graphs (Sequence[LinkGraph]): Connected link graphs.
    RETURNS (Tuple[highspy.Highs, List[List[highs_var]]]): The program, and the arcs of each graph's links.
    """
    program = new_program()
    counts = Counter(link.label for graph in graphs for link in graph.links)
    allowed = {
        label: Allowed(program.addBinary(obj=1.0), program.addBinary(obj=1.0))
        for label in sorted(counts)
    }
    big = max(link.right + 2 for graph in graphs for link in graph.links)  # ROOT is number 1
    columns = []
    for graph in graphs:
        arcs = [program.addBinary() for _ in graph.links]
        for link, arc in zip(graph.links, arcs):
            slack = program.addVariable(obj=COST / counts[link.label])
            _directions(program, allowed[link.label], arc, slack)
        nodes = {node for link in graph.links for node in link[:2]}
        _acyclic(program, [link[:2] for link in graph.links], arcs, ROOT, nodes, big)
        for node in nodes - {ROOT}:
            _has_parent(program, graph.links, arcs, node)
        columns.append(arcs)
    return program, columns


def _directions(program: Any, allowed: Allowed, arc: Arc, slack: Any) -> None:
    """A link goes in an allowed direction, except for slack."""
    program.addConstr(1 - arc <= allowed.left + slack)
    program.addConstr(arc <= allowed.right + slack)


def _acyclic(
    program: Any,
    pairs: Sequence[tuple[int, int]],
    arcs: Sequence[Arc],
    root: int,
    nodes: "set[int] | range",
    big: int,
) -> None:
    """Parents are less deep than children, and no node is less deep than the root."""
    depth = {node: program.addVariable() for node in sorted(nodes)}
    for (i, j), arc in zip(pairs, arcs):
        program.addConstr(depth[i] + big * arc >= depth[j] + 1)
        program.addConstr(depth[j] + big * (1 - arc) >= depth[i] + 1)
    for node in nodes:
        if node != root:
            program.addConstr(depth[root] <= depth[node])


def _has_parent(program: Any, links: Sequence[Link], arcs: Sequence[Arc], node: int) -> None:
    into = [(arc, link.right == node) for link, arc in zip(links, arcs) if node in link[:2]]
    _at_least_one(program, into)


def _at_least_one(program: Any, wanted: Sequence[tuple[Arc, bool]]) -> None:
    """At least one of several arcs has the direction that stands beside it (True: to the right)."""
    if not any(arc is right for arc, right in wanted):
        terms = (arc if right else 1 - arc for arc, right in wanted if not isinstance(arc, bool))
        program.addConstr(sum(terms) >= 1)


class Reduced:
    """The program over blocks: equal ones have one set of variables.

    divisions (Sequence[Division]): The sentences, divided.
    labels (Sequence[Sequence[str]]): The labels of their links.
    """

    def __init__(self, divisions: Sequence[Division], labels: Sequence[Sequence[str]]) -> None:
        self.program = new_program()
        self.constant = 0.0  # of the cost
        self.counts = Counter(label for names in labels for label in names)
        self.blocks = Counter(block for division in divisions for block, _ in division.blocks)
        # Links whose direction is forced, by label and direction.
        self.forced: Counter[tuple[str, bool]] = Counter()
        for division, names in zip(divisions, labels, strict=True):
            self.forced.update((names[i], right) for i, right in division.forced.items())
        for block, n in self.blocks.items():
            for i, link in enumerate(block.links):
                if (right := block.forced(i)) is not None:
                    self.forced[link.label, right] += n
        self.allowed = {label: self._label(label) for label in sorted(self.counts)}
        self.arcs = {block: self._block(block, n) for block, n in self.blocks.items()}
        self.program.changeObjectiveOffset(self.constant)

    def _label(self, label: str) -> Allowed:
        """A label's directions, with the slack of links whose direction is forced: what allowing it saves."""
        unit = COST / self.counts[label]
        slack = [unit * self.forced[label, right] for right in (False, True)]
        self.constant += sum(slack)
        allowed = Allowed(*(self.program.addBinary(obj=1.0 - cost) for cost in slack))
        # One is always allowed: slack for all links of a label costs 100, a direction 1.
        self.program.addConstr(allowed.left + allowed.right >= 1)
        return allowed

    def _slack(self, label: str, n: int) -> Any:
        return self.program.addVariable(obj=n * COST / self.counts[label], ub=1.0)

    def _block(self, block: Block, n: int) -> list[Arc]:
        program, links = self.program, block.links
        forced = [block.forced(i) for i in range(len(links))]
        arcs = [program.addBinary() if right is None else right for right in forced]
        for link, arc in zip(links, arcs):
            if not isinstance(arc, bool):
                _directions(program, self.allowed[link.label], arc, self._slack(link.label, n))
        for node in block.nodes:
            if node != block.entry:
                _has_parent(program, links, arcs, node)
        if block.planar:
            for top, chain in block.faces:
                for right in (True, False):  # no face is a directed cycle
                    others = ((arcs[i], not right) for i in chain)
                    _at_least_one(program, [(arcs[top], right), *others])
        else:
            pairs = [link[:2] for link in links]
            _acyclic(program, pairs, arcs, block.entry, block.nodes, len(block.nodes))
        return arcs

    def read(self, divisions: Sequence[Division], values: Sequence[float]) -> Iterator[list[bool]]:
        """YIELDS (List[bool]): For the links of each sentence, whether they lead to the right."""
        for division in divisions:
            ways = dict(division.forced)
            for block, indices in division.blocks:
                ways.update(zip(indices, (is_right(arc, values) for arc in self.arcs[block])))
            yield [ways[i] for i in range(len(ways))]


class Consistent(Reduced):
    """Of directions with the least cost, those with the fewest links against the commoner direction of their label: once a
    label may have both, the draft's program does not say which its links take.

    divisions, labels: As for `Reduced`.
    both (Set[str]): The labels that may have both directions.
    single (Dict[str, bool]): The other labels, and whether theirs is to the right.
    slack (float): The cost of slack in the solution of `Reduced`, which is not exceeded.
    """

    def __init__(
        self,
        divisions: Sequence[Division],
        labels: Sequence[Sequence[str]],
        both: set[str],
        single: dict[str, bool],
        slack: float,
    ) -> None:
        self.both, self.single = both, single
        self.budget: list[Any] = []  # the cost of slack, as terms
        self.spent = 0.0  # on links whose direction is forced
        super().__init__(divisions, labels)
        if self.budget:
            self.program.addConstr(self.program.qsum(self.budget) <= slack + TOLERANCE - self.spent)

    def _label(self, label: str) -> Allowed:
        forced = [self.forced[label, right] for right in (False, True)]
        if label not in self.both:
            right = self.single[label]
            self.spent += forced[not right] * COST / self.counts[label]
            return Allowed(float(not right), float(right))
        allowed = Allowed(*(self.program.addBinary(obj=-float(n)) for n in forced))
        self.constant += sum(forced)
        self.program.addConstr(allowed.left + allowed.right <= 1)
        return allowed

    def _slack(self, label: str, n: int) -> Any:
        if label in self.both:
            return self.program.addVariable(obj=float(n), ub=1.0)
        slack = self.program.addVariable(ub=1.0)
        self.budget.append(n * COST / self.counts[label] * slack)
        return slack
