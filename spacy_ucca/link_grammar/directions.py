"""Find directions for the links of a corpus: each label gets one direction, or both, so that all parses are DAGs in which
the wall reaches each token, at the least cost.

Section 3 and appendix A of "Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses".

Two baselines without an integer program, which section 2 of the paper says are simpler:

- Rightward: all links lead to the right. The graphs are acyclic, but the wall need not reach all tokens.
- Depth-first: links lead away from the wall, as a depth-first search comes to them. The graphs have all properties, but
  links with one label may have different directions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..conversion.graph import ROOT, BilexicalGraph
from ..errors import Errors, UccaError
from .direction_program import Consistent, DirectionProgram, Division, direction_cost, divide, solve
from .links import LinkGraph

__all__ = ["Direction", "Orientation", "orient"]

LEFT, RIGHT, BOTH = "left", "right", "both"


@dataclass(frozen=True)
class Direction:
    """The directions of the links with a label.

    label (str): The label.
    left (int): The number of links that lead to the left: their head is on the right.
    right (int): The number of links that lead to the right.
    """

    label: str
    left: int
    right: int

    @property
    def count(self) -> int:
        """RETURNS (int): The number of links."""
        return self.left + self.right

    @property
    def cost(self) -> float:
        """RETURNS (float): The cost of the label in the program."""
        return direction_cost(self.left, self.right)

    @property
    def allowed(self) -> str:
        """RETURNS (str): "left" or "right", if the links in the other direction are less than one percent, or "both"."""
        return BOTH if self.cost >= 2.0 else self.way

    @property
    def way(self) -> str:
        """RETURNS (str): The commoner direction, "left" or "right"."""
        return LEFT if self.left > self.right else RIGHT

    @property
    def majority(self) -> float:
        """RETURNS (float): The share of links in the commoner direction."""
        return max(self.left, self.right) / self.count


@dataclass(frozen=True)
class Orientation:
    """Directed graphs, and the directions of their labels.

    graphs (Tuple[BilexicalGraph, ...]): The graphs, in the order of the link graphs, with arcs in the order of links.
    directions (Dict[str, Direction]): The labels, the most frequent first.
    bound (float): A lower bound of the cost, as far as the solver has proved.
    seconds (float): The time that the solver took.
    """

    graphs: tuple[BilexicalGraph, ...]
    directions: dict[str, Direction]
    bound: float
    seconds: float

    @property
    def objective(self) -> float:
        """RETURNS (float): The cost of the directions: 1 for each label with one direction and 2 for each with both, plus 100
        times the share of a label's links that deviate.
        """
        return sum(direction.cost for direction in self.directions.values())

    @property
    def gap(self) -> float:
        """RETURNS (float): The distance of the cost to its lower bound, as a share of the cost."""
        return max(0.0, (self.objective - self.bound) / self.objective) if self.directions else 0.0

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The figures; `consistent` is the share of links in the commoner direction of their label."""
        links = sum(len(graph.arcs) for graph in self.graphs)
        ways = [direction.allowed for direction in self.directions.values()]
        deviating = sum(min(d.left, d.right) for d in self.directions.values() if d.allowed != BOTH)
        return {
            "sentences": len(self.graphs),
            "links": links,
            "labels": len(ways),
            **{way: ways.count(way) for way in (LEFT, RIGHT, BOTH)},
            "deviating": deviating,
            "consistent": sum(max(d.left, d.right) for d in self.directions.values()) / links,
            "objective": self.objective,
            "bound": self.bound,
            "gap": self.gap,
            "seconds": self.seconds,
        }

    @property
    def assignments(self) -> set[tuple[str, str]]:
        """RETURNS (Set[Tuple[str, str]]): The labels with each direction, "left" or "right", that they allow."""
        found = self.directions.values()
        return {(d.label, way) for d in found for way in (LEFT, RIGHT) if d.allowed in (way, BOTH)}

    def stability(self, larger: "Orientation") -> dict[str, float]:
        """Compare the directions that labels allow with those of more sentences, as section 5.1 of the draft does.

        larger (Orientation): The result for more sentences.
        RETURNS (Dict[str, float]): The number of `sentences`; `precision`, the share of these directions that are in the
            larger result; and `recall`, the share of its directions that are in these.
        """
        ours, theirs = self.assignments, larger.assignments
        same = len(ours & theirs)
        shares = {"precision": same / len(ours), "recall": same / len(theirs)}
        return {"sentences": len(self.graphs), **shares}


