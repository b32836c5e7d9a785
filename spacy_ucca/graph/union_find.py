"""Disjoint sets of numbers (union-find)."""


class UnionFind:
    """Disjoint sets of the numbers below n. Sets are joined by size, so `find` takes logarithmic time, and the last joins can
    be undone.

    n (int): The number of elements. Each is a set of its own at first.
    """

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))
        self._size = [1] * n
        self._joined: list[int] = []

    @property
    def time(self) -> int:
        """RETURNS (int): The number of joins so far, for `undo`."""
        return len(self._joined)

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
        self._joined.append(j)

    def undo(self, time: int) -> None:
        """Undo the joins after a time.

        time (int): A value of `time`.
        """
        while len(self._joined) > time:
            i = self._joined.pop()
            self._size[self._parent[i]] -= self._size[i]
            self._parent[i] = i

    def sets(self) -> list[list[int]]:
        """RETURNS (List[List[int]]): The sets, by their least elements."""
        by_root: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            by_root.setdefault(self.find(i), []).append(i)
        return list(by_root.values())
