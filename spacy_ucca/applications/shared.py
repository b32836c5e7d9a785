"""The tokens of a sentence that a Scene becomes: its own, and those that it shares with others."""

from collections.abc import Collection, Sequence

from spacy.tokens import Doc, Token

from ..extract import clauses, forms
from ..extract.relations import find_relation, shares_relation
from ..extract.words import children_of, is_negation
from ..graph.unit import Unit
from ..tokens.extension import require_graph

SUBJECTS = clauses.SUBJECTS | clauses.PASSIVE  # in form


def gather(
    unit: Unit, taken: set[Unit], *, whole: bool, ignored: Collection[Unit] = ()
) -> set[int]:
    """Find the tokens of a unit, shared ones too, without Scenes that are taken out.

    unit (Unit): The unit.
    taken (Set[Unit]): The Scenes that are taken out.
    whole (bool): Of a shared center, take the whole phrase, and leave out what only a Scene within the unit shares.
    ignored (Collection[Unit]): Shared units that are left out.
    RETURNS (Set[int]): The tokens.
    """
    top = unit
    within = not whole or not _has_participant(unit)
    tokens: set[int] = set()
    stack, seen = [unit], {unit}
    while stack:
        unit = stack.pop()
        tokens.update(unit.terminals)
        for edge in unit.edges:
            if edge.remote:
                if edge.child in ignored:
                    continue
                if not within and unit.scene not in (top, top.scene):
                    continue
            elif edge.child in taken:
                continue
            for child in phrase(edge.child) if whole and edge.remote else (edge.child,):
                if child not in seen and (child not in taken or child == edge.child):
                    seen.add(child)
                    stack.append(child)
    return tokens


def own_tokens(unit: Unit, taken: set[Unit]) -> set[int]:
    """RETURNS (Set[int]): The tokens of a unit by primary edges, without Scenes that are taken out."""
    out = {i for below in unit.iter() if below in taken and below != unit for i in below.tokens()}
    return set(unit.tokens()) - out


def _has_participant(unit: Unit) -> bool:
    """RETURNS (bool): Whether a Scene has a participant with words that is no Scene."""
    return any(not a.is_scene and not a.is_implicit for a in unit.participants)


def phrase(center: Unit) -> tuple[Unit, ...]:
    """RETURNS (Tuple[Unit, ...]): The parts of the phrase that a unit is the only center of, without relators: those of "the old
    house" of "in the old house"; otherwise the unit itself."""
    unit = center
    if unit.parent is not None and unit.parent.is_evoked and unit.parent.main_relation == unit:
        unit = unit.parent  # "wife" of "my wife"
    while "C" in unit.categories and unit.parent is not None:
        if unit.parent.is_scene or len(unit.parent.centers) > 1:
            break
        unit = unit.parent
    return (center,) if unit == center else parts_of(unit)


def parts_of(unit: Unit) -> tuple[Unit, ...]:
    """RETURNS (Tuple[Unit, ...]): The children of a phrase without relators."""
    children = (edge.child for edge in unit.edges if not edge.remote)
    return tuple(c for c in children if not {"R", "U"}.intersection(c.categories))


