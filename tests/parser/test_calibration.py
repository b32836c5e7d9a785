"""How sure the parser is of its edges: what scores are made of, and that calibrated ones hold."""

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner
from util import make_doc, parse

from spacy_ucca.cli import app
from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.graph import Graph
from spacy_ucca.graph.unit import Edge
from spacy_ucca.layers.arrays import log_softmax
from spacy_ucca.parser.calibration import (
    FEATURES,
    Calibration,
    Recorder,
    calibration_error,
    fit,
    logits,
    unit_features,
)
from spacy_ucca.parser.search import choose, greedy_search
from spacy_ucca.tokens.extension import get_graph
from spacy_ucca.tokens.sentences import find_sentences

runner = CliRunner()


def kind_of(edge: Edge) -> str:
    """The construction of an edge, by what it looks like."""
    return "remote" if edge.remote else "implicit" if edge.child.is_implicit else "primary"


def test_the_best_valid_action_and_its_probability() -> None:
    rng = numpy.random.default_rng(0)
    scores = rng.normal(0, 3, (50, 7)).astype("float32")
    scores[0] = 1.0  # the first on ties
    mask = rng.random((50, 7)) < 0.5
    mask[numpy.arange(50), rng.integers(0, 7, 50)] = True
    best, log_probs = choose(scores, mask)
    for i in range(50):
        valid = [j for j in range(7) if mask[i, j]]
        odds = numpy.exp(scores[i, valid].astype("float64"))
        assert best[i] == valid[int(numpy.argmax(odds))]
        assert numpy.exp(log_probs[i]) == pytest.approx(odds.max() / odds.sum())
    everything = numpy.where(mask, scores, -numpy.inf)
    numpy.testing.assert_allclose(log_softmax(everything, best), log_probs, rtol=1e-9, atol=1e-12)


def test_every_predicted_edge_has_a_score(trained: Language, sample: list[Graph]) -> None:
    found = parse(trained, [*sample, Graph.join(sample[:3])])
    kinds = set()
    for graph in found:
        assert {edge.index for edge in graph.edges} == set(graph.scores)
        assert all(0.0 <= edge.score <= 1.0 for edge in graph.edges)
        kinds.update(kind_of(edge) for edge in graph.edges)
    assert {"primary", "remote", "implicit"} <= kinds
    assert any(0.01 < score < 0.99 for graph in found for score in graph.scores.values())


def test_scores_survive(tree: Language, graphs: list[Graph]) -> None:
    (graph,) = parse(tree, [Graph.join(graphs[1:5])])  # with remote edges and implicit units
    doc = make_doc(tree.vocab, graph)
    copy = Doc(tree.vocab).from_bytes(doc.to_bytes())
    assert graph.scores and get_graph(copy).scores == graph.scores
    parts = [part for _, part in graph.sentences()]
    assert len(parts) == 4 and Graph.join(parts).scores == graph.scores
    assert graph.only(range(len(graph.words))).scores == graph.scores
    fewer = graph.without(remotes=True, implicit=True)
    assert 0 < len(fewer.scores) < len(graph.scores)
    assert set(fewer.scores.values()) <= set(graph.scores.values())
    bare = Graph.from_record({**graph.to_record(), "scores": None})
    assert bare == graph and hash(bare) == hash(graph), "scores do not count"
    assert not bare.scores and all(edge.score is None for edge in bare.edges)


def test_features_of_primary_edges(tree: Language, sample: list[Graph]) -> None:
    parser = tree.get_pipe("ucca_parser")
    docs = [make_doc(tree.vocab, graph, gold=False) for graph in sample]
    sentences = find_sentences(docs, parser.inventory.dep_ids)
    inventory = parser.inventory
    step = parser.model.predict(docs)["actions"]
    states = greedy_search(step, inventory.system, inventory.schemas["actions"], sentences)
    units = UnitTable(states, [s.syntax for s in sentences])
    features = unit_features(units)
    for i, node in enumerate(units.nodes):
        state = units.states[units.sentence[i]]
        if node == 0:
            continue

        def below(node: int, state=state) -> float:
            return sum(state.log_probs[state.when[c]] + below(c) for c in state.children[node])

        own = state.log_probs[state.when[node]]
        length = numpy.log(max(state.last[node] - state.first[node] + 1, 1))
        expected = [1.0, float(logits(own)), below(node), length, numpy.mean(state.log_probs)]
        numpy.testing.assert_allclose(features[i], expected, atol=1e-6)
    assert all(len(state.log_probs) == state.steps for state in states)


def test_without_calibration_a_score_is_the_probability() -> None:
    own = numpy.log(numpy.array([0.25, 0.5, 0.999]))
    for kind, names in FEATURES.items():
        rows = numpy.ones((3, len(names)))
        rows[:, 1] = logits(own)
        assert Calibration()(kind, rows) == pytest.approx([0.25, 0.5, 0.999], abs=1e-3)
        assert Calibration({kind: [0.0] * len(names)})(kind, rows) == [0.5] * 3
    assert Calibration(Calibration().to_dict()).to_dict() == Calibration().to_dict()


