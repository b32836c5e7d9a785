"""When and where: by the graph's Times, by entities, and by words of each language."""

import re
from typing import Any

from spacy.tokens import Span, Token

from .words import is_listed, words_of

TIME_ENTITIES = {"DATE", "TIME"}
PLACE_ENTITIES = {"GPE", "LOC", "FAC"}
# Relations of times without preposition: "last year"
BARE_TIMES = ("obl:unmarked", "obl:tmod", "npadvmod")


_YEAR_OR_CLOCK = re.compile(r"(1[0-9]|20)\d\d(s|'s)?|\d\d?:\d\d|\d\d?(am|pm)|'\d0s", re.IGNORECASE)


def is_time(head: Token, preposition: Token | None = None) -> bool:
    """Whether a phrase says when or how long.

    head (Token): Its head.
    preposition (Optional[Token]): Its preposition.
    RETURNS (bool): Whether it does, by its entity; by its head else.
    """
    if head.ent_type_:
        return head.ent_type_ in TIME_ENTITIES
    if _YEAR_OR_CLOCK.fullmatch(head.text):
        return preposition is not None or head.dep_ in BARE_TIMES
    is_adjunct = preposition is not None or head.dep_ in (*BARE_TIMES, "advmod")
    return is_adjunct and is_listed(head, "times")


def can_act(head: Token) -> bool:
    """Whether a phrase with "by" can be the agent of a passive.

    head (Token): Its head.
    RETURNS (bool): Whether it says neither when, nor by what means, nor by how much.
    """
    if is_time(head, head) or head.pos_ in ("ADV", "VERB", "AUX", "SYM"):
        return False
    articles = ("det", "nmod:poss", "amod", "nummod")
    is_means = is_listed(head, "means") and not any(kid.dep_ in articles for kid in head.children)
    # "held by the arm"
    is_part = is_listed(head, "body_parts") and any(kid.lower_ == "the" for kid in head.children)
    return not is_means and not is_part and head.lower_ not in words_of(head.doc, "amounts")


def is_when(head: Token, verb: Token, is_known: bool) -> bool:
    """Whether a noun that the tree calls an object says when or how long.

    head (Token): The noun.
    verb (Token): Its verb.
    is_known (bool): Whether it is a time in the graph.
    RETURNS (bool): Whether it does: "waited an hour", "said Friday", "the day we met"; not "spent an hour".
    """
    if not is_listed(head, "times") or is_listed(verb, "time_verbs"):
        return False
    return is_known or head.i < verb.i or (head.pos_ == "PROPN" and not [*head.children])


def is_place(head: Token, preposition: Token | None = None, verb: Token | None = None) -> bool:
    """Whether a phrase says where, or from or to where.

    head (Token): Its head.
    preposition (Optional[Token]): Its preposition.
    verb (Optional[Token]): What happens there: "to Paris" is a place if it is a motion.
    RETURNS (bool): Whether it does: an entity that is a place, a preposition of places with a noun, an adverb such as "here".
    """
    if preposition is None:
        return head.pos_ in ("ADV", "") and is_listed(head, "places")
    if head.ent_type_:
        return head.ent_type_ in PLACE_ENTITIES
    is_of_place = is_listed(preposition, "place_prepositions") or (
        verb is not None and is_listed(preposition, "directions") and is_listed(verb, "motion")
    )
    return is_of_place and head.pos_ in ("NOUN", "PROPN", "ADV", "")


def is_time_span(span: Span) -> bool:
    """RETURNS (bool): Whether a span says when."""
    first = span[0]
    has_preposition = first.pos_ == "ADP" and len(span) > 1
    return is_time(span.root, first if has_preposition else None)


def _is_scene(argument: Any) -> bool:
    return argument.edge is not None and argument.edge.child.is_clause


def sort_others(
    others: tuple[Any, ...], verb: Token | None
) -> tuple[tuple[Any, ...], tuple[Span, ...], tuple[Span, ...]]:
    """Divide participants that are neither subject nor object.

    others (Tuple[Argument, ...]): The participants.
    verb (Optional[Token]): The verb of their Scene.
    RETURNS (Tuple[Tuple[Argument, ...], Tuple[Span, ...], Tuple[Span, ...]]): Those that say neither, times and places.
    """
    rest: list[Any] = []
    times: list[Span] = []
    places: list[Span] = []
    for argument in others:
        if argument.head is None or argument.span is None:
            rest.append(argument)
        elif is_time(argument.head, argument.preposition):
            times.append(argument.span)
        elif not _is_scene(argument) and is_place(argument.head, argument.preposition, verb):
            places.append(argument.span)
        else:
            rest.append(argument)
    return tuple(rest), tuple(times), tuple(places)
