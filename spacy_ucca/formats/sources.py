"""What there is to parse in files: texts, and words that are given with their sentences, of all formats that are not prose."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..errors import Errors, FormatError
from ..graph import Graph
from ..text.spacing import find_words, is_same_word, spaces_from
from .conllu import iter_ud_sentences
from .files import iter_items, read_text
from .json_words import given_words, sentence_starts
from .mend import known_text
from .penman import read_metadata
from .plain_json import Checked, parse_json
from .recognise import JSON
from .registry import FORMATS, Format, find_format
from .text import BLANKS, SURROGATES, Source, split_blanks

# Formats with a sentence in each block; in the others a graph may have several
_OF_SENTENCES = ("sdp", "conll", "conllu", "export", "penn", "penman")


def read_sources(text: str, kind: str, *, source: str) -> Iterator[Source | FormatError]:
    """Read what there is to parse.

    text (str): The content of a file.
    kind (str): What it is: `JSON`, or the name of a format.
    source (str): What messages call it.
    YIELDS (Union[Source, FormatError]): The texts; for one that cannot be read, the reason.
    RAISES (FormatError): If the whole cannot be read.
    """
    if not text.strip():
        raise FormatError(Errors.UC115.format(where=source))
    if kind in (JSON, "jsonl", "mrp"):
        yield from _json(text, source)
        return
    bad: list[Exception] = []
    n = 0
    for found in _of_format(text, find_format(kind), source, bad):
        n += 1
        yield found
    for reason in bad:
        yield reason if isinstance(reason, FormatError) else FormatError(reason)
    if not n and not bad:
        raise FormatError(Errors.UC115.format(where=source))


def _of_format(
    text: str, entry: Format, source: str, bad: list[Exception]
) -> Iterator[Source | FormatError]:
    if entry.name in ("conllu", "penman"):
        read = _sentence if entry.name == "conllu" else _penman
        for number, lines in iter_items(entry, text.split("\n")):
            if any(line.strip(BLANKS)[:1] not in ("", "#") for line in lines):
                yield _caught(read, lines, source, number)
    else:
        for graph in read_text(entry, text, source, lambda _, reason: bad.append(reason)):
            yield _caught(source_of_graph, graph, source, entry.name in _OF_SENTENCES)


def _caught(read: Callable[..., Source], *args: Any) -> Source | FormatError:
    try:
        found = read(*args)
        half = SURROGATES.search(" ".join((found.id, found.text or "", *(found.words or ()))))
        if half is not None:
            raise FormatError(Errors.UC546.format(where=found.where, code=ord(half[0])))
        if found.graph is None and "" in (words := found.words or ()):
            raise FormatError(Errors.UC559.format(where=found.where, i=words.index("") + 1))
    except FormatError as err:
        return err
    return found


def _sentence(lines: list[str], source: str, number: int) -> Source:
    sentence = next(iter_ud_sentences(lines, source, number), None)
    if sentence is None:
        raise FormatError(Errors.UC115.format(where=f"{source}, line {number}"))
    where = f"{source}, sentence '{sentence.sent_id}'" if sentence.sent_id else source
    given = Source(sentence.sent_id, where, None, sentence.words, sentence.spaces, (0,))
    return _with_text(given, sentence.text)


def _with_text(given: Source, text: str | None, other: str | None = None) -> Source:
    """Find the place of given words in their text.

    given (Source): The words.
    text (Optional[str]): The text that the file gives.
    other (Optional[str]): The text that the file's tokens make, which is taken if it gives none, or that of other words.
    RETURNS (Source): The words, with the text and what it says of spaces; as they were given, if there is none.
    """
    words = given.words or ()
    text = other if (known := known_text(words, text, given.where)) is None else known
    spans = None if text is None else find_words(words, text)
    if text is None or spans is None:
        return given
    pairs = zip(words, (text[start:end] for start, end in spans), strict=True)
    otherwise = next((pair for pair in pairs if not is_same_word(*pair)), None)
    return replace(given, text=text, spaces=spaces_from(words, text), respelled=otherwise)


def _penman(lines: list[str], source: str, number: int) -> Source:
    """The words of AMR are its tokens or, without these, those that a tokenizer finds in its sentence; its graph may be any."""
    meta = read_metadata(lines)
    where = f"{source}, line {number}"
    name, text, tokens = meta.get("id", ""), meta.get("snt"), split_blanks(meta.get("tok", ""))
    if tokens:
        graph = None
        with suppress(FormatError):
            (graph,) = FORMATS["penman"].read("\n".join(lines), source=source, first_line=number)
        if graph is not None:
            return source_of_graph(graph, source, one_sentence=True)
        return _with_text(Source(name, where, None, tuple(tokens), None, (0,)), text)
    if text and text.strip():
        return Source(name, where, text)
    raise FormatError(Errors.UC545.format(where=where))


def source_of_graph(graph: Graph, where: str, one_sentence: bool = False) -> Source:
    """RETURNS (Source): The words of a graph, with its sentences: those of its roots, if it has several."""
    starts = tuple(sorted(min(root.tokens(), default=0) for root in graph.roots))
    text, name = graph.details.get("text"), str(graph.details.get("id", ""))
    known = (0, *starts[1:]) if len(starts) > 1 or one_sentence else None
    given = Source(name, where, None, graph.words, None, known, graph)
    return _with_text(given, text if isinstance(text, str) else None)


def _json(text: str, source: str) -> Iterator[Source | FormatError]:
    """Read JSON lines or, if these are none, a list of objects or one object over several lines."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first = lines[0][1].strip()
    if not _is_json(first) or (len(lines) == 1 and first.startswith("[")):
        data = parse_json(text, source)
        items = data if isinstance(data, list) and not _is_stanza(data) else [data]
        for i, item in enumerate(items, start=1):
            yield _caught(_item, item, f"{source}, object {i}")
        return
    for number, line in lines:
        yield _caught(_line, line, source, number)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return line.endswith("}")  # broken, and its own line
    return True


