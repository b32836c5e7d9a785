"""Where output goes: never over an input, nor over other output of the same run."""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from ..errors import Errors, UccaError, Warnings
from .whole import write_whole

_FORBIDDEN = re.compile(r'[/\\:*?"<>|\x00-\x1f]')
_PIPELINE = "config.cfg"  # a directory with this file is a pipeline
_LONGEST = 200  # bytes of a name, which leaves place for a suffix

STREAM = "-"  # standard output

FileKey = tuple[int, int] | str


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[str | Path]) -> None:
    """Check that nothing that is read would be overwritten, before anything is opened.

    outputs (Iterable[Optional[Path]]): The files to write; those that are None, or no files but pipes or the like, are not
        looked at.
    inputs (Iterable[Union[str, Path]]): Files and directories to read. A pipeline's directory stands for all files in
        it, a corpus for its XML files.
    RAISES (UccaError): If a file is both, by whatever name or link, or is to be written twice, or is a directory.
    """
    read = _read_keys(inputs)
    written = set()
    for path in outputs:
        if path is not None and str(path) != STREAM and os.path.isdir(path):
            raise UccaError(Errors.UC524.format(path=path))
        key = None if path is None else _key(path)
        if key is None:
            continue
        if key in read:
            raise UccaError(Errors.UC518.format(path=path))
        if key in written:
            raise UccaError(Errors.UC519.format(path=path))
        written.add(key)


def check_pipeline_directory(path: Path, inputs: Iterable[str | Path]) -> None:
    """Check that a pipeline can be written to a directory and nothing else is lost there, before it is made.

    path (Path): The directory: a new or empty one, or that of a pipeline, which is replaced.
    inputs (Iterable[Union[str, Path]]): Files and directories to read, and files to write besides.
    RAISES (UccaError): If it is a file, has other files, or holds one of the inputs.
    """
    if path.exists() and not path.is_dir():
        raise UccaError(Errors.UC504.format(path=path, reason="it is a file"))
    if path.exists() and any(path.iterdir()) and not (path / _PIPELINE).is_file():
        raise UccaError(Errors.UC525.format(path=path))
    place = Path(os.path.realpath(path))
    for item in inputs:
        if place in Path(os.path.realpath(item)).parents:
            raise UccaError(Errors.UC526.format(path=item, directory=path))


class OutputDirectory:
    """A directory that gets files, each whole, none over an input or over another one of this run.

    path (Path): The directory. It is made when the first file is written.
    inputs (Iterable[Union[str, Path]]): The files to read.
    others (Iterable[Optional[Path]]): Other files that the run writes, which may be in the directory.
    """

    def __init__(
        self, path: Path, inputs: Iterable[str | Path] = (), others: Iterable[Path | None] = ()
    ) -> None:
        self.path = path
        self._read = _read_keys(inputs)
        self._written: set[FileKey | None] = {_key(item) for item in others if item is not None}
        self._written.discard(None)
        self._reserved: set[Path] = set()
        self._renamed: list[str] = []  # names of files that got a number
        self._numbers: dict[str, int] = {}

    @property
    def note(self) -> str:
        """RETURNS (str): What to tell users of files that got a number; "" if there are none."""
        n, names = len(self._renamed), self._renamed[:1]
        if not n:
            return ""
        have = "1 graph has the name of another one: its file is" if n == 1 else ""
        have = have or f"{n} graphs have the names of others: their files are numbered, such as"
        return Warnings.UW104.format(have=have, name=names[0])

    def reserve(self, name: str, suffix: str, *, number: bool = False) -> Path:
        """Find the place of a file that is to be written.

        name (str): Its name; characters that names of files cannot have become "_".
        suffix (str): The suffix.
        number (bool): Add a number to the name, if it is that of another output of this run.
        RETURNS (Path): The place.
        RAISES (UccaError): If an input is there, or it is the place of another output.
        """
        stem = file_name(name)
        path = self.path / (stem + suffix)
        taken = self._is_taken(path)
        while taken and number:
            self._numbers[stem] = count = self._numbers.get(stem, 1) + 1
            path = self.path / f"{stem}-{count}{suffix}"
            taken = self._is_taken(path)
            if not taken:
                self._renamed.append(path.name)
        if taken:
            raise UccaError(Errors.UC519.format(path=path))
        self._reserved.add(path)
        return path

    def _is_taken(self, path: Path) -> bool:
        """RETURNS (bool): Whether a place is that of another output.
        RAISES (UccaError): If an input is there."""
        key = _key(path)
        if key in self._read:
            raise UccaError(Errors.UC518.format(path=path))
        # Before and after it is written it has different keys
        return key in self._written or path in self._reserved

    def write(self, name: str, suffix: str, content: str | bytes, *, number: bool = False) -> Path:
        """Write a file.

        name (str): Its name; characters that names of files cannot have become "_".
        suffix (str): The suffix.
        content (Union[str, bytes]): What to write.
        number (bool): See `reserve`.
        RETURNS (Path): Where it is.
        RAISES (UccaError): If an input is there, or it is the place of another output.
        RAISES (OSError): If it cannot be written.
        """
        path = self.reserve(name, suffix, number=number)
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
        self._written.add(_key(path))
        return path


def file_name(name: str) -> str:
    """RETURNS (str): A name that a file can have in any directory: no path, not too long, not hidden."""
    name = _FORBIDDEN.sub("_", name).encode("utf8", "replace")[:_LONGEST].decode("utf8", "ignore")
    return "_" + name if not name.strip(".") else name


def _read_keys(inputs: Iterable[str | Path]) -> set[FileKey]:
    """RETURNS (Set[FileKey]): The files that are read of inputs."""
    return {key for path in inputs for file in _files(Path(path)) if (key := _key(file))}


def _files(path: Path) -> list[Path]:
    """RETURNS (List[Path]): The files that are read of an input: of a pipeline all, of a corpus its XML."""
    if not path.is_dir():
        return [path]
    if (path / _PIPELINE).is_file():
        return list(path.rglob("*"))
    xml = [*path.glob("*.xml"), *(path / "xml").glob("*.xml")]
    return xml or [*path.glob("*"), *path.rglob("*.spacy")]


def _key(path: Path) -> FileKey | None:
    """RETURNS (Optional[FileKey]): What is the same for all names of a file; None for what is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
