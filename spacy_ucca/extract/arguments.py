"""Who and what takes part in a Scene: by the graph, and by dependencies where there are some."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..graph.categories import no_attribute
from ..graph.unit import Edge, Unit
from .circumstances import can_act, is_when
from .clauses import NOUNS, clause_verb, is_clause_head, is_passive, object_of, subject_of, top
from .forms import is_command, is_gerund
from .relations import FORMAL, Relation
from .words import children_of, is_listed, line_of, span_of, words_of, words_of_unit

_PAUSES = {*",;:-–—،、，"}
NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X", ""}


@dataclass(frozen=True)
class Argument:
    """A participant.

    span (Optional[Span]): Its words; None if it is implicit.
    head (Optional[Token]): Its head; None if it is implicit.
    edge (Optional[Edge]): The edge to it; None if the graph has none, and it is known by dependencies alone.
    preposition (Optional[Token]): The preposition that it has.
    """

    span: Span | None
    head: Token | None
    edge: Edge | None = None
    preposition: Token | None = None

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, self.__dataclass_fields__)

    @property
    def text(self) -> str:
        """RETURNS (str): Its words on one line, without preposition; "(implicit)" without words."""
        if self.span is None:
            return "(implicit)"
        is_first = self.preposition is not None and self.preposition.i == self.span.start
        return line_of(self.span[1:] if is_first and len(self.span) > 1 else self.span)

    @property
    def is_implicit(self) -> bool:
        """RETURNS (bool): Whether no word of the text stands for it."""
        return self.head is None

    @property
    def is_shared(self) -> bool:
        """RETURNS (bool): Whether it belongs to another Scene, and this one only shares it."""
        return self.edge is not None and self.edge.remote


# Subject, object and the others
Roles = tuple[Argument | None, Argument | None, tuple[Argument, ...]]


def find_arguments(doc: Doc, scene: Unit, head: Token, relation: Token) -> Roles:
    """RETURNS (Tuple[Optional[Argument], Optional[Argument], Tuple[Argument, ...]]): Subject, object and the others of a Scene.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    head (Token): The verb of its clause.
    relation (Token): The head of its relation, which is no argument of itself.
    """
    if scene.is_possessive:
        return _of_possessive(doc, scene)
    known = [a for a in _known(doc, scene) if a.edge and relation.i not in a.edge.child.tokens()]
    if scene.scene_kind == "elaborator" and head.dep_ in ("amod", "compound", "nmod", ""):
        shared = [a for a in known if a.is_shared and a.preposition is None]
        if len(shared) == 1:  # "big": the house is it
            return shared[0], None, tuple(a for a in known if a != shared[0])
    when = {i for unit in scene.times for i in unit.tokens()}
    if doc.has_annotation("DEP"):
        subject, object = subject_of(head, when), object_of(head)
    else:
        subject = object = None
    if head.pos_ in NOUNS and head == relation:
        inside = subject is not None and subject.i in scene.tokens(remotes=True)
        is_nominal = scene.host is not None or not is_clause_head(scene, head)
        if is_nominal and not inside and not scene.is_evoked:
            if (roles := _of_nominal(head, known)) is not None:
                return roles
    bare = [a for a in known if _is_bare(a)]
    passive = is_passive(head)
    heads = [a.head for a in bare if a.head is not None and a.head not in (subject, object)]
    sharing = [a.head for a in bare if a.is_shared and head.pos_ in NOUNS]
    before = [token for token in heads if token.i < head.i or token in sharing]
    after = [token for token in heads if token.i > head.i and token.dep_ != "obl"]
    if passive:
        if object is None:
            object = next(iter(before), None)
        if subject is None:
            subject = next((a.head for a in known if _is_agent(a)), None)
    else:
        if subject is None and not (is_command(head) or is_gerund(head)):
            subject = next(iter(before), None)
        if (
            object is None
            and head.pos_ in ("VERB", "")
            and not any(k.dep_ in ("ccomp", "xcomp") for k in head.children)
        ):
            object = next((h for h in after if h != subject), None)
        if object is None:  # "assured her that all was well"
            object = next((kid for kid in children_of(head) if kid.dep_ == "iobj"), None)
    if object and not passive and is_when(object, head, object.i in when):
        object = None
    if object in (relation, subject):
        object = None
    found = [_find(doc, known, token) for token in (subject, object)]
    parts = [a.head for a in found if a is not None]  # several edges may lead to one
    others = tuple(a for a in known if a not in found and (a.head is None or a.head not in parts))
    return found[0], found[1], tuple(sorted(others, key=lambda a: a.is_implicit))


def _of_nominal(head: Token, known: list[Argument]) -> Roles | None:
    """RETURNS (Optional[Roles]): Who does what by a noun: "Ann's" and "by Ann" do it, and it is done to what has "of" ("the fall of the
    city": the city does it); None if no participant tells."""
    owner = next((a for a in known if a.head and a.head.dep_ in ("nmod:poss", "poss")), None)
    subject = owner or next((a for a in known if _is_agent(a)), None)
    of = (a for a in known if a.preposition and a.preposition.lower_ in words_of(head.doc, "of"))
    object = next(of, None)
    if subject is None and object is None:
        return None
    if subject is None and is_listed(head, "happening"):
        subject, object = object, None
    return subject, object, tuple(a for a in known if a not in (subject, object))


def _of_possessive(doc: Doc, scene: Unit) -> Roles:
    """Who has what: "my" in "my bicycle" has the bicycle."""
    known = _known(doc, scene)
    owner = next((a for a in known if not (a.is_shared or a.is_implicit)), None)
    owned = next((a for a in known if a.is_shared), None)
    return owner, owned, tuple(a for a in known if a not in (owner, owned))


def find_elided_arguments(doc: Doc, scene: Unit, relation: Relation) -> Roles:
    """Find the participants of a Scene whose verb is elided or implicit: those that it has itself, in the roles that the verb gives
    to its own, and those that it shares. The subject of the verb elsewhere is none of a Scene with a subject of its own.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    relation (Relation): Its relation.
    RETURNS (Tuple[Optional[Argument], Optional[Argument], Tuple[Argument, ...]]): Subject, object and the others.
    """
    known = [a for a in _known(doc, scene) if a.edge and a.edge.child != scene.main_relation]
    inverting = words_of(doc, "inverting")
    known = [a for a in known if a.head is None or a.head.lower_ not in inverting]
    bare = [a for a in known if _is_bare(a)]
    verb, head = relation.verb, relation.head
    above = object_above = object = None
    passive = False
    if head is not None:
        head = clause_verb(relation.source or scene, head)
        above, object_above = subject_of(head), object_of(head)
        if is_passive(head):
            above, object_above = object_above, None
            passive = relation.is_gapped or (verb is not None and verb.lemma_ != "do")
    own = [a for a in bare if not a.is_shared]
    alone = len([a for a in known if a.head and not a.is_shared]) == 1
    first = own[0].head if relation.is_gapped and own and alone else None
    beside = first.head if first is not None and first.dep_ == "conj" else None
    if first is not None and (beside is None or beside != above):
        single = own.pop()  # "but coffee": by what it is coordinated with
        bare.remove(single)
        object = single if beside is not None and beside == object_above else None
    own.sort(key=lambda a: not (a.head and a.head.head == verb and a.head.dep_ in FORMAL))
    subject = next((a for a in [*own, *bare] if a in own or a.head == above), None)
    if own:
        known = [a for a in known if not (a.is_shared and a.head == above)]
    if object is None and (object_above is not None or above is None):
        rest = (a for a in bare if a != subject and (not a.is_shared or a.head == object_above))
        object = next(rest, None)
    if passive:
        subject, object = next((a for a in known if _is_agent(a)), None), subject
    others = [a for a in known if a not in (subject, object)]
    return subject, object, tuple(sorted(others, key=lambda a: a.is_implicit))


def _known(doc: Doc, scene: Unit) -> list[Argument]:
    """RETURNS (List[Argument]): The participants of a Scene by the graph; white space is none."""
    edges = (e for e in scene.edges_by("A") if span_of(doc, e.child) or not e.child.tokens())
    return [_argument(doc, edge) for edge in edges]


def _is_bare(argument: Argument) -> bool:
    """RETURNS (bool): Whether a participant can be a subject or object: a noun phrase without preposition."""
    head, edge = argument.head, argument.edge
    if head is None or argument.preposition is not None or head.pos_ not in NOMINAL:
        return False
    return not (edge and edge.child.is_scene and head.pos_ == "VERB")


def _is_agent(argument: Argument) -> bool:
    """RETURNS (bool): Whether a participant is the agent of a passive: "by" with a noun."""
    head, preposition = argument.head, argument.preposition
    is_noun = head is not None and head.pos_ in ("NOUN", "PROPN", "PRON")
    if head is None or preposition is None or not is_noun:
        return False
    return preposition.lower_ in words_of(head.doc, "agents") and can_act(head)


def _argument(doc: Doc, edge: Edge) -> Argument:
    unit = edge.child
    tokens = words_of_unit(doc, unit)
    if not tokens:
        return Argument(None, None, edge)
    if doc.has_annotation("DEP"):
        head = top(tokens)
    else:
        i = unit.minimal_center.head
        head = tokens[0] if i is None else doc[i]
    relators = [token for relator in unit.relators for token in words_of_unit(doc, relator)]
    first = relators[0] if relators and relators[0].i <= tokens[0].i else None
    is_preposition = first is not None and first != head and first.pos_ in ("ADP", "PART", "")
    return Argument(span_of(doc, unit), head, edge, first if is_preposition else None)


def _find(doc: Doc, known: Sequence[Argument], token: Token | None) -> Argument | None:
    """RETURNS (Optional[Argument]): The participant with that head; else, the word with what belongs to it in the tree."""
    if token is None:
        return None
    if named := [a for a in known if a.head == token]:  # "Everyone" and "Everyone on staff" are one
        return max(named, key=lambda a: len(a.span or ()))
    edges = [a.edge for a in known if a.edge is not None and token.i in a.edge.child.tokens()]
    clause = ("acl", "acl:relcl", "relcl", "advcl", "appos", "conj", "parataxis")
    outside = {t.i for kid in token.children if kid.dep_ in clause for t in kid.subtree}
    inside = {t.i for t in token.subtree if t.i not in outside}
    start = end = i = token.i
    while (i := i - 1) >= 0 and (i in inside or doc[i].is_space):
        start = start if doc[i].is_space else i
    i = token.i
    while (i := i + 1) < len(doc) and (i in inside or doc[i].is_space):
        end = end if doc[i].is_space else i
    while start < token.i and doc[start].text in _PAUSES:
        start += 1
    return Argument(doc[start : end + 1], token, edges[0] if edges else None)
