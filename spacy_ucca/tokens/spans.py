"""Scenes in `doc.spans`, for displaCy's style "span" and for whatever else reads span groups."""

from spacy.tokens import Doc, Span

from ..graph import Graph
from ..graph.unit import Unit
from ..text.spacing import token_runs
from .extension import require_graph

SCENE = "Scene"


def set_spans(doc: Doc, key: str = "sc", *, participants: bool = False) -> None:
    """Put the Scenes of a Doc in `doc.spans[key]`, in place of what is there: `displacy.render(doc, style="span")` draws them.

    A discontinuous unit is a Span for each stretch of its tokens, and an implicit one has none. All Spans of a Scene and its
    participants have the number of the Scene in `graph.scenes` as their `id_`. A participant that several Scenes share is
    there once for each.

    doc (Doc): A Doc with a graph.
    key (str): The name of the group; displaCy draws "sc" by default.
    participants (bool): The participants too. Scenes have the label "Scene", participants that of their unit, such as "A".
    RAISES (UccaError): If the Doc has no graph.
    """
    graph = require_graph(doc)
    spans: list[Span] = []
    for number, scene in enumerate(graph.scenes):
        spans += _spans(doc, graph, scene, SCENE, number)
        for unit in scene.participants if participants else ():
            spans += _spans(doc, graph, unit, unit.label, number)
    doc.spans[key] = spans


def _spans(doc: Doc, graph: Graph, unit: Unit, label: str, number: int) -> list[Span]:
    runs = token_runs(graph, unit.index)
    return [Span(doc, start, end, label=label, span_id=str(number)) for start, end in runs]
