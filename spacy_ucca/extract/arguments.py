"""Who and what takes part in a Scene: by the graph, and by dependencies where there are some."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..graph.names import no_attribute
from ..graph.unit import Edge, Unit
from . import clauses
from .circumstances import can_act, is_when
from .words import line_of, span_of

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


def find_arguments(
    doc: Doc, scene: Unit, head: Token, relation: Token
) -> tuple[Argument | None, Argument | None, tuple[Argument, ...]]:
    """RETURNS (Tuple[Optional[Argument], Optional[Argument], Tuple[Argument, ...]]): Subject, object and the others of a Scene.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    head (Token): The verb of its clause.
    relation (Token): The head of its relation, which is no argument of itself.
    """
    if scene.is_possessive:
        return _of_possessive(doc, scene)
    known = [
        _argument(doc, edge) for edge in scene.edges_by("A") if head.i not in edge.child.tokens()
    ]
    if scene.scene_kind == "elaborator" and head.dep_ in ("amod", "compound", "nmod", ""):
        shared = [a for a in known if a.is_shared and a.preposition is None]
        if len(shared) == 1:  # "big": the house is it
            return shared[0], None, tuple(a for a in known if a != shared[0])
    when = {i for unit in scene.times for i in unit.tokens()}
    if doc.has_annotation("DEP"):
        subject, object = clauses.subject_of(head, when), clauses.object_of(head)
    else:
        subject = object = None
    bare = [
        a
        for a in known
        if a.head is not None
        and a.preposition is None
        and a.head.pos_ in NOMINAL
        and not (a.edge and a.edge.child.is_scene and a.head.pos_ == "VERB")
    ]
    passive = clauses.is_passive(head)
    heads = [a.head for a in bare if a.head is not None and a.head not in (subject, object)]
    before = [token for token in heads if token.i < head.i]
    after = [token for token in heads if token.i > head.i]
    if passive:
        if object is None:
            object = next(iter(before), None)
        by = (a for a in known if a.preposition is not None and a.preposition.lower_ == "by")
        nouns = (a.head for a in by if a.head and a.head.pos_ in ("NOUN", "PROPN", "PRON"))
        subject = subject or next((noun for noun in nouns if can_act(noun)), None)
    else:
        if subject is None and head.tag_ not in ("VB", "VBG"):
            subject = next(iter(before), None)
        if (
            object is None
            and head.pos_ in ("VERB", "")
            and not any(k.dep_ in ("ccomp", "xcomp") for k in head.children)
        ):
            object = next((h for h in after if h != subject), None)
    if object and not passive and is_when(object, head, object.i in when):
        object = None
    if object == relation:
        object = None
    found = [_find(doc, known, token) for token in (subject, object)]
    others = tuple(a for a in known if a not in found)
    return found[0], found[1], tuple(sorted(others, key=lambda a: a.is_implicit))


def _of_possessive(
    doc: Doc, scene: Unit
) -> tuple[Argument | None, Argument | None, tuple[Argument, ...]]:
    """Who has what: "my" in "my bicycle" has the bicycle."""
    known = [_argument(doc, edge) for edge in scene.edges_by("A")]
    owner = next((a for a in known if not (a.is_shared or a.is_implicit)), None)
    owned = next((a for a in known if a.is_shared), None)
    return owner, owned, tuple(a for a in known if a not in (owner, owned))


def _argument(doc: Doc, edge: Edge) -> Argument:
    unit = edge.child
    tokens = [doc[i] for i in unit.tokens(punct=False)]
    if not tokens:
        return Argument(None, None, edge)
    if doc.has_annotation("DEP"):
        head = clauses.top(tokens)
    else:
        i = unit.minimal_center.head
        head = tokens[0] if i is None else doc[i]
    relators = [i for relator in unit.relators for i in relator.tokens()]
    first = doc[relators[0]] if relators and relators[0] <= tokens[0].i else None
    is_preposition = first is not None and first != head and first.pos_ in ("ADP", "PART", "")
    return Argument(span_of(doc, unit), head, edge, first if is_preposition else None)


def _find(doc: Doc, known: Sequence[Argument], token: Token | None) -> Argument | None:
    """RETURNS (Optional[Argument]): The participant with that head; else, the word with what belongs to it in the tree."""
    if token is None:
        return None
    for argument in known:
        if argument.head == token:
            return argument
    edges = [a.edge for a in known if a.edge is not None and token.i in a.edge.child.tokens()]
    clause = ("acl", "acl:relcl", "relcl", "advcl", "appos", "conj", "parataxis")
    outside = {t.i for kid in token.children if kid.dep_ in clause for t in kid.subtree}
    inside = [t.i for t in token.subtree if t.i not in outside and not t.is_space]
    start = end = token.i
    while start - 1 in inside:
        start -= 1
    while end + 1 in inside:
        end += 1
    return Argument(doc[start : end + 1], token, edges[0] if edges else None)
