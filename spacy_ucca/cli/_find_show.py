"""How `spacy-ucca find` shows a match: its sentence with the units marked."""

from collections.abc import Mapping

from spacy.tokens import Doc

from ..drawing.tree import COLORS, shown
from ..graph import Unit
from ..matcher.plain import Sentences
from ..matcher.text import ROOT_NAME

RESET, DIM, PLAIN = "\x1b[0m", "2;", "1"


def mark(doc: Doc, sentences: Sentences, units: Mapping[str, Unit], *, color: bool = False) -> str:
    """Mark units in their sentence.

    doc (Doc): The Doc.
    sentences (Sentences): The sentences of its graph.
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
    for token in doc[start:end]:
        for _, name, code in sorted(opening.get(token.i, ()), key=lambda mark: -mark[0]):
            stack.append(code)
            parts.append(_paint(f"[{name} ", DIM + code, color))
        parts.append(_paint(shown(token.text), stack[-1] if stack else "", color))
        for _ in range(closing.get(token.i + 1, 0)):
            parts.append(_paint("]", DIM + stack.pop(), color))
        parts.append(" " * bool(token.whitespace_ or doc.has_unknown_spaces))
    line = "".join(parts).rstrip()
    for name, unit in named.items():
        line += "" if unit.tokens() else f" ({name}: implicit)"
    return line


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}{RESET}" if color and code else text
