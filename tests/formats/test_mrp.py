"""MRP: graphs come back but for what the format is said to lose, and lines are as mtool's."""

import json
from operator import itemgetter

import pytest
from hypothesis import given, settings
from strategies import ODD_WORDS, PLAIN_WORDS, graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.mend import FormatWarning
from spacy_ucca.formats.mrp import read_mrp, write_mrp
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.graph.categories import FOUNDATIONAL, IMPLICIT, PUNCT

# The shape of a published line of 2019: remote edges have `properties`.
LINE = {
    **{"id": "reviews-1", "flavor": 1, "framework": "ucca", "version": 0.9},
    **{"time": "2019-04-11 (22:03)", "input": "He came, and left.", "tops": [7]},
    "nodes": [
        {"id": 0, "anchors": [{"from": 0, "to": 2}]},
        {"id": 1, "anchors": [{"from": 3, "to": 7}]},
        {"id": 2, "anchors": [{"from": 7, "to": 8}]},
        {"id": 3, "anchors": [{"from": 9, "to": 12}]},
        {"id": 4, "anchors": [{"from": 13, "to": 17}]},
        {"id": 5, "anchors": [{"from": 17, "to": 18}]},
        *({"id": i} for i in (6, 7, 8)),
    ],
    "edges": [
        {"source": 7, "target": 6, "label": "H"},
        {"source": 6, "target": 0, "label": "A"},
        {"source": 6, "target": 1, "label": "P"},
        {"source": 6, "target": 1, "label": "D"},
        {"source": 7, "target": 2, "label": "U"},
        {"source": 7, "target": 3, "label": "L"},
        {"source": 7, "target": 8, "label": "H"},
        {"source": 8, "target": 4, "label": "P"},
        {"source": 8, "target": 5, "label": "U"},
        {"source": 8, "target": 0, "label": "A", "properties": ["remote"], "values": [True]},
    ],
}
EXPECTED = "[H [A#1 He] [P|D came]] [U ,] [L and] [H [P left] [U .] [A* =1]]"


def only(text: str) -> Graph:
    (graph,) = read_mrp(text)
    return graph


def again(graph: Graph, **options) -> Graph:
    return only(write_mrp(graph, **options))


def changed(*path, value=None, **more) -> str:
    data = json.loads(json.dumps({**LINE, **more}))
    place = data
    for key in path[:-1]:
        place = place[key]
    if path:
        place[path[-1]] = value
    return json.dumps(data)


def kept(graph: Graph) -> Graph:
    """RETURNS (Graph): What the format keeps of a graph, made by another way than writing it."""
    graph = graph.without(linkage=True)
    builder = GraphBuilder(graph.words)
    roots = {root.index for root in graph.roots}
    for unit in range(len(graph.kinds)):
        empty = not any(e.parent == unit for e in graph.edge_tuples) and unit not in roots
        builder.add_unit(IMPLICIT if empty else graph.kinds[unit])
    builder.edges = list(graph.edge_tuples)
    return builder.build()


def test_published_line():
    graph = only(changed())
    assert graph.same_structure(read_brackets(EXPECTED)[0])
    assert graph.punct == (False, False, True, False, False, True)
    assert graph.details["id"] == "reviews-1"
    back = json.loads(write_mrp(graph))
    attributes = LINE["edges"][-1] | {"attributes": ["remote"]}
    del attributes["properties"]
    assert {key: back[key] for key in LINE if key not in ("edges",)} == {
        key: value for key, value in LINE.items() if key != "edges"
    }
    key = itemgetter("source", "target", "label")
    assert sorted(back["edges"], key=key) == sorted([*LINE["edges"][:-1], attributes], key=key)


def test_both_spellings_of_remote():
    for name in ("attributes", "properties"):
        for values, remote in (
            ([True], True),
            (["true"], True),
            ([False], False),
            (["False"], False),
        ):
            edge = {"source": 8, "target": 0, "label": "A", name: ["remote"], "values": values}
            text = changed("edges", 9, value=edge)
            if remote:
                assert only(text).same_structure(read_brackets(EXPECTED)[0])
            else:  # a second primary parent: read as a remote edge
                with pytest.warns(FormatWarning, match=r"UW103.*line 1.*'A'"):
                    assert only(text).same_structure(read_brackets(EXPECTED)[0])


