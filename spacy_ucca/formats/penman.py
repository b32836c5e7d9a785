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
Readers of AMR take all this as ordinary roles. `amr.py` writes words as concepts.

Keeps: words, their text (`# ::snt`), units, edges, categories, remote edges, implicit units, linkage, the id, and which tokens are
punctuation (`# ::punct`, where units do not say it). Loses: paragraphs, scores, details, the order of edges, the
categories of edges to tokens (all are Terminal), and several roots, which become one, as in XML; hyphens in
categories; whitespace in words, which is written as `_`, as is an empty word; tokens of white space that hang on nothing.

AMR of other sources can be read: its concepts are lost, constants are implicit units, variables that are used
again remote edges.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, NoReturn

from ..errors import GraphError
from ..graph import FOUNDATIONAL, IMPLICIT, KINDS, LINKAGE, EdgeTuple, Graph, GraphBuilder
from ..graph.categories import CATEGORY_NAMES, PUNCT
from ..graph.data import GUIDELINES, with_guidelines, with_text
from ..text.spacing import joined_words, original_text, without_spaces
from ..text.split import merge_roots
from .mend import build_graph, known_text
from .rows import NUMBER, clean, fail, iter_blocks, with_spaces
from .text import BLANKS, check_labels, one_line, split_blanks

REMOTE = "remote"
INVERSE = "-of"
INDENT = "    "
WELL_KNOWN = frozenset(CATEGORY_NAMES)
_NOT_IN_ROLES = frozenset(f'{BLANKS}"()/:~')

_META = re.compile(r"#\s*::(\S+)\s?(.*)$", re.ASCII)
_NEXT_META = re.compile(r"\s+::(\S+)\s", re.ASCII)
_TARGET = re.compile(r'("(?:\\.|[^"\\])*"|[^~]*)(?:~(.*))?$')
_PIECE = re.compile(r'"(?:\\.|[^"\\])*"[^\s()]*|[()/]|[^\s()/"]+', re.ASCII)
_TOKEN = re.compile("[0-9]{1,9}")


