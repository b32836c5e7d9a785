"""Several parsers as one: each decision by the mean of their scores. And corpora labeled by them, from which
one parser can learn what several know (distillation).

The loop over states is `search.py`'s, each parser's scores are `model.py`'s. Parsers of different kinds, which have no
scores to average, vote on their graphs instead: `voting/`, `committee.py`.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from spacy.tokens import Doc
from thinc.types import Floats2d

from .component import UccaParser
from .corpus import bare_copy, without_ucca
from .errors import Errors, UccaError
from .extensions import get_graph, set_graph, set_guidelines
from .features import Rows
from .graph import Graph
from .graph_parser import GraphParser
from .model import Scorers, same_kind
from .pipelines import run_upstream, trained_parsers, upstream_of
from .unit_features import Part

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Ensemble", "Labeler", "ensemble_of", "label_docs", "mean_scorers", "with_syntax"]


class _MeanStep:
    """Scores rows by the mean of several scorers: the logarithm of the product of what they believe."""

    def __init__(self, steps: Sequence[Any]) -> None:
        self.steps = steps
        self.model = steps[0].model

    def predict(self, rows: Rows) -> Floats2d:
        return self._mean([step.predict(rows) for step in self.steps])

    def predict_parts(self, parts: Sequence[Part]) -> Floats2d:
        return self._mean([step.predict_parts(parts) for step in self.steps])

    def _mean(self, scores: Sequence[Any]) -> Floats2d:
        return sum(scores[1:], start=scores[0]) / len(scores)


class Ensemble:
    """Parses with the mean of several parsers, or with one of whatever kind.

    parsers (Sequence[GraphParser]): One parser, or several `ucca_parser` of the same labels and transition system, as
        trained on the same data from different seeds, or in different widths.
    upstream (Sequence[Sequence[Pipe]]): For each parser, the components that it gets vectors from through a
        listener; see `upstream_of`. None, if no parser has a listener.
    RAISES (UccaError): If there are none, several are not of that kind, or their labels differ.
    """

    def __init__(
        self, parsers: Sequence[GraphParser], upstream: Sequence[Sequence[Any]] = ()
    ) -> None:
        if not parsers:
            raise UccaError(Errors.UC330)
        first = parsers[0]
        others = [parser for parser in parsers if not isinstance(parser, UccaParser)]
        if others and len(parsers) > 1:
            raise UccaError(Errors.UC334.format(name=others[0].name))
        for parser in parsers[1:]:
            same = same_kind(parser.model, first.model)
            if parser.label_data != first.label_data or not same:
                raise UccaError(Errors.UC331.format(name=parser.name))
        self.parsers = list(parsers)
        self.upstream = list(upstream) or [() for _ in parsers]

    def predict(self, docs: Iterable[Doc]) -> list[Graph]:
        """Parse a batch. Only components upstream write to the Docs, what they always write.

        docs (Iterable[Doc]): Docs with the annotation that the parsers need.
        RETURNS (List[Graph]): The graph of each.
        """
        return self.parsers[0].decode(docs, self._score)

    def _score(self, docs: list[Doc]) -> Any:
        each = []
        for parser, components in zip(self.parsers, self.upstream):
            run_upstream(components, docs)
            each.append(parser.model.predict(docs))
        return mean_scorers(each)


def mean_scorers(each: Sequence[Scorers]) -> dict[str, Any]:
    """Put the scorers of several parsers together.

    each (Sequence[Dict[str, SlotStep]]): Those of each parser, over the tokens of the same batch.
    RETURNS (Dict[str, Any]): Scorers whose scores are the mean of theirs; those of the parser, if it is one.
    """
    if len(each) == 1:
        return each[0]
    return {name: _MeanStep([steps[name] for steps in each]) for name in each[0]}


def ensemble_of(pipelines: Iterable[tuple[str, "Language"]], *, backward: bool = False) -> Ensemble:
    """Take the parsers of pipelines together, one of each.

    pipelines (Iterable[Tuple[str, Language]]): Their names, for messages, and they.
    backward (bool): Of several parsers of a pipeline, the first `ucca_parser` that reads in this direction counts; else
        the first of all.
    RETURNS (Ensemble): The parsers.
    RAISES (UccaError): If one has none, or they do not fit together; see `Ensemble`.
    """
    parsers, upstream = [], []
    for name, nlp in pipelines:
        found = trained_parsers(nlp)
        if not found:
            raise UccaError(Errors.UC332.format(model=name))
        fitting = (
            p for p in found if isinstance(p, UccaParser) and p.model.attrs["backward"] == backward
        )
        parser = next(fitting, found[0])
        parsers.append(parser)
        upstream.append(upstream_of(nlp, parser.name))
    return Ensemble(parsers, upstream)


class Labeler(Protocol):
    """What can label texts: an `Ensemble`, a `UccaCommittee`."""

    def predict(self, docs: Iterable[Doc]) -> list[Graph]:
        """RETURNS (List[Graph]): The graph of each Doc."""


def label_docs(
    ensemble: Labeler, docs: Iterable[Doc], *, guidelines: str = "", batch_size: int = 256
) -> Iterator[Doc]:
    """Parse the sentences of Docs, to train on.

    ensemble (Labeler): The parsers.
    docs (Iterable[Doc]): Docs with tags and dependencies: the better these are, the better the graphs.
    guidelines (str): The guidelines to follow, told to the parsers and kept on the Docs.
    batch_size (int): Sentences at a time.
    YIELDS (Doc): Each sentence as a Doc of its own, with its tags, dependencies and graph.
    """
    batch: list[Doc] = []
    for doc in docs:
        for span in doc.sents:
            if not any(not token.is_space for token in span):
                continue
            sentence = bare_copy(span.as_doc(), keep_annotations=True)
            set_guidelines(sentence, guidelines)
            batch.append(sentence)
        if len(batch) >= batch_size:
            yield from _labeled(ensemble, batch)
            batch = []
    yield from _labeled(ensemble, batch)


def _labeled(ensemble: Labeler, batch: list[Doc]) -> list[Doc]:
    # What components upstream write (a transformer's output) is not for training data.
    copies = [bare_copy(doc, keep_annotations=True) for doc in batch]
    for doc, graph in zip(batch, ensemble.predict(copies)):
        set_graph(doc, graph)
    return batch


def with_syntax(docs: Iterable[Doc], nlp: "Language") -> Iterator[Doc]:
    """Give Docs the tags and dependencies that a pipeline predicts, in place of theirs. What is parsed best
    with gold syntax is learned best with syntax as good as what the learner will see.

    docs (Iterable[Doc]): Docs with graphs.
    nlp (Language): The pipeline; `ucca_parser` in it is passed over.
    YIELDS (Doc): New Docs, with the same graphs, sentences and guidelines.
    """
    pairs = ((bare_copy(doc, False, nlp.vocab), get_graph(doc)) for doc in docs)
    with without_ucca(nlp):
        for doc, graph in nlp.pipe(pairs, as_tuples=True):
            set_graph(doc, graph)
            yield doc
