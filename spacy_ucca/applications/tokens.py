"""The sentences of a Doc, its tokens as text, and the punctuation that stays when words are left out."""

from collections.abc import Iterable

from spacy.tokens import Doc, Span, Token

from ..graph import Graph


def sentences_of(doc: Doc) -> list[Span]:
    """RETURNS (List[Span]): The sentences of a Doc, without those of whitespace alone; the whole Doc, if it has no sentences."""
    spans = doc.sents if len(doc) and doc.has_annotation("SENT_START") else [doc[:]]
    return [span for span in spans if span.text.strip()]


def joined(tokens: Iterable[int], doc: Doc) -> str:
    """RETURNS (str): Tokens of a Doc as text: with the spaces of the Doc and, if it has some, one where tokens are left out or moved."""
    text, previous = "", -1
    has_spaces = any(token.whitespace_ or token.is_space for token in doc)
    for token in tokens:
        before = token - 1 if doc[token].is_punct and token else previous
        if text and (doc[before].whitespace_ or (token - 1 != before and has_spaces)):
            text += " "
        text += doc[token].text
        previous = token
    return " ".join(text.split())


def form_of(token: Token) -> str:
    """RETURNS (str): What words are compared by: the lemma or, without lemmas, the word; without case."""
    return (token.lemma_ or token.text).casefold()


BRACKETS = {"(": ")", "[": "]", "“": "”", "„": "“", "«": "»", '"': '"', "``": "''"}


def trimmed(tokens: set[int], graph: Graph, *, balanced: bool) -> list[int]:
    """Leave out white space, and punctuation at the ends and beside what is left out.

    tokens (Set[int]): The tokens.
    graph (Graph): The graph that they are of.
    balanced (bool): Quotation marks and brackets stay around what stays whole, and none is left without the other.
    RETURNS (List[int]): What stays, in text order.
    """
    tokens = {i for i in tokens if not graph.words[i].isspace()}
    pairs = _pairs(tokens, graph) if balanced else []
    around = {i for pair in pairs if _is_whole(tokens, graph, *pair) for i in pair}
    tokens = tokens - {i for pair in pairs for i in pair} | around
    while True:
        kept = {i for i in tokens if not graph.punct[i] or i in around or {i - 1, i + 1} <= tokens}
        if kept == tokens:
            return sorted(tokens)
        tokens = kept


def _is_whole(tokens: set[int], graph: Graph, start: int, end: int) -> bool:
    """RETURNS (bool): Whether all words between two tokens stay, and there are some."""
    inside = {i for i in range(start + 1, end) if not graph.punct[i]}
    return bool(inside) and inside <= tokens | {i for i in inside if graph.words[i].isspace()}


def _pairs(tokens: set[int], graph: Graph) -> list[tuple[int, int]]:
    """RETURNS (List[Tuple[int, int]]): The brackets and quotation marks around and between some tokens; one without another is a
    pair with itself."""
    found, opened = [], list[int]()
    first, end = min(tokens, default=0), max(tokens, default=-1) + 1
    while end < len(graph.words) and graph.punct[end]:
        end += 1
    for i in range(first, end):
        word = graph.words[i]
        if not graph.punct[i]:
            continue
        if opened and BRACKETS[graph.words[opened[-1]]] == word:
            found.append((opened.pop(), i))
        elif word in BRACKETS:
            opened.append(i)
        elif word in BRACKETS.values():
            found.append((i, i))
    return found + [(i, i) for i in opened]
