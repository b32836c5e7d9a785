"""Helpers for formats of one token per row: blocks of lines, rows of columns, and bilexical graphs in them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NoReturn

from ..conversion.bilexical import CycleError, from_bilexical, to_bilexical
from ..conversion.graph import EMPTY, BilexicalGraph, Token
from ..errors import Errors, FormatError, GraphError
from ..graph import EdgeTuple, Graph
from ..graph.categories import SEPARATOR, TERMINAL, split_label
from ..text.spacing import find_words, without_spaces
from .text import BLANKS, check_labels, is_blank, one_line

# What the `ucca` package calls the two kinds of tokens
WORD = "Word"
PUNCTUATION_MARK = "Punctuation"
FRAMEWORK = "ucca"
STAR = "*"
# Divides the categories of one edge: tools read what follows as the subtype of a relation
SUBTYPE = ":"
TEXT_LINE = re.compile(r"# text = (.*)$")
NUMBER = re.compile(r"[0-9]{1,9}")

Row = tuple[int, list[str]]


def iter_blocks(
    lines: Iterable[str], source: str, first_line: int = 1
) -> Iterator[list[tuple[int, str]]]:
    """Divide lines at blank ones, without reading ahead.

    lines (Iterable[str]): The lines, such as those of an open file.
    source (str): What to call them in messages.
    first_line (int): The number of the first line, for messages.
    YIELDS (List[Tuple[int, str]]): The lines of a block, each with its number, from 1.
    RAISES (FormatError): If there are none.
    """
    block: list[tuple[int, str]] = []
    empty = True
    for number, line in enumerate(lines, start=first_line):
        line = line.rstrip("\r\n")
        if number == 1:
            line = line.removeprefix("\ufeff")
        if not is_blank(line):
            block.append((number, line))
        elif block:
            yield block
            block, empty = [], False
    if block:
        yield block
    elif empty:
        raise FormatError(Errors.UC115.format(where=source))


def fail(source: str, line: int, reason: str) -> NoReturn:
    """RAISES (FormatError): That a line cannot be read."""
    raise FormatError(Errors.UC733.format(where=f"{source}, line {line}", reason=reason))


def read_number(text: str, source: str, line: int, what: str) -> int:
    """RETURNS (int): A whole number from a column.
    RAISES (FormatError): If it is none."""
    if not NUMBER.fullmatch(text):
        fail(source, line, f"{what} is '{text}', not a whole number")
    return int(text)


def clean(text: str, *, spaces: bool = False) -> str:
    """What a column can hold of a text: tabs and ends of lines are written as spaces, nothing as "_".

    text (str): The text.
    spaces (bool): Whether the format divides columns at spaces too: all of them are written as "_".
    RETURNS (str): The column.
    """
    text = re.sub(f"[{BLANKS}]" if spaces else r"[\t\n\r]", EMPTY if spaces else " ", text)
    return text.replace(" ", EMPTY) or EMPTY if is_blank(text) else text


def label_column(label: str, remote: bool) -> str:
    """RETURNS (str): A label as columns have it: "S:A*" is a remote arc with the label "S|A".
    RAISES (FormatError): If a column cannot hold it."""
    column = label.replace(SEPARATOR, SUBTYPE)
    if clean(column) != column or column.endswith(STAR) or column == EMPTY:
        raise FormatError(Errors.UC171.format(category=repr(label), title="rows"))
    return column + STAR * remote


def read_label(text: str) -> tuple[str, bool]:
    """RETURNS (Tuple[str, bool]): The label, and whether a star says that the arc is remote."""
    return text.rstrip(STAR).replace(SUBTYPE, SEPARATOR), text.endswith(STAR)


def text_line(bilexical: BilexicalGraph) -> list[str]:
    """RETURNS (List[str]): The comment with the text of the words, in one line; none, if it is not known."""
    known = bilexical.text and find_words(bilexical.words, bilexical.text) is not None
    return [f"# text = {one_line(bilexical.text)}"] if known else []


def with_spaces(words: Sequence[str], text: str | None) -> list[str]:
    """RETURNS (List[str]): Words of a format that writes their white space as "_", as they stand in the text, if it is known."""
    spans = find_words(words, text) if text and any(EMPTY in word for word in words) else None
    if text is None or spans is None:
        return list(words)
    there = [text[start:end] for start, end in spans]
    return [t if clean(t, spaces=True) == word else word for word, t in zip(words, there)]


def is_punct(*tags: str) -> bool:
    """RETURNS (bool): Whether one of a token's tags says that it is punctuation."""
    return PUNCTUATION_MARK in tags or "PUNCT" in tags


def graph_tokens(graph: Graph) -> list[Token]:
    """RETURNS (List[Token]): The tokens of a graph, with what a file of standard XML said of them."""
    entries = graph.details.get("xml", {}).get("tokens", {})
    tokens = []
    for i, word in enumerate(graph.words):
        extra = entries.get(str(i), {}).get("extra", {})
        tokens.append(Token(word, *(extra.get(n) or EMPTY for n in ("lemma", "pos", "tag"))))
    return tokens


def tag_columns(token: Token, punct: bool) -> tuple[str, str]:
    """RETURNS (Tuple[str, str]): The coarse and fine tag of a token: if it has none, "Word" or
    "Punctuation", as the `semstr` package writes. Punctuation is always marked by one of them."""
    kind = PUNCTUATION_MARK if punct else WORD
    tag = kind if token.tag == EMPTY else clean(token.tag)
    pos = clean(token.pos) if token.pos != EMPTY else tag
    if is_punct(pos, tag) != punct:
        pos = kind
        tag = kind if is_punct(tag) != punct else tag
    return pos, tag


def convert(graph: Graph, *, tree: bool = False) -> BilexicalGraph:
    """RETURNS (BilexicalGraph): The bilexical graph of a UCCA graph, with lemmas and tags, without white space.
    RAISES (FormatError): If rows of tokens cannot hold a category."""
    graph = without_spaces(graph)
    check_labels(graph, "rows of tokens", _comes_back)
    return to_bilexical(graph, tree=tree, tokens=graph_tokens(graph))


def _comes_back(edge: EdgeTuple) -> bool:
    if edge.child < 0 and edge.categories == (TERMINAL,):
        return True
    column = SEPARATOR.join(edge.categories).replace(SEPARATOR, SUBTYPE)
    held = clean(column) == column and column != EMPTY and not column.endswith(STAR)
    return held and split_label(read_label(column)[0]) == edge.categories


def convert_all(found: Iterable[tuple[list[int], BilexicalGraph]], source: str) -> list[Graph]:
    """RETURNS (List[Graph]): The UCCA graphs of bilexical ones, each after the lines of its tokens: see `convert_back`."""
    return [convert_back(bilexical, source, lines) for lines, bilexical in found]


def convert_back(bilexical: BilexicalGraph, source: str, lines: Sequence[int]) -> Graph:
    """Convert a bilexical graph that was read.

    bilexical (BilexicalGraph): The graph.
    source (str): The name of the file, for messages.
    lines (Sequence[int]): The line of each token.
    RETURNS (Graph): The UCCA graph of a bilexical one.
    RAISES (FormatError): If there is none; the message names the row.
    """
    try:
        return from_bilexical(bilexical)
    except CycleError as err:
        fail(source, lines[err.token], str(err))
    except GraphError as err:
        fail(source, lines[0], str(err))
