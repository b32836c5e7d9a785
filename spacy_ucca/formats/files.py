"""Find and read files of graphs, of any format."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from ..errors import Errors, FormatError
from ..files.outputs import STREAM
from ..graph import Graph
from .recognise import HEAD, JSON, TEXT_SUFFIX, check_packed, guess_content, guess_format, name_of
from .registry import READABLE, Format, OnBad, find_format
from .text import cannot_read, is_blank

_XML = ".xml"


def find_files(
    sources: Iterable[str | Path],
    source_format: str | None = None,
    *,
    on_left_out: Callable[[Path, list[str]], None] | None = None,
) -> list[Path]:
    """Find the files of graphs that sources name.

    sources (Iterable[Union[str, Path]]): Files, and directories, of which the files are taken; of a corpus with a folder `xml`
        those of that.
    source_format (Optional[str]): The name of the format that the files of directories have; any, if there is none.
    on_left_out (Optional[Callable[[Path, List[str]], None]]): Called with each directory that has other files, and their names.
    RETURNS (List[Path]): The files, those of a directory by name.
    RAISES (FormatError): If a directory has none.
    """
    entries = [find_format(source_format)] if source_format else list(READABLE.values())
    suffixes = {suffix for entry in entries for suffix in entry.suffixes}
    paths: list[Path] = []
    for source in map(Path, sources):
        if not source.is_dir():
            paths.append(source)
            continue
        inside = sorted(p for p in source.iterdir() if p.suffix.lower() in suffixes)
        files = []
        if _XML in suffixes and not any(p.suffix.lower() == _XML for p in inside):
            files = sorted((source / "xml").glob(f"*{_XML}"))
        files = files or [p for p in inside if p.is_file() and _is_meant(p, entries)]
        if not files:
            shown = ", ".join(sorted(suffixes))
            raise FormatError(Errors.UC718.format(where=source, suffixes=shown))
        paths += files
        if on_left_out is not None and (names := other_files(source, files)):
            on_left_out(source, names)
    return paths


def other_files(directory: Path, files: Iterable[Path]) -> list[str]:
    """RETURNS (List[str]): The names of what is in a directory and not among some files, nor a folder of these; hidden ones
    aside. Those of folders end in "/"."""
    taken = {path for file in files for path in (file, file.parent)}
    return sorted(
        p.name + "/" * p.is_dir()
        for p in directory.iterdir()
        if p not in taken and not p.name.startswith(".")
    )


def read_graphs(
    path: str | Path, source_format: str | None = None, *, on_bad: OnBad | None = None
) -> list[Graph]:
    """Read the graphs of a file of any format.

    path (Union[str, Path]): The file.
    source_format (Optional[str]): The name of its format; guessed, if there is none.
    on_bad (Optional[OnBad]): Called with each graph of the file that cannot be read
        where others can, and the reason. Without it, that is an error.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If the file cannot be read.
    """
    return read_file(path, source_format, on_bad=on_bad)[1]


def read_file(
    path: str | Path, source_format: str | None = None, *, on_bad: OnBad | None = None
) -> tuple[Format, list[Graph]]:
    """Read a file of any format, as `read_graphs` does.

    RETURNS (Tuple[Format, List[Graph]]): The format of the file, and its graphs.
    """
    path = Path(path)
    entry = find_format(source_format) if source_format else None
    if entry is None:
        check_packed(path)
        binary = (READABLE["spacy"], READABLE["parquet"])
        entry = next((e for e in binary if path.suffix.lower() in e.suffixes), None)
    data = _bytes(path)
    text = "" if entry is not None and entry.binary else _decoded(data, path, entry)
    if entry is None:
        entry = guess_format(path, text)
    if not data.strip():
        raise FormatError(Errors.UC115.format(where=path))
    graphs = read_text(entry, data if entry.binary else text, str(path), on_bad)
    if not graphs:
        raise FormatError(Errors.UC115.format(where=path))
    return entry, graphs


def _decoded(data: bytes, path: Path, entry: Format | None) -> str:
    """RETURNS (str): The text of a file. That of XML, which may say another encoding, is looked at only."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        if entry is None and path.suffix.lower() == _XML:
            return data.decode("latin-1")
        reason = Errors.UC507.format(reason=err.reason, position=err.start)
        raise FormatError(Errors.UC114.format(where=path, reason=reason)) from None


