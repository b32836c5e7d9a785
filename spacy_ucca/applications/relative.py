"""Rule 2 of splitting: relative clauses, and what they say something about."""

from dataclasses import dataclass, field

from spacy.tokens import Doc, Token

from ..extract import clauses
from ..extract.forms import has_feature
from ..extract.words import own_words, words_of, words_of_unit
from ..graph.unit import Unit
from ..tokens.extension import require_graph
from .order import finite_verb, is_fixed, puts_verb_last, with_second_verb
from .shared import SUBJECTS, gather, parts_of, phrase, subjects


@dataclass(frozen=True)
class RelativeClause:
    """A Scene that is taken out of its sentence.

    scene (Unit): The Scene.
    about (Tuple[Unit, ...]): What it elaborates.
    dropped (Set[int]): Relative words, which are left out.
    whole (bool): Whether whole phrases are taken.
    preposition (Optional[int]): What stands before the phrase: "in" of "in which".
    gap (Optional[int]): The token that the phrase follows as an object; None if it is the subject.
    verb (Optional[Token]): The head of the clause, if its verb is last there and second in a sentence.
    """

    scene: Unit
    about: tuple[Unit, ...]
    dropped: set[int] = field(default_factory=set)
    whole: bool = True
    preposition: int | None = None
    gap: int | None = None
    verb: Token | None = None

    def _phrase(self, taken: set[Unit]) -> set[int]:
        units = (unit for unit in self.about if unit not in taken)
        return {i for unit in units for i in gather(unit, taken, whole=self.whole)}

    def tokens(self, taken: set[Unit]) -> set[int]:
        """RETURNS (Set[int]): The tokens, without Scenes that are taken out."""
        return (gather(self.scene, taken, whole=self.whole) - self.dropped) | self._phrase(taken)

    def order(self, tokens: list[int]) -> list[int]:
        """RETURNS (List[int]): The tokens in the order of a main clause."""
        own = set(self.scene.tokens())
        moved = [i for i in tokens if i not in own or i == self.preposition]
        moved.sort(key=lambda i: (i != self.preposition, i))
        if self.verb is not None:
            named = {t.i for subject in subjects(self.verb) for t in subject.subtree}
            subject = moved if self.gap is None else [i for i in tokens if i in named & own]
            return with_second_verb(tokens, self.verb, subject, moved)
        if self.gap is None:
            return tokens
        rest = [i for i in tokens if i in own and i != self.preposition]
        at = next((n for n, i in enumerate(rest) if i > self.gap), len(rest))
        return rest[:at] + moved + rest[at:]


def published_relative_clauses(doc: Doc, root: Unit) -> dict[Unit, RelativeClause]:
    """RETURNS (Dict[Unit, RelativeClause]): Elaborator Scenes of several words, with the minimal centers of what they elaborate."""
    found, graph = {}, require_graph(doc)
    for scene in _elaborators(root):
        first = next((t.i for t in words_of_unit(doc, scene)), scene.tokens()[0])
        is_relator = graph.unit_of(first) in scene.relators
        is_relative = is_relator or doc[first].lower_ in words_of(doc, "relative")
        about = scene.parent.minimal_centers if scene.parent else ()
        found[scene] = RelativeClause(scene, about, {first} if is_relative else set(), whole=False)
    return found


def find_relative_clauses(doc: Doc, root: Unit) -> dict[Unit, RelativeClause]:
    """RETURNS (Dict[Unit, RelativeClause]): The relative clauses that can be sentences."""
    found = {}
    for scene in _elaborators(root):
        if clause := _relative_clause(doc, scene):
            found[scene] = clause
    return found


def _elaborators(root: Unit) -> list[Unit]:
    return [
        unit
        for unit in root.iter()
        if unit.scene_kind == "elaborator"
        and unit.parent is not None
        and unit.parent.centers
        and len(unit.tokens(punct=False)) > 1
    ]


def _relative_clause(doc: Doc, scene: Unit) -> RelativeClause | None:
    tokens = [token.i for token in words_of_unit(doc, scene)]
    host, head = scene.parent, clauses.relation_head(doc, scene)
    if host is None or scene.host is None:  # without it, the rest would be no Scene
        return None
    if head is None or head.i not in tokens or len(tokens) < 2 or not clauses.is_finite(head):
        return None
    about = phrase(host.centers[0]) if len(host.centers) == 1 else parts_of(host)
    if _is_quantified(doc, about, scene) or not _is_about(doc, scene, head):
        return None
    has_tree = doc.has_annotation("DEP")
    pronouns = words_of(doc, "relative")
    others = words_of(doc, "relative_others") | words_of(doc, "relative_ends")
    by_form = has_tree and not own_words(doc).relative
    if by_form:
        others = frozenset(t.lower_ for t in doc if has_feature(t, "PronType", "Rel", "Int"))
        pronouns = others.intersection(t.lower_ for t in doc if t.pos_ == "PRON")
    lower = [doc[i].lower_ for i in tokens]
    dropped, preposition = set(), None
    if lower[0] in pronouns and len(tokens) > 1:
        dropped = {tokens[0]}
    elif lower[1] in pronouns and doc[tokens[0]].pos_ in ("ADP", "SCONJ", ""):
        dropped, preposition = {tokens[1]}, tokens[0]
    start = [i for i in tokens if i < head.i and i not in dropped]
    is_other = any(doc[i].lower_ in others for i in start)
    if is_other or (has_tree and not _fits(head, about, dropped)):
        return None
    own = _subject(doc, scene, head, dropped, preposition)
    is_object = preposition or any(doc[i].dep_ not in SUBJECTS for i in dropped)
    if (not dropped and (own is None or by_form)) or (has_tree and own is None and is_object):
        return None
    gap = None if own is None else _gap(doc, scene, host, dropped)
    verb = head if puts_verb_last(head) else None
    return RelativeClause(scene, about, dropped, True, preposition, gap, verb)


