"""The ablations of `sdp_parser`: on four sentences, where figures say nothing; and what cannot be said, by hand."""

import json

import pytest
import sdp_ablations
import spacy
import typer
from test_sdp_parser import make_examples, references
from typer.testing import CliRunner

from spacy_ucca.bilexical.corpus import write_sdp_docbin
from spacy_ucca.bilexical.features import FEATURES
from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token


def test_table(tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    data = tmp_path / "a.spacy"
    write_sdp_docbin(references(spacy.blank("en").vocab), data)
    app = typer.Typer()
    app.command()(sdp_ablations.main)
    rows = [sdp_ablations.WHOLE, "without Basic", "2 ** 16 rows of weights"]
    only = [word for row in rows for word in ("--only", row)]
    figures = tmp_path / "figures.json"
    arguments = [data, data, "--sentences", 3, "--epochs", 20, "--json", figures, *only]
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    found = json.loads(figures.read_text())
    assert found["sentences"] == 3 and set(found["scores"]) == {sdp_ablations.BOUND, *rows}
    assert found["scores"][sdp_ablations.BOUND]["lf"] == 100
    assert 40 < found["scores"][sdp_ablations.WHOLE]["lf"] <= 100
    assert found["scores"][sdp_ablations.WHOLE]["parses"] > 0
    assert result.output.count("without Basic") == 2


def test_each_class_is_left_out_once():
    left_out = [
        set(FEATURES) - set(settings["model"]["features"])
        for name, settings in sdp_ablations.variants().items()
        if name.startswith("without")
    ]
    assert left_out == [{name} for name in FEATURES]


def test_bound():
    nlp = spacy.blank("en")
    (eg, *_) = make_examples(nlp.vocab)
    arcs = (Arc(ROOT, 1, TOP), Arc(1, 0, "A"), Arc(0, 1, "B"), Arc(0, 3, "C"))
    eg.reference._.sdp = BilexicalGraph(tuple(map(Token, eg.reference._.sdp.words)), arcs)
    found = sdp_ablations.bound([eg], max_distance=2)
    assert (found["lp"], found["lr"], found["lm"]) == (100, 50, 0)
    assert found["lf"] == pytest.approx(66.7)
