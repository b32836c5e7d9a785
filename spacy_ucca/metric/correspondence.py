"""The correspondence of the nodes of two graphs under which they have most in common: a maximum common edge subgraph.

An upper bound of the value of pairings is that of the best one that may use nodes of the second graph several times, at a price.
Links that form a forest count as they are, so dynamic programming finds the best. Each other link counts half at both ends,
whatever the other end is paired with. Any prices give a bound (Lagrangian relaxation); good prices make it narrow. They are
fitted in rounds (subgradient method): each narrows the upper bound, and hill climbing from its pairs raises the best value
known. If the two do not meet, depth-first search with the bound goes on from there, up to a number of steps.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

NodePair = tuple[int, int]
LinkValues = Mapping[NodePair, Mapping[NodePair, int]]
NONE = -1


class PairingProblem:
    """Values of pairs of nodes, and of pairs of links between them.

    A pairing is a sequence that has, for each node of the first graph, a node of the second, each once, or -1.

    node_values (ndarray): For each node of the first graph and each of the second the value of the pair; -inf if they cannot be a
        pair.
    link_values (Mapping[Tuple[int, int], Mapping[Tuple[int, int], int]]): For links of the first graph, the links of the second
        that they have something in common with, and the value. Links are directed and lead to other nodes.
    """

    def __init__(self, node_values: np.ndarray, link_values: LinkValues) -> None:
        self.n, self.m = node_values.shape
        self.node_values = node_values
        self.links = {link: values for link, values in link_values.items() if values}
        self.links_of: list[list[NodePair]] = [[] for _ in range(self.n)]
        # By a link, one of its ends and what the node there is paired with: what the other end can be paired with
        self._partners: dict[tuple[NodePair, int], dict[int, list[int]]] = {}
        for link, values in self.links.items():
            for end, node in enumerate(link):
                self.links_of[node].append(link)
                partners = self._partners.setdefault((link, end), {})
                for pair in values:
                    partners.setdefault(pair[end], []).append(pair[1 - end])
        self._alike = [np.flatnonzero(row > 0).tolist() for row in node_values]

    def value(self, pairs: Sequence[int]) -> int:
        """RETURNS (int): The value of a pairing."""
        nodes = sum(self.node_values[node, j] for node, j in enumerate(pairs) if j >= 0)
        links = (values.get((pairs[a], pairs[b]), 0) for (a, b), values in self.links.items())
        return int(nodes) + sum(links)

    def share(self, pairs: Sequence[int], node: int) -> float:
        """RETURNS (float): The value of a node's pair and of its links."""
        j = pairs[node]
        if j < 0:
            return 0.0
        value = float(self.node_values[node, j])
        for link in self.links_of[node]:
            value += self.links[link].get((pairs[link[0]], pairs[link[1]]), 0)
        return value

    def without_repeats(self, targets: Sequence[int]) -> list[int]:
        """RETURNS (List[int]): A pairing: a node that is used several times stays where it is worth most."""
        shares = [self.share(targets, node) for node in range(self.n)]
        pairs = list(targets)
        used = {NONE}
        for node in sorted(range(self.n), key=lambda node: (-shares[node], node)):
            if pairs[node] in used:
                pairs[node] = NONE
            used.add(pairs[node])
        return pairs

    def climb(self, pairs: list[int]) -> list[int]:
        """Improve a pairing in place: pair single nodes otherwise, two in exchange if need be, while the value grows.

        pairs (List[int]): The pairing.
        RETURNS (List[int]): The pairing.
        """
        holders = {j: node for node, j in enumerate(pairs) if j >= 0}
        grown = True
        while grown:
            grown = False
            for node in range(self.n):
                for j in self._candidates(pairs, node):
                    grown |= self._try(pairs, holders, node, j)
        return pairs

    def _candidates(self, pairs: Sequence[int], node: int) -> list[int]:
        """RETURNS (List[int]): What a node can be paired with that has something in common with it, as others are paired."""
        found = dict.fromkeys(self._alike[node])
        for link in self.links_of[node]:
            end = int(link[0] == node)  # of the other node
            found.update(dict.fromkeys(self._partners[link, end].get(pairs[link[end]], ())))
        values = self.node_values[node]
        return [j for j in found if values[j] >= 0]

    def _try(self, pairs: list[int], holders: dict[int, int], node: int, j: int) -> bool:
        """Pair a node with another if the value grows. RETURNS (bool): Whether it did."""
        old, other = pairs[node], holders.get(j)
        if old == j:
            return False
        before = self.share(pairs, node)
        pairs[node] = NONE
        if other is not None:
            before += self.share(pairs, other)
            pairs[other] = NONE
        pairs[node] = j
        after = self.share(pairs, node)
        if other is not None and old >= 0 and self.node_values[other, old] >= 0:
            pairs[other] = old
            after += self.share(pairs, other)
        if after <= before:
            pairs[node] = old
            if other is not None:
                pairs[other] = j
            return False
        holders.pop(old, None)
        holders[j] = node
        if other is not None and pairs[other] >= 0:
            holders[old] = other
        return True


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
        self.others: list[NodePair] = []
        values: list[dict[NodePair, int]] = [{} for _ in range(problem.n)]
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
        self._own = np.hstack([problem.node_values, np.zeros((problem.n, 1))]).astype(float)
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

    def _half(self, link: NodePair, end: int) -> np.ndarray:
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


def _columns(values: dict[NodePair, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.array(list(values), dtype=int).reshape(-1, 2)
    return rows[:, 0], rows[:, 1], np.array(list(values.values()), dtype=float)


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
    return _PairingSearch(problem).run(max_steps)


class _PairingSearch:
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
        self.closing: list[list[NodePair]] = [[] for _ in range(self.problem.n)]
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
