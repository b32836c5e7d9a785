"""Graphs over different tokens of one text: what the metric counts does not depend on how words are cut."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perturb import perturb

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import read_xml_string, write_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.metric.score import score_pair
from spacy_ucca.text.pieces import common_pieces, token_spans


def only(text: str) -> Graph:
    (graph,) = read_brackets(text)
    return graph


def flat(words: list[str]) -> Graph:
    return Graph(words, ["FN"], [])


def characters(graph: Graph) -> Graph:
    """RETURNS (Graph): The graph over single characters."""
    return common_pieces(graph, flat(list("".join(graph.words))))[0]


@given(st.lists(st.text(alphabet="ab \n", max_size=4)))
def test_spans_cover_the_text(words):
    spans = token_spans(words)
    text = "".join("".join(words).split())
    assert [text[start:end] for start, end in spans] == ["".join(w.split()) for w in words]


@pytest.mark.parametrize("from_file", [False, True])
def test_counts_do_not_depend_on_cuts(sample, from_file):
    rng = random.Random(0)
    differing = 0
    for gold in sample:
        if from_file:
            gold = read_xml_string(write_xml_string(gold))
        ours = perturb(gold, rng, 3).replace(details={})
        counts = score_pair(ours, gold)
        assert score_pair(characters(ours), characters(gold)) == counts
        differing += counts.tally().f1 < 1
    assert differing > len(sample) / 2


def test_units_keep_their_characters(sample):
    rng = random.Random(1)
    for graph in sample:
        text = "".join(graph.words)
        cuts = sorted({0, len(text), *(rng.randrange(len(text)) for _ in range(6))})
        words = [text[a:b] for a, b in pairwise(cuts)]
        cut, other = common_pieces(graph, flat([*words, " \n"]))
        assert cut.words == other.words and "".join(cut.words) == text
        assert len(cut.words) <= len(graph.words) + len(words)
        for old, new in zip(graph, cut, strict=True):
            assert old.index == new.index
            assert "".join(old.text.split()) == "".join(new.text.split())


def test_same_words_are_not_copied(sample):
    for graph in sample[:5]:
        other = graph.replace(details={})
        assert common_pieces(graph, other)[0] is graph and common_pieces(graph, other)[1] is other


def test_details_that_stay_true(sample):
    graph = read_xml_string(write_xml_string(sample[0]))
    cut = characters(graph)
    assert cut.details["id"] == graph.details["id"]
    before, after = graph.details["xml"], cut.details["xml"]
    assert "tokens" not in after
    assert {k: v for k, v in before.items() if k != "tokens"} == after


def test_merged_and_divided_words():
    gold = only("[H [A [C St] [U .] [C Ives]] [D [F can] [C not]] [P win]]")
    same = only("[H [A St. Ives] [D cannot] [P win]]")
    ours, theirs = common_pieces(same, gold)
    assert ours.words == theirs.words == ("St", ".", "Ives", "can", "not", "win")
    scores = score_pair(ours.replace(punct=theirs.punct), theirs).to_scores()
    assert scores["ucca_p"] == 1 and scores["ucca_r"] < 1


def test_other_texts_are_refused():
    with pytest.raises(UccaError, match=r"UC220.*character 3.*'c'.*'d'"):
        common_pieces(flat(["a", "bbc"]), flat(["abb", "d"]))
    with pytest.raises(UccaError, match=r"UC220.*character 1"):
        common_pieces(flat(["a"]), flat(["a", "b"]))


def test_nothing():
    assert common_pieces(flat([]), flat([" "]))[1].words == ()
    assert common_pieces(flat(["a", " "]), flat(["a"]))[0].words == ("a",)