def _line(line: str, source: str, number: int) -> Source:
    return _item(parse_json(line, source, number), f"{source}, line {number}")


def _item(item: Any, where: str) -> Source:
    """RETURNS (Source): What a value of JSON has: an object, a text, or the words of a sentence."""
    if isinstance(item, str):
        return Source("", where, item)
    if isinstance(item, list) and (found := given_words(item)) and not _has_blanks(found.words):
        given = Source("", where, None, found.words, None, found.starts)
        return _with_text(given, None, found.text)
    return _object(Checked(item, where))


def _is_stanza(data: list[Any]) -> bool:
    """RETURNS (bool): Whether a list is one document, with the tokens of each sentence as a list of objects."""
    lists = [item for item in data if isinstance(item, list) and item and isinstance(item[0], dict)]
    return bool(data) and len(lists) == len(data)


def _has_blanks(words: Sequence[str]) -> bool:
    """RETURNS (bool): Whether these are texts rather than words."""
    return any(len(word.split()) > 1 for word in words)


def _object(data: Checked) -> Source:
    """RETURNS (Source): What an object has, by its keys: a graph, words, or a text."""
    keys = data.data.keys()
    name = data.maybe("id", str, int, float)
    graph_id = "" if name is None else str(name)
    line = json.dumps(data.data)
    if {"words", "units", "edges"} <= keys:
        return source_of_graph(FORMATS["jsonl"].read(line, source=data.where)[0], data.where)
    if data.data.get("nodes") and data.data.get("framework", "ucca") == "ucca":
        return source_of_graph(FORMATS["mrp"].read(line, source=data.where)[0], data.where)
    texts = (data.maybe(key, str) for key in ("text", "input"))
    text = next((text for text in texts if text is not None), None)
    words = (given_words(data.data.get(key), text) for key in ("words", "tokens", "sentences"))
    found = next(filter(None, words), None)
    if found is None and text is None:
        data.fail(Errors.UC538)
    if found is None:
        return Source(graph_id, data.where, text)
    starts = found.starts
    if starts is None and text is not None:
        starts = sentence_starts(found.words, text, data.data.get("sents"))
    given = Source(graph_id, data.where, None, found.words, None, starts)
    return _with_text(given, text, found.text)
