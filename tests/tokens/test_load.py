"""`spacy_ucca.load`: pipelines of a language, and what is refused."""

import sys
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
import spacy
from many_languages import NEED, TEXTS, same, saved, through_disk, through_pickle, tokens
from spacy.tokens import Doc

import spacy_ucca
from spacy_ucca.errors import LanguageError

ITALIAN = "L'uomo che ha visto all'arrivo non è venuto."


@pytest.mark.parametrize(
    "lang, again",
    [*[(lang, same) for lang in TEXTS], *product(("it", "ja"), (through_disk, through_pickle))],
)
def test_tokens_are_those_of_the_language(
    lang: str, again: Callable, any_language: Path, tmp_path: Path
) -> None:
    pytest.importorskip(NEED.get(lang, "spacy"))
    text = TEXTS.get(lang, ITALIAN)
    expected = tokens(spacy.blank(lang)(text))
    nlp = again(spacy_ucca.load(any_language, lang=lang), tmp_path)
    assert nlp.lang == nlp.vocab.lang == nlp.meta["lang"] == nlp.config["nlp"]["lang"] == lang
    assert isinstance(nlp, spacy.util.get_lang_class(lang)) and nlp.pipe_names == ["sentencizer"]
    assert tokens(nlp(text)) == expected
    given = Doc(nlp.vocab, words=["a-b", "c d"])
    assert [token.text for token in nlp(given)] == ["a-b", "c d"]


def test_a_pipeline_of_a_language_stays_as_it_was_saved(any_language: Path, tmp_path: Path) -> None:
    same_language = spacy_ucca.load(any_language, lang="xx")
    assert [token.text for token in same_language("a-b")] == ["a-b"]
    assert same_language.to_bytes() == spacy.load(any_language).to_bytes()
    english = saved(spacy.blank("en"), tmp_path)
    for lang in (None, "en", "eng"):
        assert spacy_ucca.load(english, lang=lang).to_bytes() == spacy.load(english).to_bytes()
    with pytest.raises(LanguageError, match=r"\[UC590\].*'en', not for 'de'"):
        spacy_ucca.load(english, lang="de")


def test_arguments_of_spacy_and_a_tokenizer_of_choice(any_language: Path) -> None:
    config = {"nlp": {"tokenizer": {"use_pyvi": False}, "batch_size": 7}}
    for given in (config, {"nlp.tokenizer.use_pyvi": False, "nlp.batch_size": 7}):
        nlp = spacy_ucca.load(any_language, lang="vi", config=given, exclude="sentencizer")
        assert (nlp.lang, nlp.batch_size, nlp.pipe_names) == ("vi", 7, [])
        assert [token.text for token in nlp("Xin chào.")] == ["Xin", "chào."]
    whole = {"nlp.tokenizer": {"@tokenizers": "spacy.vi.VietnameseTokenizer", "use_pyvi": False}}
    nlp = spacy_ucca.load(any_language, lang="fr", config=whole, disable=["sentencizer"])
    assert [token.text for token in nlp("l'eau")] == ["l'eau"] and nlp.pipe_names == []


@pytest.mark.parametrize("lang", [None, *sorted(TEXTS)])
def test_components_of_any_language_are_made_in_each(lang: str | None, tmp_path: Path) -> None:
    """spaCy has a morphologizer of its own for Japanese, with other settings."""
    pytest.importorskip(NEED.get(lang or "", "spacy"))
    nlp = spacy.blank("xx")
    nlp.add_pipe("morphologizer").add_label("POS=NOUN")
    nlp.initialize()
    nlp.to_disk(tmp_path)
    loaded = spacy_ucca.load(tmp_path, lang=lang)
    assert loaded.pipe_names == ["morphologizer"] and loaded.meta["name"] == nlp.meta["name"]
    text = TEXTS[lang or "en"]
    assert {token.pos_ for token in loaded(text)} == {"NOUN"}
    without = spacy_ucca.load(tmp_path, lang=lang, disable="morphologizer")
    assert without.disabled == ["morphologizer"] and {t.pos_ for t in without(text)} != {"NOUN"}


@pytest.mark.parametrize("lang", ["german", "FR", "lex_attrs", "char_classes", "", "zxx", "..", 5])
def test_languages_that_spacy_does_not_know(lang: str, any_language: Path) -> None:
    with pytest.raises(LanguageError, match=r"\[UC591\].*: af, am,.*, zh; for any other, xx\."):
        spacy_ucca.load(any_language, lang=lang)


def test_there_is_no_such_pipeline(tmp_path: Path) -> None:
    for lang in (None, "fr"):
        with pytest.raises(OSError, match=r"\[E050\]"):
            spacy_ucca.load(str(tmp_path / "none"), lang=lang)


@pytest.mark.parametrize(
    "lang, package",
    [("ja", "sudachipy"), ("th", "pythainlp.tokenize"), ("ko", "natto"), ("vi", "pyvi")],
)
def test_missing_segmenters_are_named(
    lang: str, package: str, any_language: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(LanguageError, match=rf"\[UC592\].*'{lang}'.*pip install"):
        spacy_ucca.load(any_language, lang=lang)


def test_without_the_package_that_guesses(
    any_language: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    with pytest.warns(UserWarning, match=r"\[UW310\].*spacy-ucca\[languages\]"):
        nlp = spacy_ucca.load(any_language)
    assert [token.text for token in nlp("a-b")] == ["a-b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert spacy_ucca.load(any_language, lang="fr").lang == "fr"
