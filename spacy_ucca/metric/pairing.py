"""Pairs of the nodes of two graphs: what they are worth, and hill climbing to better ones."""

from collections.abc import Mapping, Sequence

import numpy as np

Link = tuple[int, int]
LinkValues = Mapping[Link, Mapping[Link, int]]
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
        self.links_of: list[list[Link]] = [[] for _ in range(self.n)]
        # By a link, one of its ends and what the node there is paired with: what the other end can be paired with
        self._partners: dict[tuple[Link, int], dict[int, list[int]]] = {}
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