def test_what_is_written():
    (graph,) = read_brackets(
        "# id = 7\n[H [P|S#1 Go IMPLICIT]]".replace(" IMPLICIT", " [A IMPLICIT]")
    )
    line = json.loads(write_mrp(graph, time="2020-04-01"))
    assert line == {
        **{"id": "7", "flavor": 1, "framework": "ucca", "version": 1.1, "time": "2020-04-01"},
        **{"input": "Go", "tops": [1]},
        "nodes": [
            {"id": 0, "anchors": [{"from": 0, "to": 2}]},
            *({"id": 1}, {"id": 2}),
            {"id": 3, "properties": ["implicit"], "values": ["true"]},
        ],
        "edges": [
            {"source": 1, "target": 2, "label": "H"},
            {"source": 2, "target": 0, "label": "P"},
            {"source": 2, "target": 0, "label": "S"},
            {"source": 0, "target": 3, "label": "A"},
        ],
    }
    small = json.loads(write_mrp(graph, implicit=False))
    assert small["nodes"] == line["nodes"][:3] and small["edges"] == line["edges"][:3]
    assert len(json.loads(write_mrp(graph))["time"]) == 10


def test_mtools_rules(sample):
    """What mtool's validator asks of a UCCA graph: a category on each edge, one root, one primary parent,
    an anchor or the property `implicit` on each leaf."""
    for graph in sample:
        line = json.loads(write_mrp(graph))
        assert {e["label"] for e in line["edges"]} <= set("HAPSDGCEFNRTQLU")
        primary = [e for e in line["edges"] if "attributes" not in e]
        parents = {
            n["id"]: {e["source"] for e in primary if e["target"] == n["id"]} for n in line["nodes"]
        }
        assert [n for n, p in parents.items() if not p] == line["tops"]
        assert max(map(len, parents.values())) <= 1
        inner = {e["source"] for e in line["edges"]}
        for node in line["nodes"]:
            assert node["id"] in inner or "anchors" in node or node["properties"] == ["implicit"]


def test_sample(sample):
    for graph in sample:
        back = again(graph)
        assert back.same_structure(kept(graph)) and back.details["id"] == graph.details["id"]
        assert back.same_structure(graph.without(linkage=True))
        smaller = again(graph, implicit=False)
        assert not any(unit.is_implicit for unit in smaller)


@settings(max_examples=60)
@given(graph=graphs(words=PLAIN_WORDS, max_roots=2))
def test_any_graph(graph):
    back = again(graph)
    assert back.same_structure(kept(graph))
    assert [back.punct[i] for i in range(len(back.words)) if back.unit_of(i)] == [
        back.unit_of(i).kind == PUNCT for i in range(len(back.words)) if back.unit_of(i)
    ]
    assert write_mrp(back) == write_mrp(again(back))


@settings(max_examples=60)
@given(graph=graphs(words=ODD_WORDS, loose=False))
def test_odd_words(graph):
    """White space and nothing are words too, as long as they are attached to something."""
    assert again(graph).same_structure(kept(graph))


def test_text():
    (graph,) = read_brackets("[H [A It] [S 's [F n't]] [A 😀] [U .]]")
    for text, found in (
        ("It'sn't 😀.", True),
        ("  It's n't\n 😀 . ", True),
        ("It is not 😀 (well).", True),  # other spelling and more words
        ("Something else.", False),  # the words are joined
    ):
        line = write_mrp(graph, text=text)
        assert only(line).words == graph.words and only(line).same_structure(graph)
        assert json.loads(line)["input"] == (text if found else "It 's n't 😀 .")
    data = {**json.loads(write_mrp(graph, text="It's not 😀.")), "guidelines": "v1"}
    assert [row[:3] for row in data["words"]][1:3] == [[2, 4, "'s"], [5, 8, "n't"]]
    for row in ([0, 2, "It"], [0, 2, "It", 99], [0, 2, 7, 0], [0, 2, "It", []], "It", None):
        with pytest.raises(FormatError, match="UC720"):
            only(json.dumps({**data, "words": [row]}))
    assert json.loads(write_mrp(again(graph, text="It'sn't 😀.")))["input"] == "It'sn't 😀."


def test_words_between_anchors():
    graph = only(changed("nodes", 3, "anchors", value=[]).replace('"and"', '"a  b"'))
    assert graph.words == ("He", "came", ",", "and", "left", ".")
    assert graph.unit_of(3) is None and any(u.kind == IMPLICIT for u in graph)


