"""What `repair.py` may do to an edge, and what that costs: the categories that units can have below them, what
another category most naturally becomes, and how much the parser's confidence counts. No graphs are seen here.
"""

from functools import cache
from math import log
from typing import NamedTuple

from .grammar import (
    ARGUMENTS,
    MAIN,
    NAMES,
    PARALLEL,
    bits,
)


class Mode(NamedTuple):
    """What a unit can be: the categories its children may have, and of which one of them must be, and one only."""

    allowed: int
    needed: int = 0  # one child at least has one of these
    single: bool = False  # and one only


CENTERED = (
    Mode(bits("CEQDRF"), bits("C")),
    Mode(bits("CNRF"), bits("C")),
)
MODES = (
    Mode(bits("DGRF")),
    Mode(MAIN | ARGUMENTS | bits("DGRF"), MAIN, single=True),
    *CENTERED,
    Mode(PARALLEL | bits("GRF"), bits("H")),
)
# What another category becomes most naturally, where it cannot stay; any other change costs a little more.
NATURAL = {
    **{"P": "CH", "S": "CH", "A": "EHC", "D": "E", "T": "DE", "H": "ACP", "G": "DF", "L": "NRF"},
    **{"C": "SPHA", "E": "CDA", "Q": "ED", "N": "LRF", "R": "F", "F": "R"},
}
NEW = bits("HLGPSADCENRF")  # what may be given: not all guidelines have T and Q
# What changes cost: in weights of edges, which grow with how sure the parser was (`_weight`).
COST, NATURAL_COST, PART_COST, DROP_COST = 1.0, 0.8, 0.3, 0.9
# To leave out an implicit unit: one of another category is hardly ever right.
IMPLICIT_COST = 0.7
# A Process or State for a Scene: an implicit one, or one of its words.
NEW_COST, WORD_COST = 0.5, 0.25


@cache
def options(label: int, allowed: int, needed: int) -> tuple[tuple[float, int], ...]:
    """What an edge may become, and what that costs.

    label (int): Its categories.
    allowed (int): The categories that are allowed.
    needed (int): Those of which it has to have one, and only one; 0 for none.
    RETURNS (Tuple[Tuple[float, int], ...]): For each, what it costs and the categories.
    """
    natural = "".join(NATURAL.get(NAMES.get(1 << k, ""), "") for k in each(label))
    parts = [label & allowed]
    if needed:
        parts = [label & allowed & (~needed | 1 << k) for k in each(label & needed & allowed)]
    found = [(0.0 if part == label else PART_COST, part) for part in parts if part]
    for k in each(NEW & (needed or allowed) & allowed & ~label):
        place = natural.find(NAMES[1 << k])
        found.append((COST if place < 0 else NATURAL_COST + 0.02 * place, 1 << k))
    return tuple(option for option in found if not needed or option[1] & needed)


def weight_of(score: float) -> float:
    """RETURNS (float): What it costs to say that an edge of some probability is wrong: the logarithm of how unlikely
    that is, and a little for the change."""
    return 0.2 - log(1 - 0.999 * score)


def each(label: int) -> list[int]:
    """RETURNS (List[int]): The numbers of the bits that are set."""
    return [k for k in range(label.bit_length()) if label >> k & 1]