def read_penman(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read graphs in PENMAN notation.

    text (str): Graphs divided by blank lines, each after its `# ::id` and `# ::tok`.
    source (str): What to call the text in messages, such as the name of its file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If the notation or a graph is broken, or there is none. The message names the line.
    """
    return [
        _Reader(source, block[0][0]).read(block)
        for block in iter_blocks(text.split("\n"), source, first_line)
        if any(not line.lstrip().startswith("#") for _, line in block)
    ]


def _aligned(text: str) -> tuple[str, list[int]]:
    """RETURNS (Tuple[str, List[int]]): A concept or constant, and the tokens that it is aligned to."""
    match = _TARGET.match(text)
    assert match is not None
    return match[1], [int(token) for token in _TOKEN.findall(match[2] or "")]


def read_metadata(lines: Iterable[str]) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The metadata of a graph: the values of lines such as "# ::id 1", by their names."""
    meta: dict[str, str] = {}
    for text in filter(_is_comment, lines):
        if found := _META.match(text.strip(BLANKS)):
            meta[found[1]] = found[2]
    if "id" in meta:  # often with more on its line
        meta["id"] = _NEXT_META.split(meta["id"])[0].strip(BLANKS)
    return meta


def _is_comment(line: str) -> bool:
    return line.lstrip(BLANKS).startswith("#")


class _Edge(NamedTuple):
    """A role between a unit and another one or a constant; `child` is its index, or what is written."""

    parent: int
    role: str
    child: int | str


class _Reader:
    """Reads one block."""

    def __init__(self, source: str, start: int) -> None:
        self.source, self.start = source, start
        self.builder = GraphBuilder([])
        self.concepts: list[str] = []
        self.units: dict[str, int] = {}
        self.tokens: dict[int, tuple[int, int]] = {}  # the unit of each token, and the line
        self.edges: list[_Edge] = []

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        fail(self.source, self.start if line is None else line, reason)

    def read(self, block: list[tuple[int, str]]) -> Graph:
        meta = read_metadata(text for _, text in block)
        rest = [(line, text) for line, text in block if not _is_comment(text)]
        if "tok" not in meta and "snt" not in meta:
            self.fail("there are no words: no line '# ::tok ...'")
        words = split_blanks(meta.get("tok", meta.get("snt", "")))
        self._tree(rest)
        self._connect()
        for token, (unit, line) in sorted(self.tokens.items()):
            if token >= len(words):
                self.fail(f"an alignment to token {token}, of {len(words)} from 0", line)
            self.builder.add_terminal(unit, token)
        where = f"{self.source}, line {self.start}"
        text = known_text(words, meta.get("snt"), where)
        self.builder.words = with_spaces(words, text)
        if "punct" in meta:
            flagged = {int(i) for i in split_blanks(meta["punct"]) if NUMBER.fullmatch(i)}
            self.builder.punct = [i in flagged for i in range(len(words))]
        name = meta.get("id", "")
        guidelines = meta.get(GUIDELINES, "").strip(BLANKS)
        details = with_guidelines({"id": name} if name else {}, guidelines)
        self.builder.details = with_text(details, text)
        try:
            return build_graph(self.builder, where)
        except GraphError as err:
            self.fail(str(err))

    def _tree(self, lines: list[tuple[int, str]]) -> None:
        """Add the units of all brackets, in their order, and collect the edges."""
        pieces = iter([(line, piece) for line, text in lines for piece in _PIECE.findall(text)])
        stack: list[int] = []
        role, line, role_line = "", self.start, self.start
        for line, piece in pieces:
            is_target = piece not in (")", "/") and not piece.startswith(":")
            if role and not is_target:
                self.fail(f"what follows '{role}' cannot stand here", role_line)
            inside = stack and (role or not is_target) and piece not in ("/", ":")
            if not inside and (self.units or piece != "("):
                self.fail(f"'{piece}' cannot stand here", line)
            if piece == "(":
                unit = self._node(line, *(next(pieces, (line, ""))[1] for _ in range(3)))
                if stack:
                    self.edges.append(_Edge(stack[-1], role, unit))
                stack.append(unit)
            elif piece == ")":
                stack.pop()
            elif role:
                self.edges.append(_Edge(stack[-1], role, _aligned(piece)[0]))
            else:
                role, role_line = piece.partition("~")[0], line
                continue
            role = ""
        if stack:
            self.fail("a bracket is not closed", line)

    def _node(self, line: int, variable: str, slash: str, target: str) -> int:
        """RETURNS (int): The unit of a bracket, with its tokens."""
        if slash != "/" or any(piece[:1] in ("", *"()/:") for piece in (variable, target)):
            self.fail("a bracket does not start with a variable, / and a concept", line)
        if variable in self.units:
            self.fail(f"the variable {variable} stands for two units", line)
        concept, tokens = _aligned(target)
        self.concepts.append(concept)
        kind = concept if concept in KINDS else FOUNDATIONAL
        unit = self.units[variable] = self.builder.add_unit(kind)
        for token in tokens:
            self.tokens.setdefault(token, (unit, line))
        return unit

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
            inverse = role.removesuffix(INVERSE)
            is_known = WELL_KNOWN.issuperset(read_role(inverse)[0])
            if inverse != role and (kinds[child] == LINKAGE or is_known):
                role, parent, child = inverse, child, parent
            categories, remote = read_role(role)
            if kinds[parent] != LINKAGE:
                remote = remote or child in owned
                if not remote:
                    owned.add(child)
            builder.add_edge(parent, child, *categories, remote=remote)
        above = {edge.parent for edge in builder.edges} | {unit for unit, _ in self.tokens.values()}
        for unit, concept in enumerate(self.concepts):
            if concept not in KINDS and unit not in above and unit:
                kinds[unit] = IMPLICIT


# Writing


def write_penman(graph: Graph) -> str:
    """Write a graph in PENMAN notation.

    graph (Graph): The graph. Several roots become one.
    RETURNS (str): The lines of metadata and the graph.
    RAISES (FormatError): If a role cannot hold a category.
    """
    graph = prepare(graph)
    return "\n".join([*head_lines(graph), *Writer(graph).write()]) + "\n"


def prepare(graph: Graph) -> Graph:
    """RETURNS (Graph): The graph as it is written: with one root, without white space.
    RAISES (FormatError): If a role cannot hold a category."""
    graph = merge_roots(without_spaces(graph))
    check_labels(graph, "PENMAN", _comes_back)
    return graph


def head_lines(graph: Graph, *, sentence: bool = False) -> list[str]:
    """Write the metadata of a graph.

    graph (Graph): The graph.
    sentence (bool): Whether the sentence is there in any case: the words joined by spaces, if its text is not known.
    RETURNS (List[str]): The lines.
    """
    lines = [f"# ::tok {' '.join(clean(word, spaces=True) for word in graph.words)}"]
    if "id" in graph.details:
        lines.insert(0, f"# ::id {clean(str(graph.details['id']), spaces=True)}")
    found = original_text(graph)
    if found or sentence:
        lines.append(f"# ::snt {one_line(found[0] if found else joined_words(graph.words)[0])}")
    if graph.guidelines:
        lines.append(f"# ::guidelines {clean(graph.guidelines, spaces=True)}")
    under = {i for i in range(len(graph.words)) if _is_punct_unit(graph, i)}
    if under != (flagged := {i for i, punct in enumerate(graph.punct) if punct}):
        lines.append(f"# ::punct {' '.join(map(str, sorted(flagged)))}".rstrip())
    return lines


def _is_punct_unit(graph: Graph, token: int) -> bool:
    unit = graph.unit_of(token)
    return unit is not None and unit.kind == PUNCT


def _role(edge: EdgeTuple) -> str:
    return "-".join(edge.categories) + f"-{REMOTE}" * edge.remote


def read_role(role: str) -> tuple[tuple[str, ...], bool]:
    """RETURNS (Tuple[Tuple[str, ...], bool]): The categories, and whether the edge is remote."""
    name = role.removesuffix(f"-{REMOTE}")
    parts = tuple(name.split("-"))
    return (parts if WELL_KNOWN.issuperset(parts) else (name,)), name != role


def _comes_back(edge: EdgeTuple) -> bool:
    role = _role(edge)
    held = role and not _NOT_IN_ROLES.intersection(role) and not role.endswith(INVERSE)
    return edge.child < 0 or bool(held and read_role(role) == (edge.categories, edge.remote))


class Writer:
    """Writes units from the root down, without recursion: sentences may be deep."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.name = {unit.index: f"v{i}" for i, unit in enumerate(graph.units)}
        # Linkage units by the unit they stand under, which is the first they lead to, or their parent
        self.placed = {
            u.index: graph.edge_tuples[u.edges[0].index]
            for u in graph.linkages
            if u.edges and u.parent is None
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
        return f"{self.name[unit]} / {self.concept(unit)}" + (f"~e.{tokens}" if tokens else "")

    def role(self, edge: EdgeTuple) -> str:
        """RETURNS (str): The role of an edge."""
        return _role(edge)

    def concept(self, unit: int) -> str:
        """RETURNS (str): The concept of a unit."""
        return self.graph.kinds[unit]

    def _roles(self, unit: int) -> Iterator[tuple[str, int, bool]]:
        """YIELDS (Tuple[str, int, bool]): Role, unit, and whether the unit is to be written there."""
        linkage = self.graph.kinds[unit] == LINKAGE
        for edge in self.graph[unit].edges:
            edge_tuple = self.graph.edge_tuples[edge.index]
            if edge_tuple is not self.placed.get(unit):
                whole = not (edge_tuple.remote or linkage)
                yield f":{self.role(edge_tuple)}", edge_tuple.child, whole
        for link in self.linkage.get(unit, ()):
            yield f":{_role(self.placed[link])}{INVERSE}", link, True
