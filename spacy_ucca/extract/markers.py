"""Markers of clauses in the text: "because", "and", "provided that"; which of them set a condition."""

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..graph import Graph
from ..lang import cached, get_words
from ..tokens.language import get_lang
from .clauses import RELATIVE
from .forms import is_past_tense, is_question_word
from .words import is_listed, span_of, words_of

COORDINATOR, SUBORDINATOR, ADVERB = "coordinator", "subordinator", "adverb"
_TOP = {*"acl advcl ccomp xcomp csubj csubj:pass parataxis conj root ROOT".split(), "", *RELATIVE}


class Marker(NamedTuple):
    """A word, or several, that says how a clause is joined to another.

    span (Span): The words.
    kind (str): "coordinator", "subordinator" or "adverb".
    is_condition (bool): Whether it sets a condition.
    clause (Optional[Token]): The head of the clause that it begins; None if the tree does not tell.
    governor (Optional[Token]): The head of the clause that this one depends on; None if the tree does not tell.
    is_linker (bool): Whether the graph has a Linker there.
    """

    span: Span
    kind: str
    is_condition: bool
    clause: Token | None = None
    governor: Token | None = None
    is_linker: bool = False


def find_markers(doc: Doc, graph: Graph) -> list[Marker]:
    """Find the markers of a Doc: what sets a condition, whatever the graph says of it, and the Linkers of the graph.

    doc (Doc): The Doc.
    graph (Graph): Its graph.
    RETURNS (List[Marker]): The markers, in text order.
    """
    has_tree = doc.has_annotation("DEP")
    linkers = [span for unit in graph.linkers if (span := span_of(doc, unit)) is not None]
    linked = {i for unit in graph.linkers for i in unit.tokens()}
    found: list[Marker] = []
    taken = set[int]()
    for span in _conditions(doc):
        marker = _of_tree(span, SUBORDINATOR, has_tree)
        sets, links = _sets_condition(marker), span.start in linked
        marker = marker._replace(is_condition=sets, is_linker=links)
        if marker.is_linker or marker.clause is not None:
            found.append(marker)
            taken.update(_range(span))
    for span in linkers:
        if not taken.isdisjoint(_range(span)):
            if doc[span.start].pos_ != "CCONJ" or span.start in taken:
                continue
            span = doc[span.start : span.start + 1]  # "and if"
        found.append(_of_tree(span, _kind(span), has_tree)._replace(is_linker=True))
    return sorted(found, key=lambda marker: marker.span.start)


def _range(span: Span) -> range:
    return range(span.start, span.end)


def _conditions(doc: Doc) -> Iterator[Span]:
    """YIELDS (Span): Words that may set a condition, with "only" or "even" before them."""
    end = 0
    phrases = _phrases(get_lang(doc))
    for token in doc:
        for words in phrases.get(token.lower_, ()) if token.i >= end else ():
            span = doc[token.i : token.i + len(words)]
            if [t.lower_ for t in span] == words and _is_marker(span):
                before = doc[token.i - 1].lower_ if token.i else ""
                start = token.i - (before in words_of(doc, "no_condition") | words_of(doc, "only"))
                end = span.end
                yield doc[start:end]
                break
        if (
            token.lower_ in words_of(doc, "condition_verbs")
            and token.i >= end
            and _is_inverted(token)
        ):
            yield doc[token.i : token.i + 1]


