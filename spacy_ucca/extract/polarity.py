"""Whether a text says that something happens: by words that deny, and by predicates that imply or deny their complements.

Karttunen (2012), Simple and Phrasal Implicatives, gives a predicate a signature: what it says of its complement where it holds, and
where it is denied. "Fail to pay" is "-+": who fails does not pay, who does not fail pays. Signatures of nested predicates are
applied from the outermost to the innermost one (Nairn, Condoravdi and Karttunen 2006, Computing relative polarity for textual
inference). A prohibition counts as prevention. Predicates that are not listed, such as "want" and "say", have "oo".
"""

from collections.abc import Collection

from spacy.tokens import Token

from ..lang import cached, get_words
from ..tokens.language import get_lang
from .forms import is_command, is_finite_verb, is_verb_form
from .words import denial_of, is_modal, words_of

COMPLEMENTS = ("obj", "csubj", "xcomp", "ccomp")


def polarity_of(head: Token, negation: Token | None, scene: Collection[int] = ()) -> str:
    """Whether the text says that something happens or holds.

    head (Token): The head of its relation.
    negation (Optional[Token]): The word that denies its Scene.
    scene (Collection[int]): The tokens of its Scene.
    RETURNS (str): "positive", "negative", or "unknown": in questions, commands, conditions and what follows from them, alternatives,
        under modal verbs other than "will", under predicates such as "want", and for nouns and attributes that no word denies.
    """
    if _is_noun(head) and not any(kid.dep_ in ("cop", "nsubj") for kid in head.children):
        over, is_from = head.head, any(kid.lower_ == "from" for kid in head.lefts)
        signature = signature_of(over, "from" if is_from else "ing")
        others = any(kid.dep_ in ("xcomp", "advcl") for kid in over.children)
        if head.dep_ == "obj" and over.i in scene:  # "stopped smoking"; "took a walk"
            head = head if signature else over
        # "Use is prohibited", "kept from work"; not "His wife was forbidden to go."
        elif not (signature and is_from) and not (
            signature == "-o" and head.dep_.startswith("nsubj") and not others
        ):
            return "unknown" if negation is None else "negative"
    above = [*head.ancestors][head.dep_ == "conj" :]
    denied = negation is not None and negation.head not in above
    return ("unknown", "positive", "negative")[_holds(head, denied)]


def _holds(verb: Token, denied: bool = False) -> int:
    """RETURNS (int): 1 if the text says that something happens, -1 if it denies it, 0 if it does neither."""
    denied = denied or denial_of(verb) is not None
    kids = [*verb.children]
    modals = []
    if verb.dep_ == "xcomp" and is_modal(verb.head):  # "il peut venir"
        modals, denied = [verb.head], denied or denial_of(verb.head) is not None
        kids += [kid for kid in verb.head.children if kid != verb]
    value = _around(modals[0] if modals else verb)
    modals += [kid for kid in kids if is_modal(kid) and kid.dep_.startswith("aux")]
    if denied and any({m.lower_, m.lemma_} & words_of(verb.doc, "ability") for m in modals):
        return -abs(value)
    if not all({m.lower_, m.lemma_} & words_of(verb.doc, "future") for m in modals) or _is_open(
        verb, kids, denied
    ):
        return 0
    return -value if denied else value


def _is_open(verb: Token, kids: list[Token], denied: bool) -> bool:
    """RETURNS (bool): Whether a clause is a question, a command, what follows from a condition, an alternative, or doubted."""
    if verb.dep_ in ("ROOT", "conj", "parataxis"):
        subjects = [kid for kid in kids if kid.dep_.startswith(("nsubj", "csubj", "expl"))]
        is_question = verb.sent.text.rstrip("\"'”’) \n").endswith("?")
        if is_question or (is_command(verb) and verb.dep_ == "ROOT" and not subjects):
            return True
    alternatives = words_of(verb.doc, "alternatives") - words_of(verb.doc, "negation_again")
    conjuncts = [kid for kid in (verb, *kids) if kid.dep_ == "conj"]
    if not denied and any(k.lower_ in alternatives for c in conjuncts for k in c.children):
        return True
    for kid in kids:
        marks = {word.lower_ for word in kid.lefts} | {kid.lower_}
        has_clause = kid.dep_ == "advcl" or any(k.dep_ == "advcl" for k in kid.rights)
        if kid.lower_ in words_of(verb.doc, "doubt") or (
            has_clause and marks & words_of(verb.doc, "condition_marks") and "even" not in marks
        ):
            return True
    return False


def _around(verb: Token) -> int:
    """RETURNS (int): What the clauses around a clause make of it, if nothing denies it: 1, -1 or 0."""
    over, dep, kids = verb.head, verb.dep_, [*verb.children]
    if over == verb or dep == "parataxis":  # "Take it in case it rains."
        return int(verb.doc[max(verb.left_edge.i - 1, 0)].lower_ != "case")
    if dep == "conj":
        has_subject = any(kid.dep_.startswith("nsubj") for kid in kids)
        return _around(over) if has_subject else abs(_holds(over))
    if dep.endswith("relcl"):
        words = (word.lower_ for word in (over, *over.lefts))
        return int(words_of(verb.doc, "quantified").isdisjoint(words))
    marks = {kid.lower_ for kid in kids if kid.dep_ in ("mark", "case")} | {over.lower_}
    verbs = [verb, *(kid for kid in kids if kid.dep_.startswith(("aux", "cop")))]
    finite = any(map(is_finite_verb, verbs))
    if finite and marks & (words_of(verb.doc, "open") | words_of(verb.doc, "condition_marks")):
        return 0
    form = "that" if finite else next((word for word in ("from", "to") if word in marks), "ing")
    if form == "from" and _is_noun(over):
        over = over.head  # "prohibits companies from selling it"
    is_adverbial = dep == "advcl" and not marks & {"from", "in"}
    if not is_adverbial and (signature := signature_of(over, form)):
        value = 1
        if not _is_noun(over) or over.dep_ == "obj":  # "had the courage to speak"
            governor = over.head if _is_noun(over) else over
            value = _holds(governor) * (-1 if governor.lemma_ in ("lack", "waste") else 1)
        return "-o+".index(signature[value < 0]) - 1 if value or signature == "++" else 0
    if dep == "advcl" and form != "to":
        return 1 if finite else abs(_holds(over))
    return int(dep == "acl" and form == "ing")


def _is_noun(word: Token) -> bool:
    return word.pos_ == "NOUN" and not is_verb_form(word)


def signature_of(word: Token, form: str) -> str | None:
    """RETURNS (Optional[str]): What a predicate implies of a complement in some form ("to", "ing", "that", "from"), as in `lang.Words`."""
    known = _signatures(get_lang(word.doc))
    keys = [(_stem(name), each) for each in (form, "") for name in (word.lemma_, word.lower_)]
    return next((known[key] for key in keys if key in known and (key[1] or form != "that")), None)


@cached
def _signatures(lang: str) -> dict[tuple[str, str], str]:
    listed = get_words(lang).signatures.items()
    names = [(name.partition("_"), key) for key, words in listed for name in words]
    return {(_stem(name), form): key for (name, _, form), key in names}


def _stem(word: str) -> str:
    """RETURNS (str): A form that does not depend on what a lemmatizer makes of the end of "ceased", "stopped" and "barred"."""
    word = word.lower().removesuffix("e")
    return word[:-1] if word[-2:-1] == word[-1:] else word
