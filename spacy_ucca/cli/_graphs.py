"""Graphs of files of any format, as all commands read them."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..formats.recognise import name_of
from ._util import BadFiles, warn

if TYPE_CHECKING:
    from ..graph import Graph

GRAPHS_HELP = "Graphs of any format"
MAX_NAMED = 10


def find_graphs(paths: Iterable[Path]) -> list[Path]:
    """Find the files of graphs that paths name. What else is in their directories is named.

    paths (Iterable[Path]): Files, directories of files, and corpora with a folder `xml`.
    RETURNS (List[Path]): The files.
    RAISES (UccaError): If a directory has none.
    """
    from ..formats.files import find_files

    return find_files(paths, on_left_out=name_others)


def name_others(directory: Path, names: list[str]) -> None:
    """Name the files of a directory that are not read."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    warn(f"Not read in {directory}: {', '.join(names[:MAX_NAMED])}{more}.")


def warn_of_made_up(n: int) -> None:
    """Say of how many graphs that were written the text is none that they had."""
    if n:
        warn(
            f"Made up: the text of {n:,} graph{'s' * (n != 1)}, which had none, is their words joined by spaces."
        )


def read_named(path: Path, bad: BadFiles | None = None) -> "list[tuple[str, Graph]]":
    """Read the graphs of a file, each with a name that no other one of the file has.

    path (Path): The file.
    bad (Optional[BadFiles]): Collects graphs that cannot be read where others of the file can.
    RETURNS (List[Tuple[str, Graph]]): The graphs. The name is that of the file without suffix, if it has one graph; else the
        graph's id, or, if it has none or not for itself, the name of the file with the number of the graph.
    RAISES (UccaError): If the file cannot be read.
    """
    from ..formats.files import read_graphs

    graphs = read_graphs(path, on_bad=None if bad is None else bad.add)
    ids = [str(graph.details.get("id", "")) for graph in graphs]
    return list(zip(names_of(ids, name_of(path)), graphs))


def names_of(ids: list[str], stem: str) -> list[str]:
    """RETURNS (List[str]): Names for what a file has, by their ids: see `read_named`."""
    if len(ids) == 1:
        return [stem]
    seen: set[str] = set()
    names = []
    for number, name in enumerate(ids, start=1):
        name = name if name and name not in seen else f"{stem}-{number}"
        seen.add(name)
        names.append(name)
    return names
