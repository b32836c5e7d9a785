"""Components that convert the output of another component to UCCA graphs, without training.

`ucca_from_dependencies`: the pipeline component that converts predicted dependency trees to UCCA graphs.

The parser before it is spaCy's own `parser`, trained on trees of UCCA graphs (`spacy-ucca dependencies`,
`configs/conversion.cfg`): parsing by conversion, as in section 3.2 of the draft "Broad-Coverage Semantic
Constituency Parsing" (Hershcovich, Abend and Rappoport).

`ucca_from_bilexical`: the pipeline component that converts the graphs of `sdp_parser` to UCCA graphs.

The parser before it was trained, with the setting `tree`, on bilexical graphs of UCCA graphs, which `spacy-ucca bilexical`
makes.

`ucca_tree_parser`: spaCy's dependency parser, for trees of UCCA graphs in pipelines that have another
parser before it.

Model, transition system and training are spaCy's. The one difference is that existing dependencies are removed before
the trees are written, and not earlier: the model may read them as features.
"""

from collections.abc import Callable
from typing import Any

from spacy.pipeline.dep_parser import DependencyParser
from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc

from ..conversion.bilexical import from_bilexical
from ..conversion.graph import ROOT, TOP, Arc, BilexicalGraph
from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, split_label
from ..parser.settings import Configurable, ConversionSettings, DependencySettings
from ..rules.linkage import add_linkage
from ..rules.repair import repair as repair_graph
from ..sdp_parser.extension import get_sdp, sentence_arcs
from ..tokens.dependencies import clear_dependencies, graph_from_dependencies
from ..tokens.extension import get_punct


class GraphMaker(Configurable[ConversionSettings], Pipe, settings=ConversionSettings):
    """Base class: sets `doc._.ucca`, one root per sentence, to what `make_graph` gives. The fields of the settings are also
    attributes, such as `component.repair`, and may be set.

    name (Optional[str]): The component instance name; None is that of the factory.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[ConversionSettings]): The settings.
    """

    default_name: str

    def __init__(
        self,
        name: str | None = None,
        *,
        scorer: Callable | None = None,
        settings: ConversionSettings | None = None,
    ) -> None:
        self.name = self.default_name if name is None else name
        self.scorer = scorer
        self._set_settings(self._settings_type() if settings is None else settings)

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


class TreeParser(DependencyParser):
    """spaCy's `DependencyParser`, which writes its trees in place of dependencies that are there."""

    def set_annotations(self, docs: list[Doc], states_or_beams: Any) -> None:
        """Write trees to Docs.

        docs (List[Doc]): The Docs.
        states_or_beams (Any): The result of `predict`.
        """
        for doc in docs:
            clear_dependencies(doc)
        super().set_annotations(docs, states_or_beams)


class UccaFromDependencies(GraphMaker, settings=DependencySettings):
    """Convert the dependencies of each Doc to a UCCA graph on `doc._.ucca`, one root per sentence.

    name (Optional[str]): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[DependencySettings]): The settings.
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


class UccaFromBilexical(GraphMaker):
    """Convert the bilexical graph of each Doc to a UCCA graph on `doc._.ucca`, one root per sentence.

    name (Optional[str]): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[ConversionSettings]): The settings.
    """

    default_name = "ucca_from_bilexical"

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that `doc._.sdp` stands for."""
        return graph_from_sdp(doc, levels=self.levels, one_unit=self.one_unit)


def graph_from_sdp(doc: Doc, *, levels: bool = True, one_unit: bool = False) -> Graph:
    """Make the UCCA graph that the bilexical graph of a Doc stands for, with a root for each sentence.

    doc (Doc): The Doc, with `doc._.sdp` between its sentences' tokens.
    levels, one_unit (bool): The way back: see `from_bilexical`.
    RETURNS (Graph): The graph; what has no arcs is attached to nothing.
    RAISES (UccaError): If there is no graph, or one with labels that are no categories, with arcs between sentences, or
        whose primary arcs go round in a circle.
    """
    graph = get_sdp(doc)
    text = doc.text[:40]
    if graph is None:
        before = {"what": "arcs", "component": "an `sdp_parser`", "command": "bilexical"}
        raise UccaError(Errors.UC832.format(text=text, **before))
    starts = [0]
    if doc.has_annotation("SENT_START"):
        starts = [sent.start for sent in doc.sents]
    parts = []
    try:
        for start, end, arcs in zip(
            starts, [*starts[1:], len(doc)], sentence_arcs(doc, graph.arcs)
        ):
            tree = BilexicalGraph(
                graph.tokens[start:end],
                tuple(_shift(arc, start) for arc in arcs),
                graph.punct[start:end],
            )
            parts.append(
                from_bilexical(tree, levels=levels, one_unit=one_unit)
                if tree.arcs
                else Graph(tree.words, [], [], punct=tree.punct)
            )
    except GraphError as err:
        raise UccaError(Errors.UC885.format(text=text, reason=err)) from None
    return Graph.join(parts)


def _shift(arc: Arc, start: int) -> Arc:
    """RETURNS (Arc): An arc by the numbers of a sentence's tokens.
    RAISES (GraphError): If its label is no category."""
    if arc.head == ROOT:
        return Arc(ROOT, arc.dependent - start, TOP)
    if not set(split_label(arc.label)) <= CATEGORY_NAMES.keys():
        raise GraphError(f"'{arc.label}' is no category.")
    return arc._replace(head=max(arc.head - start, -2), dependent=arc.dependent - start)
