"""How `spacy-ucca find` shows a match: its sentence with the units marked, or plain data."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from spacy.tokens import Doc

from ..drawing.tree import COLORS, shown
from ..errors import UccaError
from ..graph import Unit
from ..matcher.text import ROOT_NAME
from ..text.split import sentence_ends

RESET, DIM, PLAIN = "\x1b[0m", "2;", "1"


class Sentences:
    """The sentences of a Doc by its graph.

    doc (Doc): The Doc.
    """

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        try:
            ends = sentence_ends(doc._.ucca)
        except UccaError:  # no edge at all
            ends = []
        self.ends = ends or [len(doc)]

    def around(self, units: Mapping[str, Unit]) -> tuple[int, int]:
        """RETURNS (Tuple[int, int]): The first token of the sentence that some units are in, and the token after its last one; of all
        sentences, if they are in several."""
        tokens = [i for unit in units.values() for i in unit.tokens()]
        if not tokens:  # all are implicit
            above = next(iter(units.values())).ancestors()
            tokens = [i for unit in above for i in unit.tokens()] or [0]
        first = bisect_right(self.ends, min(tokens))
        last = bisect_right(self.ends, max(tokens))
        start, end = self.ends[first - 1] if first else 0, self.ends[min(last, len(self.ends) - 1)]
        while start < end and self.doc[start].is_space:
            start += 1
        while start < end and self.doc[end - 1].is_space:
            end -= 1
        return start, end


def mark(sentences: Sentences, units: Mapping[str, Unit], *, color: bool = False) -> str:
    """Mark units in their sentence.

    sentences (Sentences): The sentences of the Doc.
    units (Mapping[str, Unit]): The units by name. The root of a pattern that got no name of its own is left out, if there are
        others.
    color (bool): Colour the marks with ANSI escapes.
    RETURNS (str): One line, such as "[who John] [p bought] a house .".
    """
    start, end = sentences.around(units)
    named = {k: u for k, u in units.items() if k != ROOT_NAME or len(units) == 1}
    opening: dict[int, list[tuple[int, str, str]]] = {}
    closing: dict[int, int] = {}
    for name, unit in named.items():
        code = COLORS.get(unit.categories[0], PLAIN) if unit.categories else PLAIN
        for a, b in unit.ranges():
            opening.setdefault(a, []).append((b, name, code))
            closing[b] = closing.get(b, 0) + 1
    parts: list[str] = []
    stack: list[str] = []  # the colours of the units that are open
    for token in sentences.doc[start:end]:
        for _, name, code in sorted(opening.get(token.i, ()), key=lambda mark: -mark[0]):
            stack.append(code)
            parts.append(_paint(f"[{name} ", DIM + code, color))
        parts.append(_paint(shown(token.text), stack[-1] if stack else "", color))
        for _ in range(closing.get(token.i + 1, 0)):
            parts.append(_paint("]", DIM + stack.pop(), color))
        parts.append(" " * bool(token.whitespace_ or sentences.doc.has_unknown_spaces))
    line = "".join(parts).rstrip()
    for name, unit in named.items():
        line += "" if unit.tokens() else f" ({name}: implicit)"
    return line


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}{RESET}" if color and code else text


def to_data(sentences: Sentences, units: Mapping[str, Unit], name: str) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): A match as plain data: the sentence, and of each unit its text, its label, and its stretches as
    characters of the sentence."""
    start, end = sentences.around(units)
    sentence = sentences.doc[start:end]
    found: dict[str, Any] = {}
    for key, unit in units.items():
        spans = [sentences.doc[a:b] for a, b in unit.ranges()]
        before = sentence.start_char
        places = [[s.start_char - before, s.end_char - before] for s in spans]
        found[key] = {"text": unit.text, "label": unit.label, "spans": places}
    return {"name": name, "sentence": sentence.text, "units": found}
