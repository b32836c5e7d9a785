"""Sentences of CoNLL-U files, and lists of sentence ids: as much as dividing passages needs.

Tags and dependencies are not read: spaCy has `spacy convert` for them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import Errors, FormatError
from ..splitting import document_id

COLUMNS = 10


class UdSentence(NamedTuple):
    """A sentence of a Universal Dependencies treebank.

    sent_id (str): Its id, such as reviews-001961-0003.
    text (str): Its text.
    words (Tuple[str, ...]): Its syntactic words: "do", "n't" of "don't".
    """

    sent_id: str
    text: str
    words: tuple[str, ...]


def read_ud_sentences(path: str | Path) -> list[UdSentence]:
    """Read the sentences of a CoNLL-U file.

    path (Union[str, Path]): The file.
    RETURNS (List[UdSentence]): Its sentences.
    RAISES (FormatError): If it is not CoNLL-U; the message says where.
    """
    return list(_sentences(_lines(path), str(path)))


def by_document(sentences: Iterable[UdSentence]) -> dict[str, list[UdSentence]]:
    """RETURNS (Dict[str, List[UdSentence]]): Sentences by the document's part of their ids."""
    found: dict[str, list[UdSentence]] = {}
    for sentence in sentences:
        found.setdefault(document_id(sentence.sent_id), []).append(sentence)
    return found


def read_sentence_ids(path: str | Path) -> list[str]:
    """Read a list of sentence or passage ids, one in each line.

    path (Union[str, Path]): The file.
    RETURNS (List[str]): The ids.
    """
    return [line.strip() for line in _lines(path) if line.strip()]


def _lines(path: str | Path) -> list[str]:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as err:
        raise FormatError(Errors.UC117.format(where=path, reason=err.strerror or err)) from None
    except UnicodeDecodeError as err:
        raise FormatError(Errors.UC117.format(where=path, reason=f"not UTF-8: {err}")) from None
    return text.split("\n")


def _sentences(lines: Iterable[str], name: str) -> Iterator[UdSentence]:
    comments: dict[str, str] = {}
    words: list[str] = []
    surface: list[str] = []
    inside = 0  # the last word of the multiword token that is being read
    for number, line in enumerate((*lines, ""), start=1):
        line = line.rstrip("\r")
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments[key.strip()] = value.strip()
        elif line.strip():
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                reason = f"a row of {len(columns)} columns"
                raise FormatError(
                    Errors.UC121.format(where=f"{name}, line {number}", reason=reason)
                )
            index, form = columns[:2]
            first, dash, last = index.partition("-")
            if not (first.replace(".", "", 1) + last).isdecimal():
                reason = f"'{index}' is no number of a word"
                raise FormatError(
                    Errors.UC121.format(where=f"{name}, line {number}", reason=reason)
                )
            if dash:
                surface.append(form)
                inside = int(last)
            elif "." not in index:  # words such as 8.1 are not in the text
                words.append(form)
                if int(index) > inside:
                    surface.append(form)
        elif words:
            text = comments.get("text") or " ".join(surface)
            yield UdSentence(comments.get("sent_id", ""), text, tuple(words))
            comments, words, surface, inside = {}, [], [], 0
