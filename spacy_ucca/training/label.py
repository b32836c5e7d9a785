"""Parse corpora with a pipeline, to train another one on the result (distillation)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spacy.tokens import Doc
from spacy.util import minibatch

from ..errors import Errors, UccaError
from ..parser.graph_parser import GraphParser
from ..parser.labels import require_known
from ..tokens.extension import get_guidelines, set_graph, set_guidelines
from .corpus import bare_copy
from .pipelines import require_parsers, without_ucca

if TYPE_CHECKING:
    from spacy.language import Language


def label_docs(
    nlp: "Language", docs: Iterable[Doc], *, guidelines: str = "", batch_size: int = 256
) -> Iterator[Doc]:
    """Parse the sentences of Docs, to train on the result. Of the pipeline, only the parser and the components that it gets
    vectors from are run.

    nlp (Language): A pipeline with `ucca_parser` or `ucca_span_parser`. If it has several, the first is used.
    docs (Iterable[Doc]): Docs with tags and dependencies. Gold ones give the best graphs.
    guidelines (str): The guidelines that the parser follows; if not given, those that a Doc names, or those of its setting.
        They are stored on the Docs.
    batch_size (int): Number of sentences to parse at the same time.
    RETURNS (Iterator[Doc]): A Doc for each sentence, with its tags, dependencies and graph.
    RAISES (UccaError): If the pipeline has no such parser, or a Doc has no sentence boundaries.
    RAISES (ValueError): If the parser has not learned the guidelines.
    """
    parser = require_parsers(nlp)[0]
    upstream = upstream_of(nlp, parser.name)
    batches = minibatch(_sentences(docs, guidelines, parser), batch_size)
    return (doc for batch in batches for doc in _set_graphs(parser, upstream, batch))


def _sentences(docs: Iterable[Doc], guidelines: str, parser: GraphParser) -> Iterator[Doc]:
    """YIELDS (Doc): The sentences of Docs that are not all white space, without graphs."""
    for doc in docs:
        own = guidelines or get_guidelines(doc) or parser.guidelines
        require_known([own], parser.known_guidelines, parser.name)
        if not doc.has_annotation("SENT_START"):
            raise UccaError(Errors.UC224)
        for span in doc.sents:
            if not all(token.is_space for token in span):
                sentence = bare_copy(span.as_doc(), keep_annotations=True)
                set_guidelines(sentence, own)
                yield sentence


def _set_graphs(parser: GraphParser, upstream: Sequence[Any], batch: list[Doc]) -> list[Doc]:
    # What components upstream write (a transformer's output) is not for training data.
    copies = [bare_copy(doc, keep_annotations=True) for doc in batch]
    for component in upstream:
        # Not `predict`: `pipe` of a transformer puts sentences of one length together, which saves padding.
        copies = list(component.pipe(copies, batch_size=len(copies)))
    for doc, graph in zip(batch, parser.predict(copies)):
        set_graph(doc, graph)
    return batch


def with_syntax(docs: Iterable[Doc], nlp: "Language") -> Iterator[Doc]:
    """Replace the tags and dependencies of Docs by those that a pipeline predicts. A parser is trained best on syntax that is
    as good as the syntax that it will parse with.

    docs (Iterable[Doc]): Docs with graphs.
    nlp (Language): The pipeline; components that set graphs are disabled.
    YIELDS (Doc): New Docs, with the same graphs, sentences and guidelines.
    RAISES (UccaError): If the pipeline has changed the tokens.
    """
    pairs = ((bare_copy(doc, False, nlp.vocab), doc) for doc in docs)
    with without_ucca(nlp):
        for new, doc in nlp.pipe(pairs, as_tuples=True):
            if [token.text for token in new] != [token.text for token in doc]:
                raise UccaError(Errors.UC509)
            new._.ucca, new._.sdp = doc._.ucca, doc._.sdp
            yield new


def upstream_of(nlp: "Language", name: str) -> list[Any]:
    """Find the components that a component gets its vectors from.

    nlp (Language): The pipeline.
    name (str): The component.
    RETURNS (List[Pipe]): The components that it listens to (a tok2vec, a transformer), in their order.
    """
    return [pipe for _, pipe in nlp.pipeline if name in getattr(pipe, "listening_components", ())]
