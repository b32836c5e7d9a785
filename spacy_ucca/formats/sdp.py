"""SDP, the format of semantic dependencies (SemEval 2014 Task 8 and 2015 Task 18): a row for each token.

    #504
    # format = ucca
    # text = After graduation, John moved
    1  After       _  Word  -  -  _  L  _
    2  graduation  _  Word  +  +  _  _  _
    3  John        _  Word  -  -  _  A* A
    4  moved       _  Word  -  +  _  H  _

Columns, divided by tabs: number, form, lemma, tag, whether it is a top, whether it has dependents,
frame (`_`), and for each token that has dependents the label of the arc from it, or `_`. A star marks remote
arcs; a colon divides several categories (`A:S`). The rows and stars are those of the `semstr` package;
that marks no tops, and writes the first category only. An empty line ends a sentence. This is SDP 2015; SDP 2014 has no column
for frames, and is read and written too: a sentence is of 2014 if all its rows have one column less than 2015 asks for.

Keeps: the words, in SDP 2015 their text in one line, which of them are punctuation, the id, and of the rest what a bilexical graph keeps. Loses what a bilexical
graph has no place for: units as such, so that there are added units on reading, in other places than the lost ones, with
guessed categories and other attachments; punctuation units; implicit units and what is under them; linkage; several
roots; remote edges between units with the same head word; paragraphs; scores; details; tokens of white space that hang on
nothing. SDP also loses the category of a top, which is read back as a Parallel Scene, and, where two arcs lead from one
token to another, all but the first primary one. Tabs and ends of lines in a word are written as spaces, an empty word as
`_`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..conversion.graph import EMPTY, ROOT, TOP, Arc, BilexicalGraph, Token
from ..graph import Graph
from . import rows as table
from .mend import known_text
from .rows import Row

_ID = re.compile(r"#\s*(?:(?:sent_)?id\s*=\s*)?(\S+)\s*$", re.ASCII)
_HEADER = re.compile(r"#\s*SDP\s*20\d\d\s*$", re.ASCII)
YES, NO = "+", "-"
FIXED = 7  # columns before those of arcs


def read_sdp(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read UCCA graphs from SDP: bilexical graphs, converted back.

    text (str): The text of a file.
    source (str): What to call it in messages, such as the name of the file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If a row or a graph is broken, or there is none. The message names the line.
    """
    return table.convert_all(_iter(text.split("\n"), source, first_line), source)


def write_sdp(graph: Graph) -> str:
    """RETURNS (str): A UCCA graph as SDP: one block of rows."""
    return format_sdp(table.convert(graph))


def iter_sdp(lines: Iterable[str], *, source: str = "text") -> Iterator[BilexicalGraph]:
    """Read bilexical graphs, of UCCA or any other scheme, one at a time.

    lines (Iterable[str]): The lines, such as those of an open file.
    source (str): What to call them in messages.
    YIELDS (BilexicalGraph): The graphs.
    RAISES (FormatError): If a row is broken, or there is none. The message names the line.
    """
    return (bilexical for _, bilexical in _iter(lines, source))


def format_sdp(
    bilexical: BilexicalGraph, *, year: int = 2015, framework: str = table.FRAMEWORK
) -> str:
    """Write a bilexical graph.

    bilexical (BilexicalGraph): The graph.
    year (int): 2014 or 2015: the older format has no column for frames, and no comment but the id.
    framework (str): What the line after the id says the graphs are.
    RETURNS (str): A block of rows.
    """
    cells: dict[tuple[int, int], str] = {}
    for arcs in bilexical.incoming():
        for arc in arcs:
            if arc.head != ROOT:
                label = table.label_column(arc.label, arc.remote)
                cells.setdefault((arc.head, arc.dependent), label)
    heads = sorted({head for head, _ in cells})
    tops = set(bilexical.tops)
    lines = [f"#{table.clean(bilexical.id, spaces=True)}"] if bilexical.id else []
    frame = [EMPTY]
    if year == 2014:
        frame = []
    else:
        lines += [f"# format = {framework}", *table.text_line(bilexical)]
    for i, token in enumerate(bilexical.tokens):
        tag = table.clean(token.tag if token.tag != EMPTY else token.pos)
        if table.is_punct(tag) != bilexical.punct[i] or tag == EMPTY:
            tag = table.PUNCTUATION_MARK if bilexical.punct[i] else table.WORD
        row = [str(i + 1), table.clean(token.form), table.clean(token.lemma), tag]
        row += [YES if i in tops else NO, YES if i in heads else NO, *frame]
        lines.append("\t".join(row + [cells.get((head, i), EMPTY) for head in heads]))
    return "\n".join(lines) + "\n"


def _iter(
    lines: Iterable[str], source: str, first_line: int = 1
) -> Iterator[tuple[list[int], BilexicalGraph]]:
    """YIELDS (Tuple[List[int], BilexicalGraph]): The line of each token, and the graph."""
    for block in table.iter_blocks(lines, source, first_line):
        name = text = ""
        rows: list[Row] = []
        for number, line in block:
            if rows or not line.startswith("#") or "\t" in line:
                rows.append((number, line.split("\t")))
            elif known := table.TEXT_LINE.match(line):
                text = known[1]
            elif not _HEADER.match(line) and (found := _ID.match(line)):
                name = found[1]
        if rows:
            bilexical = _read_block(rows, name, source)
            text = known_text(bilexical.words, text or None, f"{source}, line {block[0][0]}") or ""
            yield [number for number, _ in rows], replace(bilexical, text=text)


def _read_block(rows: list[Row], name: str, source: str) -> BilexicalGraph:
    tokens, punct, arcs = [], [], []
    heads = [i for i, (_, row) in enumerate(rows) if row[5:6] == [YES]]
    old = all(len(row) == FIXED - 1 + len(heads) for _, row in rows)
    fixed = FIXED - 1 if old else FIXED
    wanted = fixed + len(heads)
    for i, (line, row) in enumerate(rows):
        if len(row) != wanted:
            reason = f"a row of {len(row)} columns, not {wanted}: 7, and 1 for each + in column 6"
            table.fail(source, line, reason)
        if table.read_number(row[0], source, line, "column 1") != i + 1:
            table.fail(source, line, f"column 1 is {row[0]}, not {i + 1}")
        for column in (4, 5):
            if row[column] not in (YES, NO):
                table.fail(source, line, f"column {column + 1} is '{row[column]}', not + or -")
        tokens.append(
            Token(
                row[1],
                row[2],
                tag=EMPTY if row[3] in (table.WORD, table.PUNCTUATION_MARK) else row[3],
            )
        )
        punct.append(table.is_punct(row[3]))
        if row[4] == YES:
            arcs.append(Arc(ROOT, i, TOP))
        for head, cell in zip(heads, row[fixed:], strict=True):
            if cell == EMPTY:
                continue
            label, remote = table.read_label(cell)
            if not label:
                table.fail(source, line, f"the arc from {head + 1} has no label")
            if head == i:
                table.fail(source, line, f"token {i + 1} is its own head")
            arcs.append(Arc(head, i, label, remote))
    # Tools may mark no tops, or not those that are also remote: a token of remote arcs alone hangs on the root
    starred = {arc.dependent for arc in arcs} - {arc.dependent for arc in arcs if not arc.remote}
    if not any(arc.head == ROOT for arc in arcs):
        starred |= set(range(len(rows))) - {arc.dependent for arc in arcs}
    arcs += (Arc(ROOT, i, TOP) for i in sorted(starred))
    return BilexicalGraph(tuple(tokens), tuple(arcs), tuple(punct), name)
