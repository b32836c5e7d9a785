"""The clause of a Scene in the dependency tree: the lexical head of its relation, and who or what is its subject and object."""

from collections.abc import Collection, Iterable, Iterator

from spacy.tokens import Doc, Token

from ..graph.unit import Unit
from ..tokens.language import get_lang
from . import forms
from .circumstances import can_act
from .inversion import inverted_subject
from .polarity import signature_of
from .words import children_of, is_listed, is_negation, own_words, words_of, words_of_unit

NOUNS = {"NOUN", "PROPN"}
NOT_VERBAL = {*NOUNS, "INTJ", "X", "NUM"}
SUBJECTS = {"nsubj", "csubj", "nsubj:outer", "csubj:outer", "nsubjpass:xsubj", "sb"}
PASSIVE = {"nsubj:pass", "csubj:pass", "nsubjpass", "csubjpass", "expl:pass"}
AGENTS = {"obl:agent", "agent"}
OBJECTS = {"obj", "dobj", "oa"}
BESIDE_HEADS = {*"cop aux aux:pass auxpass mark case det expl cc punct fixed compound:prt".split()}
# Clauses that take the subject of the one above them
OPEN = {"xcomp", "conj", "advcl"}
RELATIVE = {"acl:relcl", "relcl", "advcl:relcl"}


def top(tokens: Iterable[Token]) -> Token | None:
    """RETURNS (Optional[Token]): Of some tokens, the first whose head is not among them; rather no function word."""
    tokens = [*tokens]
    inside = {token.i for token in tokens}
    tops = [token for token in tokens if token.head.i not in inside or token.head == token]
    return min(tops, key=lambda t: (t.dep_ in BESIDE_HEADS, t.is_punct or t.is_space), default=None)


def head_of(token: Token) -> Token:
    """RETURNS (Token): The head of a token; the token itself, if that is white space."""
    return token if token.head.is_space else token.head


def is_inverted(verb: Token) -> bool:
    """RETURNS (bool): Whether a word such as "so" before an auxiliary puts its subject after it: "so did she"."""
    return verb.i > 0 and verb.doc[verb.i - 1].lower_ in words_of(verb.doc, "inverting")


def hangs_on_particle(copula: Token) -> bool:
    """RETURNS (bool): Whether a parser takes "n't" or "so" for what is said in "he wasn't" or "so am I"."""
    head, inverting = copula.head, words_of(copula.doc, "inverting")
    return is_negation(head) or (is_inverted(copula) and head.lower_ in inverting)


def relation_head(doc: Doc, scene: Unit) -> Token | None:
    """Find the lexical head of the relation of a Scene: "come" of "will come", "member" of "is a member".

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    RETURNS (Optional[Token]): The head; None if its main relation is implicit.
    """
    relation = scene.main_relation
    words = [] if relation is None else [doc[i] for i in relation.tokens() if not doc[i].is_space]
    if relation is None or not words:
        return None
    if not doc.has_annotation("DEP"):
        i = relation.minimal_center.head
        return words[0] if i is None or doc[i].is_space else doc[i]
    head = top(words_of_unit(doc, relation.minimal_center) or words)
    if head is None:
        return None
    if head.dep_ == "cop" and inverted_subject(head):
        return head  # "Among them was a boy"
    if head.dep_ in ("cop", "aux", "aux:pass", "auxpass", "expl"):
        within = set(scene.tokens(remotes=True))
        while head.dep_ in BESIDE_HEADS and head.head.i in within and head_of(head) != head:
            if hangs_on_particle(head):
                return head
            head = head.head
    predicate = head_of(head)
    is_infinitive = head.dep_ == "csubj" and head.i > predicate.i and _takes_infinitive(predicate)
    if head.dep_ in SUBJECTS | PASSIVE and predicate.i in scene.tokens() and not is_infinitive:
        if not {"A", "P", "S"}.intersection(categories_of(scene, predicate)):
            return predicate  # "service was great": for UCCA the service is what happens
    verb = clause_verb(scene, head)
    if verb != head and "D" in categories_of(scene, verb):
        return verb  # "led to coups": for UCCA the coups are what happens
    if verb != head and (verb.pos_ == "AUX" or _existing(verb) or is_listed(verb, "having")):
        return verb  # "il a un frère", "es gibt ein Problem"
    return head


