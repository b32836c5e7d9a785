"""An upper bound of the value of pairings: the best one that may use nodes of the second graph several times, at a price.

Links that form a forest count as they are, so dynamic programming finds the best. Each other link counts half at both ends,
whatever the other end is paired with. Any prices give a bound (Lagrangian relaxation); good prices make it narrow.
"""

from typing import NamedTuple

import numpy as np

from .pairing import NONE, Link, PairingProblem


class Tables(NamedTuple):
    """The best values of a node and all below it in the forest.

    by_pair (ndarray): For each node, by what it is paired with; the last column: with nothing.
    by_parent (ndarray): For each node, by what its parent in the forest is paired with.
    """

    by_pair: np.ndarray
    by_parent: np.ndarray


class Relaxation:
    """The relaxation of a problem.

    problem (PairingProblem): The problem.
    """

    def __init__(self, problem: PairingProblem) -> None:
        self.problem = problem
        self.parents = [NONE] * problem.n
        self.order: list[int] = []  # parents first
        self._plant()
        self.others: list[Link] = []
        values: list[dict[Link, int]] = [{} for _ in range(problem.n)]
        for link, pairs in problem.links.items():
            source, target = link
            down = self.parents[target] == source
            if not down and self.parents[source] != target:
                self.others.append(link)
                continue
            joined = values[target if down else source]
            for (j, k), value in pairs.items():
                pair = (j, k) if down else (k, j)
                joined[pair] = joined.get(pair, 0) + value
        self._forest = [_columns(of_node) for of_node in values]
        self.halves = {(link, end): self._half(link, end) for link in self.others for end in (0, 1)}
        own = [problem.node_values, np.zeros((problem.n, 1))]
        self._own = np.hstack(own).astype(float)
        for (link, end), half in self.halves.items():
            self._own[link[end]] += half

    def _plant(self) -> None:
        """Find a forest of links, from nodes without parents in the graph down."""
        problem = self.problem
        seen: set[int] = set()
        inner = {target for _, target in problem.links}
        for root in sorted(range(problem.n), key=lambda node: node in inner):
            stack = [(root, NONE)]
            while stack:
                node, parent = stack.pop()
                if node in seen:
                    continue
                seen.add(node)
                self.order.append(node)
                self.parents[node] = parent
                around = (sum(link) - node for link in reversed(problem.links_of[node]))
                stack += [(other, node) for other in around if other not in seen]

    def _half(self, link: Link, end: int) -> np.ndarray:
        half = np.zeros(self.problem.m + 1)
        for pair, value in self.problem.links[link].items():
            half[pair[end]] = max(half[pair[end]], value / 2)
        return half

    def link_gains(self, node: int, parent_pair: int) -> np.ndarray:
        """RETURNS (ndarray): The value of a node's link to its parent, by the node's pair, given that of the parent."""
        gains = np.zeros(self.problem.m + 1)
        j, k, value = self._forest[node]
        here = j == parent_pair
        gains[k[here]] = value[here]
        return gains

    def tables(self, prices: np.ndarray) -> Tables:
        """RETURNS (Tables): The best values at these prices of the second graph's nodes; the last price, of no pair, is 0."""
        by_pair = self._own - prices
        by_parent = np.zeros_like(by_pair)
        for node in reversed(self.order):
            below, above = by_pair[node], by_parent[node]
            above[:] = below.max()
            j, k, value = self._forest[node]
            np.maximum.at(above, j, below[k] + value)
            if self.parents[node] >= 0:
                by_pair[self.parents[node]] += above
        return Tables(by_pair, by_parent)

    def solve(self, tables: Tables, prices: np.ndarray) -> tuple[float, np.ndarray]:
        """RETURNS (Tuple[float, ndarray]): The bound, and the pairs that reach it; the second graph's number of nodes stands for no
        pair."""
        bound = float(prices.sum())
        pairs = np.full(self.problem.n, self.problem.m)
        for node in self.order:
            gains = tables.by_pair[node]
            if self.parents[node] >= 0:
                gains = gains + self.link_gains(node, pairs[self.parents[node]])
            else:
                bound += float(gains.max())
            pairs[node] = gains.argmax()
        return bound, pairs


def _columns(values: dict[Link, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.array(list(values), dtype=int).reshape(-1, 2)
    return rows[:, 0], rows[:, 1], np.array(list(values.values()), dtype=float)
