"""Forms of words: finite, infinitive, past, relative. By features of Universal Dependencies; by Penn tags, where a tagger sets these,
which tell more of English."""

from spacy.tokens import Token

from .words import words_of

# "NN" is a tag of other tagsets too
_PENN = frozenset(
    """CC CD DT EX FW IN JJ JJR JJS LS MD NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS RP TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$
    WRB""".split()
)
_FINITE = frozenset(("VBD", "VBP", "VBZ", "MD"))
_QUESTION = frozenset(("WDT", "WP", "WP$", "WRB", "PWS", "PWAT", "PWAV"))


def has_feature(token: Token, name: str, *values: str) -> bool:
    """RETURNS (bool): Whether a word has one of some values of a feature."""
    return not {*values}.isdisjoint(token.morph.get(name, []))


def _is(token: Token, tags: frozenset[str] | set[str], name: str, *values: str) -> bool:
    """RETURNS (bool): Whether a word has one of some tags; without Penn tags, one of some values of a feature."""
    if token.tag_ in _PENN:
        return token.tag_ in tags
    return token.tag_ in tags or has_feature(token, name, *values)


def is_finite_verb(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a finite verb. One with a mood or tense is, where no form is told."""
    if _is(token, _FINITE, "VerbForm", "Fin"):
        return True
    if token.tag_ in _PENN or token.pos_ not in ("VERB", "AUX") or token.morph.get("VerbForm", []):
        return False
    return bool(token.morph.get("Mood", []) or token.morph.get("Tense", []))


def is_inflected(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a finite verb, and no infinitive or participle looks the same."""
    return token.tag_ in ("VBD", "VBZ") or (token.tag_ not in _PENN and is_finite_verb(token))


def is_past_tense(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a finite verb in a past tense."""
    return _is(token, {"VBD"}, "Tense", "Past", "Imp") and is_finite_verb(token)


def is_infinitive(token: Token) -> bool:
    """RETURNS (bool): Whether a word is an infinitive, or a command with the form of one."""
    return _is(token, {"VB"}, "VerbForm", "Inf")


def is_infinitive_mark(token: Token) -> bool:
    """RETURNS (bool): Whether a word marks an infinitive: "to", "zu", "de"."""
    if token.tag_:
        return token.tag_ in ("TO", "PTKZU")
    return token.dep_ == "mark" and token.pos_ in ("PART", "ADP") and is_infinitive(token.head)


def is_command(token: Token) -> bool:
    """RETURNS (bool): Whether a word has the form of a command."""
    return is_infinitive(token) or _is(token, {"VB"}, "Mood", "Imp")


def is_gerund(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a gerund, a converb or a present participle."""
    if _is(token, {"VBG"}, "VerbForm", "Ger", "Conv"):
        return True
    return _is(token, set(), "VerbForm", "Part") and _is(token, set(), "Tense", "Pres")


def is_past_participle(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a participle other than that of the present."""
    return _is(token, {"VBN"}, "VerbForm", "Part") and not is_gerund(token)


def is_verb_form(token: Token) -> bool:
    """RETURNS (bool): Whether a word has a form of verbs, a noun for its part of speech or not."""
    if token.tag_ in _PENN:
        return token.tag_.startswith("VB")
    return bool(token.morph.get("VerbForm", []))


def is_plural(token: Token) -> bool:
    """RETURNS (bool): Whether a noun is in the plural."""
    return _is(token, {"NNS", "NNPS"}, "Number", "Plur")


def is_question_word(token: Token) -> bool:
    """RETURNS (bool): Whether a word asks, or begins a relative clause with a word that can."""
    return _is(token, _QUESTION, "PronType", "Int")


def is_relative_pronoun(token: Token) -> bool:
    """RETURNS (bool): Whether a word in a relative clause is its pronoun or adverb."""
    if _is(token, _QUESTION, "PronType", "Rel", "Int"):
        return True
    if token.tag_ in _PENN or token.dep_ in ("det", "mark", "case", "cc"):
        return False
    return any(token.lower_ in words_of(token.doc, name) for name in ("relative", "relative_ends"))


def is_reflexive(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a reflexive pronoun that can stand alone, such as "sich"."""
    return token.tag_ not in _PENN and "Yes" in token.morph.get("Reflex", [])


def is_preposition(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a preposition, and no particle of a verb."""
    return token.tag_ == "IN" or (token.tag_ not in _PENN and token.pos_ == "ADP")


def has_forms(token: Token) -> bool:
    """RETURNS (bool): Whether the pipeline tells the form of a word, if it is a verb. In some languages no verb has one."""
    if token.tag_ or token.pos_ not in ("VERB", "AUX"):
        return bool(token.tag_ or len(token.morph))
    return any(token.morph.get(name, []) for name in ("VerbForm", "Mood", "Tense"))
