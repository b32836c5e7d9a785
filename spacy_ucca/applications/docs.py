"""The sentences of a Doc, and its tokens as text."""

from collections.abc import Iterable

from spacy.tokens import Doc, Span, Token


def sentences_of(doc: Doc) -> list[Span]:
    """RETURNS (List[Span]): The sentences of a Doc, without those of whitespace alone; the whole Doc, if it has no sentences."""
    spans = doc.sents if len(doc) and doc.has_annotation("SENT_START") else [doc[:]]
    return [span for span in spans if span.text.strip()]


def joined(tokens: Iterable[int], doc: Doc) -> str:
    """RETURNS (str): Tokens of a Doc as text: with the spaces of the Doc, and one where tokens are left out or moved."""
    text, previous = "", -1
    for token in tokens:
        if text and (token - 1 != previous or doc[previous].whitespace_):
            text += " "
        text += doc[token].text
        previous = token
    return " ".join(text.split())


def form_of(token: Token) -> str:
    """RETURNS (str): What words are compared by: the lemma or, without lemmas, the word; without case."""
    return (token.lemma_ or token.text).casefold()
