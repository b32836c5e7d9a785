"""Words that a predication is read by: negation, modality, secondary verbs. By features of Universal Dependencies where the
pipeline sets them, otherwise by lists of each language."""

from spacy.tokens import Doc, Span, Token

from ..graph import kinds
from ..graph.unit import Unit
from ..lang import Words, get_words, words_in
from ..tokens.language import get_lang


def span_of(doc: Doc, unit: Unit) -> Span | None:
    """RETURNS (Optional[Span]): From the first to the last token of a unit that is no white space; None without one. `Unit.span`
    checks that the graph is that of the Doc, which is known here."""
    tokens = [i for i in unit.tokens() if not doc[i].is_space]
    return doc[tokens[0] : tokens[-1] + 1] if tokens else None


def words_of_unit(doc: Doc, unit: Unit) -> list[Token]:
    """RETURNS (List[Token]): The tokens of a unit without punctuation and white space."""
    return [doc[i] for i in unit.tokens(punct=False) if not doc[i].is_space]


def children_of(token: Token) -> list[Token]:
    """RETURNS (List[Token]): The children of a token in the tree that are no white space, to which a parser gives any label."""
    return [kid for kid in token.children if not kid.is_space]


def first_token(scene: Unit) -> int:
    """RETURNS (int): The first token of a Scene or, without one, of its sentence; -1 if that has none."""
    *_, root = scene.ancestors(itself=True)
    return (scene.tokens() or root.tokens() or (-1,))[0]


def line_of(span: Span) -> str:
    """RETURNS (str): The text of a span on one line."""
    return " ".join(span.text.split())


def words_of(doc: Doc, name: str) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): A list (`lang.Words`) of the language of a Doc; of all languages, if that one has no words."""
    return words_in(get_lang(doc), name)


def own_words(doc: Doc) -> Words:
    """RETURNS (Words): The words of the language of a Doc alone; empty lists, if that one has none."""
    return get_words(get_lang(doc))


def is_listed(token: Token, name: str) -> bool:
    """RETURNS (bool): Whether a list of the language has a word or its lemma."""
    known = words_of(token.doc, name)
    return token.lower_ in known or token.lemma_.lower() in known


def is_negation(token: Token) -> bool:
    """RETURNS (bool): Whether a word denies what it stands with."""
    doc, word, lang = token.doc, token.lower_, get_lang(token.doc)
    own = get_words(lang)
    if word in own.negation_half:
        return False
    if word in own.negation_with_half:
        return any(t.lower_ in own.negation_half for t in doc[max(token.i - 5, 0) : token.i + 3])
    if not (
        word in words_in(lang, "negation")
        or "Neg" in token.morph.get("Polarity", [])
        or "Neg" in token.morph.get("PronType", [])
    ):
        return False
    following = next((t.lower_ for t in doc[token.i + 1 :] if not t.is_space), "")
    return f"{word} {following}" not in words_in(lang, "no_negation")


def is_modal(token: Token) -> bool:
    """RETURNS (bool): Whether a word is a modal verb."""
    known = words_of(token.doc, "modals")
    is_form = token.pos_ == "AUX" and token.lemma_ in known
    return token.tag_ == "MD" or token.lower_ in known or is_form


# Clauses below a head, whose negation is their own
_CLAUSES = frozenset(
    "advcl advcl:relcl ccomp xcomp acl acl:relcl relcl parataxis conj csubj".split()
)
_ARGUMENTS = {"nsubj", "obj", "nsubj:pass", "dobj", "nsubjpass"}


def find_negation(doc: Doc, scene: Unit, head: Token | None) -> Token | None:
    """Find the word that denies a Scene: its own, one of its subject or object, that of a secondary verb above it, or that of a
    clause before, to which "or" joins it.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    head (Optional[Token]): The word that its clause hangs on; None if the graph alone tells.
    RETURNS (Optional[Token]): The word.
    """
    if head is None or not doc.has_annotation("DEP"):
        i = kinds.find_negation(scene, lambda _, i: is_negation(doc[i]))
        return None if i is None else doc[i]
    if found := denial_of(head):
        return found
    if (i := kinds.find_denying_phrase(scene)) is not None:
        return doc[i]
    for unit in (*scene.adverbials, *scene.functions, *scene.times):
        tokens = [doc[i] for i in unit.tokens(punct=False)]
        if 0 < len(tokens) <= 2 and not unit.is_scene:
            found = next(filter(is_negation, tokens), None)
            if found and found.lower_ not in words_of(doc, "negation_ahead"):
                return found
    if head.dep_ == "conj" and head.head.i < head.i:
        links = {kid.lower_ for kid in head.children if kid.dep_ == "cc"}
        own = any(kid.dep_.startswith(("nsubj", "aux")) for kid in children_of(head))
        if links & words_of(doc, "alternatives") and not own:
            above = head.head
            return denial_of(above) or (denial_of(above.head) if above.dep_ == "xcomp" else None)
    return None


def denial_of(head: Token) -> Token | None:
    """RETURNS (Optional[Token]): The word that denies a clause, by the tree alone: one of its own, of its subject or object, or of a
    phrase at its start, where subject and auxiliary have changed places: "With no other man will she dance"."""
    kids = [kid for kid in head.children if kid.dep_ not in _CLAUSES]
    subject = next((kid.i for kid in kids if kid.dep_.startswith("nsubj")), -1)
    verbs = [kid.i for kid in kids if kid.dep_.startswith("aux") or kid.dep_ == "cop"]
    for token in kids:
        if is_negation(token):
            return token
        if token.dep_ in _ARGUMENTS or any(token.i < verb < subject for verb in verbs):
            for word in (token, *token.lefts):
                if is_negation(word) and word.lower_ not in words_of(head.doc, "negation_ahead"):
                    return word
    return None
