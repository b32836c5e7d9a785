"""Store annotation in `doc.user_data`: records as JSON, with what is needed to find them again after tokens have changed.

An entry has a key as spaCy gives the extension of a span, with the first character of its Doc. So `Doc.from_docs` and
`Span.as_doc(copy_user_data=True)` keep the entry and shift its place, and spaCy does not print it in a warning.
"""

import json
import operator
import zlib
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy
from spacy.attrs import LENGTH, ORTH, SPACY
from spacy.tokens import Doc, Span

from ..errors import Errors, UccaError, VersionError

# NumPy's integers are written as numbers.
_ENCODER = json.JSONEncoder(separators=(",", ":"), default=operator.index, check_circular=False)

TOKENS = "tokens"  # the key of `token_codes` in a record
Entries = list[tuple[int, Any]]
Place = tuple[int, int]


def require_doc(doc: Any) -> None:
    """RAISES (UccaError): If something is no Doc."""
    if isinstance(doc, Span):
        raise UccaError(Errors.UC685)
    if not isinstance(doc, Doc):
        raise UccaError(Errors.UC684.format(type=type(doc).__name__))


def require_docs(docs: Iterable[Doc]) -> Iterable[Doc]:
    """RETURNS (Iterable[Doc]): The Docs.
    RAISES (UccaError): If they are one Doc, or none."""
    if isinstance(docs, Doc | Span | str) or not isinstance(docs, Iterable):
        raise UccaError(Errors.UC692.format(type=type(docs).__name__))
    return docs


def words_of(doc: Doc) -> list[str]:
    """RETURNS (List[str]): The words of a Doc, without a Token for each."""
    return list(map(doc.vocab.strings.__getitem__, doc.to_array(ORTH).tolist()))


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


def find_key(doc: Doc, name: str) -> tuple[str, str, int, int] | None:
    """RETURNS (Optional[Tuple]): The key of the first entry of a Doc by the name of an extension; None without any."""
    entries = [key for key in doc.user_data if _is_of(key, name)]
    return min(entries, key=lambda key: key[2], default=None)  # type: ignore[return-value,index]


def _make_key(name: str, value: Any) -> tuple[str, str, int, int]:
    """RETURNS (Tuple): The key of an entry in the user data of the Doc that it was made for. It is the name of no extension:
    `Doc.to_json` would write the entry as that of a token. The last number tells entries of several Docs apart, which can be
    cut and joined so that their first numbers are the same."""
    text = value if isinstance(value, str) else record_to_text(value)
    return ("._.", f"{name}.stored", 0, zlib.crc32(text.encode("utf8", "surrogatepass")))


def _is_of(key: Any, name: str) -> bool:
    return isinstance(key, tuple) and len(key) == 4 and key[:2] == ("._.", f"{name}.stored")


def read_entries(doc: Doc, name: str) -> Entries:
    """Find the entries of a Doc. It has several if it was joined of several Docs.

    doc (Doc): The Doc.
    name (str): The name of the extension.
    RETURNS (List[Tuple[int, Any]]): The first character of the Doc that each was made for, counted in this Doc, and the
        entry, in order. It is negative if the start of that Doc was cut off.
    """
    if not isinstance(doc, Doc):
        require_doc(doc)
    stored: dict[Any, Any] = doc.user_data
    found: Entries = []
    begin = ("._.", f"{name}.stored")
    for key in stored:  # `_is_of`, which is asked often
        if isinstance(key, tuple) and len(key) == 4 and key[:2] == begin:
            found.append((key[2], stored[key]))
    if not found and name in stored:  # as spacy-ucca 0.1 stored it
        raise VersionError(Errors.UC327.format(name=name))
    return sorted(found, key=operator.itemgetter(0))


def write_entry(doc: Doc, name: str, value: Any) -> None:
    """Store an entry in place of all that a Doc has.

    doc (Doc): The Doc.
    name (str): The name of the extension.
    value (Any): Plain data; None to remove the entries.
    """
    for key in [*doc.user_data]:
        if key == name or _is_of(key, name):
            del doc.user_data[key]
    if value is not None:
        doc.user_data[_make_key(name, value)] = value  # type: ignore[index]


# Tokens


def token_codes(doc: Doc, words: Sequence[str]) -> list[int]:
    """RETURNS (List[int]): A number for each token of a Doc, whose words are given: length and 8 bits of a checksum, negative if a
    space follows."""
    columns: Any = doc.to_array([LENGTH, SPACY]).reshape((-1, 2))  # type: ignore[union-attr]
    lengths, spaces = columns.astype("int64").T
    shorts = numpy.fromiter(map(_short, words), "int64", len(words))
    return ((lengths << 8 | shorts) * (1 - 2 * spaces)).tolist()  # type: ignore[no-any-return]


