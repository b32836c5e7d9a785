"""Read texts of Parquet, JSON lines and text files, in parts of about so many words: what a worker gets at a time."""

import io
import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from ..errors import Errors, UccaError
from .schema import pa

PARQUET, JSON_LINES, TEXT = ".parquet", (".jsonl", ".ndjson"), ".txt"
PACKED = (".gz", ".bz2", ".zst")
ROWS = 256  # of Parquet at a time
BUFFER = 1 << 16  # bytes of a column at a time: a row group may have millions of rows
TEXT_TYPE = re.compile(r"(dictionary<values=)?(large_)?(string|binary)(_view)?\b")  # of columns
CHARACTERS = 10  # of a word at most, for languages without spaces

Item = tuple[str, Any]  # an id, and a text or the error why there is none


class File(NamedTuple):
    """A file of texts: where it is, and its size in bytes."""

    filesystem: Any
    path: str
    size: int


class Reader(NamedTuple):
    """How files are read.

    text (str): The column of texts.
    id (str): The column of ids. Texts without one get the name of the file, and their number in it.
    lines (bool): Whether each line of a text file is a text.
    words (int): The number of words in a part, by white space.
    """

    text: str = "text"
    id: str = "id"
    lines: bool = False
    words: int = 20_000


def locate(path: str | Path) -> tuple[Any, str]:
    """RETURNS (Tuple[pyarrow.fs.FileSystem, str]): The file system of a path or of an address such as s3://..., and the path
    there."""
    from pyarrow import fs

    if "://" not in str(path):
        return fs.LocalFileSystem(), os.path.abspath(path)
    try:
        return fs.FileSystem.from_uri(str(path))
    except (pa.ArrowInvalid, OSError) as err:
        raise UccaError(Errors.UC577.format(path=path, reason=f"cannot be used: {err}")) from None


def find_texts(source: str | Path | Iterable[str | Path]) -> list[File]:
    """Find files of texts.

    source (Union[str, Path, Iterable]): A file, a directory, or several of these; also addresses such as s3://...
    RETURNS (List[File]): The files; of a directory, all but those whose names begin with "." or "_", in order.
    RAISES (UccaError): If there are none, or one is of another kind.
    """
    from pyarrow import fs

    files: list[File] = []
    for path in [source] if isinstance(source, str | Path) else source:
        filesystem, place = locate(path)
        info = filesystem.get_file_info(place)
        if info.type == fs.FileType.NotFound:
            raise UccaError(Errors.UC577.format(path=path, reason="does not exist"))
        found = [info]
        if info.type == fs.FileType.Directory:
            inside = filesystem.get_file_info(fs.FileSelector(place, recursive=True))
            found = [i for i in inside if i.is_file and i.base_name[0] not in "._"]
            if not found:
                raise UccaError(Errors.UC577.format(path=path, reason="has no files"))
        for info in sorted(found, key=lambda info: info.path):
            if _kind(info.path) not in (PARQUET, *JSON_LINES, TEXT):
                raise UccaError(Errors.UC577.format(path=info.path, reason="is none of these"))
            files.append(File(filesystem, info.path, info.size or 0))
    return files


