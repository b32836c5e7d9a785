"""The categories of UCCA's foundational layer, their names, meanings and order of headedness, and the kinds of units.

Names follow the UCCA guidelines (Abend et al., 2020); the head priority is Figure 4 of the
supplementary notes to "A Transition-Based DAG Parser for UCCA" (ACL 2017), with Q (Quantifier,
guidelines 2.0) where TUPA's successors put it. Users type categories and names of attributes: a wrong one is an
error that names the right one.
"""

import warnings
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from ..errors import Warnings

TERMINAL = "Terminal"
PUNCTUATION = "U"
LINK_RELATION = "LR"
LINK_ARGUMENT = "LA"

FOUNDATIONAL = "FN"
PUNCT = "PNCT"
LINKAGE = "LKG"
IMPLICIT = "IMPLICIT"
KINDS = (FOUNDATIONAL, PUNCT, LINKAGE, IMPLICIT)

# Name and meaning of each category, after the UCCA guidelines, version 2.1
MEANINGS = {
    "H": "Parallel Scene: a Scene that stands beside others in the text: something that "
    "happens, or a state that lasts",
    "L": "Linker: a word that links Scenes, such as 'and' or 'because'",
    "G": "Ground: what relates a Scene to the speaker or the act of speaking, such as "
    "'surprisingly'",
    "P": "Process: the main relation of a Scene that changes or acts: 'moved'",
    "S": "State: the main relation of a Scene that lasts: 'tall', 'has'",
    "A": "Participant: a person, thing, place or Scene that takes part in a Scene",
    "D": "Adverbial: a second relation of a Scene: manner, modality, negation, phase",
    "T": "Time: when, how long or how often a Scene is",
    "C": "Center: what a unit that is no Scene is about",
    "E": "Elaborator: what says more about a Center: 'big', 'of the house'",
    "N": "Connector: a word that joins Centers, such as 'and'",
    "Q": "Quantifier: how many or how much of a Center",
    "R": "Relator: a word that relates a unit to others, such as a preposition",
    "F": "Function: a word that refers to nothing of its own, such as an article or auxiliary",
    PUNCTUATION: "Punctuation: punctuation",
    LINK_RELATION: "Link Relation: the Linker of a linkage (guidelines 1.x)",
    LINK_ARGUMENT: "Link Argument: a Scene of a linkage (guidelines 1.x)",
}
CATEGORY_NAMES = {c: meaning.partition(":")[0] for c, meaning in MEANINGS.items()}
CATEGORY_NAMES[TERMINAL] = TERMINAL

HEAD_PRIORITY: tuple[str, ...] = (
    *("C", "N", "H", "P", "S", "A", "D", "T", "Q", "E", "R", "F", "L"),
    *(LINK_RELATION, LINK_ARGUMENT, "G", TERMINAL, PUNCTUATION),
)
MAIN_RELATIONS = frozenset("PS")  # either makes a unit a Scene
# What belongs to Scenes alone, and to other units alone: D stands in both (guidelines 2.0).
SCENE_PARTS, INNER_PARTS = "PSAT", "CENQ"
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


def explain(label: str) -> str | None:
    """What a category of UCCA means, as `spacy.explain` does for other labels.

    label (str): One category or several, such as "A" or "S|A".
    RETURNS (Optional[str]): Name and meaning; None, with a warning, if it is no category of UCCA.
    """
    for part in label.split("|"):
        if part not in MEANINGS:
            message = Warnings.UW687.format(category=part, hint=hint_at(part))
            warnings.warn(message, stacklevel=2)
            return None
    return "; ".join(MEANINGS[part] for part in label.split("|"))


def hint_at(category: object) -> str:
    """RETURNS (str): " Did you mean 'A'?" where a category is given by its name or in lower case; "" otherwise."""
    by_name = {name.lower(): c for c, name in CATEGORY_NAMES.items()}
    meant = by_name.get(str(category).lower().rstrip("s"), str(category).upper())
    return f" Did you mean '{meant}'?" if meant in CATEGORY_NAMES else ""


def hint_of(name: str, known: Iterable[str]) -> str:
    """RETURNS (str): " Did you mean 'lemma'?" where a known name is much like one that is not; "" otherwise."""
    close = get_close_matches(name, list(known), 1)
    return f" Did you mean '{close[0]}'?" if close else ""


def no_attribute(owner: object, name: str, more: Collection[str] = ()) -> AttributeError:
    """RETURNS (AttributeError): The error that an object has no attribute of that name, with the name that is most like it."""
    known = (n for n in {*dir(type(owner)), *more} if not n.startswith("_"))
    message = f"'{type(owner).__name__}' object has no attribute '{name}'."
    # With `obj` and no `name`, Python adds no hint of its own.
    return AttributeError(message + hint_of(name, known), obj=owner)
