"""The reader of training data for `sdp_parser`, `spacy-ucca.SdpCorpus.v1`, and writing .spacy files for it.

The Docs carry their gold graph in `doc._.sdp`.
"""

from collections.abc import Iterable
from pathlib import Path

from spacy.tokens import Doc
from spacy.util import registry

from ..errors import Errors, UccaError
from ..sdp_parser.extension import get_arcs
from .corpus import DocBinCorpus, save_docs


@registry.readers("spacy-ucca.SdpCorpus.v1")
def create_sdp_corpus(
    path: str | Path | None,
    limit: int = 0,
    shuffle: bool = False,
    keep_annotations: bool = True,
) -> "SdpCorpus":
    """Read .spacy files whose Docs have bilexical graphs.

    path (Optional[Path]): A file, or a directory searched for .spacy files.
    limit (int): Number of Docs to read. 0 is no limit.
    shuffle (bool): Give the Docs in another order in each epoch.
    keep_annotations (bool): Give the predicted Docs the tags, lemmas and dependencies stored in the file. If not, the
        pipeline has to predict them while it trains (`annotating_components`).
    RETURNS (Callable[[Language], Iterator[Example]]): The reader.
    RAISES (UccaError): If there is no path.
    """
    if path is None:
        raise UccaError(Errors.UC210)
    return SdpCorpus(path, limit=limit, shuffle=shuffle, keep_annotations=keep_annotations)


class SdpCorpus(DocBinCorpus):
    """Examples with `eg.reference._.sdp`; the arguments are those of `create_sdp_corpus`."""

    def _check(self, doc: Doc, number: int, where: str) -> None:
        _check(doc, number, where)


def write_sdp_docbin(docs: Iterable[Doc], path: str | Path) -> int:
    """Write Docs with bilexical graphs to a .spacy file, tags and dependencies included.

    docs (Iterable[Doc]): The Docs.
    path (Union[str, Path]): The file. Missing directories are made.
    RETURNS (int): The number of Docs written.
    RAISES (UccaError): If a Doc has no graph, or there are no Docs. Nothing is written then.
    """
    return save_docs(docs, path, _check)


def _check(doc: Doc, number: int, where: str) -> None:
    try:
        arcs = get_arcs(doc)
    except UccaError as err:
        raise UccaError(Errors.UC883.format(number=number, where=where, reason=err)) from None
    if arcs is None:
        raise UccaError(Errors.UC882.format(number=number, where=where))
