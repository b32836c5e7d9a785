"""What kind of Scene a unit is, by the graph and its words alone: clause, relative clause, possessive, attribute, negated.

`spacy_ucca.extract.kinds` answers the same questions with the tags and dependencies of a Doc.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..lang import cached, words_in
from .data import LANG

POSSESSIVE_MARKS = frozenset(("'s", "’s", "'", "’", "s"))
_OF_THE_SENTENCE = ("parallel", "root")


def is_denial(graph: Any, i: int) -> bool:
    """Whether a word denies what it stands with.

    graph (Graph): The graph.
    i (int): The token.
    RETURNS (bool): Whether it does: not the "not" of "not only", and of "ne ... pas" the second word.
    """
    words, halves = graph.words, _listed(graph, "negation_half")
    word, phrase = words[i].lower(), " ".join(words[i : i + 2]).lower()
    if word in _listed(graph, "negation_with_half"):
        return not halves.isdisjoint(other.lower() for other in words[max(i - 5, 0) : i + 3])
    known, excepted = _listed(graph, "negation"), _listed(graph, "no_negation")
    return word in known and word not in halves and phrase not in excepted


def _listed(graph: Any, *names: str) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): Lists of the language that a graph names; of all languages, if it names none that has words."""
    return words_in(str(graph.details.get(LANG, "")), *names)


class SceneKinds:
    """The properties of `Unit` that tell kinds of Scenes apart. Each is False for units that are no Scenes."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def scene_kind(self) -> str | None: ...

    @property
    def is_clause(self) -> bool:
        """RETURNS (bool): Whether the Scene has a clause, and not just a noun or an attribute: "who bought it", not "her
        sister", "big" or "the purchase"."""
        unit: Any = self
        kind = unit.scene_kind
        if kind is None or unit.is_evoked or unit.is_possessive:
            return False
        if unit.is_relative:
            return True
        own = unit.tokens(punct=False)
        relation = unit.main_relation.tokens()
        words = [unit.graph.words[i].lower() for i in own if not relation or i <= relation[0]]
        if kind in _OF_THE_SENTENCE:
            return len(own) > 1 or not relation
        determiners = _listed(unit.graph, "determiners", "possessive")
        if len(own) < 2 or not relation or not determiners.isdisjoint(words[:2]):
            return False
        if kind == "elaborator":
            return bool(_own(unit, "A", "F")) and own[0] > min(_center(unit), default=-1)
        before = [e for e in _own(unit, "A", "F") if e.child.tokens()[-1] < relation[0]]
        return bool(before)

    @property
    def is_relative(self) -> bool:
        """RETURNS (bool): Whether the Scene is a relative clause: it comes after a noun that it stands with or shares, and has
        a relative pronoun, or a participant of its own before its main relation."""
        unit: Any = self
        relation = unit.main_relation
        own = unit.tokens(punct=False)
        if relation is None or len(own) < 2 or unit.is_evoked or unit.is_possessive:
            return False
        shared = [i for e in unit.edges if e.remote for i in e.child.tokens(punct=False)]
        if unit.parent is not None and unit.parent.centers:
            if own[0] < min(_center(unit), default=own[0] + 1):
                return False
        elif not shared:
            return False
        pronouns = _listed(unit.graph, "relative", "relative_ends")
        has_pronoun = unit.graph.words[own[0]].lower() in pronouns
        if has_pronoun and (unit.scene_kind == "elaborator" or own[0] - 1 in shared):
            return True
        start = min(relation.tokens(), default=-1)
        before = [e for e in _own(unit, "A") if e.child.tokens()[-1] < start]
        return own[0] - 1 in shared and any(len(e.categories) == 1 for e in before)

    @property
    def is_possessive(self) -> bool:
        """RETURNS (bool): Whether the Scene says whose something is: "my" in "my bicycle", "the doctor's" in "the doctor's car"."""
        unit: Any = self
        relation = unit.main_relation
        if relation is None or unit.scene_kind != "elaborator":
            return False
        words = [unit.graph.words[i].lower() for i in relation.tokens()]
        if len(words) != 1:
            return False
        if words[0] in _listed(unit.graph, "possessive"):
            return True
        if words[0] in POSSESSIVE_MARKS:
            return bool(_own(unit, "A"))
        return bool(unit.is_evoked and len(unit.tokens()) == 1 and _shares_center(unit))

    @property
    def is_attribute(self) -> bool:
        """RETURNS (bool): Whether the Scene stands with a noun and is neither clause nor possessive: "big" in "the big house"."""
        unit: Any = self
        return unit.scene_kind == "elaborator" and not (unit.is_clause or unit.is_possessive)

    @property
    def is_negated(self) -> bool:
        """RETURNS (bool): Whether a word denies the Scene: one of its Adverbials or Functions, or in a participant ("no money")."""
        return find_negation(self) is not None


