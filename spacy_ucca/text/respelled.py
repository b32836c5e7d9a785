"""Places of words in a text that spells some of them otherwise: contractions, corrected mistakes, escapes of brackets and quotes."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from .align import characters, matches

Span = tuple[int, int]
_CHUNK = re.compile(r"\w+|[^\w\s]")


def is_same_word(word: str, other: str) -> bool:
    """RETURNS (bool): Whether two words differ at most by case, form of Unicode, or how quotes and brackets are written."""
    return word == other or _folded(word) == _folded(other)


def find_respelled(words: Sequence[str], text: str) -> list[Span] | None:
    """Find words in a text, in order. Words that do not stand there get the place of what stands between their neighbours; an
    empty place, if nothing does.

    words (Sequence[str]): The words.
    text (str): The text.
    RETURNS (Optional[List[Tuple[int, int]]]): The places; None if less than half of all characters are the same.
    """
    parts = [(word, chunk) for word, chars in enumerate(words) for chunk in _chunks(chars)]
    chars, owners, _ = characters([chunk for _, chunk in parts])
    others, chunks, places = characters(_chunks(text))
    alike = [(i, j) for i, j, same in matches(chars, owners, others, chunks) if same]
    if 4 * len(alike) < len(chars) + len(others):
        return None
    own: list[list[int]] = [[] for _ in words]
    for i, j in alike:
        own[parts[owners[i]][0]].append(j)
    lengths = Counter(parts[owner][0] for owner in owners)
    found = {
        word: (places[js[0]][0], places[js[-1]][1])
        for word, js in enumerate(own)
        if js and len(js) == lengths[word] == js[-1] - js[0] + 1
    }
    first = 0
    while first < len(words):
        if first in found:
            first += 1
            continue
        last = next((word for word in range(first, len(words)) if word in found), len(words))
        start = found[first - 1][1] if first else 0
        end = found[last][0] if last < len(words) else len(text)
        # A part of a contraction that stands there by chance, such as "de" in "des", is no word of its own
        inside = [_is_inside(text, start), _is_inside(text, end)]
        if inside == [True, False] and not _is_inside(text, found[first - 1][0]):
            first, start = first - 1, found[first - 1][0]
        elif inside == [False, True] and not _is_inside(text, found[last][1]):
            last, end = last + 1, found[last][1]
        marks = [[places[j][0] for j in js] for js in own[first:last]]
        spans = _fill(text, start, end, marks)
        if first and spans[-1][1] == start and (word := _folded(words[first])):
            if word in _folded(text[slice(*found[first - 1])]):  # "by" of "aby"
                spans = [found[first - 1]] * len(spans)
        found |= dict(zip(range(first, last), spans, strict=True))
        first = last
    return [found[word] for word in range(len(words))]


def _folded(word: str) -> str:
    return "".join(characters([word])[0])


def _chunks(text: str) -> list[str]:
    """RETURNS (List[str]): A text cut before its words and signs."""
    borders = [0, *(k for found in _CHUNK.finditer(text) if (k := found.start())), len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


def _is_inside(text: str, at: int) -> bool:
    return text[max(at - 1, 0) : at + 1].isalnum() and 0 < at < len(text)


def _fill(text: str, start: int, end: int, marks: Sequence[Sequence[int]]) -> list[Span]:
    """Place words in a part of a text: each word at one piece between white space, if there are as many; else at the pieces with
    which it shares characters or, if there are none, where the word before it is.

    marks (Sequence[Sequence[int]]): Of each word the characters that it shares.
    RETURNS (List[Tuple[int, int]]): A place for each word.
    """
    pieces = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text[start:end])]
    if len(pieces) == len(marks):
        return pieces
    shared = [[p for p in pieces if any(p[0] <= at < p[1] for at in ats)] for ats in marks]
    here = next(filter(None, shared), pieces) or [(start, start)]
    spans = []
    for found in shared:
        here = found or here
        spans.append((here[0][0], here[-1][1]))
    return spans
