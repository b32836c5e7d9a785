"""Words of languages: what must hold between lists, and a language of one's own."""

from collections.abc import Iterator
from dataclasses import fields

import pytest
import spacy
from spacy.tokens import Doc
from written_docs import doc_of

from spacy_ucca.extract import predications
from spacy_ucca.extract.markers import _phrases
from spacy_ucca.extract.polarity import _signatures
from spacy_ucca.extract.words import words_of
from spacy_ucca.lang import Words, any_words, get_words, make_words, register_words, words

VOCAB = spacy.blank("it").vocab
OWN = sorted(words._load())
LISTS = [field.name for field in fields(Words) if field.name != "signatures"]
# Each list is a part of the other
PARTS = [
    ("negation_ahead", "negation"),
    ("negation_half", "negation"),
    ("ability", "modals"),
    ("future", "modals"),
    ("asked", "conditions"),
    ("no_addressee", "speech"),
    ("condition_participles", "conditions"),
    ("articles", "determiners"),
]


@pytest.fixture
def italian() -> Iterator[Words]:
    """A language of a user's."""
    made = make_words(
        negation="non mai",
        modals="potere dovere",
        conditions="se|a meno che",
        signatures={"-o": "rifiutare"},
    )
    assert not predications(doc_of("[H [A Lei] [D mai] [P mangia]]", VOCAB))[0].is_negated
    assert not _signatures("it") and not _phrases("it")
    register_words("it", made)
    yield made
    del words._known["it"]
    register_words("xx", Words())
    del words._known["xx"]


@pytest.mark.parametrize("lang", OWN)
def test_words_are_in_lower_case_and_without_white_space_around(lang: str) -> None:
    for name in LISTS:
        assert all(w and w == " ".join(w.lower().split()) for w in getattr(get_words(lang), name))


@pytest.mark.parametrize("lang", OWN)
@pytest.mark.parametrize(("part", "whole"), PARTS[:-1])
def test_parts(lang: str, part: str, whole: str) -> None:
    own = get_words(lang)
    assert getattr(own, part) <= getattr(own, whole)


@pytest.mark.parametrize("lang", OWN)
def test_marks_of_conditions_are_words_of_them(lang: str) -> None:
    own = get_words(lang)
    assert own.condition_marks <= {word for phrase in own.conditions for word in phrase.split()}
    assert {phrase.split()[0] for phrase in own.no_negation} <= own.negation


def test_any_words_are_those_of_all_languages() -> None:
    for name in LISTS:
        assert any_words(name) == frozenset().union(*(getattr(get_words(x), name) for x in OWN))


@pytest.mark.parametrize("lang, pronouns", [("de", {"er"}), ("fr", {"il"}), ("en", {"he"})])
def test_a_doc_has_the_words_of_its_own_language(lang: str, pronouns: set[str]) -> None:
    doc = Doc(spacy.blank(lang).vocab, words=["x"])
    assert words_of(doc, "nominative") & {"er", "il", "he"} == pronouns
    assert words_of(doc, "oblique") == get_words(lang).oblique
    assert words_of(Doc(VOCAB, words=["x"]), "nominative") >= {"er", "il", "he"}


@pytest.mark.parametrize(
    "lang, verb, word, asks", [("fr", "savoir", "si", True), ("de", "wissen", "falls", False)]
)
def test_words_of_condition_that_ask(lang: str, verb: str, word: str, asks: bool) -> None:
    """ "I know not if she comes": "si" may ask, "falls" does not."""
    text = f"[H [A w] [P v] [D n] [A [L {word}] [H [A x] [P y]]]]"
    tree = ["1 nsubj PRP", f"1 ROOT VB {verb} VERB", "1 advmod RB"]
    tree += ["5 mark IN", "5 nsubj PRP", "1 advcl VB y VERB"]
    found = predications(doc_of(text, spacy.blank(lang).vocab, tree))
    assert any(each.conditions for each in found) != asks


def test_a_language_without_words() -> None:
    assert get_words("xx") == Words() and set(get_words("xx").missing) == {*LISTS, "signatures"}
    of_others = {
        "negation_half",
        "negation_with_half",
        "having",
        "being",
        "no_passive",
        "separable",
    }
    assert set(get_words("en").missing) == of_others
    assert "negation_half" in get_words("de").missing and "locative" in get_words("fr").missing


def test_a_language_of_ones_own(italian: Words) -> None:
    assert get_words("it") is italian and italian.conditions == {"se", "a meno che"}
    assert "mai" in any_words("negation") and "speech" in italian.missing
    assert set(_phrases("it")) == {"se", "a"} and set(_signatures("it").values()) == {"-o"}
    doc = doc_of("[H [A Lei] [D mai] [P mangia]]", VOCAB)
    (found,) = predications(doc)
    assert found.is_negated and found.negation.text == "mai"
