"""What a text says, as facts: a relation with its roles for each Scene, and what belongs to the words in these roles."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..extract import Predication, predications
from ..extract.circumstances import is_time
from ..extract.clauses import BESIDE_HEADS, relation_head
from ..extract.words import is_negation
from .docs import form_of, sentences_of
from .words import ADDITIVE, PLAIN_OF_TIMES, words_of

# Dependents that are one word with their head
PARTS = {"compound", "compound:prt", "flat", "goeswith", "fixed"}
SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "%": "percent"}
NUMBERS = {
    word: str(n)
    for n, words in enumerate(
        """zero null zéro|one eins un|two zwei deux|three drei trois|four vier quatre|five fünf cinq|six sechs|seven sieben sept|
        eight acht huit|nine neun neuf|ten zehn dix|eleven elf onze|twelve zwölf douze""".split("|")
    )
    for word in words.split()
}


class Fact(NamedTuple):
    """What a Scene says of one role.

    owner (str): The role of the participant that it belongs to: "object" for the 5 of "paid 5 dollars"; "" for participants.
    role (str): "subject", "object", "in", "time", "modality", "quantity", "polarity" ...
    value (str): Lemmas; of the polarity "positive", "negative" or "unknown".
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
    found = [
        Statement("" if row.head is None else _phrase(row.head), tuple(sorted({*_facts(row)})))
        for row in rows
    ]
    covered = {i for row in rows for i in row.scene.tokens()}
    for sentence in sentences_of(doc):
        words = [token for token in sentence if not _is_article(token)]
        if words and covered.isdisjoint(token.i for token in sentence):
            polarity = "negative" if any(map(is_negation, words)) else "positive"
            facts = [Fact("", "polarity", polarity), *(Fact("", "word", _form(w)) for w in words)]
            found.append(Statement("", tuple(sorted(facts))))
    return found


def _facts(row: Predication) -> Iterator[Fact]:
    yield Fact(
        "", "polarity", getattr(row, "polarity", "negative" if row.is_negated else "positive")
    )
    phrases: list[tuple[str, Token]] = []
    for role, argument in (
        ("subject", row.subject),
        ("object", row.object),
        *(("other", each) for each in row.others),
    ):
        if argument is not None and argument.head is not None:
            head = argument.head
            if role == "other" and head.dep_ == "iobj":  # "gave Ann the book", "told Ann a lie"
                role = "to" if row.object else "object"
            elif role == "other":
                role = _role(head, argument.preposition, role)
            phrases.append((role, head))
    for role, spans in (("time", row.times), ("place", row.places), ("adverbial", row.adverbials)):
        for span in spans:
            first = span[0] if span[0].pos_ == "ADP" else None
            phrases += [(_role(head, first, role), head) for head in _tops(span)]
    phrases += [("modality", token) for token in row.modality]
    phrases += [("secondary", token) for token in row.secondary]
    said = {row.negation, row.head, *(head for _, head in phrases)}
    said.update(token for link in row.links for token in link.span)
    additive = words_of(ADDITIVE, row.doc)
    for role, head in phrases:
        for each in (head, *(t for t in head.conjuncts if t not in said and t.i > head.i)):
            yield Fact("", role, _phrase(each))
            yield from _details(each, role, said)
            links = {_form(kid) for kid in each.children if kid.dep_ == "cc"} - additive
            yield from (Fact(role, "linker", linker) for linker in links)
    if row.head is not None:
        yield from _details(row.head, "relation", said)
    for link in (*row.links, *getattr(row, "conditions", ())):
        linker = _joined(link.span)
        if link.scene is not None and linker not in additive:
            other = relation_head(row.doc, link.scene)
            yield Fact("", linker, "" if other is None else _phrase(other))
        elif "Int" in link.span[0].morph.get("PronType", []):
            yield Fact("", "question", linker)


def _tops(span: Span) -> list[Token]:
    """RETURNS (List[Token]): The words of a span whose heads are outside: of "twice a week" both."""
    tops = [t for t in span if (t.head == t or t.head not in span) and not _is_article(t)]
    return [token for token in tops if token.dep_ not in BESIDE_HEADS] or tops


def _role(head: Token, preposition: Token | None, kind: str) -> str:
    """RETURNS (str): The preposition of a phrase; "time" for "Monday", "on Monday"."""
    case = [kid for kid in head.children if kid.dep_ == "case" and kid.i < head.i]
    preposition = next(iter(case), preposition)
    if preposition is None or preposition == head:
        return kind
    words = _joined(preposition.subtree if case else [preposition])
    is_plain = words in words_of(PLAIN_OF_TIMES, head.doc) and is_time(head, preposition)
    return "time" if is_plain else words


def _details(head: Token, owner: str, said: set[Token | None]) -> Iterator[Fact]:
    """YIELDS (Fact): What belongs to the head of a phrase: numbers, quantifiers, attributes, owners, phrases with a preposition."""
    quantities = 0
    for kid in head.children:
        dep, part = kid.dep_, kid.dep_.partition(":")[0]
        if kid in said or is_negation(kid) or _is_article(kid):
            continue
        if part in ("nummod", "det"):
            quantities += 1
            yield Fact(owner, "quantity", _joined(kid.subtree))
        elif part in ("amod", "advmod", "appos") and kid.pos_ != "SCONJ":
            for each in (kid, *kid.conjuncts):
                yield Fact(owner, "attribute", _phrase(each))
                yield from _details(each, owner, said)
        elif part == "nmod" or (part == "obl" and head.pos_ not in ("VERB", "AUX")):
            role = "of" if dep == "nmod:poss" else _role(kid, None, "attribute")
            yield Fact(owner, role, _phrase(kid))
            yield from _details(kid, owner, said)
    if not quantities and head.pos_ == "NOUN" and "Plur" in head.morph.get("Number", []):
        yield Fact(owner, "quantity", "plural")


def _phrase(head: Token) -> str:
    """RETURNS (str): The lemmas of a word and what is one word with it: "john smith", "tax form", "turn off"."""
    return _joined(
        sorted([head, *(t for kid in head.children if kid.dep_ in PARTS for t in kid.subtree)])
    )


def _joined(tokens: Iterable[Token]) -> str:
    return " ".join(_form(token) for token in tokens if not _is_article(token))


def _form(token: Token) -> str:
    form = form_of(token)
    return SIGNS.get(form) or NUMBERS.get(form) or re.sub(r"(?<=\d),(?=\d{3}\b)", "", form)


def _is_article(token: Token) -> bool:
    return token.is_punct or token.is_space or "Art" in token.morph.get("PronType", [])
