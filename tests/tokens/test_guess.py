"""Guesses of languages: the tokenizer that guesses, what is in doubt, and texts that belong together."""

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy
from many_languages import NEED, TEXTS, same, through_disk, through_pickle, tokens
from spacy.tokens import Doc

import spacy_ucca
from spacy_ucca.errors import LanguageError
from spacy_ucca.tokens.guess import check_lang, guess_given, guess_language, make_docs

KOREAN = "그는 어제 친구와 함께 파리로 이사했지만 그 도시를 좋아하지 않는다고 말했습니다."

needs_guesses = pytest.mark.skipif(
    "not __import__('importlib.util').util.find_spec('py3langid')", reason="no py3langid"
)


@needs_guesses
@pytest.mark.parametrize("again", [same, through_disk, through_pickle])
def test_one_stream_has_texts_of_all_languages(
    again: Callable, any_language: Path, tmp_path: Path
) -> None:
    for package in NEED.values():
        pytest.importorskip(package)
    nlp = again(spacy_ucca.load(any_language), tmp_path)
    expected = [(lang, tokens(spacy.blank(lang)(text))) for lang, text in TEXTS.items()]

    def found(n_process: int) -> list[tuple[str, list]]:
        docs = nlp.pipe(TEXTS.values(), n_process=n_process)
        return [(doc._.ucca_lang, tokens(doc)) for doc in docs]

    for _ in range(2):  # the second zone frees words of tokenizers that the first one has made
        with nlp.memory_zone():
            assert found(1) == expected
    assert found(1) == found(2) == expected
    assert nlp.lang == "xx" and all(doc.vocab is nlp.vocab for doc in nlp.pipe(TEXTS.values()))


@needs_guesses
@pytest.mark.parametrize("text", ["", " ", "12", "😀", "?!", "\n\n", "1.5 %"])
def test_what_has_no_language_is_in_doubt(text: str, any_language: Path) -> None:
    doc = spacy_ucca.load(any_language)(text)
    assert doc._.ucca_lang == "xx" and doc.text == text


@needs_guesses
@pytest.mark.parametrize("n", [1, 4, 400])
def test_several_languages_in_a_text_are_told(n: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for lang, text in TEXTS.items():
            assert guess_language(" ".join([text] * n)) == (lang, True)
    with pytest.warns(UserWarning, match=r"\[UW311\].* de, fr: 'Nach dem Studium"):
        guess_language(" ".join([*[TEXTS["de"]] * 2 * n, *[TEXTS["fr"]] * 2 * n]))


@needs_guesses
def test_sentences_of_parallel_ud(corpora: Path) -> None:
    """The last 200 of each treebank, those with eight words and more, are named right."""
    n = right = 0
    for path in sorted((corpora / "UD_PUD").glob("*.conllu")):
        blocks = path.read_text("utf8").split("\n\n")
        for block in [block for block in blocks if block.strip()][-200:]:
            lines = block.splitlines()
            (text,) = (line.partition("=")[2].strip() for line in lines if line[:8] == "# text =")
            if sum(line.partition("\t")[0].isdigit() for line in lines) >= 8:
                n, right = n + 1, right + (guess_language(text) == (path.name[:2], True))
    assert n > 3000 and right >= 0.985 * n


@needs_guesses
def test_paragraphs_and_given_words_have_the_language_of_the_whole(any_language: Path) -> None:
    nlp = spacy_ucca.load(any_language)
    heading, *_ = docs = make_docs(nlp, ["Menu", TEXTS["fr"], "", "12"])
    assert [doc._.ucca_lang for doc in docs] == ["fr"] * 4 and heading.text == "Menu"
    assert [doc._.ucca_lang for doc in make_docs(nlp, [TEXTS["fr"]], "de")] == ["de"]
    assert nlp(TEXTS["en"])._.ucca_lang == "en"  # nothing of it is left
    given = [Doc(nlp.vocab, words=words) for words in (TEXTS["de"].split(), ["Ja"])]
    guess_given(nlp, given)
    assert [doc._.ucca_lang for doc in given] == ["de", "de"] and len(given[1]) == 1


def test_other_pipelines_make_docs_as_they_do() -> None:
    nlp = spacy.blank("de")
    (doc,) = make_docs(nlp, [TEXTS["fr"]])
    guess_given(nlp, [doc])
    assert tokens(doc) == tokens(nlp(TEXTS["fr"])) and doc._.ucca_lang == "de"
    with pytest.raises(ValueError, match=r"\[E088\]"):
        nlp.max_length = 3
        make_docs(nlp, [TEXTS["fr"]])


@needs_guesses
def test_missing_segmenters_of_a_guess(
    any_language: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Where there are no spaces, nothing else divides a text; what is in doubt is divided all the same."""
    for package in ("sudachipy", "natto"):
        monkeypatch.setitem(sys.modules, package, None)
    nlp = spacy_ucca.load(any_language)
    with pytest.raises(LanguageError, match=r"\[UC592\].*'ja'.*pip install"):
        nlp(TEXTS["ja"])
    with pytest.warns(UserWarning, match=r"\[UW312\].*'ko'.*pip install") as caught:
        docs = [*nlp.pipe([KOREAN] * 3)]
    assert len(caught) == 1 and capsys.readouterr() == ("", "")
    assert {doc._.ucca_lang for doc in docs} == {"ko"}
    assert tokens(docs[0]) == tokens(spacy.blank("xx")(KOREAN))


@needs_guesses
def test_languages_that_a_pipeline_takes(any_language: Path) -> None:
    guessing, german = spacy_ucca.load(any_language), spacy.blank("de")
    assert [check_lang(guessing, lang) for lang in ("", "fr", "fra")] == ["", "fr", "fr"]
    assert [check_lang(german, lang) for lang in ("", "de")] == ["", "de"]
    with pytest.raises(LanguageError, match=r"\[UC591\]"):
        check_lang(guessing, "german")
    with pytest.raises(LanguageError, match=r"\[UC590\]"):
        check_lang(german, "fr")


@needs_guesses
def test_threads_make_docs_of_any_language(any_language: Path) -> None:
    for package in NEED.values():
        pytest.importorskip(package)
    nlp = spacy_ucca.load(any_language)

    def words(lang: str) -> list:
        return [tokens(*make_docs(nlp, [TEXTS[lang]])) for _ in range(20)]

    with ThreadPoolExecutor(8) as threads:
        found = dict(zip(TEXTS, threads.map(words, TEXTS)))
        again = [*threads.map(words, ["ja"] * 8)]
    for lang, text in TEXTS.items():
        assert found[lang] == [tokens(spacy.blank(lang)(text))] * 20
    assert again == [found["ja"]] * 8
