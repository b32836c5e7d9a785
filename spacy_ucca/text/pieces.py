"""Compare two graphs of one text over different tokens: cut the tokens of both where either has a border."""

from collections.abc import Iterable
from itertools import accumulate, pairwise

from ..errors import Errors, UccaError
from ..graph import EdgeTuple, Graph
from ..graph.data import NUMBERED, plain_details

__all__ = ["common_pieces", "token_spans"]

Span = tuple[int, int]


def token_spans(words: Iterable[str]) -> list[Span]:
    """Find where words stand in their text, counted in characters that are not whitespace.

    words (Iterable[str]): The words.
    RETURNS (List[Tuple[int, int]]): The first character of each word, and the one after its last. They are equal for a
        word of whitespace.
    """
    ends = accumulate((len("".join(word.split())) for word in words), initial=0)
    return list(pairwise(ends))


def common_pieces(a: Graph, b: Graph) -> tuple[Graph, Graph]:
    """Divide the words of two graphs so that both have the same. Each part of a word goes to the unit of the word, so a unit
    keeps its characters. Words of whitespace are left out.

    a (Graph): A graph.
    b (Graph): Another graph over the same text. Whitespace may differ.
    RETURNS (Tuple[Graph, Graph]): The graphs over the same words. Units keep their numbers.
    RAISES (UccaError): If the texts differ in other characters.
    """
    if a.words == b.words:
        return a, b
    text, other = ("".join("".join(graph.words).split()) for graph in (a, b))
    if text != other:
        pairs = enumerate(zip(text, other, strict=False))
        at = next((i for i, (x, y) in pairs if x != y), min(len(text), len(other)))
        raise UccaError(Errors.UC220.format(at=at, a=text[at:][:20], b=other[at:][:20]))
    spans = [token_spans(graph.words) for graph in (a, b)]
    borders = sorted({0, *(end for side in spans for _, end in side)})
    pieces = list(pairwise(borders))
    return _cut(a, spans[0], pieces, text), _cut(b, spans[1], pieces, text)


def _cut(graph: Graph, spans: list[Span], pieces: list[Span], text: str) -> Graph:
    number = {start: i for i, (start, _) in enumerate(pieces)} | {len(text): len(pieces)}
    parts = [range(number[start], number[end]) for start, end in spans]
    owners = [token for token, part in enumerate(parts) for _ in part]
    edges: list[EdgeTuple] = []
    more: list[EdgeTuple] = []  # at the end, so that other edges keep their numbers
    whole = True
    for edge in graph.edge_tuples:
        if edge.child >= 0:
            edges.append(edge)
            continue
        terminals = [edge._replace(child=~piece) for piece in parts[~edge.child]]
        whole = whole and bool(terminals)
        edges += terminals[:1]
        more += terminals[1:]
    details = plain_details(graph)
    if whole and NUMBERED in graph.details:
        numbered = graph.details[NUMBERED]
        details[NUMBERED] = {key: value for key, value in numbered.items() if key != "tokens"}
    return graph.replace(
        words=[text[start:end] for start, end in pieces],
        edges=[*edges, *more],
        punct=[graph.punct[token] for token in owners],
        paragraphs=[graph.paragraphs[token] for token in owners],
        details=details,
        scores={},
    )
