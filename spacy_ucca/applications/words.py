"""Words that splitting depends on, by language."""

from spacy.tokens import Doc

Words = dict[str, frozenset[str]]


def _table(**texts: str) -> Words:
    return {lang: frozenset(map(str.strip, text.split("|"))) for lang, text in texts.items()}


# Linkers of Scenes that the text does not assert: conditions, purposes, alternatives, what is not the case.
NOT_ASSERTED = _table(
    en="""if|unless|whether|lest|or|nor|either|neither|without|than|so that|in case|in order|as though|provided|
        providing|instead of|suppose|supposing|assuming|until|to|as|like""",
    de="""wenn|falls|ob|sofern|damit|oder|noch|entweder|weder|ohne|statt|anstatt|es sei denn|um|vorausgesetzt|bis""",
    fr="""si|s'|s’|ou|ni|soit|sans|sinon|à moins|pour que|afin|au lieu|pourvu|à condition|jusqu'à|plutôt""",
)
# "When it rains, we stay" does not say that it rains; "when it rained, we stayed" says that it did.
ASSERTED_OF_THE_PAST = _table(
    en="when|whenever|once|before|after|while|as soon as|as long as",
    de="sobald|bevor|nachdem|solange|immer wenn",
    fr="quand|lorsque|dès que|avant|après que|tant que",
)
# A clause that begins with one of these, or with words before one, has no place for a whole phrase.
OTHER_RELATIVE = _table(
    en="who|whom|which|whose|where|why|how|what",
    de="dessen|deren|wo|warum|wie|was|wer",
    fr="dont|où|lequel|laquelle|lesquels|lesquelles|duquel|auquel",
)
# "Nobody who came left" does not say that nobody came.
QUANTIFIED = _table(
    en="""no|nobody|none|nothing|all|every|everyone|everybody|everything|each|any|anyone|anybody|anything|whoever|
        whatever|few|most|only""",
    de="kein|keine|keinen|keinem|keiner|niemand|nichts|jeder|jede|jedes|jeden|jedem|wer|wenige|nur",
    fr="aucun|aucune|personne|rien|chaque|tout|toute|tous|toutes|quiconque|seul|seule",
)

# The first word of two that goes when the Scenes are divided: "he was not only late but also rude"
NOT_ONLY = {"not only", "not just", "not merely", "not simply", "nicht nur", "non seulement"}
# Linkers that only join: two sentences say the same without them.
ADDITIVE = _table(en="and", de="und", fr="et")
ARTICLES = _table(
    en="a|an|the",
    de="der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines",
    fr="le|la|les|l'|l’|un|une|des",
)
# Prepositions that times have or lack without a change: "on Monday", "Monday"
PLAIN_OF_TIMES = _table(en="on|in|at", de="an|am|im|in|um", fr="à|en|au|le")


def words_of(table: Words, doc: Doc) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The words of the language of a Doc; of all languages, if the table does not have it."""
    return table.get(doc.vocab.lang) or frozenset[str]().union(*table.values())


def has_word(text: str, words: frozenset[str]) -> bool:
    """RETURNS (bool): Whether a text has one of some words, or words in a row."""
    padded = f" {' '.join(text.lower().split())} "
    return any(f" {word} " in padded for word in words)
