"""`Doc._.sdp`: a bilexical graph on a Doc, one or more tops per sentence.

The user data of the Doc hold a record as JSON: the arcs, which tokens are punctuation, the id, and what is needed to find the
tokens again. Forms, lemmas and tags of the graph's tokens are those that the Doc has when the graph is read. `Doc.from_docs`
joins the graphs, `span.as_doc(copy_user_data=True)` cuts them, and after `doc.retokenize()` they are read over the new tokens.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy
from spacy.tokens import Doc

from ..conversion.graph import EMPTY, ROOT, TOP, Arc, BilexicalGraph, Token
from ..errors import Errors, GraphError, UccaError
from ..graph.data import check_words
from ..text.spacing import doc_words
from ..tokens import storage
from ..tokens.carry import TOKENS, find_parts
from ..tokens.storage import words_of

SDP = "sdp"
VERSION = 1


def get_sdp(doc: Doc) -> BilexicalGraph | None:
    """Get the bilexical graph of a Doc; the getter of `doc._.sdp`.

    doc (Doc): The Doc.
    RETURNS (Optional[BilexicalGraph]): The graph over all its tokens; None if it has none.
    RAISES (UccaError): If the tokens have changed since, or the record is not a graph.
    """
    record = _read(doc)
    if record is None:
        return None
    words = words_of(doc)
    arcs, marked, name = record
    punct = [i in marked for i in range(len(words))]
    return BilexicalGraph(tuple(_tokens(doc)), tuple(arcs), tuple(punct), name)


def get_arcs(doc: Doc) -> list[Arc] | None:
    """RETURNS (Optional[List[Arc]]): The arcs of `doc._.sdp`, without making a graph of them; None if it has none.
    RAISES (UccaError): As `get_sdp`."""
    record = _read(doc)
    return None if record is None else record[0]


def _read(doc: Doc) -> tuple[list[Arc], set[int], str] | None:
    """RETURNS (Optional[Tuple]): Arcs, which tokens are punctuation, and the id. Of a Doc that was joined of several, those of
    all, and the id of the first."""
    entries = [(start, _parse(text)) for start, text in storage.read_entries(doc, SDP)]
    if not entries:
        return None
    words = words_of(doc)
    (start, record), name = entries[0], entries[0][1]["id"]
    n = record["n"]
    if (
        len(entries) == 1
        and start == 0
        and n == len(words)
        and record["words"] == storage.checksum(words)
    ):
        return record["arcs"], set(record["punct"]), name
    carried = carry_arcs(doc, entries)
    return None if carried is None else (*carried, name)


def _parse(text: Any) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The record that a text holds, with Arcs."""
    try:
        record = storage.record_from_text(text)
        version = record["version"]
        if version != VERSION:
            named = {"what": "bilexical graph", "version": version}
            raise UccaError(Errors.UC009.format(**named, expected=VERSION))
        arcs = [Arc(int(h), int(d), str(label), bool(r)) for h, d, label, r in record["arcs"]]
        punct = [int(i) for i in record["punct"]]
        return {**record, "arcs": arcs, "punct": punct, "id": str(record["id"])}
    except UccaError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError) as err:
        raise GraphError(Errors.UC873.format(reason=f"{type(err).__name__}: {err}")) from None


def set_sdp(doc: Doc, graph: BilexicalGraph | None) -> None:
    """Store a bilexical graph on a Doc; the setter of `doc._.sdp`. Lemmas and tags of the graph are not written to the
    Doc; `graph_to_sdp_doc` makes a Doc with them.

    doc (Doc): The Doc.
    graph (Optional[BilexicalGraph]): The graph, or None to remove it.
    RAISES (UccaError): If the words of the graph are not the tokens of the Doc, or it is not a graph.
    """
    if graph is None:
        storage.write_entry(doc, SDP, None)
        return
    if not isinstance(graph, BilexicalGraph):
        raise UccaError(Errors.UC875.format(type=type(graph).__name__))
    words = words_of(doc)
    check_words(graph.words, words)
    record = {
        "version": VERSION,
        "words": storage.checksum(words),
        "n": len(words),
        TOKENS: storage.token_codes(doc, words),
        "arcs": [[int(h), int(d), label, bool(r)] for h, d, label, r in graph.arcs],
        "punct": [i for i, marked in enumerate(graph.punct) if marked],
        "id": graph.id,
    }
    storage.write_entry(doc, SDP, storage.record_to_text(record))


