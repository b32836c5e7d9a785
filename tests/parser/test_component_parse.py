"""`ucca_parser` in spaCy: what it predicts, and what it does with odd Docs."""

import warnings
from pathlib import Path

import pytest
import spacy
from odd_texts import check_odd_texts
from spacy.lang.en import English
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from util import (
    ODD_TEXTS,
    make_doc,
    make_nlp,
    parse,
    same_graphs,
    tiny_config,
)

from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import UccaCorpus, graph_to_doc, write_docbin


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_texts(trained: Language, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doc = trained(ODD_TEXTS[name])
        graph = doc._.ucca
        assert graph is not None and graph.words == tuple(t.text for t in doc)
        for token in doc:
            assert (graph.unit_of(token.i) is None) == token.is_space
        assert len(graph.roots) == int(any(not t.is_space for t in doc))
        together = list(trained.pipe([*ODD_TEXTS.values(), ODD_TEXTS[name]], batch_size=4))
    assert together[-1]._.ucca.same_structure(graph)


def test_long_sentence(tree: Language) -> None:
    words = ["The", "cat", "slept", ",", "and"] * 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doc = tree.get_pipe("ucca_parser")(Doc(tree.vocab, words=words))
    assert len(doc._.ucca.root.tokens()) == 1000


def test_predict_changes_nothing(tree: Language, graphs: list[Graph]) -> None:
    doc = make_doc(tree.vocab, graphs[0], gold=False)
    before = doc.to_bytes()
    pipe = tree.get_pipe("ucca_parser")
    found = pipe.predict([doc])
    assert doc.to_bytes() == before and doc._.ucca is None
    pipe.set_annotations([doc], found)
    assert doc._.ucca.same_structure(found[0])
    assert pipe.predict([]) == []


def test_what_nobody_reads_is_not_derived(
    tree: Language, graphs: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tree.get_pipe("ucca_parser")
    monkeypatch.setattr(pipe, "repair", False)  # mending reads graphs
    found = pipe.predict([make_doc(tree.vocab, graph) for graph in graphs])
    assert found and not any("index" in vars(graph) for graph in found)
    assert all(same_graphs(found, graphs)) and all("index" in vars(graph) for graph in found)


def test_several_parses_side_by_side(
    trained: Language, graphs: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = trained.get_pipe("ucca_parser")
    monkeypatch.setattr(pipe, "beam_width", 4)
    assert all(same_graphs(parse(trained, graphs), graphs))  # it is sure of these
    for text in ODD_TEXTS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            doc = trained(text)
        assert doc._.ucca.words == tuple(token.text for token in doc)
        alone = doc._.ucca
        (again,) = trained.pipe([text], batch_size=7)
        assert again._.ucca.same_structure(alone)


def test_one_root_for_each_sentence(trained: Language, graphs: list[Graph]) -> None:
    joined = Graph.join(graphs)
    found = parse(trained, [joined])[0]
    assert len(found.roots) == len(graphs)
    assert [len(g.words) for _, g in found.sentences()] == [len(g.words) for g in graphs]
    assert found.same_structure(Graph.join(parse(trained, graphs)))


def test_the_same_doc_twice_in_a_batch(tree: Language, graphs: list[Graph]) -> None:
    doc = make_doc(tree.vocab, graphs[0], gold=False)
    first, second = tree.get_pipe("ucca_parser").predict([doc, doc])
    assert first.same_structure(second)


@pytest.mark.parametrize("batch_size", [1, 3, 100])
def test_pipe_equals_single_calls(tree: Language, graphs: list[Graph], batch_size: int) -> None:
    docs = [make_doc(tree.vocab, graph, gold=False) for graph in graphs]
    piped = [doc._.ucca for doc in tree.pipe(docs, batch_size=batch_size)]
    again = [make_doc(tree.vocab, graph, gold=False) for graph in graphs]
    single = [tree.get_pipe("ucca_parser")(doc)._.ucca for doc in again]
    assert all(same_graphs(piped, single))


def test_errors_go_to_the_error_handler(graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    seen = []
    nlp.set_error_handler(lambda name, proc, docs, error: seen.append((name, str(error))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        list(nlp.pipe(["One text .", "Another ."]))
    assert seen and seen[0][0] == "ucca_parser" and "E109" in seen[0][1]


def test_warns_once_for_each_kind_of_annotation_that_is_missing(graphs: list[Graph]) -> None:
    nlp = make_nlp(graphs[:2])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in ("One", "", "Two words", "Three more words"):
            assert nlp(text)._.ucca is not None
        list(nlp.pipe(["Four words to parse"] * 3))
    messages = [str(w.message) for w in caught if "UW301" in str(w.message)]
    assert len(messages) == 3
    for what in ("sentence boundaries", "tags", "dependencies"):
        assert sum(what in message for message in messages) == 1
    nlp = make_nlp(graphs[:2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse(nlp, graphs[:2])


@pytest.mark.parametrize("keep", [False, True])
def test_tags_that_the_parser_did_not_see_are_not_read(
    graphs: list[Graph], tmp_path: Path, keep: bool
) -> None:
    docs = [graph_to_doc(graph, Vocab()) for graph in graphs[:3]]
    for doc in docs:
        doc[0].tag_, doc[0].dep_ = "NN", "nsubj"
    write_docbin(docs, tmp_path / "x.spacy")
    nlp = spacy.blank("en")
    parser = nlp.add_pipe("ucca_parser", config=tiny_config())
    examples = list(UccaCorpus(tmp_path / "x.spacy", keep_annotations=keep)(nlp))
    nlp.initialize(lambda: examples)
    assert parser.reads_syntax is keep
    tagged = list(UccaCorpus(tmp_path / "x.spacy")(nlp))
    parser.add_labels_of(lambda: tagged)
    assert parser.reads_syntax is keep


def test_disable_and_select_pipes(tree: Language) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tree.select_pipes(disable=["ucca_parser"]):
            assert tree("The cat slept .")._.ucca is None
        assert tree("The cat slept .")._.ucca is not None
        assert tree("The cat slept .", disable=["ucca_parser"])._.ucca is None


def test_analyze_pipes(tree: Language) -> None:
    analysis = tree.analyze_pipes()
    assert analysis["summary"]["ucca_parser"]["assigns"] == ["doc._.ucca"]
    problems = analysis["problems"]["ucca_parser"]
    assert set(problems) == {"token.tag", "token.dep", "token.head", "token.is_sent_start"}
    assert tree.get_pipe_meta("ucca_parser").default_score_weights.get("ucca_f")


def test_details_of_the_graph(trained: Language, graphs: list[Graph]) -> None:
    vocab = English().vocab
    for graph, found in zip(graphs, parse(trained, graphs)):
        assert {u.text for u in found if u.is_punct} == {u.text for u in graph if u.is_punct}
        assert found.punct == tuple(vocab[w].is_punct for w in graph.words)


def test_graphs_of_odd_texts_are_valid(trained: Language) -> None:
    check_odd_texts(trained)
