"""The directory of a run: a Parquet file for each part, whole or not at all, and what is known of texts that end processes."""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Errors, UccaError
from .rows import make_table
from .schema import pa
from .stage import ParseStage
from .texts import Item, locate

SUFFIX = ".parquet"
MAX_DEATHS = 2  # of processes in one text


class Output(NamedTuple):
    """A directory for Parquet files.

    filesystem (pyarrow.fs.FileSystem): The file system.
    path (str): The directory there.
    """

    filesystem: Any
    path: str

    @classmethod
    def at(cls, path: str | Path) -> "Output":
        """Make the directory.

        path (Union[str, Path]): Its path, or an address such as s3://...
        RETURNS (Output): The directory.
        RAISES (UccaError): If it cannot be used.
        """
        filesystem, place = locate(path)
        try:
            filesystem.create_dir(place, recursive=True)
        except OSError as err:
            raise UccaError(Errors.UC504.format(path=path, reason=err)) from None
        return cls(filesystem, place)

    def names(self) -> set[str]:
        """RETURNS (Set[str]): The names of the files that are complete."""
        from pyarrow import fs

        found = self.filesystem.get_file_info(fs.FileSelector(self.path))
        names = {info.base_name for info in found}
        return {name for name in names if name.endswith(SUFFIX) and not name.startswith(".")}

    def parse(self, name: str, items: Sequence[Item], stage: ParseStage) -> tuple[int, ...]:
        """Parse a part and write its file. If a process was ended before in this part, each text is parsed alone, and one that
        has ended two processes is given up.

        name (str): The name of the file.
        items (Sequence[Item]): Its texts.
        stage (ParseStage): How to parse.
        RETURNS (Tuple[int, ...]): What `Summary` counts.
        """
        journal = f".{name}.tried"
        # where each process that was ended was then, by the number of the text
        deaths = self._read(journal)
        if deaths is None:
            self._write(journal, b"")
            rows = [row for rows in stage.parse(items) for row in rows]
        else:
            rows = []
            for number, (id, text) in enumerate(items):
                self._write(journal, deaths + b"%d\n" % number)
                if (n := deaths.split().count(b"%d" % number)) >= MAX_DEATHS:
                    text = UccaError(Errors.UC579.format(n=n + 1))
                rows += [row for rows in stage.parse([(id, text)]) for row in rows]
        self._write_table(name, make_table(rows))
        with suppress(FileNotFoundError):  # of another process with the same part
            self.filesystem.delete_file(self._place(journal))
        tokens = sum(len(row.get("tokens") or ()) for row in rows)
        return 1, len(rows), tokens, sum(row.get("error") is not None for row in rows)

    def _place(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _read(self, name: str) -> bytes | None:
        try:
            with self.filesystem.open_input_stream(self._place(name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def _write(self, name: str, data: bytes) -> None:
        with self.filesystem.open_output_stream(self._place(name)) as file:
            file.write(data)

    def _write_table(self, name: str, table: pa.Table) -> None:
        from pyarrow import parquet

        part = self._place(f".{name}.{uuid.uuid4().hex}.part")
        try:
            with self.filesystem.open_output_stream(part) as file:
                parquet.write_table(table, file, compression="zstd")
            self.filesystem.move(part, self._place(name))
        except BaseException:
            with suppress(OSError):
                self.filesystem.delete_file(part)
            raise
