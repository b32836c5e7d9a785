"""Files to Docs with `doc._.sdp` and back: `spacy-ucca bilexical`, and the reader `spacy-ucca.SdpCorpus.v1`."""

import json
from dataclasses import replace

import pytest
import spacy
from conllu_samples import DONT, GAPPING
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry
from typer.testing import CliRunner
from util import VOCAB

from spacy_ucca.cli import app
from spacy_ucca.conversion.bilexical import to_bilexical
from spacy_ucca.conversion.graph import ROOT, TOP, Arc
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.sdp import iter_sdp
from spacy_ucca.training.corpus import bare_copy, graph_to_doc, write_docbin
from spacy_ucca.training.sdp_corpus import (
    BilexicalReport,
    SdpCorpus,
    iter_bilexical_docs,
    require_arcs,
)


@pytest.fixture
def conllu(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("\n".join([*GAPPING, *DONT]), "utf8")
    return path


@pytest.fixture(scope="module")
def pipeline():
    """A pipeline that tags every token X. Its parsers to graphs are not initialized: they would raise."""
    nlp = spacy.blank("en")
    nlp.add_pipe("attribute_ruler").add([[{}]], {"TAG": "X", "DEP": "dep"})
    nlp.add_pipe("ucca_parser")
    nlp.add_pipe("sdp_parser")
    return nlp


def convert(path, **settings):
    report = BilexicalReport()
    return list(iter_bilexical_docs(path, report, **settings)), report


def test_conllu(conllu):
    docs, report = convert(conllu)
    assert [doc.text for doc in docs] == ["Sue likes coffee and Bill tea. ", "He doesn't. "]
    assert [len(list(doc.sents)) for doc in docs] == [1, 1]
    assert (
        docs[0][4].head.text == "likes" and docs[0][4].dep_ == "conj" and docs[0][0].tag_ == "NNP"
    )
    assert Arc(1, 4, "conj>nsubj") in docs[0]._.sdp.arcs
    assert (report.docs, report.tokens, report.dropped, report.hidden) == (2, 11, 0, 1)
    assert report.multi_headed == 1
    assert len(convert(conllu, limit=1)[0]) == 1


def test_with_a_pipeline(conllu, pipeline):
    docs, _ = convert(conllu, nlp=pipeline)
    assert {token.tag_ for doc in docs for token in doc} == {"X"}
    assert [doc._.sdp.arcs for doc in docs] == [doc._.sdp.arcs for doc in convert(conllu)[0]]
    assert [doc.text for doc in docs] == [doc.text for doc in convert(conllu)[0]]
    assert not docs[0][1].lemma_  # the treebank's


def test_ucca(sample, tmp_path):
    vocab = VOCAB
    graphs = [graph for graph in sample if graph.words][:5]
    write_docbin([graph_to_doc(graph, vocab) for graph in graphs], tmp_path / "ucca.spacy")
    docs, report = convert(tmp_path / "ucca.spacy")
    for doc, graph in zip(docs, graphs, strict=True):
        assert doc._.sdp.arcs == to_bilexical(graph).arcs
        assert doc._.ucca.same_structure(graph)
    assert report.docs == 5
    assert convert(tmp_path)[1] == report


def test_trees_of_ucca(sample, tmp_path):
    vocab = VOCAB
    graphs = [graph for graph in sample if graph.words]
    assert any(edge.remote for graph in graphs for edge in graph.edges)
    write_docbin([graph_to_doc(graph, vocab) for graph in graphs], tmp_path / "ucca.spacy")
    docs, report = convert(tmp_path / "ucca.spacy", tree=True)
    assert [doc._.sdp.arcs for doc in docs] == [to_bilexical(g, tree=True).arcs for g in graphs]
    assert report.multi_headed == 0


def test_command_line_round_trip(conllu, tmp_path):
    def run(*arguments):
        result = CliRunner().invoke(app, ["bilexical", *map(str, arguments), "--no-progress"])
        assert result.exit_code == 0, result.output
        return result.output

    output = run(conllu, tmp_path / "new" / "a.spacy", "--no-cut", "--empty", "drop")
    assert "2 Docs, 11 tokens" in output
    assert "3 arcs of empty words" in output and "1 arcs stand beside another" in output
    (tmp_path / "sdp").mkdir()
    for year in (2014, 2015):
        sdp = tmp_path / "sdp" / f"{year}.sdp"
        run(conllu, sdp, "--year", year)
        run(sdp, tmp_path / "sdp" / "a.spacy")
        found = list(SdpCorpus(tmp_path / "sdp" / "a.spacy")(spacy.blank("en")))
        with sdp.open() as lines:
            graphs = list(iter_sdp(lines))
        for eg, graph, doc in zip(found, graphs, convert(conllu)[0], strict=True):
            assert eg.reference._.sdp.arcs == graph.arcs
            assert [t.lemma_ for t in eg.reference] == [t.lemma_ for t in doc]
            assert {arc[:2] for arc in graph.arcs} == {arc[:2] for arc in doc._.sdp.arcs}
    run(conllu, tmp_path / "b.conllu")
    assert len(convert(tmp_path / "b.conllu")[0]) == 2


def test_mistakes_on_the_command_line(conllu, tmp_path):
    def fail(*arguments):
        result = CliRunner().invoke(app, ["bilexical", *map(str, arguments)])
        assert result.exit_code and not isinstance(result.exception, UccaError | OSError)
        return " ".join(result.output.split())

    assert "UC518" in fail(conllu, conllu)
    assert "none of .spacy" in fail(conllu, tmp_path / "a.txt")
    (tmp_path / "a.txt").write_text("a")
    assert "UC881" in fail(tmp_path / "a.txt", tmp_path / "out.spacy")
    (tmp_path / "bad.conllu").write_bytes(b"\xff\xfe")
    assert "UC117" in fail(tmp_path / "bad.conllu", tmp_path / "out.spacy")
    (tmp_path / "bad.conllu").write_text("1\tx\n")
    message = fail(tmp_path / "bad.conllu", tmp_path / "out.spacy")
    assert "UC121" in message and "bad.conllu, line 1" in message
    (tmp_path / "basic.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n")
    assert "UC886" in fail(tmp_path / "basic.conllu", tmp_path / "out.spacy")
    (tmp_path / "basic.conllu").rename(tmp_path / "basic.conllx")
    assert convert(tmp_path / "basic.conllx")[0][0]._.sdp.tops == (0,)
    DocBin(docs=[Doc(VOCAB, words=["a"])]).to_disk(tmp_path / "plain.spacy")
    assert "UC214" in fail(tmp_path / "plain.spacy", tmp_path / "out.spacy")
    assert not (tmp_path / "out.spacy").exists()
    with pytest.raises(UccaError, match="UC211"):
        convert(tmp_path / "nowhere.sdp")


def test_reader(conllu, tmp_path):
    nlp = spacy.blank("en")
    docs, _ = convert(conllu, vocab=nlp.vocab)
    assert write_docbin(docs, tmp_path / "x" / "a.spacy", require_arcs) == 2
    make = registry.readers.get("spacy-ucca.SdpCorpus.v1")
    found = list(make(tmp_path / "x")(nlp))
    assert [eg.reference._.sdp for eg in found] == [doc._.sdp for doc in docs]
    assert all(eg.predicted._.sdp is None for eg in found)
    assert found[0].predicted[0].tag_ == "NNP" and found[0].predicted.text == docs[0].text
    (bare,) = make(tmp_path / "x", limit=1, keep_annotations=False)(nlp)
    assert not bare.predicted.has_annotation("TAG") and not bare.predicted.has_annotation("DEP")
    assert sorted(len(eg.predicted) for eg in make(tmp_path / "x", shuffle=True)(nlp)) == [4, 7]


def test_reader_refuses_what_has_no_graphs(tmp_path):
    nlp = spacy.blank("en")
    with pytest.raises(UccaError, match="UC210"):
        registry.readers.get("spacy-ucca.SdpCorpus.v1")(None)
    with pytest.raises(UccaError, match="UC211"):
        list(SdpCorpus(tmp_path / "nowhere")(nlp))
    DocBin(docs=[Doc(nlp.vocab, words=["a"])]).to_disk(tmp_path / "plain.spacy")
    with pytest.raises(UccaError, match=r"UC214.*spacy-ucca bilexical"):
        list(SdpCorpus(tmp_path / "plain.spacy")(nlp))
    DocBin(docs=[Doc(nlp.vocab)]).to_disk(tmp_path / "plain.spacy")
    with pytest.raises(UccaError, match="UC216"):
        list(SdpCorpus(tmp_path / "plain.spacy")(nlp))
    with pytest.raises(UccaError, match="UC218"):
        write_docbin([], tmp_path / "none.spacy", require_arcs)
    doc = Doc(nlp.vocab, words=["a"])
    doc.user_data["._.", "sdp.stored", 0, None] = "[]"
    with pytest.raises(UccaError, match="UC215"):
        write_docbin([doc], tmp_path / "none.spacy", require_arcs)


@pytest.mark.filterwarnings("ignore:.*UW301")
def test_evaluate(conllu, tmp_path):
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 10}
    nlp.add_pipe("sdp_parser", config={"model": model})
    write_docbin(convert(conllu, vocab=nlp.vocab)[0], tmp_path / "a.spacy", require_arcs)
    examples = list(SdpCorpus(tmp_path / "a.spacy", keep_annotations=False)(nlp))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    arguments = ["evaluate", str(tmp_path / "model"), str(tmp_path / "a.spacy")]
    result = CliRunner().invoke(app, [*arguments, "--per-type", "--no-progress"])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].split() == ["LP", "LR", "LF", "LM", "UP", "UR", "UF", "UM"]
    assert lines[1].split()[:2] == ["with", "tops"] and "2 Docs" in result.output
    assert any(line.split()[:1] == ["conj>nsubj"] for line in lines)
    expected = nlp.evaluate(SdpCorpus(tmp_path / "a.spacy", keep_annotations=False)(nlp))
    result = CliRunner().invoke(app, [*arguments, "--json", "-", "--no-progress"])
    scores = json.loads(result.stdout)
    assert scores["sdp_singleton_acc"] == 1 and "Singletons: 100.0 %" in "\n".join(lines)
    assert scores["sdp_lf"] == expected["sdp_lf"] > 0.9 and scores["sdp_lm"] == expected["sdp_lm"]


