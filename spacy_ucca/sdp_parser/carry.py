"""Carry bilexical graphs over to the tokens that a Doc has now: it was cut, joined, or its tokens were merged or split."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..conversion.graph import ROOT, TOP, Arc
from ..tokens.carry import find_parts


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
        for arc in _as_tree(record["arcs"], places):
            head, dependent = places.get(arc.head), places.get(arc.dependent)
            if head is None or dependent is None or head == dependent:
                continue
            key = head, dependent, arc.label
            if key not in arcs or not arc.remote:
                arcs[key] = Arc(*key, arc.remote)
    return Carried([*arcs.values()], marked - words, not found and len(doc) > 0)


def _as_tree(arcs: Sequence[Arc], places: Mapping[int, int]) -> list[Arc]:
    """Keep a tree a tree: of the primary arcs to a merged token, that of the part nearest to the root stays primary, the others
    become remote, so that they do not go round in a circle. A token whose head was cut off is a top.

    arcs (Sequence[Arc]): The arcs of the old tokens.
    places (Mapping[int, int]): The new token of each.
    RETURNS (List[Arc]): The arcs; the same ones if they are no tree.
    """
    heads = {arc.dependent: arc.head for arc in arcs if not arc.remote}
    if len(heads) < sum(not arc.remote for arc in arcs):
        return [*arcs]
    nearest: dict[int, tuple[int, int]] = {}
    for token in heads:
        depth, at = 0, token
        while at in heads and depth <= len(heads):
            depth, at = depth + 1, heads[at]
        if token in places:
            mine = depth, token
            nearest[places[token]] = min(nearest.get(places[token], mine), mine)
    tops = {token for _, token in nearest.values()}
    found = [arc if arc.dependent in tops else arc._replace(remote=True) for arc in arcs]
    cut = [token for token in tops if heads[token] not in places]
    return [*found, *(Arc(ROOT, token, TOP) for token in sorted(cut))]


def _head(doc: Doc, tokens: list[int]) -> int:
    """RETURNS (int): The first of some tokens whose head is none of them, by the dependencies of the Doc."""
    if not doc.has_annotation("HEAD"):
        return tokens[0]
    return next((i for i in tokens if doc[i].head.i == i or doc[i].head.i not in tokens), tokens[0])