def orient(
    graphs: Iterable[LinkGraph],
    *,
    time_limit: float = 600.0,
    gap: float = 0.0,
    plain: bool = False,
    show: bool | None = False,
) -> Orientation:
    """Find the directions of labels, and give each link a direction.

    graphs (Iterable[LinkGraph]): Connected link graphs.
    time_limit (float): Seconds after which the best directions so far are taken.
    gap (float): The share by which the cost may exceed the minimum.
    plain (bool): Solve the program as in the draft, for comparison: the same minimum, much slower.
    show (Optional[bool]): Whether to show progress; only on a terminal if it is None.
    RETURNS (Orientation): The directions. Several may be best.
    RAISES (UccaError): If a graph is not connected, if there are none, if HiGHS is not installed, or if it found no
        directions in time.
    """
    graphs = list(graphs)
    if not graphs:
        raise UccaError(Errors.UC908)
    options: dict[str, Any] = {"time_limit": time_limit, "gap": gap, "show": show}
    divisions = [divide(graph, plain=plain) for graph in graphs]
    labels = [[link.label for link in graph.links] for graph in graphs]
    program = DirectionProgram(divisions, labels)
    solution = solve(program.program, **options)
    if solution.values is None:
        raise UccaError(Errors.UC909.format(seconds=time_limit))
    ways = list(program.read(divisions, solution.values))
    if not plain:
        ways = _more_consistent(graphs, divisions, labels, ways, options)
    oriented = tuple(graph.oriented(way) for graph, way in zip(graphs, ways))
    directions = count_directions(oriented)
    objective = sum(direction.cost for direction in directions.values())
    # The solver's bound may be above the least cost by its tolerance.
    return Orientation(oriented, directions, min(solution.bound, objective), solution.seconds)


def _more_consistent(
    graphs: Sequence[LinkGraph],
    divisions: Sequence[Division],
    labels: Sequence[Sequence[str]],
    ways: list[list[bool]],
    options: dict[str, Any],
) -> list[list[bool]]:
    """RETURNS (List[List[bool]]): Directions of the same cost, see `Consistent`; the given ones if none are found."""
    directions = count_directions(
        [graph.oriented(way) for graph, way in zip(graphs, ways)]
    ).values()
    both = {direction.label for direction in directions if direction.allowed == BOTH}
    single = {d.label: d.allowed == RIGHT for d in directions if d.label not in both}
    slack = sum(d.cost - 1.0 for d in directions if d.label in single)
    consistent = Consistent(divisions, labels, both, single, slack)
    solution = solve(consistent.program, **options)
    return ways if solution.values is None else list(consistent.read(divisions, solution.values))


def count_directions(graphs: Sequence[BilexicalGraph]) -> dict[str, Direction]:
    """Count the directions of labels in directed graphs.

    graphs (Sequence[BilexicalGraph]): The graphs.
    RETURNS (Dict[str, Direction]): The labels, the most frequent first.
    """
    counts: dict[str, list[int]] = {}
    for graph in graphs:
        for arc in graph.arcs:
            counts.setdefault(arc.label, [0, 0])[arc.head < arc.dependent] += 1
    ordered = sorted(counts.items(), key=lambda item: (-sum(item[1]), item[0]))
    return {label: Direction(label, *ways) for label, ways in ordered}


def rightward(graph: LinkGraph) -> list[bool]:
    """RETURNS (List[bool]): For each link that it leads to the right."""
    return [True] * len(graph.links)


def depth_first(graph: LinkGraph) -> list[bool]:
    """Search a graph from the wall, of several words the left one first.

    graph (LinkGraph): A connected link graph.
    RETURNS (List[bool]): For each link whether the search comes to its left word first.
    """
    beside: dict[int, list[int]] = {}
    for left, right, _ in graph.links:
        beside.setdefault(left, []).append(right)
        beside.setdefault(right, []).append(left)
    place: dict[int, int] = {}
    todo = [ROOT]
    while todo:
        node = todo.pop()
        if node not in place:
            place[node] = len(place)
            todo += sorted(beside.get(node, ()), reverse=True)
    return [place[left] < place[right] for left, right, _ in graph.links]


BASELINES: dict[str, Callable[[LinkGraph], list[bool]]] = {
    "depth-first": depth_first,
    "rightward": rightward,
}


def orient_simply(graphs: Iterable[LinkGraph], name: str) -> Orientation:
    """Give links the directions of a baseline.

    graphs (Iterable[LinkGraph]): Connected link graphs.
    name (str): "depth-first" or "rightward".
    RETURNS (Orientation): The directed graphs and the directions of their labels. Its bound is the number of labels, as each
        costs 1 at least.
    """
    oriented = tuple(graph.oriented(BASELINES[name](graph)) for graph in graphs)
    directions = count_directions(oriented)
    return Orientation(oriented, directions, float(len(directions)), 0.0)
