"""Readers of training data, `spacy-ucca.Corpus.v1` and `spacy-ucca.Mixture.v1`, and writing .spacy files for them.

The Docs carry their gold graph in `doc._.ucca`, and tags and heads if they were written with them. A Doc that has lost its
graph is an error; it is never skipped.
"""

import logging
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab

from ..errors import Errors, FormatError, UccaError
from ..files import write_whole
from ..formats.text import SURROGATES
from ..graph import Graph
from ..graph.data import TEXT
from ..parser.given import gives_some
from ..text.spacing import doc_words, spaces_between
from ..tokens.extension import (
    get_graph,
    get_guidelines,
    get_punct,
    set_graph,
    set_guidelines,
    set_punct,
)
from ..tokens.storage import require_docs

if TYPE_CHECKING:
    from spacy.language import Language

FILE_TYPE = ".spacy"
T = TypeVar("T")
SYNTAX = ("TAG", "POS", "MORPH", "LEMMA")
ANNOTATIONS = ("remotes", "implicit", "linkage")  # of gold graphs, which can be left out
logger = logging.getLogger("spacy_ucca")


class DocBinCorpus:
    """Base class of readers: examples from .spacy files. Subclasses implement `_check`.

    path (Optional[Path]): A file, or a directory searched for .spacy files.
    limit (int): Number of Docs to read. 0 is no limit.
    shuffle (bool): Give the Docs in another order in each epoch.
    keep_annotations (bool): Give the predicted Docs the tags, lemmas and dependencies stored in the file. If not, the
        pipeline has to predict them while it trains (`annotating_components`).
    RAISES (UccaError): If there is no path.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        limit: int = 0,
        shuffle: bool = False,
        keep_annotations: bool = True,
    ) -> None:
        if path is None:
            raise UccaError(Errors.UC210)
        self.path = Path(path)
        self.limit = limit
        self.shuffle = shuffle
        self.keep_annotations = keep_annotations

    def __call__(self, nlp: "Language") -> Iterator[Example]:
        """Yield examples. The predicted Doc has the tokens and sentence starts of the reference (and
        its tags and dependencies, with `keep_annotations`), never its graph.

        nlp (Language): The pipeline, for its vocabulary.
        YIELDS (Example): The examples; the gold graph is on `eg.reference`.
        RAISES (UccaError): If nothing is at the path, a file is broken, or a Doc has no graph.
        """
        docs: Iterable[Doc] = self._references(nlp.vocab)
        if self.shuffle:
            docs = list(docs)
            random.shuffle(docs)
        for reference in docs:
            yield Example(bare_copy(reference, self.keep_annotations), reference)

    def _references(self, vocab: Vocab) -> Iterator[Doc]:
        """YIELDS (Doc): The Docs with gold graphs; those without tokens are left out."""
        n_docs = 0
        for path in find_docbins(self.path):
            for number, doc in enumerate(read_docs(path, vocab), start=1):
                if not len(doc):
                    continue
                self._check(doc, number, str(path))
                yield doc
                n_docs += 1
                if n_docs == self.limit:
                    return
        if not n_docs:
            raise UccaError(Errors.UC216.format(path=self.path))

    def _check(self, doc: Doc, number: int, where: str) -> None:
        """RAISES (UccaError): If a Doc has no gold graph; the message names its number and its file."""
        raise NotImplementedError


@registry.readers("spacy-ucca.Corpus.v1")
class UccaCorpus(DocBinCorpus):
    """Examples with `eg.reference._.ucca`, from .spacy files whose Docs have UCCA graphs, or span groups that give some of one.

    path, limit, shuffle, keep_annotations: As for `DocBinCorpus`.
    max_length (int): Longest Doc in tokens: longer ones are divided into sentences, and longer
        sentences left out. 0 is no limit.
    without (List[str]): What to leave out of gold graphs: "remotes", "implicit", "linkage".
    RAISES (UccaError): If there is no path, or `without` names something else.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        max_length: int = 0,
        limit: int = 0,
        shuffle: bool = False,
        keep_annotations: bool = True,
        without: Sequence[str] = (),
    ) -> None:
        super().__init__(path, limit=limit, shuffle=shuffle, keep_annotations=keep_annotations)
        self.max_length = max_length
        if unknown := sorted(set(without) - set(ANNOTATIONS)):
            raise UccaError(
                Errors.UC225.format(names=", ".join(unknown), known=", ".join(ANNOTATIONS))
            )
        self.without = dict.fromkeys(without, True)

    def _check(self, doc: Doc, number: int, where: str) -> None:
        if gives_some(doc):
            return
        graph = graph_of_doc(doc, number, where)
        if self.without:
            set_graph(doc, graph.without(**self.without))

    def _references(self, vocab: Vocab) -> Iterator[Doc]:
        too_long = 0
        for doc in super()._references(vocab):
            if not self.max_length or len(doc) <= self.max_length:
                yield doc
                continue
            for sentence in _sentences(doc):
                if len(sentence) <= self.max_length:
                    yield sentence
                else:
                    too_long += 1
        if too_long:
            logger.info("%d sentences of more than %d tokens left out", too_long, self.max_length)


