"""The correspondence of the nodes of two graphs under which they have most in common: a maximum common edge subgraph.

Prices are fitted in rounds (subgradient method): each narrows the upper bound, and hill climbing from its pairs raises the best value
known. If the two do not meet, depth-first search with the bound goes on from there, up to a number of steps.
"""

from typing import NamedTuple

import numpy as np

from .pairing import NONE, Link, LinkValues, PairingProblem
from .relaxation import Relaxation

ROUNDS = 60
MAX_STEPS = 1_000
STEP_DECAY = 0.7  # of the step size after a round that does not narrow the bound
# Values are whole numbers: a bound below the next one ends the search.
_NEXT = 1 - 1e-6


class Correspondence(NamedTuple):
    """A correspondence of nodes.

    pairs (Tuple[int, ...]): For each node of the first graph the node of the second, or -1.
    value (int): The value of the pairs and of the links between them.
    exact (bool): Whether it is proven that none has a greater value.
    """

    pairs: tuple[int, ...]
    value: int
    exact: bool


def find_correspondence(
    node_values: np.ndarray, link_values: LinkValues, *, max_steps: int = MAX_STEPS
) -> Correspondence:
    """Find the correspondence of the greatest value.

    node_values (ndarray): For each node of the first graph and each of the second the value of the pair, not below 0; -inf if they
        cannot be a pair.
    link_values (Mapping[Tuple[int, int], Mapping[Tuple[int, int], int]]): For links of the first graph, the links of the second
        that they have something in common with, and the value. Links are directed and lead to other nodes.
    max_steps (int): Steps of the depth-first search, after which the best correspondence so far is taken.
    RETURNS (Correspondence): The correspondence.
    """
    problem = PairingProblem(node_values, link_values)
    if not problem.n or not problem.m:
        return Correspondence((NONE,) * problem.n, 0, True)
    return _Search(problem).run(max_steps)


class _Search:
    def __init__(self, problem: PairingProblem) -> None:
        self.problem = problem
        self.relaxation = Relaxation(problem)
        self.best = (NONE,) * problem.n
        self.value = 0

    def run(self, max_steps: int) -> Correspondence:
        upper, prices = self._fit()
        exact = upper < self.value + _NEXT or self._descend(prices, upper, max_steps)
        return Correspondence(self.best, self.value, exact)

    def _offer(self, pairs: list[int]) -> None:
        value = self.problem.value(pairs)
        if value > self.value:
            self.best, self.value = tuple(pairs), value

    def _fit(self) -> tuple[float, np.ndarray]:
        """RETURNS (Tuple[float, ndarray]): The lowest upper bound that was found, and its prices."""
        problem, m = self.problem, self.problem.m
        prices = lowest = np.zeros(m + 1)
        upper, step = np.inf, 1.0
        climbed = set()
        for _ in range(ROUNDS):
            bound, pairs = self.relaxation.solve(self.relaxation.tables(prices), prices)
            if bound < upper - 1e-9:
                upper, lowest = bound, prices
            else:
                step *= STEP_DECAY
            key = pairs.tobytes()
            if key not in climbed:
                climbed.add(key)
                targets = [int(j) if j < m else NONE for j in pairs]
                self._offer(problem.climb(problem.without_repeats(targets)))
            if upper < self.value + _NEXT:
                break
            excess = np.bincount(pairs, minlength=m + 1) - 1.0
            excess[m] = 0
            excess[(prices <= 0) & (excess < 0)] = 0
            size = float(excess @ excess)
            if not size:
                break
            prices = np.maximum(0, prices + step * (bound - self.value) / size * excess)
        return upper, lowest

    def _descend(self, prices: np.ndarray, upper: float, max_steps: int) -> bool:
        """Search depth first for a greater value, node by node, parents first.

        RETURNS (bool): Whether the search came to its end.
        """
        order = self.relaxation.order
        branches = _Branches(self.relaxation, prices)
        stack = [branches.choices(0, upper)]
        steps = 0
        while stack:
            depth = len(stack) - 1
            branches.pair(order[depth], NONE)
            if not stack[-1] or stack[-1][-1][0] < self.value + _NEXT:
                stack.pop()
                continue
            if steps == max_steps:
                return False
            steps += 1
            bound, j = stack[-1].pop()
            branches.pair(order[depth], j)
            if depth + 1 < len(order):
                stack.append(branches.choices(depth + 1, bound))
            else:
                self._offer(branches.pairs)
        return True


class _Branches:
    """The bounds of partial pairings."""

    def __init__(self, relaxation: Relaxation, prices: np.ndarray) -> None:
        self.relaxation, self.problem = relaxation, relaxation.problem
        self.tables = relaxation.tables(prices)
        self.pairs = [NONE] * self.problem.n
        self.free = np.ones(self.problem.m + 1, dtype=bool)
        place = {node: i for i, node in enumerate(relaxation.order)}
        # Links that do not count in the forest, by their later end: there both of its pairs are known.
        self.closing: list[list[Link]] = [[] for _ in range(self.problem.n)]
        for link in relaxation.others:
            self.closing[max(link, key=place.__getitem__)].append(link)

    def pair(self, node: int, j: int) -> None:
        """Pair a node with a free one, or with none."""
        if self.pairs[node] != NONE:
            self.free[self.pairs[node]] = True
        self.pairs[node] = NONE
        if 0 <= j < self.problem.m:
            self.pairs[node] = j
            self.free[j] = False

    def choices(self, depth: int, bound: float) -> list[tuple[float, int]]:
        """RETURNS (List[Tuple[float, int]]): The pairs that the next node can have, with bounds, the best last."""
        node = self.relaxation.order[depth]
        parent = self.relaxation.parents[node]
        bounds = bound + self.tables.by_pair[node]
        if parent == NONE:
            bounds -= self.tables.by_pair[node].max()
        else:
            # -1, for no pair, is the last column.
            j = self.pairs[parent]
            bounds += self.relaxation.link_gains(node, j) - self.tables.by_parent[node][j]
        for link in self.closing[node]:
            end = link.index(node)
            other = self.pairs[link[1 - end]]
            bounds -= self.relaxation.halves[link, end]
            bounds -= self.relaxation.halves[link, 1 - end][other]
            for pair, value in self.problem.links[link].items():
                if pair[1 - end] == other:
                    bounds[pair[end]] += value
        found = np.flatnonzero(self.free & (bounds > -np.inf))
        return sorted((float(bounds[j]), int(j)) for j in found)
