"""Lines of MRP for the metric: the same as graphs that are written, and as they stand where they are no graphs of UCCA."""

import json

import pytest
from hypothesis import given
from strategies import ODD_WORDS, PLAIN_WORDS, graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.mrp import read_mrp_graphs, write_mrp
from spacy_ucca.metric.mrp import MrpGraph, compare_mrp

LINE = {
    **{"id": "1", "flavor": 1, "framework": "ucca", "version": 1.1, "time": "2020-04-01"},
    **{"input": "He came, (he) left.", "tops": [3]},
    "nodes": [
        {"id": 0, "anchors": [{"from": 0, "to": 2}]},
        {"id": 1, "anchors": [{"from": 3, "to": 8}]},
        {"id": 2, "anchors": [{"from": 9, "to": 13}, {"from": 14, "to": 18}]},
        *({"id": 3}, {"id": 4, "properties": ["implicit"], "values": ["true"]}),
        {"id": 5, "anchors": [{"from": 18, "to": 19}]},
    ],
    "edges": [
        {"source": 3, "target": 0, "label": "A"},
        {"source": 3, "target": 1, "label": "p"},
        {"source": 3, "target": 2, "label": "H"},
        {"source": 3, "target": 4, "label": "A"},
        {"source": 2, "target": 0, "label": "A", "attributes": ["remote"], "values": [True]},
        {"source": 2, "target": 1, "label": "A", "attributes": ["remote"], "values": [False]},
    ],
}


def read(line):
    ((_, graph),) = read_mrp_graphs(json.dumps(line))
    return graph


def test_a_line():
    ((name, graph),) = read_mrp_graphs(json.dumps(LINE) + "\n\n")
    assert name == "1" and graph.tops == {3}
    assert graph.text == "Hecame,(he)left."
    texts = [a if a is None else "".join(graph.text[i] for i in sorted(a)) for a in graph.anchors]
    assert texts == ["He", "came", "heleft", None, ""]
    remotes = [edge for edge, remote in graph.edges.items() if remote]
    assert remotes == [(2, 0, "A")] and len(graph.edges) == 5
    assert (3, 1, "P") in graph.edges  # case does not matter to mtool


def test_files_of_2019_name_attributes_otherwise():
    edges = [dict(edge) for edge in LINE["edges"]]
    edges[4]["properties"] = edges[4].pop("attributes")
    assert read({**LINE, "edges": edges}) == read(LINE)


@given(graphs(words=PLAIN_WORDS | ODD_WORDS, max_roots=2, linkage=False))
def test_written_graphs_are_the_same(graph):
    """What a graph is scored as does not depend on whether it was a file."""
    assert MrpGraph.from_graph(graph) == read(json.loads(write_mrp(graph)))


def test_tops_need_be_no_roots_and_circles_are_no_mistake():
    tops = {**LINE, "tops": [0, 2]}
    assert compare_mrp(read(tops), read(LINE)).matches["tops"] == 0
    loop = {**LINE, "edges": [*LINE["edges"], {"source": 0, "target": 3, "label": "C"}]}
    assert compare_mrp(read(loop), read(LINE)).guessed["edges"] == 6
    itself = {**LINE, "edges": [*LINE["edges"], {"source": 0, "target": 0, "label": "C"}]}
    for line in (loop, itself):
        tally = compare_mrp(read(line), read(line)).tally()
        assert tally.matches == tally.guessed == tally.ref


def test_anchors_may_join_words():
    """A parser with its own tokens: nodes are alike if their characters are."""
    nodes = [dict(node) for node in LINE["nodes"]]
    nodes[2]["anchors"] = [{"from": 9, "to": 13}, {"from": 14, "to": 16}, {"from": 15, "to": 19}]
    assert read({**LINE, "nodes": nodes}) == read(LINE)


def changed(**keys):
    return json.dumps({**LINE, **keys})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "UC115"),
        ("{", "UC702.*line 1"),
        ("[]", "UC703"),
        (changed(framework="amr"), "UC710.*amr"),
        (changed(tops=[9]), "UC712.*top is node 9"),
        (changed(tops=[[]]), "UC712"),
        (changed(nodes=[{"id": 3}, {"id": 3}]), "UC106"),
        (changed(nodes=[{"id": 3, "anchors": [{"from": 5, "to": 99}]}]), "UC711.*99"),
        (changed(nodes=3), "UC703"),
        (changed(edges=[{"source": 3, "target": 8, "label": "A"}]), "UC712.*target is node 8"),
        (changed(edges=[{"source": 3, "target": 2}]), "UC704.*label"),
        (changed(edges=[{"source": 3, "target": 2, "label": 1}]), "UC703"),
        (json.dumps({key: value for key, value in LINE.items() if key != "id"}), "UC704.*id"),
    ],
)
def test_broken_lines(text, message):
    with pytest.raises(FormatError, match=message):
        read_mrp_graphs(text)


def test_broken_lines_are_left_out():
    bad = []
    text = f"{changed()}\n{{\n{changed(id=2)}\n"
    graphs_read = read_mrp_graphs(text, source="x.mrp", on_bad=lambda *args: bad.append(args))
    assert [name for name, _ in graphs_read] == ["1", "2"]
    assert [where for where, _ in bad] == ["x.mrp, line 2"]
