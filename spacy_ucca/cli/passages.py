"""Make Docs of texts and of given words for `spacy-ucca parse`, and join their graphs.

Each paragraph is a Doc of its own, so no sentence crosses a paragraph and a long file is not one long Doc.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Errors, GraphError, UccaError
from ..formats.recognise import TEXT
from ..formats.text import Source
from ..graph import Graph
from ..graph.data import common_details, with_text
from ..text.spacing import doc_words, find_words, spaces_between
from ..text.split import BLANK_LINE, in_reading_order, merge_roots, paragraph_ends, text_paragraphs
from ._util import BadFiles, warn

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    from ..conversion.graph import BilexicalGraph

XML = "xml"
PEEK = 30  # files looked at to see whether a corpus is split into sentences
FINAL = frozenset(".!?…。！？؟") | {"...", "?!", "!!", "!?"}
LAST = 3  # tokens at the end that may follow the full stop: quotes, brackets


@dataclass(frozen=True)
class ParseSettings:
    """The options of `spacy-ucca parse` that its processes need; they are described there.

    sentences (str): Who divides texts into sentences: "parser", the pipeline; "file", which has one in each paragraph; "auto",
        as the file does or, if it does not, as the words look.
    tree (Mapping[str, Any]): Options of `render_tree`, for text trees on a terminal.
    predications (bool): Whether the rows of predications are asked for.
    """

    model: str
    target: str
    sentences: str = "auto"
    lang: str | None = None
    guidelines: str | None = None
    beam_width: int | None = None
    n_best: int = 1
    batch_size: int | None = None
    gpu_id: int = -1
    tree: Mapping[str, Any] = field(default_factory=dict)
    predications: bool = False


@dataclass(frozen=True)
class Item:
    """A text to parse.

    name (str): The name of its output file, without suffix, and its id, if it has no other one.
    given (Source): The text, or its words.
    kind (str): What its file is: see `guess_input`.
    target (Optional[Path]): The file for its graph; if it is None, the graph is passed on.
    piece (Optional[Tuple[int, int]]): Which piece of a long text it is, from 0, and of how many.
    best (Tuple[Path, ...]): The files for several graphs, the most probable first.
    error (Optional[Exception]): Why there is no text.
    """

    name: str
    given: Source
    kind: str = TEXT
    target: Path | None = None
    piece: tuple[int, int] | None = None
    best: tuple[Path, ...] = ()
    error: Exception | None = None

    def __str__(self) -> str:
        """RETURNS (str): Its name in messages."""
        return self.given.where


@dataclass(frozen=True)
class Passage:
    """A text on its way through the pipeline.

    item (Item): The text.
    docs (List[Doc]): Its paragraphs.
    """

    item: Item
    docs: "list[Doc]"

    def graphs(self) -> list[Graph]:
        """RETURNS (List[Graph]): The graphs of the paragraphs.
        RAISES (UccaError): If a Doc has no graph."""
        found = [doc._.ucca for doc in self.docs]
        if None in found:
            raise UccaError(Errors.UC506.format())
        return found

    def graph(self, graphs: Sequence[Graph]) -> Graph:
        """Join the graphs of the paragraphs.

        graphs (Sequence[Graph]): The graphs.
        RETURNS (Graph): The graph of the whole passage, with the tokens of its file. Each sentence has
            its root; `write_xml` merges them.
        RAISES (GraphError): If the pipeline has changed the tokens."""
        joined = Graph.join(graphs)
        given = self.item.given
        template, words, text = given.graph, given.words, given.text
        if words is not None:
            if list(joined.words) != doc_words(words):
                raise GraphError(Errors.UC509.format())
            joined = joined.replace(words=words)
        if template is None:
            punct = joined.punct
            numbers = tuple(i for i, graph in enumerate(graphs, 1) for _ in graph.words)
            details: dict[str, Any] = {"id": self.item.name}
        else:
            punct, numbers = template.punct, template.paragraphs
            details = {"id": template.details.get("id") or self.item.name}
            tokens = template.details.get("xml", {}).get("tokens")
            if tokens:
                joined = in_reading_order(merge_roots(joined))
                details["xml"] = {"tokens": tokens}
        known = text is not None and find_words(joined.words, text) is not None
        details = with_text(details, text if known else None)
        details |= common_details([joined])
        return joined.replace(punct=punct, paragraphs=numbers, details=details, check=False)

    def sentences(self) -> "list[Span]":
        """RETURNS (List[Span]): The sentences; a Doc without sentence boundaries is one."""
        spans = []
        for doc in self.docs:
            spans += list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
        return [span for span in spans if len(span)]

    def arcs(self) -> "list[BilexicalGraph]":
        """RETURNS (List[BilexicalGraph]): The bilexical graph of each sentence. Several have numbers in their ids."""
        graphs = []
        for span in self.sentences():
            graph = span.as_doc(copy_user_data=True)._.sdp
            graphs.append(replace(graph, text=span.text.rstrip()))
        name = self.item.name
        ids = [name] if len(graphs) == 1 else [f"{name}.{i}" for i in range(1, len(graphs) + 1)]
        return [replace(graph, id=id_) for graph, id_ in zip(graphs, ids, strict=True)]


def looks_like_sentence(graph: Graph) -> bool:
    """RETURNS (bool): Whether a passage seems to be one sentence: it has one paragraph, and no token that ends sentences
    except among its last three.
    """
    return len(paragraph_ends(graph)) <= 1 and are_of_one_sentence(graph.words)


def are_of_one_sentence(words: Sequence[str]) -> bool:
    """RETURNS (bool): Whether no word ends a sentence except among the last three."""
    return not FINAL.intersection(words[: max(0, len(words) - LAST)])


def are_sentences(graphs: Iterable[Graph]) -> bool:
    """Guess whether each graph of a corpus is a sentence: at least three quarters of the first thirty look like one.

    graphs (Iterable[Graph]): The graphs.
    RETURNS (bool): Whether each is a sentence.
    """
    single = [looks_like_sentence(graph) for graph in islice(graphs, PEEK)]
    return bool(single) and 4 * sum(single) >= 3 * len(single)


def with_sentences(items: Iterable[Item], sentences: str) -> Iterator[Item]:
    """Take each graph of several as one sentence, if most look so.

    items (Iterable[Item]): What there is to parse.
    sentences (str): Who divides texts into sentences: see `ParseSettings`.
    YIELDS (Item): The same, with the beginnings of sentences.
    """
    for (is_xml, is_whole), group in groupby(
        items, lambda one: (one.kind == XML, one.given.is_whole)
    ):
        head = list(islice(group, PEEK)) if is_whole and sentences == "auto" else []
        single = are_sentences(item.given.graph for item in head if item.given.graph is not None)
        if head and is_xml:
            warn(f"Sentences: {'each file is one' if single else 'divided by the pipeline'}.")
        for item in chain(head, group):
            yield replace(item, given=replace(item.given, starts=(0,))) if single else item


def in_pieces(items: Iterable[Item], size: int) -> Iterator[Item]:
    """Divide long texts at blank lines, so that one is no single job and is not in memory as one Doc.

    items (Iterable[Item]): What there is to parse.
    size (int): The characters of a piece, about.
    YIELDS (Item): The same, with pieces for long texts.
    """
    for item in items:
        text = item.given.text or ""
        starts = [0]
        if item.given.words is None and len(text) > 2 * size:
            last = len(text.rstrip())
            for found in BLANK_LINE.finditer(text):
                if starts[-1] + size <= found.end() < last:
                    starts.append(found.end())
        if len(starts) == 1:
            yield item
            continue
        for number, (start, end) in enumerate(pairwise([*starts, len(text)])):
            given = replace(item.given, text=text[start:end])
            yield replace(item, given=given, piece=(number, len(starts)))


def make_passages(
    nlp: "Language",
    items: Iterable[Item],
    settings: ParseSettings,
    guidelines: Container[str],
    bad: BadFiles,
) -> Iterator[Passage]:
    """Make Docs of texts and of given words. Blank lines divide the paragraphs of a text; its other white space counts as a space.

    nlp (Language): The pipeline, for its vocabulary and tokenizer.
    items (Iterable[Item]): What there is to parse.
    settings (ParseSettings): Who divides into sentences.
    guidelines (Container[str]): If a graph names one of these, its Docs name it too.
    bad (BadFiles): Collects what cannot be used.
    YIELDS (Passage): The passages.
    """
    from ..tokens.guess import guess_given, make_docs

    is_auto = settings.sentences == "auto"
    for item in items:
        given = item.given
        starts = given.starts if is_auto else None
        try:
            if item.error is not None:
                raise item.error
            if given.words is None:
                docs = make_docs(nlp, text_paragraphs(given.text or ""))
            else:
                docs = _word_docs(nlp, given, guidelines, starts)
                guess_given(nlp, docs)
        except (UccaError, OSError, ValueError) as err:  # ValueError: longer than nlp.max_length
            bad.add(item, err)
            continue
        one = settings.sentences == "file"
        if given.words is not None and is_auto and starts is None and item.kind != XML:
            one = len(docs) == 1 and are_of_one_sentence(given.words)
        yield Passage(item, [_as_sentence(doc) if one else doc for doc in docs])


def _word_docs(
    nlp: "Language", source: Source, guidelines: Container[str], starts: Sequence[int] | None = None
) -> "list[Doc]":
    """RETURNS (List[Doc]): Given words as Docs, one for each paragraph, with sentences that begin at some of them."""
    from spacy.tokens import Doc

    from ..tokens.boundaries import set_sentence_starts
    from ..tokens.extension import set_guidelines, set_punct

    graph, words = source.graph, source.words or ()
    ends = paragraph_ends(graph) if graph is not None else [len(words)] if words else []
    docs = []
    for start, end in pairwise([0, *ends]):
        part = list(words[start:end])
        spaces = list(source.spaces[start:end]) if source.spaces else spaces_between(part)
        doc = Doc(nlp.vocab, words=doc_words(part), spaces=spaces)
        if graph is not None:
            set_punct(doc, graph.punct[start:end])
            if graph.guidelines in guidelines:
                set_guidelines(doc, graph.guidelines)
        if starts is not None:
            first = {start, *starts}
            set_sentence_starts(doc, [i in first for i in range(start, end)])
        docs.append(doc)
    return docs


def _as_sentence(doc: "Doc") -> "Doc":
    from ..tokens.boundaries import set_sentence_starts

    return set_sentence_starts(doc, [i == 0 for i in range(len(doc))])


def size_of(item: Item) -> int:
    """RETURNS (int): The characters of an input, 0 if they are not known."""
    return len(item.given.text or "") or sum(map(len, item.given.words or ()))
