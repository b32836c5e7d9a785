"""The words of a language by what they are for, and the languages that have some."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable)
Listed = frozenset[str]
NONE: Listed = frozenset()


@dataclass(frozen=True)
class Words:
    """Words of a language in lower case; several with a space between them stand together. Where a list is empty, tags and
    dependencies of the pipeline tell alone.

    negation (FrozenSet[str]): Deny what they stand with: "not".
    negation_ahead (FrozenSet[str]): Of these, those that deny the phrase or clause they begin, not the one around it: "without".
    negation_again (FrozenSet[str]): Of these, those that deny a further clause: "nor".
    negation_phrases (FrozenSet[str]): Deny the clause they stand in: "under no circumstances".
    negation_half (FrozenSet[str]): Of the words that deny, those that stand beside another one, and deny nothing without it: "ne" of
        "ne pas".
    negation_with_half (FrozenSet[str]): Deny beside one of these, and else do not: "plus", "personne".
    no_negation (FrozenSet[str]): A negation and the word after it that deny nothing: "not only".
    relative (FrozenSet[str]): Relative pronouns that the phrase they stand for can replace: "who".
    relative_others (FrozenSet[str]): Words that begin a relative clause and have no place for a whole phrase: "whose", "where".
    separable (FrozenSet[str]): Prefixes that stand alone where the verb is second, in a language that has it last in dependent clauses:
        "an" of "ankam".
    relative_ends (FrozenSet[str]): The same, for `Unit.is_relative`.
    possessive (FrozenSet[str]): Possessive pronouns: "my".
    articles (FrozenSet[str]): Articles that say nothing more: "the".
    determiners (FrozenSet[str]): Articles and words in their place: "this", "some".
    times (FrozenSet[str]): Nouns for times: "week".
    having (FrozenSet[str]): Forms of a verb that says itself what it says, where the graph has its object for that: "haben".
    time_verbs (FrozenSet[str]): A time can be their object: "spend".
    time_prepositions (FrozenSet[str]): Times have or lack them without a change: "on" in "on Monday".
    agents (FrozenSet[str]): Prepositions of who does what is in the passive: "by".
    born (FrozenSet[str]): Participles that look like a passive and are none: "born".
    being (FrozenSet[str]): Forms of an auxiliary that makes a passive of a state, with most participles: "ist" in "ist geteilt".
    no_passive (FrozenSet[str]): Ends of the participles with which it makes none: "gekommen".
    means (FrozenSet[str]): Without article they say how: "car" in "by car".
    body_parts (FrozenSet[str]): With "the" they say where: "by the arm".
    amounts (FrozenSet[str]): Say how much, not who: "percent".
    places (FrozenSet[str]): Adverbs of place: "here".
    place_prepositions (FrozenSet[str]): "under".
    directions (FrozenSet[str]): Prepositions that name places with a verb of motion: "from".
    motion (FrozenSet[str]): Verbs of motion: "go".
    modals (FrozenSet[str]): Modal verbs: "can".
    ability (FrozenSet[str]): Of these, those whose denial denies: "can".
    future (FrozenSet[str]): Of these, those under which something happens: "will".
    pro_verbs (FrozenSet[str]): Verbs that can stand for another one: "do".
    speech (FrozenSet[str]): Verbs that their subject may follow beside a quotation: "say".
    locative (FrozenSet[str]): Verbs that their subject may follow after a place: "stand".
    no_addressee (FrozenSet[str]): Of the verbs of speech, those that no person is the object of: "sigh".
    nominative (FrozenSet[str]): Pronouns that are subjects alone: "he".
    oblique (FrozenSet[str]): Pronouns that are no subjects: "him".
    placed (FrozenSet[str]): Adverbs before which a subject follows its verb: "here".
    ways (FrozenSet[str]): Particles that do the same: "down".
    of (FrozenSet[str]): Prepositions of the object of a noun for an event: "of".
    happening (FrozenSet[str]): Nouns of events that only happen: "arrival".
    conditions (FrozenSet[str]): Set a condition: "if", "provided that".
    condition_marks (FrozenSet[str]): Single words of these, by which a clause is known to set one: "long" of "as long as".
    condition_participles (FrozenSet[str]): Of these, those that may be verbs too: "provided".
    condition_verbs (FrozenSet[str]): Set one before their subject: "had I known".
    no_condition (FrozenSet[str]): Before or after these, a word of condition sets none: "even if", "as if".
    only (FrozenSet[str]): Belong to the condition after them: "only if".
    asking (FrozenSet[str]): With these a clause of condition is a question: "wonder if".
    asked (FrozenSet[str]): Of the words of condition, those that begin a question too: "if".
    contrasts (FrozenSet[str]): Linkers after which a condition counts no longer: "but".
    alternatives (FrozenSet[str]): Linkers of what may be true or not: "or".
    inverting (FrozenSet[str]): After these the subject follows the auxiliary: "neither".
    correlatives (FrozenSet[str]): The first of two Linkers: "either".
    that (FrozenSet[str]): Conjunctions of content: "that".
    open (FrozenSet[str]): What these begin may be untrue: "whether", "until".
    doubt (FrozenSet[str]): "perhaps".
    quantified (FrozenSet[str]): What is said of these need not happen: "any".
    quantifiers (FrozenSet[str]): A clause about these is no sentence of its own: "nobody who came".
    not_asserted (FrozenSet[str]): Linkers of Scenes that the text does not assert: "unless", "in order".
    asserted_of_past (FrozenSet[str]): Linkers of Scenes that it asserts in the past alone: "when".
    additive (FrozenSet[str]): Linkers that only join: "and".
    not_only (FrozenSet[str]): The first of two words that goes when Scenes are divided: "not only".
    signatures (Dict[str, FrozenSet[str]]): Predicates by what they imply of their complement, "-+" and the like: see
        `extract.polarity`. "keep_from" counts before a complement with "from".
    """

    negation: Listed = NONE
    negation_ahead: Listed = NONE
    negation_again: Listed = NONE
    negation_phrases: Listed = NONE
    negation_half: Listed = NONE
    negation_with_half: Listed = NONE
    no_negation: Listed = NONE
    relative: Listed = NONE
    relative_others: Listed = NONE
    separable: Listed = NONE
    relative_ends: Listed = NONE
    possessive: Listed = NONE
    articles: Listed = NONE
    determiners: Listed = NONE
    times: Listed = NONE
    having: Listed = NONE
    time_verbs: Listed = NONE
    time_prepositions: Listed = NONE
    agents: Listed = NONE
    born: Listed = NONE
    being: Listed = NONE
    no_passive: Listed = NONE
    means: Listed = NONE
    body_parts: Listed = NONE
    amounts: Listed = NONE
    places: Listed = NONE
    place_prepositions: Listed = NONE
    directions: Listed = NONE
    motion: Listed = NONE
    modals: Listed = NONE
    ability: Listed = NONE
    future: Listed = NONE
    pro_verbs: Listed = NONE
    speech: Listed = NONE
    locative: Listed = NONE
    no_addressee: Listed = NONE
    nominative: Listed = NONE
    oblique: Listed = NONE
    placed: Listed = NONE
    ways: Listed = NONE
    of: Listed = NONE
    happening: Listed = NONE
    conditions: Listed = NONE
    condition_marks: Listed = NONE
    condition_participles: Listed = NONE
    condition_verbs: Listed = NONE
    no_condition: Listed = NONE
    only: Listed = NONE
    asking: Listed = NONE
    asked: Listed = NONE
    contrasts: Listed = NONE
    alternatives: Listed = NONE
    inverting: Listed = NONE
    correlatives: Listed = NONE
    that: Listed = NONE
    open: Listed = NONE
    doubt: Listed = NONE
    quantified: Listed = NONE
    quantifiers: Listed = NONE
    not_asserted: Listed = NONE
    asserted_of_past: Listed = NONE
    additive: Listed = NONE
    not_only: Listed = NONE
    signatures: dict[str, Listed] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """RETURNS (List[str]): The lists that are empty."""
        return [each.name for each in fields(self) if not getattr(self, each.name)]


_known: dict[str, Words] = {}
_EMPTY = Words()
_caches: list[Any] = []


def cached(function: F) -> F:
    """Keep what a function makes of words, until a language gets others. For functions that are called for each token."""
    _caches.append(made := cache(function))
    return made  # type: ignore[return-value]


def make_words(signatures: dict[str, str] | None = None, **lists: str) -> Words:
    """Make the words of a language.

    signatures (Optional[Dict[str, str]]): Predicates by what they imply.
    **lists (str): Words with white space between them or, where one has a space in it, with "|". A single one of these ends
        with "|".
    RETURNS (Words): The words.
    """
    implied = {key: _list(words) for key, words in (signatures or {}).items()}
    return Words(signatures=implied, **{name: _list(words) for name, words in lists.items()})


def _list(words: str) -> Listed:
    parts = words.split("|") if "|" in words else words.split()
    return frozenset(" ".join(part.split()) for part in parts if part.strip())


def register_words(lang: str, words: Words) -> None:
    """Give a language words, in place of those that it has.

    lang (str): The code of the language, as spaCy's: "it".
    words (Words): The words.
    """
    _load()
    _known[lang] = words
    for function in _caches:
        function.cache_clear()


def get_words(lang: str) -> Words:
    """RETURNS (Words): The words of a language; empty lists, if it has none."""
    return _load().get(lang, _EMPTY)


@cached
def words_in(lang: str, *names: str) -> Listed:
    """RETURNS (FrozenSet[str]): The lists of these names of a language together; those of all languages, if it has no words at all."""
    known = _load().get(lang)
    return NONE.union(*(getattr(known, name) for name in names)) if known else any_words(*names)


@cached
def any_words(*names: str) -> Listed:
    """RETURNS (FrozenSet[str]): The lists of these names of all languages together, where nobody knows the language."""
    return NONE.union(*(getattr(words, name) for words in _load().values() for name in names))


def _load() -> dict[str, Words]:
    if not _known:
        # Each other file of this folder is a language, and called by its code.
        files = iter_modules(import_module(__package__).__path__)
        for lang in {file.name for file in files} - {"words"}:
            _known[lang] = import_module(f"{__package__}.{lang}").WORDS
    return _known
