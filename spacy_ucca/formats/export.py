"""NeGra export, the format of treebanks with discontinuous units: a row for each token and each unit.

    #BOS 504 %% text = John left.
    John     Word           --  Terminal  500
    left     Word           --  Terminal  501
    .        Punctuation    --  Terminal  502
    #500     FN             --  A         503  A*  504
    #501     FN             --  P         503
    ...
    #505     FN             --  --        0
    #EOS 504

Columns, divided by tabs: the word or number of a unit, the kind of token (Word or Punctuation) or unit (FN, PNCT
or LKG), morphology (`--`), and for each parent the category and the parent's number, the primary one first. A star
marks remote edges, LR and LA the edges of a linkage unit (LKG), a bar divides several categories. Roots,
linkage units and tokens attached to nothing have the parent 0. A unit with nothing under it is implicit. Units are
numbered from the bottom up, from 500; the format's description ends at 999, and some tools refuse longer
sentences. All this is as the `semstr` package has it, which writes the first category only.

Keeps: words, their text in one line, units, edges, their categories, remote edges, implicit units, linkage, several roots, which tokens are
punctuation, and the id. Loses: paragraphs, scores, details and the order of edges; the id's whitespace; that a unit with
nothing under it is not an implicit one, and that an implicit one has edges; whitespace in words, which is written
as `_`, as is an empty word, if the text does not have it; tokens of white space that hang on nothing. Files in version 4 of the format, with lemmas,
are read without these.
"""

import re

from ..errors import GraphError
from ..graph import EdgeTuple, Graph, GraphBuilder
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, split_label
from ..graph.data import with_text
from ..text.spacing import original_text, without_spaces
from .mend import build_graph, known_text
from .rows import PUNCTUATION_MARK, STAR, WORD, Row, clean, fail, read_number, with_spaces
from .text import BLANKS, check_labels, is_blank, one_line, split_blanks

FIRST = 500  # the number of the first unit
NOTHING = "--"
COMMENT = "%%"
ROOT = 0
_UNIT = re.compile(r"#(\d{3,9})")
_BEGIN = re.compile(r"#BOS(?:\s+(\S+)(?:.*?\s%% text = (.*)|.*))?$", re.ASCII)
_END = re.compile(r"#EOS(\s+\S+)?\s*$", re.ASCII)


