"""Who did what to whom: the Scenes of a Doc as records of spaCy's Spans and Tokens, and as plain data."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any, SupportsIndex, overload

import srsly
from spacy.tokens import Doc, Span, Token

from ..errors import Errors, UccaError, Warnings
from ..graph.categories import no_attribute
from ..graph.unit import Unit
from ..methods import load_package
from ..tokens.extension import require_graph
from . import network
from .arguments import Argument, find_arguments, find_elided_arguments
from .circumstances import is_time_span, sort_others
from .forms import is_inflected, is_reflexive
from .kinds import is_clause, is_possessive, is_relative
from .linkers import Condition, Link, Linkage
from .polarity import COMPLEMENTS, polarity_of
from .relations import Relation, is_auxiliary
from .words import find_negation, first_token, is_modal, is_negation, line_of, span_of

__all__ = ["Argument", "Link", "Predication", "Predications", "predications"]

COLUMNS = """scene relation lemma subject object others times places adverbials negated polarity modality secondary links conditions
shared host kind is_clause start end score""".split()
SHOWN = ("subject", "relation", "object", "others", "times", "places", "negated")


@dataclass(frozen=True)
class Predication:
    """What a Scene says: a relation and who and what takes part in it.

    scene (Unit): The Scene.
    relation (Optional[Span]): The words of its main relation, from the first to the last; those of another Scene, if its own verb is
        elided. None without words, as for "No fever."
    head (Optional[Token]): The lexical head of the relation, one of its words: "come" of "will come", "member" of "is a member".
    subject (Optional[Argument]): Who or what does it or is it; in the passive the agent.
    object (Optional[Argument]): Whom or what it is done to; in the passive the subject in form.
    others (Tuple[Argument, ...]): The other participants, in text order; implicit ones come last.
    times (Tuple[Span, ...]): When and how long.
    places (Tuple[Span, ...]): Where, from where and to where.
    adverbials (Tuple[Span, ...]): How; without negation, modality, times and places.
    negation (Optional[Token]): The word that denies it.
    modality (Tuple[Token, ...]): Modal verbs: "ca" of "can't". Plain data have their norm, "can".
    secondary (Tuple[Token, ...]): Verbs that only say how it begins, is tried or wanted: "began" of "began to eat".
    links (Tuple[Link, ...]): What links it to other Scenes, such as "because".
    conditions (Tuple[Condition, ...]): What it depends on: "it rains" of "If it rains, we stay", for "stay".
    host (Optional[Unit]): The Scene that it is a part of.
    score (Optional[float]): The lowest of the parser's scores of the edges to the relation, subject and object.
    doc (Doc): The Doc.
    """

    scene: Unit
    relation: Span | None
    head: Token | None
    subject: Argument | None
    object: Argument | None
    others: tuple[Argument, ...]
    times: tuple[Span, ...]
    places: tuple[Span, ...]
    adverbials: tuple[Span, ...]
    negation: Token | None
    modality: tuple[Token, ...]
    secondary: tuple[Token, ...]
    links: tuple[Link, ...]
    conditions: tuple[Condition, ...]
    host: Unit | None
    score: float | None
    doc: Doc = field(repr=False, compare=False)
    _relation: Relation = field(repr=False, compare=False)
    _is_condition: bool = field(repr=False, compare=False)
    _numbers: dict[Unit, int] = field(repr=False, compare=False)

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, self.__dataclass_fields__)

    def _repr_html_(self) -> str:
        """RETURNS (str): A table of one row, for notebooks."""
        return Predications([self])._repr_html_()

    @property
    def lemma(self) -> str:
        """RETURNS (str): The lemma of the head, or its form in lower case without lemmas; "" without head."""
        return "" if self.head is None else self.head.lemma_ or self.head.lower_

    @property
    def is_negated(self) -> bool:
        """RETURNS (bool): Whether the text denies it."""
        return self.negation is not None

    @property
    def polarity(self) -> str:
        """RETURNS (str): "positive" if the text says that it happens or holds, "negative" if it says that it does not, otherwise
        "unknown": see `polarity_of`. Without dependencies it is "negative" or "unknown"."""
        verb = self._relation.verb if self._relation.elided else self.head
        if verb is None or self.relation is None or not self.doc.has_annotation("DEP"):
            return "negative" if self.is_negated else "unknown"
        is_free = self.conditions and all(
            c.linker[-1].lower_ == "case" and c.linker.start > verb.i for c in self.conditions
        )  # "They leave in case it rains."
        if self._is_condition or (self.conditions and not is_free):
            return "unknown"
        kids = (k for k in verb.children if k.dep_ in COMPLEMENTS and k in self.relation)
        kids = (k for k in kids if not is_reflexive(k))
        return polarity_of(next(kids, verb), self.negation, self.scene.tokens())

    @property
    def is_clause(self) -> bool:
        """RETURNS (bool): Whether it has a clause, and not just a noun or an attribute; False without head."""
        return self.head is not None and is_clause(self.doc, self.scene, self._relation)

    @property
    def is_relative(self) -> bool:
        """RETURNS (bool): Whether it is a relative clause."""
        return is_relative(self.doc, self.scene, self._relation)

    @property
    def is_possessive(self) -> bool:
        """RETURNS (bool): Whether it says whose something is."""
        return is_possessive(self.doc, self.scene)

    @property
    def kind(self) -> str:
        """RETURNS (str): What the Scene is for the unit that it stands in: see `Unit.scene_kind`."""
        return self.scene.scene_kind or ""

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Plain data: texts, flags, the characters of the relation, and numbers of Scenes: those in
        `graph.scenes`."""
        numbers: Any = self._numbers.get  # None for no Scene
        arguments = [self.subject, self.object, *self.others]
        return {
            "scene": numbers(self.scene),
            "relation": line_of(self.relation) if self.relation else "(implicit)",
            "lemma": self.lemma,
            "subject": self.subject.text if self.subject else None,
            "object": self.object.text if self.object else None,
            "others": [line_of(a.span) if a.span is not None else a.text for a in self.others],
            "times": [line_of(span) for span in self.times],
            "places": [line_of(span) for span in self.places],
            "adverbials": [line_of(span) for span in self.adverbials],
            "negated": self.is_negated,
            "polarity": self.polarity,
            "modality": [token.norm_ for token in self.modality],  # "can" for the "ca" of "can't"
            "secondary": [token.text for token in self.secondary],
            "links": [
                {"text": line_of(link.span), "scene": numbers(link.scene)} for link in self.links
            ],
            "conditions": [
                {"linker": line_of(c.linker), "text": c.text, "scene": numbers(c.scene)}
                for c in self.conditions
            ],
            "shared": [a.text for a in arguments if a and a.is_shared],
            "host": numbers(self.host),
            "kind": self.kind,
            "is_clause": self.is_clause,
            "start": self.relation.start_char if self.relation else None,
            "end": self.relation.end_char if self.relation else None,
            "score": self.score,
        }


