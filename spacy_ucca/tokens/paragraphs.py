"""The component `paragraph_breaks`: no sentence goes on after a blank line."""

from itertools import pairwise

from spacy.tokens import Doc

from ..text.spacing import BLANK_LINE

__all__ = ["start_sentences_after_blank_lines"]


def start_sentences_after_blank_lines(doc: Doc) -> Doc:
    """Start a sentence after each blank line. Components that come later find the others, and keep these, as spaCy's
    `parser`, `senter` and `sentencizer` do.

    doc (Doc): The Doc. One that has sentences stays as it is.
    RETURNS (Doc): The same Doc.
    """
    if doc.has_annotation("SENT_START"):
        return doc
    words = [token.i for token in doc if not token.is_space]
    for before, after in pairwise(words):
        if after - before > 1 and BLANK_LINE.search(doc[before + 1 : after].text):
            for space in doc[before + 1 : after]:
                space.is_sent_start = False  # `sentencizer` would make it a sentence
            doc[after].is_sent_start = True
    return doc
