"""The component `paragraph_breaks`: no sentence goes on after a blank line."""

import warnings
import weakref
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy
from spacy.attrs import IS_SPACE, SENT_START  # type: ignore[attr-defined]
from spacy.tokens import Doc

from ..errors import Warnings
from ..text.spacing import BLANK_LINE

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["ParagraphBreaks", "set_sentence_starts", "start_sentences_after_blank_lines"]

# Values of SENT_START; the last as unsigned
UNSET, STARTS, GOES_ON = (numpy.uint64(value) for value in (0, 1, 2**64 - 1))


class ParagraphBreaks:
    """Start a sentence after each blank line, before other components find the other sentences.

    nlp (Language): The pipeline, in which the component has to stand before those.
    name (str): The component instance name.
    """

    def __init__(self, nlp: "Language", name: str) -> None:
        self.name = name
        self._nlp: weakref.ref[Language] | None = weakref.ref(nlp)
        self._warned = False

    def __call__(self, doc: Doc) -> Doc:
        """Start a sentence after each blank line. Warn once, if a component has found all sentences before.

        doc (Doc): The Doc, which is changed.
        RETURNS (Doc): The same Doc.
        """
        # Whether there are sentences takes a look at each token: last.
        if not self._warned and (before := self._finder_before()) and _has_sentences(doc):
            self._warned = True
            warnings.warn(Warnings.UW306.format(name=self.name, before=before), stacklevel=2)
        return start_sentences_after_blank_lines(doc)

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
                found = found if isinstance(component, ParagraphBreaks) else name
        return None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_nlp": None}  # references cannot be pickled


def start_sentences_after_blank_lines(doc: Doc) -> Doc:
    """Start a sentence after each blank line. Components that come later find the others, and keep these, as spaCy's
    `parser`, `senter` and `sentencizer` do.

    doc (Doc): The Doc. Tokens of which it is known whether they start a sentence stay as they are, and so does a Doc
        with dependencies.
    RETURNS (Doc): The same Doc.
    """
    if _has_sentences(doc):
        return doc
    # Set at once: spaCy searches the whole Doc for dependencies each time that `token.is_sent_start` is set.
    starts: Any = doc.to_array(SENT_START)
    words = (doc.to_array(IS_SPACE) == 0).nonzero()[0].tolist()
    for before, after in pairwise(words):
        if after - before > 1 and BLANK_LINE.search(doc[before + 1 : after].text):
            gap = starts[before + 1 : after]
            if STARTS not in gap and starts[after] == UNSET:
                starts[after] = STARTS
            gap[gap == UNSET] = GOES_ON  # `sentencizer` would make it a sentence
    return doc.from_array([SENT_START], starts)


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
