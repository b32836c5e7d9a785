r"""Brackets: a notation to write and read UCCA graphs by hand, one per block of text.

    # id = graduation
    [L#3 After] [H#1 [P graduation] [A* =2]] [U ,] [H#4 [A#2 John] [P moved] [A [R to] [C Paris]]] [U .]
    [:LKG [LR =3] [LA =1] [LA =4]]

A blank line ends a block. Within one, line ends count as spaces. The words stand in text order.

    [A John]          a unit with its category, holding words and units; what stands outside all
                      brackets is held by the root
    [S|A his]         several categories on the edge
    [A#1 John]        a unit with a name (letters and digits), to speak of it elsewhere
    [A* =1]           a remote edge to the unit named 1, before or after it
    [P#2 gave] [A it] [P#2- up]    a discontinuous unit: the second bracket goes on with it
    [A IMPLICIT]      an implicit unit
    [C Dr ^.]         ^ turns a word's punctuation flag round; words in units of the kind PNCT have
                      it, others have not
    [A:FN ,]          the kind of unit: FN, PNCT, LKG or IMPLICIT; when left out, it is PNCT for the
                      category U alone and FN for all others
    [:LKG [LR =3] [LA =1]]    a linkage unit: in it, =1 without a star is no remote edge
    [ [H [P Stop]] ]  a bracket without a category is a root; if there is one, there is no other root
                      than those written so, as for a graph of several sentences
    ~word             a word that hangs on nothing (a block of such words alone has no root)
    ~                 nothing (a graph without words is written so)
    {U}word           a word whose edge has another category than Terminal
    \[ \= \IMPLICIT   a backslash takes the special meaning away; \s \n \t \r are whitespace in a
                      word, \e an empty word, \u00a0 the character of that hexadecimal number
    # key = value     at the start of a line before the words: goes to the graph's details as text;
                      `# paragraphs = 1*7 2*4` are the paragraphs of the first 7 and next 4 words

Keeps: structure (words, units of all kinds, categories, remote edges, roots), punctuation flags, paragraphs and
textual details; the text of the words in one line. Loses: the numbers of units, the order of edges, scores and other details.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ..graph import Graph
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, PUNCTUATION, TERMINAL
from ..graph.data import TEXT
from ..graph.unit import Edge, Unit
from .brackets_reader import IMPLICIT_MARK, META, PARAGRAPHS, BracketsReader
from .text import BLANKS, check_labels, is_blank, one_line

_NAMES = {" ": "s", "\n": "n", "\t": "t", "\r": "r"}
BOM = "\ufeff"  # at the beginning of a file it is no part of the text
_SPECIAL_START = ("^", "{", "~", "=", "#")


def read_brackets(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read graphs in bracket notation.

    text (str): Any number of blocks, separated by blank lines.
    source (str): What to call the text in messages, such as the name of its file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs, one per block.
    RAISES (FormatError): If the notation or a graph is broken. The message names the line.
    """
    graphs = []
    lines = [*text.split("\n"), ""]
    start = 0
    for i, line in enumerate(lines):
        if not is_blank(line):
            continue
        block = lines[start:i]
        if any(not is_blank(part) and not part.startswith("#") for part in block):
            graphs.append(BracketsReader(source, start + first_line).read(block))
        start = i + 1
    return graphs


def write_brackets(graph: Graph) -> str:
    """Write a graph in bracket notation.

    graph (Graph): The graph.
    RETURNS (str): One block: a line per textual detail, a line per root, and a line per linkage unit.
    RAISES (FormatError): If a category is empty.
    """
    check_labels(graph, "brackets", lambda edge: True)
    return _Writer(graph).write()


