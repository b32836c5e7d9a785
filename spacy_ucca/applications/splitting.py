"""Split sentences by Scenes: the two rules of DSS (Sulem, Abend and Rappoport, ACL 2018)."""

from collections.abc import Iterator
from typing import NamedTuple

from spacy.tokens import Doc

from ..extract.linkers import Linkage
from ..extract.words import words_of
from ..graph import Graph
from ..graph.unit import Unit
from ..tokens.extension import require_graph
from ..tokens.language import get_lang
from .groups import find_groups, published_groups
from .order import in_main_order
from .relative import RelativeClause, find_relative_clauses, published_relative_clauses
from .shared import gather, is_nonfinite, is_question, own_tokens, shared_words, with_elided_verb
from .tokens import joined, trimmed

END_MARKS = ("!", "?", "…", "。", "؟")


class SplitSentence(NamedTuple):
    """A sentence that another one was split into.

    text (str): The sentence, with a capital letter and the mark at the end of its source.
    tokens (Tuple[int, ...]): The tokens of the Doc that it is made of, in its order.
    scene (Optional[Unit]): Its Scene; None if it has several parallel ones, or none.
    """

    text: str
    tokens: tuple[int, ...]
    scene: Unit | None

    def __str__(self) -> str:
        return self.text


def split_sentences(
    doc: Doc, *, relative_clauses: bool = True, published: bool = False
) -> list[SplitSentence]:
    """Split the sentences of a Doc by Scenes.

    Rule 1 makes a sentence of each parallel Scene, with the participants that it shares through remote edges, and leaves out
    linkers. Rule 2 makes a sentence of each relative clause and of what it says something about; these follow the parallel
    Scenes. Participant Scenes ("that he left" in "I know that he left") are not split.

    By default we differ from the paper. We aim at results that are sentences, and true if their source is. A Scene that is not
    asserted ("if it rains") and one without a finite verb stay with the Scene they belong to. A conjunct gets the subject and
    auxiliaries of the clause it is coordinated with, where the Doc has dependencies and the graph has no remote edge. A relative
    clause gets the whole phrase, not its minimal center alone, as subject or as object. It is no sentence of its own without a
    subject and a finite verb, after words such as "nobody" and "every", or with "whose" or "where".

    With `published`, the rules are those of the paper. Two details are ours then too: elaborator Scenes of one word stay
    (adjectives and possessives are Scenes since the guidelines 2.0, after the paper), and parallel Scenes within a participant
    stay where they are.

    doc (Doc): A Doc with a graph. Tags and dependencies are used where there are some.
    relative_clauses (bool): Rule 2 as well as rule 1.
    published (bool): The rules of the paper.
    RETURNS (List[SplitSentence]): The sentences.
    RAISES (UccaError): If the Doc has no graph.
    """
    found = []
    graph = require_graph(doc)
    linkage = Linkage(doc, graph)
    for root in graph.roots:
        words = [i for i in root.tokens() if not doc[i].is_space]
        mark = doc[words[-1]].text if words else ""
        end = mark if mark in END_MARKS else "."
        parts = [*_split(doc, root, linkage, relative_clauses, published)]
        asking = [None if published or end != "?" else is_question(doc, p[0]) for p in parts]
        for (tokens, scene, is_taken), asks in zip(parts, asking, strict=True):
            text = joined(tokens, doc)
            if tokens[0] != words[0] and words[0] in tokens:
                at = tokens.index(words[0])
                rest = joined(tokens[at + 1 :], doc)
                text = f"{joined(tokens[:at], doc)} {_lowered(doc, words[0])} {rest}"
            text = text[0].upper() + text[1:]
            if not text.endswith((*END_MARKS, ".")):
                is_told = (is_taken and not published) or (any(asking) and asks is False)
                text += "." if is_told else end
            found.append(SplitSentence(text, tuple(tokens), scene))
    return found


def _lowered(doc: Doc, i: int) -> str:
    """RETURNS (str): The first word of a sentence, where another one comes first."""
    token = doc[i]
    is_german = get_lang(doc) == "de" and token.pos_ not in ("ADP", "ADV", "CCONJ", "DET", "SCONJ")
    is_name = token.pos_ == "PROPN" or token.text in ("I", "I'm") or is_german
    known = bool(token.pos_) or token.is_stop
    return token.text if is_name or not known else token.text[0].lower() + token.text[1:]


def _split(
    doc: Doc, root: Unit, linkage: Linkage, rule2: bool, published: bool
) -> Iterator[tuple[list[int], Unit | None, bool]]:
    """YIELDS (Tuple[List[int], Optional[Unit], bool]): Of each sentence of one sentence its tokens, its Scene, and whether it is a
    relative clause."""
    clauses: dict[Unit, RelativeClause] = {}
    if rule2:
        clauses = (published_relative_clauses if published else find_relative_clauses)(doc, root)
    taken = set(clauses)
    later: list[RelativeClause] = []
    graph = require_graph(doc)
    groups = published_groups(doc, root) if published else find_groups(doc, root, linkage)
    for units in groups:
        scenes = [unit for unit in units if unit.is_scene]
        main = None
        if published:
            tokens = gather(units[0], taken, whole=False)
        else:
            own = {i for unit in units for i in own_tokens(unit, taken)}
            tokens = set(own)
            main = next((s for s in scenes if not is_nonfinite(doc, s)), None)
            if main is not None:
                tokens |= shared_words(doc, main, taken)
            if len(groups) > 1:
                tokens -= _correlatives(doc, tokens)
        later += (clauses[unit] for top in units for unit in top.iter() if unit in clauses)
        if kept := trimmed(tokens, graph, balanced=not published):
            if main is not None:
                kept = with_elided_verb(doc, main, kept, taken)
            if len(groups) > 1 and main is not None and main == units[0]:
                kept = in_main_order(doc, main, kept)
            if not published and any(linkage.has_condition(unit) for unit in units[1:]):
                kept = _ordered(kept, own, units[0], graph)
            yield kept, scenes[0] if len(scenes) == 1 else None, False
    for clause in later:
        if kept := trimmed(clause.tokens(taken), graph, balanced=not published):
            yield clause.order(kept), clause.scene, True


def _correlatives(doc: Doc, tokens: set[int]) -> set[int]:
    """RETURNS (Set[int]): The tokens of "not only" and "both", whose second word is not among the tokens."""
    found = set[int]()
    for i in tokens:
        is_pair = i + 1 in tokens and doc[i : i + 2].text.lower() in words_of(doc, "not_only")
        if is_pair or (doc[i].dep_ == "cc:preconj" and doc[i].lower_ in ("both", "sowohl")):
            head = doc[i].head
            conjuncts = [head, *(k for k in head.children if k.dep_ == "conj")]
            if any(k.i not in tokens for k in conjuncts):
                found |= {i, i + 1} if is_pair else {i}
    return found


def _ordered(tokens: list[int], own: set[int], top: Unit, graph: Graph) -> list[int]:
    """RETURNS (List[int]): Tokens with those that are shared right before the Scene that the others depend on: "if you can, you call"."""
    start = min(top.tokens(), default=0)
    shared = [i for i in tokens if i not in own and i < start and not graph.punct[i]]
    if not shared or not any(shared[-1] < i < start for i in tokens):
        return tokens
    before = [i for i in tokens if i < start and i not in shared]
    return [*before, *shared, *(i for i in tokens if i >= start)]