def _takes_infinitive(predicate: Token) -> bool:
    """RETURNS (bool): Whether who is something does something, or does not: "unwilling to pay", "too tired to come"."""
    kids = children_of(predicate)
    is_too = any(kid.lower_ == "too" for kid in kids) and any(kid.dep_ == "nsubj" for kid in kids)
    return is_too or signature_of(predicate, "to") is not None


def categories_of(scene: Unit, token: Token) -> tuple[str, ...]:
    """RETURNS (Tuple[str, ...]): The categories of the child of a Scene that a token is in."""
    over = (e.categories for e in scene.edges if not e.remote and token.i in e.child.tokens())
    return next(over, ())


def clause_verb(scene: Unit, head: Token) -> Token:
    """RETURNS (Token): The verb that a clause hangs on: a light verb ("take" of "take a walk") that the head of the relation is an
    object of; else the head."""
    verb = head_of(head)
    if (
        head.pos_ in NOUNS
        and not _is_verb_form(head)
        and head.dep_ in ("obj", "dobj", "obl", "xcomp", "nmod")
        and (verb.pos_ == "VERB" or (verb.pos_ == "AUX" and head.dep_ in OBJECTS))
        and verb.i in scene.tokens()
    ):
        return verb
    return head


def _is_verb_form(head: Token) -> bool:
    """RETURNS (bool): Whether a word that a tagger has as a noun is a verb: "smoking" of "stopped smoking"."""
    return forms.is_verb_form(head) or (get_lang(head.doc) == "en" and head.lower_.endswith("ing"))


def is_clause_head(scene: Unit, head: Token) -> bool:
    """RETURNS (bool): Whether a Scene has a clause. By dependencies: the head of its relation is a verb that is no attribute, or has a
    copula or a subject. A Scene of its own has one if its relation is no noun."""
    if scene.scene_kind in ("parallel", "root") and head.pos_ not in NOT_VERBAL:
        return True
    if any(kid.dep_ in SUBJECTS | PASSIVE | {"cop"} for kid in children_of(head)):
        return True
    phrasal = ("amod", "compound", "det", "case", "nmod", "nsubj", "obj", "obl")
    if head.dep_ in phrasal and head.pos_ != "AUX":
        return head.dep_ in ("obj", "obl", "nsubj") and head.pos_ == "VERB"
    if head.pos_ in ("VERB", "AUX"):
        return True
    clausal = ("advcl", "ccomp", "xcomp", "acl:relcl", "relcl", "root")
    return head.dep_ in clausal and head.pos_ == "ADJ"


def is_passive(head: Token) -> bool:
    """RETURNS (bool): Whether a verb is in the passive: by its subject or auxiliary, or as a participle after its noun. "Es ist geteilt"
    is, which treebanks of German do not tell of "es ist gekommen"."""
    if is_listed(head, "born"):
        return False
    if any(kid.dep_ in PASSIVE or kid.dep_ in ("aux:pass", "auxpass") for kid in children_of(head)):
        return True
    if not forms.is_past_participle(head):
        return False
    own = own_words(head.doc)
    if any(kid.lower_ in own.being and kid.dep_ in ("aux", "cop") for kid in children_of(head)):
        return not head.lower_.endswith(tuple(own.no_passive))
    return head.dep_ in ("acl", "advcl") and not _auxiliaries(head)


def _auxiliaries(head: Token) -> list[Token]:
    return [kid for kid in children_of(head) if kid.dep_.startswith("aux")]


def subject_of(head: Token, times: Collection[int] = ()) -> Token | None:
    """Find the logical subject of a clause, where the tree has it: that of the passive is the agent; infinitives, participles and
    conjuncts have that of the clause above, relative clauses their noun.

    head (Token): The head of its relation.
    times (Collection[int]): Tokens that are a time in the graph: no agents.
    RETURNS (Optional[Token]): The head of the subject.
    """
    return _agent(head, times) if is_passive(head) else _named(head) or _understood(head)


def object_of(head: Token) -> Token | None:
    """RETURNS (Optional[Token]): The head of the direct object of a clause; in the passive, of its subject in form."""
    if is_passive(head):
        if own := _child(head, PASSIVE) or _child(head, SUBJECTS):
            return _antecedent(head, own)
        return _understood(head)
    if own := _object(head):
        return _antecedent(head, own)
    if (
        head.dep_ in RELATIVE
        and head.pos_ == "VERB"
        and _child(head, SUBJECTS)
        and not _relative_pronoun(head)
    ):
        return head_of(head) if not _has_stranded(head) else None
    return None


