"""CoNLL-X and CoNLL-U with the arcs of UCCA: a row for each token, or for each head of a token.

    # format = ucca                                 # format = ucca
    # sent_id = 504                                 # sent_id = 504
    # text = John left to work                      # text = John left to work
    1  John  _  Word  Word  _  2  A   _  _          1  John  _  Word  Word  _  2  A  2:A|4:A  _
    1  John  _  Word  Word  _  4  A*  _  _
    2  left  _  Word  Word  _  0  H   _  _          2  left  _  Word  Word  _  0  H  0:H      _

Ten columns, divided by tabs. In CoNLL-X (left) a token with several heads has a row for each, the primary one
first, and a star marks remote arcs; with `tree`, there is the primary one only, for dependency parsers. In
CoNLL-U (right) column 9 has all heads, and what is not in columns 7 and 8 is remote. A token's tags are those
of the XML it was read from, or Word and Punctuation; a colon divides several categories (`S:A`), as it does
subtypes of relations. A token attached to nothing has the head `_`. All this is as the `semstr` package
has it, which writes the first category only. An empty line ends a sentence.

Keeps: the words, their text in one line, which of them are punctuation, lemmas, tags, the id, and what a bilexical graph keeps. Loses what
a bilexical graph has no place for: units as such, so that there are added units on reading, in other places than the lost ones, with
guessed categories and other attachments; punctuation units; implicit units and what is under them; linkage; several
roots; remote edges between units with the same head word; paragraphs; scores; other details; tokens of white space that
hang on nothing. Tabs and ends of lines in a word are written as spaces, an empty word as `_`. CoNLL-U also loses, where two
arcs lead from one token to another with one label, the second.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..conversion.graph import EMPTY, Arc, BilexicalGraph, Token
from ..graph import Graph
from ..graph.categories import PUNCTUATION, TERMINAL
from ..text.spacing import find_words, is_inside, spaces_from
from . import rows as table
from .mend import known_text
from .rows import Row
from .text import one_line

COLUMNS = 10
NO_SPACE = "SpaceAfter=No"
_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)\s*$", re.ASCII)
# Tokens of a surface form and empty words (1-2, 8.1): no tokens of the graph
_NO_TOKEN = re.compile(r"\d+-\d+|\d+\.\d+")
_UD = {"punct": PUNCTUATION, "flat": TERMINAL, "fixed": TERMINAL, "goeswith": TERMINAL}


def read_conll(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read UCCA graphs from CoNLL-X: bilexical graphs, converted back.

    text (str): The text of a file.
    source (str): What to call it in messages, such as the name of the file.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If a row or a graph is broken, or there is none. The message names the line.
    """
    return table.convert_all(_iter(text.split("\n"), source, first_line), source)


def read_conllu(text: str, *, source: str = "text", first_line: int = 1) -> list[Graph]:
    """Read UCCA graphs from CoNLL-U: as `read_conll`, and `punct` is the category U, while `flat`, `fixed`
    and `goeswith` join tokens in one unit.

    text (str): The text of a file.
    source (str): What to call it in messages.
    first_line (int): The number of its first line, for messages.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If a row or a graph is broken, or there is none. The message names the line.
    """
    blocks = ((lines, _from_ud(b)) for lines, b in _iter(text.split("\n"), source, first_line))
    return table.convert_all(blocks, source)


def write_conll(graph: Graph, *, tree: bool = False) -> str:
    """Write a UCCA graph as CoNLL-X.

    graph (Graph): The graph.
    tree (bool): Write one head for each token, and so no remote arcs.
    RETURNS (str): A block of rows.
    """
    return format_conll(table.convert(graph, tree=tree))


def write_conllu(graph: Graph) -> str:
    """RETURNS (str): A UCCA graph as CoNLL-U: a block of rows."""
    return format_conllu(table.convert(graph))


def iter_conll(lines: Iterable[str], *, source: str = "text") -> Iterator[BilexicalGraph]:
    """Read bilexical graphs, of UCCA or any other scheme, one at a time.

    lines (Iterable[str]): The lines, such as those of an open file.
    source (str): What to call them in messages.
    YIELDS (BilexicalGraph): The graphs. Heads of column 9 other than those of column 7 are remote.
    RAISES (FormatError): If a row is broken, or there is none. The message names the line.
    """
    return (bilexical for _, bilexical in _iter(lines, source))


