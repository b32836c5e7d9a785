"""Scores of Docs whose tokens and sentences are their own."""

import random

import pytest
import spacy
from perturb import perturb
from spacy.tokens import Doc
from spacy.training import Example
from util import VOCAB

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.text.split import merge_roots
from spacy_ucca.tokens.raw_scorer import GoldText, score_texts
from spacy_ucca.tokens.scorer import ucca_score
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

TEXT = "[H [A Ann] [P ran]] [U .]\n\n[H [A It] [P rained]] [U !]"


@pytest.fixture(scope="module")
def gold() -> Graph:
    return Graph.join(read_brackets(TEXT))


def doc_of(words: list[str], starts=(), graph=None) -> Doc:
    vocab = VOCAB
    doc = Doc(vocab, words=words, sent_starts=[i in {0, *starts} for i in range(len(words))])
    doc._.ucca = graph
    return doc


def test_a_perfect_doc(gold):
    doc = graph_to_doc(gold, VOCAB)
    scores = score_texts([(doc, GoldText(gold, [3, 6]))])
    assert scores["ucca_f"] == scores["sents_f"] == scores["token_f"] == 1
    assert scores["tokens"] == 6 and scores["tokens_differing"] == 0


def test_whitespace_and_other_tokens(gold):
    words = ["Ann", "ran.", "\n\n", "It", "rained", "!"]
    graph = read_brackets("[H [A Ann] [P ran.] [A It] [P rained]] [U !]")[0]
    spread = graph.replace(
        words=words,
        edges=[
            e._replace(child=e.child - (e.child < -2)) if e.child < 0 else e
            for e in graph.edge_tuples
        ],
        punct=[False] * 5 + [True],
        paragraphs=[1] * 6,
    )
    scores = score_texts([(doc_of(words, {3}, spread), GoldText(gold, [3, 6]))])
    assert scores["tokens_differing"] == 2
    assert scores["token_p"] == pytest.approx(4 / 5) and scores["token_r"] == pytest.approx(4 / 6)
    assert scores["sents_f"] == 1
    # "ran" is found although it is a token with the stop, which is punctuation in the gold graph.
    assert scores["ucca_per_type"]["P"]["f"] == scores["ucca_per_type"]["A"]["f"] == 1
    assert scores["ucca_per_type"]["H"]["f"] == 0


def test_sentences(gold):
    words = list(gold.words)
    for starts, p, r in (((), 0, 0), ((3,), 1, 1), ((3, 5), 1 / 3, 1 / 2), ((2,), 0, 0)):
        scores = score_texts([(doc_of(words, starts, gold), GoldText(gold, [3, 6]))])
        assert (scores["sents_p"], scores["sents_r"]) == pytest.approx((p, r))
        assert scores["ucca_f"] == 1  # the roots are merged


def test_roots_of_sentences_are_merged(gold):
    doc = graph_to_doc(gold, VOCAB)
    merged = merge_roots(gold)
    assert len(gold.roots) == 2 and len(merged.roots) == 1
    assert score_texts([(doc, GoldText(merged, [3, 6]))])["ucca_f"] == 1


def test_nothing_predicted_and_other_text(gold):
    scores = score_texts([(doc_of(list(gold.words)), GoldText(gold, [3, 6]))])
    assert scores["ucca_r"] == scores["ucca_f"] == 0
    with pytest.raises(UccaError, match="UC220"):
        score_texts([(doc_of(["Ann"]), GoldText(gold, [3, 6]))])


def test_same_tokens_are_scored_as_by_the_scorer(sample):
    nlp = spacy.blank("en")
    rng = random.Random(0)
    pairs, examples = [], []
    for graph in sample:
        reference = graph_to_doc(graph, nlp.vocab)
        predicted = bare_copy(reference, keep_annotations=False)
        predicted._.ucca = perturb(graph, rng, 3)
        pairs.append((predicted, GoldText(graph, [len(graph.words)])))
        examples.append(Example(predicted, reference))
    expected, found = ucca_score(examples), score_texts(pairs)
    assert 0 < found["ucca_f"] < 1
    assert {key: found[key] for key in expected if "linkage" not in key} == {
        key: value for key, value in expected.items() if "linkage" not in key
    }
