"""Store annotation in `doc.user_data`: records as JSON, with what is needed to find them again after tokens have changed.

An entry has a key as spaCy gives the extension of a token, with the first character of its Doc. So `Doc.from_docs` and
`Span.as_doc(copy_user_data=True)` keep the entry and shift its place, and spaCy does not print it in a warning.
"""

import json
import operator
import zlib
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from spacy.attrs import LENGTH, ORTH, SPACY
from spacy.tokens import Doc

# NumPy's integers are written as numbers.
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=operator.index)

Entries = list[tuple[int, Any]]
Span = tuple[int, int]


def words_of(doc: Doc) -> list[str]:
    """RETURNS (List[str]): The words of a Doc, without a Token for each."""
    strings = doc.vocab.strings
    return [strings[orth] for orth in doc.to_array(ORTH).tolist()]


def checksum(words: Sequence[str]) -> int:
    """RETURNS (int): A number that is another one, very likely, for other words."""
    return zlib.crc32("\0".join(words).encode("utf8", "surrogatepass"))


def record_to_text(record: Any) -> str:
    """RETURNS (str): A record as JSON, without spaces."""
    return _ENCODER.encode(record)


def record_from_text(text: str) -> Any:
    """RETURNS (Any): The record that a text holds.
    RAISES (ValueError): If the text is not JSON."""
    return json.loads(text)


# Entries


def key_of(name: str) -> tuple[str, str, int, None]:
    """RETURNS (Tuple): The key of an entry in the user data of the Doc that it was made for. It is the name of no extension:
    `Doc.to_json` would write the entry as that of a token."""
    return ("._.", f"{name}.stored", 0, None)


def read_entries(doc: Doc, name: str) -> Entries:
    """Find the entries of a Doc. It has several if it was joined of several Docs.

    doc (Doc): The Doc.
    name (str): The name of the extension.
    RETURNS (List[Tuple[int, Any]]): The first character of the Doc that each was made for, counted in this Doc, and the
        entry, in order. It is negative if the start of that Doc was cut off.
    """
    kind, own, *_ = key_of(name)
    stored: dict[Any, Any] = doc.user_data
    found: Entries = [
        (key[2], value)
        for key, value in stored.items()
        if isinstance(key, tuple) and len(key) == 4 and key[:2] == (kind, own)
    ]
    if not found and name in doc.user_data:  # as spacy-ucca stored it up to 0.1
        return [(0, doc.user_data[name])]
    return sorted(found, key=lambda entry: entry[0])


def write_entry(doc: Doc, name: str, value: Any) -> None:
    """Store an entry in place of all that a Doc has.

    doc (Doc): The Doc.
    name (str): The name of the extension.
    value (Any): Plain data; None to remove the entries.
    """
    own = key_of(name)
    for key in [*doc.user_data]:
        if key == name or (isinstance(key, tuple) and key[:2] == own[:2]):
            del doc.user_data[key]
    if value is not None:
        doc.user_data[own] = value  # type: ignore[index]


# Tokens


def token_codes(doc: Doc) -> list[int]:
    """RETURNS (List[int]): A number for each token: length and 8 bits of a checksum, negative if a space follows."""
    columns: Any = doc.to_array([LENGTH, SPACY]).reshape((-1, 2))  # type: ignore[union-attr]
    return [
        (-1 if space else 1) * (length << 8 | _short(word))
        for word, (length, space) in zip(words_of(doc), columns.tolist())
    ]


class Part(NamedTuple):
    """What is left of the tokens of an entry.

    first (int): The number of the first token that is left.
    spans (List[Tuple[int, int]]): Where the tokens stand in the text.
    is_whole (bool): Whether all tokens are left.
    """

    first: int
    spans: list[Span]
    is_whole: bool


def find_tokens(text: str, start: int, codes: Iterable[int]) -> Part | None:
    """Find the tokens of an entry in the text of a Doc, however this is divided into tokens now.

    text (str): The text.
    start (int): The first character of the entry.
    codes (Iterable[int]): What `token_codes` gave.
    RETURNS (Optional[Part]): The tokens; None if the text has others in their places.
    """
    codes = [*codes]
    lengths = [abs(code) >> 8 for code in codes]
    steps = (length + (code < 0) for length, code in zip(lengths, codes))
    starts = [*accumulate(steps, initial=start)][:-1]
    spans = [(at, at + length) for at, length in zip(starts, lengths)]
    left = [i for i, (at, end) in enumerate(spans) if at >= 0 and end <= len(text)]
    for i in left:
        at, end = spans[i]
        if _short(text[at:end]) != abs(codes[i]) & 0xFF:
            return None
    first = left[0] if left else 0
    return Part(first, [spans[i] for i in left], len(left) == len(codes))


def _short(word: str) -> int:
    return zlib.crc32(word.encode("utf8", "surrogatepass")) & 0xFF
