"""One odd edge or token costs neither its graph nor its file."""

import json

import pytest
from hypothesis import given
from odd_graphs import odd_graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.convert import convert_files
from spacy_ucca.formats.export import write_export
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.mend import FormatWarning, closing_edges
from spacy_ucca.formats.mrp import write_mrp
from spacy_ucca.formats.penman import write_penman
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.sdp import read_sdp
from spacy_ucca.formats.uccaapp import write_uccaapp
from spacy_ucca.formats.xml import read_xml_string, write_xml_string
from spacy_ucca.graph import EdgeTuple, Graph

MUTUAL = "[H#1 [P go] [A* =2]] [H#2 [P come] [A* =1]]"
ONE_WAY = "[H [P go] [A* =1]] [H#1 [P come]]"
TWO_WAYS = "[H#1 [P go] [D* =2]] [H#2 [P come]]"


def graph_of(text: str) -> Graph:
    return read_brackets(text)[0]


def mutual(name: str) -> str | bytes:
    """The file of a graph in which two Scenes are remote Participants of each other."""
    graph = graph_of("[H#1 [P go] [A* =2]] [H#2 [P come]]")
    if name == "brackets":
        return MUTUAL
    if name == "penman":
        return write_penman(graph).replace("(v4 / FN~e.1)", "(v4 / FN~e.1) :A-remote v1")
    if name == "xml":
        text = write_xml_string(graph).decode()
        edge = (
            '<edge toID="1.2" type="A"><attributes remote="True"/><category tag="A"/></edge></node>'
        )
        place = text.index("</node>", text.index('<node ID="1.3"'))
        return (text[:place] + edge + text[place + len("</node>") :]).encode()
    if name == "export":
        lines = write_export(graph).split("\n")
        first, second = (i for i, line in enumerate(lines) if "\tH\t" in line)
        lines[second] += f"\tA*\t{lines[first].split()[0][1:]}"
        return "\n".join(lines)
    if name == "mrp":
        data = json.loads(write_mrp(graph))
        (edge,) = (e for e in data["edges"] if "attributes" in e)
        data["edges"].append({**edge, "source": edge["target"], "target": edge["source"]})
        return json.dumps(data)
    data = json.loads(write_uccaapp(graph))
    (copy,) = (u for u in data["annotation_units"] if u["is_remote_copy"])
    data["annotation_units"].append(
        {**copy, "tree_id": "2-9", "parent_tree_id": "2", "cloned_from_tree_id": "1"}
    )
    return json.dumps(data)


@pytest.mark.parametrize("name", ["xml", "brackets", "uccaapp", "mrp", "export", "penman"])
def test_two_scenes_that_take_part_in_each_other(name):
    with pytest.warns(FormatWarning, match=r"UW102.*'A'"):
        (found,) = FORMATS[name].read(mutual(name), source="some file")
    assert found.words == ("go", "come") and len(found) == 5
    remotes = [edge for edge in found.edges if edge.remote]
    assert len(remotes) == 1 and {edge.label for edge in found.edges} == {"H", "P", "A"}


def test_a_cycle_of_primary_edges_is_refused():
    edges = [EdgeTuple(0, 1, ("A",)), EdgeTuple(1, 0, ("A",)), EdgeTuple(0, 2, ("A",), True)]
    assert closing_edges(edges, "x") == set()
    with pytest.raises(FormatError, match="UC111"):
        read_xml_string(
            write_xml_string(graph_of("[H [A a]]")).replace(b'toID="1.3"', b'toID="1.1"')
        )


def test_details_of_edges_stay_with_them():
    """In XML: what stands at an edge after one that is left out."""
    text = mutual("xml")
    text = text.replace(
        b'type="P">\n        <attributes />', b'type="P">\n        <attributes mark="1" />'
    )
    with pytest.warns(FormatWarning):
        found = read_xml_string(text)
    marked = {int(i) for i, e in found.details["xml"]["edges"].items() if "mark" in str(e)}
    assert marked == {i for i, e in enumerate(found.edge_tuples) if e.categories == ("P",)}


