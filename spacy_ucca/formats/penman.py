"""PENMAN, the notation of AMR: units as variables, tokens as alignments.

    # ::id 504
    # ::tok John left to work .
    (v0 / FN
        :H (v1 / FN
            :A (v2 / FN~e.0)
            :P (v3 / FN~e.1))
        :H (v4 / FN
            :A-remote v2
            :P (v5 / FN~e.2,3))
        :U (v6 / PNCT~e.4))

The concept of a unit is its kind (FN, PNCT, IMPLICIT or LKG), as UCCA has no concepts; the tokens directly under it
are its alignment. A remote edge is a role that ends in `-remote`, to a variable; several categories of an edge are
joined by hyphens (`:S-A`). A linkage unit stands as `:LR-of (v7 / LKG :LA v1 :LA v4)` under the first unit it links.
Readers of AMR take all this as ordinary roles.

Keeps: words, their text (`# ::snt`), units, edges, categories, remote edges, implicit units, linkage, the id, and which tokens are
punctuation (`# ::punct`, where units do not say it). Loses: paragraphs, scores, details, the order of edges, the
categories of edges to tokens (all are Terminal), and several roots, which become one, as in XML; hyphens in
categories; whitespace in words, which is written as `_`, as is an empty word; tokens of white space that hang on nothing.

AMR of other sources can be read: its concepts are lost, constants are implicit units, variables that are used
again remote edges.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import GraphError
from ..graph import FOUNDATIONAL, IMPLICIT, KINDS, LINKAGE, PUNCT, Graph, GraphBuilder
from ..graph.categories import CATEGORY_NAMES
from ..graph.details import GUIDELINES, with_guidelines, with_text
from ..text.spacing import find_words, original_text, without_spaces
from ..text.split import merge_roots
from .rows import clean, fail, iter_blocks, one_line

__all__ = ["iter_penman", "read_penman", "write_penman"]

REMOTE = "remote"
INVERSE = "-of"
INDENT = "    "
_META = re.compile(r"#\s*::(\S+)\s?(.*)$")
_NEXT_META = re.compile(r"\s+::(\S+)\s")
_PIECE = re.compile(
    r'\s+|(?P<open>\()|(?P<close>\))|(?P<slash>/)|(?P<align>~[A-Za-z]*\.?[0-9,]+)|(?P<text>"(?:\\.|[^"\\])*")'
    r"|(?P<role>:[^\s()~/:]+)|(?P<symbol>[^\s()/~\":][^\s()~\"]*|[:~\"])"
)
_WELL_KNOWN = frozenset(CATEGORY_NAMES)


def read_penman(text: str, *, source: str = "text") -> list[Graph]:
    """Read graphs in PENMAN notation.

    text (str): Graphs divided by blank lines, each after its `# ::id` and `# ::tok`.
    source (str): What to call the text in messages, such as the name of its file.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If the notation or a graph is broken, or there is none. The message names the line.
    """
    return list(iter_penman(text.split("\n"), source=source))


def iter_penman(lines: Iterable[str], *, source: str = "text") -> Iterator[Graph]:
    """Read graphs one at a time.

    lines (Iterable[str]): The lines, such as those of an open file.
    source (str): What to call them in messages.
    YIELDS (Graph): The graphs.
    RAISES (FormatError): If the notation or a graph is broken, or there is none.
    """
    for block in iter_blocks(lines, source):
        if any(not line.lstrip().startswith("#") for _, line in block):
            yield _Reader(source, block[0][0]).read(block)


def write_penman(graph: Graph) -> str:
    """Write a graph in PENMAN notation.

    graph (Graph): The graph. Several roots become one.
    RETURNS (str): The lines of metadata and the graph.
    """
    graph = merge_roots(without_spaces(graph))
    lines = [f"# ::tok {' '.join(clean(word, spaces=True) for word in graph.words)}"]
    if "id" in graph.details:
        lines.insert(0, f"# ::id {clean(str(graph.details['id']), spaces=True)}")
    if found := original_text(graph):
        lines.append(f"# ::snt {one_line(found[0])}")
    if graph.guidelines:
        lines.append(f"# ::guidelines {clean(graph.guidelines, spaces=True)}")
    under = {i for i in range(len(graph.words)) if _is_punct_unit(graph, i)}
    if under != (flagged := {i for i, punct in enumerate(graph.punct) if punct}):
        lines.append(f"# ::punct {' '.join(map(str, sorted(flagged)))}".rstrip())
    return "\n".join([*lines, *_Writer(graph).write()]) + "\n"


def _is_punct_unit(graph: Graph, token: int) -> bool:
    unit = graph.unit_of(token)
    return unit is not None and unit.kind == PUNCT


class _Writer:
    """Writes units from the root down, without recursion: sentences may be deep."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.name = {unit.index: f"v{i}" for i, unit in enumerate(graph.units)}
        # Linkage units by the unit they stand under, which is the first they lead to
        self.placed = {
            u.index: graph.edge_tuples[u.edges[0].index] for u in graph.linkages if u.edges
        }
        self.linkage: dict[int, list[int]] = {}
        for link, edge in self.placed.items():
            self.linkage.setdefault(edge.child, []).append(link)

    def write(self) -> list[str]:
        root = self.graph.roots[0].index if self.graph.roots else None
        if root is None:
            return ["(v0 / FN)"]
        lines = [f"({self._head(root)}"]
        stack = [iter(self._roles(root))]
        while stack:
            for role, unit, whole in stack[-1]:
                start = INDENT * len(stack) + role
                if whole:
                    lines.append(f"{start} ({self._head(unit)}")
                    stack.append(iter(self._roles(unit)))
                    break
                lines.append(f"{start} {self.name[unit]}")
            else:
                stack.pop()
                lines[-1] += ")"
        return lines

    def _head(self, unit: int) -> str:
        tokens = ",".join(map(str, self.graph[unit].terminals))
        return f"{self.name[unit]} / {self.graph.kinds[unit]}" + (f"~e.{tokens}" if tokens else "")

    def _roles(self, unit: int) -> Iterator[tuple[str, int, bool]]:
        """YIELDS (Tuple[str, int, bool]): Role, unit, and whether the unit is to be written there."""
        linkage = self.graph.kinds[unit] == LINKAGE
        for edge in self.graph[unit].edges:
            edge_tuple = self.graph.edge_tuples[edge.index]
            if edge_tuple is not self.placed.get(unit):
                role = f":{'-'.join(edge_tuple.categories)}" + f"-{REMOTE}" * edge_tuple.remote
                yield role, edge_tuple.child, not edge_tuple.remote and not linkage
        for link in self.linkage.get(unit, ()):
            yield f":{'-'.join(self.placed[link].categories)}{INVERSE}", link, True


