"""Corpora labeled by a parser."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import make_doc, make_listening_nlp, overfit, parse, same_graphs

from spacy_ucca.cli import app
from spacy_ucca.component import UccaParser
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import read_docbin
from spacy_ucca.training.label import label_docs, upstream_of, with_syntax

runner = CliRunner()


def test_labeled_docs(tree: Language, graphs: list[Graph]) -> None:
    docs = [make_doc(tree.vocab, Graph.join(graphs[:4]), gold=False)]
    docs += [make_doc(tree.vocab, graph, gold=False) for graph in graphs[4:]]
    labeled = list(label_docs(tree, docs, guidelines="v2", batch_size=3))
    assert all(same_graphs([doc._.ucca for doc in labeled], graphs))
    for doc in labeled:
        assert doc._.ucca_guidelines == "v2" and len(list(doc.sents)) == 1
        assert doc.has_annotation("TAG") and doc.has_annotation("DEP")
    docs[1]._.ucca_guidelines = "v9"  # what a Doc names counts, unless the call says otherwise
    with pytest.raises(UccaError, match=r"UC330.*v9"):
        list(label_docs(tree, docs))
    assert len(list(label_docs(tree, docs, guidelines="v2"))) == len(labeled)
    tagger = spacy.blank("en")
    tagger.add_pipe("attribute_ruler").add([[{}]], {"TAG": "Z"})
    again = list(with_syntax(labeled, tagger))
    assert all(same_graphs([doc._.ucca for doc in again], graphs))
    assert {t.tag_ for doc in again for t in doc} == {"Z"}
    assert not any(doc.has_annotation("DEP") for doc in again)
    assert all(doc._.ucca_guidelines == "v2" for doc in again)


def test_command(tree: Language, graphs: list[Graph], tmp_path) -> None:
    tree.to_disk(tmp_path / "model")
    docs = [make_doc(Vocab(), graph, gold=False) for graph in graphs]
    DocBin(docs=docs).to_disk(tmp_path / "in.spacy")
    options = ["--model", str(tmp_path / "model")]
    args = ["label", str(tmp_path / "in.spacy"), str(tmp_path / "out" / "a.spacy"), *options]
    result = runner.invoke(app, [*args, "--guidelines", "v2"])
    assert result.exit_code == 0, result.output
    labeled = list(read_docbin(tmp_path / "out" / "a.spacy", Vocab()))
    assert all(same_graphs([doc._.ucca for doc in labeled], graphs))
    assert runner.invoke(app, [*args, "--limit", "2"]).exit_code == 0
    assert len(list(read_docbin(tmp_path / "out" / "a.spacy", Vocab()))) == 2


def test_mistakes_are_named(tree: Language, graphs: list[Graph], tmp_path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    (tmp_path / "broken.spacy").write_bytes(b"?")
    DocBin(docs=[make_doc(Vocab(), graphs[0], gold=False)]).to_disk(tmp_path / "in.spacy")
    tree.to_disk(tmp_path / "model")
    one_text = Doc(Vocab(), words=["Ann", "ran", "."])
    DocBin(docs=[one_text]).to_disk(tmp_path / "unparsed.spacy")
    before = (tmp_path / "in.spacy").read_bytes()
    cases = [
        ("in.spacy", "in.spacy", "model", "Give another place"),
        (".", "in.spacy", "model", "Give another place"),
        ("unparsed.spacy", "out.spacy", "model", "no sentence boundaries"),
        ("in.spacy", "out.spacy", "blank", "no `ucca_parser`"),
        ("broken.spacy", "out.spacy", "model", "broken.spacy"),
        ("in.spacy", "out.txt", "model", "no .spacy file"),
    ]
    for data, output, model, message in cases:
        names = [str(tmp_path / name) for name in (data, output, model)]
        result = runner.invoke(app, ["label", *names[:2], "--model", names[2]])
        assert result.exit_code and message in " ".join(result.output.replace("│", " ").split())
        assert not (tmp_path / "out.spacy").exists()
    assert (tmp_path / "in.spacy").read_bytes() == before


def test_what_the_parser_listens_to_runs_first(graphs: list[Graph]) -> None:
    nlp = make_listening_nlp(graphs)
    overfit(nlp, graphs, steps=30)
    assert [pipe.name for pipe in upstream_of(nlp, "ucca_parser")] == ["tok2vec"]
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in graphs]
    labeled = list(label_docs(nlp, docs))
    assert all(same_graphs([doc._.ucca for doc in labeled], parse(nlp, graphs)))
    assert not any(len(doc.tensor) for doc in labeled)  # nothing but graphs comes with them


def test_a_beam_is_followed(tree: Language, graphs: list[Graph], tmp_path, monkeypatch) -> None:
    tree.to_disk(tmp_path / "model")
    DocBin(docs=[make_doc(Vocab(), graphs[0], gold=False)]).to_disk(tmp_path / "in.spacy")
    widths = []
    predict = UccaParser.predict

    def note(self, *args, **kwargs):
        widths.append(self.beam.width)
        return predict(self, *args, **kwargs)

    monkeypatch.setattr(UccaParser, "predict", note)
    args = ["label", str(tmp_path / "in.spacy"), str(tmp_path / "out.spacy")]
    args += ["--model", str(tmp_path / "model"), "--beam-width", "3"]
    assert runner.invoke(app, args).exit_code == 0
    assert widths == [3]
