"""Where `spacy-ucca parse` writes: a directory, standard output, or a .jsonl file that a later run can go on with."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from ..errors import Errors, UccaError
from ..files import OutputDirectory
from ..files.whole import PART, naming
from ._parse_jobs import Item
from ._util import BadFiles, make_directory, standard_output, warn

__all__ = ["SUFFIXES", "OpenOutput", "is_one_file", "open_output", "part_of"]

SUFFIXES = {"xml": ".xml", "jsonl": ".jsonl", "svg": ".svg", "tree": ".txt"}


class OpenOutput:
    """An output that takes graphs.

    file (Optional[IO]): Where graphs go one after the other; None if each has a file.
    directory (Optional[OutputDirectory]): Where those files go.
    suffix (str): Their suffix.
    done (Counter[str]): For each id how many graphs are in the output already.
    """

    def __init__(
        self,
        *,
        file: IO[str] | None = None,
        directory: OutputDirectory | None = None,
        suffix: str = "",
        resume: bool = False,
        done: Counter[str] | None = None,
    ) -> None:
        self.file = file
        self.directory = directory
        self.suffix = suffix
        self.resume = resume
        self.done = done or Counter()

    def missing(self, items: Iterator[Item], bad: BadFiles) -> Iterator[Item]:
        """YIELDS (Item): The texts that have no graph yet, with the files for those that get one."""
        for item in items:
            if self.directory is not None:
                try:
                    path = self.directory.reserve(item.name, self.suffix)
                except UccaError as err:
                    bad.add(item.source, err)
                    continue
                if not (self.resume and path.exists()):
                    yield replace(item, target=path)
            elif self.done and self.done[key := _id(item)]:
                self.done[key] -= 1
            else:
                yield item

    def write(self, text: str) -> None:
        """Write a graph, as text, to the one file."""
        assert self.file is not None
        self.file.write(text)


@contextmanager
def open_output(
    output: Path | None, target: str, inputs: list[Path], *, resume: bool = False
) -> Iterator[OpenOutput]:
    """Open the output.

    output (Optional[Path]): A directory, a .jsonl file, or None for standard output.
    target (str): The format.
    inputs (List[Path]): What is read.
    resume (bool): Whether to keep what is there.
    YIELDS (OpenOutput): The output.
    RAISES (UccaError): If it cannot be used.
    """
    if output is None:
        yield OpenOutput(file=standard_output(text=target == "tree"))
    elif is_one_file(output, target):
        make_directory(output.parent)
        with _open_jsonl(output, resume) as opened:
            yield opened
    else:
        make_directory(output)
        directory = OutputDirectory(output, inputs)
        yield OpenOutput(directory=directory, suffix=SUFFIXES[target], resume=resume)


@contextmanager
def _open_jsonl(output: Path, resume: bool) -> Iterator[OpenOutput]:
    """Write lines to a file beside the output, which takes its place at the end. After an error it stays, for --resume."""
    part = part_of(output)
    done: Counter[str] = Counter()
    with naming(output):
        if resume and not part.exists() and output.exists():
            os.replace(output, part)
        mode = "r+b" if resume and part.exists() else "wb"
        with part.open(mode) as raw:
            for line in raw if mode == "r+b" else ():
                try:
                    record: Any = json.loads(line) if line.endswith(b"\n") else None
                    done[str(record["id"])] += 1
                except (ValueError, KeyError, TypeError):  # torn
                    raw.seek(-len(line), os.SEEK_CUR)
                    break
            raw.truncate()
        try:
            with part.open("a", encoding="utf8", newline="\n") as file:
                yield OpenOutput(file=file, done=done)
        except BaseException:
            with suppress(OSError):
                warn(Errors.UC522.format(path=part))
            raise
        os.replace(part, output)


def is_one_file(output: Path, target: str) -> bool:
    """RETURNS (bool): Whether all graphs go to one file; to files in a directory, if not."""
    return target == "jsonl" and output.suffix == SUFFIXES["jsonl"]


def part_of(output: Path) -> Path:
    """RETURNS (Path): Where a .jsonl file is written until it is finished."""
    return output.with_name(output.name + PART)


def _id(item: Item) -> str:
    """RETURNS (str): The id that the graph of a text has in JSON."""
    if item.file is not None and item.file.suffix.lower() == ".xml":
        from ..formats.xml import read_xml

        with suppress(UccaError):
            return str(read_xml(item.file).details["id"])
    return item.name