class _Edge(NamedTuple):
    """A role between a unit and another one or a constant; `child` is its index, or what is written."""

    parent: int
    role: str
    child: int | str
    line: int


class _Reader:
    """Reads one block."""

    def __init__(self, source: str, start: int) -> None:
        self.source, self.start = source, start
        self.builder = GraphBuilder([])
        self.concepts: list[str] = []
        self.units: dict[str, int] = {}
        self.tokens: dict[int, tuple[int, int]] = {}  # token to unit and line
        self.edges: list[_Edge] = []

    def read(self, block: list[tuple[int, str]]) -> Graph:
        meta: dict[str, str] = {}
        pieces: list[tuple[int, re.Match[str]]] = []
        for line, text in block:
            if text.lstrip().startswith("#"):
                if found := _META.match(text.strip()):
                    meta[found[1]] = found[2]
            else:
                pieces += ((line, p) for p in _PIECE.finditer(text) if not p[0].isspace())
        if "tok" not in meta and "snt" not in meta:
            fail(self.source, self.start, "there are no words: no line '# ::tok ...'")
        words = meta.get("tok", meta.get("snt", "")).split()
        self._parse(pieces)
        self._connect()
        for token, (unit, line) in self.tokens.items():
            if token >= len(words):
                fail(self.source, line, f"an alignment to token {token}, of {len(words)} from 0")
            self.builder.add_terminal(unit, token)
        self.builder.words = words
        if "punct" in meta:
            flagged = {int(i) for i in meta["punct"].split() if i.isdecimal()}
            self.builder.punct = [i in flagged for i in range(len(words))]
        name = _NEXT_META.split(meta.get("id", ""))[0].strip()  # often with more on its line
        guidelines = meta.get(GUIDELINES, "").strip()
        details = with_guidelines({"id": name} if name else {}, guidelines)
        sentence = meta.get("snt")
        known = sentence is not None and find_words(words, sentence) is not None
        self.builder.details = with_text(details, sentence if known else None)
        try:
            return self.builder.build()
        except GraphError as err:
            fail(self.source, self.start, str(err))

    def _parse(self, pieces: list[tuple[int, re.Match[str]]]) -> None:
        stack: list[int] = []
        role = ""
        i, line = 0, self.start
        while i < len(pieces):
            line, piece = pieces[i]
            kind, text = piece.lastgroup, piece[0]
            i += 1
            if kind == "open":
                if bool(stack) != bool(role) or (not stack and self.concepts):
                    fail(self.source, line, "a bracket that no role leads to")
                unit = self._node(pieces[i : i + 3], line)
                i = self._align(pieces, i + 3, unit)
                if stack:
                    self.edges.append(_Edge(stack[-1], role, unit, line))
                stack.append(unit)
                role = ""
            elif kind == "role" and stack and not role:
                role = text
                i = self._align(pieces, i, None)
            elif kind == "close" and stack and not role:
                stack.pop()
            elif kind in ("symbol", "text") and role:
                self.edges.append(_Edge(stack[-1], role, text, line))
                i = self._align(pieces, i, None)
                role = ""
            else:
                fail(self.source, line, f"'{text}' cannot stand here")
        if stack or not self.concepts:
            fail(self.source, line, f"{len(stack)} brackets are not closed")

    def _node(self, pieces: list[tuple[int, re.Match[str]]], line: int) -> int:
        kinds = [piece.lastgroup for _, piece in pieces]
        if kinds[:2] != ["symbol", "slash"] or kinds[2:] not in (["symbol"], ["text"]):
            fail(self.source, line, "a bracket does not start with a variable, / and a concept")
        variable, concept = pieces[0][1][0], pieces[2][1][0]
        if variable in self.units:
            fail(self.source, line, f"the variable {variable} stands for two units")
        self.concepts.append(concept)
        self.units[variable] = self.builder.add_unit(concept if concept in KINDS else FOUNDATIONAL)
        return self.units[variable]

    def _align(self, pieces: list[tuple[int, re.Match[str]]], i: int, unit: int | None) -> int:
        """Take an alignment, if one follows. RETURNS (int): The next piece."""
        if i >= len(pieces) or pieces[i][1].lastgroup != "align":
            return i
        line, piece = pieces[i]
        for token in re.findall(r"\d{1,9}", piece[0]):
            if unit is not None:
                self.tokens.setdefault(int(token), (unit, line))
        return i + 1

    def _connect(self) -> None:
        """Add the edges. Without a suffix, an edge is primary unless its child has a primary parent:
        brackets come first."""
        builder = self.builder
        kinds, owned = builder.kinds, {0}
        for edge in sorted(self.edges, key=lambda edge: isinstance(edge.child, str)):
            if isinstance(edge.child, int):
                child = edge.child
            elif edge.child in self.units:
                child = self.units[edge.child]
            else:
                self.concepts.append(IMPLICIT)
                child = builder.add_unit(IMPLICIT)
            role, parent = edge.role[1:], edge.parent
            if kinds[child] == LINKAGE and role.endswith(INVERSE):
                role, parent, child = role.removesuffix(INVERSE), child, parent
            remote = role.endswith(f"-{REMOTE}")
            role = role.removesuffix(f"-{REMOTE}")
            if kinds[parent] != LINKAGE:
                remote = remote or child in owned
                if not remote:
                    owned.add(child)
            parts = tuple(role.split("-"))
            builder.add_edge(
                parent, child, *(parts if _WELL_KNOWN.issuperset(parts) else (role,)), remote=remote
            )
        above = {edge.parent for edge in builder.edges} | {u for u, _ in self.tokens.values()}
        for unit, concept in enumerate(self.concepts):
            if concept not in KINDS and unit not in above and unit:
                kinds[unit] = IMPLICIT
