"""Languages without lists of words have what docs/languages.md says: all that the graph, dependencies and features tell."""

import pytest
from ud_docs import said, ud_doc

from spacy_ucca.applications import split_sentences
from spacy_ucca.extract import predications
from spacy_ucca.lang import get_words

FINITE = "Mood=Ind|VerbForm=Fin"
# Language, graph, tree, and what the clauses say
EXAMPLES = {
    "negation by features, time by the graph, no condition": (
        "ru",
        "[L Если] [H [A Иван] [P спит]] [U ,] [H [A Анна] [D не] [P поёт] [T сегодня]] [U .]",
        f"""SCONJ/2/mark PROPN/2/nsubj VERB/6/advcl/{FINITE} PUNCT/2/punct PROPN/6/nsubj PART/6/advmod/Polarity=Neg
        VERB/6/ROOT/{FINITE} ADV/6/advmod PUNCT/6/punct""",
        ["спит | Иван | - | positive", "поёт | Анна | - | negative | not не | when сегодня"],
    ),
    "no modal verb, no place": (
        "es",
        "[H [A Ana] [D debe] [P cantar] [A [R bajo] [F el] [C puente]]] [U .]",
        f"PROPN/2/nsubj AUX/2/aux/{FINITE} VERB/2/ROOT/VerbForm=Inf ADP/5/case DET/5/det NOUN/2/obl PUNCT/2/punct",
        ["cantar | Ana | - | positive"],
    ),
    "a word as in French counts": (
        "es",
        "[H [A Ana] [P canta] [A [R en] [C casa]]] [U .]",
        f"PROPN/1/nsubj VERB/1/ROOT/{FINITE} ADP/3/case NOUN/1/obl PUNCT/1/punct",
        ["canta | Ana | - | positive | where en casa"],
    ),
    "passive by dependencies": (
        "ru",
        "[H [A Дом] [F был] [P продан] [A Иваном]] [U .]",
        "NOUN/2/nsubj:pass AUX/2/aux:pass VERB/2/ROOT/VerbForm=Part|Voice=Pass PROPN/2/obl:agent PUNCT/2/punct",
        ["продан | Иваном | Дом | positive"],
    ),
    "relative clause by dependencies": (
        "ru",
        "[H [A [C#1 Девочка] [E [R которая] [P пела] [A* =1]]] [P улыбнулась]] [U .]",
        f"""NOUN/3/nsubj PRON/2/nsubj/PronType=Rel VERB/0/acl:relcl/{FINITE} VERB/3/ROOT/{FINITE}
        PUNCT/3/punct""",
        ["улыбнулась | Девочка которая пела | - | positive", "пела | Девочка | - | positive"],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_said(name):
    lang, graph, tree, expected = EXAMPLES[name]
    assert not get_words(lang).conditions
    assert said(ud_doc(lang, graph, tree)) == expected


def test_relative_clauses_are_known_by_dependencies():
    lang, graph, tree, _ = EXAMPLES["relative clause by dependencies"]
    assert [p.is_relative for p in predications(ud_doc(lang, graph, tree))] == [False, True]


def test_parallel_scenes_are_split_and_linked():
    doc = ud_doc(
        "ru",
        "[H [A#j Иван] [P купил] [A дом]] [L и] [H [P продал] [A машину] [A* =j]] [U .]",
        f"""PROPN/1/nsubj VERB/1/ROOT/{FINITE} NOUN/1/obj CCONJ/4/cc VERB/1/conj/{FINITE} NOUN/4/obj
        PUNCT/1/punct""",
    )
    assert [each.text for each in split_sentences(doc)] == [
        "Иван купил дом.",
        "Иван продал машину.",
    ]
    bought, sold = predications(doc)
    assert [(link.span.text, link.scene) for link in sold.links] == [("и", bought.scene)]
    assert sold.subject.is_shared


def test_a_graph_alone_knows_no_negation():
    lang, graph, tree, _ = EXAMPLES["negation by features, time by the graph, no condition"]
    scenes = ud_doc(lang, graph, tree)._.ucca.scenes
    assert not any(scene.is_negated for scene in scenes)
