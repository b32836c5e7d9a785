"""Words that JSON of other tools gives: lists of texts, and tokens as objects, as spaCy, Prodigy, Stanza and CoreNLP write them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..text.respelled import is_same_word
from ..text.spacing import find_words

__all__ = ["GivenWords", "given_words", "sentence_starts"]

_FORMS = ("text", "form", "word", "token", "orth")
_PARTS = ("tokens", "words")  # what a sentence that is an object calls its words
_STARTS = ("start", "start_char", "characterOffsetBegin")
_ENDS = ("end", "end_char", "characterOffsetEnd")


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
    inside: range | None = None
    for item in items if isinstance(items, list) else [None]:
        token = _token(item, text)
        if token is None:
            return None
        number = item.get("id") if isinstance(item, dict) else None
        number = int(number) if isinstance(number, str) and number.isdecimal() else number
        last = found[-1] if found else None
        if inside is not None and last is not None and number in inside:
            words = token.words if number == inside[0] else last.words + token.words
            found[-1] = last._replace(words=words)
        elif last is not None and token.span == last.span and type(token.span[0]) is int:
            found[-1] = last._replace(words=last.words + token.words)  # as CoreNLP has it
        else:
            found.append(token)
            inside = _inside_of(number)
    return found


def _inside_of(number: Any) -> range | None:
    """RETURNS (Optional[range]): The numbers of the words of a token, by its own number."""
    ends = number.split("-") if isinstance(number, str) else number
    try:
        first, last = map(int, ends)
    except (TypeError, ValueError):
        return None
    return range(first, last + 1)


def _token(item: Any, text: str | None) -> _Token | None:
    if isinstance(item, str):
        return _Token((item,), item, (None, None), None)
    if not isinstance(item, dict):
        return None
    misc = item.get("misc")
    pairs = [part.partition("=") for part in misc.split("|")] if isinstance(misc, str) else []
    start, end = (next((item[k] for k in keys if k in item), None) for keys in (_STARTS, _ENDS))
    form = next((item[key] for key in _FORMS if isinstance(item.get(key), str)), None)
    if form is None and text is not None and type(start) is int and type(end) is int:
        form = text[start:end] if 0 <= start <= end <= len(text) else None
    if form is None:
        return None
    here = item.get("originalText")
    here = here if isinstance(here, str) and here else form
    after = item.get("after")
    if isinstance(item.get("ws"), bool):
        after = " " * item["ws"]
    if ("SpaceAfter", "=", "No") in pairs:
        after = ""
    parts = _tokens(item.get("expanded"), None) if item.get("expanded") else None  # of Trankit
    words = tuple(word for part in parts or () for word in part.words)
    words = words or (here if is_same_word(here, form) else form,)
    return _Token(words, here, (start, end), after if isinstance(after, str) else None)


def _text(tokens: Sequence[_Token]) -> str | None:
    """RETURNS (Optional[str]): The text that tokens make; None if it is not known."""
    gaps: list[str | None] = [token.after for token in tokens[:-1]]
    ints = all(type(place) is int for token in tokens for place in token.span)
    if ints and all(token.span[1] - token.span[0] == len(token.form) for token in tokens):
        lengths = [b.span[0] - a.span[1] for a, b in pairwise(tokens)]
        if min(lengths, default=0) >= 0:
            gaps = [
                gap if gap is not None and len(gap) == n and not gap.strip() else " " * n
                for gap, n in zip(gaps, lengths, strict=True)
            ]
    if "" in gaps:  # as CoNLL-U, which says only where there is none
        gaps = [" " if gap is None else gap for gap in gaps]
    if None in gaps:
        return None
    return "".join(token.form + (gap or "") for token, gap in zip(tokens, [*gaps, ""]))
