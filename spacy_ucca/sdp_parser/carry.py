"""Carry bilexical graphs over to the tokens that a Doc has now: it was cut, joined, or its tokens were merged or split."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..conversion.graph import ROOT, Arc
from ..tokens.carry import find_parts

__all__ = ["Carried", "carry_arcs"]


class Carried(NamedTuple):
    """What was carried over to a Doc.

    arcs (List[Arc]): The arcs.
    punct (Set[int]): Which tokens are punctuation.
    is_bare (bool): Whether the Doc has tokens, and none that had a graph.
    """

    arcs: list[Arc]
    punct: set[int]
    is_bare: bool


def carry_arcs(doc: Doc, records: Iterable[tuple[int, Mapping[str, Any]]]) -> Carried | None:
    """Make the arcs of a Doc from those of Docs that it was made of. Arcs inside a merged token, and to tokens that were cut
    off, are left out; those of a token that was split are those of its head.

    doc (Doc): The Doc.
    records (Iterable[Tuple[int, Mapping]]): The first character of each of these, and the record of its graph, whose "arcs" are
        Arcs.
    RETURNS (Optional[Carried]): What the Doc has of them; None if a record does not say where its tokens are, or they are not
        there.
    """
    found = find_parts(doc, records)
    if found is None:
        return None
    at = {i: token.i for token in doc for i in range(token.idx, token.idx + len(token))}
    arcs: dict[tuple[int, int, str], Arc] = {}
    words: set[int] = set()
    marked: set[int] = set()
    for record, part in found:
        places = {ROOT: ROOT}
        punct = set(record["punct"])
        for i, (a, b) in enumerate(part.spans, start=part.first):
            own = sorted({at[character] for character in range(a, b)})
            places[i] = _head(doc, own)
            (marked if i in punct else words).update(own)
        for arc in record["arcs"]:
            head, dependent = places.get(arc.head), places.get(arc.dependent)
            if head is None or dependent is None or head == dependent:
                continue
            key = head, dependent, arc.label
            if key not in arcs or not arc.remote:
                arcs[key] = Arc(*key, arc.remote)
    return Carried([*arcs.values()], marked - words, not found and len(doc) > 0)


def _head(doc: Doc, tokens: list[int]) -> int:
    """RETURNS (int): The first of some tokens whose head is none of them, by the dependencies of the Doc."""
    if not doc.has_annotation("HEAD"):
        return tokens[0]
    return next((i for i in tokens if doc[i].head.i == i or doc[i].head.i not in tokens), tokens[0])