def read_parts(files: Iterable[File], reader: Reader) -> Iterator[list[Item]]:
    """Read texts. They are the same parts each time. What cannot be read, a file or a line, is an item with an error.

    files (Iterable[File]): The files.
    reader (Reader): How to read them.
    YIELDS (List[Tuple[str, Any]]): The texts of a part, with their ids.
    RAISES (UccaError): If a file has no column of texts.
    """
    words = 0
    items: list[Item] = []
    for id, text in (item for file in files for item in _read(file, reader)):
        try:
            text = as_text(text)
            words += max(len(text.split()), len(text) // CHARACTERS)
        except UccaError as err:
            text = err
        items.append((id.encode("utf8", "backslashreplace").decode(), text))
        if words >= reader.words or len(items) >= reader.words:
            yield items
            words, items = 0, []
    if items:
        yield items


def _read(file: File, reader: Reader) -> Iterator[Item]:
    """YIELDS (Item): The texts of a file."""
    kind, stem = _kind(file.path), PurePath(file.path).name
    for suffix in (*PACKED, kind):
        stem = stem.removesuffix(suffix)
    try:
        if kind == TEXT and not reader.lines:
            with file.filesystem.open_input_stream(file.path) as stream:
                yield stem, stream.read().removeprefix(BOM_UTF8)
        elif kind == PARQUET:
            with file.filesystem.open_input_file(file.path) as stream:
                yield from with_ids(parquet_rows(stream, file.path, reader), stem)
        else:
            yield from with_ids(_lines(file, reader, is_json=kind != TEXT), stem)
    except (OSError, pa.ArrowException) as err:
        yield stem, err


BLANK = object()  # a line without a text, which has a number all the same


def with_ids(rows: Iterable[tuple[Any, Any]], stem: str) -> Iterator[Item]:
    """YIELDS (Tuple[str, Any]): Texts with their ids; of those without one, the name of the file with their number in it."""
    for number, (id, text) in enumerate(rows, start=1):
        if text is not BLANK:
            yield f"{stem}-{number}" if id is None or not str(id).strip() else str(id), text


def parquet_rows(stream: Any, where: str | Path, reader: Reader) -> Iterator[tuple[Any, Any]]:
    """Read the texts of a Parquet file, a few at a time.

    stream (Union[IO, pyarrow.NativeFile]): The open file.
    where (Union[str, Path]): What messages call it.
    reader (Reader): How to read it.
    YIELDS (Tuple[Any, Any]): The id of each text, or None, and its bytes; an error, where the file is broken.
    RAISES (UccaError): If a column is missing, or that of texts is of another type.
    """
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(stream, buffer_size=BUFFER, pre_buffer=False) as table:
            schema = table.schema_arrow
            named = reader.id in schema.names or reader.id != Reader().id
            wanted = [reader.id, reader.text] if named else [reader.text]
            texts = {field.name for field in schema if TEXT_TYPE.match(str(field.type))}
            for name in wanted:
                if name not in (texts if name == reader.text else schema.names):
                    known = ", ".join(f"{field.name} ({field.type})" for field in schema)
                    raise UccaError(Errors.UC576.format(where=where, name=name, names=known))
            for batch in table.iter_batches(batch_size=ROWS, columns=wanted):
                ids = batch[reader.id].to_pylist() if named else [None] * len(batch)
                # Some programs write strings that are not UTF-8
                yield from zip(ids, batch[reader.text].cast(pa.large_binary()).to_pylist())
    except (OSError, pa.ArrowException, UnicodeDecodeError, KeyError) as err:  # two of that name
        reason = " ".join(str(err).split()).rstrip(".")
        yield None, UccaError(Errors.UC770.format(where=where, reason=reason))


def _lines(file: File, reader: Reader, is_json: bool) -> Iterator[tuple[Any, Any]]:
    with file.filesystem.open_input_stream(file.path) as stream:
        for number, line in enumerate(io.BufferedReader(stream, 1 << 20)):
            line = line if number else line.removeprefix(BOM_UTF8)
            if not line.strip():
                yield None, BLANK
            elif is_json:
                yield _from_json(line, reader)
            else:
                yield None, line.rstrip(b"\r\n")


def _from_json(line: bytes, reader: Reader) -> tuple[Any, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as err:
        return None, UccaError(Errors.UC573.format(reason=f"the line is no JSON ({err})"))
    if not isinstance(record, dict):
        return None, UccaError(Errors.UC573.format(reason="the line is no JSON object"))
    return record.get(reader.id), record.get(reader.text)


def _kind(path: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    return next((suffix for suffix in reversed(suffixes) if suffix not in PACKED), "")


def as_text(value: Any) -> str:
    """RETURNS (str): A text; bytes are read as UTF-8.
    RAISES (UccaError): If it is no text, or an error itself, or has zero bytes or half a character."""
    if isinstance(value, Exception):
        raise value if isinstance(value, UccaError) else UccaError(reason_of(value))
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError as err:
            raise UccaError(Errors.UC507.format(reason=err.reason, position=err.start)) from None
    if not isinstance(value, str):
        what = "missing" if value is None else f"of type '{type(value).__name__}'"
        raise UccaError(Errors.UC573.format(reason=f"it is {what}"))
    if "\0" in value:
        place = value.index("\0")
        raise UccaError(Errors.UC573.format(reason=f"zero byte at character {place}"))
    try:
        value.encode("utf8")
    except UnicodeEncodeError as err:
        raise UccaError(Errors.UC546.format(where="The text", code=ord(value[err.start]))) from None
    return value


def reason_of(err: Exception) -> str:
    """RETURNS (str): What the column `error` says of an error."""
    text = " ".join(str(err).split())
    return text if isinstance(err, UccaError) else f"{type(err).__name__}: {text}"
