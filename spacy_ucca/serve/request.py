"""What a request asks for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from ..drawing.render import MIN_WRAP, WRAP
from ..errors import Errors, UccaError
from ..graph.categories import hint_of
from ..tokens.guess import check_lang
from ..training.pipelines import beam_parser
from .answer import DEFAULT, FORMATS
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
    """A text to parse, or several, and what is wanted of each graph. The fields have the names of those in JSON.

    text (str): The text.
    texts (Optional[Sequence[Union[str, Refusal]]]): The texts of a batch, in place of it; what is wrong, where one cannot be parsed.
    formats (Sequence[str]): The forms of the graph, of `FORMATS`.
    lang (str): The code of the language of the text; "" for that of the pipeline, or a guess.
    guidelines (str): The guidelines that the graph shall follow; "" for those of the pipeline.
    query (Optional[UccaMatcher]): The pattern to find.
    n_best (int): How many graphs to find, if more than one, by beam search.
    width (float): The maximum width of pictures in pixels.
    """

    text: str = ""
    texts: Sequence[str | Refusal] | None = None
    formats: Sequence[str] = DEFAULT
    lang: str = ""
    guidelines: str = ""
    query: "UccaMatcher | None" = None
    n_best: int = 1
    width: float = WRAP

    @property
    def all_texts(self) -> Sequence[str | Refusal]:
        """RETURNS (Sequence[Union[str, Refusal]]): The texts of a batch, or the one of a request."""
        return [self.text] if self.texts is None else self.texts


def read_request(body: bytes, limits: Limits, nlp: "Language") -> ParseRequest:
    """Read the body of a request.

    body (bytes): The body.
    limits (Limits): The limits.
    nlp (Language): The pipeline.
    RETURNS (ParseRequest): The request.
    RAISES (Refusal): If there is no text that could be parsed, or another field is wrong.
    """
    try:
        pairs = json.loads(body, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as err:
        raise Refusal(400, Errors.UC624.format(reason=f"it is not JSON ({err})")) from None
    given = _named_once(pairs if isinstance(pairs, tuple) else ())
    n_best = given.get("n_best", 1)
    if type(n_best) is not int or not 1 <= n_best <= MAX_BEST:
        raise Refusal(400, Errors.UC641.format(limit=MAX_BEST))
    few = replace(limits, characters=max(1, limits.characters // n_best))
    texts = _texts(given, few) if "texts" in given else None
    text = _text(given.get("text"), few) if texts is None else ""
    if isinstance(text, Refusal):
        raise text
    formats = given.get("formats", [*DEFAULT])
    if not isinstance(formats, list) or not all(form in [*FORMATS] for form in formats):
        names = {"formats": ", ".join(FORMATS), "default": ", ".join(DEFAULT)}
        raise Refusal(400, Errors.UC639.format(**names))
    width = given.get("width", WRAP)
    if type(width) not in (int, float) or not MIN_WRAP <= width <= MAX_WIDTH:
        raise Refusal(400, Errors.UC741.format(least=MIN_WRAP, most=MAX_WIDTH))
    try:
        lang = check_lang(nlp, _name(given.get("lang")))
        if n_best > 1:
            beam_parser(nlp)
    except UccaError as err:
        raise Refusal(400, str(err)) from None
    guidelines = _guidelines(_name(given.get("guidelines")), known_guidelines(nlp))
    query = read_query(given.get("query"), nlp.vocab, limits)
    return ParseRequest(text, texts, formats, lang, guidelines, query, n_best, width)


def _named_once(pairs: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): The fields of a request.
    RAISES (Refusal): If one is not known, or stands twice."""
    known = [field.name for field in fields(ParseRequest)]
    names = [name for name, _ in pairs]
    for name in names:
        if name not in known or names.count(name) > 1:
            hint = " It stands twice." if name in known else hint_of(name[:40], known)
            about = {"name": name[:40], "hint": hint, "known": ", ".join(known)}
            raise Refusal(400, Errors.UC760.format(**about))
    return dict(pairs)


def _texts(given: dict[str, Any], limits: Limits) -> list[str | Refusal]:
    texts = given["texts"]
    if "text" in given or not isinstance(texts, list) or len(texts) > limits.texts:
        raise Refusal(400, Errors.UC762.format(limit=limits.texts))
    read = [_text(text, limits) for text in texts]
    n = sum(len(text) for text in read if isinstance(text, str))
    if n > limits.characters:
        raise Refusal(413, Errors.UC623.format(n=n, limit=limits.characters))
    return read


def _text(text: Any, limits: Limits) -> str | Refusal:
    if not isinstance(text, str):
        return Refusal(400, Errors.UC624.format(reason="the text is missing, or no text"))
    if not text.strip():
        return Refusal(400, Errors.UC622)
    if len(text) > limits.characters:
        return Refusal(413, Errors.UC623.format(n=len(text), limit=limits.characters))
    half = next((i for i, c in enumerate(text) if 0xD800 <= ord(c) <= 0xDFFF), None)
    if half is not None:
        return Refusal(400, Errors.UC629.format(position=half, code=ord(text[half])))
    return text


def _name(value: Any) -> str:
    """RETURNS (str): A name, or what stands in its place."""
    return value if isinstance(value, str) else type(value).__name__ if value else ""


def _guidelines(name: str, known: Sequence[str]) -> str:
    if name in ("", *known):
        return name
    if not known:
        raise Refusal(400, Errors.UC696)
    raise Refusal(400, Errors.UC695.format(name=name[:40], known=", ".join(known)))
