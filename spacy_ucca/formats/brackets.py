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
textual details. Loses: the numbers of units, the order of edges, scores and other details.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ..errors import Errors, FormatError, GraphError
from ..graph import FOUNDATIONAL, IMPLICIT, KINDS, LINKAGE, PUNCT, Graph, GraphBuilder
from ..graph.categories import PUNCTUATION, TERMINAL
from ..graph.unit import Edge, Unit

__all__ = ["read_brackets", "write_brackets"]

_META = re.compile(r"#\s*([\w.-]+)\s*=\s*(.*?)\s*$")
_PIECE = re.compile(
    r"\s+|(?P<open>\[)(?P<head>(?:\\.|[^\\\[\]\s])*)|(?P<close>\])|(?P<word>(?:\\.|[^\\\[\]\s])+)"
)
_HEAD = re.compile(
    r"(?P<categories>(?:\\.|[^\\*#:])*)(?::(?P<kind>\w+))?(?:#(?P<name>\w+)(?P<more>-)?)?(?P<remote>\*)?$"
)
_WORD = re.compile(r"(?P<flip>\^)?(?:\{(?P<categories>(?:\\.|[^\\}])*)\})?(?P<text>.*)$", re.DOTALL)
_ESCAPE = re.compile(r"\\(u([0-9a-fA-F]{4})|.)", re.DOTALL)
_LETTERS = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "e": ""}
_NAMES = {" ": "s", "\n": "n", "\t": "t", "\r": "r"}
_SPECIAL_START = ("^", "{", "~", "=", "#")
_IMPLICIT_MARK = "IMPLICIT"
_PARAGRAPHS = "paragraphs"


def read_brackets(text: str, *, source: str = "text") -> list[Graph]:
    """Read graphs in bracket notation.

    text (str): Any number of blocks, separated by blank lines.
    source (str): What to call the text in messages, such as the name of its file.
    RETURNS (List[Graph]): The graphs, one per block.
    RAISES (FormatError): If the notation or a graph is broken. The message names the line.
    """
    graphs = []
    lines = [*text.split("\n"), ""]
    start = 0
    for i, line in enumerate(lines):
        if line.strip():
            continue
        block = lines[start:i]
        if any(part.strip() and not part.startswith("#") for part in block):
            graphs.append(_Reader(source, start + 1).read(block))
        start = i + 1
    return graphs


def write_brackets(graph: Graph) -> str:
    """Write a graph in bracket notation.

    graph (Graph): The graph.
    RETURNS (str): One block: a line per textual detail, a line per root, and a line per linkage unit.
    """
    return _Writer(graph).write()


class _Reference(NamedTuple):
    parent: int
    name: str
    categories: tuple[str, ...]
    remote: bool
    line: int


class _Open(NamedTuple):
    """A bracket that is open: a unit, or (unit None) an edge to a unit by its name."""

    unit: int | None
    categories: tuple[str, ...]
    remote: bool
    line: int
    parent: int | None = None


