"""The best units of several trees, chosen one by one (reparsing: Sagae and Lavie, 2006).

Two units can stand in one tree unless they cross: unless they share words and each has some that the other has not.
Which units there are and what they are worth is `count.py`'s; what may stand together, if rules are to be followed, is
`by_rules.py`'s.
"""

from collections.abc import Iterable, Mapping

from ..bit_sets import first_token

# How many sets of units that cross are looked at before what is left is chosen greedily. The search is exponential
# in the units that cross, of which there are few: annotated sentences of the length of a page stay far below.
MOST_SETS = 20_000
DEEPEST = 150  # how many decisions may hang on each other before that: Python's stack has an end

Chosen = tuple[float, tuple[int, ...]]  # what units are worth, and their words


def best_units(worth: Mapping[int, float]) -> list[int]:
    """Choose units that do not cross so that the sum over them is greatest. It is exact, unless very many cross; in
    whatever order units come, the same ones are found.

    worth (Mapping[int, float]): What units are worth, by their words as a bit set. What is worth nothing is not chosen.
    RETURNS (List[int]): The words of each, in no order.
    """
    worth = {unit: round(value, 9) for unit, value in worth.items() if value > 0}
    crossing = _find_crossing(worth)
    chosen: list[int] = []
    for together in _components(frozenset(worth), crossing):
        chosen += _Search(worth, crossing).best(together)[1]
    return chosen


def fitting(units: Iterable[int], ordered: Iterable[int]) -> list[int]:
    """Take more units, one after the other, each if it crosses none that are there.

    units (Iterable[int]): The words of units that do not cross.
    ordered (Iterable[int]): Those of the others.
    RETURNS (List[int]): Those that were taken.
    """
    there, taken = list(units), []
    for unit in ordered:
        if not any(cross(unit, other) for other in there):
            there.append(unit)
            taken.append(unit)
    return taken


def cross(ours: int, theirs: int) -> bool:
    """RETURNS (bool): Whether two sets of words share some, and each has some that the other has not."""
    return bool(ours & theirs and ours & ~theirs and theirs & ~ours)


def _find_crossing(units: Iterable[int]) -> dict[int, frozenset[int]]:
    """RETURNS (Dict[int, FrozenSet[int]]): The others that each crosses."""
    found: dict[int, set[int]] = {unit: set() for unit in units}
    around: list[int] = []  # those that may go on where the next one begins
    for unit in sorted(found, key=first_token):
        start = first_token(unit)
        around = [other for other in around if other >> start]
        for other in around:
            if cross(unit, other):
                found[unit].add(other)
                found[other].add(unit)
        around.append(unit)
    return {unit: frozenset(others) for unit, others in found.items()}


class _Search:
    """A maximum weight independent set of units that cross: either without one of them or with it and without those it
    crosses, what falls apart then for itself, each set of units once. The one is from the middle, so that it does."""

    def __init__(self, worth: Mapping[int, float], crossing: Mapping[int, frozenset[int]]) -> None:
        self.worth = worth
        self.crossing = crossing
        self.known: dict[frozenset[int], Chosen] = {}

    def best(self, units: frozenset[int], depth: int = 0) -> Chosen:
        """RETURNS (Tuple[float, Tuple[int, ...]]): The best of the units, and what they are worth."""
        if len(units) == 1:
            (unit,) = units
            return self.worth[unit], (unit,)
        if units not in self.known:
            if len(self.known) >= MOST_SETS or depth >= DEEPEST:
                return self._greedy(units)
            first = self._middle(units)
            without = self._apart(units - {first}, depth + 1)
            value, others = self._apart(units - {first} - self.crossing[first], depth + 1)
            having = round(value + self.worth[first], 9), tuple(sorted((*others, first)))
            self.known[units] = max(without, having)
        return self.known[units]

    def _middle(self, units: frozenset[int]) -> int:
        """RETURNS (int): The unit over the middle of several that crosses most others."""
        starts = sorted(map(first_token, units))
        middle = 1 << starts[len(starts) // 2]
        # What has words before it and others from it on; if there is none, what is divided is left whole.
        over = [unit for unit in units if unit & (middle - 1) and unit >= middle]
        return max(over or units, key=lambda u: (len(self.crossing[u] & units), self.worth[u], u))

    def _apart(self, units: frozenset[int], depth: int) -> Chosen:
        found = [self.best(part, depth) for part in _components(units, self.crossing)]
        chosen = sorted(unit for _, part in found for unit in part)
        return round(sum(value for value, _ in found), 9), tuple(chosen)

    def _greedy(self, units: frozenset[int]) -> Chosen:
        chosen: set[int] = set()
        for unit in sorted(units, key=lambda u: (-self.worth[u], u)):
            if not self.crossing[unit] & chosen:
                chosen.add(unit)
        return round(sum(self.worth[unit] for unit in chosen), 9), tuple(sorted(chosen))


def _components(
    units: frozenset[int], crossing: Mapping[int, frozenset[int]]
) -> list[frozenset[int]]:
    """RETURNS (List[FrozenSet[int]]): The units that cross, directly or by others, together."""
    left, found = set(units), []
    while left:
        stack = [left.pop()]
        part = set(stack)
        while stack:
            new = crossing[stack.pop()] & left
            left -= new
            part |= new
            stack += new
        found.append(frozenset(part))
    return found
