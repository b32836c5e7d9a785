"""The correspondence of nodes that mtool finds: a depth-first search that stops after a number of steps.

Published MRP scores depend on where the search stops. Nodes of the gold graph are visited in an order that comes from greedy pairs: those
alike in being tops first, then those with most characters below them in common, then those with most categories at their edges in
common. Each node tries its greedy pair, then others by the same measures, then none. A branch is left if fewer pieces than those of the
best correspondence can still match. A step is one try. Nodes with and without children are no pair, and if a node is visited after nodes
below it, their pairs have to be below its pair. All pairs of nodes count as one more piece.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .correspondence import NONE, Correspondence

REMOTE = "*"  # stands for the attribute of edges in place of a category


class SearchGraph:
    """What the search reads of a graph.

    graph (MrpGraph): The graph.
    """

    def __init__(self, graph: Any) -> None:
        self.n = len(graph.anchors)
        self.anchors, edges = graph.anchors, graph.edges
        self.is_top = np.array([node in graph.tops for node in range(self.n)], dtype=bool)
        links = [edge for edge in edges if edge[0] != edge[1]]
        remotes = dict.fromkeys((s, t, REMOTE) for s, t, label in links if edges[s, t, label])
        self.pieces = [*links, *remotes]
        children: list[list[int]] = [[] for _ in range(self.n)]
        for (source, target, _), remote in edges.items():
            if not remote:
                children[source].append(target)
        # Whether a node is below another, by primary edges
        self.below = np.zeros((self.n, self.n), dtype=bool)
        self.characters = np.zeros((self.n, len(graph.text)), dtype=np.int64)
        for node in range(self.n):
            stack = list(children[node])
            while stack:
                other = stack.pop()
                if not self.below[node, other]:
                    self.below[node, other] = True
                    stack += children[other]
            for other in {node, *np.flatnonzero(self.below[node]).tolist()}:
                self.characters[node, list(self.anchors[other] or ())] = 1

    def categories(self, labels: Mapping[str, int]) -> np.ndarray:
        """RETURNS (ndarray): For each node the number of its edges by direction and category."""
        counts = np.zeros((self.n, 2 * len(labels)), dtype=np.int64)
        for source, target, label in self.pieces:
            if label != REMOTE:
                counts[source, 2 * labels[label]] += 1
                counts[target, 2 * labels[label] + 1] += 1
        return counts


@dataclass
class _Frame:
    """The tries of a node: with what, how many pieces can match then, and how many places for none are left after it."""

    tries: np.ndarray
    potentials: np.ndarray
    nones_left: np.ndarray
    at: int = 0


class _Plan(NamedTuple):
    """The order of visits to the nodes of the gold graph, and their greedy pairs and preferences."""

    order: list[int]
    firsts: list[int]
    preferences: list[np.ndarray]


def find_as_mtool(gold: SearchGraph, predicted: SearchGraph, max_steps: int) -> Correspondence:
    """Find a correspondence as mtool does.

    gold (SearchGraph): The gold graph.
    predicted (SearchGraph): The predicted graph.
    max_steps (int): The steps after which the search stops; the default of mtool is 500,000.
    RETURNS (Correspondence): For each node of the gold graph one of the predicted graph or -1; exact if the search came to its end.
    """
    if not gold.n or not predicted.n:
        return Correspondence((NONE,) * gold.n, 0, True)
    return _MtoolSearch(gold, predicted).run(max_steps)


def _plan(gold: SearchGraph, predicted: SearchGraph) -> _Plan:
    n, m = gold.n, predicted.n
    labels = {label: i for i, label in enumerate({p[2] for p in gold.pieces + predicted.pieces})}
    tops = np.where(gold.is_top[:, None] == predicted.is_top[None, :], 1, -1)
    overlaps = gold.characters @ predicted.characters.T
    edges = gold.categories(labels) @ predicted.categories(labels).T
    keys = np.zeros((n, m + 1, 3), dtype=np.int64)
    keys[:, :m] = np.stack([tops, overlaps, edges], axis=2)
    keys[:, m, 0] = -gold.is_top.astype(int)
    flat = keys.reshape(-1, 3)
    ranked = np.lexsort((-flat[:, 2], -flat[:, 1], -flat[:, 0]))
    firsts, order, used = [NONE] * n, [], set()
    for node, j in (divmod(int(index), m + 1) for index in ranked):
        if node not in order and j not in used:
            order.append(node)
            if j < m:
                firsts[node] = j
                used.add(j)
    rewards = keys @ np.array([1000, 10, 1])
    # Of equal ones none is first, then the lower number
    numbers = np.array([*range(m), -1])
    preferences = [numbers[np.lexsort((numbers, -row))] for row in rewards]
    return _Plan(order, firsts, preferences)


class _MtoolSearch:
    def __init__(self, gold: SearchGraph, predicted: SearchGraph) -> None:
        self.gold, self.predicted = gold, predicted
        self.n, self.m = gold.n, predicted.n
        self.plan = _plan(gold, predicted)
        self.pairs = np.full(self.n, NONE)
        self.visited = np.zeros(self.n, dtype=bool)
        # By category, which predicted nodes lead to which
        self.leads: dict[str, np.ndarray] = {}
        for source, target, label in predicted.pieces:
            matrix = self.leads.setdefault(label, np.zeros((self.m, self.m), dtype=np.int64))
            matrix[source, target] = 1
        # For each piece of a node: its other end; by the pair of that end, with which pairs of the node it can match, and whether with
        # any; and with which if that end has no pair yet
        self.of_node: list[list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]] = [
            [] for _ in range(self.n)
        ]
        for source, target, label in gold.pieces:
            if label in self.leads:
                matrix = self.leads[label]
                out, into = matrix.max(axis=1), matrix.max(axis=0)
                self.of_node[source].append((target, matrix.T.copy(), into, out))
                self.of_node[target].append((source, matrix, out, into))
        self.local = [self._local_rows(node) for node in range(self.n)]
        self.below = [np.flatnonzero(row).tolist() for row in gold.below]
        has_children = [[bool(below.any()) for below in g.below] for g in (gold, predicted)]
        self.alike = np.equal.outer(*map(np.array, has_children))

    def _local_rows(self, node: int) -> list[tuple[np.ndarray, bool]]:
        rows = [np.ones(self.m, dtype=np.int64)]
        if self.gold.is_top[node]:
            rows.append(self.predicted.is_top.astype(np.int64))
        anchor = self.gold.anchors[node]
        if anchor is not None:
            same = [other is not None and other == anchor for other in self.predicted.anchors]
            rows.append(np.array(same, dtype=np.int64))
        return [(row, bool(row.any())) for row in rows]

    def run(self, max_steps: int) -> Correspondence:
        order = self.plan.order
        free = np.ones(self.m, dtype=bool)
        potential = sum(matches for rows in self.local for _, matches in rows)
        potential += sum(label in self.leads for _, _, label in self.gold.pieces)
        best, found, steps = 0, tuple(self.plan.firsts), 0
        stack = [self._frame(order[0], self._potentials(order[0], potential), free, 0)]
        while stack and steps <= max_steps:
            frame, node = stack[-1], order[len(stack) - 1]
            if self.pairs[node] >= 0:
                free[self.pairs[node]] = True
            self.pairs[node], self.visited[node] = NONE, False
            hopeful = np.flatnonzero(frame.potentials[frame.at :] > best)
            if not len(hopeful):
                steps += len(frame.tries) - frame.at
                stack.pop()
                continue
            at = frame.at + int(hopeful[0])
            steps += at + 1 - frame.at
            if steps > max_steps + 1:
                break
            frame.at = at + 1
            j = int(frame.tries[at])
            self.pairs[node], self.visited[node] = j, True
            if j >= 0:
                free[j] = False
            potential = int(frame.potentials[at])
            if len(stack) == self.n:
                best, found = potential, tuple(self.pairs.tolist())
                continue
            node, nones = order[len(stack)], int(frame.nones_left[at])
            potentials, allowed = self._potentials(node, potential), self._allowed(node, free)
            if potentials[-1] > best or (potentials[:-1][allowed] > best).any():
                stack.append(self._frame(node, potentials, allowed, nones))
            else:  # all tries fail: they are only counted
                steps += int(allowed.sum()) + nones + 1 + (self.plan.firsts[node] == NONE)
        return Correspondence(found, best, steps <= max_steps)

    def _potentials(self, node: int, potential: int) -> np.ndarray:
        """RETURNS (ndarray): How many pieces can match if a node gets each pair; the last: if it gets none."""
        gains = np.zeros(self.m + 1, dtype=np.int64)
        gains[self.m] = potential
        for row, matches in self._rows(node):
            gains[:-1] += row
            gains[self.m] -= matches
        gains[:-1] += gains[self.m]
        return gains

    def _allowed(self, node: int, free: np.ndarray) -> np.ndarray:
        """RETURNS (ndarray): Which nodes a node can be paired with."""
        if not self.visited.any():
            return free.copy()
        allowed = free & self.alike[node]
        for other in self.below[node]:
            if self.pairs[other] >= 0:
                allowed &= self.predicted.below[:, self.pairs[other]]
        return allowed

    def _rows(self, node: int) -> Iterator[tuple[np.ndarray, bool]]:
        """YIELDS (Tuple[ndarray, bool]): For each piece of a node that can still match, with which pairs of the node it can, and whether
        with any."""
        yield from self.local[node]
        for other, by_pair, some, open_row in self.of_node[node]:
            if not self.visited[other]:
                yield open_row, True
            elif self.pairs[other] >= 0:
                yield by_pair[self.pairs[other]], some[self.pairs[other]]

    def _frame(self, node: int, potentials: np.ndarray, allowed: np.ndarray, nones: int) -> _Frame:
        """List the tries of a node in order. mtool puts "none" among the nodes that are left if it is the greedy pair of a node, and there
        it stays for later nodes, once for each such node."""
        ranked = self.plan.preferences[node]
        listed = np.repeat(ranked, np.where(ranked >= 0, allowed[ranked], nones))
        first = self.plan.firsts[node]
        if first == NONE:
            listed = np.append(NONE, listed)
            nones += 1
        elif allowed[first]:
            listed = np.append(first, listed[listed != first])
        tries = np.append(listed, NONE)
        left = np.append(np.where(listed == NONE, nones - 1, nones), nones)
        return _Frame(tries, potentials[tries], left)
