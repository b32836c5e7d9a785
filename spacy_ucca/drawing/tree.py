"""A graph as an indented tree of text, for terminals and log files."""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..graph import Graph
from ..graph.algorithms import iter_tokens
from ..graph.categories import CATEGORY_NAMES, SEPARATOR, TERMINAL, split_label
from ..graph.unit import Edge, Unit, is_gap
from .part import MAX_DEPTH, visible_part

MAX_REFERENCE = 60  # characters of the text of a remote unit; its own line has all of it
BRANCHES = {False: ("├─ ", "└─ ", "│  ", "   "), True: ("|- ", "`- ", "|  ", "   ")}


# The colour of a category on light and on dark ground, its SGR code in terminals, and the form of its label in pictures. Groups
# differ in colour, for the colour-blind too, and in form: relations, participants, adverbials, inside units, between Scenes, function.
PALETTE: dict[str, tuple[str, str, str, str]] = {
    "P": ("#4b5ddd", "#65abfe", "1;34", "box"),
    "S": ("#0a68dc", "#42b2f7", "1;34", "box"),
    "A": ("#0f5302", "#70f3af", "32", "pill"),
    "D": ("#7250a7", "#ad6fc1", "35", "slanted"),
    "T": ("#8551a4", "#bf71ba", "35", "slanted"),
    "C": ("#b37d1f", "#f5c24b", "1;36", "cut"),
    "E": ("#b48b26", "#f1d357", "36", "cut"),
    "N": ("#b37320", "#f8b747", "36", "cut"),
    "Q": ("#af932a", "#e8db5f", "36", "cut"),
    "R": ("#a37802", "#e0be40", "36", "cut"),
    "H": ("#b53750", "#ec7b6a", "1;33", "pointed"),
    "L": ("#bd4167", "#f78281", "33", "pointed"),
    "G": ("#a93163", "#e5727c", "33", "pointed"),
    "F": ("#858f95", "#aab8c7", "", "bare"),
    "U": ("#949ea4", "#bac8d7", "", "bare"),
    "LR": ("#475569", "#a9b6c8", "33", "pointed"),
    "LA": ("#475569", "#a9b6c8", "33", "pointed"),
}
COLORS = {category: code for category, (_, _, code, _) in PALETTE.items() if code}
DIM = "2"
THROUGH = str.maketrans("├└─`-", "│    ")  # what stands below branches
OVERRIDES = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


class _Line(NamedTuple):
    branches: str
    label: str
    name: str
    words: str = ""
    note: str = ""


def category_name(label: str) -> str:
    """Get the full name of a label. Categories that the guidelines do not have are their own name.

    label (str): One category or several, such as "A" or "S|A".
    RETURNS (str): The name, such as "Participant" or "State|Participant".
    """
    return SEPARATOR.join(CATEGORY_NAMES.get(c, c) for c in split_label(label))


def shown(word: str) -> str:
    """Make a token visible on a line: white space and control characters become symbols.

    word (str): The token.
    RETURNS (str): Its visible form; other text is left as it is.
    """
    if word and all(unicodedata.category(c) == "Cf" for c in word):
        return "◌"  # a joiner alone, which has no form of its own
    return "".join(map(_symbol, word)) or "␣"


