"""Where the tokens and units of a graph stand in a text, in characters."""

from collections.abc import Sequence
from typing import Any

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.algorithms import tokens_in
from ..graph.unit import is_gap
from .spacing import joined_words, original_text

GAP = " ... "  # stands between the parts of a discontinuous unit
Span = tuple[int, int]


class Places:
    """A text, and where the tokens of a graph stand in it.

    graph (Graph): The graph.
    text (str): The text.
    tokens (Sequence[Tuple[int, int]]): The first character of each token and the one after its last.
    """

    def __init__(self, graph: Graph, text: str, tokens: Sequence[Span]) -> None:
        self.graph = graph
        self.text = text
        self.tokens = tokens
        self._masks, self._starts = graph.index.masks, graph.index.starts

    def offsets(self, unit: int) -> list[Span]:
        """RETURNS (List[Tuple[int, int]]): The characters of a unit: one range for a continuous one, none for an implicit one."""
        tokens, mask = self.tokens, self._masks[unit]
        if mask and not mask & (mask + 1):  # most units; this is done for each unit of a corpus
            first = self._starts[unit]
            return [(tokens[first][0], tokens[first + mask.bit_length() - 1][1])]
        return [(tokens[a][0], tokens[b - 1][1]) for a, b in token_runs(self.graph, unit)]

    def text_of(self, unit: int) -> str:
        """RETURNS (str): The text of a unit, with `GAP` where words of others are left out; "" for an implicit one."""
        return GAP.join(self.text[start:end] for start, end in self.offsets(unit))


def token_runs(graph: Graph, unit: int) -> list[Span]:
    """Find the stretches of tokens of a unit. White space that hangs on nothing divides none.

    graph (Graph): The graph.
    unit (int): The number of the unit.
    RETURNS (List[Tuple[int, int]]): The first token of each stretch and the one after its last.
    """
    mask, first = graph.index.masks[unit], graph.index.starts[unit]
    if not mask & (mask + 1):
        return [(first, first + mask.bit_length())] if mask else []
    runs: list[list[int]] = []
    for token in tokens_in(mask, first):
        if not runs or is_gap(graph, runs[-1][1] - 1, token):
            runs.append([token, token])
        runs[-1][1] = token + 1
    return [(start, end) for start, end in runs]


def find_places(graph: Graph, doc: Any = None) -> Places:
    """Find where the tokens of a graph stand.

    graph (Graph): The graph.
    doc (Optional[Union[Doc, Span]]): The Doc that the graph is of, or the Span, whose characters are counted. Without, the
        text is the one that the graph knows (`graph.details["text"]`), or else its words joined by spaces.
    RETURNS (Places): The text, and the places.
    RAISES (UccaError): If the Doc has other tokens than the graph.
    """
    if doc is None:
        return Places(graph, *(original_text(graph) or joined_words(graph.words)))
    if not hasattr(doc, "vocab"):
        raise UccaError(Errors.UC684.format(type=type(doc).__name__))
    if len(doc) != len(graph.words):
        raise UccaError(Errors.UC770.format(n=len(doc), words=len(graph.words)))
    for token, word in zip(doc, graph.words):
        if token.text != word:
            raise UccaError(Errors.UC771.format(i=token.i, token=token.text, word=word))
    start = doc[0].idx if len(doc) else 0  # a Span, for the graph of a sentence
    places = [(token.idx - start, token.idx - start + len(token)) for token in doc]
    return Places(graph, doc.text, places)
