"""Trees of UCCA graphs on Docs: there and back, what is a tree and what is not, and their files."""

from itertools import pairwise

import hypothesis.strategies as st
import pytest
import spacy
from hypothesis import given
from spacy.tokens import Doc
from spacy.vocab import Vocab
from strategies import ODD_WORDS, PLAIN_WORDS, graphs
from typer.testing import CliRunner

from spacy_ucca.cli import app
from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.graph import ROOT
from spacy_ucca.errors import GraphError, UccaError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.graph.categories import CATEGORY_NAMES, join_categories, split_label
from spacy_ucca.tokens.dependencies import (
    clear_dependencies,
    get_dependencies,
    graph_from_dependencies,
    has_categories,
    set_dependencies,
    with_dependencies,
)
from spacy_ucca.training.corpus import (
    UccaCorpus,
    graph_to_doc,
    read_docbin,
    write_docbin,
)

VOCAB = spacy.blank("en").vocab
GRADUATION = (
    "[L After] [H [P graduation] [A* =1]] [U ,] [H [A#1 John] [P moved] [A [R to] [C Paris]]] [U .]"
)
WORDS = st.one_of(PLAIN_WORDS, ODD_WORDS.filter(bool))


def one(text: str) -> Graph:
    return read_brackets(text)[0]


def doc_of(graph: Graph) -> Doc:
    """RETURNS (Doc): The words of a graph with its tree as dependencies."""
    doc = Doc(VOCAB, words=list(graph.words))
    set_dependencies(doc, graph)
    return doc


def rows(doc: Doc) -> list[str]:
    return [f"{token.head.text} {token.dep_} {token.text}" for token in doc]


def test_the_example_of_the_paper():
    doc = doc_of(one(GRADUATION))
    assert rows(doc) == [
        "graduation L After",
        "graduation ROOT graduation",
        "graduation U ,",
        "moved A John",
        "graduation H moved",
        "Paris R to",
        "moved A Paris",
        "graduation U .",
    ]
    assert len(list(doc.sents)) == 1
    assert write_brackets(graph_from_dependencies(doc)).strip() == GRADUATION.replace(
        " [A* =1]", ""
    ).replace("#1", "").replace("[H [P graduation]]", "[H graduation]")


@given(graphs(words=WORDS))
def test_the_tree_on_a_doc_is_that_of_the_graph(graph):
    doc = doc_of(graph)
    arcs = {arc.dependent: arc for arc in to_bilexical(graph, tree=True).arcs}
    for token in doc:
        arc = arcs.get(token.i)
        if arc is None:  # attached to nothing: a head beside it, and no label
            assert not token.dep_ and abs(token.head.i - token.i) <= 1
        elif arc.head == ROOT:
            assert (token.head.i, token.dep_) == (token.i, "ROOT")
        else:
            assert token.head.i == arc.head
            assert token.dep_ == join_categories(split_label(arc.label))
    if arcs:
        assert len(list(doc.sents)) == 1


@given(graphs(words=WORDS), st.booleans())
def test_back_it_is_what_the_conversion_gives(graph, levels):
    doc = doc_of(graph)
    found = to_bilexical(graph, tree=True)
    if not found.arcs:
        if len(doc):
            with pytest.raises(UccaError, match="UC832"):
                graph_from_dependencies(doc)
        return
    if any(doc[arc.dependent].is_space for arc in found.arcs):
        return  # whitespace has no units in parses: see below
    back = graph_from_dependencies(doc, levels=levels)
    expected = from_bilexical(found, levels=levels)
    tokens = [root.tokens() for root in back.roots]
    assert tokens == [root.tokens() for root in expected.roots]
    # A top is H when it comes back, or U if it is punctuation.
    tops = [arc for arc in found.arcs if arc.head == ROOT]
    same = [arc.label == ("U" if doc[arc.dependent].is_punct else "H") for arc in tops]
    several = any("|" in arc.label for arc in found.arcs)  # sorted, so another may come first
    if all(same) and not several and back.punct == graph.punct:
        assert back.same_structure(expected)