class _Writer:
    """Writes one graph: token by token, closing and opening brackets between them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.out: list[str] = []
        self.path: list[Unit] = []
        self.opened: set[Unit] = set()
        self.explicit = len(graph.roots) != 1 or not self._goes_without_saying(graph.roots[0])
        self.paths = [self._path(graph.unit_of(i)) for i in range(len(graph.words))]
        # How many words are still to be written under each unit.
        self.left = Counter(unit for path in self.paths for unit in path)
        self.names = self._names()

    @staticmethod
    def _goes_without_saying(root: Unit) -> bool:
        """Whether a lone root need not be written: it is plain, not empty, and nobody's child."""
        is_empty = not (root.edges or root.terminals)
        return root.kind == FOUNDATIONAL and not root.incoming and not is_empty

    def write(self) -> str:
        graph = self.graph
        for i, word in enumerate(graph.words):
            self._move(self.paths[i])
            self._put(self._word(i, word, graph.unit_of(i)))
            for unit in self.paths[i]:
                self.left[unit] -= 1
        self._move([])
        for unit in (*graph.roots, *graph.linkages):
            if unit not in self.opened and self._primary(unit) is None:
                self._run(self._empty(unit))
        body = " ".join(self.out).replace(" ]", "]").strip()
        body = body.replace("\n ", "\n").replace(" \n", "\n")
        return "\n".join([*self._meta(), body or "~"]) + "\n"

    def _meta(self) -> Iterator[str]:
        for key, value in self.graph.details.items():
            if key == TEXT and isinstance(value, str):
                value = one_line(value).strip(BLANKS)
            line = f"# {key} = {value}"
            read = META.match(line)
            if not isinstance(value, str) or key == PARAGRAPHS or "\n" in line:
                continue
            if read and read.groups() == (key, value):
                yield line
        if set(self.graph.paragraphs) - {1}:
            runs = [(p, len(list(same))) for p, same in groupby(self.graph.paragraphs)]
            yield f"# {PARAGRAPHS} = " + " ".join(f"{p}*{n}" for p, n in runs)

    def _primary(self, unit: Unit) -> Edge | None:
        """The edge in whose parent the unit is written."""
        return next((e for e in unit.incoming if not e.remote and e.parent.kind != LINKAGE), None)

    def _path(self, unit: Unit | None) -> list[Unit]:
        path = []
        while unit is not None:
            path.append(unit)
            edge = self._primary(unit)
            unit = edge.parent if edge else None
        if path and path[-1].is_root and not self.explicit:
            path.pop()
        return path[::-1]

    def _names(self) -> dict[Unit, int]:
        """Numbers for the units that are spoken of again, in text order."""
        needed = {e.child for e in self.graph.edges if e.remote or e.parent.kind == LINKAGE}
        before: list[Unit] = []
        for path in self.paths:
            self.opened.update(before[_same(before, path) :])
            needed.update(u for u in path if u in self.opened)
            before = path
        self.opened = set()
        ordered = [unit for unit in self.graph if unit in needed]
        return {unit: i for i, unit in enumerate(ordered, start=1)}

    def _move(self, path: list[Unit]) -> None:
        """Close and open brackets so that exactly those of a path are open."""
        same = _same(self.path, path)
        while len(self.path) > same:
            self._close(self.path.pop())
        for unit in path[same:]:
            self._put(self._head(unit, more=unit in self.opened))
            self.opened.add(unit)
            self.path.append(unit)

    def _head(self, unit: Unit, more: bool = False) -> str:
        edge = self._primary(unit)
        categories = edge.categories if edge else ()
        default = PUNCT if categories == (PUNCTUATION,) else FOUNDATIONAL
        kind = "" if more or unit.kind in (default, IMPLICIT) else f":{unit.kind}"
        name = f"#{self.names[unit]}{'-' if more else ''}" if unit in self.names else ""
        start = "\n" if not edge and self.out else ""
        return f"{start}[{_joined(categories) if categories else ''}{kind}{name}"

    def _close(self, unit: Unit) -> None:
        if self.left[unit] == 0:
            self._run(self._rest(unit))
        self._put("]")

    @staticmethod
    def _run(steps: Iterator[Any]) -> None:
        """Run steps that yield further steps, to any depth."""
        stack = [steps]
        while stack:
            inner = next(stack[-1], None)
            if inner is None:
                stack.pop()
            else:
                stack.append(inner)

    def _rest(self, unit: Unit) -> Iterator[Any]:
        """What stands in a unit after its words: units without words, and edges to named units."""
        if unit.is_implicit:
            self._put(IMPLICIT_MARK)
        for edge in unit.edges:
            if edge.remote or unit.kind == LINKAGE:
                star = "*" if edge.remote else ""
                self._put(f"[{_joined(edge.categories)}{star} ={self.names[edge.child]}]")
            elif edge.child not in self.opened:
                yield self._empty(edge.child)

    def _empty(self, unit: Unit) -> Iterator[Any]:
        shown = self.explicit or not unit.is_root
        if shown:
            self._put(self._head(unit))
            self.opened.add(unit)
        yield self._rest(unit)
        if shown:
            self._put("]")

    def _word(self, i: int, word: str, parent: Unit | None) -> str:
        if parent is None:
            return f"~{'^' if self.graph.punct[i] else ''}{_escaped_word(word)}"
        edge = self.graph.edge_tuples[self.graph.index.token_edge[i]]
        categories = "" if edge.categories == (TERMINAL,) else f"{{{_joined(edge.categories)}}}"
        flip = "^" if self.graph.punct[i] != (parent.kind == PUNCT) else ""
        return f"{flip}{categories}{_escaped_word(word)}"

    def _put(self, text: str) -> None:
        self.out.append(text)


def _same(path: list[Unit], other: list[Unit]) -> int:
    """RETURNS (int): How many units two paths from the root have in common."""
    pairs = enumerate(zip(path, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(path), len(other)))


def _escaped(text: str, special: str) -> str:
    def one(char: str) -> str:
        if char in special or char == "\\":
            return "\\" + char
        if char in _NAMES:
            return "\\" + _NAMES[char]
        return f"\\u{ord(char):04x}" if char.isspace() or char == BOM else char

    return "".join(map(one, text)) or "\\e"


def _escaped_word(word: str) -> str:
    special = word.startswith(_SPECIAL_START) or word == IMPLICIT_MARK
    return ("\\" if special else "") + _escaped(word, "[]")


def _joined(categories: tuple[str, ...]) -> str:
    return "|".join(_escaped(c, "[]|*#:}") for c in categories)
