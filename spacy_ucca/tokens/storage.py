"""Records of annotation on a Doc: JSON in `doc.user_data`, with a checksum of the words in place of the words."""

import json
import operator
import zlib
from collections.abc import Sequence
from typing import Any

from spacy.attrs import ORTH
from spacy.tokens import Doc

# NumPy's integers are written as numbers.
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=operator.index)


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