@registry.readers("spacy-ucca.Mixture.v1")
def create_mixture(
    corpora: dict[str, Any], times: dict[str, int]
) -> Callable[["Language"], Iterator[Example]]:
    """Read several corpora, some more often than others, such as annotated ones beside ones labeled by a parser.

    corpora (Dict[str, Callable[[Language], Iterable[Example]]]): The readers, by any names.
    times (Dict[str, int]): How often each corpus is read per epoch; once, if it is not named.
    RETURNS (Callable[[Language], Iterator[Example]]): The reader.
    RAISES (ValueError): If there is no corpus, or `times` names an unknown one.
    """
    unknown = sorted(set(times) - set(corpora))
    if unknown or not corpora:
        raise ValueError(Errors.UC333.format(names=", ".join(unknown), known=", ".join(corpora)))

    def read(nlp: "Language") -> Iterator[Example]:
        for name, corpus in corpora.items():
            for _ in range(times.get(name, 1)):
                yield from corpus(nlp)

    return read


def find_docbins(path: Path) -> list[Path]:
    """Find .spacy files.

    path (Path): A file, or a directory.
    RETURNS (List[Path]): The file, or all in the directory and below, by name.
    RAISES (UccaError): If there are none.
    """
    if path.is_file():
        return [path]
    if not path.exists():
        raise UccaError(Errors.UC211.format(path=path))
    files = sorted(
        p
        for p in path.rglob(f"*{FILE_TYPE}")
        if p.is_file() and not any(part.startswith(".") for part in p.relative_to(path).parts)
    )
    if not files:
        raise UccaError(Errors.UC212.format(path=path))
    return files


