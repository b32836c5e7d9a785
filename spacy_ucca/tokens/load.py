"""Load a pipeline for a language, or so that it guesses the language of each text."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from contextvars import ContextVar
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from pkgutil import iter_modules
from threading import Lock
from typing import Any, NamedTuple

import spacy
import spacy.lang
from spacy import util
from spacy.attrs import SPACY
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, LanguageError, UccaError, Warnings
from .language import set_lang
from .storage import words_of

ANY = "xx"  # spaCy's code for any language
TOKENIZER = "nlp.tokenizer"  # a section of a config
GUESS = "spacy-ucca.GuessLanguage.v1"
INSTALL = "pip install 'spacy-ucca[languages]'"
# Languages whose tokenizers need more than spaCy, and what.
SEGMENTERS = {
    "ja": "pip install 'spacy[ja]'",
    "ko": "pip install 'spacy[ko]', and MeCab with its Korean dictionary",
    "th": "pip install 'spacy[th]'",
    "vi": "pip install pyvi",
}
SPACED = ("ko", "vi")  # of these, those that have spaces, so that a tokenizer of any language does
# Below SURE the name of a language is a guess that is not told. Of Parallel UD, 99.6 % of the sentences of eight words and more
# are above, and 0.6 % of these are wrong. No part of a sentence above SURE_OF_PART is wrong.
SURE, SURE_OF_PART = 0.5, 0.7
N_PARTS = 4  # of a text are looked at, if they have
MIN_PART, MAX_PART = 80, 400  # characters


def load(
    name: str | Path,
    *,
    lang: str | None = None,
    config: Mapping[str, Any] | None = None,
    exclude: str | Iterable[str] = (),
    **options: Any,
) -> Language:
    """Load a pipeline for a language. A pipeline for any language ("xx") becomes one of that language, with its tokenizer.

    name (Union[str, Path]): The name of an installed pipeline, or a directory.
    lang (Optional[str]): The code of the language, as spaCy's; that of the pipeline loads it as it was saved. None: a pipeline
        for any language guesses that of each text, on `doc._.ucca_lang`; others are loaded as they were saved.
    config, exclude, **options: Arguments of `spacy.load`.
    RETURNS (Language): The pipeline.
    RAISES (LanguageError): If spaCy does not know the language, its tokenizer needs a package that is missing, or the pipeline is
        one of another language.
    """
    own = _lang_of(name)
    config = util.dict_to_dot(dict(config or {}), for_overrides=True)
    given = [key for key in config if key.startswith(TOKENIZER)]
    tokenizer: dict[str, Any] | None = None
    if lang is not None:
        kind = _lang_class(lang)
        lang = str(kind.lang)
        if own not in ("", ANY, lang):
            raise LanguageError(Errors.UC590.format(name=name, own=own, lang=lang))
        if own == ANY != lang:
            tokenizer = kind.default_config["nlp"]["tokenizer"]
            if lang in SEGMENTERS and not given:
                make_blank(lang)  # so that its error is ours
    elif own == ANY and not given:
        if find_spec("py3langid") is None:
            warnings.warn(Warnings.UW310.format(install=INSTALL), stacklevel=2)
        else:
            tokenizer = {"@tokenizers": GUESS}
    if tokenizer is None:
        return spacy.load(name, config=config, exclude=exclude, **options)
    inside = [key for key in given if key.startswith(TOKENIZER + ".")]
    settings = {key.removeprefix(TOKENIZER + "."): config.pop(key) for key in inside}
    config = {"nlp.lang": lang or ANY, TOKENIZER: {**tokenizer, **settings}, **config}
    # What is saved of the tokenizer would take the place of this one
    without = [*([exclude] if isinstance(exclude, str) else exclude), "tokenizer"]
    nlp = spacy.load(name, config=config, exclude=without, **options)
    nlp.meta["lang"] = nlp.lang
    return nlp


def _lang_of(name: str | Path) -> str:
    """RETURNS (str): The language of a saved pipeline; "" if it is not found, which spaCy tells of."""
    folder = util.get_package_path(name) if util.is_package(str(name)) else Path(name)  # type: ignore[arg-type]
    return str(util.get_model_meta(folder)["lang"]) if folder.is_dir() else ""


def _lang_class(lang: str) -> type[Language]:
    """RETURNS (Type[Language]): The class of a language.
    RAISES (LanguageError): If spaCy has none."""
    try:
        kind = util.get_lang_class(lang)
        if issubclass(kind, Language):
            return kind
    except Exception:  # `spacy.lang` has modules that are no languages
        pass
    raise LanguageError(Errors.UC591.format(lang=lang, codes=", ".join(language_codes()))) from None


def language_codes() -> list[str]:
    """RETURNS (List[str]): The codes of all languages that spaCy knows."""
    known = {module.name for module in iter_modules(spacy.lang.__path__) if module.ispkg}
    return sorted({*known, *util.registry.languages.get_all()} - {ANY})


def check_lang(nlp: Language, lang: str) -> str:
    """Check that a text in a language can be parsed.

    nlp (Language): The pipeline.
    lang (str): The code of the language; "" for that of the pipeline, or a guess.
    RETURNS (str): The code.
    RAISES (LanguageError): If spaCy does not know the language, or the pipeline is for another one.
    """
    if lang and guesses_language(nlp):
        return str(_lang_class(lang).lang)
    if lang not in ("", nlp.lang):
        name = nlp.meta.get("name", "")
        raise LanguageError(Errors.UC590.format(name=name, own=nlp.lang, lang=lang))
    return lang


def make_blank(lang: str) -> Language:
    """Make a pipeline without components, for its tokenizer.

    lang (str): The code of the language.
    RETURNS (Language): The pipeline.
    RAISES (LanguageError): If there is none, or a package that its tokenizer needs is missing.
    """
    kind = _lang_class(lang)
    try:
        nlp = kind()
        if lang in SEGMENTERS:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                nlp.make_doc("1")  # Korean looks for MeCab now, and prints what it does not find
    except Exception as err:
        install = SEGMENTERS.get(lang, "see what it says")
        reason = " ".join(str(err).split())
        raise LanguageError(
            Errors.UC592.format(lang=lang, reason=reason, install=install)
        ) from None
    return nlp


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
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        raise UccaError(Errors.UC570.format(package="py3langid", install=INSTALL)) from None
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
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
            except (
                LanguageError
            ) as err:  # also of languages that py3langid knows and spaCy does not
                if lang in SEGMENTERS:
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
