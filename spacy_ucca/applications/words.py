"""Words that splitting depends on, by language."""

from functools import cache

from spacy.tokens import Doc

# Linkers of Scenes that the text does not assert: conditions, purposes, alternatives, what is not the case.
NOT_ASSERTED = {
    "en": """if|unless|whether|lest|or|nor|either|neither|without|than|so that|in case|in order|as though|provided|
        providing|instead of|suppose|supposing|assuming|until|to|as|like""",
    "de": """wenn|falls|ob|sofern|damit|oder|noch|entweder|weder|ohne|statt|anstatt|es sei denn|um|vorausgesetzt|bis""",
    "fr": """si|s'|s’|ou|ni|soit|sans|sinon|à moins|pour que|afin|au lieu|pourvu|à condition|jusqu'à|plutôt""",
}
# "When it rains, we stay" does not say that it rains; "when it rained, we stayed" says that it did.
ASSERTED_OF_THE_PAST = {
    "en": "when|whenever|once|before|after|while|as soon as|as long as",
    "de": "sobald|bevor|nachdem|solange|immer wenn",
    "fr": "quand|lorsque|dès que|avant|après que|tant que",
}
RELATIVE = {
    "en": "who|whom|which|that",
    "de": "der|die|das|den|dem|denen|welcher|welche|welches|welchen|welchem",
    "fr": "qui|que|qu'|qu’",
}
# A clause that begins with one of these, or with words before one, has no place for a whole phrase.
OTHER_RELATIVE = {
    "en": "who|whom|which|whose|where|why|how|what",
    "de": "dessen|deren|wo|warum|wie|was|wer",
    "fr": "dont|où|lequel|laquelle|lesquels|lesquelles|duquel|auquel",
}
# "Nobody who came left" does not say that nobody came.
QUANTIFIED = {
    "en": """no|nobody|none|nothing|every|everyone|everybody|everything|each|any|anyone|anybody|anything|whoever|
        whatever|few|most|only""",
    "de": "kein|keine|keinen|keinem|keiner|niemand|nichts|jeder|jede|jedes|jeden|jedem|wer|wenige|nur",
    "fr": "aucun|aucune|personne|rien|chaque|tout|toute|tous|toutes|quiconque|seul|seule",
}


@cache
def _split(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.split("|"))


def words_of(table: dict[str, str], doc: Doc) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The words of the language of a Doc; of all languages, if the table does not have it."""
    if doc.vocab.lang in table:
        return _split(table[doc.vocab.lang])
    return frozenset().union(*map(_split, table.values()))


def has_word(text: str, words: frozenset[str]) -> bool:
    """RETURNS (bool): Whether a text has one of some words, or words in a row."""
    padded = f" {' '.join(text.lower().split())} "
    return any(f" {word} " in padded for word in words)
