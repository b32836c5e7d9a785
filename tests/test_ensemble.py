"""Parsers averaged, and corpora labeled by them."""

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import (
    make_doc,
    make_listening_nlp,
    make_nlp,
    overfit,
    parse,
    random_rows,
    same_graphs,
    tiny_config,
)

from spacy_ucca.cli import app
from spacy_ucca.corpus import read_docbin
from spacy_ucca.ensemble import Ensemble, _MeanStep, label_docs, with_syntax
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.pipelines import upstream_of

runner = CliRunner()


@pytest.fixture(scope="module")
def other(graphs: list[Graph]) -> Language:
    """Of the same labels as `tree`, but hardly trained."""
    nlp = make_nlp(graphs, seed=1)
    overfit(nlp, graphs, steps=2)
    return nlp


def ensemble(*pipelines: Language) -> Ensemble:
    return Ensemble([nlp.get_pipe("ucca_parser") for nlp in pipelines])


@pytest.mark.parametrize("n", [1, 3])
def test_a_parser_and_itself_are_that_parser(tree: Language, sample: list[Graph], n: int) -> None:
    docs = [make_doc(tree.vocab, graph, gold=False) for graph in sample]
    found = ensemble(*[tree] * n).predict(docs)
    assert [g.to_record() for g in found] == [g.to_record() for g in parse(tree, sample)]


def test_scores_are_the_mean(tree: Language, other: Language, graphs: list[Graph]) -> None:
    docs = [make_doc(tree.vocab, graphs[0], gold=False)]
    steps = [nlp.get_pipe("ucca_parser").model.predict(docs)["remotes"] for nlp in (tree, other)]
    schema = tree.get_pipe("ucca_parser").inventory.schemas["remotes"]
    rows = random_rows(numpy.random.default_rng(0), schema, 7, len(docs[0]))
    each = [step.predict(rows) for step in steps]
    assert abs(each[0] - each[1]).max() > 0.01
    numpy.testing.assert_allclose(_MeanStep(steps).predict(rows), sum(each) / 2, rtol=1e-6)


def test_the_surer_parser_decides(tree: Language, other: Language, graphs: list[Graph]) -> None:
    docs = [make_doc(tree.vocab, graph, gold=False) for graph in graphs]
    unsure = sum(same_graphs(ensemble(other).predict(docs), graphs))
    assert unsure < len(graphs)
    assert sum(same_graphs(ensemble(tree, other).predict(docs), graphs)) > unsure


def test_labels_must_agree(tree: Language, graphs: list[Graph]) -> None:
    fewer = make_nlp(graphs[:1])
    with pytest.raises(UccaError, match="labels"):
        ensemble(tree, fewer)
    backward = make_nlp(graphs, config=tiny_config(backward=True))
    with pytest.raises(UccaError, match="direction"):
        ensemble(tree, backward)
    with pytest.raises(UccaError, match="no parser"):
        Ensemble([])


def test_labeled_docs(tree: Language, graphs: list[Graph]) -> None:
    docs = [make_doc(tree.vocab, Graph.join(graphs[:4]), gold=False)]
    docs += [make_doc(tree.vocab, graph, gold=False) for graph in graphs[4:]]
    labeled = list(label_docs(ensemble(tree), docs, guidelines="v2", batch_size=3))
    assert all(same_graphs([doc._.ucca for doc in labeled], graphs))
    for doc in labeled:
        assert doc._.ucca_guidelines == "v2" and len(list(doc.sents)) == 1
        assert doc.has_annotation("TAG") and doc.has_annotation("DEP")
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
    options = ["--model", str(tmp_path / "model")] * 2
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
    cases = [
        ("in.spacy", "out.spacy", "blank", "no `ucca_parser`"),
        ("broken.spacy", "out.spacy", "model", "broken.spacy"),
        ("in.spacy", "out.txt", "model", "no .spacy file"),
    ]
    for data, output, model, message in cases:
        names = [str(tmp_path / name) for name in (data, output, model)]
        result = runner.invoke(app, ["label", *names[:2], "--model", names[2]])
        assert result.exit_code and message in " ".join(result.output.replace("│", " ").split())
        assert not (tmp_path / "out.spacy").exists()


def test_what_parsers_listen_to_runs_first(graphs: list[Graph]) -> None:
    pipelines = [make_listening_nlp(graphs, seed=seed) for seed in (0, 1)]
    for nlp in pipelines:
        overfit(nlp, graphs, steps=30)
    upstream = [upstream_of(nlp, "ucca_parser") for nlp in pipelines]
    assert [[pipe.name for pipe in found] for found in upstream] == [["tok2vec"]] * 2
    docs = [make_doc(pipelines[0].vocab, graph, gold=False) for graph in graphs]
    for nlp, found in zip(pipelines, upstream):
        parser = nlp.get_pipe("ucca_parser")
        records = [g.to_record() for g in Ensemble([parser], [found]).predict(docs)]
        assert records == [g.to_record() for g in parse(nlp, graphs)]
    both = Ensemble([nlp.get_pipe("ucca_parser") for nlp in pipelines], upstream)
    for doc in label_docs(both, docs):
        assert not len(doc.tensor)  # nothing but graphs comes with them
