"""Algorithms on numbers, which stand for tokens or nodes: sets as bits, disjoint sets, paths in directed graphs.

The lowest bit of a set of tokens is token 0.
"""

from collections.abc import Callable, Iterable, Iterator


def first_token(mask: int) -> int:
    """RETURNS (int): The first token of a set; -1 for none."""
    return (mask & -mask).bit_length() - 1


def without_gaps(mask: int) -> int:
    """RETURNS (int): A set with all tokens between its first and its last."""
    return (1 << mask.bit_length()) - (mask & -mask)


def iter_tokens(mask: int, start: int = 0) -> Iterator[int]:
    """YIELDS (int): The tokens of a set in order, as `tokens_in`, for those who need the first few."""
    while mask:
        low = mask & -mask
        yield start + low.bit_length() - 1
        mask ^= low


def tokens_in(mask: int, start: int = 0) -> list[int]:
    """RETURNS (List[int]): The tokens of a set in order, given which one its lowest bit stands for."""
    return list(iter_tokens(mask, start))


class UnionFind:
    """Disjoint sets of the numbers below n. Sets are joined by size, so `find` takes logarithmic time.

    n (int): The number of elements. Each is a set of its own at first.
    """

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))
        self._size = [1] * n

    def find(self, i: int) -> int:
        """RETURNS (int): The element that stands for the set of an element."""
        while self._parent[i] != i:
            i = self._parent[i]
        return i

    def join(self, i: int, j: int) -> None:
        """Join the sets of two elements."""
        i, j = self.find(i), self.find(j)
        if i == j:
            return
        if self._size[i] < self._size[j]:
            i, j = j, i
        self._parent[j] = i
        self._size[i] += self._size[j]

    def sets(self) -> list[list[int]]:
        """RETURNS (List[List[int]]): The sets, by their least elements."""
        by_root: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            by_root.setdefault(self.find(i), []).append(i)
        return list(by_root.values())


def reached(starts: Iterable[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """Find the nodes that paths lead to.

    starts (Iterable[int]): Where paths begin.
    following (Callable[[int], Iterable[int]]): The nodes next to a node.
    RETURNS (Set[int]): The nodes, those that paths begin at included.
    """
    nodes = set(starts)
    waiting = [*nodes]
    while waiting:
        for node in following(waiting.pop()):
            if node not in nodes:
                nodes.add(node)
                waiting.append(node)
    return nodes


def find_cycle(pairs: Iterable[tuple[int, int]]) -> list[int] | None:
    """Find a cycle.

    pairs (Iterable[Tuple[int, int]]): The edges, as pairs of parent and child.
    RETURNS (Optional[List[int]]): The nodes of a cycle, each the child of the one after it; the first node stands
        at the end again. None if there is no cycle.
    """
    from graphlib import CycleError, TopologicalSorter  # `import spacy_ucca` does without

    sorter: TopologicalSorter[int] = TopologicalSorter()
    for parent, child in pairs:
        sorter.add(parent, child)
    try:
        sorter.prepare()
    except CycleError as err:
        return err.args[1]
    return None