def graph_to_sdp_doc(
    graph: BilexicalGraph, vocab: Any, spaces: Sequence[bool] | None = None, **syntax: Any
) -> Doc:
    """Make a Doc of the bilexical graph of a sentence, with its lemmas and tags. For an empty word the token is "_".

    graph (BilexicalGraph): The graph.
    vocab (Vocab): The vocabulary.
    spaces (Optional[Sequence[bool]]): Whether a space follows each word; unknown, if it is not given.
    **syntax: The heads and deps of the sentence's tree.
    RETURNS (Doc): The Doc, with `doc._.sdp`: one sentence.
    """
    words = doc_words(graph.words)
    columns: dict[str, Any] = dict(syntax)
    attributes = {"lemmas": "lemma", "pos": "pos", "tags": "tag", "morphs": "feats"}
    for name, attribute in attributes.items():
        values = [getattr(token, attribute) for token in graph.tokens]
        values = ["" if value == EMPTY else value for value in values]
        columns[name] = values if any(values) else None
    if columns["pos"]:
        columns["pos"] = [value if value in _POS else "X" for value in columns["pos"]]
    if not syntax:
        columns["sent_starts"] = [i == 0 for i in range(len(words))] or None
    doc = Doc(vocab, words=words, spaces=None if spaces is None else list(spaces), **columns)
    tokens = (token._replace(form=word) for token, word in zip(graph.tokens, words))
    set_sdp(doc, replace(graph, tokens=tuple(tokens)))
    return doc


def sentence_arcs(
    doc: Doc, arcs: Sequence[Arc], tokens: Sequence[int] | None = None
) -> list[list[Arc]]:
    """Divide arcs by the sentences of a Doc. An arc between two sentences belongs to that of its dependent.

    doc (Doc): The Doc. One without sentence boundaries is one sentence.
    arcs (Sequence[Arc]): Arcs over its tokens.
    tokens (Optional[Sequence[int]]): For each arc a token of its sentence; None: its dependent.
    RETURNS (List[List[Arc]]): The arcs of each sentence, by the numbers of tokens in the Doc.
    """
    if not len(doc):
        return []
    starts = [0]
    if doc.has_annotation("SENT_START"):
        starts = [sent.start for sent in doc.sents]
    at = [arc.dependent for arc in arcs] if tokens is None else tokens
    places = numpy.searchsorted(starts, at, side="right") - 1
    by_sentence: list[list[Arc]] = [[] for _ in starts]
    for place, arc in zip(places.tolist(), arcs):
        by_sentence[place].append(arc)
    return by_sentence


_POS = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SPACE SYM VERB X".split()
) | {""}


def _tokens(doc: Doc) -> list[Token]:
    columns = ((t.text, t.lemma_, t.pos_, t.tag_, str(t.morph)) for t in doc)
    return [Token(word, *(value or EMPTY for value in others)) for word, *others in columns]


# Docs that were cut or joined, or whose tokens were merged or split


def carry_arcs(
    doc: Doc, records: Iterable[tuple[int, Mapping[str, Any]]]
) -> tuple[list[Arc], set[int]] | None:
    """Make the arcs of a Doc from those of Docs that it was made of. Arcs inside a merged token, and to tokens that were cut
    off, are left out; those of a token that was split are those of its head.

    doc (Doc): The Doc.
    records (Iterable[Tuple[int, Mapping]]): The first character of each of these, and the record of its graph, whose "arcs" are
        Arcs.
    RETURNS (Optional[Tuple[List[Arc], Set[int]]]): The arcs, and which tokens are punctuation; None if no token of the Doc had
        a graph.
    RAISES (UccaError): If a record does not say where its tokens are, or they are not there.
    """
    found = find_parts(doc, records)
    if found is None:
        raise UccaError(Errors.UC203.format(n=len(doc)))
    if len(doc) and not found:
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
    return [*arcs.values()], marked - words


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
