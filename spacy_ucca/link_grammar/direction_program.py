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

`DirectionProgram` is this program over blocks, with one set of variables for equal ones, and without depths where links do not
cross. It has the same minimum.

`divide` finds blocks of link graphs, whose directions can be found independently of each other. The program asks that the
directed graph of each sentence is acyclic, and that each token has a parent, so that all are reached from the wall. For
links that do not cross, this comes to less than it seems:

- A link that nothing else joins the two sides of (a bridge) leads away from the wall.
- The others form blocks (2-connected components). All paths from the wall into a block go through one node of it, its
  entry. So a block is a small sentence of its own with the entry as its wall, and links at the entry lead away from it.
- A block is drawn over its nodes in order without crossings, so each of its cycles is an outer rim with only
  links across inside. A link across a directed cycle closes a shorter one; so there is a directed cycle only if there is
  one around a face, a region without links inside.
- Blocks with the same links and entry, whatever the words, can be given the same directions at no loss.

None of this changes which directions are possible, nor what the best cost is. Programs are solved with HiGHS (the package
`highspy`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from ..conversion.graph import ROOT
from ..errors import Errors, GraphError, UccaError
from ..graph.algorithms import UnionFind
from .links import Link, LinkGraph

INFINITY = float("inf")
INSTALL = "pip install 'spacy-ucca[links]'"


class Solution(NamedTuple):
    """The result of solving a program.

    values (Optional[List[float]]): The value of each variable by its index, or None if no solution was found in time.
    bound (float): A lower bound of the cost of every solution.
    seconds (float): The time that solving took.
    """

    values: list[float] | None
    bound: float
    seconds: float


def new_program() -> Any:
    """RETURNS (highspy.Highs): An empty program.
    RAISES (UccaError): If HiGHS is not installed."""
    try:
        import highspy
    except ImportError:
        raise UccaError(Errors.UC906.format(install=INSTALL)) from None
    program = highspy.Highs()
    program.setOptionValue("output_flag", False)
    program.setOptionValue("threads", 1)
    return program


def solve(
    program: Any, *, time_limit: float = INFINITY, gap: float = 0.0, show: bool | None = False
) -> Solution:
    """Minimize the cost of a program.

    program (highspy.Highs): The program.
    time_limit (float): Seconds after which the best solution so far is given.
    gap (float): How far the solution may be from the bound, as a share of the bound.
    show (Optional[bool]): Whether to show progress; only on a terminal if it is None.
    RETURNS (Solution): The solution.
    RAISES (UccaError): If the program has no solution at all.
    """
    import highspy

    program.setOptionValue("mip_rel_gap", gap)
    program.setOptionValue("time_limit", time_limit)
    with _progress(program, time_limit, show):
        program.run()
    info = program.getInfo()
    if program.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        raise UccaError(Errors.UC907)
    found = info.primal_solution_status == 2
    values = list(program.getSolution().col_value) if found else None
    return Solution(values, info.mip_dual_bound, program.getRunTime())


@contextmanager
def _progress(solver: Any, time_limit: float, show: bool | None) -> Iterator[None]:
    """A progress bar of seconds, with the best solution so far and its gap."""
    import sys

    from tqdm import tqdm

    disable = None if show is None else not show
    total = int(time_limit) if time_limit < INFINITY else None
    with tqdm(total=total, disable=disable, unit="s", file=sys.stderr, leave=False) as bar:

        def advance(event: Any) -> None:
            data = event.data_out
            if data.mip_primal_bound < 1e30:
                text = f"objective {data.mip_primal_bound:.2f}, gap {100 * data.mip_gap:.2f}%"
                bar.set_postfix_str(text, refresh=False)
            bar.update(int(data.running_time) - bar.n)

        if not bar.disable:
            solver.cbMipInterrupt += advance
        yield


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


def divide(graph: LinkGraph, *, plain: bool = False) -> Division:
    """Divide a link graph into bridges and blocks. If links cross, all of them count as one block.

    graph (LinkGraph): A connected link graph; dropped tokens do no harm.
    plain (bool): Whether all links count as one block, and as if they crossed.
    RETURNS (Division): The bridges and blocks.
    RAISES (GraphError): If it is not connected.
    """
    if not graph.is_connected:
        raise GraphError(Errors.UC905.format(id=graph.id, text=" ".join(graph.words)[:60]))
    links = graph.links
    if plain or not graph.is_planar:
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


COST = 100.0
TOLERANCE = 1e-6
Arc = Any  # a binary variable (highspy.highs_var) that is 1 if the link leads to the right; or a bool, if that is forced


class AllowedDirections(NamedTuple):
    """Whether a label's links may lead to the left, and to the right: binary variables, or numbers if that is known."""

    left: Any
    right: Any


def direction_cost(left: int, right: int) -> float:
    """RETURNS (float): The cost of a label by the numbers of its links in each direction: of one direction and slack, or of
    both directions, whichever is less.
    """
    return min(1.0 + COST * min(left, right) / (left + right), 2.0)


def _at_least_one(program: Any, wanted: Sequence[tuple[Arc, bool]]) -> None:
    """At least one of several arcs has the direction that stands beside it (True: to the right)."""
    if not any(arc is right for arc, right in wanted):
        terms = (arc if right else 1 - arc for arc, right in wanted if not isinstance(arc, bool))
        program.addConstr(sum(terms) >= 1)


class DirectionProgram:
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

    def _label(self, label: str) -> AllowedDirections:
        """A label's directions, with the slack of links whose direction is forced: what allowing it saves."""
        unit = COST / self.counts[label]
        slack = [unit * self.forced[label, right] for right in (False, True)]
        self.constant += sum(slack)
        allowed = AllowedDirections(*(self.program.addBinary(obj=1.0 - cost) for cost in slack))
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
            if not isinstance(arc, bool):  # it goes in an allowed direction, except for slack
                allowed, slack = self.allowed[link.label], self._slack(link.label, n)
                program.addConstr(1 - arc <= allowed.left + slack)
                program.addConstr(arc <= allowed.right + slack)
        for node in block.nodes:
            if node != block.entry:
                into = [(a, link.right == node) for link, a in zip(links, arcs) if node in link[:2]]
                _at_least_one(program, into)
        if block.planar:
            for top, chain in block.faces:
                for right in (True, False):  # no face is a directed cycle
                    others = ((arcs[i], not right) for i in chain)
                    _at_least_one(program, [(arcs[top], right), *others])
        else:
            self._order(block, arcs)
        return arcs

    def _order(self, block: Block, arcs: Sequence[Arc]) -> None:
        """Parents are less deep than children, and no node is less deep than the entry."""
        program, big = self.program, len(block.nodes)
        depth = [program.addVariable() for _ in block.nodes]
        for (i, j, _), arc in zip(block.links, arcs):
            program.addConstr(depth[i] + big * arc >= depth[j] + 1)
            program.addConstr(depth[j] + big * (1 - arc) >= depth[i] + 1)
        for node in block.nodes:
            if node != block.entry:
                program.addConstr(depth[block.entry] <= depth[node])

    def read(self, divisions: Sequence[Division], values: Sequence[float]) -> Iterator[list[bool]]:
        """YIELDS (List[bool]): For the links of each sentence, whether they lead to the right."""
        for division in divisions:
            ways = dict(division.forced)
            for block, indices in division.blocks:
                for i, arc in zip(indices, self.arcs[block]):
                    ways[i] = arc if isinstance(arc, bool) else values[arc.index] > 0.5
            yield [ways[i] for i in range(len(ways))]


class Consistent(DirectionProgram):
    """Of directions with the least cost, those with the fewest links against the commoner direction of their label: once a
    label may have both, the draft's program does not say which its links take.

    divisions, labels: As for `DirectionProgram`.
    both (Set[str]): The labels that may have both directions.
    single (Dict[str, bool]): The other labels, and whether theirs is to the right.
    slack (float): The cost of slack in the solution of `DirectionProgram`, which is not exceeded.
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

    def _label(self, label: str) -> AllowedDirections:
        forced = [self.forced[label, right] for right in (False, True)]
        if label not in self.both:
            right = self.single[label]
            self.spent += forced[not right] * COST / self.counts[label]
            return AllowedDirections(float(not right), float(right))
        allowed = AllowedDirections(*(self.program.addBinary(obj=-float(n)) for n in forced))
        self.constant += sum(forced)
        self.program.addConstr(allowed.left + allowed.right <= 1)
        return allowed

    def _slack(self, label: str, n: int) -> Any:
        if label in self.both:
            return self.program.addVariable(obj=float(n), ub=1.0)
        slack = self.program.addVariable(ub=1.0)
        self.budget.append(n * COST / self.counts[label] * slack)
        return slack
