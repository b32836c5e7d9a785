"""Subjects after their verbs, which a dependency parser often takes for objects: "..., sighed Meg.", "On the hill stood a castle."

The order of words decides, with two lists of verbs. In texts without quotation marks only a verb of speech has its speaker after
it. Only an intransitive verb of being or motion has its subject after it where a place or direction stands before.
"""

from spacy.tokens import Token

from .forms import is_finite_verb, is_gerund, is_infinitive, is_inflected, is_plural
from .words import is_listed, words_of

_QUOTES, _OPENING = {*"\"'”’“‘»«„", "''", "``"}, {*"“‘„", "``"}
_PAUSES = {*",!?.-–—…", "...", "--"}
_AFTER = {"obj", "dobj", "iobj", "nsubj", "xcomp", "ccomp", "obl:unmarked", "appos"}
_NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "DET"}


def inverted_subject(verb: Token) -> Token | None:
    """Find a subject that stands right after its verb, whatever the tree calls it.

    verb (Token): A finite verb, or a copula.
    RETURNS (Optional[Token]): Its head; None if the order of words is the usual one, or cannot tell.
    """
    after, between = verb.head, verb.doc[0:0]
    if verb.dep_ != "cop":
        after = next((k for k in verb.rights if k.dep_ in _AFTER and k.pos_ in _NOMINAL), verb)
        between = verb.doc[verb.i + 1 : after.left_edge.i]
    kids = [kid for kid in (after if verb.dep_ == "cop" else verb).lefts if kid.i < verb.i]
    if (
        after.i <= verb.i
        or after.pos_ not in _NOMINAL
        or after.lower_ in words_of(verb.doc, "oblique")
        or any(word.pos_ not in ("ADV", "ADP") for word in between)
        or any(kid.dep_.startswith("aux") for kid in kids)
        or _has(after, "case", "cop", "mark", "nsubj", start=verb.i + 1)
    ):
        return None
    return after if _is_speaker(verb, after, kids) or _is_placed(verb, after, kids) else None


def _is_speaker(verb: Token, after: Token, kids: list[Token]) -> bool:
    """RETURNS (bool): Whether a verb follows what is said, and a noun after it says so. After a quote any verb can."""
    words = [token for token in verb.doc[max(verb.i - 3, 0) : verb.i] if not token.is_space]
    if len(words) < 2 or not verb.is_lower or verb.dep_ == "cop":
        return False
    if is_infinitive(verb) or is_gerund(verb):
        return False
    before, last = words[-2:]
    if last.text in _QUOTES and before.text in _PAUSES:
        return last.text not in _OPENING and bool(last.whitespace_)
    if last.text not in _PAUSES or before.text in _QUOTES:
        return last.text in _PAUSES and not before.whitespace_
    is_pronoun = after.lower_ in words_of(verb.doc, "nominative")
    is_name = is_pronoun or (after.pos_ == "PROPN" and after.is_title)
    is_phrase = is_plural(after) or _has(after, "det", "nmod:poss")  # not "said goodbye"
    if not is_listed(verb, "speech") or not (is_name or is_phrase):
        return False
    if _has(verb, "nsubj", "nsubj:pass"):  # "The war, wrote Churchill, was lost."
        return is_name and verb.doc[after.right_edge.i + 1 : after.right_edge.i + 2].text == ","
    is_one = any(kid.lower_ in ("a", "an") for kid in after.lefts)  # "He knelt, said a prayer."
    is_free = verb.lemma_ in words_of(verb.doc, "no_addressee") and not is_one
    return last.text in "?!" or is_name or is_free or any(kid.dep_ == "ccomp" for kid in kids)


def _is_placed(verb: Token, after: Token, kids: list[Token]) -> bool:
    """RETURNS (bool): Whether a place or direction, and no subject, stands between the start of its clause and a verb."""
    is_many = is_plural(after) or verb.lower_ == "lay" or _has(after, "conj")
    if not words_of(verb.doc, "locative"):
        return False
    if not (is_inflected(verb) or (is_many and is_finite_verb(verb))):
        return False
    if not (is_listed(verb, "speech") or is_listed(verb, "locative")):
        return False
    words = verb.sent[: verb.i - verb.sent.start]
    bounds = (w.i + 1 for w in words if w.is_punct or w.dep_ in ("cc", "mark"))
    start = max(bounds, default=verb.sent.start)
    first = verb.doc[start]
    if not is_listed(verb, "locative"):
        return first.lower_ in ("so", "thus")
    nouns = [kid for kid in kids if kid.i >= start and kid.pos_ in _NOMINAL]
    if verb.dep_ == "cop":
        return is_listed(first, "place_prepositions") and bool(nouns) and _has(nouns[-1], "case")
    is_direction = first.pos_ == "ADP" or first.lower_ in words_of(verb.doc, "ways")
    is_placed = is_direction or first.lower_ in words_of(verb.doc, "placed")
    return (is_placed or bool(nouns)) and all(
        _has(kid, "case")
        or (is_placed and kid == first)
        or (is_direction and kid.left_edge.i <= start + 1)
        for kid in nouns
    )


def _has(word: Token, *labels: str, start: int = 0) -> bool:
    return any(kid.dep_ in labels for kid in word.children if kid.i >= start)
