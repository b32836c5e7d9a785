"""Carry graphs and flags over to the tokens that a Doc has now: it was cut, joined, or its tokens were merged or split."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc

from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..text.align import project
from ..text.subgraph import PassageIndex, SubgraphBuilder
from .storage import TOKENS, Entries, Part, checksum, find_tokens, words_of


def carry_graph(doc: Doc, records: Iterable[tuple[int, Any]]) -> Graph | None:
    """Make the graph of a Doc from those of Docs that it was made of.

    doc (Doc): The Doc.
    records (Iterable[Tuple[int, Any]]): The first character of each of these, and the record of its graph.
    RETURNS (Optional[Graph]): The graph over the tokens of the Doc. Parts without a graph are attached to nothing; None if no
        part has one.
    RAISES (UccaError): If a record does not say where its tokens are, or they are not there.
    """
    text, words = doc.text, words_of(doc)
    found = find_parts(doc, records)
    if found is None:
        raise UccaError(Errors.UC203.format(n=len(words)))
    if words and not found:
        return None
    parts: list[Graph] = []
    places = [token.idx for token in doc]
    at = 0
    for record, part in found:
        own = [text[a:b] for a, b in part.spans]
        if part.is_whole and checksum(own) != record["words"]:
            raise UccaError(Errors.UC203.format(n=len(words)))
        begin, end = part.spans[0][0], part.spans[-1][1]
        parts += [_gap(words, places, at, begin), _cut(record, part, own)]
        at = end
    parts = [part for part in [*parts, _gap(words, places, at, len(text))] if part.words]
    graph = parts[0] if len(parts) == 1 else Graph.join(parts)
    if list(graph.words) == words:
        return graph
    moved, _ = project(graph, words)
    if moved is None:
        raise UccaError(Errors.UC203.format(n=len(words)))
    return moved


def carry_flags(doc: Doc, entries: Entries, name: str) -> list[bool] | None:
    """Carry flags of tokens over. A token has the flag if all tokens that it was made of have it.

    doc (Doc): The Doc.
    entries (List[Tuple[int, Any]]): The first character of each Doc that it was made of, and its flags and tokens.
    name (str): The key of the flags.
    RETURNS (Optional[List[bool]]): The flags; None if some tokens are not found.
    """
    found = find_parts(doc, entries)
    if found is None:
        return None
    by_character: dict[int, bool] = {}
    for entry, part in found:
        for i, (a, b) in enumerate(part.spans, start=part.first):
            by_character.update(dict.fromkeys(range(a, b), bool(entry[name][i])))
    flags = []
    for token in doc:
        own = range(token.idx, token.idx + len(token))
        known = [by_character[at] for at in own if at in by_character]
        if not known:
            return None
        flags.append(all(known))
    return flags


def find_parts(doc: Doc, entries: Iterable[tuple[int, Any]]) -> list[tuple[Any, Part]] | None:
    """Find the tokens of records in a Doc.

    doc (Doc): The Doc.
    entries (Iterable[Tuple[int, Any]]): The first character of each Doc that it was made of, and a record that has its tokens.
    RETURNS (Optional[List[Tuple[Any, Part]]]): Each stretch of tokens that is left, with its record, in order; None if a record
        does not say where its tokens are, or they are not there.
    """
    entries = [*entries]
    codes = [record.get(TOKENS) if isinstance(record, Mapping) else None for _, record in entries]
    for own in codes:
        if not isinstance(own, list | tuple) or not all(isinstance(code, int) for code in own):
            return None
    starts = [sent.start_char for sent in doc.sents] if doc.has_annotation("SENT_START") else []
    places = [(start, own) for (start, _), own in zip(entries, codes)]
    parts = find_tokens(doc.text, places, starts)  # type: ignore[arg-type]
    if parts is None:
        return None
    return [(entries[part.entry][1], part) for part in parts]


def _gap(words: Sequence[str], places: Sequence[int], start: int, end: int) -> Graph:
    """RETURNS (Graph): A graph without units, over the tokens between two characters, given the first character of each."""
    return Graph(words[bisect_left(places, start) : bisect_left(places, end)], [], [])


def _cut(record: Mapping[str, Any], part: Part, words: Sequence[str]) -> Graph:
    """RETURNS (Graph): The graph of a record, over those of its tokens that are left: sentences that are cut become what
    `split_passage` of the `ucca` package makes of them."""
    if part.is_whole:
        return Graph.from_record({**record, "words": words})
    last, n = part.first + len(words), len(record[TOKENS])
    others = [["_"] * part.first, ["_"] * (n - last)]  # their words are lost
    graph = Graph.from_record({**record, "words": [*others[0], *words, *others[1]]})
    try:
        sentences = graph.sentences() if len(graph.roots) > 1 else [(0, graph)]
    except GraphError:  # they overlap
        sentences = [(0, graph)]
    cut: list[Graph] = []
    for start, sentence in sentences:
        a, b = max(part.first - start, 0), min(last - start, len(sentence.words))
        if a >= b:
            continue
        if b - a < len(sentence.words):
            sentence = SubgraphBuilder(PassageIndex(sentence), a, b).build(
                graph.details.get("id", "")
            )
        cut.append(sentence)
    return cut[0] if len(cut) == 1 else Graph.join(cut)
