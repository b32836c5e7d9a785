"""Write files and directories whole or not at all: beside their place, and renamed when they are complete."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from ..methods import load_package

PART = ".part"  # what an unfinished file ends with
# What a full disk, a quota, a limit on size and a broken disk say; Python does not name the file there
_CANNOT_WRITE = {getattr(errno, name, None) for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO")}
_MODE = 0o666  # less what the user's umask takes away
GROUP = 50_000  # rows, and tokens in them, of a row group of Parquet
_LONGEST = 100  # bytes of a name before the characters that make it new


class NothingWritten(Exception):
    """Raised where a file is open to be written: there is nothing for it, so what was there before stays."""


class TableFile:
    """A Parquet file that takes rows.

    writer (Optional[pyarrow.parquet.ParquetWriter]): Writes it. Without one, rows are dropped.
    failed (bool): Whether there is nothing for it: what is there stays.
    """

    def __init__(self, writer: Any = None) -> None:
        self.writer, self.failed, self._size = writer, False, 0
        self._rows: list[dict[str, Any]] = []

    def write(self, rows: list[dict[str, Any]], group: int = GROUP) -> None:
        """Write rows.

        rows (List[Dict[str, Any]]): Their values by column; the others are null.
        group (int): The size from which a row group is written.
        """
        self._rows += rows
        self._size += sum(1 + len(row.get("tokens") or ()) for row in rows)
        if self._size >= group:
            if self.writer is not None:
                table = load_package("pyarrow").Table
                self.writer.write_table(table.from_pylist(self._rows, schema=self.writer.schema))
            self._rows, self._size = [], 0


@contextmanager
def open_whole(path: str | Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file to write. It appears when the context ends; after an error, or `NothingWritten`, which is no error, there is
    what was there before.

    path (Union[str, Path]): The file. A symbolic link stays one. What is no file, such as a pipe, is written at once.
    mode (str): "w" for text in UTF-8, or "wb".
    YIELDS (IO): The open file.
    RAISES (OSError): If it cannot be written; `filename` is the path.
    """
    path = Path(path)
    options: dict[str, Any] = {} if "b" in mode else {"encoding": "utf8", "newline": "\n"}
    with naming(path):
        if path.exists() and not path.is_file():
            with suppress(NothingWritten), path.open(mode, **options) as file:
                yield file
            return
        place = Path(os.path.realpath(path))
        beside, part = tempfile.mkstemp(PART, _beginning(place.name), place.parent)
        try:
            with open(beside, mode, **options) as file:
                yield file
            _keep_mode(place, part)
            os.replace(part, place)
        except BaseException as err:
            with suppress(OSError):
                os.unlink(part)
            if not isinstance(err, NothingWritten):
                raise


@contextmanager
def open_table(path: Path | None, module: str) -> Iterator[TableFile]:
    """Open a Parquet file to write, as `open_whole` does. Its directory is made.

    path (Optional[Path]): The file. Without one, rows are dropped.
    module (str): The module whose `SCHEMA` has its columns; it needs PyArrow.
    YIELDS (TableFile): The file.
    RAISES (UccaError): If PyArrow is not installed.
    RAISES (OSError): If it cannot be written.
    """
    if path is None:
        yield TableFile()
        return
    schema, parquet = import_module(module).SCHEMA, load_package("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"schema": schema, "compression": "zstd"}
    with open_whole(path, "wb") as file, parquet.ParquetWriter(file, **options) as writer:
        table = TableFile(writer)
        yield table
        if table.failed:
            raise NothingWritten
        table.write([], group=1)


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all.

    path (Union[str, Path]): The file.
    content (Union[str, bytes]): What to write; a text in UTF-8.
    RAISES (OSError): If it cannot be written; `filename` is the path.
    """
    with open_whole(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)


@contextmanager
def replace_directory(path: str | Path) -> Iterator[Path]:
    """Write a directory whole or not at all. What the old one has and the new one has not is kept.

    path (Union[str, Path]): The directory, which need not exist.
    YIELDS (Path): An empty directory to write into, which takes the place of the other when the context ends.
    RAISES (OSError): If it cannot be written, or there is a file in its place.
    """
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    with naming(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(PART, _beginning(place.name), place.parent))
        try:
            new = part / "new"
            new.mkdir()
            yield new
            if place.exists():
                shutil.copymode(place, new)
                os.replace(place, part / "old")
            os.replace(new, place)
            if (part / "old").exists():
                for entry in (part / "old").iterdir():
                    if not (place / entry.name).exists():
                        os.replace(entry, place / entry.name)
        except BaseException:
            if (part / "old").exists() and not place.exists():
                os.replace(part / "old", place)
            raise
        finally:
            shutil.rmtree(part, ignore_errors=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give an error of a full disk the name of the file."""
    try:
        yield
    except OSError as err:
        if err.filename is None and err.errno in _CANNOT_WRITE:
            err.filename = str(path)
        elif isinstance(err.filename, str) and err.filename.endswith(PART):
            err.filename = str(path)
        raise


def _beginning(name: str) -> str:
    """RETURNS (str): What the name of an unfinished file begins with; of a long name a part, as characters are added."""
    return f".{os.fsencode(name)[:_LONGEST].decode('utf8', 'ignore')}."


def _keep_mode(place: Path, part: str) -> None:
    """Give a new file the rights of the one it replaces, or those of any new file."""
    if place.exists():
        shutil.copymode(place, part)
    else:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(part, _MODE & ~umask)
