"""The Docs that `spacy-ucca find` searches, texts that are parsed or graphs of files; and how it shows what it found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..drawing.tree import COLORS, paint, shown
from ..errors import Errors, UccaError
from ..formats.recognise import TEXT, name_of
from ..graph import Unit
from ..graph.categories import SEPARATOR
from ..matcher.plain import Sentences
from ..matcher.text import ROOT_NAME
from ..text.spacing import PARAGRAPH_BREAK, find_words, spaces_from
from ..tokens.extension import get_graph, set_graph
from ..training.corpus import graph_to_doc, read_docs
from ..training.pipelines import without_ucca
from ._graphs import read_named
from ._parse_input import kind_of
from ._parse_jobs import Parser
from ._util import STDIN, BadFiles, read_each

REVERSED, PLAIN = "7;", "1"


class Found(NamedTuple):
    """A Doc to search.

    source (str): Its file, for messages.
    name (str): Its name.
    doc (Doc): The Doc, with a graph.
    text (str): The text of the file, or, if that is not known, of the Doc.
    spans (List[Tuple[int, int]]): For each token of the Doc where it begins and ends in that text.
    """

    source: str
    name: str
    doc: Doc
    text: str
    spans: list[tuple[int, int]]


def parsed_docs(parser: Parser, files: Iterable[Path], bad: BadFiles) -> Iterator[Found]:
    """Parse files, as `spacy-ucca parse` does. A Doc is to be used before the next one is asked for.

    parser (Parser): Parses them.
    files (Iterable[Path]): The files; "-" is standard input.
    bad (BadFiles): Collects what cannot be parsed.
    YIELDS (Found): Their paragraphs.
    """
    for passage in parser.parse_files(files, bad):
        item = passage.item
        yield from _found(str(item), item.name, passage.docs, item.given.text)


def docs_of_graphs(
    files: Iterable[Path], vocab: Vocab, bad: BadFiles, *, nlp: Language | None = None
) -> Iterator[Found]:
    """Read files of graphs.

    files (Iterable[Path]): The files.
    vocab (Vocab): The vocabulary for the Docs.
    bad (BadFiles): Collects what cannot be read.
    nlp (Optional[Language]): A pipeline that sets tags and lemmas.
    YIELDS (Found): The Docs.
    RAISES (UccaError): If a file is a text.
    """
    with ExitStack() as stack:
        if nlp is not None:
            stack.enter_context(without_ucca(nlp))
        for path, docs in read_each(files, partial(_read, vocab=vocab, bad=bad), bad):
            names, untagged = [name for name, _ in docs], [doc for _, doc in docs]
            graphs = [get_graph(doc) for doc in untagged]
            tagged = untagged if nlp is None else nlp.pipe(untagged)
            for name, graph, doc in zip(names, graphs, tagged):
                if nlp is not None:
                    set_graph(doc, graph)  # if a component has set another one all the same
                yield from _found(
                    str(path), name, [doc], graph.details.get("text") if graph else None
                )


def _found(source: str, name: str, docs: Sequence[Doc], text: str | None) -> Iterator[Found]:
    """YIELDS (Found): The Docs of a text. If the text is not known, or has other words, it is theirs, with blank lines between."""
    words = [token.text for doc in docs for token in doc]
    spans = find_words(words, text) if isinstance(text, str) else None
    if spans is None or text is None:
        text, spans, start = PARAGRAPH_BREAK.join(doc.text for doc in docs), [], 0
        for doc in docs:
            spans += [(start + token.idx, start + token.idx + len(token)) for token in doc]
            start += len(doc.text) + len(PARAGRAPH_BREAK)
    first = 0
    for doc in docs:
        yield Found(source, name, doc, text, spans[first : first + len(doc)])
        first += len(doc)


def _read(path: Path, vocab: Vocab, bad: BadFiles) -> list[tuple[str, Doc]]:
    if path.suffix.lower() == ".spacy":
        docs = [(f"{name_of(path)}-{i}", doc) for i, doc in enumerate(read_docs(path, vocab), 1)]
        found = [(name, doc) for name, doc in docs if get_graph(doc) is not None]
        if len(found) < len(docs):
            bad.add(path, Errors.UC602.format(what="Doc"))
        return found
    if str(path) != STDIN and kind_of(path, None) == TEXT:
        raise UccaError(Errors.UC658.format(path=path))
    graphs = [(name, graph) for name, graph in read_named(path, bad) if graph.words]
    return [
        (name, graph_to_doc(graph, vocab, spaces_from(graph.words, graph.details.get("text"))))
        for name, graph in graphs
    ]


def mark(doc: Doc, sentences: Sentences, units: Mapping[str, Unit], *, color: bool = False) -> str:
    """Mark units in their sentence.

    doc (Doc): The Doc.
    sentences (Sentences): The sentences of its graph.
    units (Mapping[str, Unit]): The units by name. The root of a pattern that got no name of its own is left out, if there are
        others.
    color (bool): Colour the marks with ANSI escapes.
    RETURNS (str): One line, such as "[who John] [p bought] a house .".
    """
    start, end = sentences.around(units)
    named = {k: u for k, u in units.items() if k != ROOT_NAME or len(units) == 1}
    codes = {k: COLORS.get(u.label.partition(SEPARATOR)[0], PLAIN) for k, u in named.items()}
    opening: dict[int, list[tuple[int, str]]] = {}
    closing: dict[int, int] = {}
    for name, unit in named.items():
        for a, b in unit.ranges():
            opening.setdefault(a, []).append((b, name))
            closing[b] = closing.get(b, 0) + 1
    parts: list[str] = []
    stack: list[str] = []  # the colours of the units that are open
    for token in doc[start:end]:
        for _, name in sorted(opening.get(token.i, ()), key=lambda mark: -mark[0]):
            stack.append(codes[name])
            parts.append(paint(f"[{name}", REVERSED + codes[name], color) + " ")
        parts.append(paint(shown(token.text), stack[-1] if stack else "", color))
        for _ in range(closing.get(token.i + 1, 0)):
            parts.append(paint("]", REVERSED + stack.pop(), color))
        parts.append(" " * bool(token.whitespace_ or doc.has_unknown_spaces))
    line = "".join(parts).rstrip()
    for name, unit in named.items():
        line += "" if unit.tokens() else f" ({paint(name, codes[name], color)}: implicit)"
    return line
