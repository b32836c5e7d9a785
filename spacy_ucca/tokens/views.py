"""What tools of spaCy read of a graph: `Token._.ucca_label` and `Token._.ucca_scene` for `Matcher`, Scenes in `doc.spans` for displaCy."""

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from spacy.attrs import IDX, ORTH
from spacy.tokens import Doc, Span, Token

from ..formats.scenes import scene_numbers
from ..graph import Graph
from ..graph.unit import Unit
from ..text.spacing import token_runs
from .extension import UCCA, get_graph, require_graph
from .storage import find_key

NOTHING = ("", 0)


class _Values(NamedTuple):
    """The values of the tokens of a Doc, and what they were read of.

    key, stored: The entry of the graph.
    tokens: First character and word of each token.
    """

    key: Any
    stored: str
    tokens: list[list[int]]
    values: list[tuple[str, int]]

    def are_of(self, token: Token) -> bool:
        """RETURNS (bool): Whether the values are still true of a token. A matcher asks for each token, so its whole Doc is not
        looked at."""
        doc, i = token.doc, token.i
        return (
            len(self.tokens) == len(doc)
            and self.tokens[i] == [token.idx, token.orth]
            and doc.user_data.get(self.key) is self.stored
        )


_READ: "WeakKeyDictionary[Doc, _Values]" = WeakKeyDictionary()


def get_token_label(token: Token) -> str:
    """Get the label of the unit that a token hangs on, as `token._.ucca_label` does.

    token (Token): The token.
    RETURNS (str): The label, such as "A" or "S|A"; "" for a token that hangs on a root or on nothing, and without a graph.
    """
    return _values_of(token)[0]


def get_token_scene(token: Token) -> int:
    """Get the number of the smallest Scene of a token, as `token._.ucca_scene` does. `Matcher` takes no numbers below 0 and
    no None, so Scenes are counted from 1.

    token (Token): The token.
    RETURNS (int): The number: the Scene is `graph.scenes[number - 1]`. 0 for a token in no Scene, and without a graph.
    """
    return _values_of(token)[1]


def _values_of(token: Token) -> tuple[str, int]:
    doc = token.doc
    read = _READ.get(doc)
    if read is not None and read.are_of(token):
        return read.values[token.i]
    graph = get_graph(doc)
    if graph is None:
        return NOTHING
    scenes = scene_numbers(graph)
    labels = [unit.label for unit in map(graph.__getitem__, range(len(graph)))]
    owners = (graph.edge_tuples[e].parent if e >= 0 else -1 for e in graph.index.token_edge)
    values = [NOTHING if i < 0 else (labels[i], _number(scenes[i])) for i in owners]
    key = find_key(doc, UCCA)
    stored = doc.user_data.get(key)  # type: ignore[call-overload]
    if isinstance(stored, str):  # a record there could change
        places: Any = doc.to_array([IDX, ORTH]).reshape((-1, 2))  # type: ignore[union-attr]
        _READ[doc] = _Values(key, stored, places.tolist(), values)
    return values[token.i]


def _number(scene: int | None) -> int:
    return 0 if scene is None else scene + 1


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