@cached
def _phrases(lang: str) -> dict[str, list[list[str]]]:
    """RETURNS (Dict[str, List[List[str]]]): The words that set a condition by their first one, the longest first."""
    found: dict[str, list[list[str]]] = {}
    phrases = (phrase.split() for phrase in get_words(lang).conditions)
    for phrase in sorted(phrases, key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return found


def _is_marker(span: Span) -> bool:
    """RETURNS (bool): Whether words mark a clause: "provided" has one below it, and no subject."""
    first = span[0]
    if first.lower_ in ("s'", "s’"):
        return first.dep_ == "mark"
    if (
        first.lower_ in words_of(span.doc, "condition_participles")
        and len(span) == 1
        and first.dep_ not in ("mark", "")
    ):
        kids = [*first.children]
        if any(k.dep_.startswith(("aux", "nsubj", "obl:agent", "obj")) for k in kids):
            return False
        return any(k.dep_ in ("ccomp", "advcl") and k.i > first.i for k in kids)
    return True


def _is_inverted(token: Token) -> bool:
    """RETURNS (bool): Whether a clause such as "should you need help" begins."""
    is_verb = token.dep_ in ("advcl", "ROOT") and token.pos_ == "VERB"  # "hätte er Zeit"
    head = token if is_verb else token.head
    if head.dep_ not in ("advcl", "ROOT", "root"):
        return False
    if not (is_verb or token.dep_.startswith(("aux", "cop"))):
        return False
    if head.dep_ != "advcl" and (
        token.sent[-1].text == "?" or not any(t.is_punct for t in [*token.sent][:-1])
    ):
        return False  # a question
    subject = next((k for k in head.children if k.dep_.startswith("nsubj")), None)
    begins = not any(k.i < token.i and not k.is_punct for k in head.children)
    return subject is not None and token.i < subject.i and begins


def _of_tree(span: Span, kind: str, has_tree: bool) -> Marker:
    """RETURNS (Marker): A marker, with what the tree says of its clause."""
    if not has_tree:
        return Marker(span, kind, False)
    doc, inside = span.doc, _range(span)
    first = span[0]
    if first.lower_ in words_of(doc, "condition_verbs") and first.pos_ == "VERB":
        after = next((k for k in first.rights if k.dep_ in ("conj", "parataxis")), None)
        return Marker(span, kind, False, first, after if first.head == first else first.head)
    outer = next((t for t in span if t.head.i not in inside or t.head == t), span[0])
    clause: Token | None = None
    if outer.dep_ in ("mark", "cc", "case") and outer.head.i > span.start:
        clause = outer.head
    elif kind == SUBORDINATOR:
        clause = _clause_after(doc, span)
    elif outer.head.i not in inside:
        clause = outer.head
    if clause is None or kind != SUBORDINATOR:
        return Marker(span, kind, False, clause)
    governor = clause
    while governor.head != governor and (governor == clause or governor.i in inside):
        governor = governor.head
    known = governor != clause and governor.i not in inside
    return Marker(span, kind, False, clause, governor if known else None)


def _clause_after(doc: Doc, span: Span) -> Token | None:
    """RETURNS (Optional[Token]): The head of the clause that begins after some words."""
    start = span.end
    if start >= len(doc):
        return None
    token = doc[start]
    while token.dep_ not in _TOP and token.head.i >= span.end and token.head != token:
        token = token.head
    return token


def _sets_condition(marker: Marker) -> bool:
    """RETURNS (bool): Whether a marker sets a condition, and does not concede, compare or ask."""
    span, clause, governor = marker.span, marker.clause, marker.governor
    doc, first = span.doc, span[0]
    if first.lower_ in words_of(doc, "no_condition") and span[1].lower_ not in ("long",):
        return False
    before = doc[span.start - 1] if span.start else None
    is_asked = span[-1].lower_ in words_of(doc, "asked")
    if is_asked and clause is not None and governor is not None:
        asks = is_listed(governor, "asking")
        follows = governor.i < span.start
        if follows and (asks or clause.dep_ in ("ccomp", "csubj")):
            return before is not None and before.is_punct and clause.dep_ == "advcl"
    if clause is not None and span.text.lower() in words_of(doc, "asserted_of_past"):
        return not any(is_past_tense(t) for t in (clause, *clause.children))
    return True


def _kind(span: Span) -> str:
    first, last = span[0], span[-1]
    if first.pos_ == "CCONJ" or first.dep_ == "cc":
        return COORDINATOR
    if any(
        t.dep_ == "mark" or t.pos_ == "SCONJ" or (t.pos_ == "ADV" and is_question_word(t))
        for t in (first, last)
    ):
        return SUBORDINATOR
    return SUBORDINATOR if last.pos_ == "ADP" and last.dep_ == "case" else ADVERB
