"""What kind of Scene a unit is: by the graph, and by tags and dependencies where the Doc has some.

The properties of `Unit` by the same names know the graph and its words alone.
"""

from collections.abc import Callable

from spacy.tokens import Doc, Token

from ..graph.unit import Unit
from . import clauses
from .words import find_negation


def _verb(doc: Doc, unit: Unit, head: Token | None) -> Token | None:
    """RETURNS (Optional[Token]): The verb or predicate that the clause of a Scene hangs on; None if dependencies do not tell. `head` is
    the head of its relation, if it is known."""
    if not unit.is_scene or not doc.has_annotation("DEP"):
        return None
    head = head or clauses.relation_head(doc, unit)
    return None if head is None else clauses.clause_verb(unit, head)


def is_clause(doc: Doc, unit: Unit, head: Token | None = None) -> bool:
    """RETURNS (bool): Whether a Scene has a clause: "that he bought", not "big" or "her sister"."""
    verb = _verb(doc, unit, head)
    return unit.is_clause if verb is None else clauses.is_clause(unit, verb)


def is_relative(doc: Doc, unit: Unit, head: Token | None = None) -> bool:
    """RETURNS (bool): Whether a Scene is a relative clause, with or without a relative pronoun."""
    verb = _verb(doc, unit, head)
    if verb is None or unit.is_relative:
        return unit.is_relative
    while verb.dep_ == "conj" and verb.head != verb:
        verb = verb.head
    return verb.dep_ in clauses.RELATIVE


def is_possessive(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether a Scene says whose something is: "her" of "her car"."""
    return unit.is_possessive


def is_attribute(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether a Scene stands with a noun and is neither clause nor possessive: "big" of "the big house"."""
    return unit.scene_kind == "elaborator" and not (is_clause(doc, unit) or unit.is_possessive)


def is_negated(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether the text denies a Scene."""
    verb = _verb(doc, unit, None)
    return unit.is_negated if verb is None else find_negation(doc, unit, verb) is not None


# The attributes that patterns have for them
KINDS: dict[str, Callable[[Doc, Unit], bool]] = {
    "IS_CLAUSE": is_clause,
    "IS_RELATIVE": is_relative,
    "IS_POSSESSIVE": is_possessive,
    "IS_ATTRIBUTE": is_attribute,
    "IS_NEGATED": is_negated,
}