iter_conllu = iter_conll


def format_conll(bilexical: BilexicalGraph, *, framework: str = table.FRAMEWORK) -> str:
    """RETURNS (str): A bilexical graph as a block of rows of CoNLL-X; `framework` as in `format_conllu`."""
    lines = [*_header(bilexical, framework), *table.text_line(bilexical)]
    for i, arcs in enumerate(bilexical.incoming()):
        row = _start(bilexical, i)
        places = [[str(arc.head + 1), table.label_column(arc.label, arc.remote)] for arc in arcs]
        for place in places or [[EMPTY, EMPTY]]:
            lines.append("\t".join([*row, *place, EMPTY, EMPTY]))
    return "\n".join(lines) + "\n"


def format_conllu(
    bilexical: BilexicalGraph, *, framework: str = table.FRAMEWORK, misc: Sequence[str] = ()
) -> str:
    """Write a bilexical graph as CoNLL-U.

    bilexical (BilexicalGraph): The graph.
    framework (str): What the first line says.
    misc (Sequence[str]): For each token what column 10 has, such as "Key=value", or "". Nothing, if it is empty.
    RETURNS (str): A block of rows.
    """
    lines = _header(bilexical, framework)
    words, text = bilexical.words, one_line(bilexical.text)
    spaces = spaces_from(words, text or None)
    joined = [not space for space in (spaces or ())[:-1]]  # of each word to the next one
    lines.append(f"# text = {table.clean(' '.join(words)) if spaces is None else text}")
    ranges = {} if spaces is None else _multiword(words, text)
    for i, arcs in enumerate(bilexical.incoming()):
        labels = [(arc.head + 1, table.label_column(arc.label, False)) for arc in arcs]
        head, label = labels[0] if labels else (EMPTY, EMPTY)
        enhanced = "|".join(f"{h}:{rel}" for h, rel in sorted(set(labels))) or EMPTY
        if i in ranges:
            last_word, surface, space = ranges[i]
            joined[i : last_word + 1] = [False] * (last_word + 1 - i)
            row = [f"{i + 1}-{last_word + 1}", surface, *[EMPTY] * 7, EMPTY if space else NO_SPACE]
            lines.append("\t".join(row))
        last = [NO_SPACE] * any(joined[i : i + 1]) + [value for value in misc[i : i + 1] if value]
        row = [*_start(bilexical, i), str(head), label, enhanced, "|".join(last) or EMPTY]
        lines.append("\t".join(row))
    return "\n".join(lines) + "\n"


def _multiword(words: Sequence[str], text: str) -> dict[int, tuple[int, str, bool]]:
    """RETURNS (Dict[int, Tuple[int, str, bool]]): The first word of each multiword token whose words are written otherwise: its last
    word, its form, and whether a space follows."""
    spans = find_words(words, text) or []
    alike = [text[start:end] == word for word, (start, end) in zip(words, spans)]
    ranges: dict[int, tuple[int, str, bool]] = {}
    first = 0
    for i, (_, end) in enumerate(spans, start=1):
        following = spans[i][0] if i < len(spans) else len(text) + 1
        is_whole = not is_inside(text, end) or all(alike[first : i + 1])
        if following < end or text[end:following].strip() or not is_whole:
            continue
        surface = text[spans[first][0] : end]
        if i - first > 1 and surface != "".join(words[first:i]) and surface.split() == [surface]:
            ranges[first] = (i - 1, surface, end < following)
        first = i
    return ranges


def _header(bilexical: BilexicalGraph, framework: str = table.FRAMEWORK) -> list[str]:
    lines = [f"# format = {framework}"]
    if bilexical.id:
        lines.append(f"# sent_id = {table.clean(bilexical.id, spaces=True)}")
    return lines


def _start(bilexical: BilexicalGraph, i: int) -> list[str]:
    """RETURNS (List[str]): The first six columns."""
    token = bilexical.tokens[i]
    pos, tag = table.tag_columns(token, bilexical.punct[i])
    return [
        str(i + 1),
        table.clean(token.form),
        table.clean(token.lemma),
        pos,
        tag,
        table.clean(token.feats),
    ]


