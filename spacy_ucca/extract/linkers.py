"""What links Scenes: "because", "and", "if". Which Scene a Linker belongs to, and which one it links that Scene to."""

from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from spacy.tokens import Doc, Span, Token

from ..graph import Graph
from ..graph.unit import Unit
from .clauses import PASSIVE, SUBJECTS
from .markers import ADVERB, COORDINATOR, SUBORDINATOR, Marker, find_markers
from .parallel import ScenePlaces, has_words
from .words import is_modal, line_of, span_of, words_of


class Link(NamedTuple):
    """A Linker of a Scene.

    span (Span): The Linker.
    scene (Optional[Unit]): The Scene that it links to: the one that the Scene depends on ("if", "because"), or the one before that
        it is coordinated with ("and"). None if it links to no Scene of the sentence.
    """

    span: Span
    scene: Unit | None


class Condition(NamedTuple):
    """What a Scene depends on.

    linker (Span): What sets the condition: "if", "only if", "unless".
    span (Span): The condition: "it rains".
    scene (Optional[Unit]): Its Scene; None if the graph has none.
    """

    linker: Span
    span: Span
    scene: Unit | None

    @property
    def text(self) -> str:
        """RETURNS (str): The condition on one line, without the linker."""
        return line_of(self.span)


class Linkage:
    """Which Scenes of a Doc are linked: by the graph, and by dependencies where there are some.

    doc (Doc): A Doc.
    graph (Graph): Its graph.
    links (Dict[Unit, List[Link]]): The links of Scenes, in text order.
    conditions (Dict[Unit, List[Condition]]): The conditions of Scenes, in text order.
    governors (Dict[Unit, Unit]): For Scenes that depend on another one, that one.
    firsts (Dict[Unit, Unit]): For Scenes that are coordinated with a dependent one, the first of these.
    places (Dict[Unit, int]): For Scenes that depend on something, the token that they depend on.
    relations (Dict[Unit, Relation]): The relations of all Scenes.
    """

    def __init__(self, doc: Doc, graph: Graph) -> None:
        self.doc = doc
        self.links: dict[Unit, list[Link]] = {}
        self.conditions: dict[Unit, list[Condition]] = {}
        self.governors: dict[Unit, Unit] = {}
        self.firsts: dict[Unit, Unit] = {}
        self.places: dict[Unit, int] = {}
        self._has_tree = doc.has_annotation("DEP")
        markers = find_markers(doc, graph)
        marked = {t.i for m in markers if m.is_condition for t in m.span if t != m.clause}
        self._scenes = ScenePlaces(doc, graph, marked)
        self.relations = self._scenes.relations
        self._link([self._checked(marker) for marker in markers])

    def is_marker(self, scene: Unit) -> bool:
        """RETURNS (bool): Whether a Scene is none for a reader: "provided" of "provided that he comes"."""
        return self._scenes.is_marker(scene)

    @cached_property
    def condition_scenes(self) -> set[Unit | None]:
        """RETURNS (Set[Unit]): The Scenes that are conditions."""
        return {c.scene for found in self.conditions.values() for c in found}

    @cached_property
    def _governed(self) -> dict[int, list[Unit]]:
        """RETURNS (Dict[int, List[Unit]]): By the last token of a condition, the Scenes that depend on it."""
        governed: dict[int, list[Unit]] = defaultdict(list)
        for scene, found in self.conditions.items():
            for condition in found:
                governed[condition.span[-1].i].append(scene)
        return governed

    def has_condition(self, unit: Unit) -> bool:
        """RETURNS (bool): Whether a unit is, or contains, a condition of a Scene outside."""
        scenes = (scene for i in unit.tokens() for scene in self._governed.get(i, ()))
        return any(scene != unit and unit not in scene.ancestors() for scene in scenes)

    def _link(self, markers: list[Marker]) -> None:
        begun = [(marker, self._begun(marker)) for marker in markers]
        starts = {s: m for m, s in begun if s is not None and m.kind == SUBORDINATOR}
        for marker, scene in begun:
            if marker.kind == COORDINATOR and scene is not None and scene not in starts:
                if (other := self._dependent_before(marker, scene, starts)) is not None:
                    self.firsts[scene] = self.firsts.get(other, other)
        joined: dict[Unit, list[Unit]] = defaultdict(list)
        for each, first in self.firsts.items():
            joined[first].append(each)
        dependent = {*starts, *self.firsts}
        for marker, scene in begun:
            if marker.kind != SUBORDINATOR:
                continue
            scenes = [] if scene is None else [scene, *joined[scene]]
            governor = self._governor(marker, scene, starts, dependent)
            if marker.is_condition and governor is not None:
                self._add_conditions(marker, governor, scenes)
            token = marker.governor if governor is None else self._scenes.verbs.get(governor)
            for each in scenes:
                if each != governor:
                    self._add(each, marker.span, governor)
                    if governor is not None:
                        self.governors.setdefault(each, governor)
                    if token is not None:
                        self.places.setdefault(each, token.i)
        for marker, scene in begun:
            if marker.kind != SUBORDINATOR and scene is not None:
                self._add(scene, marker.span, self._linked(marker, scene))
        for links in self.links.values():
            links.sort(key=lambda link: link.span.start)
        self._share_conditions()

    def _add(self, scene: Unit, span: Span, other: Unit | None) -> None:
        links = self.links.setdefault(scene, [])
        if all(link.span.start != span.start for link in links):
            links.append(Link(span, other))

    def _add_conditions(self, marker: Marker, governor: Unit, scenes: list[Unit]) -> None:
        spans = [(self._said(marker, governor, scene, scenes), scene) for scene in scenes]
        found = [Condition(marker.span, span, scene) for span, scene in spans if span is not None]
        if not scenes and marker.clause is not None:
            start, end = marker.span.end, max(t.i + 1 for t in marker.clause.subtree)
            end = next((i for i in range(start, end) if self.doc[i].is_punct), end)
            found += [Condition(marker.span, self.doc[start:end], None)] if start < end else []
        self.conditions[governor] = _merged(self.conditions.get(governor, []), found)

    def _said(self, marker: Marker, governor: Unit, scene: Unit, scenes: list[Unit]) -> Span | None:
        """RETURNS (Optional[Span]): The words of a condition: those of its Scene, and what depends on these in the tree."""
        span, verb = span_of(self.doc, scene), self._scenes.verbs.get(scene)
        if scene in governor.ancestors() and marker.clause is not None:
            span = self.doc[marker.span.end : max(t.i + 1 for t in marker.clause.subtree)]
        if span is None or verb is None or not self._has_tree:
            return _without(span, marker.span)
        verbs = {self._scenes.verbs.get(each) for each in (*scenes, governor) if each != scene}
        verbs.update(t for t in verb.subtree if t.dep_ == "conj" and self._scenes.is_verb(t))
        below = {t.i for each in verbs if each and verb.is_ancestor(each) for t in each.subtree}
        inside = {t.i for t in verb.subtree} - below
        end = span.end
        while end in inside or (end + 1 in inside and self.doc[end].is_punct):
            end += 1
        return _without(self.doc[span.start : end], marker.span)

    def _checked(self, marker: Marker) -> Marker:
        """RETURNS (Marker): A marker, where the tree and the graph agree which clause it begins and which one that depends on."""
        clause, governor, start = marker.clause, marker.governor, marker.span.start
        if marker.kind != SUBORDINATOR or clause is None:
            return marker
        parts = self._scenes.after(start) if marker.is_linker else []
        if not parts[1:]:
            return marker
        verb, inside = self._scenes.verbs.get(parts[0], clause), parts[0].tokens()
        if governor is None and clause.i not in inside:
            # The clause is the root, so it is the main one after that of the marker.
            return marker._replace(clause=verb, governor=clause)
        if governor is not None and governor.i > start and {governor.i, clause.i} <= {*inside}:
            return marker._replace(clause=verb, governor=None)
        return marker

    def _begun(self, marker: Marker) -> Unit | None:
        """RETURNS (Optional[Unit]): The Scene of the clause that a marker begins."""
        start, clause = marker.span.start, marker.clause
        if clause is not None and clause.i not in range(start, marker.span.end):
            scene = self._scenes.scene_of(clause)
            if marker.governor is not None and scene == self._scenes.scene_of(marker.governor):
                return None  # "if not, see the page"
            tokens = scene.tokens() if scene is not None and has_words(scene) else ()
            is_dependent = marker.kind == SUBORDINATOR and clause.i > start
            if tokens and (tokens[0] >= start or start in tokens or is_dependent):
                return scene
            if marker.kind == SUBORDINATOR and (scene is None or not marker.is_linker):
                return None
        return next(iter(self._scenes.after(start)), None)

    def _dependent_before(
        self, marker: Marker, scene: Unit, starts: dict[Unit, Marker]
    ) -> Unit | None:
        """RETURNS (Optional[Unit]): The dependent Scene that a Scene is coordinated with, and so depends as that one does."""
        verb = self._scenes.verbs.get(scene)
        before = self._scenes.before(marker.span.start, scene)
        near = next((s for s in before if s in starts or s in self.firsts), None)
        if self._has_tree and verb is not None and verb.dep_ == "conj" and verb.head.i < verb.i:
            above = self._scenes.scene_of(verb.head)
            if above is not None and above != scene and (above in starts or above in self.firsts):
                if not self._is_main(marker, verb, starts[self.firsts.get(above, above)]):
                    return above
        if near is None or near != before[0] or verb is None:
            return None
        begin = starts[self.firsts.get(near, near)]
        governor = begin.governor
        if governor is None:
            return near if self._is_initial(begin, scene) else None
        if begin.span.start < verb.i < governor.i:
            return near
        is_near = verb.head == governor and self._is_nearer(marker, verb, governor, near)
        return near if verb.dep_ == "conj" and is_near else None

    def _is_main(self, marker: Marker, verb: Token, begin: Marker) -> bool:
        """RETURNS (bool): Whether a clause after a comma has the subject of the main one: "I bought it, although it was dear, and I like
        it"."""
        governor, previous = begin.governor, self.doc[marker.span.start - 1]
        if governor is None or governor.i > begin.span.start or not previous.is_punct:
            return False
        own, main = _subject(verb), _subject(governor)
        other = None if begin.clause is None else _subject(begin.clause)
        words = [None if each is None else each.lower_ for each in (own, main, other)]
        return own is not None and words[0] == words[1] != words[2]

    def _is_initial(self, begin: Marker, scene: Unit) -> bool:
        """RETURNS (bool): Whether a marker begins its sentence, and other Scenes follow one."""
        start, end = begin.span.start, scene.tokens()[-1]
        return not self._scenes.before(start) and any(
            s.tokens()[0] > end for s in self._scenes.after(start)
        )

    def _is_nearer(self, marker: Marker, verb: Token, governor: Token, near: Unit) -> bool:
        """RETURNS (bool): Whether a clause after a dependent one is coordinated with that, though the tree has it coordinated with what
        governs both: "We stay if it rains and it is cold"."""
        subject, before = _subject(verb), self._scenes.verbs.get(near)
        if self.doc[marker.span.start - 1].is_punct or subject is None or before is None:
            return False
        own, dependent, governing = (
            None if t is None else t.lower_ for t in (subject, _subject(before), _subject(governor))
        )
        if dependent != governing and own in (dependent, governing):
            return own == dependent
        modals = [{t.lower_ for t in v.children if is_modal(t)} for v in (verb, governor)]
        return modals[0] != modals[1] or not modals[0]

    def _governor(
        self, marker: Marker, scene: Unit | None, starts: dict[Unit, Marker], dependent: set[Unit]
    ) -> Unit | None:
        """RETURNS (Optional[Unit]): The Scene that the Scene of a subordinator depends on."""
        start = marker.span.start
        if marker.governor is not None:
            found = self._scenes.scene_of(marker.governor)
            is_within = (
                scene is not None
                and found is not None
                and scene in found.ancestors()
                and (marker.clause is None or marker.clause.is_ancestor(marker.governor))
            )
            if found is not None and found != scene and not is_within:
                if marker.clause is not None and marker.clause.dep_ == "conj" and found in starts:
                    return self.governors.get(found, found)  # "if it rains or if it is cold"
                if found not in dependent or start > marker.governor.i:
                    return found
        end = marker.span.end if scene is None else scene.tokens()[-1]
        after = [s for s in self._scenes.after(start) if s.tokens()[0] > end]
        for other in (*self._scenes.before(start), *after):
            if other not in dependent:
                return other
        return None if scene is None else scene.host

    def _linked(self, marker: Marker, scene: Unit) -> Unit | None:
        """RETURNS (Optional[Unit]): The Scene that a coordinator or an adverb links its Scene to."""
        verb, own = self._scenes.verbs.get(scene), self.governors.get(scene)
        is_coordinator = marker.kind == COORDINATOR
        if self._has_tree and is_coordinator and verb is not None and verb.dep_ == "conj":
            found = self._scenes.scene_of(verb.head)
            if found in self.governors and own is None:
                found = self.governors[found]
            if found is not None and found not in (scene, own):
                return found
        before = self._scenes.before(marker.span.start, scene)
        for other in before:
            governor = self.governors.get(other)
            is_same = is_coordinator and own == governor
            if governor is None or is_same or (governor == scene and marker.kind == ADVERB):
                return other
        words = marker.span.text.lower().split()
        if not before and (
            words[0] in words_of(self.doc, "correlatives")
            or " ".join(words[:2]) in words_of(self.doc, "not_only")
        ):
            before = self._scenes.after(marker.span.start, scene)
        return next(iter(before), None)

    def _share_conditions(self) -> None:
        """Conjuncts of what a condition governs depend on it too, unless it stands with another of them."""
        contrasts = {";", *words_of(self.doc, "contrasts")}
        for scene, verb in self._scenes.verbs.items() if self._has_tree else ():
            if verb.dep_ != "conj" or scene in self.governors or self._scenes.is_marker(scene):
                continue
            above = self._scenes.scene_of(verb.head)
            if above is None or above == scene or above in self.governors:
                continue
            own, others = self.conditions.get(scene, []), self.conditions.get(above, [])
            between = self.doc[verb.head.i : verb.i]
            is_apart = any(t.lower_ in contrasts for t in between)
            is_apart |= any(between.start < c.linker.start < verb.i for c in own)
            if is_apart or any(kid.dep_ == "mark" for kid in verb.children):
                continue
            late = [c for c in own if c.linker.start > verb.i]
            early = [c for c in others if not between.start < c.linker.start < verb.i]
            if early:
                self.conditions[scene] = _merged(early, own)
            has_punct = any(t.is_punct for t in between)
            if late and _subject(verb) is None:
                if not has_punct or self.doc[late[0].linker.start - 1].is_punct:
                    self.conditions[above] = _merged(others, late)


def _merged(left: list[Condition], right: list[Condition]) -> list[Condition]:
    return sorted({*left, *right}, key=lambda c: (c.linker.start, c.span.start))


def _subject(verb: Token) -> Token | None:
    return next((k for k in verb.children if k.dep_ in SUBJECTS | PASSIVE), None)


def _without(span: Span | None, marker: Span) -> Span | None:
    """RETURNS (Optional[Span]): A span without a marker at its start, white space, and punctuation at its ends."""
    if span is None:
        return None
    is_inside = span.start < marker.end and marker.start < span.end
    start = min(marker.end, span.end) if is_inside else span.start
    kept = [t.i for t in span.doc[start : span.end] if not (t.is_punct or t.is_space)]
    return span.doc[kept[0] : kept[-1] + 1] if kept else None
