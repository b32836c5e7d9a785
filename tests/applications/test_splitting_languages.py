"""Splitting by relations and features of Universal Dependencies, in languages with and without words."""

import pytest
import spacy
from spacy.tokens import Doc
from ud_docs import VOCABS, ud_doc

from spacy_ucca.applications import split_sentences
from spacy_ucca.applications.tokens import joined

LAUGHED = "[H [A Er] [P lachte]] [U ,] "
LAUGHED_TREE = "PRON/1/nsubj VERB/1/ROOT/Mood=Ind PUNCT/1/punct "
NOM, DAT, ACC = "Case=Nom", "Case=Dat", "Case=Acc"


def split(lang: str, text: str, tree: str) -> list[str]:
    VOCABS.setdefault(lang, spacy.blank(lang).vocab)
    return [str(each) for each in split_sentences(ud_doc(lang, text, tree))]


@pytest.mark.parametrize(
    ("clause", "tree", "sentence"),
    [
        (
            "[A er] [A [F den] [C Brief]] [P gelesen] [F hatte]",
            "SCONJ/7/mark PRON/7/nsubj DET/6/det NOUN/7/obj VERB/1/advcl/Tense=Past AUX/7/aux/Mood=Ind",
            "Er hatte den Brief gelesen.",
        ),
        (
            "[A ihn] [A [F die] [C Frau]] [P sah]",
            "SCONJ/7/mark PRON/7/obj DET/6/det NOUN/7/nsubj VERB/1/advcl/Mood=Ind",
            "Die Frau sah ihn.",
        ),
        (
            "[A er] [T spät] [P ankam]",
            "SCONJ/6/mark PRON/6/nsubj ADV/6/advmod VERB/1/advcl/Mood=Ind",
            None,
        ),
        (
            "[A er] [T spät] [P angekommen] [F war]",
            "SCONJ/6/mark PRON/6/nsubj ADV/6/advmod VERB/1/advcl AUX/6/aux/Mood=Ind",
            "Er war spät angekommen.",
        ),
    ],
)
def test_german_dependent_clauses_have_their_verb_second(clause, tree, sentence):
    found = split("de", f"{LAUGHED}[L weil] [H {clause}]", LAUGHED_TREE + tree)
    assert found[1:] == ([sentence] if sentence else [])


def test_german_clauses_do_not_begin_with_their_verb():
    tree = LAUGHED_TREE + "CCONJ/5/cc ADV/7/advmod AUX/7/aux/Mood=Ind PRON/7/nsubj VERB/1/conj"
    tree = tree.replace("CCONJ/5", "CCONJ/7")
    text = LAUGHED + "[L und so] [H [D musste] [A sie] [P gehen]]"
    assert split("de", text, tree) == ["Er lachte.", "Sie musste gehen."]


def test_german_relative_clauses():
    text = "[H [A [F Der] [C#m Mann] [U ,] [E [R der] [A [F den] [C Wagen]] [P kaufte] [A* =m]]] [U ,] [P lachte]]"
    tree = f"""DET/1/det/{NOM} NOUN/8/nsubj/{NOM} PUNCT/6/punct PRON/6/nsubj/{NOM} DET/5/det NOUN/6/obj
        VERB/1/acl:relcl/Mood=Ind PUNCT/6/punct VERB/8/ROOT/Mood=Ind"""
    assert split("de", text, tree) == ["Der Mann lachte.", "Der Mann kaufte den Wagen."]
    text = "[H [A [F Das] [C#b Buch] [U ,] [E [R das] [A sie] [P gelesen] [F hat] [A* =b]]] [U ,] [S brennt]]"
    tree = f"""DET/1/det/{NOM} NOUN/8/nsubj/{NOM} PUNCT/5/punct PRON/5/obj/{ACC} PRON/5/nsubj
        VERB/1/acl:relcl AUX/5/aux/Mood=Ind PUNCT/6/punct VERB/8/ROOT/Mood=Ind"""
    assert split("de", text, tree) == ["Das Buch brennt.", "Sie hat das Buch gelesen."]
    assert len(split("de", text, tree.replace("PRON/5/nsubj", "PRON/5/iobj"))) == 1


@pytest.mark.parametrize(("case", "n"), [(NOM, 2), (DAT, 1)])
@pytest.mark.parametrize("lang", ["de", "ru"])
def test_a_phrase_in_another_case_is_no_subject(lang, case, n):
    text = "[H [A Wir] [P xx] [A [C#m yy] [U ,] [E [R der] [P zz] [A* =m]]]]"
    tree = f"""PRON/1/nsubj VERB/1/ROOT/Mood=Ind NOUN/1/obj/{case} PUNCT/5/punct
        PRON/5/nsubj/{NOM}|PronType=Rel VERB/2/acl:relcl/Mood=Ind"""
    assert len(split(lang, text, tree)) == n


