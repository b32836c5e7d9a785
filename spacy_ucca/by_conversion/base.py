"""Base class of the components that convert the output of another component to UCCA graphs, without training."""

from collections.abc import Callable

from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc

from ..graph import Graph
from ..rules.linkage import add_linkage
from ..rules.repair import repair as repair_graph
from ..tokens.extension import get_punct

__all__ = ["GraphMaker"]


class GraphMaker(Pipe):
    """Base class: sets `doc._.ucca`, one root per sentence, to what `make_graph` gives.

    name (str): The component instance name.
    levels (bool): Which conversion to use, that of `from_bilexical`.
    linkage (bool): Whether to link linkers to the Scenes beside them.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    scorer (Optional[Callable]): The scoring method.
    """

    def __init__(
        self,
        name: str,
        *,
        levels: bool = True,
        linkage: bool = False,
        repair: bool = True,
        scorer: Callable | None = None,
    ) -> None:
        self.name = name
        self.levels = levels
        self.linkage = linkage
        self.repair = repair
        self.scorer = scorer

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with the annotation that the graph is made of.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If that is missing, or not of UCCA.
        """
        graph = self.make_graph(doc)
        if self.repair:
            graph = repair_graph(graph, get_punct(doc))
        doc._.ucca = add_linkage(graph) if self.linkage else graph
        return doc

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that the annotation of a Doc stands for."""
        raise NotImplementedError
