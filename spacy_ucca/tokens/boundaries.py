"""The component `sentence_boundaries`: what the text itself shows of where sentences end."""

import warnings
import weakref
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy
from spacy.attrs import (  # type: ignore[attr-defined]
    IS_PUNCT,
    IS_QUOTE,
    IS_RIGHT_PUNCT,
    IS_SPACE,
    SENT_START,
    SPACY,
)
from spacy.tokens import Doc

from ..errors import Warnings
from ..text.spacing import BLANK_LINE

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["SentenceBoundaries", "set_boundaries", "set_sentence_starts"]

# Values of SENT_START; the last as unsigned
UNSET, STARTS, GOES_ON = (numpy.uint64(value) for value in (0, 1, 2**64 - 1))


class SentenceBoundaries:
    """Start a sentence after each blank line and none with a closing quote, before other components find the sentences.

    nlp (Language): The pipeline, in which the component has to stand before those.
    name (str): The component instance name.
    """

    def __init__(self, nlp: "Language", name: str) -> None:
        self.name = name
        self._nlp: weakref.ref[Language] | None = weakref.ref(nlp)
        self._warned = False

    def __call__(self, doc: Doc) -> Doc:
        """Set these boundaries. Warn once, if a component has found all sentences before.

        doc (Doc): The Doc, which is changed.
        RETURNS (Doc): The same Doc.
        """
        # Whether there are sentences takes a look at each token: last.
        if not self._warned and (before := self._finder_before()) and _has_sentences(doc):
            self._warned = True
            warnings.warn(Warnings.UW306.format(name=self.name, before=before), stacklevel=2)
        return set_boundaries(doc)

    def _finder_before(self) -> str | None:
        """RETURNS (Optional[str]): A component that finds sentences and stands before this one in the pipeline."""
        nlp = self._nlp() if self._nlp else None
        if nlp is None:
            return None
        found = None
        for name, component in nlp.pipeline:
            if component is self:
                return found
            if "token.is_sent_start" in nlp.get_pipe_meta(name).assigns:
                found = found if isinstance(component, SentenceBoundaries) else name
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_nlp": None}  # references cannot be pickled


def set_boundaries(doc: Doc) -> Doc:
    """Start a sentence after each blank line, and none with a closing quote or bracket: one that stands right after a word
    and not right before one. Components that come later find the other sentences, and keep to these boundaries, as
    spaCy's `parser`, `senter` and `sentencizer` do.

    doc (Doc): The Doc. Tokens of which it is known whether they start a sentence stay as they are, and so does a Doc
        with dependencies.
    RETURNS (Doc): The same Doc.
    """
    if _has_sentences(doc):
        return doc
    # Set at once: spaCy searches the whole Doc for dependencies each time that `token.is_sent_start` is set.
    starts: Any = doc.to_array(SENT_START)
    starts[_closing(doc) & (starts == UNSET)] = GOES_ON
    words = (doc.to_array(IS_SPACE) == 0).nonzero()[0].tolist()
    for before, after in pairwise(words):
        if after - before > 1 and BLANK_LINE.search(doc[before + 1 : after].text):
            gap = starts[before + 1 : after]
            if STARTS not in gap and starts[after] == UNSET:
                starts[after] = STARTS
            gap[gap == UNSET] = GOES_ON  # `sentencizer` would make it a sentence
    return doc.from_array([SENT_START], starts)


def _closing(doc: Doc) -> Any:
    """RETURNS (ndarray): Of each token whether it is a closing quote or bracket."""
    flags = doc.to_array([IS_QUOTE, IS_RIGHT_PUNCT, IS_PUNCT, IS_SPACE, SPACY]).astype(bool)
    quote, right, punct, space, followed = flags.reshape((len(doc), 5)).T
    after_word = numpy.append(True, followed | space)[: len(doc)] == 0
    before_word = ~followed & ~numpy.append(space | punct, True)[1 : len(doc) + 1]
    return (quote | right) & after_word & ~before_word


def set_sentence_starts(doc: Doc, starts: Sequence[bool]) -> Doc:
    """Set the sentences of a Doc without dependencies.

    doc (Doc): The Doc, which is changed.
    starts (Sequence[bool]): Of each token whether it starts a sentence.
    RETURNS (Doc): The same Doc.
    """
    return doc.from_array([SENT_START], numpy.where(starts, STARTS, GOES_ON).astype("uint64"))


def _has_sentences(doc: Doc) -> bool:
    """RETURNS (bool): Whether all sentences are given: by a tree, or by each token but the first."""
    return doc.has_annotation("DEP") or (
        len(doc) > 1 and doc.has_annotation("SENT_START", require_complete=True)
    )
