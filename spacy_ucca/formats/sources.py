"""What there is to parse in files: texts, and words that are given with their sentences, of all formats that are not prose."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Errors, FormatError
from ..graph import Graph
from ..text.spacing import spaces_from
from .conllu import iter_ud_sentences
from .plain_json import Checked, parse_json
from .recognise import JSON
from .registry import FORMATS, find_format

__all__ = ["Source", "read_sources"]

# Formats with a sentence in each block; in the others a graph may have several
_OF_SENTENCES = ("sdp", "conll", "conllu", "export", "penn", "penman")


@dataclass(frozen=True)
class Source:
    """A text to parse, or the words of one.

    id (str): Its id, or "" if the file gives none.
    where (str): Its place, for messages, such as "x.jsonl, line 3".
    text (Optional[str]): The text, as it stands there; None if it is not known.
    words (Optional[Tuple[str, ...]]): The words, if they are given.
    spaces (Optional[Tuple[bool, ...]]): Whether a space follows each of them; None if that is not known.
    starts (Optional[Tuple[int, ...]]): The first word of each sentence, if sentences are given.
    graph (Optional[Graph]): The graph that the words are from, for their details.
    """

    id: str
    where: str
    text: str | None = None
    words: tuple[str, ...] | None = None
    spaces: tuple[bool, ...] | None = None
    starts: tuple[int, ...] | None = None
    graph: Graph | None = None


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
    elif kind == "conllu":
        for sentence in iter_ud_sentences(text.split("\n"), source):
            spaces = spaces_from(sentence.words, sentence.text)
            yield Source(
                sentence.sent_id,
                f"{source}, sentence '{sentence.sent_id}'" if sentence.sent_id else source,
                None if spaces is None else sentence.text,
                sentence.words,
                spaces or sentence.spaces,
                (0,),
            )
    else:
        for graph in find_format(kind).read(text, source=source):
            yield source_of_graph(graph, source, one_sentence=kind in _OF_SENTENCES)


def source_of_graph(graph: Graph, where: str, *, one_sentence: bool = False) -> Source:
    """RETURNS (Source): The words of a graph, with its sentences: those of its roots, if it has several."""
    starts = tuple(sorted(min(root.tokens(), default=0) for root in graph.roots))
    text = graph.details.get("text")
    spaces = spaces_from(graph.words, text)
    return Source(
        str(graph.details.get("id", "")),
        where,
        None if spaces is None else text,
        graph.words,
        spaces,
        (0, *starts[1:]) if len(starts) > 1 or one_sentence else None,
        graph,
    )


def _json(text: str, source: str) -> Iterator[Source | FormatError]:
    """Read JSON lines or, if these are none, a list of objects or one object over several lines."""
    lines = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first = lines[0][1].strip()
    if first.startswith("[") or not _is_json(first):
        data = parse_json(text, source)
        items = data if isinstance(data, list) else [data]
        objects = ((f"{source}, object {i}", item) for i, item in enumerate(items, start=1))
        for where, item in objects:
            yield _caught(item, where)
        return
    for number, line in lines:
        where = f"{source}, line {number}"
        try:
            item = parse_json(line, source, number)
        except FormatError as err:
            yield err
        else:
            yield _caught(item, where)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return line.endswith("}")  # broken, and its own line
    return True


def _caught(item: Any, where: str) -> Source | FormatError:
    try:
        return _object(Checked(item, where))
    except FormatError as err:
        return err


def _object(data: Checked) -> Source:
    """RETURNS (Source): What an object has, by its keys: a graph, words, or a text."""
    keys = data.data.keys()
    name = data.maybe("id", str, int)
    graph_id = "" if name is None else str(name)
    line = json.dumps(data.data)
    if {"words", "units", "edges"} <= keys:
        return source_of_graph(FORMATS["jsonl"].read(line, source=data.where)[0], data.where)
    if data.data.get("nodes") and data.data.get("framework", "ucca") == "ucca":
        return source_of_graph(FORMATS["mrp"].read(line, source=data.where)[0], data.where)
    text = next((data.get(key, str) for key in ("text", "input") if key in keys), None)
    words = next((w for key in ("words", "tokens") if (w := _words(data.data.get(key)))), None)
    if words is not None:
        spaces = spaces_from(words, text)
        return Source(graph_id, data.where, text if spaces else None, words, spaces)
    if text is None:
        data.fail(Errors.UC538)
    return Source(graph_id, data.where, text)


def _words(value: Any) -> tuple[str, ...] | None:
    """RETURNS (Optional[Tuple[str, ...]]): The words of a list, if it is one of texts."""
    given = isinstance(value, list) and value and all(isinstance(w, str) for w in value)
    return tuple(value) if given else None
