"""Standard UCCA XML: written and read back, a passage is the same; bad files are named and explained."""

import tracemalloc
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import ODD_WORDS, graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.xml import (
    read_xml,
    read_xml_string,
    write_xml,
    write_xml_string,
)
from spacy_ucca.graph import EdgeTuple, Graph
from spacy_ucca.text.spacing import without_spaces

TOKENS = """\
  <layer layerID="0">
    <attributes origin="web" />
    <extra doc="[[[1]]]" />
    <node ID="0.1" type="Word"><attributes paragraph="1" paragraph_position="1" text="Don&apos;t" />
      <extra lemma="do" /></node>
    <node ID="0.2" type="Word"><attributes paragraph="1" paragraph_position="2" text="say"/></node>
    <node ID="0.3" type="Punctuation"><attributes paragraph="1" paragraph_position="3" text="!"/>
    </node>
    <node ID="0.5" type="Word"><attributes paragraph="2" paragraph_position="1" text="Sing"
      lang="en" /></node>
    <node ID="0.6" type="Word"><attributes paragraph="2" paragraph_position="1" text="&lt;"/></node>
  </layer>
"""
UNITS = """\
  <layer layerID="1">
    <attributes version="2.0" />
    <node ID="1.1" type="FN"><attributes />
      <edge toID="1.2" type="H"><attributes uncertain="True" /><category tag="H" slot="1"
        layer_name="base" /></edge>
      <edge toID="1.6" type="U"><attributes/><category tag="U" /></edge>
      <edge toID="1.7" type="H"><attributes/><extra note="e" />
        <category tag="H" slot="1" layer_name="base" /></edge>
    </node>
    <node ID="1.2" type="FN"><attributes suggest="True" /><extra remarks="a &quot;b&quot;"/>
      <edge toID="1.4" type="D"><attributes/><category tag="D" slot="1" layer_name="base" />
        <category tag="T" slot="2" layer_name="base" parent_name="Time" /></edge>
      <edge toID="0.2" type="Terminal"><attributes/><category tag="Terminal" /></edge>
      <edge toID="1.8" type="A"><attributes remote="True"/><category tag="A" /></edge>
    </node>
    <node ID="1.4" type="FN"><attributes/>
      <edge toID="0.1" type="Terminal"><attributes/><category tag="Terminal" /></edge></node>
    <node ID="1.6" type="PNCT"><attributes/>
      <edge toID="0.3" type="Terminal"><attributes/><category tag="Terminal" /></edge></node>
    <node ID="1.7" type="FN"><attributes/>
      <edge toID="0.5" type="Terminal"><attributes/><category tag="Terminal" /></edge>
      <edge toID="0.6" type="Terminal"><attributes/><category tag="Terminal" /></edge>
      <edge toID="1.8" type="A"><attributes/><category tag="A" slot="1" layer_name="base"><extra
        by="me" /></category></edge>
    </node>
    <node ID="1.8" type="FN"><attributes implicit="True" uncertain="True" /></node>
    <node ID="1.9" type="LKG"><attributes/>
      <edge toID="1.4" type="LR"><attributes/><category tag="LR" slot="1" layer_name="base"/></edge>
      <edge toID="1.2" type="LA"><attributes/><category tag="LA" slot="1" layer_name="base"/></edge>
      <edge toID="1.7" type="LA"><attributes/><category tag="LA" slot="1" layer_name="base"/></edge>
    </node>
  </layer>
"""
MORE = '  <layer layerID="2"><node ID="2.1" type="X"><edge toID="1.2"/></node></layer>\n'
TOP = """<root annotationID="7" passageID="p&amp;1" user="u">
  <attributes userID="26" remarks="r" />
  <extra format="amr" />
"""
AGAIN = TOKENS.replace("web", "net")
FULL = TOP + TOKENS + UNITS + MORE + "</root>\n"


def flat(element) -> tuple:
    """An element of the XML library as plain data, whitespace left out."""
    return element.tag, dict(element.attrib), [flat(child) for child in element]


def parsed(data):
    return flat(ElementTree.fromstring(data))


def again(graph: Graph) -> Graph:
    return read_xml_string(write_xml_string(graph))


def test_everything_is_read():
    graph = read_xml_string(FULL)
    assert graph.words == ("Don't", "say", "!", "Sing", "<")
    assert graph.punct == (False, False, True, False, False)
    assert graph.paragraphs == (1, 1, 1, 2, 2)
    assert graph.details["id"] == "p&1"
    assert [u.label for u in graph] == ["", "H", "D|T", "U", "H", "A", ""]
    assert [u.kind for u in graph] == ["FN", "FN", "FN", "PNCT", "FN", "IMPLICIT", "LKG"]
    (remote,) = (e for e in graph.edges if e.remote)
    assert remote.label == "A" and remote.parent.text == "Don't say"
    assert [e.label for e in graph.linkages[0].edges] == ["LR", "LA", "LA"]


