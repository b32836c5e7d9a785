"""Guess the language of each text, and divide the text into words as spaCy's tokenizer of that language does."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

from spacy import util
from spacy.attrs import SPACY
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, LanguageError, Warnings
from ..methods import load_package
from .language import set_lang
from .load import ANY, GUESS, INSTALL, SEGMENTERS, lang_class, make_blank
from .storage import words_of

# of SEGMENTERS, those that have spaces, so that a tokenizer of any language does
SPACED = ("ko", "vi")
# Below SURE the name of a language is a guess that is not told. Of Parallel UD, 99.6 % of the sentences of eight words and more
# are above, and 0.6 % of these are wrong. No part of a sentence above SURE_OF_PART is wrong.
SURE, SURE_OF_PART = 0.5, 0.7
N_PARTS = 4  # of a text are looked at, if they have
MIN_PART, MAX_PART = 80, 400  # characters


class Guess(NamedTuple):
    """The language of a text: its code, and whether it is probable enough to be told."""

    lang: str
    is_sure: bool = True


def guess_language(text: str) -> Guess:
    """Guess the language of a text by up to four parts of it. Warn if these are in several languages.

    text (str): The text.
    RETURNS (Guess): The language.
    RAISES (UccaError): If py3langid is not installed.
    """
    classify = _identifier().classify
    n = min(N_PARTS, max(1, len(text) // MIN_PART))
    size = min(MAX_PART, len(text) // n + 1)
    parts = [text[start : start + size] for start in (i * len(text) // n for i in range(n))]
    found = [classify(part) for part in parts]
    if len({lang for lang, _ in found}) > 1:
        langs = sorted({lang for lang, p in found if p >= SURE_OF_PART})
        found = [classify(" ".join(parts))]
        if len(langs) > 1:
            message = Warnings.UW311.format(
                text=text[:40], langs=", ".join(langs), lang=found[0][0]
            )
            warnings.warn(message, stacklevel=2)
    lang, p = max(found, key=lambda item: item[1])
    return Guess("nb" if lang == "no" else lang, p >= SURE)  # spaCy's code of Norwegian


@lru_cache(maxsize=1)
def _identifier() -> Any:
    langid = load_package("py3langid.langid", INSTALL)
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    # Others are variants of these, such as those of Arabic, or of few texts.
    identifier.set_languages([lang for lang in identifier.labels if len(lang) == 2])
    return identifier


_one_thread = Lock()  # that of Japanese takes no two
_told: ContextVar[Guess | None] = ContextVar("told", default=None)


class GuessingTokenizer(util.DummyTokenizer):
    """Divide each text into words as spaCy's tokenizer of its language does. The language is guessed.

    vocab (Vocab): The vocabulary of the Docs.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self._blanks: dict[str, Language] = {}

    def __reduce__(self) -> tuple:
        return type(self), (self.vocab,)

    def __call__(self, text: str) -> Doc:
        """Make a Doc of a text.

        text (str): The text.
        RETURNS (Doc): The Doc, whose language is on `doc._.ucca_lang` unless that is in doubt.
        RAISES (LanguageError): If a package is missing that the tokenizer of the language needs.
        """
        lang, is_sure = _told.get() or guess_language(text)
        found = self._blank(lang if is_sure or lang not in SEGMENTERS else ANY).tokenizer(text)
        spaces = found.to_array(SPACY).astype(bool).tolist()
        doc = Doc(self.vocab, words=words_of(found), spaces=spaces)
        if is_sure:
            set_lang(doc, lang)
        return doc

    def _blank(self, lang: str) -> Language:
        """RETURNS (Language): The pipeline whose tokenizer divides texts in a language."""
        if lang not in self._blanks:
            try:
                self._blanks[lang] = make_blank(lang)
            except LanguageError as err:
                if lang in SEGMENTERS:  # others are languages that spaCy does not know
                    if lang not in SPACED:
                        raise
                    warnings.warn(Warnings.UW312.format(lang=lang, reason=err), stacklevel=3)
                self._blanks[lang] = self._blank(ANY)
        return self._blanks[lang]

    @contextmanager
    def memory_zone(self, mem: Any = None) -> Iterator[Any]:
        """Let words of the vocabularies that divide texts go, too, at the end of `nlp.memory_zone`."""
        with ExitStack() as stack:
            for blank in {id(blank): blank for blank in self._blanks.values()}.values():
                stack.enter_context(blank.memory_zone())
            yield mem


@util.registry.tokenizers(GUESS)
def create_guessing_tokenizer() -> Callable[[Language], GuessingTokenizer]:
    """Create a tokenizer for `nlp.tokenizer` of a config that guesses the language of each text.

    RETURNS (Callable[[Language], GuessingTokenizer]): Makes the tokenizer of a pipeline.
    """
    return lambda nlp: GuessingTokenizer(nlp.vocab)


def guesses_language(nlp: Language) -> bool:
    """RETURNS (bool): Whether a pipeline guesses the languages of texts."""
    return isinstance(nlp.tokenizer, GuessingTokenizer)


def check_lang(nlp: Language, lang: str) -> str:
    """Check that a text in a language can be parsed.

    nlp (Language): The pipeline.
    lang (str): The code of the language; "" for that of the pipeline, or a guess.
    RETURNS (str): The code.
    RAISES (LanguageError): If spaCy does not know the language, or the pipeline is for another one.
    """
    if lang and guesses_language(nlp):
        return str(lang_class(lang).lang)
    if lang not in ("", nlp.lang):
        name = nlp.meta.get("name", "")
        raise LanguageError(Errors.UC590.format(name=name, own=nlp.lang, lang=lang))
    return lang


def make_docs(nlp: Language, texts: Iterable[str], lang: str = "") -> list[Doc]:
    """Make Docs of texts that belong together, such as the paragraphs of one, and are in one language. Several threads
    can call this.

    nlp (Language): The pipeline.
    texts (Iterable[str]): The texts.
    lang (str): The code of the language, where the pipeline guesses; "" for a guess.
    RETURNS (List[Doc]): The Docs.
    RAISES (LanguageError): If a package is missing that the tokenizer of the language needs.
    RAISES (ValueError): If a text is longer than `nlp.max_length`.
    """
    texts = list(texts)
    told = None
    if guesses_language(nlp):
        told = Guess(lang) if lang else guess_language("\n".join(texts))
    before = _told.set(told)
    try:
        with _one_thread:
            return [nlp.make_doc(text) for text in texts]
    finally:
        _told.reset(before)


def guess_given(nlp: Language, docs: Iterable[Doc]) -> None:
    """Guess the language of Docs whose words are given, and belong together, if the pipeline guesses languages.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): The Docs, which are changed.
    """
    if guesses_language(nlp):
        docs = list(docs)
        lang, is_sure = guess_language("\n".join(doc.text for doc in docs))
        for doc in docs if is_sure else ():
            set_lang(doc, lang)
