"""What a text says, as facts: a relation with its roles for each Scene, and what belongs to the words in these roles."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..extract import Predication, predications
from ..extract.circumstances import is_time
from ..extract.clauses import BESIDE_HEADS, relation_head
from ..extract.words import is_negation, words_of
from .tokens import form_of, sentences_of

# Dependents that are one word with their head
PARTS = {"compound", "compound:prt", "flat", "goeswith", "fixed"}
SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "%": "percent"}
NUMBERS = """zero one two three four five six seven eight nine ten eleven twelve
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
    zéro un deux trois quatre cinq six sept huit neuf dix onze douze""".split()


class Fact(NamedTuple):
    """What a Scene says of one role.

    owner (str): The role of the participant that it belongs to: "object" for the 5 of "paid 5 dollars"; "" for participants.
    role (str): "subject", "object", "in", "time", "modality", "quantity", "polarity" ...
    value (str): Lemmas; of the polarity "positive" or "negative".
    """

    owner: str
    role: str
    value: str

    @property
    def name(self) -> str:
        """RETURNS (str): The role with that of the owner: "object quantity"."""
        return f"{self.owner} {self.role}".strip()


class Statement(NamedTuple):
    """What a Scene says.

    relation (str): The lemma of its relation, with a particle: "turn off".
    facts (Tuple[Fact, ...]): Its polarity and its roles, sorted.
    """

    relation: str
    facts: tuple[Fact, ...]


def statements_of(doc: Doc) -> list[Statement]:
    """RETURNS (List[Statement]): One for each Scene, and one for each sentence without Scenes. Nouns and attributes inside another
    Scene belong to that one, where dependencies say to which word."""
    rows: list[Predication] = predications(doc)
    if doc.has_annotation("DEP"):
        rows = [row for row in rows if row.is_clause or row.host is None or row.head is None]
    found = [Statement(_phrase(row.head), tuple(sorted({*_facts(row)}))) for row in rows]
    covered = {i for row in rows for i in row.scene.tokens()}
    for sentence in sentences_of(doc):
        if covered.isdisjoint(token.i for token in sentence):
            facts = (Fact("", "word", _form(t)) for t in sentence if not _is_article(t))
            found.append(Statement("", tuple(sorted(facts))))
    return found


def _facts(row: Predication) -> Iterator[Fact]:
    polarity = row.polarity
    if polarity == "unknown":  # a question, an order; what is wanted, possible or a condition
        yield Fact("", "certainty", polarity)
    is_denied = row.is_negated if polarity == "unknown" else polarity == "negative"
    yield Fact("", "polarity", "negative" if is_denied else "positive")
    named = {"subject": row.subject, "object": row.object}
    phrases = [(role, a.head) for role, a in named.items() if a and a.head]
    for head in (argument.head for argument in row.others if argument.head):
        bare = "to" if row.object else "object"  # "gave Ann the book", "told Ann that he left"
        phrases.append((_role(head, bare if head.dep_ == "iobj" else "other"), head))
    for role, spans in (("time", row.times), ("place", row.places), ("adverbial", row.adverbials)):
        phrases += [(_role(head, role), head) for span in spans for head in _tops(span)]
    phrases += [("modality", token) for token in row.modality]
    phrases += [("secondary", token) for token in row.secondary]
    said = {row.negation, row.head, *(head for _, head in phrases)}
    said.update(token for link in row.links for token in link.span)
    additive = words_of(row.doc, "additive")
    for role, head in phrases:
        for each in (head, *(t for t in head.conjuncts if t not in said and t.i > head.i)):
            yield Fact("", role, _phrase(each))
            yield from _details(each, role, said)
            links = {_form(kid) for kid in each.children if kid.dep_ == "cc"} - additive
            yield from (Fact(role, "linker", linker) for linker in links)
    yield from _details(row.head, "relation", said)
    for span, scene in (*row.links, *((c.linker, c.scene) for c in row.conditions)):
        linker = _joined(span)
        if scene is not None and linker not in additive:
            yield Fact("", linker, _phrase(relation_head(row.doc, scene)))
        elif "Int" in span[0].morph.get("PronType", []):
            yield Fact("", "question", linker)


def _tops(span: Span) -> list[Token]:
    """RETURNS (List[Token]): The words of a span whose heads are outside: of "twice a week" both."""
    tops = [t for t in span if (t.head == t or t.head not in span) and not _is_article(t)]
    return [token for token in tops if token.dep_ not in BESIDE_HEADS] or tops


def _role(head: Token, kind: str) -> str:
    """RETURNS (str): The preposition of a phrase; "time" for "Monday" and "on Monday"."""
    case = next((kid for kid in head.children if kid.dep_ == "case" and kid.i < head.i), None)
    words = _joined(case.subtree) if case else kind
    is_plain = words in words_of(head.doc, "time_prepositions") and is_time(head, case)
    return "time" if is_plain else words


def _details(head: Token | None, owner: str, said: set[Token | None]) -> Iterator[Fact]:
    """YIELDS (Fact): What belongs to the head of a phrase: numbers, quantifiers, attributes, owners, phrases with a preposition."""
    if head is None:
        return
    kids = [k for k in head.children if not (k in said or is_negation(k) or _is_article(k))]
    quantities = [_joined(kid.subtree) for kid in kids if kid.dep_.startswith(("nummod", "det"))]
    if not quantities and head.pos_ == "NOUN" and "Plur" in head.morph.get("Number", []):
        quantities = ["plural"]
    yield from (Fact(owner, "quantity", quantity) for quantity in quantities)
    for kid in kids:
        part = kid.dep_.partition(":")[0]
        if part == "nmod" or (part == "obl" and head.pos_ not in ("VERB", "AUX")):
            role = "of" if kid.dep_ == "nmod:poss" else _role(kid, "attribute")
        elif part in ("amod", "advmod", "appos") and kid.pos_ != "SCONJ":
            role = "attribute"
        else:
            continue
        for each in (kid, *kid.conjuncts):
            yield Fact(owner, role, _phrase(each))
            yield from _details(each, owner, said)


def _phrase(head: Token | None) -> str:
    """RETURNS (str): The lemmas of a word and what is one word with it: "john smith", "tax form", "turn off"."""
    if head is None:
        return ""
    parts = (token for kid in head.children if kid.dep_ in PARTS for token in kid.subtree)
    return _joined(sorted([head, *parts]))


def _joined(tokens: Iterable[Token]) -> str:
    return " ".join(_form(token) for token in tokens if not _is_article(token))


def _form(token: Token) -> str:
    form = form_of(token)
    if form in NUMBERS:  # "five dollars" are "5 dollars"
        return str(NUMBERS.index(form) % 13)
    return SIGNS.get(form) or re.sub(r"(?<=\d),(?=\d{3}\b)", "", form)


def _is_article(token: Token) -> bool:
    if token.is_punct or token.is_space or "Art" in token.morph.get("PronType", []):
        return True
    return token.dep_ == "det" and token.lower_ in words_of(token.doc, "articles")
