r"""Brackets of the Penn Treebank, with the constituency trees of UCCA: one tree a line.

    (TOP (ROOT (H (A (PROPN Hammond)) (P (VERB defended)) (A (PROPN Dylan)) (U (PUNCT .)))))

Constituency parsers and their tools read this format. Labels say what the conversion changed: `A-remote`
is also the child of remote edges, `A-down1` was moved. A unary chain is written as nested nodes; `fold` writes
it as one, `ROOT+H`, and both are read. A token's tag is its coarse part of speech, or its fine one, or `_`;
`PUNCT` always is punctuation and says so of the token when it is read, as the label U does.

Round brackets in words are written as -LRB- and -RRB-. A backslash takes the meaning away from what follows it
(`\-LRB-`, `\\`); whitespace in a word is `\u0020`, an empty word `\e`. An outermost TOP, or a node without a
label, is no node of the tree. Trees may stand on several lines. Traces (`-NONE-`) are left out.

Keeps the words, which of them are punctuation, one tag, and the structure as a constituency tree. Loses implicit
units and what hangs only on them, linkage, units without tokens, remote edges (only that a unit is a remote child is
said), roots without tokens, the order of several categories and categories of edges to tokens, which words within
punctuation units are none, tokens of white space that hang on nothing, paragraphs, scores, ids and other details.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from ..conversion.constituency import from_constituency, to_constituency
from ..conversion.graph import EMPTY, Token
from ..conversion.tree import CHAIN, TOP, ConstituencyTree, LabeledSpan
from ..errors import Errors, FormatError
from ..graph import Graph
from ..graph.categories import PUNCTUATION
from ..text.spacing import without_spaces
from .rows import graph_tokens

TOP_LABEL = "TOP"
PUNCT_TAG = "PUNCT"
TRACE = "-NONE-"  # the tag of what is no word, such as *T*-1
_PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)
_ESCAPE = re.compile(r"\\|-[LR]RB-|[()\s]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))|-([LR])RB-", re.DOTALL)


def read_penn(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read UCCA graphs from brackets: constituency trees, converted back, without remote edges.

    text (str): The text of a file.
    source (str): What to call it in messages, such as the name of the file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If brackets are broken, or there is no tree. The message names the line.
    """
    return [
        from_constituency(tree)
        for tree in iter_penn(text.split("\n"), source=source, first_line=first_line)
    ]


def write_penn(graph: Graph) -> str:
    """RETURNS (str): The constituency tree of a UCCA graph, as one line."""
    graph = without_spaces(graph)
    return format_penn(to_constituency(graph, tokens=graph_tokens(graph)))


def format_penn(tree: ConstituencyTree, *, fold: bool = False) -> str:
    """Write a constituency tree in brackets.

    tree (ConstituencyTree): The tree.
    fold (bool): Write unary chains as one node.
    RETURNS (str): A line.
    """
    opened: list[list[str]] = [[] for _ in tree.tokens]
    closed = [0] * len(tree.tokens)
    for start, end, label in tree.spans:
        labels = [label] if fold else label.split(CHAIN)
        opened[start] += labels
        closed[end - 1] += len(labels)
    parts = []
    for i, token in enumerate(tree.tokens):
        parts += [f" ({label}" for label in opened[i]]
        punct = bool(tree.punct and tree.punct[i])
        parts.append(f" ({_escape(_tag(token, punct))} {_escape(token.form)})" + ")" * closed[i])
    return f"({TOP_LABEL}{''.join(parts)})\n"


def iter_penn(
    lines: Iterable[str], *, source: str = "text", first_line: int = 1
) -> Iterator[ConstituencyTree]:
    """Read constituency trees, of UCCA or any other scheme, one at a time.

    lines (Iterable[str]): The lines, such as those of an open file.
    source (str): What to call them in messages.
    first_line (int): The number of the first line, for messages.
    YIELDS (ConstituencyTree): The trees.
    RAISES (FormatError): If brackets are broken, or there is no tree. The message names the line.
    """
    reader = None
    empty = True
    number = 0
    for number, line in enumerate(lines, start=first_line):
        if number == 1:
            line = line.removeprefix("\ufeff")
        for match in _PIECE.finditer(line):
            if reader is None:
                reader = _Reader(source)
            if reader.read(match[0], number):
                yield reader.tree()
                reader, empty = None, False
    if reader is not None:
        _fail(source, number, f"the bracket opened in line {reader.line} is not closed")
    if empty:
        raise FormatError(Errors.UC115.format(where=source))


