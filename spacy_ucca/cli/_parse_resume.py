"""What an earlier run of `spacy-ucca parse` has written to a file of lines, so that `--resume` goes on after it."""

import csv
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any
from zlib import crc32

from ..errors import Errors, UccaError
from ..files import write_whole
from ..formats.registry import Format
from ..graph import Graph

BEGINNING = b'{"id": '
Line = tuple[str, int]  # the id of a text, and the number of a line among those of this text


def describe_run(
    model: str, guidelines: str | None, beam_width: int | None, sentences: str
) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The options of a run that decide on its graphs; of the pipeline also a sum of its files."""
    from spacy.util import get_package_path, is_package

    folder = get_package_path(model) if is_package(model) else Path(model)
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    sum_of_files = reduce(lambda before, file: crc32(file.read_bytes(), before), files, 0)
    return {
        "--model": f"{folder.name} ({sum_of_files:08x})",
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
        first = {**run, **json.loads(_place(output).read_text("utf8"))}
    except (OSError, ValueError, TypeError):
        return
    for name, now in run.items():
        if first[name] != now:
            message = Errors.UC723
            raise UccaError(message.format(path=output, name=name, before=first[name], now=now))


def keep_run(output: Path, run: Mapping[str, str]) -> None:
    """Keep beside an output what decides on its graphs, for `check_run`. A directory that takes nothing else goes without."""
    with suppress(OSError):
        write_whole(_place(output), json.dumps(run))


def _place(output: Path) -> Path:
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
    read = _read_row if target.has_names else _read_scene if several else _read_graph
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
                    found = read(line)
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


def _read_graph(line: bytes) -> Line:
    record: Any = json.loads(line) if line.endswith(b"\n") else None
    return str(record["id"]), 0


def _read_scene(line: bytes) -> Line:
    name, _ = _read_graph(line)
    return name, int(json.loads(line)["scene"])


def _read_row(line: bytes) -> Line:
    name, _, scene, *_ = next(csv.reader([line.decode("utf8")]))
    return name, int(scene)


def _is_torn(line: bytes, beginning: bytes) -> bool:
    """RETURNS (bool): Whether a line may be a part of one that begins so. Where the power failed, it may have zero bytes."""
    return line.startswith(beginning) or beginning.startswith(line) or not line.strip(b"\0")
