"""What components that make UCCA graphs of another component's output have in common: what is done to a graph before it
is set. Nothing is learned here; what makes the graphs is said by `from_dependencies.py` and `bilexical/to_ucca.py`.
"""

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
    levels (bool): The way back from arcs to graphs: see `conversion.bilexical.from_bilexical`.
    linkage (bool): Whether to link linkers to the Scenes beside them; see `linkage.add_linkage`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
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
        """RETURNS (Graph): The graph of a Doc, as it was said to be."""
        raise NotImplementedError