def _child(head: Token, labels: set[str]) -> Token | None:
    return next((kid for kid in children_of(head) if kid.dep_ in labels), None)


def _existing(head: Token) -> Token | None:
    """RETURNS (Optional[Token]): What there is, where the tree has it as an object: "un problème" in "il y a un problème"."""
    kids = children_of(head)
    if any(kid.dep_ in SUBJECTS | PASSIVE for kid in kids):
        return None
    return _child(head, OBJECTS) if any(kid.dep_ == "expl" for kid in kids) else None


def _object(head: Token) -> Token | None:
    subject = inverted_subject(head) or _existing(head)
    found = [k for k in children_of(head) if k.dep_ in OBJECTS and k != subject]
    if (
        len(found) == 2
        and head.i < found[0].i
        and found[0].right_edge.i + 1 == found[1].left_edge.i
    ):
        return found[1]  # "gave the boy the book"
    return found[0] if found else _object_after_conjunct(head)


def _object_after_conjunct(head: Token) -> Token | None:
    """RETURNS (Optional[Token]): The object that a verb shares with one after it: "the book" for "copy" of "copy and sell the book"."""
    for kid in children_of(head):
        if kid.dep_ == "conj" and kid.i > head.i and head.pos_ == kid.pos_ == "VERB":
            words = head.doc[head.i + 1 : kid.i]
            if all(w.dep_ in ("cc", "conj", "punct", "advmod") or w.is_space for w in words):
                if (own := _child(kid, OBJECTS)) is not None and own.i > kid.i:
                    return own
    return None


def _agent(head: Token, times: Collection[int]) -> Token | None:
    """RETURNS (Optional[Token]): Who does what is in the passive; no time ("by Monday") and no manner ("by hand")."""
    kids = [kid for kid in children_of(head) if kid.i not in times and can_act(kid)]
    agents = (kid for kid in kids if kid.dep_ in AGENTS)
    with_by = (kid for kid in kids if kid.dep_ in ("obl", "nmod") and _has_by(kid))
    return next(agents, None) or next(with_by, None)


def _has_by(word: Token) -> bool:
    cases = (kid for kid in word.children if kid.dep_ == "case")
    return any(kid.lower_ in words_of(word.doc, "agents") for kid in cases)


def _antecedent(head: Token, word: Token) -> Token:
    """RETURNS (Token): What a relative pronoun stands for; other words stand for themselves."""
    is_noun = head.dep_ in RELATIVE and head_of(head).pos_ != "VERB"
    return head_of(head) if is_noun and forms.is_relative_pronoun(word) else word


def _relative_pronoun(head: Token) -> Token | None:
    before = (kid for kid in head.subtree if kid.i < head.i)
    return next(filter(forms.is_relative_pronoun, before), None)


def _has_stranded(head: Token) -> bool:
    after = filter(forms.is_preposition, head.rights)
    return any(not [*kid.children] for kid in after)


def _understood(head: Token) -> Token | None:
    for clause in _above(head):
        if clause.dep_ in RELATIVE or clause.dep_ == "acl":
            if clause.dep_ == "acl" and any(k.dep_ in ("mark", "case") for k in clause.children):
                return _child(clause.head, {"nmod:poss", "poss"})  # "our success in working"
            return head_of(clause) if not _child(clause, SUBJECTS | PASSIVE) else _named(clause)
        if clause.dep_ not in OPEN:
            return None
        over = clause.head
        if clause.dep_ == "xcomp" and (obj := _object(over)) and not forms.is_reflexive(obj):
            return obj
        if found := _named(over):
            return found
    return None


def _named(head: Token) -> Token | None:
    """RETURNS (Optional[Token]): The subject in form."""
    own = inverted_subject(head) or _child(head, SUBJECTS) or _child(head, PASSIVE)
    own = own or _existing(head)
    return None if own is None else _antecedent(head, own)


def _above(head: Token) -> Iterator[Token]:
    """YIELDS (Token): A clause, and those above it that it takes its subject from."""
    seen = set()
    while head.i not in seen:
        seen.add(head.i)
        yield head
        head = head.head


def is_finite(head: Token) -> bool:
    """RETURNS (bool): Whether a clause has a finite verb; True without tags, where nobody knows."""
    words = [head, *(k for k in head.children if k.dep_.startswith("aux") or k.dep_ == "cop")]
    return not any(map(forms.has_forms, words)) or any(map(forms.is_finite_verb, words))
