"""What units may be made of: which categories go together, and which under which.

The guidelines' rules as arithmetic on bits, for those that make graphs follow them (`repair.py`) or look whether
they do (`screening.py`). To say in words what a graph breaks is `validation.py`'s.
"""

from functools import cache

# Categories as bits. What is none of UCCA's goes where Participants go.
ORDER = "HLGPSADTCENQRF"
BITS = {category: 1 << i for i, category in enumerate(ORDER)}
OTHER = 1 << len(ORDER)
NAMES = {bit: category for category, bit in BITS.items()}


@cache
def bits(categories: str | tuple[str, ...]) -> int:
    """RETURNS (int): Categories as bits."""
    found = 0
    for category in categories:
        found |= BITS.get(category, OTHER)
    return found


MAIN = bits("PS")
ARGUMENTS = bits("AT") | OTHER
INNER = bits("CENQ")
PARALLEL = bits("HL")
OF_SCENES = MAIN | ARGUMENTS | PARALLEL | bits("DG")
CENTER, CONNECTOR, SCENES, GROUND, FUNCTION = (bits(c) for c in "CNHGF")
NOT_BESIDE_CONNECTOR = bits("EQD")
BESIDE_SCENES = PARALLEL | bits("GRF")

# What a unit may be: the later, the less it may have. A unit of several categories has the last of their levels.
FREE, SCENE, SPEECH, FLAT, PLAIN, TOP = range(6)
LEVELS = {
    **dict.fromkeys("AECR", FREE),
    "H": SCENE,  # no Parallel Scenes
    "G": SPEECH,  # nor Grounds
    **dict.fromkeys("DTLQNF", FLAT),  # nothing of Scenes
    **dict.fromkeys("PS", PLAIN),  # nor in any unit below
}
LEVEL_OF = [LEVELS[category] for category in ORDER] + [FREE]
BANNED = (0, PARALLEL, PARALLEL | bits("G"), OF_SCENES, OF_SCENES, ~(PARALLEL | bits("F")))


@cache
def level_of(categories: int) -> int:
    """RETURNS (int): What a unit with these categories may be."""
    return max((LEVEL_OF[i] for i in range(len(LEVEL_OF)) if categories >> i & 1), default=FREE)


def fits(own: int, level: int, n_main: int, has_tokens: bool) -> bool:
    """Whether a unit may have children of some categories.

    own (int): The categories of its children, as bits.
    level (int): What its own categories allow.
    n_main (int): How many Processes and States there are.
    has_tokens (bool): Whether tokens hang on it.
    RETURNS (bool): Whether it may.
    """
    if own & BANNED[level] or n_main > 1:
        return False
    if own & PARALLEL:
        return bool(own & SCENES) and not own & ~BESIDE_SCENES and not has_tokens
    if own & INNER:
        if own & (MAIN | ARGUMENTS | GROUND) or not own & CENTER:
            return False
        return not (own & CONNECTOR and own & NOT_BESIDE_CONNECTOR)
    return bool(own & MAIN) or not own & ARGUMENTS
