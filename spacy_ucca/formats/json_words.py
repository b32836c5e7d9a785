"""Words that JSON of other tools gives: lists of texts, and tokens as objects, as spaCy, Prodigy, Stanza and CoreNLP write them."""

from collections.abc import Sequence
from typing import Any

from ..text.spacing import find_words

__all__ = ["given_words", "sentence_starts"]

_FORMS = ("text", "form", "word", "token", "orth")
_PARTS = ("tokens", "words")  # what a sentence that is an object calls its words
Words = tuple[tuple[str, ...], tuple[bool, ...] | None, tuple[int, ...] | None]


def given_words(value: Any, text: str | None = None) -> Words | None:
    """Find the words of a value of JSON.

    value (Any): A list of words, which are texts or objects, or of sentences that have such a list or are one.
    text (Optional[str]): The text that places of words speak of.
    RETURNS (Optional[Tuple]): The words; whether a space follows each, if all say so; and the first word of each sentence, if
        there are sentences. None if the value has no words.
    """
    if not isinstance(value, list) or not value:
        return None
    parts = [_inside(item) for item in value]
    if any(part is not None for part in parts):
        found = [_words(part, text) for part in parts]
        if any(sentence is None for sentence in found):
            return None
        sentences = [sentence for sentence in found if sentence]
    else:
        sentence = _words(value, text)
        sentences = [sentence] if sentence else []
    words = tuple(word for sentence in sentences for word, _ in sentence)
    if not words:
        return None
    spaces = [space for sentence in sentences for _, space in sentence]
    starts = [sum(map(len, sentences[:i])) for i in range(len(sentences))]
    known = None if None in spaces else tuple(bool(space) for space in spaces)
    return words, known, tuple(starts) if parts[0] is not None else None


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


def _words(items: Any, text: str | None) -> list[tuple[str, bool | None]] | None:
    """RETURNS (Optional[List[Tuple[str, Optional[bool]]]]): Words, and whether a space follows each; None if one is no word."""
    words = [_word(item, text) for item in items] if isinstance(items, list) else [None]
    return None if None in words else [word for word in words if word is not None]


def _word(item: Any, text: str | None) -> tuple[str, bool | None] | None:
    if isinstance(item, str):
        return item, None
    if not isinstance(item, dict):
        return None
    space = item.get("ws")
    form = next((item[key] for key in _FORMS if isinstance(item.get(key), str)), None)
    start, end = item.get("start"), item.get("end")
    if form is None and text is not None and type(start) is int and type(end) is int:
        form = text[start:end] if 0 <= start <= end <= len(text) else None
    return None if form is None else (form, space if isinstance(space, bool) else None)