def read_docbin(path: str | Path, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of one .spacy file and check that each has a graph over its tokens.

    path (Union[str, Path]): The file.
    vocab (Vocab): The vocabulary for the Docs.
    YIELDS (Doc): The Docs, with `doc._.ucca`.
    RAISES (UccaError): If the file is not a DocBin, or a Doc has no graph or one of other words.
    """
    for number, doc in enumerate(read_docs(path, vocab), start=1):
        if len(doc):
            graph_of_doc(doc, number, str(path))
        yield doc


def read_docs(path: str | Path, vocab: Vocab, data: bytes | None = None) -> Iterator[Doc]:
    """Read the Docs of one .spacy file, with or without graphs.

    path (Union[str, Path]): The file.
    vocab (Vocab): The vocabulary for the Docs.
    data (Optional[bytes]): What is in the file, if it has been read.
    YIELDS (Doc): The Docs.
    RAISES (UccaError): If the file is not a DocBin.
    """
    try:
        found = DocBin().from_disk(path) if data is None else DocBin().from_bytes(data)
        docs = found.get_docs(vocab)
        first = next(docs, None)
    except Exception as err:  # zlib, msgpack and numpy each have their own
        raise UccaError(Errors.UC213.format(path=path, reason=_brief(err))) from None
    while first is not None:
        yield first
        first = next(docs, None)


def write_docbin(
    docs: Iterable[Doc], path: str | Path, check: Callable[[Doc, int, str], Any] | None = None
) -> int:
    """Write Docs with graphs to a .spacy file, with their user data, tags and dependencies.

    docs (Iterable[Doc]): The Docs.
    path (Union[str, Path]): The file. Missing directories are made.
    check (Optional[Callable[[Doc, int, str], Any]]): Raises an error for a Doc that does not belong there, given its number
        and what to call them all; None: if it has no UCCA graph.
    RETURNS (int): The number of Docs written.
    RAISES (UccaError): If a Doc has no graph, or there are no Docs. Nothing is written then.
    """
    path = Path(path)
    data = DocBin(store_user_data=True)
    for number, doc in enumerate(require_docs(docs), start=1):
        if len(doc):
            (check or graph_of_doc)(doc, number, f"the Docs for {path}")
        data.add(doc)
    if not len(data):
        raise UccaError(Errors.UC218.format(path=path))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data.to_bytes())
    return len(data)


def graph_to_doc(graph: Graph, vocab: Vocab, spaces: Sequence[bool] | None = None) -> Doc:
    """Make a Doc from a graph: its words are the tokens, its roots the sentences. For an empty word the token is "_".

    graph (Graph): The graph.
    vocab (Vocab): The vocabulary.
    spaces (Optional[Sequence[bool]]): Whether a space follows each word. If it is None, spaces are set by rules of English,
        which only keep the text readable.
    RETURNS (Doc): The Doc, with `doc._.ucca`.
    RAISES (UccaError): If there are not as many spaces as words, or a word or id has half a character.
    """
    if SURROGATES.search(" ".join((str(graph.details.get("id", "")), *graph.words))):
        raise UccaError(Errors.UC719)
    if spaces is not None and len(spaces) != len(graph.words):
        raise UccaError(Errors.UC219.format(n=len(spaces), words=len(graph.words)))
    if "" in graph.words:
        graph = graph.replace(words=doc_words(graph.words))
    starts = {min(root.tokens(), default=0) for root in graph.roots}
    starts = {start for start in starts if start != min(starts)} | {0}
    doc = Doc(
        vocab,
        words=list(graph.words),
        spaces=list(spaces) if spaces is not None else spaces_between(graph.words),
        sent_starts=[i in starts for i in range(len(graph.words))],
    )
    set_graph(doc, graph)
    return doc


def bare_copy(doc: Doc, keep_annotations: bool, vocab: Vocab | None = None) -> Doc:
    """Copy the tokens, sentences and guidelines of a Doc, without its graph. Which tokens are punctuation is copied too:
    files of corpora have it before tokens are parsed.

    doc (Doc): The Doc.
    keep_annotations (bool): Copy tags, lemmas and dependencies too.
    vocab (Optional[Vocab]): The vocabulary of the copy; that of the Doc if None.
    RETURNS (Doc): The new Doc.
    """
    words = [token.text for token in doc]
    spaces = None if doc.has_unknown_spaces else [bool(token.whitespace_) for token in doc]
    copied = Doc(vocab or doc.vocab, words=words, spaces=spaces)
    attrs: list[Any] = [attr for attr in SYNTAX if keep_annotations and doc.has_annotation(attr)]
    if keep_annotations and doc.has_annotation("DEP"):
        attrs += ["DEP", "HEAD"]  # the heads make the sentences
    elif doc.has_annotation("SENT_START"):
        attrs.append("SENT_START")
    if attrs:
        # One attribute alone would come as a flat array.
        values: Any = doc.to_array(attrs).reshape(len(doc), len(attrs))
        copied.from_array(attrs, values)
    graph = get_graph(doc)
    set_guidelines(copied, get_guidelines(doc) or (graph.guidelines if graph is not None else ""))
    set_punct(copied, get_punct(doc) if graph is None else graph.punct)
    return copied


def graph_of_doc(doc: Doc, number: int, where: str) -> Graph:
    """Take the graph of a Doc of a file.

    doc (Doc): The Doc.
    number (int): Its number in the file, from 1.
    where (str): What messages call the file.
    RETURNS (Graph): The graph.
    RAISES (UccaError): If it has none, or one of other words.
    """
    names = {"graph": "UCCA graph", "command": "convert"}
    return found_on(doc, get_graph, **names, number=number, where=where)


def found_on(doc: Doc, get: Callable[[Doc], T | None], **place: object) -> T:
    """RETURNS (T): What a Doc has.
    RAISES (UccaError): If it has none; the message names its number and its file."""
    try:
        found = get(doc)
    except UccaError as err:
        raise UccaError(Errors.UC215.format(**place, reason=err)) from None
    if found is None:
        raise UccaError(Errors.UC214.format(**place))
    return found


def _sentences(doc: Doc) -> Iterator[Doc]:
    """YIELDS (Doc): The sentences of a Doc, by the roots of its graph, each with its part of the graph."""
    parts = doc._.ucca.sentences()
    if len(parts) < 2:
        yield doc
        return
    for start, graph in parts:
        sentence = doc[start : start + len(graph.words)].as_doc()
        set_graph(sentence, graph)
        set_guidelines(sentence, get_guidelines(doc))
        yield sentence


def _brief(err: Exception) -> str:
    text = str(err).splitlines()[0] if str(err) else "no message"
    # spaCy goes on about another format
    return f"{type(err).__name__}: {text.partition(' If your data')[0].rstrip('.')}"


def read_spacy(data: bytes, *, source: str = "file") -> list[Graph]:
    """Read the graphs of a .spacy file.

    data (bytes): The file.
    source (str): What to call it in messages.
    RETURNS (List[Graph]): The graph of each Doc that has tokens, with the Doc's text.
    RAISES (FormatError): If it is no DocBin, or a Doc has no graph.
    """
    graphs = []
    try:
        for number, doc in enumerate(read_docs(source, Vocab(), data), start=1):
            if len(doc):
                graph = graph_of_doc(doc, number, source)
                known = {} if doc.has_unknown_spaces else {TEXT: doc.text}
                graphs.append(graph.replace(details={**known, **graph.details}))
    except UccaError as err:
        raise FormatError(str(err)) from None
    return graphs