def test_fitted_weights_are_those_that_made_the_data() -> None:
    rng = numpy.random.default_rng(0)
    truth = numpy.array([0.3, 1.2, -0.7])
    features = numpy.concatenate([numpy.ones((20_000, 1)), rng.normal(0, 1, (20_000, 2))], axis=1)
    chances = 1 / (1 + numpy.exp(-features @ truth))
    right = rng.random(20_000) < chances
    found = fit(features, right)
    numpy.testing.assert_allclose(found, truth, atol=0.07)
    assert calibration_error(chances, right) < 0.02
    assert calibration_error(numpy.full(20_000, 0.95), right) == pytest.approx(
        abs(0.95 - right.mean()), abs=1e-6
    )
    assert calibration_error([], []) == 0.0
    assert numpy.isfinite(fit(numpy.ones((3, 1)), numpy.array([True] * 3))).all()


def test_a_recorder_sees_what_scores_are_made_of(tree: Language, graphs: list[Graph]) -> None:
    parser = tree.get_pipe("ucca_parser")
    docs = [make_doc(tree.vocab, graph, gold=False) for graph in graphs]
    recorder = Recorder()
    seen = parser.predict(docs, calibration=recorder, repair=False)
    for graph, other in zip(seen, parser.predict(docs)):
        for edge in graph.edges:
            kind, row = recorder.rows[int(edge.score)]
            assert kind_of(edge) == kind
            (score,) = parser.calibration(kind, row[None])
            assert score == pytest.approx(other.scores[edge.index], abs=2e-3)


@pytest.fixture
def data(sample: list[Graph], tmp_path):
    docs = [make_doc(Vocab(), graph) for graph in sample if graph.guidelines != "v1"]
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "dev.spacy")
    return tmp_path


def test_command(tree: Language, data) -> None:
    tree.to_disk(data / "model")
    args = ["calibrate", str(data / "model"), str(data / "dev.spacy")]
    result = runner.invoke(app, [*args, "-o", str(data / "out"), "--json", str(data / "x.json")])
    assert result.exit_code == 0, result.output
    assert "primary" in result.output
    found = spacy.util.load_config(data / "out" / "config.cfg")
    assert "ucca_parser" in found["components"]
    calibrated = spacy.load(data / "out")
    weights = calibrated.get_pipe("ucca_parser").cfg["calibration"]
    assert set(weights) == set(FEATURES) and weights["primary"] != [0.0, 1.0, 0.0, 0.0]
    assert tree.get_pipe("ucca_parser").calibration.to_dict() != weights
    doc = calibrated("A small text.")
    assert doc._.ucca == tree("A small text.")._.ucca
    assert doc._.ucca.scores != tree("A small text.")._.ucca.scores
    # Labels and weights do not get into each other's way.
    parser = calibrated.get_pipe("ucca_parser")
    parser.add_label("NEW")
    assert parser.cfg["calibration"] == weights and "NEW" in parser.labels


def test_shift(tree: Language, data) -> None:
    tree.to_disk(data / "model")
    fits = {}
    for shift in ("0", "-0.5"):
        args = ["calibrate", str(data / "model"), str(data / "dev.spacy"), "--shift", shift]
        assert runner.invoke(app, [*args, "-o", str(data / "out")]).exit_code == 0
        fits[shift] = spacy.load(data / "out").get_pipe("ucca_parser").cfg["calibration"]
    for wrong in ("nan", "inf", "11"):
        refused = runner.invoke(app, [*args[:-1], wrong])
        assert refused.exit_code == 2 and "from -10 to 10" in refused.output
    for kind, (bias, *others) in fits["0"].items():
        assert fits["-0.5"][kind] == [pytest.approx(bias - 0.5), *others]


@pytest.mark.parametrize("least, warned", [(10, False), (10**6, True)])
def test_a_fit_to_few_edges_is_doubtful(tree: Language, data, monkeypatch, least, warned) -> None:
    tree.to_disk(data / "model")
    monkeypatch.setattr("spacy_ucca.cli.calibrate.FEW_EDGES", least)
    result = runner.invoke(app, ["calibrate", str(data / "model"), str(data / "dev.spacy")])
    assert result.exit_code == 0 and ("UW307" in result.output) == warned


def test_mistakes_are_named(tree: Language, data) -> None:
    tree.to_disk(data / "model")
    spacy.blank("en").to_disk(data / "blank")
    DocBin(docs=[Doc(Vocab(), words=["a"])], store_user_data=True).to_disk(data / "none.spacy")
    for model, name, message in (
        ("blank", "dev.spacy", "no `ucca_parser`"),
        ("model", "none.spacy", "none.spacy"),
        ("gone", "dev.spacy", "gone"),
    ):
        result = runner.invoke(app, ["calibrate", str(data / model), str(data / name)])
        assert result.exit_code == 1 and message in result.output, result.output
