"""Read the bracket notation of graphs."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Errors, FormatError, GraphError
from ..graph import Graph, GraphBuilder
from ..graph import categories as ucca
from .mend import build_graph
from .text import is_blank, split_blanks

META = re.compile(r"#(?a:\s*)([\w.-]+)(?a:\s*)=(?a:\s*)(.*?)(?a:\s*)$")
_PIECE = re.compile(
    r"\s+|(?P<open>\[)(?P<head>(?:\\.|[^\\\[\]\s])*)|(?P<close>\])|(?P<word>(?:\\.|[^\\\[\]\s])+)",
    re.ASCII,
)
_HEAD = re.compile(
    r"(?P<categories>(?:\\.|[^\\*#:])*)(?::(?P<kind>\w+))?(?:#(?P<name>\w+)(?P<more>-)?)?(?P<remote>\*)?$"
)
_WORD = re.compile(r"(?P<flip>\^)?(?:\{(?P<categories>(?:\\.|[^\\}])*)\})?(?P<text>.*)$", re.DOTALL)
_ESCAPE = re.compile(r"\\(u([0-9a-fA-F]{4})|.)", re.DOTALL)
_LETTERS = {"s": " ", "n": "\n", "t": "\t", "r": "\r", "e": ""}
IMPLICIT_MARK = "IMPLICIT"
PARAGRAPHS = "paragraphs"


class _Open(NamedTuple):
    """A bracket that is open: a unit, or (unit None) an edge to a unit by its name."""

    unit: int | None
    categories: tuple[str, ...]
    remote: bool
    line: int
    parent: int | None = None


class BracketsReader:
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
        self.references: list[tuple[str, _Open]] = []  # names of units, and the edges to them
        self.stack: list[_Open] = []
        self.root: int | None = None  # of a block that does not write its roots
        self.has_roots = False

    def read(self, lines: list[str]) -> Graph:
        details: dict[str, str] = {}
        body = list(lines)
        for i, line in enumerate(lines):
            if not line.startswith("#"):
                break
            meta = META.match(line)
            if meta:
                details[meta[1]] = meta[2]
            body[i] = ""
        for line in body:
            for piece in self._pieces(line):
                self._take(piece)
            self.line += 1
        if self.stack:
            raise self._error("a bracket is not closed", self.stack[-1].line)
        self._resolve()
        return self._build(details)

    def _pieces(self, line: str) -> Iterator[re.Match]:
        end = 0
        while end < len(line):
            piece = _PIECE.match(line, end)
            if piece is None:
                raise self._error(f"a backslash is not followed by anything: {line[end:]!r}")
            end = piece.end()
            if not is_blank(piece[0]):
                yield piece

    def _take(self, piece: re.Match) -> None:
        if piece["open"]:
            self._open(piece["head"])
        elif piece["close"]:
            if not self.stack:
                raise self._error("a bracket is closed that was not opened")
            last = self.stack.pop()
            if last.unit is None and last.categories:
                edge = "|".join(last.categories)
                raise self._error(f"the bracket of {edge} names no unit", last.line)
        else:
            self._word(piece["word"])

    def _open(self, text: str) -> None:
        head = _HEAD.match(text)
        if head is None:
            raise self._error(f"cannot read {text!r} after a bracket")
        categories = _categories(head["categories"])
        kind, name = head["kind"], head["name"]
        if kind is not None and kind not in ucca.KINDS:
            raise self._error(f"'{kind}' is no kind of unit: use one of {', '.join(ucca.KINDS)}")
        if not categories and not self.stack and not head["more"] and kind != ucca.LINKAGE:
            if self.root is not None:
                raise self._error(f"a root {text!r} follows what is outside the roots")
            self.has_roots = True
        parent = self._parent() if categories or self.stack else self.root
        inside = parent is not None and self.builder.kinds[parent] == ucca.LINKAGE
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
            usual = ucca.PUNCT if categories == (ucca.PUNCTUATION,) else ucca.FOUNDATIONAL
            unit = self.builder.add_unit(kind or usual)
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
            if self.root is None and not self.has_roots:
                self.root = self.builder.add_unit()
                self.parents[self.root] = None
            return self.root
        if self.stack[-1].unit is None:
            raise self._error("an edge to a named unit holds a name only, such as [A* =1]")
        return self.stack[-1].unit

    def _word(self, text: str) -> None:
        last = self.stack[-1] if self.stack else None
        if text.startswith("="):
            if last is None or last.parent is None or not last.categories:
                raise self._error(f"'{text}' is not in the bracket of an edge, such as [A* {text}]")
            self.references.append((text[1:], last._replace(line=self.line)))
            self.stack[-1] = last._replace(categories=())  # taken: a second name is an error
            return
        if text.startswith("#"):
            raise self._error(f"write '\\{text}' for a word; comments stand before the words")
        if text == IMPLICIT_MARK and last is not None and last.unit is not None:
            self.builder.kinds[last.unit] = ucca.IMPLICIT
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
            self.builder.add_terminal(parent, token, *_categories(word["categories"]))

    def _resolve(self) -> None:
        for name, edge in self.references:
            if name not in self.names or edge.parent is None:
                raise self._error(f"no unit is named #{name}", edge.line)
            child = self.names[name]
            self.builder.add_edge(edge.parent, child, *edge.categories, remote=edge.remote)

    def _build(self, details: dict[str, str]) -> Graph:
        builder = self.builder
        builder.words = tuple(self.words)
        under_punct = {
            ~e.child for e in builder.edges if e.child < 0 and builder.kinds[e.parent] == ucca.PUNCT
        }
        builder.punct = [(i in under_punct) != f for i, f in enumerate(self.flipped)]
        paragraphs = details.pop(PARAGRAPHS, None)
        if paragraphs is not None:
            try:
                runs = [part.partition("*") for part in split_blanks(paragraphs)]
                builder.paragraphs = [int(p) for p, _, n in runs for _ in range(int(n or 1))]
            except ValueError:
                reason = f"cannot read the paragraphs {paragraphs!r}"
                raise self._error(reason, self.start) from None
        builder.details = dict(details)
        try:
            return build_graph(builder, f"{self.source}, line {self.start}")
        except GraphError as err:
            raise self._error(str(err), self.start) from None

    def _error(self, reason: str, line: int | None = None) -> FormatError:
        line = line or self.line
        return FormatError(Errors.UC190.format(source=self.source, line=line, reason=reason))


def _split(text: str) -> list[str]:
    """Split at bars that no backslash precedes."""
    return [m[0] for m in re.finditer(r"(?:\\.|[^\\|])+", text)]


def _categories(text: str | None) -> tuple[str, ...]:
    return tuple(map(_unescaped, _split(text or "")))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[2], 16)) if m[2] else _LETTERS.get(m[1], m[1]), text)


def looks_like_brackets(text: str) -> bool:
    """Tell the bracket notation from prose with brackets, such as "[A note] Ann left.".

    text (str): The beginning of a text.
    RETURNS (bool): Whether its first block is brackets: of categories of UCCA, or after a line such as "# id = 1"; and words
        stand outside of all brackets only where units stand in units.
    """
    block: list[str] = []
    for line in text.split("\n"):
        if not is_blank(line):
            block.append(line)
        elif any(not line.startswith("#") for line in block):
            break
        else:
            block = []
    is_named = any(map(META.match, block))
    body = "\n".join(line for line in block if not line.startswith("#")).lstrip()
    if body[:1] in ("~", "{") and is_named:
        return all(word[0] in "~{" for word in split_blanks(body))
    if not body.startswith("[") or (body.startswith("[[") and not is_named):  # a link of a wiki
        return False
    depth, nested, outside, known = 0, False, False, is_named
    for piece in _PIECE.finditer(body):
        if piece["open"]:
            head = _HEAD.match(piece["head"])
            if head is None:
                return False
            categories = _categories(head["categories"])
            is_known = bool(categories) and set(categories) <= ucca.CATEGORY_NAMES.keys()
            known = known or is_known
            nested = nested or (depth > 0 and (is_known or is_named))
            depth += 1
        elif piece["close"]:
            depth -= 1
        elif piece["word"] and depth <= 0:
            outside = outside or not piece["word"].startswith("~")
    return known and (nested or not outside)
