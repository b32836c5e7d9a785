"""Copies of annotated Docs as people also write: in lower case, in capitals, as headlines, without the final stop."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from spacy.tokens import Doc, Span

from ..graph import Graph
from ..graph.categories import PUNCT
from ..graph.edit import subgraph
from ..tokens.extension import get_graph, get_guidelines, set_graph, set_guidelines

STOPS = frozenset(".!?…") | {"...", "?!", "!!", "!!!", "!?", "。", "！", "？"}


def lower_case(doc: Doc) -> Doc:
    """RETURNS (Doc): A copy in lower case."""
    return _rewritten(doc, "lower")


def upper_case(doc: Doc) -> Doc:
    """RETURNS (Doc): A copy in capitals."""
    return _rewritten(doc, "upper")


def title_case(doc: Doc) -> Doc:
    """RETURNS (Doc): A copy in which the first word and all words of four letters or more have capitals, as in headlines."""
    return _rewritten(doc, "title")


def change_case(words: Sequence[str], case: str) -> list[str]:
    """Write words in another case.

    words (Sequence[str]): The words.
    case (str): "lower", "upper" or "title"; "" changes nothing.
    RETURNS (List[str]): The words in that case.
    """
    if case == "lower":
        return [word.lower() for word in words]
    if case == "upper":
        return [word.upper() for word in words]
    if case == "title":
        return [w[:1].upper() + w[1:] if not i or len(w) > 3 else w for i, w in enumerate(words)]
    return list(words)


def choose_case(rng: random.Random, shares: Mapping[str, float]) -> str:
    """RETURNS (str): One of the cases, each with the probability of its share; otherwise ""."""
    value = rng.random()
    for case, share in shares.items():
        value -= share
        if value < 0:
            return case
    return ""


def without_stop(doc: Doc) -> Doc:
    """Remove the stops at the end of a Doc, if they are punctuation in its graph and words are left.

    doc (Doc): A Doc with a graph.
    RETURNS (Doc): A copy without them; the Doc itself if it does not end in one.
    """
    graph = get_graph(doc)
    end = len(doc)
    while end and graph is not None and doc[end - 1].text in STOPS and _is_alone(graph, end - 1):
        end -= 1
    if graph is None or end == len(doc) or not any(token.is_alpha for token in doc[:end]):
        return doc
    gone = {graph.edge_tuples[graph.index.token_edge[i]].parent for i in range(end, len(doc))}
    units = [unit for unit in range(len(graph.kinds)) if unit not in gone]
    return _copy(doc[:end], subgraph(graph, units=units, tokens=range(end)))


def _is_alone(graph: Graph, token: int) -> bool:
    """RETURNS (bool): Whether a token is the only one of a punctuation unit."""
    edge = graph.index.token_edge[token]
    parent = graph.edge_tuples[edge].parent if edge >= 0 else -1
    return edge >= 0 and graph.kinds[parent] == PUNCT and len(graph.index.out[parent]) == 1


def _rewritten(doc: Doc, case: str) -> Doc:
    words = change_case([token.text for token in doc], case)
    graph = get_graph(doc)
    return _copy(doc, None if graph is None else graph.replace(words=words), words)


def _copy(doc: Doc | Span, graph: Graph | None, words: list[str] | None = None) -> Doc:
    tokens = list(doc)
    last = len(tokens) - 1
    copied = Doc(
        doc.vocab,
        words=words or [token.text for token in tokens],
        spaces=[bool(token.whitespace_) and i < last for i, token in enumerate(tokens)],
        sent_starts=[token.is_sent_start for token in tokens],
    )
    source = doc if isinstance(doc, Doc) else doc.doc
    set_graph(copied, graph)
    set_guidelines(copied, get_guidelines(source))
    return copied


NOISE: dict[str, Callable[[Doc], Doc]] = {
    "lower": lower_case,
    "upper": upper_case,
    "title": title_case,
    "no-stop": without_stop,
}


def noisy_copies(
    docs: Iterable[Doc],
    *,
    lower: float,
    upper: float,
    title: float,
    no_stop: float,
    seed: int = 0,
) -> Iterator[Doc]:
    """Copy a share of Docs with noise. A Doc can lose its stop and change its case.

    docs (Iterable[Doc]): Docs with graphs.
    lower (float): The share of Docs that become lower case.
    upper (float): The share of Docs that become upper case.
    title (float): The share of Docs whose words get capitals. No Doc changes its case twice.
    no_stop (float): The share of Docs that lose their final stop.
    seed (int): The seed of the choice.
    YIELDS (Doc): The copies that differ from their Docs, without tags and dependencies: these would be of other words.
    """
    rng = random.Random(seed)
    shares = {"lower": lower, "upper": upper, "title": title}
    for doc in docs:
        case = choose_case(rng, shares)
        copied = without_stop(doc) if rng.random() < no_stop else doc
        copied = NOISE[case](copied) if case else copied
        if [token.text for token in copied] != [token.text for token in doc]:
            yield copied