@given(graphs(words=WORDS, max_roots=3))
def test_sentences_are_one_after_the_other(graph):
    doc = doc_of(graph)
    spans = [(span.start, span.end) for span in doc.sents] if doc.has_annotation("DEP") else []
    for token in doc:
        if token.dep_:
            assert any(
                start <= token.i < end and start <= token.head.i < end for start, end in spans
            )
    if spans:
        back = graph_from_dependencies(doc)
        roots = [root.tokens() for root in back.roots if root.tokens()]
        assert all(max(a) < min(b) for a, b in pairwise(roots))
    assert has_categories(doc) == (doc.has_annotation("DEP") or not len(doc))


def test_roots_become_sentences():
    graph = Graph.join([one("[H [A Ann] [P left]] [U .]"), one("[H Stay] [U !]")])
    doc = doc_of(graph)
    assert [span.text for span in doc.sents] == ["Ann left .", "Stay !"]
    assert [
        write_brackets(part).strip() for _, part in graph_from_dependencies(doc).sentences()
    ] == [
        "[H [A Ann] [P left]] [U .]",
        "[H Stay] [U !]",
    ]


def test_whitespace_belongs_to_nothing():
    words, spaces = ["\n", "Ann", " ", "left", "\n\n"], [False] * 5
    doc = Doc(VOCAB, words, spaces, heads=[2, 3, 2, 2, 3], deps=["A", "A", "ROOT", "H", "U"])
    back = graph_from_dependencies(doc)
    assert [i for i in range(5) if back.unit_of(i)] == [1, 3]
    doc = Doc(VOCAB, words, spaces, heads=[0, 2, 3, 3, 3], deps=["ROOT", "A", "U", "ROOT", "U"])
    # The arc of "Ann" goes to the head of the whitespace that it depended on; whitespace alone is no sentence.
    back = graph_from_dependencies(doc)
    assert [unit.text for unit in back.scenes[0].participants] == ["Ann"] and len(back.roots) == 1
    doc = Doc(VOCAB, [" ", "\n"], [False] * 2, heads=[0, 0], deps=["ROOT", "U"])
    assert not graph_from_dependencies(doc).roots


def test_odd_texts():
    assert graph_from_dependencies(Doc(VOCAB, words=[])).words == ()
    set_dependencies(Doc(VOCAB, words=[]), Graph([], [], []))
    doc = doc_of(one("[H Go]"))
    assert rows(doc) == ["Go ROOT Go"]
    assert write_brackets(graph_from_dependencies(doc)).strip() == "[H Go]"
    text = "[H [A שלום] [P 🎉] [A [R في] [C عالم]]]"
    assert write_brackets(graph_from_dependencies(doc_of(one(text)))).strip() == text


def test_labels_of_spacy_that_no_tree_has():
    words = ["a", "b", "c"]
    doc = Doc(VOCAB, words=words, heads=[0, 0, 0], deps=["ROOT", "dep", "ROOT"])
    assert has_categories(doc)
    found = {arc.dependent: arc.label for _, tree in get_dependencies(doc) for arc in tree.arcs}
    assert found == {0: "TOP", 1: "A", 2: "H"}


