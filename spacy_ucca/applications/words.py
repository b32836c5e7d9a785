"""Words that splitting depends on: those of the language of a Doc."""

from spacy.tokens import Doc

from ..lang import any_words, get_words


def words_of(doc: Doc, name: str) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): A list (`lang.Words`) of the language of a Doc; of all languages, if that one has none."""
    return getattr(get_words(doc.vocab.lang), name) or any_words(name)


def has_word(text: str, words: frozenset[str]) -> bool:
    """RETURNS (bool): Whether a text has one of some words, or words in a row."""
    padded = f" {' '.join(text.lower().split())} "
    return any(f" {word} " in padded for word in words)
