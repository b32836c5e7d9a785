"""Base class of the components that convert the output of another component to UCCA graphs, without training."""

from collections.abc import Callable
from typing import Any

from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc

from ..graph import Graph
from ..parser.settings import Configurable, ConversionSettings
from ..rules.linkage import add_linkage
from ..rules.repair import repair as repair_graph
from ..tokens.extension import get_punct


class GraphMaker(Configurable[ConversionSettings], Pipe, settings=ConversionSettings):
    """Base class: sets `doc._.ucca`, one root per sentence, to what `make_graph` gives. The fields of the settings are also
    attributes, such as `component.repair`, and may be set.

    name (Optional[str]): The component instance name; None is that of the factory.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of its settings.
    """

    default_name: str

    def __init__(
        self, name: str | None = None, *, scorer: Callable | None = None, **settings: Any
    ) -> None:
        self.name = self.default_name if name is None else name
        self.scorer = scorer
        self._set_settings(self._settings_type(**settings))

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with the annotation that the graph is made of.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If that is missing, or not of UCCA.
        """
        graph = self.make_graph(doc)
        if self.settings.repair:
            graph = repair_graph(graph, get_punct(doc))
        doc._.ucca = add_linkage(graph) if self.settings.linkage else graph
        return doc

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that the annotation of a Doc stands for."""
        raise NotImplementedError
