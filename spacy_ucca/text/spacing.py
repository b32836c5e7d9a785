"""Where spaces stand between the words of a text, and the text itself: for corpora that store words alone. Tokens of
white space, which are no words.
"""

import re
from collections.abc import Sequence

from ..graph import Graph

__all__ = ["BLANK_LINE", "PARAGRAPH_BREAK", "spaces_between", "text_of", "without_spaces"]

PARAGRAPH_BREAK = "\n\n"
BLANK_LINE = re.compile(r"\n\s*\n")

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


def without_spaces(graph: Graph) -> Graph:
    """Leave out tokens of white space, as tokenizers make them: to UCCA they are no words.

    graph (Graph): The graph.
    RETURNS (Graph): The graph without tokens of white space that hang on nothing; itself, if it has none.
    """
    edges = graph.index.token_edge
    spaces = [i for i, word in enumerate(graph.words) if word.isspace() and edges[i] < 0]
    return graph.only(sorted({*range(len(graph.words))}.difference(spaces))) if spaces else graph