def test_singleton_accuracy(conllu):
    """Of tokens that are all right, and of a gold graph that says the opposite of each token."""
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 10}
    parser = nlp.add_pipe("sdp_parser", config={"model": model})
    docs = convert(conllu, vocab=nlp.vocab)[0]
    for doc in docs:  # "likes" and what it has above and below are singletons
        arcs = [arc for arc in doc._.sdp.arcs if 1 not in arc[:2]]
        doc._.sdp = replace(doc._.sdp, arcs=tuple(arcs))
    examples = [Example(bare_copy(doc, True), doc) for doc in docs]
    assert parser.singleton_accuracy([]) is None
    optimizer = nlp.initialize(lambda: examples)
    assert 0 < parser.singleton_accuracy(examples) < 1
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    assert parser.singleton_accuracy(examples) == 1
    for doc in docs:
        used = {end for arc in doc._.sdp.arcs for end in arc[:2]}
        tops = [Arc(ROOT, i, TOP) for i in range(len(doc)) if i not in used]
        doc._.sdp = replace(doc._.sdp, arcs=tuple(tops))
    assert parser.singleton_accuracy(examples) == 0
    examples[0].reference._.sdp = None
    assert parser.singleton_accuracy(examples[:1]) is None


def test_statistics(conllu, sample, tmp_path):
    """Those of a file are those of the .spacy file made of it, with `--limit` those of its first sentence."""

    def count(path, *options):
        arguments = [path, tmp_path / "new" / "out.spacy", "--json", tmp_path / "counts.json"]
        result = CliRunner().invoke(app, ["bilexical", *map(str, (*arguments, *options))])
        assert result.exit_code == 0, result.output
        return json.loads((tmp_path / "counts.json").read_text("utf8"))

    figures = count(conllu)
    (tmp_path / "new" / "out.spacy").rename(tmp_path / "a.spacy")
    assert count(tmp_path / "a.spacy") == figures
    report = convert(conllu)[1]
    assert (figures["sentences"], figures["tokens"]) == (report.docs, report.tokens)
    assert figures["edges"] == report.arcs - report.hidden and figures["features"] > 100
    assert count(conllu, "--limit", 1)["sentences"] == 1
