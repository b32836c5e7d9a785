"""Passages of the `ucca` package: what we write it reads as the same passage, and the other way round."""

import builtins

import pytest
from hypothesis import given, settings
from strategies import ODD_WORDS, graphs

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.passage import from_passage, to_passage
from spacy_ucca.formats.xml import read_xml, write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.text.spacing import without_spaces

CORPORA = ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K")


def contents(passage) -> list:
    """All that a passage of the ucca package says: ids, types, attributes, extra, categories."""
    found = [passage.ID, passage.attrib.copy(), passage.extra]
    for layer in sorted(passage.layers, key=lambda layer: layer.ID):
        found.append([layer.ID, layer.attrib.copy(), layer.extra])
        for node in layer.all:
            edges = [
                (e.child.ID, [tuple(c) for c in e.categories], e.attrib.copy(), e.extra)
                for e in node
            ]
            found.append([node.ID, node.tag, dict(node.attrib.items()), node.extra, edges])
    return found


def test_without_the_package(monkeypatch):
    def refuse(name, *args, **kwargs):
        if name == "ucca" or name.startswith("ucca."):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"UC120.*pip install --no-deps ucca"):
        to_passage(Graph([], [], []))


def test_sample(sample, convert):
    for graph in sample:
        passage = to_passage(graph)
        assert from_passage(passage).same_structure(graph)
        assert passage.ID == graph.details["id"]


@settings(max_examples=60)
@given(graph=graphs(words=ODD_WORDS).map(without_spaces))
def test_any_graph(graph, convert):
    passage = to_passage(graph)
    found = from_passage(passage)
    assert found.same_structure(graph) and found.punct == graph.punct
    assert found.paragraphs == graph.paragraphs and found.details["id"] == "p7"
    assert contents(to_passage(found)) == contents(passage)
    assert passage.equals(to_passage(found), ordered=True)


def test_join_passages(convert):
    """Several roots become one as the ucca package joins passages."""
    parts = read_brackets(
        "[L After] [H [P lunch] [A* =2]] [U ,] [H [A#2 John] [P left]] [U .]\n\n"
        "[H [A She] [P stayed] [A IMPLICIT]] [U .]\n\n[:LKG [LR =1] [LA =2]] [L#1 So] [H#2 [P go]]\n"
    )
    theirs = convert.join_passages([to_passage(part) for part in parts])
    ours = to_passage(Graph.join(parts))
    assert from_passage(theirs).same_structure(from_passage(ours))
    assert len(from_passage(ours).roots) == 1


def check(convert, files, tmp_path):
    for path in files:
        theirs = convert.file2passage(str(path))
        write_xml(read_xml(path), tmp_path / "ours.xml")
        ours = convert.file2passage(str(tmp_path / "ours.xml"))
        assert theirs.equals(ours, ordered=True), path
        assert contents(theirs) == contents(ours), path
        assert from_passage(theirs).same_structure(read_xml(path)), path


@pytest.mark.parametrize("corpus", CORPORA)
def test_some_shared_passages(corpora, convert, tmp_path, corpus):
    check(convert, find_files([corpora / corpus / "xml"], "xml")[5::100], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_many_shared_passages(passages, convert, tmp_path, corpus):
    """Few: the toolkit takes a second to read a long passage. For more of them, test_xml.py shows
    that the XML we write has the very elements of the file, and test_splitting.py compares the rest."""
    check(convert, passages(corpus, 24), tmp_path)
