"""`Doc._.sdp`: a bilexical graph on a Doc, one or more tops per sentence.

The user data of the Doc hold a record as JSON: the arcs, which tokens are punctuation, the id, and what is needed to find the
tokens again. Forms, lemmas and tags of the graph's tokens are those that the Doc has when the graph is read. `Doc.from_docs`
joins the graphs, `span.as_doc(copy_user_data=True)` cuts them, and after `doc.retokenize()` they are read over the new tokens.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy
from spacy.tokens import Doc

from ..conversion.graph import (
    EMPTY,
    Arc,
    BilexicalGraph,
    Token,
)
from ..errors import (
    Errors,
    GraphError,
    UccaError,
)
from ..text.spacing import doc_words
from ..tokens.carry import TOKENS
from ..tokens.storage import (
    checksum,
    read_entries,
    record_from_text,
    record_to_text,
    token_codes,
    words_of,
    write_entry,
)
from .carry import carry_arcs

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
    return BilexicalGraph(tuple(_tokens(doc, words)), tuple(arcs), tuple(punct), name)


def get_arcs(doc: Doc) -> list[Arc] | None:
    """RETURNS (Optional[List[Arc]]): The arcs of `doc._.sdp`, without making a graph of them; None if it has none.
    RAISES (UccaError): As `get_sdp`."""
    record = _read(doc)
    return None if record is None else record[0]


def _read(doc: Doc) -> tuple[list[Arc], set[int], str] | None:
    """RETURNS (Optional[Tuple]): Arcs, which tokens are punctuation, and the id. Of a Doc that was joined of several, those of
    all, and the id of the first."""
    entries = [(start, _parse(text)) for start, text in read_entries(doc, SDP)]
    if not entries:
        return None
    words = words_of(doc)
    (start, record), name = entries[0], entries[0][1]["id"]
    n = record["n"]
    if len(entries) == 1 and start == 0 and n == len(words) and record["words"] == checksum(words):
        return record["arcs"], set(record["punct"]), name
    carried = carry_arcs(doc, entries)
    if carried is None:
        raise UccaError(Errors.UC872.format(n=len(doc)))
    return None if carried.is_bare else (carried.arcs, carried.punct, name)


def _parse(text: Any) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The record that a text holds, with Arcs."""
    try:
        record = record_from_text(text)
        version = record["version"]
        if version != VERSION:
            raise UccaError(Errors.UC874.format(version=version, expected=VERSION))
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
        write_entry(doc, SDP, None)
        return
    if not isinstance(graph, BilexicalGraph):
        raise UccaError(Errors.UC875.format(type=type(graph).__name__))
    words = words_of(doc)
    if list(graph.words) != words:
        raise UccaError(Errors.UC876.format(n=len(graph.words), tokens=len(words)))
    record = {
        "version": VERSION,
        "words": checksum(words),
        "n": len(words),
        TOKENS: token_codes(doc),
        "arcs": [[int(h), int(d), label, bool(r)] for h, d, label, r in graph.arcs],
        "punct": [i for i, marked in enumerate(graph.punct) if marked],
        "id": graph.id,
    }
    write_entry(doc, SDP, record_to_text(record))


def graph_to_sdp_doc(
    graph: BilexicalGraph, vocab: Any, spaces: Sequence[bool] | None = None
) -> Doc:
    """Make a Doc of the bilexical graph of a sentence, with its lemmas and tags. For an empty word the token is "_".

    graph (BilexicalGraph): The graph.
    vocab (Vocab): The vocabulary.
    spaces (Optional[Sequence[bool]]): Whether a space follows each word; unknown, if it is not given.
    RETURNS (Doc): The Doc, with `doc._.sdp`: one sentence.
    """
    words = doc_words(graph.words)
    columns: dict[str, list[str] | None] = {}
    for name, attribute in (
        ("lemmas", "lemma"),
        ("pos", "pos"),
        ("tags", "tag"),
        ("morphs", "feats"),
    ):
        values = [getattr(token, attribute) for token in graph.tokens]
        values = ["" if value == EMPTY else value for value in values]
        columns[name] = values if any(values) else None
    if columns["pos"]:
        columns["pos"] = [value if value in _POS else "X" for value in columns["pos"]]
    doc = Doc(
        vocab,
        words=words,
        spaces=None if spaces is None else list(spaces),
        sent_starts=[i == 0 for i in range(len(graph.words))] if graph.words else None,
        **columns,  # type: ignore[arg-type]
    )
    tokens = (token._replace(form=word) for token, word in zip(graph.tokens, words))
    set_sdp(doc, replace(graph, tokens=tuple(tokens)))
    return doc


def sentence_arcs(doc: Doc, arcs: Sequence[Arc]) -> list[list[Arc]]:
    """Divide arcs by the sentences of a Doc. An arc between two sentences belongs to that of its dependent.

    doc (Doc): The Doc. One without sentence boundaries is one sentence.
    arcs (Sequence[Arc]): Arcs over its tokens.
    RETURNS (List[List[Arc]]): The arcs of each sentence, by the numbers of tokens in the Doc.
    """
    if not len(doc):
        return []
    starts = [0]
    if doc.has_annotation("SENT_START"):
        starts = [sent.start for sent in doc.sents]
    places = numpy.searchsorted(starts, [arc.dependent for arc in arcs], side="right") - 1
    by_sentence: list[list[Arc]] = [[] for _ in starts]
    for place, arc in zip(places.tolist(), arcs):
        by_sentence[place].append(arc)
    return by_sentence


_POS = frozenset(
    "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SPACE SYM VERB X".split()
) | {""}


def _tokens(doc: Doc, words: Sequence[str]) -> list[Token]:
    strings = doc.vocab.strings
    if not len(doc):
        return []
    values = doc.to_array(["LEMMA", "POS", "TAG", "MORPH"])
    names: dict[int, str] = {0: EMPTY}
    for key in numpy.unique(values[:, [0, 1, 2, 3]]).tolist():
        if key:
            names[key] = strings[key] or EMPTY
    return [Token(word, *(names[key] for key in row)) for word, row in zip(words, values.tolist())]
