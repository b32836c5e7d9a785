"""Read passages of texts and of UCCA XML for `spacy-ucca parse`, and join their graphs.

Each paragraph is a Doc of its own, so no sentence crosses a paragraph and a long file is not one long Doc.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..graph.details import with_guidelines
from ..text.spacing import spaces_between
from ..text.split import in_reading_order, merge_roots, paragraph_ends, text_paragraphs
from ._parse_jobs import Item, decode
from ._util import BadFiles, read_each

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PEEK = 30  # files looked at to see whether a corpus is split into sentences
FINAL = frozenset(".!?…。！？؟") | {"...", "?!", "!!", "!?"}
LAST = 3  # tokens at the end that may follow the full stop: quotes, brackets


@dataclass
class Passage:
    """A text on its way through the pipeline.

    item (Item): Its name and source.
    docs (List[Doc]): Its paragraphs.
    template (Optional[Graph]): The graph of the XML file that it comes from, for details of tokens.
    parsed (Dict[int, Doc]): The paragraphs that have been parsed.
    """

    item: Item
    docs: "list[Doc]"
    template: Graph | None = None
    parsed: "dict[int, Doc]" = field(default_factory=dict)

    def graph(self) -> Graph:
        """RETURNS (Graph): The graph of the whole passage, with the tokens of its file. Each sentence has
            its root; `write_xml` merges them.
        RAISES (UccaError): If a Doc has no graph.
        RAISES (GraphError): If the pipeline has changed the tokens."""
        graphs: list[Graph] = []
        for _, doc in sorted(self.parsed.items()):
            graph = doc._.ucca
            if graph is None:
                raise UccaError(Errors.UC506.format())
            graphs.append(graph)
        joined = Graph.join(graphs)
        template = self.template
        if template is None:
            punct = joined.punct
            numbers = tuple(i for i, graph in enumerate(graphs, 1) for _ in graph.words)
            details: dict[str, Any] = {"id": self.item.name}
        else:
            if joined.words != template.words:
                raise GraphError(Errors.UC509.format())
            punct, numbers = template.punct, template.paragraphs
            details = {"id": template.details["id"]}
            tokens = template.details.get("xml", {}).get("tokens")
            if tokens:
                joined = in_reading_order(merge_roots(joined))
                details["xml"] = {"tokens": tokens}
        details = with_guidelines(details, joined.guidelines)
        return joined.replace(punct=punct, paragraphs=numbers, details=details)


def looks_like_sentence(graph: Graph) -> bool:
    """RETURNS (bool): Whether a passage seems to be one sentence: it has one paragraph, and no token that ends sentences
    except among its last three.
    """
    if len(paragraph_ends(graph)) > 1:
        return False
    return not FINAL.intersection(graph.words[: max(0, len(graph.words) - LAST)])


def are_sentences(files: Sequence[Path]) -> bool:
    """Guess whether each file of a corpus is a sentence: at least three quarters of the first thirty look like one.

    files (Sequence[Path]): UCCA XML files; unreadable ones do not count.
    RETURNS (bool): Whether each file is a sentence.
    """
    from ..formats.xml import read_xml

    single: list[bool] = []
    for path in files[:PEEK]:
        try:
            single.append(looks_like_sentence(read_xml(path)))
        except UccaError:
            continue
    return bool(single) and 4 * sum(single) >= 3 * len(single)


def xml_passages(
    nlp: "Language",
    items: Iterable[Item],
    *,
    one_sentence: bool,
    guidelines: Container[str] = (),
    bad: BadFiles,
) -> Iterator[Passage]:
    """Make Docs of the tokens of UCCA XML files.

    nlp (Language): The pipeline, for its vocabulary.
    items (Iterable[Item]): The files; unreadable ones are named and left out.
    one_sentence (bool): Whether each paragraph is one sentence; otherwise the pipeline divides it.
    guidelines (Container[str]): If a file names one of these, its Docs name it too.
    bad (BadFiles): Collects the unreadable files.
    YIELDS (Passage): The passages.
    """
    from spacy.tokens import Doc

    from ..formats.xml import read_xml
    from ..tokens.extension import set_guidelines, set_punct

    by_file = {item.file: item for item in items if item.file is not None}
    for path, graph in read_each(by_file, read_xml, bad):
        docs = []
        if "" in graph.words:
            bad.add(path, Errors.UC217.format(index=graph.words.index("")))
            continue
        for start, end in pairwise([0, *paragraph_ends(graph)]):
            words = graph.words[start:end]
            doc = Doc(nlp.vocab, words=list(words), spaces=spaces_between(words))
            set_punct(doc, graph.punct[start:end])
            if graph.guidelines in guidelines:
                set_guidelines(doc, graph.guidelines)
            docs.append(_as_sentence(doc) if one_sentence else doc)
        yield Passage(by_file[path], docs, graph)


def text_passages(
    nlp: "Language", items: Iterable[Item], *, one_sentence: bool, bad: BadFiles
) -> Iterator[Passage]:
    """Make Docs of texts. Blank lines divide paragraphs; other white space counts as a space.

    nlp (Language): The pipeline, for its tokenizer.
    items (Iterable[Item]): The texts, or text files in UTF-8.
    one_sentence (bool): Whether each paragraph is one sentence.
    bad (BadFiles): Collects the unreadable files.
    YIELDS (Passage): The passages.
    """
    for item in items:
        try:
            text = item.text if item.file is None else decode(item.file.read_bytes())
            docs = [nlp.make_doc(part) for part in text_paragraphs(text)]
        except (UccaError, OSError, ValueError) as err:  # ValueError: longer than nlp.max_length
            bad.add(item.source, err)
        else:
            yield Passage(item, [_as_sentence(doc) if one_sentence else doc for doc in docs])


def _as_sentence(doc: "Doc") -> "Doc":
    from ..tokens.boundaries import set_sentence_starts

    return set_sentence_starts(doc, [i == 0 for i in range(len(doc))])


def run(
    nlp: "Language", passages: Iterable[Passage], bad: BadFiles, **options: Any
) -> Iterator[Passage]:
    """Parse passages with a pipeline, in order. Docs that fail in a batch are parsed again one by one, so that one bad text
    does not affect others.

    nlp (Language): The pipeline.
    passages (Iterable[Passage]): The passages.
    bad (BadFiles): Collects the passages that the pipeline cannot parse.
    options: Arguments of `nlp.pipe`.
    YIELDS (Passage): The passages, parsed.
    """
    waiting: list[Passage] = []
    number = 0

    def items() -> "Iterator[tuple[Doc, tuple[int, int]]]":
        for i, passage in enumerate(passages):
            waiting.append(passage)
            for j, doc in enumerate(passage.docs):
                yield doc, (i, j)

    def finish(passage: Passage) -> Iterator[Passage]:
        try:
            for j in range(len(passage.docs)):
                if j not in passage.parsed:
                    passage.parsed[j] = _alone(nlp, passage.docs[j])
        except Exception as err:
            bad.add(passage.item.source, err)
            return
        yield passage

    handler = nlp.default_error_handler
    _set_error_handler(nlp, _skip)
    try:
        for doc, (i, j) in nlp.pipe(items(), as_tuples=True, **options):
            while number < i:  # all before it are through, or were dropped
                yield from finish(waiting.pop(0))
                number += 1
            waiting[0].parsed[j] = doc
        while waiting:
            yield from finish(waiting.pop(0))
    finally:
        _set_error_handler(nlp, handler)


def _set_error_handler(nlp: "Language", handler: Any) -> None:
    """Set an error handler where it is possible. The `parser` and `ner` of spaCy 3.8 cannot have one: errors in them are
    raised.
    """
    nlp.default_error_handler = handler
    pipes: list[Any] = [pipe for _, pipe in nlp.pipeline]
    for pipe in pipes:
        with suppress(AttributeError):
            pipe.set_error_handler(handler)


def _skip(name: str, pipe: Any, docs: Any, error: Exception) -> None:
    """Leave out Docs that fail in a batch; an error handler. `run` parses them again."""


def _alone(nlp: "Language", doc: "Doc") -> "Doc":
    from spacy.util import raise_error

    handler = nlp.default_error_handler
    _set_error_handler(nlp, raise_error)
    try:
        fresh = type(doc)(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
            sent_starts=[token.is_sent_start for token in doc],
            user_data=dict(doc.user_data),
        )
        return nlp(fresh)
    finally:
        _set_error_handler(nlp, handler)
