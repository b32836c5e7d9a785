"""The script that makes a parser narrower: units that others can stand for go without loss."""

from pathlib import Path

import narrow
import numpy
import pytest
import spacy
from typer.testing import CliRunner
from util import TINY, make_doc, make_examples, make_nlp, overfit, parse

from spacy_ucca.training.corpus import write_docbin

WIDTHS = {"lstm": 24, "hidden": 24, "pair": 12, "unit": 12}  # those of `TINY`


@pytest.fixture(scope="module")
def trained(sample, tmp_path_factory):
    """A pipeline, its path, texts in a file, and graphs."""
    graphs = [graph for graph in sample if len(graph.words) < 30][:12]
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=20)
    folder = tmp_path_factory.mktemp("narrow")
    nlp.to_disk(folder / "pipeline")
    write_docbin([make_doc(nlp.vocab, graph) for graph in graphs], folder / "texts.spacy")
    return nlp, folder, graphs


def run(folder: Path, output: Path, **widths: int) -> spacy.Language:
    options = [text for name, n in {**WIDTHS, **widths}.items() for text in (f"--{name}", str(n))]
    files = [str(folder / "pipeline"), str(output), str(folder / "texts.spacy")]
    result = CliRunner().invoke(narrow.app, [*files, *options])
    assert result.exit_code == 0, result.output
    return spacy.load(output)


def test_same_widths_give_the_same_parser(trained, tmp_path):
    nlp, folder, graphs = trained
    same = run(folder, tmp_path / "same")
    for a, b in zip(parse(nlp, graphs), parse(same, graphs), strict=True):
        assert a.same_structure(b)
    old, new = (x.get_pipe("ucca_parser").model for x in (nlp, same))
    for a, b in zip(old.walk(), new.walk(), strict=True):
        for name in a.param_names:
            numpy.testing.assert_allclose(a.get_param(name), b.get_param(name), atol=1e-5)


def test_narrower_parser_parses_and_learns(trained, tmp_path):
    _, folder, graphs = trained
    nlp = run(folder, tmp_path / "narrower", lstm=16, hidden=12, pair=6, unit=6)
    parser = nlp.get_pipe("ucca_parser")
    assert parser.model.get_ref("tok2vec").get_dim("nO") == 16
    widths = [
        parser.model.get_ref(name).get_dim("nH") for name in ("actions", "remotes", "implicit")
    ]
    assert widths == [12, 6, 6] and parser.beam_width == 1
    assert len(parse(nlp, graphs)) == len(graphs)
    nlp.resume_training()
    assert numpy.isfinite(nlp.update(make_examples(nlp.vocab, graphs))["ucca_parser"])


def test_copies_of_units_go_without_loss():
    rng = numpy.random.default_rng(0)
    few = rng.normal(size=(200, 5))
    mixed = numpy.hstack(
        [few, few @ rng.normal(size=(5, 4)) + 2.0]
    )  # nine units, five degrees of freedom
    units = narrow.keep_units(mixed, numpy.ones(9), 5)
    weights = narrow.predict_units(mixed, units)
    inputs = numpy.hstack([mixed[:, units], numpy.ones((200, 1))])
    numpy.testing.assert_allclose(inputs @ weights, mixed, atol=1e-2)
    numpy.testing.assert_array_equal(weights[:-1, units], numpy.eye(5))


def test_units_that_nobody_reads_go_first():
    values = numpy.random.default_rng(0).normal(size=(100, 4))
    kept = narrow.keep_units(values, numpy.array([1.0, 0.0, 1.0, 0.0]), 2)
    assert kept.tolist() == [0, 2]


def test_encoder_may_have_another_width_than_the_scorers(trained, tmp_path):
    _, folder, graphs = trained
    assert TINY["tok2vec"]["encode"]["width"] == WIDTHS["lstm"]
    nlp = run(folder, tmp_path / "encoder", lstm=8)
    assert len(parse(nlp, graphs)) == len(graphs)
