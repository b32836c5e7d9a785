"""Corpora as commands take them: directories of UCCA XML, lists of ids, UD files that give sentences.

Dividing passages is `splitting.py`'s.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Errors, UccaError
from ._util import BadFiles, find_xml, read_each, read_list

if TYPE_CHECKING:
    from ..graph import Graph

LIST_HELP = "Only what this file lists: ids of passages or sentences, one a line. Several add up"
PASSAGES_HELP = "Take passages whole, not divided into sentences"


def iter_sentences(
    path: Path,
    *,
    lists: Sequence[Path] = (),
    passages: bool = False,
    bad: BadFiles,
) -> "Iterator[Graph]":
    """Read the sentences of a corpus.

    path (Path): A corpus, see `find_xml`.
    lists (Sequence[Path]): Files of ids of the passages or sentences to take; all if there are none.
    passages (bool): Do not divide the passages.
    bad (BadFiles): Where files go that cannot be read or divided.
    YIELDS (Graph): The sentences, with their ids in the details.
    RAISES (UccaError): If a list or the corpus cannot be found, or has nothing of the list.
    """
    from ..formats.xml import read_xml
    from ..splitting import split_sentences

    wanted = {item for file in lists for item in read_list(file)} if lists else None

    def read(file: Path) -> "tuple[str, list[Graph]]":
        graph = read_xml(file)
        return str(graph.details["id"]), [graph] if passages else split_sentences(graph)

    n = 0
    for _, (passage_id, graphs) in read_each(find_xml(path), read, bad):
        for graph in graphs:
            if wanted is None or passage_id in wanted or graph.details["id"] in wanted:
                n += 1
                yield graph
    if not n and wanted is not None and not bad.files:
        raise UccaError(Errors.UC510.format(what=", ".join(map(str, lists)), path=path))