def find_negation(unit: Any, denies: Callable[[Any, int], bool] = is_denial) -> int | None:
    """Find the word that denies a Scene.

    unit (Unit): The Scene.
    denies (Callable[[Graph, int], bool]): Says of a token whether it denies what it stands with.
    RETURNS (Optional[int]): The token; None if none does, or the unit is no Scene.
    """
    if not unit.is_scene:
        return None
    words = unit.graph.words
    again, ahead = (_listed(unit.graph, f"negation_{name}") for name in ("again", "ahead"))
    for edge in unit.edges:
        child, categories = edge.child, set(edge.categories)
        is_clause = child.is_scene and ("A" not in categories or child.is_clause)
        if edge.remote or is_clause or categories.isdisjoint("ADFPQRST"):
            continue
        tokens = child.tokens(punct=False)
        # "No money", "the man nor the woman"; not "with no money"
        if not categories.isdisjoint("AT"):
            tokens = tokens[:1] + tuple(i for i in tokens if words[i].lower() in again)
        if categories.isdisjoint("FPRS"):
            tokens = tuple(i for i in tokens if words[i].lower() not in ahead)
        for i in tokens:
            if denies(unit.graph, i):
                return i
    found = find_denying_phrase(unit)
    return _find_before(unit) if found is None else found


def find_denying_phrase(unit: Any) -> int | None:
    """RETURNS (Optional[int]): The second token of a phrase such as "in no case", in a Scene but in no Scene within it, or right
    before a Scene of the sentence; None without such a phrase."""
    words, tokens = unit.graph.words, set(unit.tokens())
    phrases = _listed(unit.graph, "negation_phrases")
    tokens.difference_update(*(e.child.tokens() for e in unit.edges if e.child.is_scene))
    first = min(tokens, default=0)
    if unit.scene_kind in _OF_THE_SENTENCE:
        tokens.update(range(max(first - 3, 0), first))
    for i in (i for i in tokens if words[i].lower() in _first_words(phrases)):
        for n in (3, 2):
            phrase = " ".join(words[i : i + n]).lower()
            if phrase in phrases and i + phrase.count(" ") in tokens:
                return i + 1
    return None


def _find_before(unit: Any) -> int | None:
    """RETURNS (Optional[int]): The Linker or Relator right before a Scene that denies it: "without", "nor"."""
    before = min(unit.tokens(), default=0) - 1
    linker = unit.graph.unit_of(before) if before >= 0 else None
    if linker is None or linker.parent != unit.parent or {"L", "R"}.isdisjoint(linker.categories):
        return None
    denying = _listed(unit.graph, "negation_ahead", "negation_again")
    return before if unit.graph.words[before].lower() in denying else None


@cached
def _first_words(phrases: frozenset[str]) -> frozenset[str]:
    return frozenset(phrase.split()[0] for phrase in phrases)


def _own(unit: Any, *categories: str) -> list[Any]:
    """RETURNS (List[Edge]): Edges to children with words that no other unit has."""
    found = unit.edges_by(*categories, remotes=False)
    return [edge for edge in found if edge.child.tokens()]


def _center(unit: Any) -> tuple[int, ...]:
    return unit.parent.minimal_center.tokens(punct=False) if unit.parent.centers else ()


def _shares_center(unit: Any) -> bool:
    """RETURNS (bool): Whether a child by a remote edge is in a Center of the parent, or around one."""
    shared = {i for edge in unit.edges if edge.remote for i in edge.child.tokens()}
    return any(not shared.isdisjoint(center.tokens()) for center in unit.parent.centers)