class Predications(list[Predication]):
    """A list of `Predication` that can be written as plain data."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name)

    @overload
    def __getitem__(self, i: SupportsIndex) -> Predication: ...
    @overload
    def __getitem__(self, i: slice) -> "Predications": ...
    def __getitem__(self, i: SupportsIndex | slice) -> "Predication | Predications":
        """RETURNS (Union[Predication, Predications]): A predication; Predications of a slice."""
        found = super().__getitem__(i)
        return Predications(found) if isinstance(found, list) else found

    def to_dicts(self) -> list[dict[str, Any]]:
        """RETURNS (List[Dict[str, Any]]): `Predication.to_dict()` of each, with `doc`: the number of its Doc, in the order given."""
        numbers: dict[int, int] = {}
        return [{"doc": numbers.setdefault(id(p.doc), len(numbers)), **p.to_dict()} for p in self]

    def to_json(self) -> str:
        """RETURNS (str): The dicts as a list in JSON."""
        return srsly.json_dumps(self.to_dicts())

    def to_pandas(self) -> Any:
        """RETURNS (pandas.DataFrame): A row for each, a column for each key of the dicts.
        RAISES (UccaError): If pandas is not installed."""
        frame = load_package("pandas").DataFrame(self.to_dicts(), columns=["doc", *COLUMNS])
        return frame.astype(dict.fromkeys(("host", "start", "end"), "Int64"))

    def to_networkx(self) -> Any:
        """Make a network of Scenes and their participants.

        RETURNS (networkx.MultiDiGraph): A node for each predication, named by its place in the list, with `label`, its lemma or
            relation, and the keys of its dict as texts, numbers and flags. A node for each participant, time and place that has
            words, one for all Scenes that share it, named "DOC:TOKEN" by its head. `type` is "Scene" or "participant". Edges have
            `kind` and `label`: "link" and "condition" lead from the Scene of a Linker to the one that it links to, with its words;
            "host" to the Scene around; "subject", "object", "other", "time" and "place" to participants.
        RAISES (UccaError): If NetworkX is not installed."""
        return network.to_networkx(self)

    def to_svg(self) -> str:
        """RETURNS (str): A picture as SVG: a line for each predication, indented below its host, with arcs for Linkers beside them,
        from the Scene of each to the one that it links to."""
        return network.to_svg(self)

    def to_arrow(self) -> Any:
        """RETURNS (pyarrow.Table): A row for each, a column for each key of the dicts: see `table.py`.
        RAISES (UccaError): If PyArrow is not installed."""
        from .table import DOC_SCHEMA, pa

        return pa.Table.from_pylist(self.to_dicts(), schema=DOC_SCHEMA)

    def _repr_html_(self) -> str:
        """RETURNS (str): A table, for notebooks."""
        rows = ["<tr>" + "".join(f"<th>{name}</th>" for name in SHOWN) + "</tr>"]
        for row in self.to_dicts():
            cells = (_cell(row[name]) for name in SHOWN)
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
        return f'<table class="ucca-predications">{"".join(rows)}</table>'


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "not" if value else ""
    return "; ".join(value) if isinstance(value, list) else value or ""


def predications(docs: Doc | Span | Iterable[Doc], *, clauses: bool = False) -> Predications:
    """Find who did what to whom.

    docs (Union[Doc, Span, Iterable[Doc]]): A Doc with a graph, a sentence of one, or several Docs. Subjects and objects are
        found best if Docs have dependencies and tags too; without, a warning says that the first participant counts as the
        subject. The next one without preposition is the object.
    clauses (bool): Leave out Scenes of nouns and attributes, such as "her sister" and "the big house", and those without head.
    RETURNS (Predications): A list of one Predication for each Scene, in the order of `graph.scenes`.
    RAISES (UccaError): If a Doc has no graph, or something is no Doc.
    """
    if isinstance(docs, Doc | Span):
        return Predications(_of_doc(docs, clauses))
    if isinstance(docs, str) or not isinstance(docs, Iterable):
        raise UccaError(Errors.UC691.format(type=type(docs).__name__))
    return Predications(p for doc in docs for p in _of_doc(doc, clauses))


def _of_doc(text: Doc | Span, clauses: bool) -> Iterator[Predication]:
    if not isinstance(text, Doc | Span):
        raise UccaError(Errors.UC691.format(type=type(text).__name__))
    doc = text if isinstance(text, Doc) else text.doc
    graph = require_graph(doc)
    inside = range(0, len(doc)) if isinstance(text, Doc) else range(text.start, text.end)
    numbers = {scene: i for i, scene in enumerate(graph.scenes)}
    if numbers and not doc.has_annotation("DEP"):
        warnings.warn(Warnings.UW690, stacklevel=3)
    linkage = Linkage(doc, graph)
    for scene, relation in linkage.relations.items():
        place = first_token(scene) if relation.verb is None else relation.verb.i
        if linkage.is_marker(scene) or not (place in inside or isinstance(text, Doc)):
            continue
        if not clauses or (relation.head and is_clause(doc, scene, relation)):
            yield _of_scene(doc, scene, relation, numbers, linkage)


def _of_scene(
    doc: Doc, scene: Unit, relation: Relation, numbers: dict[Unit, int], linkage: Linkage
) -> Predication:
    head, verb = relation.head, relation.verb
    if head is None or verb is None or relation.elided:
        subject, object, others = find_elided_arguments(doc, scene, relation)
    else:
        subject, object, others = find_arguments(doc, scene, verb, head)
    others, times, places = sort_others(others, head if relation.elided else verb)
    conditions = tuple(linkage.conditions.get(scene, ()))
    starts = {condition.linker.start for condition in conditions}
    places = tuple(span for span in places if span.start not in starts)  # "à condition que"
    negation = find_negation(doc, scene, verb)
    adverbs = [unit for unit in scene.adverbials if not unit.is_implicit]
    words = [doc[i] for unit in (*adverbs, *scene.functions) for i in unit.tokens()]
    if relation.elided and verb is not None and verb not in words:
        words.append(verb)
    modality = tuple(token for token in words if is_modal(token)) or _shared_modality(verb)
    auxiliary = verb if verb and (not relation.elided or is_auxiliary(verb)) else None
    secondary = tuple(
        token
        for token in words
        if token.pos_ == "VERB"
        and not token.dep_.startswith("aux")
        and token not in (auxiliary, head, *modality)
    )
    said = {negation, *modality, *secondary, auxiliary, head}
    rest: list[Span] = []
    for unit in adverbs:
        span = span_of(doc, unit)
        if span is None or any(doc[i] in said for i in unit.tokens()):
            continue
        if is_time_span(span):
            times = (*times, span)
        else:
            rest.append(span)
    graph_times = [span_of(doc, unit) for unit in scene.times if not unit.is_implicit]
    times = (*times, *(s for s in graph_times if s and not any(map(is_negation, s))))
    return Predication(
        scene,
        relation.span,
        head,
        subject,
        object,
        others,
        tuple(sorted(times)),
        tuple(sorted(places)),
        tuple(rest),
        negation,
        modality,
        secondary,
        tuple(linkage.links.get(scene, ())),
        conditions,
        scene.host,
        _lowest(scene, subject, object),
        doc,
        relation,
        scene in linkage.condition_scenes,
        numbers,
    )


def _shared_modality(verb: Token | None) -> tuple[Token, ...]:
    """RETURNS (Tuple[Token, ...]): The modal verbs of the clause that a verb is coordinated with: "may" for "sell" of "may copy and
    sell"."""
    while verb is not None and verb.dep_ == "conj" and verb.head.i < verb.i:
        kids = {kid.dep_.partition(":")[0] for kid in verb.children}
        if kids & {"nsubj", "csubj", "aux", "cop", "mark", "expl"} or is_inflected(verb):
            return ()
        verb = verb.head
        if found := tuple(kid for kid in verb.children if kid.dep_ == "aux" and is_modal(kid)):
            return found
    return ()


def _lowest(scene: Unit, *arguments: Argument | None) -> float | None:
    edges = [*scene.edges_by("P", "S")[:1], *(a.edge for a in arguments if a and a.edge)]
    return min((edge.score for edge in edges if edge.score is not None), default=None)
