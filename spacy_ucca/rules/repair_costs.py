"""Costs of repair actions and of labels that break a rule; the possible replacements of an edge.

Costs of repair are in units of an edge's weight, which grows with the parser's confidence in it. Costs of the label
search are negative log probabilities. All were chosen on development sets: those of repair on EWT and Wiki, with the
shipped pipeline's parser, those of the label search on EWT, with the span parser.
"""

from functools import cache
from math import log

from .bit_grammar import NAMES, bits

# Repair: cost of giving an edge other categories.
COST = 1.0  # any new category but those of NATURAL: the unit of all others
NATURAL_COST = 0.8  # the first category of NATURAL: a little less
NATURAL_STEP = 0.02  # more for each further category of NATURAL: decides between equals
PART_COST = 0.3  # to keep some of several categories, such as A of S|A: nothing new is claimed
# Repair: cost of dropping edges.
DROP_COST = 0.9  # a remote edge
IMPLICIT_COST = (
    0.7  # an implicit unit: less than NATURAL_COST, for another category is hardly ever right
)
# Repair: cost of adding a main relation to a Scene without one.
NEW_COST = 0.5  # an implicit Process; also the weight of its edge, and of that of a State
WORD_COST = 0.25  # a State of the Scene's tokens, where it has no other children with words
# Repair: the weight of an edge of probability 0, and the factor that keeps that of probability 1 finite.
LEAST_WEIGHT, SUREST = 0.2, 0.999

# Label search: cost of breaking a rule; so high that a rule is broken only where nothing else is possible.
BROKEN = 25.0
# Label search: cost of a unit without a main relation or Center, as either may be a remote child or implicit.
MISSING = 2.0
# Label search: the cost of a label that is never to be chosen.
NEVER = 1e6

# What another category becomes most naturally, where it cannot stay; the first letters before the later ones.
NATURAL = {
    **{"P": "CH", "S": "CH", "A": "EHC", "D": "E", "T": "DE", "H": "ACP", "G": "DF", "L": "NRF"},
    **{"C": "SPHA", "E": "CDA", "Q": "ED", "N": "LRF", "R": "F", "F": "R"},
}
NEW = bits("HLGPSADCENRF")  # categories that repair may assign; not all guidelines have T and Q


@cache
def repair_actions(
    label: int, allowed: int, needed: int, new: int = NEW
) -> tuple[tuple[float, int], ...]:
    """Find the categories that an edge may get, and their costs.

    label (int): Its categories.
    allowed (int): The categories that are allowed.
    needed (int): Those of which it has to have one, and only one; 0 for none.
    new (int): Those that the edge may get.
    RETURNS (Tuple[Tuple[float, int], ...]): For each action, its cost and the categories of the edge after it.
    """
    natural = "".join(NATURAL.get(NAMES.get(1 << k, ""), "") for k in _set_bits(label))
    parts = [label & allowed]
    if needed:
        parts = [label & allowed & (~needed | 1 << k) for k in _set_bits(label & needed & allowed)]
    actions = [(0.0 if part == label else PART_COST, part) for part in parts if part]
    for k in _set_bits(new & (needed or allowed) & allowed & ~label):
        place = natural.find(NAMES[1 << k])
        actions.append((COST if place < 0 else NATURAL_COST + NATURAL_STEP * place, 1 << k))
    return tuple(action for action in actions if not needed or action[1] & needed)


def edge_weight(score: float) -> float:
    """RETURNS (float): What it costs to say that an edge of some probability is wrong: the negative log probability that
    it is, and a little for the change."""
    return LEAST_WEIGHT - log(1 - SUREST * score)


def _set_bits(label: int) -> list[int]:
    """RETURNS (List[int]): The numbers of the bits that are set."""
    return [k for k in range(label.bit_length()) if label >> k & 1]
