"""Sentences of CoNLL-U files, and lists of sentence ids: as much as dividing passages needs.

Tags and dependencies are not read: spaCy has `spacy convert` for them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import Errors, FormatError
from ..text.split import document_id
from .mend import known_text
from .text import BLANKS, is_blank, open_lines

COLUMNS = 10
PARAGRAPH_MARKS = {"newdoc", "newpar"}  # "# newpar", or "# newpar id = ..."


class UdSentence(NamedTuple):
    """A sentence of a Universal Dependencies treebank.

    sent_id (str): Its id, such as reviews-001961-0003.
    text (str): Its text, or, if the file has none or that of other words, the one that its tokens make.
    words (Tuple[str, ...]): Its syntactic words: "do", "n't" of "don't".
    spaces (Tuple[bool, ...]): Whether a space follows each of them.
    starts_paragraph (bool): Whether a paragraph or document begins with it.
    """

    sent_id: str
    text: str
    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    starts_paragraph: bool = False


def read_ud_sentences(path: str | Path) -> list[UdSentence]:
    """Read the sentences of a CoNLL-U file.

    path (Union[str, Path]): The file.
    RETURNS (List[UdSentence]): Its sentences.
    RAISES (FormatError): If it is not CoNLL-U; the message says where.
    """
    return list(iter_ud_sentences(_lines(path), str(path)))


def by_document(sentences: Iterable[UdSentence]) -> dict[str, list[UdSentence]]:
    """RETURNS (Dict[str, List[UdSentence]]): Sentences by the document's part of their ids."""
    documents: dict[str, list[UdSentence]] = {}
    for sentence in sentences:
        documents.setdefault(document_id(sentence.sent_id), []).append(sentence)
    return documents


def read_sentence_ids(path: str | Path) -> list[str]:
    """Read a list of sentence or passage ids, one in each line.

    path (Union[str, Path]): The file.
    RETURNS (List[str]): The ids.
    """
    return [line.strip() for line in _lines(path) if line.strip()]


def _lines(path: str | Path) -> list[str]:
    with open_lines(path) as lines:
        return lines.read().split("\n")


def iter_ud_sentences(lines: Iterable[str], name: str, first_line: int = 1) -> Iterator[UdSentence]:
    """Read the sentences of CoNLL-U.

    lines (Iterable[str]): The lines.
    name (str): What messages call them.
    first_line (int): The number of the first line, for messages.
    YIELDS (UdSentence): The sentences.
    RAISES (FormatError): If they are not CoNLL-U; the message says where.
    """
    comments: dict[str, str] = {}
    words: list[str] = []
    spaces: list[bool] = []
    surface: list[str] = []  # what the text is made of: multiword tokens in place of their words
    last_inside, space_after = 0, True  # of the multiword token that is being read
    for number, line in enumerate((*lines, ""), start=first_line):
        line = line.rstrip("\r")
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip(BLANKS)
        elif not is_blank(line):
            columns = line.split("\t")
            first, dash, last = columns[0].partition("-")
            reason = ""
            if len(columns) != COLUMNS:
                reason = f"a row of {len(columns)} columns"
            elif not (first.replace(".", "", 1) + last).isdecimal():
                reason = f"'{columns[0]}' is no number of a word"
            if reason:
                where = f"{name}, line {number}"
                raise FormatError(Errors.UC121.format(where=where, reason=reason))
            space = "SpaceAfter=No" not in columns[9].split("|")
            if dash:
                surface.append(columns[1] + " " * space)
                last_inside, space_after = int(last), space
            elif "." not in first:  # words such as 8.1 are not in the text
                words.append(columns[1])
                spaces.append(space_after and int(first) == last_inside)
                if int(first) > last_inside:
                    surface.append(columns[1] + " " * space)
                    spaces[-1] = space
        elif words:
            text = known_text(words, comments.get("text") or None, f"{name}, line {number}")
            text = text or "".join(surface).strip(BLANKS)
            starts = not PARAGRAPH_MARKS.isdisjoint(key.split(" ")[0] for key in comments)
            yield UdSentence(comments.get("sent_id", ""), text, tuple(words), tuple(spaces), starts)
            comments, words, spaces, surface, last_inside = {}, [], [], [], 0
