"""Parse a text with a pipeline, component by component, so that the parse can end between two of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc
from spacy.training.batchers import minibatch_by_words

from ..errors import Errors, UccaError
from ..graph import Graph
from ..text.split import text_paragraphs
from ..tokens.carry import join_docs
from ..tokens.extension import set_guidelines
from ..tokens.guess import make_docs
from ..tokens.language import known_lang, set_lang
from ..tokens.white_space import pipeline_steps
from ..training.pipelines import UCCA, names_assigning, trained_parsers
from .limits import Refusal

if TYPE_CHECKING:
    from spacy.language import Language

BATCH_WORDS = 1_000  # between two checks
MAX_START = 40  # characters of a sentence in a message


def known_guidelines(nlp: "Language") -> list[str]:
    """Find the guidelines that a graph may be asked to follow.

    nlp (Language): The pipeline.
    RETURNS (List[str]): Those that all its UCCA parsers have learned; first those that they follow if none are named.
    """
    parsers = trained_parsers(nlp)
    known = [parser.known_guidelines for parser in parsers]
    names = [name for name in known[-1] if all(name in other for other in known)] if known else []
    return sorted(names, key=lambda name: name != parsers[-1].guidelines)


def parse_text(nlp: "Language", text: str, **options: Any) -> Doc:
    """RETURNS (Doc): The paragraphs of a text as one Doc, with the graph. Arguments and errors are those of `parse_paragraphs`."""
    return join_paragraphs(parse_paragraphs(nlp, text, **options))


def join_paragraphs(docs: Sequence[Doc]) -> Doc:
    """RETURNS (Doc): Parsed paragraphs as one Doc, with the graph."""
    joined = join_docs(docs)
    set_lang(joined, known_lang(docs[0]))
    joined._.ucca = Graph.join(doc._.ucca for doc in docs)
    return joined


def parse_paragraphs(
    nlp: "Language",
    text: str,
    *,
    max_tokens: int,
    lang: str = "",
    guidelines: str = "",
    check: Callable[[], None] = lambda: None,
) -> list[Doc]:
    """Parse the paragraphs of a text, each on its own.

    nlp (Language): The pipeline.
    text (str): The text.
    max_tokens (int): The most tokens that a sentence may have.
    lang (str): The code of the language, if the pipeline guesses; "" for a guess.
    guidelines (str): The guidelines that the graph shall follow; "" for those of the pipeline.
    check (Callable): Called again and again; what it raises ends the parse.
    RETURNS (List[Doc]): The paragraphs, each with its graph.
    RAISES (Refusal): If a sentence is too long.
    RAISES (UccaError): If the pipeline sets no graph.
    """
    docs = make_docs(nlp, text_paragraphs(text), lang)
    for doc in docs:
        set_guidelines(doc, guidelines)
    setters = names_assigning(nlp, UCCA)
    for name, component in pipeline_steps(nlp):
        if name in setters[:1]:
            _require_short_sentences(docs, max_tokens)
        parsed: list[Doc] = []
        for batch in minibatch_by_words(docs, BATCH_WORDS):
            check()
            parsed.extend(_run(component, batch))
        docs = parsed
    check()
    if any(doc._.ucca is None for doc in docs):
        raise UccaError(Errors.UC506)
    return docs


def _run(component: Any, docs: Sequence[Doc]) -> Iterable[Doc]:
    if hasattr(component, "pipe"):
        return component.pipe(docs, batch_size=len(docs))
    return map(component, docs)


def _require_short_sentences(docs: Iterable[Doc], max_tokens: int) -> None:
    number = 0
    for doc in docs:
        for sentence in doc.sents if doc.has_annotation("SENT_START") else (doc[:],):
            number += 1
            if len(sentence) > max_tokens:
                start = sentence.text[:MAX_START]
                message = Errors.UC632.format(
                    number=number, start=start, n=len(sentence), limit=max_tokens
                )
                raise Refusal(413, message)
