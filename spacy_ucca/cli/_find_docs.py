"""The Docs that `spacy-ucca find` searches: texts that are parsed, or graphs of files."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..distributed.workers import divide
from ..errors import Errors, UccaError
from ..formats.recognise import TEXT, name_of
from ..text.spacing import spaces_from
from ..tokens.extension import get_graph, set_graph
from ..training.corpus import graph_to_doc, read_docs
from ..training.pipelines import without_ucca
from ._graphs import read_named
from ._parse_input import kind_of, read_items
from ._parse_jobs import Parser, size_of
from ._util import STDIN, BadFiles, read_each


class Found(NamedTuple):
    """A Doc to search.

    source (str): Its file, for messages.
    name (str): Its name.
    doc (Doc): The Doc, with a graph.
    """

    source: str
    name: str
    doc: Doc


def parsed_docs(parser: Parser, files: Iterable[Path], bad: BadFiles) -> Iterator[Found]:
    """Parse files, as `spacy-ucca parse` does. A Doc is to be used before the next one is asked for.

    parser (Parser): Parses them.
    files (Iterable[Path]): The files; "-" is standard input.
    bad (BadFiles): Collects what cannot be parsed.
    YIELDS (Found): Their paragraphs.
    """
    for job in divide(read_items(files, lines=False, bad=bad), size_of):
        with parser.nlp.memory_zone():
            for passage in parser.passages(job, bad):
                for doc in passage.parsed:
                    yield Found(passage.item.source, passage.item.name, doc)


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
                yield Found(str(path), name, doc)


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
