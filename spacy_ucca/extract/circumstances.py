"""When and where: by the graph's Times, by entities, and by words of each language."""

import re
from typing import Any

from spacy.tokens import Span, Token

from .words import is_listed

TIME_ENTITIES = {"DATE", "TIME"}
PLACE_ENTITIES = {"GPE", "LOC", "FAC"}
# Relations of times without preposition: "last year"
BARE_TIMES = ("obl:unmarked", "obl:tmod", "npadvmod")


def _by_language(*lists: str) -> dict[str, list[str]]:
    return {lang: words.split() for lang, words in zip(("en", "de", "fr"), lists)}


TIME_NOUNS = {
    "en": """second minute hour day week weekend month quarter year decade century morning noon afternoon evening night midnight
        dawn dusk sunrise sunset o'clock am pm a.m. p.m. deadline tonight today tomorrow yesterday season spring summer autumn winter moment
        time while monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december christmas easter""".split(),
    "de": """sekunde minute stunde tag woche wochenende monat jahr jahrzehnt jahrhundert morgen mittag nachmittag abend nacht
        mitternacht heute gestern zeit augenblick frühling sommer herbst winter montag dienstag mittwoch donnerstag freitag samstag sonntag januar
        februar märz april mai juni juli august september oktober november dezember""".split(),
    "fr": """seconde minute heure jour journée semaine mois an année siècle matin midi soir soirée nuit minuit hier demain
        aujourd'hui moment temps printemps été automne hiver lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin
        juillet août septembre octobre novembre décembre""".split(),
}
# With a time they are a time: "the end of the month"
BOUNDS = set("end beginning start middle close turn age eve ende anfang mitte fin début".split())
# A time can be their object
TIME_VERBS = _by_language(
    "take spend have enjoy waste find set serve make get give save need choose lose kill pass use mark know love like prefer change handle be",
    "haben verbringen brauchen nehmen finden verlieren wählen feiern lieben geben",
    "avoir passer prendre perdre trouver choisir aimer falloir fêter donner",
)
# Without article they say how: "by car", "by mistake", "von Hand", "par hasard"
MEANS = _by_language(
    """car bus train plane air ship boat ferry sea land road rail bike bicycle taxi truck foot hand mail post email e-mail phone fax letter airmail
        check cheque cash card transfer mistake accident chance surprise force default law right virtue means way reason order vote""",
    "hand zufall versehen post bahn bus auto schiff flugzeug telefon e-mail natur gesetz",
    "hasard erreur accident avion train bateau bus voiture téléphone courrier poste mail écrit exemple défaut nature force",
)
BODY_PARTS = {"en": "arm hand neck throat hair leg wrist ear collar shoulder sleeve".split()}
AMOUNTS = set(
    """percent % half third quarter points cents dollars euros margin nose inch kilo pound gram litre liter metre meter mile yard hour dozen
    prozent hälfte pourcent moitié""".split()
)
PLACE_PREPOSITIONS = {
    "en": """in at on near under over above below behind inside outside within between beside beyond across along around through toward
        towards into onto throughout off against amid among""".split(),
    "de": "in im ins an am auf bei unter über hinter neben zwischen vor innerhalb außerhalb durch".split(),
    "fr": "dans à au aux en sur sous chez près derrière devant entre vers parmi".split(),
}
PLACE_ADVERBS = {
    "en": """here there everywhere somewhere anywhere nowhere home abroad upstairs downstairs indoors outdoors inside outside nearby
        overseas elsewhere""".split(),
    "de": "hier dort da überall irgendwo nirgends daheim draußen drinnen oben unten anderswo".split(),
    "fr": "ici là partout ailleurs dehors dedans dessus dessous".split(),
}
# With a verb of motion, these prepositions name places too
DIRECTIONS = {"en": ["from", "to"], "de": ["von", "aus", "nach", "zu"], "fr": ["de", "jusqu'à"]}
MOTION = {
    "en": """go come move travel return fly drive walk run ride sail arrive leave depart escape flee migrate emigrate immigrate march
        transfer send bring take carry ship head journey""".split(),
    "de": "gehen kommen ziehen reisen fahren fliegen laufen zurückkehren fliehen bringen schicken".split(),
    "fr": "aller venir partir voyager revenir retourner voler marcher courir arriver fuir amener envoyer".split(),
}
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
    kids = [kid for kid in head.children if kid.dep_.startswith("nmod")]
    if head.lower_ in BOUNDS or head.pos_ in ("NUM", "ADJ"):
        return any(is_listed(kid, TIME_NOUNS) for kid in kids)
    if any(kid.dep_ == "nmod:desc" for kid in kids):  # "Mr. May"
        return False
    return is_listed(head, TIME_NOUNS) and (
        preposition is not None or head.dep_ in (*BARE_TIMES, "advmod")
    )


def can_act(head: Token) -> bool:
    """Whether a phrase with "by" can be the agent of a passive.

    head (Token): Its head.
    RETURNS (bool): Whether it says neither when, nor by what means, nor by how much.
    """
    if is_time(head, head) or head.pos_ in ("ADV", "VERB", "AUX", "SYM"):
        return False
    articles = ("det", "nmod:poss", "amod", "nummod")
    is_means = is_listed(head, MEANS) and not any(kid.dep_ in articles for kid in head.children)
    # "held by the arm"
    is_part = is_listed(head, BODY_PARTS) and any(kid.lower_ == "the" for kid in head.children)
    return not is_means and not is_part and head.lower_ not in AMOUNTS


def is_when(head: Token, verb: Token, is_known: bool) -> bool:
    """Whether a noun that the tree calls an object says when or how long.

    head (Token): The noun.
    verb (Token): Its verb.
    is_known (bool): Whether it is a time in the graph.
    RETURNS (bool): Whether it does: "waited an hour", "said Friday", "the day we met"; not "spent an hour".
    """
    if not is_listed(head, TIME_NOUNS) or is_listed(verb, TIME_VERBS):
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
        return head.pos_ in ("ADV", "") and is_listed(head, PLACE_ADVERBS)
    if head.ent_type_:
        return head.ent_type_ in PLACE_ENTITIES
    is_of_place = is_listed(preposition, PLACE_PREPOSITIONS) or (
        verb is not None and is_listed(preposition, DIRECTIONS) and is_listed(verb, MOTION)
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