def test_everything_is_written():
    graph = read_xml_string(FULL)
    assert again(graph) == graph
    assert parsed(write_xml_string(graph)) == parsed(FULL)  # element by element


def test_what_the_xml_says_stays_plain_data():
    details = read_xml_string(FULL).details

    def check(value):
        if isinstance(value, dict):
            assert all(isinstance(key, str) for key in value)
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                check(item)
        else:
            assert isinstance(value, str | int | bool)

    check(details)


def test_old_and_new_categories():
    old = """<root passageID="1"><layer layerID="0"><attributes/>
      <node ID="0.1" type="Word"><attributes text="Stop" paragraph="1" /></node></layer>
      <layer layerID="1"><attributes/><node ID="1.1" type="FN"><attributes/>
      <edge toID="1.2" type="H"><attributes/></edge></node><node ID="1.2" type="FN"><attributes/>
      <edge toID="0.1" type="Terminal"><attributes/></edge></node></layer></root>"""
    graph = read_xml_string(old)
    assert graph.root.children[0].label == "H"
    assert b"category" not in write_xml_string(graph) and again(graph) == graph
    new = old.replace('type="H"><attributes/>', 'type="H"><attributes/><category tag="A"/>')
    mixed = read_xml_string(new)
    assert mixed.root.children[0].label == "A" and again(mixed) == mixed
    assert write_xml_string(mixed).count(b"category") == 1
    assert b'type="H"' in write_xml_string(mixed)


def test_missing_attributes_elements_and_lower_case_are_read():
    graph = read_xml_string(
        """<root><layer layerID="0"/><layer layerID="1"><node ID="1.1" type="FN">
        <edge toID="1.2" type="A"/></node><node ID="1.2" type="FN"><attributes implicit="true"/>
        </node></layer></root>""",
        name="p5",
    )
    assert graph.details["id"] == "p5" and [u.is_implicit for u in graph] == [False, True]
    assert again(graph).details["xml"] == graph.details["xml"]


def test_graph_of_other_origin():
    (graph,) = read_brackets(
        "# id = 9\n[L After] [H#1 [P lunch] [A* =2]] [U ,] [H [A#2 John] [S|A left]] [U .]\n"
    )
    data = write_xml_string(graph)
    found = read_xml_string(data)
    assert found.same_structure(graph) and found.punct == graph.punct
    assert found.details == {"id": "9", "xml": {}} and again(found) == found
    assert data.count(b'<category tag="S" />\n        <category tag="A" />') == 1
    assert data.startswith(b'<root annotationID="0" passageID="9">')


def test_several_roots_become_one():
    parts = read_brackets("[H [P Stop]] [U !]\n\n[H [P Go]] [U !]\n")
    found = read_xml_string(write_xml_string(Graph.join(parts)))
    assert [u.label for u in found.root.children] == ["H", "U", "H", "U"]