def shared_words(doc: Doc, scene: Unit, taken: set[Unit]) -> set[int]:
    """Find what a Scene shares with others: by remote edges, and where the Doc has dependencies the subject, auxiliaries and
    negation of the clause that it is coordinated with. Where the tree says which the subject is, no other participant stands
    before the Scene.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    taken (Set[Unit]): The Scenes that are taken out.
    RETURNS (Set[int]): The tokens, with those of the Scene.
    """
    own = scene.tokens()
    start, auxiliaries, subject = own[:1], set[int](), None
    relation = find_relation(doc, scene)
    ignored: list[Unit] = []
    if relation.elided and scene.main_relation is not None:
        own_units = scene.children_by("A", remotes=False)
        if any(unit.tokens() and not unit.relators for unit in own_units):
            return set()
        ignored.append(scene.main_relation)
    head = first = clause_head(doc, scene)
    words = [doc[i] for i in own if not doc[i].is_space]
    has_auxiliary = any(word.dep_.startswith(("aux", "cop")) for word in words)
    while head is not None:
        if subject := next(iter(subjects(head)), None):
            break
        alone = not clauses.is_finite(head)
        head = head.head if head.dep_ == "conj" else None
        if head is not None and alone and not has_auxiliary:
            kids = [
                kid
                for kid in head.children
                if kid.dep_.startswith("aux") or is_negation(kid) or _is_copula(kid, first)
            ]
            auxiliaries |= {kid.i for kid in kids}
    remote = [edge.child for edge in scene.edges_by("A") if edge.remote]
    before = [unit for unit in remote if () < unit.tokens()[:1] < start]
    if subject and (subject.i in own or any(subject.i in unit.tokens() for unit in before)):
        ignored += [unit for unit in before if subject.i not in unit.tokens()]
    elif first is not None and subject is None:  # one at most, and no object
        named = [u for u in before if any(doc[i].dep_ in SUBJECTS for i in u.tokens())]
        ignored += [unit for unit in before if unit not in named[-1:]]
    found = gather(scene, taken, whole=True, ignored=ignored) | auxiliaries
    if subject and subject.i not in own and not before:
        found |= _whole(require_graph(doc).unit_of(subject.i), subject, taken)
    return found


def _is_copula(token: Token, conjunct: Token | None) -> bool:
    """RETURNS (bool): Whether a copula is that of a conjunct too: "is" of "late" and "rude" in "he is late and rude"."""
    return (
        token.dep_ == "cop"
        and conjunct is not None
        and conjunct.pos_ == token.head.pos_
        and conjunct.pos_ in ("ADJ", "NOUN", "ADV")
    )


def with_elided_verb(doc: Doc, scene: Unit, tokens: list[int], taken: set[Unit]) -> list[int]:
    """Put an elided verb after its auxiliary, with what follows it in its own clause, if it has the form that stands there: "She can't
    swim." A subject after the auxiliary ("so did she") goes before it.

    doc (Doc): The Doc.
    scene (Unit): The Scene.
    tokens (List[int]): The tokens of a sentence with the Scene.
    taken (Set[Unit]): The Scenes that are taken out.
    RETURNS (List[int]): The tokens of the sentence.
    """
    head, span, verb, elided, source = find_relation(doc, scene)
    if not elided or verb is None or head is None or verb.i not in tokens:
        return tokens
    if clauses.is_inverted(verb):
        own = {i for unit in scene.children_by("A", remotes=False) for i in unit.tokens()}
        tokens = sorted(tokens, key=lambda i: (i >= verb.i and i not in own, i))
    words = {*range(span.start, span.end)} if span else set()
    known = set(source.main_relation.tokens()) if source and source.main_relation else set()
    if source is None or not _fits(verb, head) or not words <= known:
        return tokens
    for unit in source.children_by("A", "D", "T", remotes=False):
        if unit.tokens()[:1] > (head.i,):
            words |= own_tokens(unit, taken)
    words = {i for i in words - set(tokens) if not (doc[i].is_space or is_negation(doc[i]))}
    at = tokens.index(verb.i) + 1
    at += at < len(tokens) and is_negation(doc[tokens[at]])
    return [*tokens[:at], *sorted(words), *tokens[at:]]


def _fits(verb: Token, head: Token) -> bool:
    """RETURNS (bool): Whether a verb as it is can follow an auxiliary of another clause."""
    passive = clauses.is_passive(head)
    if verb.lemma_ == "be":
        return passive or forms.is_gerund(head) or head.pos_ == "ADJ"
    if verb.lemma_ == "have":
        return forms.is_past_participle(head) and not passive
    is_bare = head.pos_ == "VERB" and head.lower_ == head.lemma_
    return is_bare and not passive and (verb.tag_ == "MD" or verb.lemma_ == "do")


