"""SAMSA: values found by hand, and what holds of each text."""

from itertools import pairwise

import pytest
from spacy.tokens import Doc, Span
from written_docs import ODD_TEXTS, doc_of, gold_and_random

from spacy_ucca.applications import samsa, split_sentences
from spacy_ucca.applications.tokens import sentences_of
from spacy_ucca.errors import UccaError


def spans_of(vocab, *texts: str) -> list[Span]:
    simple = Doc(vocab, words=" ".join(texts).split())
    bounds = [0]
    for text in texts:
        bounds.append(bounds[-1] + len(text.split()))
    return [simple[a:b] for a, b in pairwise(bounds)]


def test_by_hand(gold, vocab):
    source = gold["parallel-scenes-shared-participants"]  # Dana cooked and ate the fish

    def score(*texts):
        return samsa(source, spans_of(vocab, *texts))

    assert score("Dana cooked the fish .", "Dana ate the fish .")[:2] == (1, 1)
    assert score("DANA cooked the FISH and ate it")[:2] == (0.5, 1)  # one sentence for two Scenes
    # Nobody ate: the second Scene keeps its participants; the sentence of both is the same
    found = score("Dana cooked the fish .")
    assert found[:2] == (0.5 * (1 + 0.5) / 2, (1 + 0.5) / 2)
    assert [match.sentence for match in found.matches] == [0, 0]
    # The fish is gone: half of the participants of both
    assert score("Dana cooked and ate .").samsa_abl == 0.75
    assert score("Nothing at all")[:2] == (0, 0) and score()[:2] == (0, 0)
    assert score("Dana cooked", "the fish", "ate")[:2] == (0, 0)  # more sentences than Scenes
    # One to one: the second Scene cannot take the sentence of the first
    found = score("Dana cooked and ate the fish", "Dana slept")
    assert [match.sentence for match in found.matches] == [0, 1]
    assert found.matches[1][2:] == (0, 0.5)


def test_implicit_participants_count_half(gold, vocab):
    found = samsa(gold["implicit-agent"], spans_of(vocab, "The thief was caught"))
    assert found.matches[0][2:] == (1, 0.75)


# Number of Scenes before the guidelines 2.0, and of all Scenes
SCENES = {
    "[H [A [F The] [E [S big] [A* =d]] [C#d dog]] [P barked]] [U .]": (1, 2),
    "[H [A [F The] [E [D very] [S big] [A* =d]] [C#d dog]] [P barked]] [U .]": (1, 2),
    "[H [A [E [S|A My] [A* =c]] [C#c car]] [P broke]] [U .]": (1, 2),
    "[H [A [A Her] [S|A sister]] [P sang]] [U .]": (1, 2),
    "[H [A [F The] [P|A buyer]] [P paid]] [U .]": (1, 2),
    "[H [A [F The] [C#d dog] [E [R that] [A* =d] [P ran]]] [P barked]] [U .]": (2, 2),
    "[H [A [F The] [C#d dog] [E [A we] [A* =d] [S like]]] [P barked]] [U .]": (2, 2),
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved]] [U .]": (2, 2),
    "[H [A#h He] [S likes] [A [P swimming] [A* =h]]] [U .]": (2, 2),
}


@pytest.mark.parametrize("text", SCENES)
def test_a_source_as_its_own_simplification(vocab, text):
    doc = doc_of(text, vocab)
    counted, total = SCENES[text]
    assert len(samsa(doc, doc).matches) == counted
    assert samsa(doc, doc).samsa == pytest.approx(1 / counted)
    assert len(samsa(doc, doc, all_scenes=True).matches) == total
    assert samsa(doc, doc, all_scenes=True).samsa == pytest.approx(1 / total)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(nlp, text):
    check(nlp(text))


def test_gold_and_random_graphs(gold, sample, vocab):
    for doc in gold_and_random(gold, sample, vocab):
        check(doc)


def check(doc: Doc) -> None:
    for all_scenes in (False, True):
        found = samsa(doc, doc, all_scenes=all_scenes)
        assert 0 <= found.samsa <= found.samsa_abl <= 1
        assert samsa(doc, sentences_of(doc), all_scenes=all_scenes) == found


def test_without_a_graph(vocab):
    doc = Doc(vocab, words=["Some", "text"])
    with pytest.raises(UccaError, match="UC602"):
        samsa(doc, doc)


def test_published_splits_are_good_simplifications(gold, vocab):
    """DSS loses none of what SAMSA looks for, on gold graphs without elaborator Scenes."""
    for name, doc in gold.items():
        graph = doc._.ucca
        parallel = [scene for scene in graph.scenes if scene.scene_kind == "parallel"]
        if len(parallel) != len(graph.scenes) or name == "ground":
            continue
        parts = [each.tokens for each in split_sentences(doc, published=True)]
        spans = spans_of(vocab, *(" ".join(graph.words[i] for i in part) for part in parts))
        for match in samsa(doc, spans, all_scenes=True).matches:
            missing = [match.scene.main_relation, *match.scene.participants]
            if not any(center.is_implicit for unit in missing for center in unit.minimal_centers):
                assert match.score == (1 if match.scene.participants else 0.75), name
