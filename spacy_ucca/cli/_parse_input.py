"""What `spacy-ucca parse` reads: find the files, tell what each is, and name the texts in it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import typer

from ..errors import Errors, FormatError, UccaError, Warnings
from ..formats.recognise import HEAD, TEXT, guess_input, name_of
from ..formats.registry import PARQUET
from ..formats.text import Source
from ..text.spacing import spaces_from
from ._util import STDIN, decode, exists, printable, standard_input, warn
from .passages import XML, Item

MAX_COMMENTS = 50


def find_input(sources: Iterable[Path], usage: str) -> list[Path]:
    """Find the files that the arguments INPUT stand for: of a corpus those of its folder `xml`, of other directories all.

    sources (Iterable[Path]): The arguments.
    usage (str): The command with standard input for INPUT, such as "parse -", for messages.
    RETURNS (List[Path]): The files, in the order of the arguments.
    RAISES (BadParameter): If there is nothing to parse.
    """
    return [file for source in sources for file in _files_of(source, usage)]


def _files_of(source: Path, usage: str) -> list[Path]:
    if str(source) == STDIN:
        return [source]
    if not exists(source):
        raise typer.BadParameter(
            Errors.UC583.format(source=source, usage=usage), param_hint="INPUT"
        )
    if not source.is_dir():
        return [source]
    inside = sorted(path for path in source.iterdir() if not path.name.startswith("."))
    files = [path for path in inside if not path.is_dir()]
    if not any(path.suffix.lower() == ".xml" for path in files):
        files = sorted((source / "xml").glob("*.xml")) or files
    if not files:
        raise typer.BadParameter(f"'{source}' has no files.", param_hint="INPUT")
    taken = {*files, *(file.parent for file in files)}
    others = [p.name + "/" * p.is_dir() for p in inside if p not in taken]
    if others:
        from ._graphs import name_others

        name_others(source, others)
    return files


def kind_of(path: Path, source_format: str | None) -> str:
    """Tell what a file is.

    path (Path): The file.
    source_format (Optional[str]): What the user says it is.
    RETURNS (str): See `guess_input`.
    RAISES (FormatError): If it cannot be parsed.
    RAISES (OSError): If it cannot be read.
    """
    if source_format is not None:
        return source_format
    with path.open("rb") as file:
        return guess_input(path, file.read(HEAD).decode("utf-8-sig", "replace"))


def read_items(
    files: Iterable[Path], *, lines: bool, source_format: str | None = None, **columns: Any
) -> Iterator[Item]:
    """Read what there is to parse, and name it.

    files (Iterable[Path]): The files; "-" is standard input.
    lines (bool): Whether each line of a text is a text of its own, named by its number.
    source_format (Optional[str]): The format of the files; each is looked at, if it is None.
    **columns: The columns `text` and `id` of Parquet files: see `Reader`.
    YIELDS (Item): The texts; with an error where one cannot be read.
    """
    files = list(files)
    taken = Counter(printable(name_of(path)) for path in files)
    for path in files:
        name = printable(name_of(path))
        try:
            if str(path) == STDIN:
                yield from _standard_input(path, lines, source_format)
                continue
            kind = kind_of(path, source_format)
            if kind == TEXT and lines:
                with path.open("rb") as file:
                    yield from _lines(file, name, path)
            elif kind == PARQUET:
                yield from _rows(path, name, columns)
            elif kind == TEXT:
                yield Item(name, _text(str(path), path.read_bytes()))
            elif kind == XML:
                yield Item(name, _passage(path), kind)
            else:
                yield from _named(_sources(path, kind), kind, name, path, taken)
        except (UccaError, OSError) as err:
            yield Item(name, Source("", str(path)), error=err)


def _standard_input(path: Path, lines: bool, source_format: str | None) -> Iterator[Item]:
    name = "stdin"
    file, first = standard_input(), b""
    if lines and source_format in (None, TEXT):
        lines_read = _first_lines(file)  # only these, so that lines are parsed as they come
        first = b"".join(lines_read)
        head = first.decode("utf-8-sig", "replace")
        if source_format == TEXT or guess_input(path, head) == TEXT:
            yield from _lines(chain(lines_read, file), name, path)
            return
    from ..formats.sources import read_sources

    data = first + file.read()
    text = decode(data)
    kind = source_format or guess_input(path, text[:HEAD])
    if kind == TEXT:
        yield Item(name, _text(str(path), data))
    else:
        sources = read_sources(text, kind, source=name)
        yield from _named(sources, kind, name, Path(name), Counter([name]))


def _passage(path: Path) -> Source:
    """RETURNS (Source): The words of a file of UCCA XML, which says nothing of sentences."""
    from ..formats.sources import source_of_graph
    from ..formats.xml import read_xml

    return replace(source_of_graph(read_xml(path), str(path)), starts=None)


def _sources(path: Path, kind: str) -> Iterator[Source | FormatError]:
    """YIELDS (Union[Source, FormatError]): The texts of a file of other formats; for one that cannot be read, the reason."""
    if kind == "spacy":
        return _docs(path)
    from ..formats.sources import read_sources

    return read_sources(decode(path.read_bytes()), kind, source=str(path))


def _text(where: str, data: bytes) -> Source:
    return Source("", where, decode(data, as_is=True).rstrip("\r\n"))


def _first_lines(file: Any) -> list[bytes]:
    """RETURNS (List[bytes]): The lines up to the first that is neither blank nor a comment, which is enough to tell what it is."""
    lines: list[bytes] = []
    for line in file:
        lines.append(line)
        if len(lines) == MAX_COMMENTS or (line.strip() and not line.startswith(b"#")):
            break
    return lines


def _lines(file: Iterable[bytes], name: str, path: Path) -> Iterator[Item]:
    for number, line in enumerate(file, 1):
        item = Item(f"{name}-{number}", Source("", f"{path}, line {number}"))
        try:
            item = replace(item, given=_text(str(item), line))
        except UccaError as err:
            yield replace(item, error=err)
        if item.given.text and item.given.text.strip():
            yield item


def _rows(path: Path, name: str, columns: dict[str, Any]) -> Iterator[Item]:
    """YIELDS (Item): The texts of a Parquet file, which is never in memory as a whole."""
    from ..distributed.texts import Reader, as_text, parquet_rows, with_ids

    number = 0
    with path.open("rb") as file:
        rows = with_ids(parquet_rows(file, path, Reader(**columns)), name)
        for number, (id, value) in enumerate(rows, start=1):
            item = Item(id, Source("", f"{path}, row {number}"), PARQUET)
            try:
                yield replace(item, given=replace(item.given, text=as_text(value)))
            except UccaError as err:
                yield replace(item, error=err)
    if not number:
        raise FormatError(Errors.UC115.format(where=path))


def _named(
    sources: Iterable[Source | FormatError],
    kind: str,
    stem: str,
    path: Path,
    taken: Counter[str],
) -> Iterator[Item]:
    """YIELDS (Item): Texts by their ids; those without one by the name of the file, with a number if it has several. No name that
    is made up so is that of another file, or in use."""
    found = list(sources)
    _name_respelled(path, [source for source in found if not isinstance(source, FormatError)])
    taken[stem] -= 1  # its own
    taken.update({s.id for s in found if not isinstance(s, FormatError) and s.id})
    for number, source in enumerate(found, start=1):
        if isinstance(source, FormatError):
            yield Item(f"{stem}-{number}", Source("", str(path)), kind, error=source)
            continue
        name = printable(source.id) if source.id.strip() else ""
        if not name:
            name = stem if len(found) == 1 else f"{stem}-{number}"
            while taken[name] > 0:
                number += 1
                name = f"{stem}-{number}"
            taken[name] += 1
        yield Item(name, source, kind)


def _name_respelled(path: Path, sources: list[Source]) -> None:
    """Say how many texts of a file have words that they spell otherwise, with one of these."""
    pairs = [(source.where, *source.respelled) for source in sources if source.respelled]
    if pairs:
        where, word, there = pairs[0]
        n = f"{len(pairs)} text{'s' * (len(pairs) != 1)}"
        warn(Warnings.UW106.format(path=path, n=n, word=word, there=there, where=where))


def _docs(path: Path) -> Iterator[Source]:
    """YIELDS (Source): The words and sentences of the Docs of a .spacy file, with or without graphs."""
    from spacy.vocab import Vocab

    from ..tokens.extension import get_graph
    from ..training.corpus import read_docs

    for number, doc in enumerate(read_docs(path, Vocab()), start=1):
        graph = get_graph(doc)
        words = tuple(token.text for token in doc)
        known = doc.has_annotation("SENT_START")
        text = None if doc.has_unknown_spaces else doc.text
        yield Source(
            "" if graph is None else str(graph.details.get("id", "")),
            f"{path}, Doc {number}",
            text,
            words,
            spaces_from(words, text),
            tuple(sent.start for sent in doc.sents) if known else None,
        )