@given(odd_graphs())
def test_only_what_closes_a_cycle_is_left_out(graph):
    """Any graph, and with it all its remote edges reversed."""
    back = [EdgeTuple(e.child, e.parent, e.categories, True) for e in graph.edge_tuples if e.remote]
    edges = [*graph.edge_tuples, *back]
    with pytest.warns(FormatWarning) if back else _nothing():
        closing = closing_edges(edges, "x")
    assert all(edges[i].remote for i in closing) and bool(closing) == bool(back)
    Graph(graph.words, graph.kinds, [e for i, e in enumerate(edges) if i not in closing])


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def without_marks(name: str, text: str) -> str | bytes:
    """RETURNS (Union[str, bytes]): A file in which no edge is marked as remote."""
    if name == "mrp":
        data = json.loads(text)
        for edge in data["edges"]:
            edge.pop("attributes", None)
        return json.dumps(data)
    if name == "export":
        return text.replace("A*", "A")
    return text.replace(' remote="True"', "").encode()


@pytest.mark.parametrize("name", ["xml", "mrp", "export"])
def test_a_second_primary_parent_is_remote(name):
    graph = graph_of("[H [P go] [A#1 Ann]] [H [P come] [A* =1]]")
    text = without_marks(name, FORMATS[name].write(graph))
    with pytest.warns(FormatWarning, match=r"UW103.*a file.*'A'"):
        (found,) = FORMATS[name].read(text, source="a file")
    assert sum(edge.remote for edge in found.edges) == 1
    assert found.same_structure(graph)


def test_a_token_of_stars_hangs_on_the_root():
    """As `semstr` writes the head of a relative clause: queen is no dependent of its own modifier."""
    rows = (
        *("1 kind _ Word - + _ _ E _", "2 queen _ Word - + _ A* _ A*"),
        "3 left _ Word + + _ _ _ _",
    )
    (found,) = read_sdp("#7\n" + "\n".join("\t".join(row.split()) for row in rows) + "\n")
    queen = found.unit_of(1)
    assert queen.label == "C" and queen.parent.parent.is_root
    assert [edge.parent.text for edge in queen.incoming if edge.remote] == ["kind", "left"]


# A whole run


def test_what_was_mended_is_noted(tmp_path):
    (tmp_path / "a.txt").write_text(f"{ONE_WAY}\n\n{MUTUAL}\n", "utf8")
    report = convert_files([tmp_path / "a.txt"], tmp_path / "a.mrp", to="mrp")
    assert report.graphs == 2 and not report.skipped and not report.losses
    assert len(report.notes) == 1 and "UW102" in report.notes[0] and "line 3" in report.notes[0]


@pytest.mark.parametrize("name", [n for n, e in FORMATS.items() if e.reads])
def test_made_ids_are_unique_over_a_run(name, tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "two.txt").write_text(
            "[H [P Stop]] [U !]\n\n[H [P Go]] [U !]\n", "utf8"
        )
    (tmp_path / "two-3.txt").write_text("# id = two-4\n[H [P x]]\n\n[H [P y]]\n", "utf8")
    sources = [tmp_path / "two-3.txt", tmp_path / "a" / "two.txt", tmp_path / "b" / "two.txt"]
    out = (
        tmp_path / f"out{FORMATS[name].suffixes[0]}"
        if FORMATS[name].items != "file"
        else tmp_path / "out"
    )
    report = convert_files(sources, out, to=name)
    assert report.graphs == 6 and not report.skipped
    files = sorted(out.iterdir()) if out.is_dir() else [out]
    ids = [graph.details.get("id") for file in files for graph in read_graphs(file, name)]
    assert len(ids) == 6
    if name != "penn":
        assert len(set(ids)) == 6 and "two-4" in ids


def test_categories_of_other_schemes_are_told(tmp_path):
    (tmp_path / "a.txt").write_text("[H [P a] [ARG0 b]]\n", "utf8")
    report = convert_files([tmp_path / "a.txt"], tmp_path / "a.mrp", to="mrp")
    assert dict(report.unknown) == {"ARG0": 1} and report.to_dict()["unknown"] == {"ARG0": 1}


def test_no_message_ends_in_two_stops():
    for text in ("[H#1 a] [H#1 b]", "[H:IMPLICIT a]", "[H [P a]"):
        with pytest.raises(FormatError) as caught:
            read_brackets(text)
        assert not str(caught.value).endswith("..") and "docstring" not in str(caught.value)
    assert str(FormatError("not found in ../x/..")) == "not found in ../x/.."
