"""Noun chunks over the labels of Universal Dependencies: spaCy's own for English expect other labels."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from spacy.errors import Errors as SpacyErrors
from spacy.symbols import NOUN, PRON, PROPN  # type: ignore[attr-defined]
from spacy.tokens import Doc, Span, Token
from spacy.util import registry

if TYPE_CHECKING:
    from spacy.language import Language

# Relations, without subtypes, of words that are inside the chunk of another noun, or are no noun phrase.
INSIDE = {"compound", "flat", "fixed", "goeswith", "det", "amod", "nummod", "case", "mark", "expl"}
INSIDE_SUBTYPES = {"nmod:poss", "nmod:desc"}
# Relations of what stands before the head in its chunk, and after it.
BEFORE = {"det", "amod", "nummod", "compound", "flat", "goeswith"}
AFTER = {"flat", "goeswith"}
NEVER_FIRST = {"punct", "case", "mark", "cc"}


def noun_chunks(doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Find base noun phrases in a tree of Universal Dependencies.

    doclike (Union[Doc, Span]): The Doc or Span, with coarse tags and dependencies.
    YIELDS (Tuple[int, int, int]): The first token, the token after the last one, and the hash of "NP".
    RAISES (ValueError): If there are no dependencies.
    """
    doc = doclike.doc
    if not doc.has_annotation("DEP"):
        raise ValueError(SpacyErrors.E029)
    label = doc.vocab.strings.add("NP")
    end = 0
    for token in doclike:
        if token.pos in (NOUN, PROPN, PRON) and not token.is_space and not _is_inside(token):
            start = _first(token)
            if start >= end:
                end = _last(token) + 1
                yield start, end, label


def _relation(token: Token) -> str:
    """RETURNS (str): The dependency label without its subtype."""
    return token.dep_.partition(":")[0]


def _is_inside(token: Token) -> bool:
    """RETURNS (bool): Whether a noun or pronoun belongs to the chunk of its head."""
    if token.head.is_space:
        return False
    if token.dep_ in INSIDE_SUBTYPES:
        return token.i < token.head.i
    return _relation(token) in INSIDE


def _first(head: Token) -> int:
    """RETURNS (int): The first token of a chunk. Between it and the head are modifiers, punctuation and white space alone."""
    first = head.i
    for child in reversed(list(head.lefts)):
        if child.is_space:
            continue
        if _relation(child) in BEFORE or child.dep_ in INSIDE_SUBTYPES:
            first = child.left_edge.i
        elif not child.is_punct:
            break
    while first < head.i and (
        head.doc[first].is_space or _relation(head.doc[first]) in NEVER_FIRST
    ):
        first += 1
    return first


def _last(head: Token) -> int:
    """RETURNS (int): The last token of a chunk: names such as "John Smith" go on after their head."""
    last, doc = head.i, head.doc
    for child in head.rights:
        if child.is_space:
            continue
        between = doc[last + 1 : child.left_edge.i]
        if _relation(child) not in AFTER or not all(token.is_space for token in between):
            break
        last = child.right_edge.i
    while doc[last].is_space:
        last -= 1
    return last


@registry.callbacks("spacy-ucca.noun_chunks.v1")
def create_noun_chunks() -> Callable[["Language"], "Language"]:
    """Make `doc.noun_chunks` follow Universal Dependencies. For `nlp.after_creation`, which is run when a pipeline is
    loaded, too.

    RETURNS (Callable[[Language], Language]): The callback.
    """

    def after_creation(nlp: "Language") -> "Language":
        nlp.vocab.get_noun_chunks = noun_chunks  # type: ignore[assignment]
        return nlp

    return after_creation