def clause_head(doc: Doc, scene: Unit) -> Token | None:
    """RETURNS (Optional[Token]): The head of the clause of a Scene: "wanted" of "wanted to come", whose relation is "come"; None
    without dependencies."""
    if not doc.has_annotation("DEP"):
        return None
    is_elided = shares_relation(scene)
    head = find_relation(doc, scene).verb if is_elided else clauses.relation_head(doc, scene)
    own = set(scene.tokens())
    while head is not None and head.dep_ in ("xcomp", "ccomp") and head.head.i in own:
        head = head.head
    return head


def subjects(head: Token) -> list[Token]:
    """RETURNS (List[Token]): The subjects in form of a clause."""
    return [kid for kid in children_of(head) if kid.dep_ in SUBJECTS]


def _whole(unit: Unit | None, subject: Token, taken: set[Unit]) -> set[int]:
    """RETURNS (Set[int]): The tokens of the participant that has a subject; else of the subject alone."""
    for above in () if unit is None else unit.ancestors(itself=True):
        if above.parent is not None and above.parent.is_scene and "A" in above.categories:
            return gather(above, taken, whole=True)
    return {subject.i}


def first_conjunct(doc: Doc, scene: Unit) -> Token | None:
    """RETURNS (Optional[Token]): The head of the clause of a Scene, or of the first clause that it is coordinated with."""
    head = clause_head(doc, scene)
    while head is not None and head.dep_ == "conj":
        head = head.head
    return head


def is_nonfinite(doc: Doc, scene: Unit) -> bool:
    """RETURNS (bool): Whether a Scene depends on another one and has no finite verb: "walking home", "after graduation", "and to
    stay", and "and Mary coffee" without dependencies too."""
    if shares_relation(scene) and find_relation(doc, scene).is_gapped:
        return True
    head, first = clause_head(doc, scene), first_conjunct(doc, scene)
    if head is None or first is None or head.head == head:
        return False
    if not clauses.is_finite(head) and any(map(forms.is_infinitive_mark, head.children)):
        return True
    return first.head != first and not clauses.is_finite(first)


def is_question(doc: Doc, tokens: Sequence[int]) -> bool | None:
    """RETURNS (Optional[bool]): Whether a sentence made of some tokens has the form of a question: it has a question word at an end, or
    a verb before its subject; None where the Doc does not tell."""
    words = [doc[i] for i in tokens if not (doc[i].is_punct or doc[i].is_space)]
    if any(forms.is_question_word(w) for w in _ends(words)):
        return True
    orders = [_follows_verb(word) for word in words if word.dep_ in SUBJECTS]
    return any(orders) if orders else None


def _ends(words: list[Token]) -> list[Token]:
    """RETURNS (List[Token]): The first two words and the last one."""
    return [*words[:2], *words[2:][-1:]]


def _follows_verb(subject: Token) -> bool:
    """RETURNS (bool): Whether a subject stands after the first verb of its clause."""
    head = subject.head
    # A parser may take "is" for a part of "Tom" in "is Tom a teacher".
    beside = (*children_of(head), *children_of(subject))
    verbs = [word.i for word in beside if word.dep_.startswith("aux") or word.dep_ == "cop"]
    verbs += [head.i] if head.pos_ in ("VERB", "AUX") else []
    verb = min(verbs, default=subject.i)
    is_there = any(kid.dep_ == "expl" and kid.i < verb for kid in children_of(head))  # "there is"
    return verb < subject.i and not is_there


def is_past(doc: Doc, scene: Unit) -> bool:
    """RETURNS (bool): Whether the clause of a Scene is in a past tense; False without tags."""
    head = clause_head(doc, scene)
    words = () if head is None else (head, *head.children)
    return any(map(forms.is_past_tense, words))
