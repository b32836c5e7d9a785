"""What an earlier run of `spacy-ucca parse` has written to a file of lines, so that `--resume` goes on after it."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import Errors, UccaError
from ..formats.registry import Format
from ..graph import Graph

__all__ = ["count_done"]

BEGINNING = b'{"id": '
Line = tuple[str, int]  # the id of a text, and the number of a line among those of this text


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
