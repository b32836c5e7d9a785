"""Subjects after their verbs, which a dependency parser often takes for objects: "..., sighed Meg.", "On the hill stood a castle."

The order of words decides, with two lists of verbs. In texts without quotation marks only a verb of speech has its speaker after
it. Only an intransitive verb of being or motion has its subject after it where a place or direction stands before.
"""

from spacy.tokens import Token

from .circumstances import PLACE_PREPOSITIONS
from .words import is_listed

# Levin (1993), English Verb Classes and Alternations, section 37 (verbs of communication), and common ones of fiction and news
SPEECH = {
    "en": """say reply ask answer cry whisper shout exclaim sigh murmur mutter add explain remark respond declare announce admit agree
        insist warn note observe continue begin demand inquire call yell scream growl laugh snap groan gasp suggest argue claim report
        promise conclude complain recall write speak think wonder order beg plead predict""".split(),
    "de": "sagen fragen antworten rufen flüstern schreien erklären erwidern meinen murmeln seufzen hinzufügen berichten".split(),
    "fr": "dire demander répondre crier murmurer ajouter expliquer s'écrier soupirer chuchoter déclarer écrire".split(),
}
# Levin (1993), section 6.1: verbs of locative inversion
LOCATIVE = {
    "en": """be stand lie lay sit hang come go walk run fall live appear emerge rise arrive grow lurk hide fly march drive ride sail swim crawl
        climb flow float loom remain rest follow begin dwell wait stretch extend wind roll step jump spring leap rush dash pop flash shine
        hover tower gather sleep burn blaze stagger stroll wander creep drift pour tumble drop sink pass occur exist""".split()
}
PLACED = set("here there then next now thus so away back".split())
DIRECTIONS = set(
    "up down off out in on over along across around round through by past under behind beneath between into beyond".split()
)
_QUOTES = set("\"'”’“‘»«„") | {"''", "``"}
_OPENING = set("“‘„") | {"``"}
_PAUSES = set(",!?.-–—…") | {"...", "--"}
_AFTER = {"obj", "dobj", "iobj", "nsubj", "xcomp", "ccomp", "obl:unmarked", "appos"}
_SAID = {"ccomp", "parataxis", "advcl", "obj"}
_NEVER_TO = set("say reply sigh cry exclaim sagen dire".split())  # Never with a person as object
_ARTICLES = {"det", "nmod:poss"}
_OF_OTHERS = {"case", "cop", "mark", "nsubj"}
_NOMINATIVE = set("i he she we they er sie wir il elle ils elles".split())
_NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "DET"}
_OBLIQUE = {"me", "him", "them", "us", "whom", "myself", "himself", "herself", "themselves", "each"}


def inverted_subject(verb: Token) -> Token | None:
    """Find a subject that stands right after its verb, whatever the tree calls it.

    verb (Token): A finite verb, or a copula.
    RETURNS (Optional[Token]): Its head; None if the order of words is the usual one, or cannot tell.
    """
    is_copula = verb.dep_ == "cop"
    if is_copula:
        after = verb.head
        kids = [kid for kid in after.lefts if kid.i < verb.i]
    else:
        after = next((k for k in verb.rights if k.dep_ in _AFTER and k.pos_ in _NOMINAL), verb)
        kids = [*verb.lefts]
    if (
        after.i <= verb.i
        or after.pos_ not in _NOMINAL
        or after.lower_ in _OBLIQUE
        or any(kid.dep_.startswith("aux") for kid in kids)
        or any(kid.dep_ in _OF_OTHERS for kid in after.children if kid.i > verb.i)
    ):
        return None
    between = [] if is_copula else verb.doc[verb.i + 1 : after.left_edge.i]
    if any(word.pos_ not in ("ADV", "ADP") for word in between):
        return None
    if not is_copula and _is_speaker(verb, after, kids):
        return after
    return after if _is_locative(verb, after, kids) else None


def _is_speaker(verb: Token, after: Token, kids: list[Token]) -> bool:
    """RETURNS (bool): Whether a verb follows what is said, and a noun after it says so. With quotation marks any verb can."""
    before = [token for token in verb.doc[max(verb.i - 3, 0) : verb.i] if not token.is_space]
    if not before or not verb.is_lower or verb.tag_ in ("VB", "VBG"):
        return False
    if _ends_quote(before):
        return True
    pause = before[-1].text
    if pause not in _PAUSES or not is_listed(verb, SPEECH):
        return False
    name = after.pos_ == "PROPN" or after.lower_ in _NOMINATIVE
    if not name and after.tag_ == "NN" and not any(k.dep_ in _ARTICLES for k in after.children):
        return False  # "said goodbye"
    if pause in "?!":
        return True
    if any(kid.dep_.startswith("nsubj") for kid in kids):  # "The war, wrote Churchill, was lost."
        following = verb.doc[after.right_edge.i + 1 : after.right_edge.i + 2]
        return name and following.text == ","
    if verb.dep_ in ("conj", "parataxis"):  # "He knelt, said a prayer, asked her, and left."
        article = next((k.lower_ for k in after.children if k.dep_ in _ARTICLES), "")
        return name or (article not in ("a", "an") and verb.lemma_ in _NEVER_TO)
    return any(kid.dep_ in _SAID for kid in kids)


def _ends_quote(words: list[Token]) -> bool:
    """RETURNS (bool): Whether words end with a quote: a closing mark with a pause before or after it."""
    if len(words) < 2:
        return False
    before, last = words[-2:]
    if last.text in _QUOTES:
        is_open = last.text in _OPENING or not last.whitespace_
        return before.text in _PAUSES and not is_open
    return last.text in _PAUSES and before.text in _QUOTES and not before.whitespace_


def _is_locative(verb: Token, after: Token, kids: list[Token]) -> bool:
    """RETURNS (bool): Whether a place or direction, and no subject, stands between the start of its clause and a verb."""
    is_plural = after.tag_ in ("NNS", "NNPS") or any(k.dep_ == "conj" for k in after.children)
    if verb.tag_ not in ("VBD", "VBZ") and not (
        verb.tag_ == "VBP" and (is_plural or verb.lower_ == "lay")
    ):
        return False
    start = verb.i
    while start > verb.sent.start and not _is_bound(verb.doc[start - 1]):
        start -= 1
    if start == verb.i:
        return False
    first = verb.doc[start]
    if first.lower_ in ("so", "thus") and is_listed(verb, SPEECH):
        return True
    if not is_listed(verb, LOCATIVE):
        return False
    nouns = [kid for kid in kids if kid.i >= start and kid.pos_ in _NOMINAL]
    if verb.dep_ == "cop":
        return is_listed(first, PLACE_PREPOSITIONS) and bool(nouns) and _has_case(nouns[-1])
    if first.lower_ in PLACED:
        return all(kid == first or _has_case(kid) for kid in nouns)
    if first.lower_ in DIRECTIONS or first.pos_ == "ADP":
        return all(kid.left_edge.i <= start + 1 for kid in nouns)
    return bool(nouns) and all(map(_has_case, nouns))


def _is_bound(word: Token) -> bool:
    return word.is_punct or word.dep_ in ("cc", "mark")


def _has_case(word: Token) -> bool:
    return any(kid.dep_ == "case" for kid in word.children)
