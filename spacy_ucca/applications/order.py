"""Which Scenes are sentences for the tree, and the order of the words of a dependent clause that becomes one."""

from spacy.tokens import Doc, Token

from ..extract import clauses
from ..extract.words import children_of, own_words, words_of_unit
from ..graph.unit import Unit
from .shared import clause_head, subjects

_FREE = {"ROOT", "root", "conj", "parataxis", "dep", "list"}
_THROUGH = ("conj", "cop", "aux", "aux:pass")  # of "so are we" the graph can lack "so", their head


def part_of(doc: Doc, scene: Unit) -> Token | None:
    """RETURNS (Optional[Token]): What the tree has a Scene for a part of: for an argument, for what is said, or for "said he" after that.
    Adverbial clauses are a part where no words tell which are true, or the verb cannot be put where a sentence has it."""
    words, head = words_of_unit(doc, scene), clause_head(doc, scene)
    if not words or not doc.has_annotation("DEP"):
        return None
    head = clause = head or clauses.top(words) or words[0]
    while head.head != head and (head.dep_ in _THROUGH or head.head in words):
        head = head.head
    is_free = head.dep_ in _FREE or head.head == head
    if head.dep_ == "advcl":
        is_free = bool(own_words(doc).not_asserted) and not is_fixed(clause)
    elif head.dep_ == "parataxis":
        is_verb_first = words[0] == head or words[0].dep_.startswith("aux")
        is_said = is_verb_first and any(kid.i > head.i for kid in subjects(head))
        is_free = head.head.i < head.i and not is_said
    return None if is_free else head.head


def puts_verb_last(head: Token) -> bool:
    """RETURNS (bool): Whether a clause depends on another one, in a language that has the verb last there and second elsewhere."""
    is_dependent = head.dep_ in clauses.RELATIVE or any(k.dep_ == "mark" for k in head.children)
    return is_dependent and bool(own_words(head.doc).separable)


def is_fixed(head: Token) -> bool:
    """RETURNS (bool): Whether such a clause has no subject, or a verb with what may be a prefix that stands alone in a sentence: "ankam"."""
    has_prefix = head.lower_.startswith(tuple(own_words(head.doc).separable))
    is_bare = head.dep_ not in clauses.RELATIVE and not subjects(head)
    return puts_verb_last(head) and (is_bare or (has_prefix and finite_verb(head) == head))


def finite_verb(head: Token) -> Token:
    """RETURNS (Token): The finite verb of a clause; the last verb, where no form tells."""
    verbs = [kid for kid in head.children if kid.dep_.startswith("aux") or kid.dep_ == "cop"]
    return max((*verbs, head), key=lambda verb: ("Ind" in verb.morph.get("Mood", []), verb.i))


def with_second_verb(
    tokens: list[int], head: Token, first: list[int], last: list[int]
) -> list[int]:
    """RETURNS (List[int]): Tokens with the subject first, the finite verb second, and what is moved after it."""
    start = [*dict.fromkeys((*first, finite_verb(head).i, *last))]
    return [*start, *(i for i in tokens if i not in start)]


def in_main_order(doc: Doc, scene: Unit, tokens: list[int]) -> list[int]:
    """RETURNS (List[int]): The tokens of a Scene that was part of a sentence in the order of a sentence: without "that", and where dependent
    clauses have another, not "he laughed has", nor "has he laughed" after "so"."""
    head = clause_head(doc, scene)
    if head is None:
        return tokens
    is_mark = len(tokens) > 1 and doc[tokens[0]].dep_ == "mark" and doc[tokens[0]].head == head
    tokens, verb = tokens[is_mark:], finite_verb(head).i
    named = (subjects(head) or [kid for kid in children_of(head) if kid.dep_ == "expl"])[:1]
    found = {t.i for s in named for t in ([s] if s.pos_ == "PRON" else s.subtree)}
    phrase = [i for i in tokens if i in found]
    before = [i for i in tokens if i < verb and i not in found and not doc[i].is_punct]
    is_late = before != [] and phrase[:1] < [verb] and tokens[0] in scene.tokens()
    is_statement = verb in tokens and head.sent[-1].text != "?" and phrase != []
    if not own_words(doc).separable or not (is_late or verb == tokens[0]):
        return tokens
    return with_second_verb(tokens, head, phrase, []) if is_statement else tokens
