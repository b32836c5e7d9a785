"""The component `sentence_boundaries`: what the text itself shows of where sentences end."""

import warnings
import weakref
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy
from spacy.attrs import (  # type: ignore[attr-defined]
    IS_LEFT_PUNCT,
    IS_PUNCT,
    IS_QUOTE,
    IS_RIGHT_PUNCT,
    IS_SPACE,
    ORTH,
    SENT_START,
    SPACY,
)
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..errors import Warnings
from ..text.spacing import BLANK_LINE

if TYPE_CHECKING:
    from spacy.language import Language

# Values of SENT_START; the last as unsigned
UNSET, STARTS, GOES_ON = (numpy.uint64(value) for value in (0, 1, 2**64 - 1))
HYPHENS, OPENING = (numpy.array([*map(get_string_id, m)], "uint64") for m in ("-‐‑", "¿¡"))


class SentenceBoundaries:
    """Say what the text shows of where sentences start, before other components find the sentences.

    nlp (Language): The pipeline, in which the component has to stand before those.
    name (str): The component instance name.
    """

    def __init__(self, nlp: "Language", name: str) -> None:
        self.name = name
        self._nlp: weakref.ref[Language] | None = weakref.ref(nlp)
        self._warned = False
        self._had_parser = False  # when it was pickled

    def __call__(self, doc: Doc) -> Doc:
        """Set these boundaries. Warn once, if a component has found all sentences before.

        doc (Doc): The Doc, which is changed.
        RETURNS (Doc): The same Doc.
        """
        # Whether there are sentences takes a look at each token: last.
        if not self._warned and (before := self._finder_before()) and _has_sentences(doc):
            self._warned = True
            warnings.warn(Warnings.UW306.format(name=self.name, before=before), stacklevel=2)
        return set_boundaries(doc, quotes=self._has_parser())

    def _has_parser(self) -> bool:
        """RETURNS (bool): Whether the pipeline has a `parser`. Where a `senter` or `sentencizer` may not start a sentence, they
        do not start it at the next word."""
        nlp = self._nlp() if self._nlp else None
        if nlp is None:
            return self._had_parser
        return any(nlp.get_pipe_meta(name).factory == "parser" for name in nlp.pipe_names)

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
        # References cannot be pickled.
        return {**self.__dict__, "_nlp": None, "_had_parser": self._has_parser()}


def set_boundaries(doc: Doc, *, quotes: bool = True) -> Doc:
    """Start a sentence after each blank line, and, for a `parser`, none with a closing quote or bracket or right after
    an opening one. Components that come later find the other sentences, and keep to these boundaries.

    doc (Doc): The Doc. Tokens of which it is known whether they start a sentence stay as they are, and so does a Doc
        with dependencies.
    quotes (bool): Whether to say where no sentence starts.
    RETURNS (Doc): The same Doc.
    """
    if _has_sentences(doc):
        return doc
    # Set at once: spaCy searches the whole Doc for dependencies each time that `token.is_sent_start` is set.
    starts: Any = doc.to_array(SENT_START)
    if quotes:
        starts[_goes_on(doc) & (starts == UNSET)] = GOES_ON
    words = (doc.to_array(IS_SPACE) == 0).nonzero()[0].tolist()
    for before, after in pairwise(words):
        if after - before > 1 and BLANK_LINE.search(doc[before + 1 : after].text):
            gap = starts[before + 1 : after]
            if STARTS not in gap and starts[after] == UNSET:
                starts[after] = STARTS
            gap[gap == UNSET] = GOES_ON  # `sentencizer` would make it a sentence
    return doc.from_array([SENT_START], starts)


def _goes_on(doc: Doc) -> Any:
    """RETURNS (ndarray): Of each token whether a sentence cannot start there: punctuation right after a token, a token right after
    a hyphen in a word, or right after the same mark. A quote right after a word and not right before one is a closing one; one right
    before a word and not right after one is an opening one."""
    attrs = [IS_QUOTE, IS_LEFT_PUNCT, IS_RIGHT_PUNCT, IS_PUNCT, IS_SPACE, SPACY]
    flags = doc.to_array(attrs).astype(bool).reshape((len(doc), len(attrs)))
    quote, left, right, punct, space, followed = flags.T
    orths = doc.to_array(ORTH)
    apart = numpy.append(True, followed | space)[: len(doc)]  # from the token before
    apart_next = followed | numpy.append(space, True)[1 : len(doc) + 1]
    punct_next = numpy.append(punct, False)[1 : len(doc) + 1]
    left = left | numpy.isin(orths, OPENING)
    closing = (quote | right) & (apart_next | (punct_next & ~left)) | (punct & ~left & ~quote)
    inside = numpy.where(apart, quote | left, numpy.isin(orths, HYPHENS)) & ~apart_next
    same = numpy.append(False, orths[1:] == orths[:-1])[: len(doc)]
    return ((closing | same) & ~apart) | numpy.append(False, inside)[: len(doc)]


def set_sentence_starts(doc: Doc, starts: Sequence[bool]) -> Doc:
    """Set the sentences of a Doc without dependencies.

    doc (Doc): The Doc, which is changed.
    starts (Sequence[bool]): Of each token whether it starts a sentence.
    RETURNS (Doc): The same Doc.
    """
    values: Any = numpy.where(starts, STARTS, GOES_ON).astype("uint64")
    return doc.from_array([SENT_START], values)


def _has_sentences(doc: Doc) -> bool:
    """RETURNS (bool): Whether all sentences are given: by a tree, or by each token but the first."""
    return doc.has_annotation("DEP") or (
        len(doc) > 1 and doc.has_annotation("SENT_START", require_complete=True)
    )