def read_export(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read graphs from NeGra export.

    text (str): The text of a file.
    source (str): What to call it in messages, such as the name of the file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If a row or a graph is broken, or there is none. The message names the line.
    """
    graphs: list[Graph] = []
    rows: list[Row] | None = None
    name, start, lemmas, number = "", 0, False, 0
    sentence: str | None = None
    for number, line in enumerate(text.split("\n"), start=first_line):
        line = line.rstrip("\r\n")
        begin = _BEGIN.match(line.removeprefix("\ufeff") if number == 1 else line)
        if rows is None:
            if begin:
                rows, name, sentence, start = [], begin[1] or "", begin[2], number
            elif re.match(r"#FORMAT\s+4", line):
                lemmas = True
            elif line.startswith("#EOS"):
                fail(source, number, "#EOS without #BOS before it")
        elif _END.match(line):
            graphs.append(_Reader(rows, source, start).read(name, sentence))
            rows = None
        elif begin and (begin[2] or len(split_blanks(line)) <= 2):
            reason = f"the sentence that begins in line {start} has no #EOS"
            fail(source, number, f"#BOS again: {reason}")
        elif not is_blank(line):
            row = line.split("\t") if "\t" in line else split_blanks(line)
            row = [column.strip(BLANKS) for column in row if column]
            if lemmas:
                del row[1:2]
            if COMMENT in row[5:]:
                row = row[: row.index(COMMENT, 5)]
            rows.append((number, row))
    if rows is not None:
        fail(source, number, f"the sentence that begins in line {start} has no #EOS")
    if not start:
        fail(source, max(number, 1), "there is no #BOS: the file has no sentences")
    return graphs


def write_export(graph: Graph) -> str:
    """Write a graph as NeGra export.

    graph (Graph): The graph. A graph without an id gets the id 1.
    RETURNS (str): A row for each token and unit, between #BOS and #EOS.
    RAISES (FormatError): If a row cannot hold a category.
    """
    graph = without_spaces(graph)
    check_labels(graph, "NeGra export", _comes_back)
    name = clean(str(graph.details.get("id", "1")), spaces=True)
    parents: dict[int, list[EdgeTuple]] = {}
    for edge in graph.edge_tuples:
        parents.setdefault(edge.child, []).append(edge)
    order = _bottom_up(graph)
    number = {unit: FIRST + i for i, unit in enumerate(order)}
    known = original_text(graph)
    comment = "" if known is None else f" {COMMENT} text = {one_line(known[0])}"
    lines = [f"#BOS {name}{comment}"]

    def put(first: str, kind: str, child: int) -> None:
        # Primary edges first, then remote ones, then linkage
        edges = parents.get(child, [])
        edges.sort(key=lambda e: (graph.kinds[e.parent] == LINKAGE, e.remote))
        row = [first, kind, NOTHING]
        if not edges or edges[0].remote or graph.kinds[edges[0].parent] == LINKAGE:
            row += [NOTHING, str(ROOT)]
        for edge in edges:
            row += ["|".join(edge.categories) + STAR * edge.remote, str(number[edge.parent])]
        lines.append("\t".join(row))

    for i, word in enumerate(graph.words):
        put(clean(word, spaces=True), PUNCTUATION_MARK if graph.punct[i] else WORD, ~i)
    for unit in order:
        kind = graph.kinds[unit]
        put(f"#{number[unit]}", FOUNDATIONAL if kind == IMPLICIT else kind, unit)
    return "\n".join([*lines, f"#EOS {name}"]) + "\n"


def _comes_back(edge: EdgeTuple) -> bool:
    column = "|".join(edge.categories)
    held = clean(column, spaces=True) == column and column not in (NOTHING, COMMENT)
    return held and not column.endswith(STAR) and split_label(column) == edge.categories


def _bottom_up(graph: Graph) -> list[int]:
    """RETURNS (List[int]): Units after all that is under them: by height, then in text order."""
    height = [0] * len(graph.kinds)
    for unit in graph.bottom_up():
        below = (graph.edge_tuples[i].child for i in graph.index.out[unit])
        height[unit] = max((height[child] + 1 for child in below if child >= 0), default=0)
    rank = {unit.index: i for i, unit in enumerate(graph.units)}
    return sorted(range(len(height)), key=lambda u: (height[u], graph.index.starts[u], rank[u]))


class _Reader:
    """Reads the rows of one sentence."""

    def __init__(self, rows: list[Row], source: str, start: int) -> None:
        self.rows, self.source, self.start = rows, source, start
        self.builder = GraphBuilder([])
        self.number: dict[int, int] = {}
        self.top = -1  # a root for rows that have a category and the parent 0

    def read(self, name: str, text: str | None) -> Graph:
        words: list[str] = []
        punct: list[bool] = []
        children: list[int] = []
        kinds = self.builder.kinds
        for line, row in self.rows:
            if len(row) < 5 or len(row) % 2 == 0:
                reason = f"a row of {len(row)} columns, not 5 and 2 more for each further parent"
                fail(self.source, line, reason)
            match = _UNIT.fullmatch(row[0])
            if match is None or row[1] in (WORD, PUNCTUATION_MARK):
                if kinds:
                    fail(self.source, line, f"the token '{row[0]}' stands after the units")
                children.append(~len(words))
                words.append(row[0])
                punct.append(row[1] == PUNCTUATION_MARK)
                continue
            if int(match[1]) in self.number:
                fail(self.source, line, f"the unit {row[0]} is there twice")
            self.number[int(match[1])] = len(kinds)
            children.append(len(kinds))
            kinds.append(row[1] if row[1] in (PUNCT, LINKAGE) else FOUNDATIONAL)
        for (line, row), child in zip(self.rows, children, strict=True):
            self._edges(line, row, child)
        self._find_implicit()
        where = f"{self.source}, line {self.start}"
        text = known_text(words, text, where)
        self.builder.words, self.builder.punct = with_spaces(words, text), punct
        self.builder.details = with_text({"id": name} if name else {}, text)
        try:
            return build_graph(self.builder, where)
        except GraphError as err:
            fail(self.source, self.start, str(err))

    def _edges(self, line: int, row: list[str], child: int) -> None:
        tag = row[1]
        for label, column in zip(row[3::2], row[4::2], strict=True):
            parent = read_number(column, self.source, line, "the number of a parent")
            if label == NOTHING and parent != ROOT:
                label = tag.partition("-")[2]  # as UPARSE writes it
            remote = label.endswith(STAR)
            categories = tuple(filter(None, split_label(label.rstrip(STAR))))
            if parent == ROOT:
                if label == NOTHING:
                    continue
                if self.top < 0:
                    self.top = self.builder.add_unit()
                unit = self.top
            elif parent in self.number:
                unit = self.number[parent]
            else:
                fail(self.source, line, f"the parent is {parent}, but there is no row #{parent}")
            if not categories:
                fail(self.source, line, f"the edge from {parent} to '{row[0]}' has no category")
            self.builder.add_edge(unit, child, *categories, remote=remote)

    def _find_implicit(self) -> None:
        kinds, edges = self.builder.kinds, self.builder.edges
        parents = {edge.parent for edge in edges}
        for edge in edges:
            child = edge.child
            if child >= 0 and child not in parents and not edge.remote:
                if kinds[edge.parent] != LINKAGE and kinds[child] == FOUNDATIONAL:
                    kinds[child] = IMPLICIT