def _is_meant(path: Path, entries: list[Format]) -> bool:
    """RETURNS (bool): Whether a file of a directory is one to convert: any but other text than graphs."""
    if path.suffix.lower() != TEXT_SUFFIX:
        return True
    text = _bytes(path)[:HEAD].decode("utf-8-sig", "replace")
    found = guess_content(text)
    if found != JSON:
        return any(entry.name == found for entry in entries)
    return any(e.items == "line" and e.looks and re.search(e.looks, text, re.M) for e in entries)


def read_text(
    entry: Format, text: str | bytes, source: str, on_bad: OnBad | None = None
) -> list[Graph]:
    """Read the graphs of a text.

    entry (Format): Its format.
    text (Union[str, bytes]): The text; its bytes, if the format is binary.
    source (str): What messages call it.
    on_bad (Optional[OnBad]): See `read_graphs`.
    RETURNS (List[Graph]): The graphs.
    RAISES (FormatError): If it cannot be read.
    """
    try:
        return entry.read(text, source=source)
    except FormatError:
        if on_bad is None or entry.items == "file" or isinstance(text, bytes):
            raise
        graphs = _read_items(entry, text, source, on_bad)
        if not graphs:
            raise
        return graphs


def _bytes(path: Path) -> bytes:
    if str(path) == STREAM and sys.stdin is not None:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as err:
        raise cannot_read(path, err) from None


def _read_items(entry: Format, text: str, source: str, on_bad: OnBad) -> list[Graph]:
    """Read graph by graph what cannot be read whole.
    RETURNS (List[Graph]): Those that can be read."""
    graphs: list[Graph] = []
    bad: list[FormatError] = []
    for number, item in iter_items(entry, text.split("\n")):
        try:
            graphs += entry.read("\n".join(item), source=source, first_line=number)
        except FormatError as err:
            bad.append(err)
    for reason in bad if graphs else ():  # with none, what was wrong with the whole says it
        on_bad(source, reason)
    return graphs


def iter_items(entry: Format, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """YIELDS (Tuple[int, List[str]]): The lines of each graph of a file, and the number of the first one. Graphs that blank lines
    do not divide have the head of the file before them."""
    if entry.starts is not None:
        starts = [i for i, line in enumerate(lines) if re.match(entry.starts, line)]
    else:
        starts = [i for i, line in enumerate(lines) if entry.items == "line" or is_blank(line)]
        starts = [0, *starts]
    head = lines[: starts[0]] if starts else []
    for start, end in pairwise([*starts, len(lines)]):
        if not all(map(is_blank, lines[start:end])):
            yield start + 1 - len(head), head + lines[start:end]


class IdMaker:
    """Gives ids to graphs without one, which no other graph of the run has so far.

    made (Set[str]): The ids that were made.
    """

    def __init__(self) -> None:
        self.made: set[str] = set()
        self._taken: set[str] = set()

    def complete(self, path: Path, graphs: Sequence[Graph]) -> list[Graph]:
        """Give ids to the graphs of a file that have none: the name of the file, with a number if it has several graphs or the
        name is taken.

        path (Path): The file.
        graphs (Sequence[Graph]): Its graphs.
        RETURNS (List[Graph]): The graphs, each with an id.
        """
        stem = name_of(path)
        given = {str(graph.details["id"]) for graph in graphs if graph.details.get("id")}
        named = []
        number = 0
        for graph in graphs:
            if not graph.details.get("id"):
                name = stem
                while (len(graphs) > 1 and name == stem) or name in self._taken or name in given:
                    number += 1
                    name = f"{stem}-{number}"
                graph = graph.replace(details={**graph.details, "id": name})
                self.made.add(name)
            self._taken.add(str(graph.details["id"]))
            named.append(graph)
        return named
