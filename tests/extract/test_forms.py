"""Forms of words: the same by features of Universal Dependencies as by Penn tags."""

import pytest
import spacy
from spacy.tokens import Doc, Token

from spacy_ucca.applications.tokens import joined
from spacy_ucca.extract import forms
from spacy_ucca.extract.clauses import is_finite
from spacy_ucca.extract.kinds import is_possessive
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

VOCAB = spacy.blank("xx").vocab
FEATURES = {
    "VB": "VerbForm=Inf",
    "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "VBG": "VerbForm=Ger",
    "VBN": "Tense=Past|VerbForm=Part",
    "VBZ": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "NNS": "Number=Plur",
    "WP": "PronType=Int",
}
TESTS = [test for name, test in vars(forms).items() if name.startswith("is_")]


def word(pos: str, tag: str = "", morph: str = "") -> Token:
    return Doc(VOCAB, words=["x"], pos=[pos], tags=[tag], morphs=[morph], heads=[0], deps=["ROOT"])[
        0
    ]


@pytest.mark.parametrize("tag", FEATURES)
@pytest.mark.parametrize("test", TESTS)
def test_features_tell_what_tags_tell(test, tag):
    pos = {"N": "NOUN", "W": "PRON"}.get(tag[0], "VERB")
    assert test(word(pos, tag)) == test(word(pos, morph=FEATURES[tag]))


def test_a_tag_goes_before_features():
    assert not forms.is_finite_verb(word("VERB", "VB", "Mood=Ind|VerbForm=Fin"))
    assert forms.is_question_word(word("PRON", "PWS"))


def test_mood_or_tense_tells_a_finite_verb():
    assert forms.is_finite_verb(word("VERB", morph="Mood=Ind|Person=3|Tense=Past"))
    assert not forms.is_finite_verb(word("VERB", morph="Tense=Past|VerbForm=Part"))
    assert not forms.is_finite_verb(word("PRON", morph="Person=3"))


def test_verbs_without_forms_count_as_finite():
    assert is_finite(word("VERB", morph="Aspect=Perf"))
    assert not is_finite(word("VERB", morph="VerbForm=Inf"))


def test_possessives_of_a_language_without_words():
    graph = Graph.join(read_brackets("[H [A [E [S моя] [A* =c]] [C#c книга]] [S здесь]]"))
    for morph, expected in (("Poss=Yes", [False, True]), ("", [False, False])):
        doc = Doc(VOCAB, words=list(graph.words), morphs=[morph, "", ""])
        doc._.ucca = graph
        assert [is_possessive(doc, scene) for scene in graph.scenes] == expected


def test_text_without_spaces_stays_so():
    doc = Doc(VOCAB, words=[*"甲乙丙"], spaces=[False] * 3)
    assert joined([0, 2], doc) == "甲丙"
    assert joined([0, 2], Doc(VOCAB, words=["a", "b", "c"])) == "a c"