class _Node:
    """A bracket that is open: its label, the token it begins with, and what was in it."""

    def __init__(self, start: int) -> None:
        self.label: str | None = None
        self.start = start
        self.words: list[str] = []
        self.n_nodes = 0
        self.traces = 0


class _Reader:
    """Reads one tree, piece by piece."""

    def __init__(self, source: str) -> None:
        self.source, self.line = source, 0
        self.stack: list[_Node] = []
        self.tokens: list[Token] = []
        self.nodes: list[tuple[int, int, str]] = []  # inner ones first
        self.fresh = False  # whether the last piece opened a bracket: a label may follow

    def read(self, piece: str, line: int) -> bool:
        """Take the next piece. RETURNS (bool): Whether it ended the tree."""
        if not self.stack and piece != "(":
            _fail(self.source, line, f"'{piece}' stands outside all brackets")
        if piece == "(":
            self.line = self.line or line
            if self.stack:
                self._flush(self.stack[-1])
                self.stack[-1].n_nodes += 1
            self.stack.append(_Node(len(self.tokens)))
        elif piece == ")":
            self._close(line)
        elif self.fresh:
            self.stack[-1].label = piece
        else:
            self.stack[-1].words.append(piece)
        self.fresh = piece == "("
        return not self.stack

    def _flush(self, node: _Node) -> None:
        """Words without a tag are tokens as well."""
        self.tokens += (Token(_unescape(word)) for word in node.words)
        node.n_nodes += len(node.words)
        node.words = []

    def _close(self, line: int) -> None:
        node = self.stack.pop()
        if len(node.words) == 1 and not node.n_nodes and node.label == TRACE:
            self._drop_trace()
            return
        if len(node.words) == 1 and not node.n_nodes and node.label is not None:
            self.tokens.append(Token(_unescape(node.words[0]), pos=_unescape(node.label)))
            return
        self._flush(node)
        if not self.stack and node.label in (None, TOP_LABEL):
            return
        if node.label is None or len(self.tokens) == node.start:
            if node.label is not None and node.traces and not node.words:
                self._drop_trace()
                return
            what = "has no label" if node.label is None else f"'{node.label}' has no words"
            _fail(self.source, line, f"a node {what}")
        self.nodes.append((node.start, len(self.tokens), node.label))

    def _drop_trace(self) -> None:
        """Leave out a trace, and nodes of traces alone: they are no words of the sentence."""
        if self.stack:
            self.stack[-1].traces += 1

    def tree(self) -> ConstituencyTree:
        chains: dict[tuple[int, int], str] = {}
        for start, end, label in self.nodes:
            below = chains.get((start, end))
            chains[start, end] = label if below is None else f"{label}{CHAIN}{below}"
        spans = tuple(LabeledSpan(*span, label) for span, label in chains.items())
        tree = ConstituencyTree(tuple(self.tokens), spans)
        punct = [token.pos == PUNCT_TAG for token in tree.tokens]
        for i, parent in enumerate(tree.token_parents):
            punct[i] |= parent != TOP and tree.nodes[parent].label.name == PUNCTUATION
        return ConstituencyTree(tree.tokens, spans, tuple(punct))


def _fail(source: str, line: int, reason: str) -> NoReturn:
    raise FormatError(Errors.UC805.format(where=f"{source}, line {line}", reason=reason))


def _tag(token: Token, punct: bool) -> str:
    own = [tag for tag in (token.pos, token.tag) if tag not in (EMPTY, TRACE)]
    tags = [tag for tag in own if (tag == PUNCT_TAG) == punct]
    return tags[0] if tags else PUNCT_TAG if punct else EMPTY


def _escape(text: str) -> str:
    return _ESCAPE.sub(_escape_one, text) or "\\e"


def _escape_one(match: re.Match[str]) -> str:
    piece = match[0]
    if piece in "()":
        return "-LRB-" if piece == "(" else "-RRB-"
    return f"\\u{ord(piece):04x}" if piece.isspace() else f"\\{piece}"


def _unescape(text: str) -> str:
    return _ESCAPED.sub(_unescape_one, text)


def _unescape_one(match: re.Match[str]) -> str:
    code, letter, side = match.groups()
    if code:
        return chr(int(code, 16))
    if side:
        return "(" if side == "L" else ")"
    return "" if letter == "e" else letter
