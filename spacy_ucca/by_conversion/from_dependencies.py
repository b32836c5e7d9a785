"""`ucca_from_dependencies`: the pipeline component that converts predicted dependency trees to UCCA graphs.

The parser before it is spaCy's own `parser`, trained on trees of UCCA graphs (`spacy-ucca dependencies`,
`configs/conversion.cfg`): parsing by conversion, as in section 3.2 of the draft "Broad-Coverage Semantic
Constituency Parsing" (Hershcovich, Abend and Rappoport).
"""

from spacy.tokens import Doc

from ..graph import Graph
from ..parser.settings import DependencySettings
from ..tokens.dependencies import clear_dependencies, graph_from_dependencies
from .base import GraphMaker


class UccaFromDependencies(GraphMaker, settings=DependencySettings):
    """Convert the dependencies of each Doc to a UCCA graph on `doc._.ucca`, one root per sentence.

    name (Optional[str]): The component instance name.
    **settings: The fields of `DependencySettings`, and `scorer`.
    """

    default_name = "ucca_from_dependencies"

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with dependencies.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If it has no dependencies, or labels that are no categories.
        """
        super().__call__(doc)
        if self.clear:
            clear_dependencies(doc)
        return doc

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that the dependencies stand for."""
        return graph_from_dependencies(doc, levels=self.levels, one_unit=self.one_unit)
