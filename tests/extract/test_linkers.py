"""What a Scene is linked to, and on what conditions: the shipped pipeline on short sentences, and laws of any graph."""

import pytest
from hypothesis import given
from lines_run import lines_run
from strategies import graphs
from written_docs import VOCAB, parse

from spacy_ucca.extract import predications
from spacy_ucca.extract.linkers import Linkage
from spacy_ucca.training.corpus import graph_to_doc

CONDITIONS = {
    "If it rains and it is cold, we stay.": {"stay": ["it rains", "it is cold"]},
    "We stay if it rains and it is cold.": {"stay": ["it rains", "it is cold"]},
    "If it is cold, we stay, and if it is warm, we go.": {
        "stay": ["it is cold"],
        "go": ["it is warm"],
    },
    "I know that if it rains, we stay.": {"stay": ["it rains"]},
    "He said that he would come if it rained.": {"come": ["it rained"]},
    "The house falls if the wind blows or the rain comes.": {
        "falls": ["the wind blows", "the rain comes"]
    },
    "If it rains or if it is cold, we stay and they sleep.": {
        "stay": ["it rains", "it is cold"],
        "sleep": ["it rains", "it is cold"],
    },
    "If you distribute it, you must keep the notice and include a copy.": {
        "keep": ["you distribute it"],
        "include": ["you distribute it"],
    },
    "You must keep the notice and include a copy if you distribute it.": {
        "keep": ["you distribute it"],
        "include": ["you distribute it"],
    },
    "If it rains, we stay, but they go.": {"stay": ["it rains"]},
    "You may copy it if you keep the notice and you may sell it.": {
        "copy": ["you keep the notice"]
    },
    "You may copy it, provided that you keep the notice.": {"copy": ["you keep the notice"]},
    "You may copy it provided you keep the notice.": {"copy": ["you keep the notice"]},
    "You may use the mark as long as you do not change it.": {"use": ["you do not change it"]},
    "So long as he pays the rent and keeps the peace, the tenant may stay.": {
        "stay": ["he pays the rent", "keeps the peace"]
    },
    "Take an umbrella in case it rains.": {"Take": ["it rains"]},
    "In case of fire, use the stairs.": {"use": ["fire"]},
    "On condition that he pays, he may stay.": {"stay": ["he pays"]},
    "Assuming that he comes, we eat.": {"eat": ["he comes"]},
    "Had I known, I would have come.": {"come": ["I known"]},
    "We stay unless it rains.": {"stay": ["it rains"]},
    "If possible, call me.": {"call": ["possible"]},
    "If not, see the page.": {"see": ["not"]},
    "If you want to know if it works, try it.": {"try": ["you want to know if it works"]},
    "If it rains, then we stay.": {"stay": ["it rains"]},
    "The man who stays if it rains is my friend.": {"stays": ["it rains"]},
}
QUESTIONS = """He asked if she came. She wondered if it would rain. I do not know if he is right. See if the door is open.
They want to know if you agree. It is unclear if the plan works. Check if the file exists. Nobody knew if the king was alive.
Tell me if this is true. We must decide if we stay or go. I am not sure if she left."""
CONCESSIONS = """Even if it rains, we go. We go even if it rains. He will not pay even if he loses. They work even if they are sick.
Even if you are right, you should apologize. She stayed calm, even if she was afraid. Even if the wind blows, the house stands.
I would not do it even if you paid me. Even if he had known, he would have said nothing.
You must keep the notice even if you change the file."""
OTHERS = """It looks as if it will rain. He talks as if he knew everything. Many if not most people agree.
As long as he lived, he was happy. He ran as fast as he could."""


def sentences(text: str) -> list[str]:
    return [f"{each.strip()}." for each in text.replace("\n", " ").split(".") if each.strip()]


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_stand_with_what_they_govern(nlp, text):
    found = {
        p.head.text: [c.text for c in p.conditions]
        for p in predications(parse(nlp, text))
        if p.conditions
    }
    assert found == CONDITIONS[text]


@pytest.mark.parametrize(
    "text", [*sentences(QUESTIONS), *sentences(CONCESSIONS), *sentences(OTHERS)]
)
def test_questions_concessions_and_comparisons_are_no_conditions(nlp, text):
    assert not any(p.conditions for p in predications(parse(nlp, text)))


LINKS = {
    "If it rains and it is cold, we stay.": [
        ("rains", "If", "stay"),
        ("cold", "If", "stay"),
        ("cold", "and", "rains"),
    ],
    "If it is cold, we stay, and if it is warm, we go.": [
        ("cold", "If", "stay"),
        ("warm", "if", "go"),
        ("go", "and", "stay"),
    ],
    "He left because it rained and it was cold.": [
        ("rained", "because", "left"),
        ("cold", "because", "left"),
        ("cold", "and", "rained"),
    ],
    "When he came and she saw him, they laughed.": [
        ("came", "When", "laughed"),
        ("saw", "When", "laughed"),
        ("saw", "and", "came"),
    ],
    "However, he came because she called.": [
        ("came", "However", None),
        ("called", "because", "came"),
    ],
    "Either he comes or she goes.": [("comes", "Either", "goes"), ("goes", "or", "comes")],
    "He asked if she came.": [("came", "if", "asked")],
}


@pytest.mark.parametrize("text", LINKS)
def test_links_lead_to_the_governor_or_the_conjunct(nlp, text):
    found = [
        (p.head.text, link.span.text, link.scene.main_relation.text if link.scene else None)
        for p in predications(parse(nlp, text))
        for link in p.links
    ]
    assert found == LINKS[text]


def test_tables_have_conditions(nlp):
    rows = predications(nlp("If it rains, we stay.")).to_dicts()
    assert [row["conditions"] for row in rows] == [
        [],
        [{"linker": "If", "text": "it rains", "scene": 0}],
    ]


@given(graphs())
def test_laws_of_any_graph(graph):
    doc = graph_to_doc(graph, VOCAB)
    found = Linkage(doc, doc._.ucca)
    for scene, links in found.links.items():
        assert all(link.scene != scene for link in links)
        assert [link.span.start for link in links] == sorted({link.span.start for link in links})
    for scene, conditions in found.conditions.items():
        assert all(c.scene != scene and c.text for c in conditions)
    assert all(scene != governor for scene, governor in found.governors.items())


def test_work_grows_with_the_size(nlp):
    """Ten times as many sentences with conditions, less than 11 times the lines run."""
    text = "If it rains and it is cold, then we stay, but they go. He left because she called. "
    few, many = (nlp(text * n) for n in (10, 100))
    assert lines_run(lambda: predications(many)) < 11 * lines_run(lambda: predications(few))
