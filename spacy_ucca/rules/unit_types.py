"""What the children of a unit may be together: the types of units that follow from the rules of the table.

For UCCA these are a unit without relation, a Scene, a unit with a Center, one with coordinated Centers, and Parallel
Scenes.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy


class UnitType(NamedTuple):
    """The categories that the children of a unit of some type may have.

    allowed (int): All of them.
    needed (int): Those of which one child at least has one; 0 for none.
    single (bool): Whether no more than one child has one of `needed`.
    """

    allowed: int
    needed: int = 0
    single: bool = False


def unit_types(
    compatible: numpy.ndarray, needs: Mapping[int, int], at_most_one: int, not_beside_tokens: int
) -> list[UnitType]:
    """Find the types of units: the largest sets of categories that may stand beside each other.

    compatible (ndarray[bool]): (n_sets,) whether a set of categories may stand under one unit.
    needs (Mapping[int, int]): For categories that need others: those of which there has to be one.
    at_most_one (int): The categories of which a unit has one at most.
    not_beside_tokens (int): The categories that do not stand beside tokens.
    RETURNS (List[UnitType]): The types. Those that ask for less come first, which decides between equally good ones.
    RAISES (ValueError): If one unit would need two things.
    """
    types, bare = [], set()
    for allowed in _largest(compatible):
        needed = {group for category, group in needs.items() if category & allowed}
        if len(needed) > 1:
            raise ValueError("categories that may stand beside each other need different others")
        for group in needed:
            types.append(UnitType(allowed, group, not group & ~at_most_one))
            for category in (group, *(c for c, other in needs.items() if other == group)):
                allowed &= ~category
        bare.add(allowed)
    types += [UnitType(s) for s in bare if not any(s & ~o == 0 for o in bare - {s})]

    def demands(of: UnitType) -> tuple:
        wordless = bool(of.needed & not_beside_tokens)
        return of.needed > 0, not of.single, wordless, -of.allowed.bit_count(), of.allowed

    return sorted(types, key=demands)


def _largest(compatible: numpy.ndarray) -> list[int]:
    """RETURNS (List[int]): The compatible sets to which no category can be added."""
    sets = numpy.arange(len(compatible))
    largest = compatible.copy()
    for i in range(len(compatible).bit_length() - 1):
        more = sets | 1 << i
        largest &= (more == sets) | ~compatible[more]
    return numpy.nonzero(largest)[0].tolist()
