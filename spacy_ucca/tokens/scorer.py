"""The UCCA metric over Examples, as spaCy's training and `nlp.evaluate` call it."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import Scorer
from spacy.tokens import Token
from spacy.training import Example
from spacy.util import registry

from ..errors import UccaError, Warnings
from ..graph import Graph
from ..graph.categories import FOUNDATIONAL
from .extension import get_graph


@registry.scorers("spacy-ucca.ucca_scorer.v1")
def make_ucca_scorer() -> Callable[..., dict[str, Any]]:
    """RETURNS (Callable): The scorer of `ucca_parser`: `ucca_score`."""
    return ucca_score


def ucca_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score `doc._.ucca` of predicted Docs against that of the reference Docs. Examples whose
    reference has no graph are left out; a predicted Doc without one has missed everything. If the tokens differ, units are
    compared by their characters: a unit that ends within a token of the other side is wrong or missed.

    examples (Iterable[Example]): The examples.
    mapping (Optional[Mapping[str, str]]): As a keyword: categories to replace on both sides first.
    RETURNS (Dict[str, Any]): See `spacy_ucca.metric.score.score_graphs`; `ucca_f` is labeled F1 over primary
        and remote edges pooled; and `ucca_linkage_p`, `_r` and `_f`, see `spacy_ucca.rules.linkage.score_linkage`, which the
        official metric leaves out.
    """
    mapping = kwargs.get("mapping")
    from ..metric.counts import Counts, Tally
    from ..metric.score import score_pair
    from ..rules.linkage import linkage_scores, score_linkage

    total, linkage = Counts(), Tally()
    n_examples = n_graphs = 0
    others: list[str] = []  # of another text
    for example in examples:
        reference = get_graph(example.reference)
        n_examples += 1
        if reference is not None:
            n_graphs += 1
            predicted, gold = _over_same_words(example, reference, others)
            total += score_pair(predicted, gold, mapping=mapping)
            linkage += score_linkage([(predicted, gold)])
    if n_examples and not n_graphs:
        message = Warnings.UW351.format(attribute="ucca", reader="Corpus")
        warnings.warn(message, stacklevel=2)
    if others:
        message = Warnings.UW354.format(n=len(others), total=n_examples, text=others[0][:60])
        warnings.warn(message, stacklevel=2)
    return total.to_scores() | linkage_scores(linkage)


def _over_same_words(example: Example, gold: Graph, others: list[str]) -> tuple[Graph, Graph]:
    """Get the predicted and the gold graph over the same words.

    example (Example): The example.
    gold (Graph): The gold graph.
    others (List[str]): Gets the text of the prediction, if that is another.
    RETURNS (Tuple[Graph, Graph]): Both graphs, over the words of the gold graph, or over what these and the predicted tokens
        have in common, without whitespace. Which of them are punctuation is the gold graph's to say, as in the toolkit:
        there a parser gets the tokens with their types.
    """
    nothing = Graph(gold.words, [FOUNDATIONAL], [], punct=gold.punct)
    graph = get_graph(example.predicted)
    if graph is None:
        return nothing, gold
    from ..text.pieces import common_pieces

    try:
        ours, theirs = common_pieces(graph, gold)
    except UccaError:
        try:  # spaCy aligns without regard to case
            ours, theirs = common_pieces(*map(_lowered, (graph, gold)))
        except UccaError:
            others.append(example.predicted.text)
            return nothing, gold
    return ours.replace(punct=theirs.punct, details={}), theirs


def _lowered(graph: Graph) -> Graph:
    return graph.replace(words=[word.lower() for word in graph.words], details={})


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
    """
    from .dependencies import has_categories, with_dependencies

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
