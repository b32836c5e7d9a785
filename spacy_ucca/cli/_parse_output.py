"""Where `spacy-ucca parse` and `render` write: a directory, a file, or standard output. A directory and a file of JSON lines can be
finished by a later run."""

import csv
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import IO, Any
from zlib import crc32

from ..errors import Errors, FormatError, UccaError
from ..files import OutputDirectory, open_whole, write_whole
from ..files.whole import PART, NothingWritten, naming
from ..formats.recognise import TEXT, is_directory
from ..formats.registry import FORMATS, PARQUET, Format
from ..graph import Graph
from ._util import STDIN, BadFiles, clear_bars, make_directory, standard_output, warn
from .passages import XML, Item

# Targets that are no formats of text, and their suffixes
DRAWN = {"tree": ".txt", "svg": ".svg", PARQUET: ".parquet"}
IMAGES = {"png": ".png", "pdf": ".pdf"}  # targets of `render` alone; they are bytes
BEGINNING = b'{"id": '
RESUMABLE = ("jsonl", "mrp", "scenes", "csv")  # lines that begin with an id


@dataclass
class OpenOutput:
    """An output that takes graphs.

    target (str): Their format.
    file (Optional[IO]): Where graphs go one after the other; None if each has a file.
    directory (Optional[OutputDirectory]): Where those files go.
    done (Counter[str]): For each id how many graphs are in the file already.
    n (int): The number of graphs in the file.
    failed (bool): Whether nothing could be parsed: what is there stays.
    path (Optional[Path]): The one file.
    """

    target: str
    file: IO[Any] | None = None
    directory: OutputDirectory | None = None
    done: Counter[str] = field(default_factory=Counter)
    n: int = 0
    failed: bool = False
    path: Path | None = None

    def missing(
        self, items: Iterator[Item], bad: BadFiles, *, resume: bool = False, n_best: int = 1
    ) -> Iterator[Item]:
        """YIELDS (Item): The texts that have no graph yet, with the files for those that get one, or several."""
        for item in items:
            if item.error is not None:
                yield item
            elif self.directory is not None:
                try:
                    many = item.kind not in (TEXT, XML)
                    suffix, reserve = suffix_of(self.target), self.directory.reserve
                    parts = [f".{k}" for k in range(1, n_best + 1)] if n_best > 1 else [""]
                    paths = [reserve(item.name + part, suffix, number=many) for part in parts]
                except UccaError as err:
                    bad.add(item, err)
                    continue
                if not (resume and paths[0].exists()):
                    yield replace(item, target=paths[0], best=tuple(paths))
            elif self.done and self.done[key := _id(item)]:
                self.done[key] -= 1
            else:
                yield item

    def write(self, text: str | bytes) -> None:
        """Write a graph, as text or as an image, to the one file.

        RAISES (FormatError): If there is one already and the format has one in a file.
        """
        assert self.file is not None
        clear_bars()
        if self.n and takes_one(self.target):
            raise FormatError(Errors.UC539.format(path=self.path or STDIN))
        if self.n and self.target in FORMATS and isinstance(text, str):
            text = FORMATS[self.target].following(text)
        self.file.write(text)
        self.n += 1

    def name_renamed(self) -> None:
        """Say which files have numbers in their names, if there are some."""
        if self.directory is not None and self.directory.note:
            warn(f"Note: {self.directory.note}")


@contextmanager
def open_output(
    output: Path | None, target: str, inputs: list[Path], *, resume: bool = False
) -> Iterator[OpenOutput]:
    """Open the output.

    output (Optional[Path]): A directory, a file, or None for standard output.
    target (str): The format.
    inputs (List[Path]): What is read.
    resume (bool): Whether to keep what is there.
    YIELDS (OpenOutput): The output.
    RAISES (UccaError): If it cannot be used.
    """
    if target == PARQUET:
        yield OpenOutput(target)  # rows go to `open_table`
    elif output is None:
        stream = standard_output(text=target == "tree")
        yield OpenOutput(target, stream.buffer if target in IMAGES else stream)
    elif is_directory(output):
        make_directory(output)
        yield OpenOutput(target, directory=OutputDirectory(output, inputs))
    elif target in RESUMABLE:
        make_directory(output.parent)
        with _open_lines(output, FORMATS[target], resume) as opened:
            yield opened
    else:
        make_directory(output.parent)
        with open_whole(output, "wb" if target in IMAGES else "w") as file:
            opened = OpenOutput(target, file, path=output)
            yield opened
            if opened.failed:
                raise NothingWritten


@contextmanager
def _open_lines(output: Path, target: Format, resume: bool) -> Iterator[OpenOutput]:
    """Write lines to a file beside the output, which takes its place at the end. After an error it stays, for --resume. What
    is no file, such as a pipe, is written at once."""
    if output.exists() and not output.is_file():
        if resume:
            raise UccaError(Errors.UC528.format(path=output))
        with naming(output), output.open("w", encoding="utf8", newline="\n") as file:
            yield OpenOutput(target.name, file)
        return
    part = part_of(output)
    if part.exists() and not part.is_file():
        raise UccaError(Errors.UC528.format(path=part))
    output = _place(output)
    done: Counter[str] | None = None if resume else Counter()
    with naming(output):
        if resume and not part.exists() and output.exists():
            done = count_done(output, target, is_whole=True)
            os.replace(output, part)
        with part.open("a", encoding="utf8", newline="\n") as file:
            _lock(file, output)
            if not resume:
                file.truncate(0)
            if done is None:
                done = count_done(part, target, is_whole=False)
            try:
                n = int(part.stat().st_size > 0)
                opened = OpenOutput(target.name, file, done=done, n=n)
                yield opened
                file.flush()
            except BaseException:
                with suppress(OSError):
                    warn(Errors.UC522.format(path=part))
                raise
        if opened.failed and not part.stat().st_size:
            part.unlink()
        else:
            os.replace(part, output)