@given(graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_any_graph(graph):
    found = read_xml_string(write_xml_string(graph))
    assert found.words == graph.words and found.punct == graph.punct
    assert found.paragraphs == graph.paragraphs and found.details["id"] == "p7"
    if len(graph.roots) == 1:
        assert found.same_structure(graph)
    assert again(found) == found


def test_sample(sample):
    for graph in sample:
        assert read_xml_string(write_xml_string(graph)).same_structure(graph)


def test_characters_that_xml_cannot_hold():
    edges = [EdgeTuple(0, ~1, ("Terminal",))]
    graph = Graph(["a\x00b", "\x0b", "\ud800", "ok"], ["FN"], edges)
    with pytest.warns(UserWarning, match="UW101") as caught:
        data = write_xml_string(graph)
    assert [str(w.message).partition("(")[2][:6] for w in caught] == ["U+0000", "U+000B", "U+D800"]
    assert read_xml_string(data).words == ("a\ufffdb", "\ufffd", "\ufffd", "ok")


def test_files(tmp_path):
    path = tmp_path / "b.xml"
    path.write_text(FULL, encoding="utf-8")
    graph = read_xml(path)
    write_xml(graph, tmp_path / "a.xml")
    assert read_xml(str(tmp_path / "a.xml")) == graph
    write_xml(Graph([], [], []), tmp_path / "new.xml")
    assert read_xml(tmp_path / "new.xml").details["id"] == "new"
    for missing in (tmp_path / "none.xml", tmp_path / "none"):
        with pytest.raises(FormatError, match=r"UC117.*none"):
            read_xml(missing)
    with pytest.raises(FormatError, match="UC584"):
        read_xml(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + FULL.replace("say", "schön")
    graph = read_xml_string(text.encode(encoding))
    assert graph.words[1] == "schön" and read_xml_string(text) == graph


def replaced(old: str, new: str) -> str:
    assert FULL.count(old) >= 1
    return FULL.replace(old, new, 1)


@pytest.mark.parametrize(
    ("data", "code", "place"),
    [
        ("", "UC115", None),
        (" \n", "UC115", None),
        ("no xml", "UC101", "no xml"),
        (FULL[: FULL.index('<category tag="D"') + 5], "UC101", '<edge toID="1.4"'),
        (FULL.replace("</layer>", "", 1), "UC101", "</root>"),
        (FULL.replace("p&amp;1", "&p;"), "UC101", "&p;"),
        (FULL.encode("latin-1").replace(b"say", b"s\xe4y"), "UC101", None),
        ('<?xml version="1.0" encoding="klingon"?><root/>', "UC103", "<root"),
        (b'<?xml version="1.0" encoding="klingon"?><root/>', "UC101", None),
        ("<!DOCTYPE root>\n<root/>", "UC102", "<!D"),
        ('\n<!DOCTYPE r [<!ENTITY x "y">]><root>&x;</root>', "UC102", "<!D"),
        ('<!DOCTYPE r SYSTEM "http://localhost/x.dtd"><root/>', "UC102", "<!D"),
        ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><r>&x;</r>', "UC102", "<!D"),
        ("<html><body/></html>", "UC103", "<html"),
        ("<root/>", "UC103", "<root"),
        ('<root schemeVersion="1.0.4"><unitGroups/><units/></root>', "UC104", "<root"),
        (TOP + TOKENS + "</root>", "UC105", "<root"),
        (TOP + UNITS + "</root>", "UC105", "<root"),
        (TOP + TOKENS + UNITS + AGAIN + "</root>", "UC106", AGAIN),
        (replaced('ID="0.2" type="W', 'ID="0.1" type="W'), "UC106", '"say"'),
        (replaced('ID="1.6" type="PNCT"', 'ID="1.2" type="PNCT"'), "UC106", '"PNCT"'),
        (replaced('ID="0.2" type="Word"', 'ID="0.2" type="FN"'), "UC107", '"say"'),
        (replaced('type="LKG"', 'type="LINK"'), "UC107", "LINK"),
        (replaced('toID="1.2"', 'toID="1.99"'), "UC108", "1.99"),
        (replaced('<edge toID="1.6"', "<edge"), "UC108", '<edge type="U"'),
        (replaced('tag="U"', ""), "UC109", "<category  />"),
        (replaced('toID="0.3"', 'toID="0.2" f=""'), "UC110", 'f=""'),
        (replaced('ID="0.2" type="W', 'type="W'), "UC112", '"say"'),
        (replaced('text="say"', 'texts="say"'), "UC112", '"say"'),
        (replaced('paragraph="1"', 'paragraph="one"'), "UC113", '"one"'),
        (replaced('paragraph_position="2"', 'paragraph_position=""'), "UC113", '"say"'),
        (replaced('"1.4" type="FN"><attributes/>', '"1.4" type="FN"><attributes implicit="True"/>'),
         "UC114", None),
        (replaced('<extra lemma="do" />', '<edge toID="1.1" type="A"/>'), "UC116", '"1.1" type="A"'),
    ],
)  # fmt: skip
def test_bad_files(data, code, place):
    with pytest.raises(FormatError) as caught:
        read_xml_string(data, name="dir/some.xml")
    message = str(caught.value)
    assert message.startswith(f"[{code}] dir/some.xml"), message
    if place is not None:
        line = data[: data.index(place)].count("\n") + 1
        assert f"dir/some.xml, line {line}:" in message, message


@settings(max_examples=200)
@given(cut=st.data())
def test_damaged_files_give_format_errors(cut):
    """Whatever is cut out of a file, it is read or refused with a FormatError."""
    start = cut.draw(st.integers(0, len(FULL)))
    end = cut.draw(st.integers(start, min(len(FULL), start + 40)))
    try:
        graph = read_xml_string(FULL[:start] + FULL[end:])
    except FormatError:
        return
    assert again(graph) == graph


def test_many_entities_cost_nothing():
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 20))
    tracemalloc.start()
    with pytest.raises(FormatError, match="UC102"):
        read_xml_string(f'<!DOCTYPE r [<!ENTITY l0 "ha">{laughs}]><root>&l19;</root>')
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6  # expanded they are 1e19 characters


CORPORA = ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K")


def check_round_trip(files):
    for path in files:
        graph = read_xml(path)
        data = write_xml_string(graph)
        assert read_xml_string(data, name=path.stem) == graph, path
        assert parsed(data) == parsed(path.read_bytes()), path
        fresh = Graph.from_record({**graph.to_record(), "details": {}})
        assert read_xml_string(write_xml_string(fresh)).same_structure(graph), path


@pytest.mark.parametrize("corpus", CORPORA)
def test_some_shared_passages(corpora, corpus):
    check_round_trip(find_files([corpora / corpus], "xml")[::60])


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_many_shared_passages(passages, corpus):
    check_round_trip(passages(corpus, 10))


def test_toy(corpora):
    graph = read_xml(corpora / "toy.xml")
    assert again(graph) == graph and graph.linkages
