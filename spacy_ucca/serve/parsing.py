"""Parse a text with a pipeline, component by component, so that the parse can end between two of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
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


def join_paragraphs(docs: Sequence[Doc]) -> Doc:
    """RETURNS (Doc): Parsed paragraphs as one Doc, with the graph."""
    joined = join_docs(docs)
    set_lang(joined, known_lang(docs[0]))
    joined._.ucca = Graph.join(doc._.ucca for doc in docs)
    return joined


def parse_texts(
    nlp: "Language",
    texts: Sequence[str],
    *,
    max_tokens: int,
    lang: str = "",
    guidelines: str = "",
    check: Callable[[], None] = lambda: None,
) -> list[list[Doc] | Refusal]:
    """Parse the paragraphs of texts, each on its own, in batches over all of them.

    nlp (Language): The pipeline.
    texts (Sequence[str]): The texts.
    max_tokens (int): The most tokens that a sentence may have.
    lang (str): The code of the language, if the pipeline guesses; "" for a guess for each text.
    guidelines (str): The guidelines that the graphs shall follow; "" for those of the pipeline.
    check (Callable): Called again and again; what it raises ends the parse.
    RETURNS (List[Union[List[Doc], Refusal]]): The paragraphs of each text, with their graphs; what is wrong, if a sentence is too
        long.
    RAISES (UccaError): If the pipeline sets no graph.
    """
    parsed = [make_docs(nlp, text_paragraphs(text), lang) for text in texts]
    for doc in chain(*parsed):
        set_guidelines(doc, guidelines)
    refused: dict[int, Refusal] = {}
    setters = names_assigning(nlp, UCCA)
    for name, component in pipeline_steps(nlp):
        for i, docs in enumerate(parsed) if name in setters[:1] else ():
            if refusal := _too_long(docs, max_tokens):
                refused[i], parsed[i] = refusal, []
        done = _run(component, [*chain(*parsed)], check)
        parsed = [[*islice(done, len(docs))] for docs in parsed]
    check()
    if any(doc._.ucca is None for doc in chain(*parsed)):
        raise UccaError(Errors.UC506)
    return [refused.get(i, docs) for i, docs in enumerate(parsed)]


def _run(component: Any, docs: Sequence[Doc], check: Callable[[], None]) -> Iterator[Doc]:
    for batch in minibatch_by_words(docs, BATCH_WORDS):
        check()
        if hasattr(component, "pipe"):
            yield from component.pipe(batch, batch_size=len(batch))
        else:
            yield from map(component, batch)


def _too_long(docs: Iterable[Doc], max_tokens: int) -> Refusal | None:
    """RETURNS (Optional[Refusal]): What is wrong, if a sentence of a text is too long."""
    number = 0
    for doc in docs:
        for sentence in doc.sents if doc.has_annotation("SENT_START") else (doc[:],):
            number += 1
            if len(sentence) > max_tokens:
                start = sentence.text[:MAX_START]
                message = Errors.UC632.format(
                    number=number, start=start, n=len(sentence), limit=max_tokens
                )
                return Refusal(413, message)
    return None
