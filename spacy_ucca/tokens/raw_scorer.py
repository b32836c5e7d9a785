"""Score Docs that a pipeline made of raw text: graphs, sentences and tokens, compared by characters."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..conversion.bounds import Attachment, score_attachment
from ..graph import Graph
from ..graph.categories import FOUNDATIONAL
from ..metric.counts import Counts, Renames, Tally
from ..metric.score import score_pair
from ..text.pieces import common_pieces, token_spans
from ..text.split import merge_roots
from .extension import get_graph

__all__ = ["GoldText", "score_texts"]


class GoldText(NamedTuple):
    """The annotation of a text.

    graph (Graph): The graph of the whole text.
    sentence_ends (Sequence[int]): For each sentence the index of the word after its last one.
    """

    graph: Graph
    sentence_ends: Sequence[int]


def score_texts(
    pairs: Iterable[tuple[Doc, GoldText]], *, mapping: Renames = None, trees: bool = False
) -> dict[str, Any]:
    """Score Docs whose tokens and sentences need not be those of the annotation. Each graph is scored as a whole: the roots of
    sentences are merged. Words are cut where tokens of either side end, so that units are compared by characters.

    pairs (Iterable[Tuple[Doc, GoldText]]): Docs, and the annotation of their texts. Whitespace may differ. A Doc without a
        graph has missed everything.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    trees (bool): Whether to score the trees of the graphs, too: `ucca_las` and `ucca_uas`.
    RETURNS (Dict[str, Any]): The scores of `score_graphs` (`ucca_f`, ...); `sents_p`, `sents_r`, `sents_f`: sentences with
        the same characters; `token_p`, `token_r`, `token_f`: tokens with the same characters; and `tokens_differing`, the
        number of tokens of the annotation that the Docs do not have.
    RAISES (UccaError): If a Doc has another text.
    """
    counts, sentences, tokens, attachment = Counts(), Tally(), Tally(), Attachment()
    for doc, gold in pairs:
        words = [token.text for token in doc]
        graph = get_graph(doc) or Graph(words, [FOUNDATIONAL], [])
        ours, theirs = common_pieces(graph.replace(details={}, scores={}), gold.graph)
        ours = ours.replace(punct=theirs.punct)
        counts += score_pair(ours, theirs, mapping=mapping)
        if trees:
            attachment += score_attachment(merge_roots(ours), theirs)
        spans, gold_spans = token_spans(words), token_spans(gold.graph.words)
        starts = {token.i for token in doc if token.is_sent_start} | {0}
        tokens += _compare(spans, gold_spans)
        sentences += _compare(
            _joined(spans, [*sorted(starts), len(doc)]),
            _joined(gold_spans, [0, *gold.sentence_ends]),
        )
    scores = counts.to_scores() | (attachment.to_scores() if trees else {})
    for name, tally in (("sents", sentences), ("token", tokens)):
        scores |= {f"{name}_{measure}": value for measure, value in tally.to_dict().items()}
    return scores | {"tokens": tokens.ref, "tokens_differing": tokens.ref - tokens.matches}


def _joined(spans: Sequence[tuple[int, int]], bounds: Iterable[int]) -> list[tuple[int, int]]:
    """RETURNS (List[Tuple[int, int]]): The characters of each sentence."""
    return [(spans[a][0], spans[b - 1][1]) for a, b in pairwise(bounds) if a < b]


def _compare(predicted: Sequence[tuple[int, int]], gold: Sequence[tuple[int, int]]) -> Tally:
    ours = {span for span in predicted if span[0] < span[1]}
    theirs = {span for span in gold if span[0] < span[1]}
    return Tally(len(ours & theirs), len(ours), len(theirs))
