"""What kind of Scene a unit is: by the graph, and by tags and dependencies where the Doc has some.

The properties of `Unit` by the same names know the graph and its words alone.
"""

from collections.abc import Callable

from spacy.tokens import Doc

from ..graph.unit import Unit
from .clauses import RELATIVE, clause_verb, is_clause_head
from .relations import Relation, find_relation
from .words import find_negation


def _relation(doc: Doc, unit: Unit) -> Relation | None:
    """RETURNS (Optional[Relation]): The relation of a Scene; None if dependencies do not tell."""
    if not unit.is_scene or not doc.has_annotation("DEP"):
        return None
    return find_relation(doc, unit)


def is_clause(doc: Doc, unit: Unit, relation: Relation | None = None) -> bool:
    """RETURNS (bool): Whether a Scene has a clause: "that he bought", not "big" or "her sister"."""
    relation = relation or _relation(doc, unit)
    if relation is None or not doc.has_annotation("DEP"):
        return unit.is_clause
    if relation.head is None:
        return unit.is_clause and relation.verb is None
    scene = relation.source or unit
    return is_clause_head(scene, clause_verb(scene, relation.head))


def is_relative(doc: Doc, unit: Unit, relation: Relation | None = None) -> bool:
    """RETURNS (bool): Whether a Scene is a relative clause, with or without a relative pronoun."""
    relation = relation or _relation(doc, unit)
    verb = relation and relation.verb
    if verb is None or unit.is_relative:
        return unit.is_relative
    while verb.dep_ == "conj" and verb.head != verb:
        verb = verb.head
    return verb.dep_ in RELATIVE


def is_possessive(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether a Scene says whose something is: "her" of "her car"."""
    relation = unit.main_relation if unit.scene_kind == "elaborator" else None
    words = () if relation is None else relation.tokens()
    is_pronoun = len(words) == 1 and "Yes" in doc[words[0]].morph.get("Poss", [])
    return is_pronoun or unit.is_possessive


def is_attribute(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether a Scene stands with a noun and is neither clause nor possessive: "big" of "the big house"."""
    return unit.scene_kind == "elaborator" and not (
        is_clause(doc, unit) or is_possessive(doc, unit)
    )


def is_negated(doc: Doc, unit: Unit) -> bool:
    """RETURNS (bool): Whether the text denies a Scene."""
    relation = _relation(doc, unit)
    return find_negation(doc, unit, relation and relation.verb) is not None


# The attributes that patterns have for them
KINDS: dict[str, Callable[[Doc, Unit], bool]] = {
    "IS_CLAUSE": is_clause,
    "IS_RELATIVE": is_relative,
    "IS_POSSESSIVE": is_possessive,
    "IS_ATTRIBUTE": is_attribute,
    "IS_NEGATED": is_negated,
}