@pytest.mark.parametrize(
    ("noun", "pos", "case", "head", "n"),
    [
        ("femme", "NOUN", "à/ADP", 3, 2),
        ("ceux", "PRON/PronType=Dem", "à/ADP", 3, 1),  # "those who"
        ("roi", "NOUN", "au/ADP/Definite=Def|PronType=Art", 3, 1),  # without its article
        ("femme", "NOUN", "à/ADP", 0, 1),  # the tree has it elsewhere
        ("tous", "PRON/PronType=Tot", "à/ADP", 3, 1),
    ],
)
def test_phrases_that_cannot_be_sentences_keep_their_relative_clause(noun, pos, case, head, n):
    word, *case_tags = case.split("/")
    tags, _, features = pos.partition("/")
    text = f"[H [A Il] [P parle] [A [R {word}] [C#m {noun}] [E [R qui] [P dort] [A* =m]]]]"
    tree = f"PRON/1/nsubj VERB/1/ROOT/Mood=Ind {case_tags[0]}/3/case/{'|'.join(case_tags[1:])} "
    tree += f"{tags}/1/obl/{features} PRON/5/nsubj/PronType=Rel VERB/{head}/acl:relcl/Mood=Ind"
    assert len(split("fr", text, tree)) == n


@pytest.mark.parametrize("mood", ["Ind", "Sub"])
def test_relative_clauses_of_languages_without_words(mood):
    text = "[H [P Busco] [A [F una] [C#h casa] [E [R que] [P arde] [A* =h]]]]"
    tree = f"""VERB/0/ROOT/Mood=Ind DET/2/det NOUN/0/obj PRON/4/nsubj/PronType=Rel
        VERB/2/acl:relcl/Mood={mood}"""
    said = ["Busco una casa.", "Una casa arde."] if mood == "Ind" else ["Busco una casa que arde."]
    assert split("es", text, tree) == said
    assert len(split("es", text, tree.replace("PRON/4/nsubj", "PRON/4/obj"))) == 1


@pytest.mark.parametrize(("lang", "n"), [("fr", 2), ("es", 1)])
def test_adverbial_clauses_stay_where_no_words_tell_which_are_true(lang, n):
    text = "[H [A xx] [P yy]] [L zz] [H [A uu] [P vv]]"
    tree = "PRON/1/nsubj VERB/1/ROOT/Mood=Ind SCONJ/4/mark PRON/4/nsubj VERB/1/{}/Mood=Ind"
    assert len(split(lang, text, tree.format("advcl"))) == n
    assert len(split(lang, text, tree.format("conj"))) == 2
    assert len(split(lang, text, tree.format("ccomp"))) == 1


def test_said_he_stays():
    text = "[H [A Il] [P pleut]] [U ,] [H [F a] [P dit] [A Anna]]"
    tree = (
        "PRON/1/expl VERB/{}/{}/Mood=Ind PUNCT/1/punct AUX/4/aux/Mood=Ind VERB/{}/{} PROPN/4/nsubj"
    )
    for places in (("1", "ROOT", "1", "parataxis"), ("4", "parataxis", "4", "ROOT")):
        assert split("fr", text, tree.format(*places)) == ["Il pleut , a dit Anna."]
    text = text.replace("[F a]", "[A Anna] [F a]").replace(" [A Anna]]", "]")
    tree = "PRON/1/expl VERB/1/ROOT/Mood=Ind PUNCT/1/punct PROPN/5/nsubj AUX/5/aux/Mood=Ind VERB/1/parataxis"
    assert split("fr", text, tree) == ["Il pleut.", "Anna a dit."]


def test_phrases_stay():
    text = "[L Après] [H [A [F le] [C bal]] [P IMPLICIT]] [U ,] [H [A elle] [P dort]]"
    tree = "ADP/2/case DET/2/det NOUN/5/obl PUNCT/2/punct PRON/5/nsubj VERB/5/ROOT/Mood=Ind|VerbForm=Fin"
    assert len(split("fr", text, tree)) == 1


def test_the_mark_of_a_clause_goes():
    text = "[H [A Il] [P dort]] [L après] [H [F que] [A la nuit] [P tombe]]"
    tree = "PRON/1/nsubj VERB/1/ROOT/Mood=Ind ADP/6/mark SCONJ/6/mark DET/5/det NOUN/6/nsubj VERB/1/advcl/Mood=Ind"
    assert split("fr", text.replace("après", "puis"), tree) == ["Il dort.", "La nuit tombe."]


def test_an_object_is_no_subject():
    text = "[H [A#n Nos] [P vemos]] [L y] [H [P dormimos] [A* =n]]"
    tree = "PRON/1/obj VERB/1/ROOT/Mood=Ind CCONJ/3/cc VERB/1/conj/Mood=Ind"
    assert split("es", text, tree) == ["Nos vemos.", "Dormimos."]


def test_no_space_before_a_comma():
    doc = Doc(VOCABS["de"], words=["a", ",", "b"], spaces=[False, True, False])
    assert joined([0, 2, 1], doc) == "a b,"