def _from_ud(bilexical: BilexicalGraph) -> BilexicalGraph:
    arcs = (
        arc._replace(label=_UD.get(arc.label.partition("|")[0], arc.label))
        for arc in bilexical.arcs
    )
    return replace(bilexical, arcs=tuple(arcs))


def _iter(
    lines: Iterable[str], source: str, first_line: int = 1
) -> Iterator[tuple[list[int], BilexicalGraph]]:
    """YIELDS (Tuple[List[int], BilexicalGraph]): The line of each token, and the graph."""
    for block in table.iter_blocks(lines, source, first_line):
        name = text = ""
        rows: list[Row] = []
        for number, line in block:
            if line.startswith("#") and "\t" not in line:
                if found := _ID.match(line):
                    name = found[1]
                elif found := table.TEXT_LINE.match(line):
                    text = found[1]
            else:
                row = line.split("\t")
                if len(row) != COLUMNS:
                    table.fail(source, number, f"a row of {len(row)} columns, not {COLUMNS}")
                if not _NO_TOKEN.fullmatch(row[0]):
                    rows.append((number, row))
        if rows:
            lines_of = {row[0]: number for number, row in reversed(rows)}
            bilexical = _read_block(rows, name, source)
            text = known_text(bilexical.words, text or None, f"{source}, line {block[0][0]}") or ""
            bilexical = replace(bilexical, text=text)
            yield [*reversed(lines_of.values())], bilexical


def _read_block(rows: list[Row], name: str, source: str) -> BilexicalGraph:
    tokens: list[Token] = []
    punct: list[bool] = []
    arcs: list[tuple[int, Arc]] = []
    for line, row in rows:
        number = table.read_number(row[0], source, line, "column 1")
        if number == len(tokens) + 1:
            pos, tag = (EMPTY if t in (table.WORD, table.PUNCTUATION_MARK) else t for t in row[3:5])
            tokens.append(Token(row[1], row[2], pos, tag, row[5]))
            punct.append(table.is_punct(row[3], row[4]))
        elif number != len(tokens) or not tokens:
            table.fail(source, line, f"token {number} follows token {len(tokens)}")
        elif tokens[-1].form != row[1]:
            table.fail(
                source, line, f"token {number} is '{row[1]}' here, but '{tokens[-1].form}' before"
            )
        row_arcs = []
        if row[6] != EMPTY:
            head = table.read_number(row[6], source, line, "column 7")
            row_arcs.append(Arc(head - 1, number - 1, *table.read_label(row[7])))
        if row[8] != EMPTY:
            row_arcs += _enhanced(row[8], number, row_arcs[:1], source, line)
        arcs += ((line, arc) for arc in row_arcs)
    for line, arc in arcs:
        if arc.head >= len(tokens):
            table.fail(
                source, line, f"the head is {arc.head + 1}, but there are {len(tokens)} tokens"
            )
        if arc.head == arc.dependent:
            table.fail(source, line, f"token {arc.head + 1} is its own head")
        if not arc.label or arc.label == EMPTY:
            table.fail(source, line, f"the arc from {arc.head + 1} has no label")
    return BilexicalGraph(tuple(tokens), tuple(arc for _, arc in arcs), tuple(punct), name)


def _enhanced(column: str, number: int, basic: list[Arc], source: str, line: int) -> Iterator[Arc]:
    """YIELDS (Arc): The arcs of column 9 that are not in columns 7 and 8."""
    for part in column.split("|"):
        head, colon, label = part.partition(":")
        if re.fullmatch(r"\d+\.\d+", head):
            continue  # an empty word is no token
        arc = Arc(
            table.read_number(head, source, line, f"the head in '{part}' of column 9") - 1,
            number - 1,
            table.read_label(label)[0],
            bool(basic),
        )
        if not colon:
            table.fail(source, line, f"'{part}' in column 9 is not a head and a label, such as 2:A")
        if not basic or arc[:3] != basic[0][:3]:
            yield arc
