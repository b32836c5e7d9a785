"""Scenes by their place in a text: that of a clause, and those parallel to a Linker."""

from spacy.tokens import Doc, Token

from ..graph import Graph
from ..graph.unit import Unit
from .relations import find_relation

PARALLEL = "H"


class ScenePlaces:
    """The Scenes of a Doc, by the heads of their clauses and by their order.

    doc (Doc): A Doc.
    graph (Graph): Its graph.
    marked (Set[int]): The tokens of markers: a Scene that one of them makes, as "provided" of "provided that he comes", is none here.
    relations (Dict[Unit, Relation]): The relation of each Scene.
    verbs (Dict[Unit, Token]): The head of the clause of each Scene.
    """

    def __init__(self, doc: Doc, graph: Graph, marked: set[int]) -> None:
        self.graph = graph
        self.marked = marked
        self.relations = {scene: find_relation(doc, scene) for scene in graph.scenes}
        self.verbs: dict[Unit, Token] = {}
        self._owners: dict[int, Unit] = {}
        self._parts: dict[Unit, list[Unit]] = {}
        self._heads = set[int]()
        for scene, relation in self.relations.items():
            if (verb := relation.verb) is not None:
                self.verbs[scene] = verb
                self._heads.add(verb.i)
                places = (
                    {verb.i} if relation.elided or not relation.head else {verb.i, relation.head.i}
                )
                for i in places - marked:
                    self._owners.setdefault(i, scene)

    def is_verb(self, token: Token) -> bool:
        """RETURNS (bool): Whether a word is the head of the clause of a Scene."""
        return token.i in self._heads

    def is_marker(self, scene: Unit) -> bool:
        """RETURNS (bool): Whether a marker makes a Scene."""
        return scene in self.verbs and self.verbs[scene].i in self.marked

    def scene_of(self, token: Token) -> Unit | None:
        """RETURNS (Optional[Unit]): The Scene whose clause has a head; else the smallest one around it."""
        return self._owners.get(token.i) or self.graph.scene_of(token)

    def before(self, place: int, *others: Unit) -> list[Unit]:
        """RETURNS (List[Unit]): The parallel Scenes that end before a token, the nearest first, without some others."""
        levels = map(reversed, self._levels(place))
        sides = ([s for s in parts if s.tokens()[-1] < place] for parts in levels)
        return [s for s in next(filter(None, sides), []) if s not in others]

    def after(self, place: int, *others: Unit) -> list[Unit]:
        """RETURNS (List[Unit]): The parallel Scenes that begin at a token or after it, the nearest first, without some others."""
        sides = ([s for s in parts if s.tokens()[0] >= place] for parts in self._levels(place))
        return [s for s in next(filter(None, sides), []) if s not in others]

    def _levels(self, place: int) -> list[list[Unit]]:
        """RETURNS (List[List[Unit]]): The parallel Scenes of each unit around a token, of the smallest unit first."""
        unit = self.graph.unit_of(place)
        return [] if unit is None else [self._within(u) for u in unit.ancestors(itself=True)]

    def _within(self, unit: Unit) -> list[Unit]:
        """RETURNS (List[Unit]): The parallel Scenes that a unit consists of, whose relations have words."""
        if unit not in self._parts:
            found: list[Unit] = []
            for part in unit.children_by(PARALLEL, remotes=False):
                if not part.is_scene:
                    found += self._within(part)
                elif has_words(part):
                    found.append(part)
            self._parts[unit] = found
        return self._parts[unit]


def has_words(unit: Unit) -> bool:
    """RETURNS (bool): Whether a unit is a Scene with words, of its relation and of its own."""
    relation = unit.main_relation
    return relation is not None and bool(relation.tokens()) and bool(unit.tokens())
