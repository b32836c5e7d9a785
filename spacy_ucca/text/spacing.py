"""Words and the text they are from: the spaces between words, the places of words and units in characters, words that the text
spells otherwise.

Corpora store words alone. A text has contractions, corrected mistakes, and escapes of brackets and quotes. Tokens of white
space are no words.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any
from unicodedata import category

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.algorithms import tokens_in
from ..graph.data import TEXT, check_words
from ..graph.unit import is_gap
from .align import characters, matches

Span = tuple[int, int]
_JOINERS = "_\u200c\u200d"  # stand between letters of a word


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
    alike = [same for _, _, same in matches(chars, owners, others, chunks)]
    if 4 * sum(alike) < len(chars) + len(others):
        return None
    own: list[list[int]] = [[] for _ in words]
    for i, j, same in matches(chars, owners, others, chunks, best=True):
        if same:
            own[parts[owners[i]][0]].append(j)
    lengths = Counter(parts[owner][0] for owner in owners)
    found = {
        word: (places[js[0]][0], places[js[-1]][1])
        for word, js in enumerate(own)
        if js and len(js) == lengths[word] == js[-1] - js[0] + 1
    }
    apart: set[int] = set()
    for i in {*found} & {i - 1 for i in found}:
        between = range(found[i][1], found[i + 1][0] + 1)
        if len(between) > 1 and all(is_inside(text, at) for at in between):
            apart |= {i, i + 1}  # "da", "la" of "dalla"
    found = {i: span for i, span in found.items() if i not in apart}
    first = 0
    while first < len(words):
        if first in found:
            first += 1
            continue
        last = next((word for word in range(first, len(words)) if word in found), len(words))
        start = found[first - 1][1] if first else 0
        end = found[last][0] if last < len(words) else len(text)
        # A part of a contraction that stands there by chance, such as "de" in "des", is no word of its own
        inside = [is_inside(text, start), is_inside(text, end)]
        if start == end and all(inside):  # left out in writing, such as an article
            first, start = first - 1, found[first - 1][0]
            last, end = last + 1, found[last][1]
        elif inside == [True, False] and not is_inside(text, found[first - 1][0]):
            first, start = first - 1, found[first - 1][0]
        elif inside == [False, True] and not is_inside(text, found[last][1]):
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
    inner = (k for k in range(1, len(text)) if not (text[k].isspace() or is_inside(text, k)))
    borders = [0, *inner, len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


def is_inside(text: str, at: int) -> bool:
    """RETURNS (bool): Whether letters stand on both sides of a place."""
    return 0 < at < len(text) and _is_letter(text[at - 1]) and _is_letter(text[at])


def _is_letter(char: str) -> bool:
    return char.isalnum() or category(char)[0] == "M" or char in _JOINERS


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
        # it ' s, rock ' n ' roll
        if word == "'" and (after.lower() in {*_CLITICS, "n"} or before == "n"):
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
    return (*(not a[0] < a[1] == b[0] < b[1] for a, b in pairwise(spans)), *[False] * bool(spans))


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


GAP = " ... "  # stands between the parts of a discontinuous unit


class Places:
    """A text, and where the tokens of a graph stand in it.

    graph (Graph): The graph.
    text (str): The text.
    tokens (Sequence[Tuple[int, int]]): The first character of each token and the one after its last.
    """

    def __init__(self, graph: Graph, text: str, tokens: Sequence[Span]) -> None:
        self.graph = graph
        self.text = text
        self.tokens = tokens
        self._masks, self._starts = graph.index.masks, graph.index.starts

    def offsets(self, unit: int) -> list[Span]:
        """RETURNS (List[Tuple[int, int]]): The characters of a unit: one range for a continuous one, none for an implicit one."""
        tokens, mask = self.tokens, self._masks[unit]
        if mask and not mask & (mask + 1):  # most units; this is done for each unit of a corpus
            first = self._starts[unit]
            return [(tokens[first][0], tokens[first + mask.bit_length() - 1][1])]
        return [(tokens[a][0], tokens[b - 1][1]) for a, b in token_runs(self.graph, unit)]

    def text_of(self, unit: int) -> str:
        """RETURNS (str): The text of a unit, with `GAP` where words of others are left out; "" for an implicit one."""
        return GAP.join(self.text[start:end] for start, end in self.offsets(unit))


def token_runs(graph: Graph, unit: int) -> list[Span]:
    """Find the stretches of tokens of a unit. White space that hangs on nothing divides none.

    graph (Graph): The graph.
    unit (int): The number of the unit.
    RETURNS (List[Tuple[int, int]]): The first token of each stretch and the one after its last.
    """
    mask, first = graph.index.masks[unit], graph.index.starts[unit]
    if not mask & (mask + 1):
        return [(first, first + mask.bit_length())] if mask else []
    runs: list[list[int]] = []
    for token in tokens_in(mask, first):
        if not runs or is_gap(graph, runs[-1][1] - 1, token):
            runs.append([token, token])
        runs[-1][1] = token + 1
    return [(start, end) for start, end in runs]


def find_places(graph: Graph, doc: Any = None) -> Places:
    """Find where the tokens of a graph stand.

    graph (Graph): The graph.
    doc (Optional[Union[Doc, Span]]): The Doc that the graph is of, or the Span, whose characters are counted. Without, the
        text is the one that the graph knows (`graph.details["text"]`), or else its words joined by spaces.
    RETURNS (Places): The text, and the places.
    RAISES (UccaError): If the Doc has other tokens than the graph.
    """
    if doc is None:
        return Places(graph, *(original_text(graph) or joined_words(graph.words)))
    if not hasattr(doc, "vocab"):
        raise UccaError(Errors.UC684.format(type=type(doc).__name__))
    check_words(graph.words, [token.text for token in doc])
    start = doc[0].idx if len(doc) else 0  # a Span, for the graph of a sentence
    places = [(token.idx - start, token.idx - start + len(token)) for token in doc]
    return Places(graph, doc.text, places)
