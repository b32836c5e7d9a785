"""Load a pipeline for a language."""

import warnings
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from inspect import signature
from io import StringIO
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import spacy.lang
from spacy import util
from spacy.language import Language
from thinc.api import Config

from ..errors import Errors, LanguageError, Warnings

ANY = "xx"  # spaCy's code for any language
TOKENIZER = "nlp.tokenizer"  # a section of a config
GUESS = "spacy-ucca.GuessLanguage.v1"  # the tokenizer of `guess`
INSTALL = "pip install 'spacy-ucca[languages]'"
# Languages whose tokenizers need more than spaCy, and what.
SEGMENTERS = {
    "ja": "pip install 'spacy[ja]'",
    "ko": "pip install 'spacy[ko]', and MeCab with its Korean dictionary",
    "th": "pip install 'spacy[th]'",
    "vi": "pip install pyvi",
}


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
        kind = lang_class(lang)
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
    fitted = _fit(kind, _folder(name), config) if lang else None
    if fitted is None:
        nlp = spacy.load(name, config=config, exclude=without, **options)
    else:
        nlp = util.load_model_from_config(fitted, exclude=without, **options)
        nlp.from_disk(_folder(name), exclude=without, overrides=config)
    nlp.meta["lang"] = nlp.lang
    return nlp


def _fit(kind: type[Language], folder: Path, overrides: dict[str, Any]) -> Config | None:
    """RETURNS (Optional[Config]): The configuration of a pipeline without the settings that the factories of a language lack: spaCy's
    morphologizer of Japanese has no `label_smoothing`. None, if there are none."""
    settings = util.load_config(folder / "config.cfg", overrides=overrides)
    lacking = []
    for component in settings.get("components", {}).values():
        name = kind.get_factory_name(component.get("factory", ""))
        if name in util.registry.factories:
            known = signature(util.registry.factories.get(name)).parameters
            lacking += [(component, key) for key in {*component} - {*known, "factory"}]
    for component, key in lacking:
        del component[key]
    return settings if lacking else None


def _folder(name: str | Path) -> Path:
    """RETURNS (Path): Where the data of a pipeline are; a package has them in a folder of its name, or beside its code."""
    if not util.is_package(str(name)):
        return Path(name)
    folder = util.get_package_path(str(name))
    inner = folder / "{lang}_{name}-{version}".format(**util.get_model_meta(folder))
    return inner if inner.is_dir() else folder


def _lang_of(name: str | Path) -> str:
    """RETURNS (str): The language of a saved pipeline; "" if it is not found, which spaCy tells of."""
    folder = _folder(name)
    return str(util.get_model_meta(folder)["lang"]) if folder.is_dir() else ""


def lang_class(lang: str) -> type[Language]:
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


def make_blank(lang: str) -> Language:
    """Make a pipeline without components, for its tokenizer.

    lang (str): The code of the language.
    RETURNS (Language): The pipeline.
    RAISES (LanguageError): If there is none, or a package that its tokenizer needs is missing.
    """
    kind = lang_class(lang)
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
