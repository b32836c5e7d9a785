"""The relation of a Scene: its words, its head, and the word that the Scene's own clause hangs on, where its verb is elided too."""

from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..graph.unit import Unit
from ..tokens.extension import require_graph
from . import clauses
from .words import children_of, is_modal, is_negation, span_of, words_of, words_of_unit

FORMAL = clauses.SUBJECTS | clauses.PASSIVE
# What a clause with an elided verb has not: "she has a car", "there is one"
COMPLEMENTS = clauses.AGENTS | {"iobj", "xcomp", "ccomp", "obl", "expl", "cop"}


class Relation(NamedTuple):
    """What a Scene says that happens or is.

    head (Optional[Token]): Its lexical head; None if it is implicit.
    span (Optional[Span]): Its words, with the head.
    verb (Optional[Token]): The word that the clause of the Scene hangs on: a light verb, the auxiliary of an elided verb, or the head;
        where nothing of the kind is among the words of the Scene, the first that the others depend on.
    elided (bool): Whether the words are those of another Scene: "swim" for "she can't" in "He can swim but she can't".
    source (Optional[Unit]): That Scene; None if nobody knows.
    """

    head: Token | None
    span: Span | None
    verb: Token | None
    elided: bool = False
    source: Unit | None = None

    @property
    def is_gapped(self) -> bool:
        """RETURNS (bool): Whether no auxiliary stands for an elided verb: "and Mary coffee"."""
        return self.elided and not (self.verb is not None and is_verbal(self.verb))


def is_verbal(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a verb or an auxiliary."""
    return token.pos_ in ("VERB", "AUX") or is_modal(token)


def is_auxiliary(token: Token) -> bool:
    """RETURNS (bool): Whether a word is an auxiliary, or a verb that can stand for another one."""
    is_pro_verb = token.lemma_ in words_of(token.doc, "pro_verbs")
    return is_pro_verb or token.pos_ == "AUX" or is_modal(token)


def find_relation(doc: Doc, scene: Unit) -> Relation:
    """Find the relation of a Scene. One without words is that of the verb of the Scene, if the tree has one: "did" of "They did".

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    RETURNS (Relation): The relation.
    """
    own = _relation_of(doc, scene)
    is_shared = own.head is not None and shares_relation(scene)
    source = _sharing(scene) if is_shared else _antecedent(doc, scene, own.head)
    if source is not None:
        own = _relation_of(doc, source)
    if source is not None or is_shared:
        return Relation(own.head, own.span, _anchor(doc, scene), True, source)
    return own


def shares_relation(scene: Unit) -> bool:
    """RETURNS (bool): Whether the main relation of a Scene belongs to another unit."""
    relation = scene.main_relation
    return relation is not None and relation.parent != scene


def _relation_of(doc: Doc, scene: Unit) -> Relation:
    """RETURNS (Relation): The relation by the words that the graph has for it, or else by the verb of the Scene."""
    head = clauses.relation_head(doc, scene)
    if head is not None:
        return Relation(head, _span(doc, scene, head), clauses.clause_verb(scene, head))
    verb = _anchor(doc, scene)
    if verb is not None and require_graph(doc).scene_of(verb.i) == scene:
        if is_verbal(verb) or any(k.dep_ in FORMAL | {"cop"} for k in children_of(verb)):
            return Relation(verb, doc[verb.i : verb.i + 1], verb)
    return Relation(None, None, verb)


def _anchor(doc: Doc, scene: Unit) -> Token | None:
    """RETURNS (Optional[Token]): The word of a Scene that the others depend on; rather a verb."""
    own = [token for token in words_of_unit(doc, scene) if not is_negation(token)]
    if not doc.has_annotation("DEP"):
        return next(iter(own), None)
    verbs = (t for t in own if is_verbal(t) and (t.head not in own or t.head == t))
    return next(verbs, None) or clauses.top(own)


def _span(doc: Doc, scene: Unit, head: Token) -> Span:
    """RETURNS (Span): The words of the relation, with the head: "are toys" of "They are toys", where the graph has "are" as the
    relation. The verb alone, if it has the rest as its subject or object: "filed" of "filed a complaint"; or others between."""
    relation = scene.main_relation
    own = None if relation is None else span_of(doc, relation)
    if relation is None or own is None or own.start <= head.i < own.end:
        return own or doc[head.i : head.i + 1]
    start, end = min(own.start, head.i), max(own.end, head.i + 1)
    units = [u.tokens() for u in scene.children_by("A", remotes=False) if head.i not in u.tokens()]
    others = {i for tokens in units for i in tokens}
    others |= {k.i for k in children_of(head) if k.dep_ in FORMAL}
    objects = (t for t in words_of_unit(doc, relation) if t.head == head)
    if others.isdisjoint(range(start, end)) and not any(t.dep_ in clauses.OBJECTS for t in objects):
        return doc[start:end]
    unit = next((u for u in scene.children_by("D", "F", "P", "S") if head.i in u.tokens()), None)
    return (unit and span_of(doc, unit)) or doc[head.i : head.i + 1]


def _sharing(scene: Unit) -> Unit | None:
    """RETURNS (Optional[Unit]): The Scene whose main relation another one shares."""
    relation = scene.main_relation
    source = None if relation is None else relation.host
    is_of = source is not None and source != scene and source.main_relation == relation
    return source if source and is_of and not shares_relation(source) else None


def _antecedent(doc: Doc, scene: Unit, head: Token | None) -> Unit | None:
    """RETURNS (Optional[Unit]): The Scene before that has the verb for an auxiliary, where only the tree tells: "so did she"."""
    if head is None or head.i not in scene.tokens() or not _is_bare_auxiliary(head):
        return None
    above = head.head if head.dep_ == "cop" else head
    while above.dep_ in ("conj", "advcl", "parataxis") and above.head.i < above.i:
        above = above.head
        if not _is_bare_auxiliary(above):
            source = require_graph(doc).scene_of(above.i)
            verb = _relation_of(doc, source).verb if source and source != scene else None
            while verb and verb.dep_ == "xcomp" and above.i < verb.i and verb.head.i < verb.i:
                verb = verb.head  # "tried to run"
            return source if verb == above else None
    return None


def _is_bare_auxiliary(token: Token) -> bool:
    """RETURNS (bool): Whether a word is an auxiliary without its verb."""
    is_part = token.dep_.startswith("aux") or token.dep_ == "cop"
    if not is_auxiliary(token) or (is_part and not clauses.hangs_on_particle(token)):
        return False
    labels = {kid.dep_ for kid in children_of(token)}
    if token.lemma_ == "do" and labels & {"aux", "aux:pass"}:
        return False  # "a couple would do", "they were done"
    complements = set() if clauses.is_inverted(token) else clauses.OBJECTS
    return not labels & (COMPLEMENTS | complements)