def test_spans_of_companion_data():
    text = changed("nodes", 1, "anchors", value=[{"from": 3, "to": 8}])
    with pytest.raises(FormatError, match=r"UC713.*spans="):
        read_mrp(text)  # the comma is in two anchors
    text = json.dumps(json.loads(text) | {"input": "He ca me and left."})
    spans = {"reviews-1": [(0, 2), (3, 5), (6, 8), (9, 12), (13, 17), (17, 18)]}
    graph = json.loads(text)
    graph["nodes"][2]["anchors"] = []
    graph["edges"] = [e for e in graph["edges"] if e["target"] != 2]
    assert only(json.dumps(graph)).words[1] == "ca me"
    (found,) = read_mrp(json.dumps(graph), spans=spans)
    assert found.words == ("He", "ca", "me", "and", "left", ".")
    assert {found.unit_of(i).index for i in (1, 2)} == {1}
    for bad in ([(3, 2)], [(0, 5), (3, 6)], [(0, 99)]):
        with pytest.raises(FormatError, match="UC711"):
            read_mrp(json.dumps(graph), spans={"reviews-1": bad})


def test_linkage_is_read():
    nodes = [*LINE["nodes"], {"id": 9}]
    links = [{"source": 9, "target": t, "label": c} for t, c in ((3, "LR"), (6, "LA"), (8, "LA"))]
    graph = only(changed(nodes=nodes, edges=LINE["edges"] + links, tops=[7, 9]))
    (linkage,) = graph.linkages
    assert sorted(e.label for e in linkage.edges) == ["LA", "LA", "LR"]
    assert again(graph).same_structure(graph.without(linkage=True))


def test_kinds():
    assert [u.kind for u in only(changed())].count(PUNCT) == 2
    graph = only('{"id": 1, "input": "", "nodes": [{"id": "x"}], "tops": ["x"]}')
    assert graph.kinds == (FOUNDATIONAL,) and graph.details["id"] == "1"


N, E = "nodes", "edges"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (" \n", "UC115", "empty"),
        (changed()[:100], "UC702", "line 1, column"),
        (changed() + "\n\n" + changed()[:100], "UC702", "line 3, column"),
        ("[]", "UC703", "line 1: a list stands where an object"),
        (changed(framework="amr"), "UC710", "amr"),
        (changed("id", value=None), "UC703", "null stands where"),
        (changed(nodes={}), "UC703", "nodes: an object stands where a list"),
        (changed(N, 1, value=7), "UC703", r"nodes\[1\]"),
        (changed(N, 1, "id", value=0), "UC106", "node '0'"),
        (changed(N, 1, "id", value=[]), "UC703", "a list"),
        (changed(N, 1, value={}), "UC704", "'id'"),
        (changed(N, 1, "anchors", value=[[0, 1]]), "UC703", "anchors"),
        (changed(N, 1, "anchors", value=[{"from": 0}]), "UC704", "'to'"),
        (changed(N, 1, "anchors", value=[{"from": 0, "to": 99}]), "UC711", "18 characters"),
        (changed(N, 1, "anchors", value=[{"from": -1, "to": 2}]), "UC711", "-1"),
        (changed(N, 1, "anchors", value=[{"from": 5, "to": 3}]), "UC711", ""),
        (changed(N, 1, "anchors", value=[{"from": 1, "to": 3}]), "UC713", "overlap"),
        (changed(N, 1, "anchors", value=[{"from": 0, "to": 2}]), "UC114", "two parents"),
        (changed("input", value=None), "UC711", "0 characters"),
        (changed(tops=[77]), "UC712", "top is node 77"),
        (changed(tops=[{}]), "UC712", "top"),
        (changed(E, 0, "target", value=77), "UC712", "target is node 77"),
        (changed(E, 0, "label", value=""), "UC707", ""),
        (changed(E, 0, "label", value=None), "UC703", "null"),
        (changed(E, 0, "target", value=7), "UC114", "cycle"),
        (changed(E, 9, value={"source": 6, "target": 7, "label": "A"}), "UC114", "cycle"),
        (changed(E, 9, "values", value=3), "UC703", "values"),
    ],
)
def test_bad_lines_are_explained(text, code, message):
    with pytest.raises(FormatError, match=f"(?s){code}.*x.mrp.*{message}"):
        read_mrp(text, source="x.mrp")


def test_every_line_cut_short_is_explained():
    text = changed()
    for end in range(0, len(text) - 1, 5):
        with pytest.raises(FormatError, match=r"x\.mrp"):
            read_mrp(text[:end], source="x.mrp")
