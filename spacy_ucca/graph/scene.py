"""Scenes, their participants, minimal centers, and places of units in a Doc.

`UnitRoles` has the properties of `Unit` that read categories, `GraphRoles` those of `Graph`. Both read edges; spaCy is not imported. Names follow the guidelines and, where it has them, the `ucca` package
(`FoundationalNode.participants` ...).

Children by remote edges count as children, so a participant that several Scenes
share is a participant of each, and so is an implicit one (`is_implicit`). An edge with several categories
counts for each of them: the unit under S|A is a state and a participant.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .categories import CATEGORY_NAMES, HEAD_PRIORITY, MAIN_RELATIONS
from .data import check_categories, check_words
from .kinds import SceneKinds

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    from .graph import Graph
    from .unit import Edge, Unit

CENTER, PARALLEL, PARTICIPANT, LINKER = "C", "H", "A", "L"

# A Scene is named after one category of the edge to it: these first, then the most head-like.
_KIND_ORDER = (PARALLEL, PARTICIPANT, "E", CENTER, *HEAD_PRIORITY)
_KIND_NAMES = {**{c: name.lower() for c, name in CATEGORY_NAMES.items()}, PARALLEL: "parallel"}
ROOT = "root"


class ChildrenOf:
    """A property of units: the children of one category, shared and implicit ones too.

    category (str): The category.
    doc (str): What these children are.
    """

    def __init__(self, category: str, doc: str) -> None:
        self.category = category
        self.__doc__ = f"RETURNS (Tuple[Unit, ...]): {doc}"

    def __get__(self, unit: "UnitRoles | None", owner: type) -> tuple["Unit", ...]:
        if unit is None:
            return self  # type: ignore[return-value]
        return unit.children_by(self.category)


class UnitRoles(SceneKinds):
    """The properties of `Unit` that depend on the meaning of categories."""

    __slots__ = ()

    if TYPE_CHECKING:
        graph: "Graph"
        index: int

        @property
        def edges(self) -> tuple["Edge", ...]: ...
        def edges_by(self, *categories: str, remotes: bool = True) -> tuple["Edge", ...]: ...
        @property
        def incoming(self) -> tuple["Edge", ...]: ...
        @property
        def categories(self) -> tuple[str, ...]: ...
        @property
        def parent(self) -> "Unit | None": ...
        def tokens(self, *, remotes: bool = False, punct: bool = True) -> tuple[int, ...]: ...

    def children_by(self, *categories: str, remotes: bool = True) -> tuple["Unit", ...]:
        """Children with any of some categories.

        *categories (str): Such as "A" and "D".
        remotes (bool): Also those that belong to another unit and are shared by this one.
        RETURNS (Tuple[Unit, ...]): The units, in text order, each once; implicit ones come last.
        RAISES (UccaError): If neither UCCA nor the graph has such a category.
        """
        children = (edge.child for edge in self.edges_by(*categories, remotes=remotes))
        return tuple(dict.fromkeys(children))

    processes = ChildrenOf("P", "Children that are Processes (P); rarely more than one.")
    states = ChildrenOf("S", "Children that are States (S); rarely more than one.")
    participants = ChildrenOf(
        PARTICIPANT, "Participants (A) of a Scene, shared and implicit ones too."
    )
    adverbials = ChildrenOf("D", "Adverbials (D) of a Scene: manner, modality, negation ...")
    times = ChildrenOf("T", "Times (T) of a Scene; in guidelines 1.x they are Adverbials.")
    grounds = ChildrenOf("G", "Grounds (G): what relates the Scene to the act of speaking.")
    centers = ChildrenOf(CENTER, "Centers (C) of a unit that is no Scene; several if coordinated.")
    elaborators = ChildrenOf("E", "Elaborators (E) of the centers.")
    quantifiers = ChildrenOf("Q", "Quantifiers (Q); in guidelines 1.x they are Elaborators.")
    connectors = ChildrenOf("N", 'Connectors (N) between centers, such as "and".')
    relators = ChildrenOf("R", "Relators (R), such as prepositions.")
    functions = ChildrenOf("F", "Functions (F): words that refer to nothing of their own.")
    linkers = ChildrenOf(LINKER, "Linkers (L) between the parallel Scenes under the unit.")
    parallel_scenes = ChildrenOf(
        PARALLEL,
        "Parallel Scenes (H) under the unit, by category, as in the `ucca` package: `is_scene` of each "
        "says whether it has a main relation.",
    )

    # Scenes

    @property
    def is_scene(self) -> bool:
        """RETURNS (bool): Whether the unit is a Scene: it has a Process or a State, perhaps shared
        with another Scene through a remote edge."""
        return self.index in self.graph.scene_numbers

    @property
    def main_relation(self) -> "Unit | None":
        """RETURNS (Optional[Unit]): The Process or State that makes the unit a Scene: of several, one of
        its own before a shared one, one with text before an implicit one, then the first. None if the
        unit is no Scene."""
        edge = self._main_edge
        return None if edge is None else edge.child

    @property
    def scene_score(self) -> float | None:
        """RETURNS (Optional[float]): The probability that a gold graph has a Scene with the same main relation, after the
        parser: the score of the edge to it. None if the unit is no Scene, and for graphs that nobody predicted."""
        edge = self._main_edge
        return None if edge is None else edge.score

    @property
    def _main_edge(self) -> "Edge | None":
        if not self.is_scene:
            return None
        edges = self.edges_by(*MAIN_RELATIONS)
        return min(edges, key=lambda e: (e.child.is_implicit, e.remote), default=None)

    @property
    def is_evoked(self) -> bool:
        """RETURNS (bool): Whether a noun or the like evokes the Scene: its main relation is one of its
        participants (S|A, P|A) as with relational nouns ("her sister"), agent nouns ("the buyer") and
        possessives ("my bicycle")."""
        return any(PARTICIPANT in e.categories for e in self.edges_by(*MAIN_RELATIONS))

    @property
    def scene_kind(self) -> str | None:
        """RETURNS (Optional[str]): What the Scene is for the unit it stands in (`parent`), after the
        category of the edge to it: "parallel", "participant", "elaborator", "center", "adverbial",
        "time" ...; "root" for a root with a main relation of its own; None if the unit is no Scene."""
        if not self.is_scene:
            return None
        categories = self.categories
        if not categories:
            return ROOT
        best = next((c for c in _KIND_ORDER if c in categories), categories[0])
        return _KIND_NAMES.get(best, best)

    @property
    def scene(self) -> "Unit | None":
        """RETURNS (Optional[Unit]): The smallest Scene the unit belongs to by primary edges: itself, if
        it is one; None if it is in none, as a linker between parallel Scenes."""
        return next((unit for unit in self.ancestors(itself=True) if unit.is_scene), None)

    @property
    def host(self) -> "Unit | None":
        """RETURNS (Optional[Unit]): The smallest Scene that the unit is a part of, never itself; None if
        there is none, as for a parallel Scene of the sentence."""
        return next((unit for unit in self.ancestors() if unit.is_scene), None)

    def ancestors(self, *, itself: bool = False) -> Iterator["Unit"]:
        """Go up to the root by primary edges.

        itself (bool): Begin with the unit.
        YIELDS (Unit): Its parent, the parent of that, and so on.
        """
        unit: Unit | None = self  # type: ignore[assignment]
        if not itself:
            unit = self.parent
        while unit is not None:
            yield unit
            unit = unit.parent

    @property
    def minimal_centers(self) -> tuple["Unit", ...]:
        """What a unit is about, in as few words as there are (SAMSA, Sulem et al., 2018): its centers, their
        centers, and so on. A Scene is about its main relation, a unit of parallel Scenes about each of them.

        RETURNS (Tuple[Unit, ...]): The last units found, in text order of the way down, each once: several for
            coordination. The unit itself if it has nothing of the kind.
        """
        centers: dict[Unit, None] = {}
        stack: list[Any] = [self]
        seen = set()
        while stack:
            unit = stack.pop()
            if unit in seen:
                continue
            seen.add(unit)
            below = unit._more_central()
            if below:
                stack.extend(reversed(below))
            else:
                centers[unit] = None
        return tuple(centers)

    @property
    def minimal_center(self) -> "Unit":
        """RETURNS (Unit): The minimal center reached through the first center at each step."""
        unit: Any = self
        while below := unit._more_central():
            unit = below[0]
        return unit

    def _more_central(self) -> tuple["Unit", ...]:
        if centers := self.centers:
            return centers
        relation = self.main_relation
        return self.parallel_scenes if relation is None else (relation,)

    # Places in a text

    def ranges(self, *, remotes: bool = False, punct: bool = True) -> tuple[tuple[int, int], ...]:
        """Where the tokens of the unit stand.

        remotes (bool): Follow remote edges too.
        punct (bool): Include punctuation; without it, punctuation within the unit divides a range.
        RETURNS (Tuple[Tuple[int, int], ...]): First token and the token after the last one, of each run of
            tokens; one for a continuous unit, none for an implicit one.
        """
        ranges: list[list[int]] = []
        for token in self.tokens(remotes=remotes, punct=punct):
            if ranges and ranges[-1][1] == token:
                ranges[-1][1] += 1
            else:
                ranges.append([token, token + 1])
        return tuple((start, end) for start, end in ranges)

    def spans(self, doc: "Doc", *, remotes: bool = False, punct: bool = True) -> tuple["Span", ...]:
        """The unit as spans of its Doc, which know their characters (`start_char`, `end_char`).

        doc (Doc): The Doc that the graph is of.
        remotes (bool): Follow remote edges too.
        punct (bool): Include punctuation.
        RETURNS (Tuple[Span, ...]): One span of each run of tokens; none for an implicit unit.
        RAISES (UccaError): If the Doc has other tokens than the graph.
        """
        ranges = self.ranges(remotes=remotes, punct=punct)
        self._check_doc(doc)
        return tuple(doc[start:end] for start, end in ranges)

    def span(self, doc: "Doc", *, remotes: bool = False) -> "Span | None":
        """The stretch of its Doc from the first to the last token of the unit; for a discontinuous one that
        has tokens of others: see `spans`.

        doc (Doc): The Doc that the graph is of.
        remotes (bool): Follow remote edges too.
        RETURNS (Optional[Span]): The span; None for an implicit unit.
        RAISES (UccaError): If the Doc has other tokens than the graph.
        """
        tokens = self.tokens(remotes=remotes)
        self._check_doc(doc)
        return doc[tokens[0] : tokens[-1] + 1] if tokens else None

    def _check_doc(self, doc: "Doc") -> None:
        words = self.graph.words
        if len(doc) != len(words) or any(doc[i].text != words[i] for i in self.tokens()):
            check_words(words, [token.text for token in doc])


class GraphRoles:
    """The properties of `Graph` that depend on the meaning of categories."""

    if TYPE_CHECKING:

        @cached_property
        def units(self) -> tuple["Unit", ...]: ...
        def unit_of(self, token: int) -> "Unit | None": ...

    @cached_property
    def scenes(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): All units that are Scenes, whatever they are part of, in the order of
        `units`: in text order, a Scene before those within it."""
        return tuple(unit for unit in self.units if unit.is_scene)

    @property
    def parallel_scenes(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): All parallel Scenes (H), those within other units too, in text order,
        by category: see `Unit.parallel_scenes`."""
        return self.units_by(PARALLEL)

    @property
    def linkers(self) -> tuple["Unit", ...]:
        """RETURNS (Tuple[Unit, ...]): All Linkers (L), in text order."""
        return self.units_by(LINKER)

    def units_by(self, *categories: str) -> tuple["Unit", ...]:
        """Units whose primary edge has any of some categories.

        *categories (str): Such as "A" and "D".
        RETURNS (Tuple[Unit, ...]): The units, in the order of `units`.
        RAISES (UccaError): If neither UCCA nor the graph has such a category.
        """
        check_categories(self, categories)  # type: ignore[arg-type]
        return tuple(u for u in self.units if not set(categories).isdisjoint(u.categories))

    def scene_of(self, token: Any) -> "Unit | None":
        """The smallest Scene that has a token by primary edges.

        token (Union[int, Token]): The token, or its index.
        RETURNS (Optional[Unit]): The Scene; None if the token is in none, as a linker between Scenes.
        """
        unit = self.unit_of(_index(token))
        return None if unit is None else unit.scene

    def scenes_of(self, token: Any, *, remotes: bool = True) -> tuple["Unit", ...]:
        """All Scenes that a token belongs to.

        token (Union[int, Token]): The token, or its index.
        remotes (bool): Also Scenes that share it through a remote edge, and those around these. Without,
            they are `scene_of(token)`, its host, and so on.
        RETURNS (Tuple[Unit, ...]): The Scenes; the nearest first, by the number of edges between.
        """
        unit = self.unit_of(_index(token))
        units: dict[Unit, None] = {} if unit is None else {unit: None}
        for unit in (level := list(units)):  # grows while it is walked: breadth first
            for edge in unit.incoming:
                if edge.is_linkage or (edge.remote and not remotes) or edge.parent in units:
                    continue
                units[edge.parent] = None
                level.append(edge.parent)
        return tuple(unit for unit in units if unit.is_scene)


def _index(token: Any) -> int:
    return token if isinstance(token, int) else token.i