class Part(NamedTuple):
    """What is left of the tokens of an entry.

    entry (int): The number of the entry.
    first (int): The number of the first token that is left.
    spans (List[Tuple[int, int]]): Where the tokens stand in the text.
    is_whole (bool): Whether all tokens are left.
    """

    entry: int
    first: int
    spans: list[Place]
    is_whole: bool


def find_tokens(
    text: str, places: Sequence[tuple[int, Sequence[int]]], starts: Iterable[int]
) -> list[Part] | None:
    """Find the tokens of entries in the text of a Doc, however this is divided into tokens now.

    text (str): The text.
    places (Sequence[Tuple[int, Sequence[int]]]): The first character of each entry, and what `token_codes` gave.
    starts (Iterable[int]): Where sentences start. If Docs were cut before they were joined, nothing says where each ends: it
        is looked for at ends of sentences.
    RETURNS (Optional[List[Part]]): What is left, in the order of the text; None if the text has other tokens in their places.
    """
    runs = [_matches(text, n, start, codes) for n, (start, codes) in enumerate(places)]
    by_place = sorted((run for found in runs for run in found), key=lambda run: run.spans[0])
    is_plain = all(
        sum(len(run.spans) for run in found) == _n_inside(text, *place)
        for found, place in zip(runs, places)
    )
    ends = [run.spans[-1][1] for run in by_place]
    if not (is_plain and all(a <= run.spans[0][0] for a, run in zip(ends, by_place[1:]))):
        if len(places) == 1 and places[0][0] == 0:  # nothing was joined: the text is another
            return None
        by_place = _choose(by_place, {0, *starts}, text)
        if not by_place:
            return None
    return [
        Part(entry, first, spans, len(spans) == len(places[entry][1]))
        for entry, first, spans in by_place
    ]


class _Run(NamedTuple):
    """Consecutive tokens of an entry that the text has: the number of the entry, that of the first token, and where all are."""

    entry: int
    first: int
    spans: list[Place]


def _spans(start: int, codes: Sequence[int]) -> list[Place]:
    lengths = [abs(code) >> 8 for code in codes]
    steps = (length + (code < 0) for length, code in zip(lengths, codes))
    starts = [*accumulate(steps, initial=start)][:-1]
    return [(at, at + length) for at, length in zip(starts, lengths)]


def _n_inside(text: str, start: int, codes: Sequence[int]) -> int:
    return sum(a >= 0 and b <= len(text) for a, b in _spans(start, codes))


def _matches(text: str, entry: int, start: int, codes: Sequence[int]) -> list[_Run]:
    """RETURNS (List[_Run]): The longest runs of tokens of an entry that the text has."""
    runs: list[_Run] = []
    open_run = False
    for i, ((a, b), code) in enumerate(zip(_spans(start, codes), codes)):
        matches = a >= 0 and b <= len(text) and _short(text[a:b]) == abs(code) & 0xFF
        if matches and not open_run:
            runs.append(_Run(entry, i, []))
        if matches:
            runs[-1].spans.append((a, b))
        open_run = matches
    return runs


def _choose(runs: Iterable[_Run], starts: Collection[int], text: str) -> list[_Run]:
    """RETURNS (List[_Run]): The longest runs, without tokens that others have, from the start of a sentence to the end of one,
    in the order of the text."""
    chosen: list[_Run] = []
    taken: set[int] = set()
    last = len(text.rstrip(" "))
    for run in sorted(runs, key=lambda run: -len(run.spans)):
        i, j = 0, len(run.spans)
        while i < j and (run.spans[i][0] not in starts or run.spans[i][0] in taken):
            i += 1
        while i < j and (
            run.spans[j - 1][0] in taken or not _is_end(run.spans[j - 1][1], starts, text, last)
        ):
            j -= 1
        free = [span for span in run.spans[i:j] if span[0] not in taken]
        if free == run.spans[i:j] != []:
            chosen.append(_Run(run.entry, run.first + i, free))
            taken.update(at for at, _ in free)
    return sorted(chosen, key=lambda run: run.spans[0])


def _is_end(at: int, starts: Collection[int], text: str, last: int) -> bool:
    """RETURNS (bool): Whether a sentence may end at a character; `last` is where the text ends, without spaces."""
    return at >= last or at in starts or (text[at] == " " and at + 1 in starts)


@lru_cache(2**15)
def _short(word: str) -> int:
    return zlib.crc32(word.encode("utf8", "surrogatepass")) & 0xFF