def _lock(file: IO[str], path: Path) -> None:
    """RAISES (UccaError): If another run writes the file."""
    try:
        import fcntl
    except ImportError:  # Windows, which refuses to open it
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UccaError(Errors.UC529.format(path=path)) from None
    except OSError:  # a file system without locks
        return


def suffix_of(target: str) -> str:
    """RETURNS (str): The suffix of files of a format or drawing."""
    return {**DRAWN, **IMAGES}.get(target) or FORMATS[target].suffixes[0]


def can_resume(output: Path, target: str) -> bool:
    """RETURNS (bool): Whether a later run can go on with an output: a directory, or a file of lines."""
    is_file = output.is_file() or not output.exists()
    return is_directory(output) or (is_file and target in RESUMABLE)


def takes_one(target: str) -> bool:
    """RETURNS (bool): Whether a file of a format or drawing has one graph."""
    return target in ("svg", *IMAGES) or (target in FORMATS and FORMATS[target].items == "file")


def part_of(output: Path) -> Path:
    """RETURNS (Path): Where a .jsonl file is written until it is finished."""
    place = _place(output)
    return place.with_name(place.name + PART)


def _place(output: Path) -> Path:
    """RETURNS (Path): The file itself, so that a symbolic link stays one."""
    return Path(os.path.realpath(output)) if output.is_symlink() else output


def _id(item: Item) -> str:
    """RETURNS (str): The id that the graph of a text has in JSON."""
    details = {} if item.given.graph is None else item.given.graph.details
    return str(details.get("id") or item.name)


def describe_run(
    model: str, lang: str | None, guidelines: str | None, beam_width: int | None, sentences: str
) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The options of a run that decide on its graphs; of the pipeline also a sum of its files."""
    from spacy.util import get_package_path, is_package

    folder = get_package_path(model) if is_package(model) else Path(model)
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    sum_of_files = reduce(lambda before, file: crc32(file.read_bytes(), before), files, 0)
    return {
        "--model": f"{folder.name} ({sum_of_files:08x})",
        "--lang": lang or "that of the pipeline, or a guess",
        "--guidelines": guidelines or "those of the pipeline",
        "--beam-width": str(beam_width or "that of the pipeline"),
        "--sentences": sentences,
    }


def check_run(output: Path, run: Mapping[str, str]) -> None:
    """Compare a run with the first one that wrote an output, as far as it is known.

    output (Path): The file or directory.
    run (Mapping[str, str]): See `describe_run`.
    RAISES (UccaError): If something is another one than in the first run.
    """
    try:
        first = {**run, **json.loads(_run_of(output).read_text("utf8"))}
    except (OSError, ValueError, TypeError):
        return
    for name, now in run.items():
        if first[name] != now:
            message = Errors.UC723
            raise UccaError(message.format(path=output, name=name, before=first[name], now=now))


def keep_run(output: Path, run: Mapping[str, str]) -> None:
    """Keep beside an output what decides on its graphs, for `check_run`. A directory that takes nothing else goes without."""
    with suppress(OSError):
        write_whole(_run_of(output), json.dumps(run))


def _run_of(output: Path) -> Path:
    output = output.resolve()
    return output.with_name(f".{output.name}.parse-run")


def count_done(path: Path, target: Format, *, is_whole: bool) -> Counter[str]:
    """Count the texts of a file that a later run goes on with, and take away what was not finished: a last line without its
    end, and, where a text has several lines, the last text. Texts without Scenes have no lines and are parsed again: where several
    texts have one id, of which some have no lines, lines may come twice.

    path (Path): The file.
    target (Format): Its format.
    is_whole (bool): Whether the run that wrote it came to its end.
    RETURNS (Counter[str]): For each id how many texts with lines the file has.
    RAISES (UccaError): If another line is not of the format: the file has something else, which is not to be lost.
    """
    done: Counter[str] = Counter()
    several = target.name in ("scenes", "csv")
    names = target.write(Graph([], [], [])).encode() if target.has_names else b""
    place, start, before = 0, 0, ("", -1)
    with path.open("r+b") as file:
        for number, line in enumerate(file, start=1):
            is_names = target.has_names and number == 1
            beginning = BEGINNING if not target.has_names else names if is_names else b""
            if not line.endswith(b"\n") and _is_torn(line, beginning):
                file.truncate(place)
                is_whole = False
                break
            try:
                if is_names:
                    if line != names:
                        raise ValueError
                else:
                    found = _read_key(line, target)
                    if not several or found[0] != before[0] or found[1] <= before[1]:
                        done[found[0]] += 1
                        start = place
                    before = found
            except (ValueError, KeyError, TypeError, RecursionError, IndexError, csv.Error):
                raise UccaError(Errors.UC527.format(path=path, line=number)) from None
            place += len(line)
        if several and not is_whole and done:
            done[before[0]] -= 1
            file.truncate(start)
    return done


def _read_key(line: bytes, target: Format) -> tuple[str, int]:
    """RETURNS (Tuple[str, int]): The id of the text that a line is of, and the number of the line among those of this text."""
    if target.has_names:
        name, _, scene, *_ = next(csv.reader([line.decode("utf8")]))
        return name, int(scene)
    record: Any = json.loads(line) if line.endswith(b"\n") else None
    return str(record["id"]), int(record["scene"]) if target.name == "scenes" else 0


def _is_torn(line: bytes, beginning: bytes) -> bool:
    """RETURNS (bool): Whether a line may be a part of one that begins so. Where the power failed, it may have zero bytes."""
    return line.startswith(beginning) or beginning.startswith(line) or not line.strip(b"\0")
