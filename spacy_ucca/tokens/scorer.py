"""The UCCA metric over Examples, as spaCy's training and `nlp.evaluate` call it."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Token
from spacy.training import Example
from spacy.util import registry

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.edit import renumber_edges
from ..graph.unit import FOUNDATIONAL
from ..metric.counts import Counts, Tally
from ..metric.score import score_pair
from ..rules.linkage import linkage_scores, score_linkage
from .alignment import reference_tokens
from .dependencies import has_categories, with_dependencies
from .extension import get_graph


@registry.scorers("spacy-ucca.ucca_scorer.v1")
def make_ucca_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): The scorer of `ucca_parser`: `ucca_score`."""
    return ucca_score


def ucca_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score `doc._.ucca` of predicted Docs against that of the reference Docs. Examples whose
    reference has no graph are left out; a predicted Doc without one has missed everything.

    examples (Iterable[Example]): The examples.
    mapping (Optional[Mapping[str, str]]): As a keyword: categories to replace on both sides first.
    RETURNS (Dict[str, Any]): See `spacy_ucca.metric.score.score_graphs`; `ucca_f` is labeled F1 over primary
        and remote edges pooled; and `ucca_linkage_p`, `_r` and `_f`, see `spacy_ucca.rules.linkage.score_linkage`, which the
        official metric leaves out.
    RAISES (UccaError): If tokens of a reference have no single counterpart in the predicted Doc.
    """
    mapping = kwargs.get("mapping")
    total, linkage = Counts(), Tally()
    for i, example in enumerate(examples):
        gold = get_graph(example.reference)
        if gold is not None:
            predicted = _predicted(example, gold, i)
            total += score_pair(predicted, gold, mapping=mapping)
            linkage += score_linkage([(predicted, gold)])
    return total.to_scores() | linkage_scores(linkage)


def _predicted(example: Example, gold: Graph, index: int) -> Graph:
    """The predicted graph, over the tokens of the gold graph. Which of them are punctuation is the gold
    graph's to say, as in the toolkit: there a parser gets the tokens with their types."""
    graph = get_graph(example.predicted)
    if graph is None:
        return Graph(gold.words, [FOUNDATIONAL], [], punct=gold.punct)
    if graph.words == gold.words:
        return graph.replace(punct=gold.punct, details={})
    numbers = _counterparts(example, index)
    aligned = (e for e in graph.edge_tuples if e.child >= 0 or numbers[~e.child] >= 0)
    edges = renumber_edges(aligned, range(len(graph.kinds)), numbers)
    return Graph(gold.words, graph.kinds, edges, punct=gold.punct)


def _counterparts(example: Example, index: int) -> list[int]:
    """RETURNS (List[int]): The token of the reference for each token of the predicted Doc; -1 for whitespace.
    RAISES (UccaError): If another token has no single counterpart."""
    numbers = reference_tokens(example)
    there = set(numbers)
    for token in example.reference:
        if token.i not in there and not token.is_space:
            raise UccaError(Errors.UC403.format(index=index, i=token.i, token=token.text))
    for token, number in zip(example.predicted, numbers):
        if number < 0 and not token.is_space:
            raise UccaError(Errors.UC404.format(index=index, i=token.i, token=token.text))
    return numbers


@registry.scorers("spacy-ucca.dependencies_scorer.v1")
def make_dependencies_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): The scorer of `ucca_from_dependencies`: `dependencies_score`."""
    return dependencies_score


def dependencies_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score the graphs, as `ucca_score` does, and the dependencies they were made of: against the trees of
    the gold graphs, whatever dependencies the reference Docs have.

    examples (Iterable[Example]): The examples.
    mapping (Optional[Mapping[str, str]]): As a keyword: categories to replace before graphs are compared.
    RETURNS (Dict[str, Any]): The scores of `ucca_score`, `ucca_dep_uas` and `ucca_dep_las`: attachment scores
        over all tokens, punctuation too. They are None if a predicted Doc no longer has a tree of categories,
        because it was cleared or another parser came after.
    RAISES (UccaError): If tokens of a reference have no single counterpart in the predicted Doc.
    """
    examples = list(examples)
    gold = [eg for eg in examples if get_graph(eg.reference) is not None]
    trees = []
    if all(has_categories(eg.predicted) for eg in gold):
        references = with_dependencies(eg.reference for eg in gold)
        trees = [Example(eg.predicted, tree) for eg, tree in zip(gold, references)]
    scores = Scorer.score_deps(trees, "dep", getter=_label, missing_values={""})
    attachment = {f"ucca_{name}": scores[name] for name in ("dep_uas", "dep_las")}
    return ucca_score(examples, **kwargs) | attachment


def _label(token: Token, attr: str) -> str:
    return token.dep_
