"""What a request asks for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..drawing.render import MIN_WRAP, WRAP
from ..errors import Errors, LanguageError, UccaError
from ..tokens.guess import check_lang
from ..training.pipelines import beam_parser
from .answer import FORMATS
from .limits import Limits, Refusal
from .parsing import known_guidelines
from .query import read_query

if TYPE_CHECKING:
    from spacy.language import Language

    from ..matcher import UccaMatcher

MAX_BEST = 10
MAX_WIDTH = 10_000


@dataclass(frozen=True)
class ParseRequest:
    """A text to parse, and what is wanted of its graph.

    text (str): The text.
    formats (Sequence[str]): The forms of the graph, of `FORMATS`.
    lang (str): The code of the language of the text; "" for that of the pipeline, or a guess.
    guidelines (str): The guidelines that the graph shall follow; "" for those of the pipeline.
    query (Optional[UccaMatcher]): The pattern to find.
    n_best (int): How many graphs to find, if more than one, by beam search.
    width (float): The maximum width of pictures in pixels.
    """

    text: str
    formats: Sequence[str] = tuple(FORMATS)
    lang: str = ""
    guidelines: str = ""
    query: "UccaMatcher | None" = None
    n_best: int = 1
    width: float = WRAP


def read_request(body: bytes, limits: Limits, nlp: "Language") -> ParseRequest:
    """Read the body of a request.

    body (bytes): The body.
    limits (Limits): The limits.
    nlp (Language): The pipeline.
    RETURNS (ParseRequest): The request.
    RAISES (Refusal): If there is no text that could be parsed, or another field is wrong.
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise Refusal(400, Errors.UC624.format(reason=err)) from None
    fields = fields if isinstance(fields, dict) else {}
    text = _text(fields.get("text"), limits)
    formats = fields.get("formats", [*FORMATS])
    if not isinstance(formats, list) or not all(form in [*FORMATS] for form in formats):
        raise Refusal(400, Errors.UC639.format(formats=", ".join(FORMATS)))
    try:
        lang = check_lang(nlp, fields.get("lang") or "")
    except LanguageError as err:
        raise Refusal(400, str(err)) from None
    guidelines = _guidelines(fields.get("guidelines"), known_guidelines(nlp))
    query = read_query(fields.get("query"), nlp.vocab, limits)
    n_best = fields.get("n_best", 1)
    if type(n_best) is not int or not 1 <= n_best <= MAX_BEST:
        raise Refusal(400, Errors.UC641.format(limit=MAX_BEST))
    width = fields.get("width", WRAP)
    if type(width) not in (int, float) or not MIN_WRAP <= width <= MAX_WIDTH:
        raise Refusal(400, Errors.UC741.format(least=MIN_WRAP, most=MAX_WIDTH))
    try:
        if n_best > 1:
            beam_parser(nlp)
            _text(text, replace(limits, characters=limits.characters // n_best))
    except UccaError as err:
        raise Refusal(400, str(err)) from None
    return ParseRequest(text, formats, lang, guidelines, query, n_best, width)


def _text(text: Any, limits: Limits) -> str:
    if not isinstance(text, str):
        raise Refusal(400, Errors.UC624.format(reason="'text' is missing, or no text"))
    if not text.strip():
        raise Refusal(400, Errors.UC622)
    if len(text) > limits.characters:
        raise Refusal(413, Errors.UC623.format(n=len(text), limit=limits.characters))
    half = next((i for i, c in enumerate(text) if 0xD800 <= ord(c) <= 0xDFFF), None)
    if half is not None:
        raise Refusal(400, Errors.UC629.format(position=half, code=ord(text[half])))
    return text


def _guidelines(name: Any, known: Sequence[str]) -> str:
    if name in (None, "", *known):
        return name or ""
    if not known:
        raise Refusal(400, Errors.UC696)
    raise Refusal(400, Errors.UC695.format(name=str(name)[:40], known=", ".join(known)))
