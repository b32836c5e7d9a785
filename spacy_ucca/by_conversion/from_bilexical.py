"""`ucca_from_bilexical`: the pipeline component that converts the graphs of `sdp_parser` to UCCA graphs.

The parser before it was trained, with the setting `tree`, on bilexical graphs of UCCA graphs, which `spacy-ucca bilexical`
makes.
"""

from spacy.tokens import Doc

from ..conversion.bilexical import from_bilexical
from ..conversion.graph import ROOT, TOP, Arc, BilexicalGraph
from ..errors import Errors, GraphError, UccaError
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, split_label
from ..sdp_parser.extension import get_sdp, sentence_arcs
from .base import GraphMaker


class UccaFromBilexical(GraphMaker):
    """Convert the bilexical graph of each Doc to a UCCA graph on `doc._.ucca`, one root per sentence.

    name (Optional[str]): The component instance name.
    **settings: The fields of `ConversionSettings`, and `scorer`.
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
        raise UccaError(Errors.UC884.format(text=text))
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
