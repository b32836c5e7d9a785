"""The categories of UCCA's foundational layer, their names and order of headedness, and the kinds of units.

Names follow the UCCA guidelines (Abend et al., 2020); the head priority is Figure 4 of the
supplementary notes to "A Transition-Based DAG Parser for UCCA" (ACL 2017), with Q (Quantifier,
guidelines 2.0) where TUPA's successors put it.
"""

from collections.abc import Iterable

TERMINAL = "Terminal"
PUNCTUATION = "U"
LINK_RELATION = "LR"
LINK_ARGUMENT = "LA"

FOUNDATIONAL = "FN"
PUNCT = "PNCT"
LINKAGE = "LKG"
IMPLICIT = "IMPLICIT"
KINDS = (FOUNDATIONAL, PUNCT, LINKAGE, IMPLICIT)

CATEGORY_NAMES: dict[str, str] = {
    "H": "Parallel Scene",
    "L": "Linker",
    "G": "Ground",
    "P": "Process",
    "S": "State",
    "A": "Participant",
    "D": "Adverbial",
    "T": "Time",
    "C": "Center",
    "E": "Elaborator",
    "N": "Connector",
    "Q": "Quantifier",
    "R": "Relator",
    "F": "Function",
    PUNCTUATION: "Punctuation",
    LINK_RELATION: "Link Relation",
    LINK_ARGUMENT: "Link Argument",
    TERMINAL: "Terminal",
}

HEAD_PRIORITY: tuple[str, ...] = (
    *("C", "N", "H", "P", "S", "A", "D", "T", "Q", "E", "R", "F", "L"),
    *(LINK_RELATION, LINK_ARGUMENT, "G", TERMINAL, PUNCTUATION),
)
MAIN_RELATIONS = frozenset("PS")  # either makes a unit a Scene
_RANK = {category: rank for rank, category in enumerate(HEAD_PRIORITY)}
SEPARATOR = "|"


def priority(categories: Iterable[str]) -> int:
    """Rank of an edge when a unit's head is looked for: 0 is most head-like.

    categories (Iterable[str]): The categories of the edge.
    RETURNS (int): The best rank among them; unknown categories come last.
    """
    return min((_RANK.get(c, len(_RANK)) for c in categories), default=len(_RANK))


def join_categories(categories: Iterable[str]) -> str:
    """The single label a parser predicts for an edge with several categories, such as "S|A".

    categories (Iterable[str]): The categories of the edge, in any order.
    RETURNS (str): The categories, sorted by head priority and joined by "|".
    """
    return SEPARATOR.join(sorted(set(categories), key=lambda c: (_RANK.get(c, len(_RANK)), c)))


def split_label(label: str) -> tuple[str, ...]:
    """The categories of a joined label; the inverse of `join_categories`.

    label (str): A joined label, such as "S|A".
    RETURNS (Tuple[str, ...]): Its categories.
    """
    return tuple(label.split(SEPARATOR))
