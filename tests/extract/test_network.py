"""Predications as a network and as a picture: laws over random graphs, and two sentences written by hand."""

import json
import sys
from io import BytesIO
from xml.etree import ElementTree

import networkx
import pytest
import spacy
from hypothesis import given, settings
from strategies import graphs
from written_docs import DENIED, RELATIVE, make_doc

from spacy_ucca.errors import UccaError
from spacy_ucca.extract import Predications, predications
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc

VOCAB = spacy.blank("en").vocab
RAIN = make_doc(
    "[L If] [H [A it] [P rains]] [U ,] [H [A#w we] [P stay]] [L and] [H [A* =w] [P sleep]] [U .]",
    """
    If IN SCONJ 3 mark
    it PRP PRON 3 nsubj
    rains VBZ VERB 6 advcl rain
    , , PUNCT 6 punct
    we PRP PRON 6 nsubj
    stay VBP VERB 0 ROOT
    and CC CCONJ 8 cc
    sleep VBP VERB 6 conj
    . . PUNCT 6 punct
    """,
)


def edges(network: networkx.MultiDiGraph) -> set[tuple]:
    return {(start, end, *e.values()) for start, end, e in network.edges(data=True)}


def test_linkers_conditions_and_shared_participants():
    network = predications(RAIN).to_networkx()
    assert edges(network) == {
        (0, 1, "condition", "If"),
        (0, 2, "condition", "If"),
        (2, 1, "link", "and"),
        (0, "0:1", "subject", "subject"),
        (1, "0:4", "subject", "subject"),
        (2, "0:4", "subject", "subject"),
    }
    assert network.nodes["0:4"] == {"type": "participant", "label": "we", "doc": 0}
    assert [network.nodes[i]["label"] for i in range(3)] == ["rain", "stay", "sleep"]


def test_the_man_is_one_participant_and_a_scene_that_takes_part_is_its_node():
    network = predications(RELATIVE).to_networkx()
    assert (1, 0, "host", "host") in edges(network)
    (man,) = {end for _, end, kind, _ in edges(network) if kind == "subject" and "0:1" == end}
    assert network.nodes[man]["label"] == "man" and network.in_degree(man) == 2
    (sister,) = (i for i, p in enumerate(predications(RELATIVE)) if p.lemma == "sister")
    assert (1, sister, "object", "object") in edges(network)


def test_times_and_places_are_participants():
    network = predications(DENIED).to_networkx()
    found = {(kind, network.nodes[end]["label"]) for _, end, kind, _ in edges(network)}
    assert {("time", "Yesterday"), ("place", "in Paris")} <= found


@settings(max_examples=60, deadline=None)
@given(graphs(linkage=False, max_roots=2), graphs(linkage=False))
def test_laws(first: Graph, second: Graph):
    docs = [graph_to_doc(graph, VOCAB) for graph in (first, second)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        found = predications(docs)
    network, rows = found.to_networkx(), found.to_dicts()
    scenes = [node for node, kind in network.nodes(data="type") if kind == "Scene"]
    assert scenes == [*range(len(found))]
    for i, row in enumerate(rows):
        plain = network.nodes[i]
        assert {key for key, value in row.items() if value is not None} <= {*plain}
        assert all(type(v) in (str, int, float, bool) for v in plain.values())
        assert (plain["doc"], plain["scene"]) == (row["doc"], row["scene"])
    for start, end in network.edges():  # Docs do not mix
        assert network.nodes[start]["doc"] == network.nodes[end]["doc"]
    file = BytesIO()
    networkx.write_graphml(network, file)
    again = networkx.read_graphml(BytesIO(file.getvalue()), force_multigraph=True)
    assert sorted(again.nodes) == sorted(map(str, network.nodes))
    assert again.number_of_edges() == network.number_of_edges()
    json.dumps(networkx.node_link_data(network, edges="edges"), allow_nan=False)

    svg = ElementTree.fromstring(found.to_svg())
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    boxes = [e for e in svg.iterfind(".//{*}rect[@rx]")]
    assert len(boxes) == len(found)
    for box in boxes:
        left, top, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
        assert 0 <= left <= left + w <= width + 1 and 0 <= top <= top + h <= height
    ys = [float(box.attrib["y"]) for box in boxes]
    assert ys == sorted({*ys})
    kinds = [kind for *_, kind in network.edges(data="kind")]
    labels = [e for e in svg.iterfind(".//{*}text[@text-anchor]")]
    assert len(labels) == kinds.count("link") + kinds.count("condition")
    assert all(0 <= float(e.attrib["x"]) <= width for e in labels)


def test_the_picture_says_who_does_what_and_draws_arcs_between_lines():
    svg = ElementTree.fromstring(predications(RAIN).to_svg())
    lines = ["".join(e.itertext()) for e in svg.iterfind("{*}text[{*}tspan]")]
    assert lines == ["itrains", "westay", "wesleep"]
    labels = sorted(str(e.text) for e in svg.iterfind("{*}text[@text-anchor]"))
    assert labels == ["If", "If", "and"]
    (sell, *_) = ElementTree.fromstring(predications(DENIED).to_svg()).iterfind("{*}text[{*}tspan]")
    assert "".join(part.text for part in sell).startswith("Johnnot want sellhis old car")


def test_a_linker_without_a_line_of_its_own_stands_in_the_line():
    svg = ElementTree.fromstring(predications(RAIN)[1:].to_svg())
    assert [e.text for e in svg.iterfind("{*}text[@text-anchor]")] == ["and"]
    svg = ElementTree.fromstring(predications(RAIN)[2:].to_svg())
    assert [e.text for e in svg.iter() if e.tag.endswith("tspan")] == ["and", "we", "sleep"]


@pytest.mark.filterwarnings("ignore:.*UW690")
@pytest.mark.parametrize("words", [["שלום", "עולם"], ["<b>", "&\x00"], ["👩‍👩‍👧"]])
def test_odd_words(words: list[str]):
    doc = make_doc("[H " + " ".join("[A x]" for _ in words) + " [P y]]")
    graph = doc._.ucca.replace(words=[*words, "y"])
    doc = graph_to_doc(graph, VOCAB)
    svg = ElementTree.fromstring(predications(doc).to_svg())
    assert svg.get("direction") == ("rtl" if words == ["שלום", "עולם"] else "ltr")
    assert len(predications(doc).to_networkx()) == 1 + len(words)


def test_none_at_all_and_no_networkx(monkeypatch: pytest.MonkeyPatch):
    assert len(Predications().to_networkx()) == 0
    assert len([*ElementTree.fromstring(Predications().to_svg())]) == 3  # title, style, paper
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(UccaError, match=r"UC570.*networkx"):
        predications(RAIN).to_networkx()


def test_a_doc_given_twice_is_two_networks():
    n, once = len(predications(RAIN)), edges(predications(RAIN).to_networkx())
    twice = edges(predications([RAIN, RAIN]).to_networkx())

    def moved(node: object) -> object:
        return node + n if isinstance(node, int) else node

    assert twice == once | {(moved(start), moved(end), *rest) for start, end, *rest in once}


def test_control_characters_are_no_graphml():
    graph = read_brackets("[H [A Ann] [P left]]")[0]
    words = ("A\x01nn", "left\x0b")
    doc = graph_to_doc(graph.replace(words=words, check=False), VOCAB)
    file = BytesIO()
    networkx.write_graphml(predications(doc).to_networkx(), file)
    assert "A\ufffdnn" in file.getvalue().decode("utf8")
    ElementTree.fromstring(file.getvalue())