class _Reader:
    """Reads one block.

    source (str): What to call the text in messages.
    line (int): The number of the block's first line.
    """

    def __init__(self, source: str, line: int) -> None:
        self.source, self.start, self.line = source, line, line
        self.builder = GraphBuilder([])
        self.words: list[str] = []
        self.flipped: list[bool] = []
        self.names: dict[str, int] = {}
        self.parents: dict[int, int | None] = {}
        self.labels: dict[int, tuple[str, ...]] = {}
        self.references: list[_Reference] = []
        self.stack: list[_Open] = []

    def read(self, lines: list[str]) -> Graph:
        details: dict[str, str] = {}
        body = list(lines)
        for i, line in enumerate(lines):
            if not line.startswith("#"):
                break
            meta = _META.match(line)
            if meta:
                details[meta[1]] = meta[2]
            body[i] = ""
        explicit = self._has_roots("\n".join(body))
        if not explicit:
            self.parents[self.builder.add_unit()] = None
        self.root: int | None = None if explicit else 0
        for line in body:
            for piece in self._pieces(line):
                self._take(piece)
            self.line += 1
        if self.stack:
            raise self._error("a bracket is not closed", self.stack[-1].line)
        self._resolve()
        return self._build(details)

    def _has_roots(self, text: str) -> bool:
        """Whether the block writes its roots itself, or has none."""
        depth, held = 0, False
        for piece in _PIECE.finditer(text):
            if piece["open"]:
                head = _HEAD.match(piece["head"]) if depth == 0 else None
                if head is not None and head["categories"]:
                    held = True
                elif head is not None and head["kind"] != LINKAGE and not head["more"]:
                    return True
                depth += 1
            elif piece["close"]:
                depth -= 1
            elif piece["word"] and depth == 0 and not piece["word"].startswith("~"):
                held = True
        return not held

    def _pieces(self, line: str) -> Iterator[re.Match]:
        end = 0
        while end < len(line):
            piece = _PIECE.match(line, end)
            if piece is None:
                raise self._error(f"a backslash is not followed by anything: {line[end:]!r}")
            end = piece.end()
            if not piece[0].isspace():
                yield piece

    def _take(self, piece: re.Match) -> None:
        if piece["open"]:
            self._open(piece["head"])
        elif piece["close"]:
            if not self.stack:
                raise self._error("a bracket is closed that was not opened")
            last = self.stack.pop()
            if last.unit is None and last.categories:
                raise self._error(
                    f"the bracket of {'|'.join(last.categories)} names no unit", last.line
                )
        else:
            self._word(piece["word"])

    def _open(self, text: str) -> None:
        head = _HEAD.match(text)
        if head is None:
            raise self._error(f"cannot read {text!r} after a bracket")
        categories = (
            tuple(_unescaped(c) for c in _split(head["categories"])) if head["categories"] else ()
        )
        kind, name = head["kind"], head["name"]
        if kind is not None and kind not in KINDS:
            raise self._error(f"'{kind}' is no kind of unit: use one of {', '.join(KINDS)}")
        parent = self._parent()
        inside = parent is not None and self.builder.kinds[parent] == LINKAGE
        if head["remote"] or (inside and not head["more"] and kind is None and name is None):
            if not categories or parent is None:
                raise self._error(f"the edge {text!r} needs a category and a unit to come from")
            self.stack.append(_Open(None, categories, bool(head["remote"]), self.line, parent))
            return
        if head["more"]:
            unit = self.names.get(name)
            if unit is None:
                raise self._error(f"nothing is named #{name} yet that '#{name}-' could go on with")
            if not self.stack and not self.labels[unit]:
                parent = None
            if self.parents[unit] != parent or categories not in ((), self.labels[unit]):
                raise self._error(
                    f"'#{name}-' is under another unit or has another category than #{name}"
                )
        else:
            unit = self.builder.add_unit(
                kind or (PUNCT if categories == (PUNCTUATION,) else FOUNDATIONAL)
            )
            if categories:
                if parent is None:
                    raise self._error(f"the unit {text!r} is outside the roots")
                self.builder.add_edge(parent, unit, *categories)
            elif self.stack:
                raise self._error("only a root is without a category")
            self.parents[unit] = parent if categories else None
            self.labels[unit] = categories
            if name is not None:
                if name in self.names:
                    raise self._error(
                        f"two units are named #{name}; write '#{name}-' to go on with the first"
                    )
                self.names[name] = unit
        self.stack.append(_Open(unit, categories, False, self.line))

    def _parent(self) -> int | None:
        if not self.stack:
            return self.root
        if self.stack[-1].unit is None:
            raise self._error("an edge to a named unit holds a name only, such as [A* =1]")
        return self.stack[-1].unit

    def _word(self, text: str) -> None:
        last = self.stack[-1] if self.stack else None
        if text.startswith("="):
            if last is None or last.parent is None or not last.categories:
                raise self._error(f"'{text}' is not in the bracket of an edge, such as [A* {text}]")
            self.references.append(
                _Reference(last.parent, text[1:], last.categories, last.remote, self.line)
            )
            self.stack[-1] = last._replace(categories=())  # taken: a second name is an error
            return
        if text.startswith("#"):
            raise self._error(f"write '\\{text}' for a word; comments stand before the words")
        if text == _IMPLICIT_MARK and last is not None and last.unit is not None:
            self.builder.kinds[last.unit] = IMPLICIT
            return
        loose = text.startswith("~")
        if text == "~":
            return
        parent = None if loose else self._parent()
        word = _WORD.match(text[1:] if loose else text)
        if word is None or (parent is None and not loose):
            raise self._error(
                f"the word '{text}' is outside the roots: write it '~{text}' if it is in no unit"
            )
        token = len(self.words)
        self.words.append(_unescaped(word["text"]))
        self.flipped.append(bool(word["flip"]))
        if parent is not None:
            categories = (
                tuple(_unescaped(c) for c in _split(word["categories"]))
                if word["categories"]
                else ()
            )
            self.builder.add_terminal(parent, token, *categories)

    def _resolve(self) -> None:
        for ref in self.references:
            if ref.name not in self.names:
                raise self._error(f"no unit is named #{ref.name}", ref.line)
            self.builder.add_edge(
                ref.parent, self.names[ref.name], *ref.categories, remote=ref.remote
            )

    def _build(self, details: dict[str, str]) -> Graph:
        builder = self.builder
        builder.words = tuple(self.words)
        under_punct = {
            ~e.child for e in builder.edges if e.child < 0 and builder.kinds[e.parent] == PUNCT
        }
        builder.punct = [(i in under_punct) != f for i, f in enumerate(self.flipped)]
        paragraphs = details.pop(_PARAGRAPHS, None)
        if paragraphs is not None:
            try:
                runs = [part.partition("*") for part in paragraphs.split()]
                builder.paragraphs = [int(p) for p, _, n in runs for _ in range(int(n or 1))]
            except ValueError:
                reason = f"cannot read the paragraphs {paragraphs!r}"
                raise self._error(reason, self.start) from None
        builder.details = dict(details)
        try:
            return builder.build()
        except GraphError as err:
            raise self._error(str(err), self.start) from None

    def _error(self, reason: str, line: int | None = None) -> FormatError:
        return FormatError(
            Errors.UC190.format(source=self.source, line=line or self.line, reason=reason)
        )


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
        return (
            root.kind == FOUNDATIONAL and not root.incoming and bool(root.edges or root.terminals)
        )

    def write(self) -> str:
        graph = self.graph
        for i, word in enumerate(graph.words):
            self._move(self.paths[i])
            parent = graph.unit_of(i)
            self._put(self._word(i, word, parent))
            for unit in self.paths[i]:
                self.left[unit] -= 1
        self._move([])
        for unit in (*graph.roots, *graph.linkages):
            if unit not in self.opened and self._primary(unit) is None:
                self._empty(unit)
        body = (
            " ".join(self.out).replace(" ]", "]").replace("\n ", "\n").replace(" \n", "\n").strip()
        )
        return "\n".join([*self._meta(), body or "~"]) + "\n"

    def _meta(self) -> Iterator[str]:
        for key, value in self.graph.details.items():
            line = f"# {key} = {value}"
            read = _META.match(line)
            if not isinstance(value, str) or key == _PARAGRAPHS or "\n" in line:
                continue
            if read and read.groups() == (key, value):
                yield line
        if set(self.graph.paragraphs) - {1}:
            runs = [(p, len(list(same))) for p, same in groupby(self.graph.paragraphs)]
            yield f"# {_PARAGRAPHS} = " + " ".join(f"{p}*{n}" for p, n in runs)

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
            closed = [u for u in before if u not in path]
            self.opened.update(closed)
            needed.update(u for u in path if u in self.opened)
            before = path
        self.opened = set()
        ordered = [unit for unit in self.graph if unit in needed]
        return {unit: i for i, unit in enumerate(ordered, start=1)}

    def _move(self, path: list[Unit]) -> None:
        """Close and open brackets so that exactly those of a path are open."""
        same = 0
        for a, b in zip(self.path, path, strict=False):
            if a != b:
                break
            same += 1
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
            self._rest(unit)
        self._put("]")

    def _rest(self, unit: Unit) -> None:
        """What stands in a unit after its words: units without words, and edges to named units."""
        if unit.is_implicit:
            self._put(_IMPLICIT_MARK)
        for edge in unit.edges:
            if edge.remote or unit.kind == LINKAGE:
                star = "*" if edge.remote else ""
                self._put(f"[{_joined(edge.categories)}{star} ={self.names[edge.child]}]")
            elif edge.child not in self.opened:
                self._empty(edge.child)

    def _empty(self, unit: Unit) -> None:
        shown = self.explicit or not unit.is_root
        if shown:
            self._put(self._head(unit))
            self.opened.add(unit)
        self._rest(unit)
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


def _split(text: str) -> list[str]:
    """Split at bars that no backslash precedes."""
    return [m[0] for m in re.finditer(r"(?:\\.|[^\\|])+", text)]


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[2], 16)) if m[2] else _LETTERS.get(m[1], m[1]), text)


def _escaped(text: str, special: str) -> str:
    def one(char: str) -> str:
        if char in special or char == "\\":
            return "\\" + char
        if char in _NAMES:
            return "\\" + _NAMES[char]
        return f"\\u{ord(char):04x}" if char.isspace() else char

    return "".join(map(one, text)) or "\\e"


def _escaped_word(word: str) -> str:
    special = word.startswith(_SPECIAL_START) or word == _IMPLICIT_MARK
    return ("\\" if special else "") + _escaped(word, "[]")


def _joined(categories: tuple[str, ...]) -> str:
    return "|".join(_escaped(c, "[]|*#:}") for c in categories)
