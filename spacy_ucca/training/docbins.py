"""Docs of .spacy files as graphs, for the commands that read graphs of any format."""

from spacy.tokens import DocBin
from spacy.vocab import Vocab

from ..errors import Errors, FormatError, UccaError
from ..graph import Graph
from ..graph.data import TEXT
from .corpus import graph_of_doc


def read_spacy(data: bytes, *, source: str = "file") -> list[Graph]:
    """Read the graphs of a .spacy file.

    data (bytes): The file.
    source (str): What to call it in messages.
    RETURNS (List[Graph]): The graph of each Doc that has tokens, with the Doc's text.
    RAISES (FormatError): If it is no DocBin, or a Doc has no graph.
    """
    try:
        docs = list(DocBin().from_bytes(data).get_docs(Vocab()))
    except Exception as err:  # zlib, msgpack and numpy each have their own
        reason = f"{type(err).__name__}: {err}".splitlines()[0]
        raise FormatError(Errors.UC213.format(path=source, reason=reason)) from None
    graphs = []
    for number, doc in enumerate(docs, start=1):
        if not len(doc):
            continue
        try:
            graph = graph_of_doc(doc, number, source)
        except UccaError as err:
            raise FormatError(str(err)) from None
        known = {} if doc.has_unknown_spaces else {TEXT: doc.text}
        graphs.append(graph.replace(details={**known, **graph.details}))
    return graphs