def shorten(text: str, limit: int) -> str:
    """RETURNS (str): A text of so many characters at most; a longer one ends in "…"."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _symbol(character: str) -> str:
    if character.isspace():
        return {"\n": "⏎", "\t": "⇥", "\r": "␍"}.get(character, "␣")
    # Overrides of direction would run on past the token; joiners and the like belong to it.
    hidden = unicodedata.category(character) in ("Cc", "Cs")
    return "�" if hidden or unicodedata.bidirectional(character) in OVERRIDES else character


def unit_words(unit: Unit, limit: int | None = None) -> str:
    """Get the words of a unit, visible, with "..." for gaps.

    unit (Unit): The unit.
    limit (Optional[int]): The maximum number of characters; what is longer ends in "…".
    RETURNS (str): The words.
    """
    index = unit.graph.index
    return join_words(
        unit.graph, iter_tokens(index.masks[unit.index], index.starts[unit.index]), limit
    )


def join_words(
    graph: Graph, tokens: Iterable[int], limit: int | None, gap: Callable[..., bool] = is_gap
) -> str:
    """RETURNS (str): Tokens as `unit_words` writes them. `gap` says whether something is left out between two."""
    parts: list[str] = []
    previous, length = None, -1
    for token in tokens:
        if previous is not None and gap(graph, previous, token):
            parts.append("...")
            length += 4
        parts.append(shown(graph.words[token]))
        length += len(parts[-1]) + 1
        previous = token
        if limit is not None and length > limit:
            return " ".join(parts)[: limit - 1].rstrip() + "…"
    return " ".join(parts)


def render_tree(
    graph: Graph,
    *,
    color: bool = False,
    ascii: bool = False,
    width: int | None = None,
    max_tokens: int | None = None,
    max_depth: int | None = MAX_DEPTH,
    collapse: bool = False,
) -> str:
    """Draw a graph as indented lines: category, its name, words. The words stand in one column, so
    that reading down gives the sentence. Remote children are marked "A* -> words (remote)", implicit
    units "(implicit)", gaps in discontinuous units "...". Linkage units (guidelines 1.x) come last.

    graph (Graph): The graph, of one sentence or of many.
    color (bool): Colour categories with ANSI escapes.
    ascii (bool): Draw branches without line-drawing characters.
    width (Optional[int]): The number of columns of the terminal. Words that do not fit continue on the next line, below the others.
        Only what cannot be divided is wider. None divides no line.
    max_tokens (Optional[int]): The maximum number of tokens; the last line says if there are more. None draws all.
    max_depth (Optional[int]): The maximum number of levels; units on the last one are drawn as their words, and the last
        line says so. None draws all: lines of deep graphs are long.
    collapse (bool): Fold units that hold no Scene and no remote edge: they are drawn as their words.
    RETURNS (str): The lines, each ended by a newline; nothing for a graph without tokens and units.
    RAISES (UccaError): If a limit is too small.
    """
    part = visible_part(graph, max_tokens, max_depth, collapse)
    graph, width = part.graph, sys.maxsize if width is None else width
    blocks = [
        _format([*_sentence(root, ascii)], unit_words(root), color, width) for root in graph.roots
    ]
    loose = [shown(graph.words[i]) for i in range(len(graph.words)) if graph.unit_of(i) is None]
    if loose:
        blocks.append(_format([], "(not attached) " + " ".join(loose), False, width))
    if graph.linkages:
        blocks.append(_format(list(_linkage(graph, ascii)), "(linkage)", color, width))
    if part.note:
        blocks.append(_format([], f"({part.note})", False, width))
    return "\n".join(blocks)


def _sentence(root: Unit, ascii: bool) -> Iterator[_Line]:
    """YIELDS (_Line): The lines of a sentence, depth first. There is no recursion, because graphs may be deep."""
    tee, corner, bar, blank = BRANCHES[ascii]
    stack: list[tuple[str, bool, Edge | int]] = []

    def push(unit: Unit, prefix: str) -> None:
        # In text order: tokens take their place among the child units. Then what has no place in
        # the text: implicit units, remote ones. A unit of nothing but tokens is one line.
        index = unit.graph.index
        children: list[tuple[int, int, Edge | int]] = []
        for edge in unit.edges:
            unit_index = edge.child.index
            has_tokens = bool(index.masks[unit_index])
            rank = 2 if edge.remote else 0 if has_tokens else 1
            children.append((rank, index.starts[unit_index] if has_tokens else 0, edge))
        if children:
            children += [(0, token, token) for token in unit.terminals]
        children.sort(key=lambda item: item[:2])
        for i, (_, _, child) in enumerate(reversed(children)):
            stack.append((prefix, i == 0, child))

    push(root, "")
    while stack:
        prefix, last, item = stack.pop()
        branches = prefix + (corner if last else tee)
        if isinstance(item, int):
            yield _Line(branches, "-", TERMINAL, shown(root.graph.words[item]))
            continue
        unit, label = item.child, shown(item.label)
        name = category_name(label)
        if item.remote:
            yield _Line(branches, label + "*", name, "-> " + _reference(unit), "(remote)")
            continue
        words = "" if unit.edges and not unit.is_discontinuous else unit_words(unit)
        yield _Line(branches, label, name, words, "(implicit)" if unit.is_implicit else "")
        push(unit, prefix + (blank if last else bar))


def _linkage(graph: Graph, ascii: bool) -> Iterator[_Line]:
    tee, corner, bar, blank = BRANCHES[ascii]
    for unit in graph.linkages:
        last_unit = unit == graph.linkages[-1]
        yield _Line(corner if last_unit else tee, "LKG", "Linkage")
        edges = sorted(unit.edges, key=lambda edge: edge.label != "LR")
        for edge in edges:
            branches = (blank if last_unit else bar) + (corner if edge == edges[-1] else tee)
            label = shown(edge.label)
            yield _Line(branches, label, category_name(label), "-> " + _reference(edge.child))


def _reference(unit: Unit) -> str:
    return unit_words(unit, MAX_REFERENCE) or "(implicit)"


def paint(text: str, code: str, color: bool = True) -> str:
    """RETURNS (str): A text in the colour of an SGR code, for terminals."""
    return f"\x1b[{code}m{text}\x1b[0m" if color and text and code else text


def columns(text: str) -> int:
    """RETURNS (int): The columns that a text takes in a terminal: two for each character of East Asia and most emoji."""
    wide = (unicodedata.east_asian_width(c) in "WF" for c in text)
    none = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text.replace("\ufe0f", ""))
    return len(text) + sum(wide) - none


def _format(lines: list[_Line], heading: str, color: bool, width: int) -> str:
    indents = [f"{line.branches}{line.label.ljust(2)} {line.name}".rstrip() for line in lines]
    middle = min(max(map(columns, indents), default=0) + 2, max(width * 2 // 3, 2))
    out = [paint(" ".join(row), "1", color) for row in _rows(heading.split(" "), 0, 0, width)]
    for i, (line, indent) in enumerate(zip(lines, indents, strict=True)):
        code = COLORS.get(line.label.rstrip("*").split(SEPARATOR)[0], "")
        left = paint(line.branches, DIM, color) + paint(line.label, code, color)
        left += " " * (max(2, len(line.label)) - len(line.label)) + " "
        below = line.branches.translate(THROUGH)
        if len(deeper := "".join(each.branches for each in lines[i + 1 : i + 2])) > len(below):
            below += "|" if deeper[len(below)] in "|`" else "│"
        words = [*filter(None, line.words.split(" ")), *filter(None, [line.note])]
        start, room = max(middle, columns(indent) + 2), width - max(map(columns, words), default=0)
        rest = max(min(middle, room), columns(below) + 2)
        first, *more = _rows(words, start, rest, width)
        gap = " " * (start - columns(indent))
        out.append(left + paint(line.name, DIM, color) + gap + " ".join(first))
        for row in more:
            out.append(paint(below, DIM, color) + " " * (rest - len(below)) + " ".join(row))
        if line.note:
            out[-1] = out[-1].removesuffix(line.note) + paint(line.note, DIM, color)
    return "\n".join(map(str.rstrip, out)) + "\n"


def _rows(words: Sequence[str], start: int, rest: int, width: int) -> list[list[str]]:
    """RETURNS (List[List[str]]): Words in rows, of which the first begins at one column, and the others at another one."""
    rows, used = [list[str]()], start
    for word in words:
        if used + columns(word) > width and (rows[-1] or used > rest):
            rows.append([])
            used = rest
        rows[-1].append(word)
        used += columns(word) + 1
    return rows
