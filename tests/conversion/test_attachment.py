"""Attachment scores of graphs: those of their trees."""

import pytest
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab
from strategies import graphs

from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.bounds import Attachment, score_attachment
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.tokens.dependencies import set_dependencies


def scores(predicted: str, gold: str) -> tuple[float, float]:
    pair = [graph for text in (predicted, gold) for graph in read_brackets(text)]
    return tuple(score_attachment(*pair).to_scores().values())


def test_heads_and_labels():
    gold = "[H [A [E The] [C cat]] [P slept] [T today]] [U .]"
    assert scores(gold, gold) == (1, 1)
    assert scores(gold.replace("T today", "D today"), gold) == (4 / 5, 1)
    assert scores("[H [E The] [A cat] [P slept] [T today]] [U .]", gold) == (4 / 5, 4 / 5)
    # Without remote edges, and as a unit more around the same head
    assert scores("[H [A#1 [E The] [C cat]] [P [E* =1] [C slept]] [T today]] [U .]", gold) == (1, 1)
    assert Attachment().to_scores() == {"ucca_las": None, "ucca_uas": None}


@given(graphs(max_roots=1))
def test_a_graph_has_its_own_tree(graph):
    tree = to_bilexical(graph, tree=True)
    counts = score_attachment(graph, graph)
    assert counts.labeled == counts.unlabeled == counts.tokens == len(tree.arcs)
    counts = score_attachment(graph.without(remotes=True), graph)
    assert counts.labeled == counts.tokens


def test_they_are_those_of_dependencies(sample):
    """As spaCy has them: the heads of a way back that loses many."""
    total, same, n = Attachment(), 0, 0
    for gold in sample:
        predicted = from_bilexical(to_bilexical(gold, tree=True), one_unit=True)
        total += score_attachment(predicted, gold)
        ours, theirs = (Doc(Vocab(), words=gold.words) for _ in range(2))
        set_dependencies(ours, predicted)
        set_dependencies(theirs, gold)
        attached = [token.i for token in theirs if token.dep]
        n += len(attached)
        same += sum(ours[i].head.i == theirs[i].head.i for i in attached)
    assert total.tokens == n and total.to_scores()["ucca_uas"] == pytest.approx(same / n)
    assert 0 < same < n / 2
