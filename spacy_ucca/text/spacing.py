"""Where spaces stand between the words of a text, and the text itself: for corpora that store words alone. Tokens of
white space, which are no words.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..graph import Graph
from ..graph.data import TEXT
from .respelled import find_respelled

PARAGRAPH_BREAK = "\n\n"
EMPTY_WORD = "_"  # as formats of columns have it
BLANK_LINE = re.compile(r"(?:\n|\r(?!\n))\s*[\n\r]")  # with any ends of lines

_CLITICS = {"s", "m", "t", "d", "re", "ve", "ll"}
_NO_SPACE_BEFORE = {
    *".,;:!?%)]}»”…",
    *("...", "n't", "n’t"),
    *(f"{mark}{clitic}" for mark in "'’" for clitic in _CLITICS),
}
_ENDS_IN_S = re.compile(r"\w+s")
_NO_SPACE_AFTER = set("([{«“‘$£#¿¡")


def spaces_between(words: Sequence[str]) -> list[bool]:
    """Guess whether a space follows each word, by English spelling.

    words (Sequence[str]): The words.
    RETURNS (List[bool]): One value for each word; the last one has no space.
    """
    spaces = [not word.isspace() for word in words]
    inside = dict.fromkeys("\"'", False)  # whether a quotation is open
    for i, word in enumerate(words):
        before, after = words[i - 1] if i else "", words[i + 1] if i + 1 < len(words) else ""
        left, right = word.lower() not in _NO_SPACE_BEFORE, word not in _NO_SPACE_AFTER
        if word == "'" and (
            after.lower() in {*_CLITICS, "n"} or before == "n"
        ):  # it ' s, rock ' n ' roll
            left = right = False
        elif word in inside:
            opens = not inside[word]
            if word == "'":  # without a second one, or after "s", it is an apostrophe
                opens = opens and not _ENDS_IN_S.fullmatch(before) and word in words[i + 1 :]
            left, right, inside[word] = opens, not opens, opens
        elif word in ("-", "/", "—") or (word == "–" and after.isdecimal()):
            left = right = not (before[-1:].isalnum() and after[:1].isalnum())
        elif word == ".":  # 3.5
            right = not (before.isdecimal() and after.isdecimal())
        elif word == "&":
            left = right = not len(before) == len(after) == 1  # R&B
        if i:
            spaces[i - 1] = spaces[i - 1] and left and not word.isspace()
        spaces[i] = spaces[i] and right and bool(after)
    return spaces


def find_words(words: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Find words in the text that they are from.

    words (Sequence[str]): The words.
    text (str): The text.
    RETURNS (Optional[List[Tuple[int, int]]]): For each word where it begins and ends, in characters; see `find_respelled` for words
        that the text has not. None if it is the text of other words.
    """
    spans = []
    end = 0
    for word in words:
        start = end
        while not text.startswith(word, start) or not word:
            if start >= len(text) or not text[start].isspace():
                return find_respelled(words, text)
            start += 1
        end = start + len(word)
        spans.append((start, end))
    return find_respelled(words, text) if text[end:].strip() else spans


def joined_words(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """RETURNS (Tuple[str, List[Tuple[int, int]]]): Words joined by spaces, for want of their text, and where each stands; of
    empty ones too."""
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word) + 1)
    return " ".join(words), [(start, start + len(word)) for start, word in zip(ends, words)]


def original_text(graph: Graph) -> tuple[str, list[tuple[int, int]]] | None:
    """RETURNS (Optional[Tuple[str, List[Tuple[int, int]]]]): The text that the words of a graph are from, and where each word
    stands in it; None if the text is not known or has other words."""
    text = graph.details.get(TEXT)
    spans = find_words(graph.words, text) if isinstance(text, str) else None
    return None if spans is None else (str(text), spans)


def original_spaces(graph: Graph) -> list[bool] | None:
    """RETURNS (Optional[List[bool]]): Whether white space follows each word in the text of a graph; None if the text is not
    known."""
    spaces = spaces_from(graph.words, graph.details.get(TEXT))
    return None if spaces is None else list(spaces)


def spaces_from(words: Sequence[str], text: Any) -> tuple[bool, ...] | None:
    """RETURNS (Optional[Tuple[bool, ...]]): Whether white space follows each word in a text; None if it is no text, or has other
    words."""
    spans = find_words(words, text) if isinstance(text, str) else None
    if spans is None:
        return None
    # Words of one contraction, and those that are not in the text, stand apart
    return (
        *(not a[0] < a[1] == b[0] < b[1] for a, b in pairwise(spans)),
        *[False] * bool(spans),
    )


def text_of(
    words: Sequence[str], spaces: Sequence[bool], paragraph_ends: Sequence[int] = ()
) -> str:
    """Make a text of words.

    words (Sequence[str]): The words.
    spaces (Sequence[bool]): Whether a space follows each of them.
    paragraph_ends (Sequence[int]): For each paragraph the index of the word after its last one.
    RETURNS (str): The text, with a blank line between paragraphs.
    """
    after = [" " * space for space in spaces]
    for end in paragraph_ends:
        after[end - 1] = PARAGRAPH_BREAK
    return "".join(word + space for word, space in zip(words, after, strict=True)).rstrip()


def doc_words(words: Sequence[str]) -> list[str]:
    """RETURNS (List[str]): The words as tokens of a Doc, which cannot be empty: an empty word is "_"."""
    return [word or EMPTY_WORD for word in words]


def without_spaces(graph: Graph) -> Graph:
    """Leave out tokens of white space, as tokenizers make them: to UCCA they are no words.

    graph (Graph): The graph.
    RETURNS (Graph): The graph without tokens of white space that hang on nothing; itself, if it has none.
    """
    edges = graph.index.token_edge
    spaces = [i for i, word in enumerate(graph.words) if word.isspace() and edges[i] < 0]
    return graph.only(sorted({*range(len(graph.words))}.difference(spaces))) if spaces else graph