def _fits(head: Token, about: tuple[Unit, ...], dropped: set[int]) -> bool:
    """RETURNS (bool): Whether the phrase that a relative clause says something about can stand as it is for the relative pronoun: it is what
    the tree says too, no "those", keeps its article, and has the case of the pronoun."""
    noun, doc = head.head, head.doc
    kids = [kid for kid in noun.children if kid.dep_ in ("det", "case", "det:poss")]
    is_lost = any(kid.pos_ == "ADP" and has_feature(kid, "PronType", "Art") for kid in kids)  # "du"
    is_lost |= not any(noun.i in unit.tokens() for unit in about)
    is_those = noun.pos_ in ("PRON", "DET") and not has_feature(noun, "PronType", "Ind", "Prs")
    if is_lost or is_those or is_fixed(head) or has_feature(finite_verb(head), "Mood", "Sub"):
        return False
    words = [*(kid for kid in kids if kid.pos_ != "ADP"), noun]
    cases = next((c for w in words if (c := {*w.morph.get("Case", [])})), set[str]())
    known = {case for i in dropped for case in doc[i].morph.get("Case", [])} or {"Nom"}
    if not cases or cases & known or not dropped:
        return True
    is_same = cases | known == {"Nom", "Acc"} and words[0].lower_.endswith(("e", "s"))
    return is_same and bool(own_words(doc).separable)  # "die", "das"


def _is_quantified(doc: Doc, about: tuple[Unit, ...], scene: Unit) -> bool:
    tokens = {i for unit in about for i in unit.tokens()} - set(scene.tokens())
    is_of_all = any(has_feature(doc[i], "PronType", "Tot", "Neg") for i in tokens)
    return is_of_all or any(doc[i].lower_ in words_of(doc, "quantifiers") for i in tokens)


def _is_about(doc: Doc, scene: Unit, head: Token) -> bool:
    """RETURNS (bool): Whether a Scene is a relative clause, and not one like "that he left" in "the fact that he left": by
    dependencies; without, if it shares what it elaborates."""
    if doc.has_annotation("DEP"):
        return head.dep_ in clauses.RELATIVE
    return _sharing(scene, scene.parent) != []


def _sharing(scene: Unit, host: Unit | None) -> list[Unit]:
    """RETURNS (List[Unit]): The Scene, and Scenes within it, that share what it elaborates."""
    centers = {unit for center in host.centers for unit in center.iter()} if host else set()
    if host:
        centers.add(host)
    units = (unit for unit in scene.iter() if unit.is_scene)
    return [u for u in units if any(e.remote and e.child in centers for e in u.edges)]


def _subject(
    doc: Doc, scene: Unit, head: Token, dropped: set[int], preposition: int | None
) -> int | None:
    """RETURNS (Optional[int]): The subject of a relative clause, if it has one of its own beside the relative pronoun."""
    own = set(scene.tokens()) - dropped
    if doc.has_annotation("DEP"):
        return next((kid.i for kid in subjects(head) if kid.i in own), None)
    relation = scene.main_relation
    start = relation.tokens()[0] if relation and relation.tokens() else -1
    for edge in scene.edges_by("A", remotes=False):
        tokens = edge.child.tokens()
        if tokens and tokens[-1] < start and not edge.child.relators and own.issuperset(tokens):
            return tokens[0] if tokens[0] != preposition else None
    return None


def _gap(doc: Doc, scene: Unit, host: Unit, dropped: set[int]) -> int:
    """RETURNS (int): The token that the phrase follows: the word that the relative pronoun depends on or, without pronoun or
    dependencies, the relation that shares the phrase; with particles and pronouns after it."""
    inside = set(scene.tokens())
    heads = [doc[i].head.i for i in dropped if doc.has_annotation("DEP")]
    if heads and heads[0] in inside - dropped:
        end = heads[0]
    else:
        relation = (_sharing(scene, host) or [scene])[-1].main_relation
        end = max((relation and relation.tokens()) or scene.tokens())
    while end + 1 in inside and (doc[end + 1].is_space or _follows(doc, end + 1)):
        end += 1
    return end


def _follows(doc: Doc, i: int) -> bool:
    token = doc[i]
    if token.pos_ == "PRON" and token.n_rights == 0 and token.dep_ not in clauses.SUBJECTS:
        return True
    return token.pos_ in ("ADP", "PART") and token.n_rights == 0 and token.head.i < i
