"""Records as JSON: written at once, they are what `make_record` gives."""

import numpy
from hypothesis import given
from odd_graphs import odd_graphs
from strategies import graphs

from spacy_ucca.graph import EdgeTuple, Graph
from spacy_ucca.graph.record import make_record
from spacy_ucca.tokens.storage import graph_to_text, record_to_text


def check(graph: Graph) -> None:
    record = {**make_record(graph, words=7), "tokens": [1, -2]}
    assert graph_to_text(graph, words=7, tokens=[1, -2]) == record_to_text(record)


@given(graphs())
def test_random_graphs(graph):
    check(graph)


@given(odd_graphs())
def test_odd_graphs(graph):
    check(graph)


def test_numbers_of_numpy():
    two = numpy.arange(2)
    edges = [EdgeTuple(two[0], two[1], ("H",), False), EdgeTuple(two[1], ~two[0], ("T",), False)]
    graph = Graph(["a"], ["FN", "FN"], edges, punct=[two[0]], paragraphs=[two[1]], scores={0: 0.5})
    check(graph)