def test_refused():
    graph = one(GRADUATION)
    with pytest.raises(UccaError, match="UC201"):
        set_dependencies(Doc(VOCAB, words=["After"]), graph)
    with pytest.raises(UccaError, match="UC201"):
        set_dependencies(Doc(VOCAB, words=[word + "x" for word in graph.words]), graph)
    with pytest.raises(UccaError, match=r"UC831.*Doc 2"):
        list(with_dependencies([graph_to_doc(graph, VOCAB), Doc(VOCAB, words=["no", "graph"])]))
    with pytest.raises(UccaError, match="UC832"):
        graph_from_dependencies(Doc(VOCAB, words=["no", "tree"]))
    ud = Doc(VOCAB, words=["Ann", "left"], heads=[1, 1], deps=["nsubj", "ROOT"])
    assert not has_categories(ud)
    with pytest.raises(UccaError, match=r"UC833.*'nsubj'"):
        graph_from_dependencies(ud)
    cycle = Doc(VOCAB, words=["a", "b"], heads=[1, 0], deps=["A", "E"])
    with pytest.raises(GraphError, match="UC732"):
        graph_from_dependencies(cycle)


def test_cleared_docs_keep_their_sentences_and_tags():
    doc = Doc(
        VOCAB,
        words=["Ann", "left", ".", "Stay", "!"],
        tags=["N", "V", ".", "V", "."],
        heads=[1, 1, 1, 3, 3],
        deps=["A", "ROOT", "U", "ROOT", "U"],
    )
    sentences = [span.text for span in doc.sents]
    clear_dependencies(doc)
    assert not doc.has_annotation("DEP") and [t.head.i for t in doc] == [0, 1, 2, 3, 4]
    assert not any(list(token.children) for token in doc)
    assert [span.text for span in doc.sents] == sentences
    assert [token.tag_ for token in doc] == ["N", "V", ".", "V", "."]
    clear_dependencies(doc)
    clear_dependencies(Doc(VOCAB, words=[]))


def test_files(sample, tmp_path):
    for name in ("one", "two"):
        docs = [graph_to_doc(graph, VOCAB) for graph in sample]
        for doc in docs:
            for token in doc:
                token.tag_ = "N"
        write_docbin(docs, tmp_path / "in" / f"{name}.spacy")
    result = CliRunner().invoke(app, ["dependencies", str(tmp_path / "in"), str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert f"{len(sample)} Docs" in result.output
    for name in ("one", "two"):
        docs = list(read_docbin(tmp_path / "out" / f"{name}.spacy", Vocab()))
        for doc, graph in zip(docs, sample, strict=True):
            assert doc._.ucca.same_structure(graph)
            assert rows(doc) == rows(doc_of(graph)) and {t.tag_ for t in doc} == {"N"}
            assert {t.dep_ for t in doc} <= {"ROOT", ""} | {
                join_categories(split_label(t.dep_)) for t in doc
            }
            assert {c for t in doc for c in t.dep_.split("|")} <= {
                "",
                "ROOT",
            } | CATEGORY_NAMES.keys()
    # What trains on it has the graph to be scored on, and cannot see the tree.
    examples = list(UccaCorpus(tmp_path / "out", keep_annotations=False)(spacy.blank("en")))
    assert len(examples) == 2 * len(sample)
    for eg in examples:
        assert eg.reference._.ucca is not None and eg.reference.has_annotation("DEP")
        assert eg.predicted._.ucca is None and not eg.predicted.has_annotation("DEP")
        assert [s.start for s in eg.predicted.sents] == [s.start for s in eg.reference.sents]


def test_files_refused(tmp_path):
    def run(*paths):
        result = CliRunner().invoke(app, ["dependencies", *map(str, paths)])
        return result.exit_code, result.output

    path = tmp_path / "a.spacy"
    write_docbin([graph_to_doc(one(GRADUATION), VOCAB)], path)
    assert run(path, tmp_path / "out")[0] == run(tmp_path, tmp_path / "b.spacy")[0] == 2
    assert run(tmp_path / "none.spacy", tmp_path / "b.spacy")[0] == 2
    code, output = run(path, path)
    assert code == 1 and "UC518" in output
    (tmp_path / "broken.spacy").write_bytes(b"no DocBin")
    code, output = run(tmp_path / "broken.spacy", tmp_path / "b.spacy")
    assert code == 1 and "UC213" in output and not (tmp_path / "b.spacy").exists()
