"""Text files, line by line: what every reader of a format of lines opens its files with, what is white space there, which
categories a writer can write, and what a text to parse is.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ..errors import Errors, FormatError
from ..graph import Graph
from ..graph.data import EdgeTuple

# Halves of characters, which JSON can name but no file in UTF-8 can have
SURROGATES = re.compile("[\ud800-\udfff]")
BLANKS = " \t\n\r\v\f"
_BLANK = re.compile(f"[{BLANKS}]+")


@dataclass(frozen=True)
class Source:
    """A text to parse, or the words of one.

    id (str): Its id, or "" if the file gives none.
    where (str): Its place, for messages, such as "x.jsonl, line 3".
    text (Optional[str]): The text, as it stands there; None if it is not known.
    words (Optional[Tuple[str, ...]]): The words, if they are given.
    spaces (Optional[Tuple[bool, ...]]): Whether a space follows each of them; None if that is not known.
    starts (Optional[Tuple[int, ...]]): The first word of each sentence, if sentences are given.
    graph (Optional[Graph]): The graph that the words are from, for their details.
    respelled (Optional[Tuple[str, str]]): The first word that the text spells otherwise, and what stands there.
    """

    id: str
    where: str
    text: str | None = None
    words: tuple[str, ...] | None = None
    spaces: tuple[bool, ...] | None = None
    starts: tuple[int, ...] | None = None
    graph: Graph | None = None
    respelled: tuple[str, str] | None = None

    @property
    def is_whole(self) -> bool:
        """RETURNS (bool): Whether it is a graph that says nothing of sentences."""
        return self.graph is not None and self.starts is None


def cannot_read(path: str | Path, err: OSError) -> FormatError:
    """RETURNS (FormatError): Why a file cannot be read, and what to give where it is a directory."""
    if Path(path).is_dir():
        return FormatError(Errors.UC584.format(path=str(path)))
    return FormatError(Errors.UC117.format(where=path, reason=err.strerror or err))


@contextmanager
def open_lines(path: str | Path) -> Iterator[TextIO]:
    """Open a file of UTF-8, with or without a mark at its beginning.

    path (Union[str, Path]): The file.
    YIELDS (TextIO): Its lines.
    RAISES (FormatError): If it cannot be opened or, while it is read, turns out not to be UTF-8.
    """
    try:
        with open(path, encoding="utf-8-sig") as lines:
            yield lines
    except OSError as err:
        raise cannot_read(path, err) from None
    except UnicodeDecodeError as err:
        raise FormatError(Errors.UC117.format(where=path, reason=f"not UTF-8: {err}")) from None


def is_blank(line: str) -> bool:
    """RETURNS (bool): Whether a line has white space of ASCII only. Other white space, such as a no-break space, may be a
    word."""
    return not line.strip(BLANKS)


def one_line(text: str) -> str:
    """RETURNS (str): A text in one line: each tab and end of a line is a space, so that all else keeps its place."""
    return re.sub(r"[\t\n\r]", " ", text)


def split_blanks(text: str) -> list[str]:
    """RETURNS (List[str]): The parts of a text between white space of ASCII."""
    return [part for part in _BLANK.split(text) if part]


def check_labels(graph: Graph, title: str, comes_back: Callable[[EdgeTuple], bool]) -> None:
    """Refuse a graph with categories that a format cannot hold.

    graph (Graph): The graph.
    title (str): What messages call the format.
    comes_back (Callable[[EdgeTuple], bool]): Whether the categories of an edge are the same when they are read again.
    RAISES (FormatError): If those of an edge are not.
    """
    known: set[tuple] = set()
    for edge in graph.edge_tuples:
        label = (edge.categories, edge.remote, edge.child < 0)
        if label in known:
            continue
        if "" in edge.categories or not comes_back(edge):
            category = " and ".join(map(repr, edge.categories))
            raise FormatError(Errors.UC171.format(category=category, title=title))
        known.add(label)
