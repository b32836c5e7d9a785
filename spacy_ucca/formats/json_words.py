"""Words that JSON of other tools gives: lists of texts, and tokens as objects, as spaCy, Prodigy, Stanza and CoreNLP write them."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..text.spacing import find_words, is_same_word

_FORMS = ("text", "form", "word", "token", "orth")
_PARTS = ("tokens", "words")  # what a sentence that is an object calls its words
_STARTS = ("start", "start_char", "characterOffsetBegin")
_ENDS = ("end", "end_char", "characterOffsetEnd")


_MAX_GAP = 1000  # characters between tokens; more is a mistake
# the number of a token with several words
_SEVERAL = re.compile(r"\[?(\d{1,5})(?:-|, )(\d{1,5})\]?")


class GivenWords(NamedTuple):
    """Words of JSON.

    words (Tuple[str, ...]): The words, those of a token with several words in its place.
    starts (Optional[Tuple[int, ...]]): The first word of each sentence, if there are sentences.
    text (Optional[str]): The text that the tokens make, from their first character on, by their places or by what they say of
        spaces, if they say it.
    """

    words: tuple[str, ...]
    starts: tuple[int, ...] | None
    text: str | None


class _Token(NamedTuple):
    """A token: its words, what stands in the text, its place, and the white space after it, as far as these are known."""

    words: tuple[str, ...]
    form: str
    span: tuple[Any, Any]
    after: str | None


def given_words(value: Any, text: str | None = None) -> GivenWords | None:
    """Find the words of a value of JSON.

    value (Any): A list of words, which are texts or objects, or of sentences that have such a list or are one.
    text (Optional[str]): The text that places of words speak of.
    RETURNS (Optional[GivenWords]): The words; None if the value has none.
    """
    if not isinstance(value, list) or not value:
        return None
    parts = [_inside(item) for item in value]
    is_divided = any(part is not None for part in parts)
    sentences = [_tokens(part, text) for part in (parts if is_divided else [value])]
    tokens = [token for sentence in sentences for token in sentence or ()]
    if None in sentences or not tokens:
        return None
    starts = [0]
    for sentence in filter(None, sentences):
        starts.append(starts[-1] + sum(len(token.words) for token in sentence))
    words = tuple(word for token in tokens for word in token.words)
    return GivenWords(words, tuple(starts[:-1]) if is_divided else None, _text(tokens))


def sentence_starts(words: Sequence[str], text: str, sents: Any) -> tuple[int, ...] | None:
    """RETURNS (Optional[Tuple[int, ...]]): The first word of each sentence, of which `sents` has the places in the text, as spaCy
    writes them; None if it has none, or others than words begin at."""
    spans = find_words(words, text)
    if not isinstance(sents, list) or not sents or spans is None:
        return None
    places = {start: i for i, (start, _) in reversed([*enumerate(spans)])}
    given = [s.get("start") if isinstance(s, dict) else None for s in sents]
    starts = [places.get(start) if isinstance(start, int) else None for start in given]
    found = sorted(i for i in starts if i is not None)
    return tuple(found) if len(found) == len(starts) and found[0] == 0 else None


def _inside(item: Any) -> Any:
    """RETURNS (Any): The words of a sentence; None if an item is no sentence but a word."""
    if isinstance(item, list):
        return item
    if isinstance(item, dict) and not any(isinstance(item.get(key), str) for key in _FORMS[1:]):
        return next((item[key] for key in _PARTS if isinstance(item.get(key), list)), None)
    return None


def _tokens(items: Any, text: str | None) -> list[_Token] | None:
    """RETURNS (Optional[List[_Token]]): Tokens, of which those with several words ("id": [2, 3]) come before these; None if one is
    no token."""
    found: list[_Token] = []
    inside: list[str] = []  # the numbers of the words of the last token
    for item in items if isinstance(items, list) else [None]:
        token = _token(item, text)
        if token is None:
            return None
        number = str(item.get("id")) if isinstance(item, dict) else ""
        # CoreNLP gives the words of a token its place
        if number in inside or (found and token.span == found[-1].span != (None, None)):
            before = () if number in inside[:1] else found[-1].words
            found[-1] = found[-1]._replace(words=before + token.words)
        else:
            found.append(token)
            ends = _SEVERAL.fullmatch(number)
            inside = [*map(str, range(int(ends[1]), int(ends[2]) + 1))] if ends else []
    return found


def _token(item: Any, text: str | None) -> _Token | None:
    if isinstance(item, str):
        return _Token((item,), item, (None, None), None)
    if not isinstance(item, dict):
        return None
    start, end = (next((item[k] for k in keys if k in item), None) for keys in (_STARTS, _ENDS))
    form = next((item[key] for key in _FORMS if isinstance(item.get(key), str)), None)
    if form is None and text is not None and type(start) is int and type(end) is int:
        form = text[start:end] if 0 <= start <= end <= len(text) else None
    if form is None:
        return None
    here, after = item.get("originalText"), item.get("after")
    here = here if isinstance(here, str) and here else form
    if "SpaceAfter=No" in str(item.get("misc")).split("|"):
        after = ""
    elif isinstance(item.get("ws"), bool):
        after = " " * item["ws"]
    word = here if is_same_word(here, form) else form
    return _Token((word,), here, (start, end), after if isinstance(after, str) else None)


def _text(tokens: Sequence[_Token]) -> str | None:
    """RETURNS (Optional[str]): The text that tokens make; None if it is not known."""
    gaps = [token.after for token in tokens[:-1]]
    spans = [(*token.span, len(token.form)) for token in tokens]
    if all(type(start) is type(end) is int and end - start == n for start, end, n in spans) and all(
        0 <= after[0] - here[1] <= _MAX_GAP for here, after in pairwise(spans)
    ):
        lengths = [after[0] - here[1] for here, after in pairwise(spans)]
        gaps = [gap if gap and len(gap) == n else " " * n for gap, n in zip(gaps, lengths)]
    elif "" in gaps:  # as CoNLL-U, which says only where there is none
        gaps = [" " if gap is None else gap for gap in gaps]
    if None in gaps:
        return None
    return "".join(token.form + (gap or "") for token, gap in zip(tokens, [*gaps, ""]))
