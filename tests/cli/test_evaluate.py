"""`spacy-ucca evaluate`: categories that the guidelines of a corpus do not have, replaced on both sides."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

from spacy_ucca.cli import _pipelines, app
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.cli.score import format_scores
from spacy_ucca.conversion.bilexical import WAYS
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.metric.score import score_graphs
from spacy_ucca.tokens.dependencies import graph_from_dependencies, set_dependencies
from spacy_ucca.tokens.scorer import ucca_score
from spacy_ucca.training.corpus import graph_to_doc, write_docbin

OLD = """
[H [D Today] [A [E every] [C cat]] [P slept]] [U .]

[H [A I] [P ran] [D [E the] [E whole] [C day]]]
"""
# The same graphs by guidelines 2.0
NEW = OLD.replace("[D Today", "[T Today").replace("[E every", "[Q every").replace("[D [E", "[T [E")
MAP = {"T": "D", "Q": "E"}


class Prophet:
    """A component that knows the graph of each sentence, in some annotation."""

    def __init__(self, text: str) -> None:
        self.graphs = {graph.words: graph for graph in read_brackets(text, source="-")}

    def __call__(self, doc: Doc) -> Doc:
        doc._.ucca = self.graphs[tuple(token.text for token in doc)]
        return doc

    def score(self, examples: Iterable[Example], **kwargs) -> dict:
        return ucca_score(examples, **kwargs)


@Language.factory("test_prophet", default_config={"text": OLD})
def make_prophet(nlp: Language, name: str, text: str) -> Prophet:
    return Prophet(text)


def make(text: str) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_prophet", config={"text": text})
    return nlp


@pytest.fixture
def data(tmp_path: Path) -> dict[str, Path]:
    nlp = spacy.blank("en")
    paths = {}
    for name, text in (("old", OLD), ("new", NEW)):
        paths[name] = tmp_path / f"{name}.spacy"
        docs = [graph_to_doc(graph, nlp.vocab) for graph in read_brackets(text, source="-")]
        write_docbin(docs, paths[name])
    return paths


@pytest.mark.parametrize(("predicted", "gold"), [(OLD, "new"), (NEW, "old"), (NEW, "new")])
def test_categories_are_replaced_on_both_sides(predicted, gold, data):
    nlp = make(predicted)
    same = (predicted == NEW) == (gold == "new")
    assert (evaluate(nlp, data[gold])["ucca_f"] == 1) == same
    scores = evaluate(nlp, data[gold], mapping=MAP)
    assert scores["ucca_f"] == scores["ucca_primary_f"] == 1
    assert scores["mapping"] == MAP
    assert not {"T", "Q"} & set(scores["ucca_per_type"])
    # The half of the mapping is not enough.
    assert (evaluate(nlp, data[gold], mapping={"T": "D"})["ucca_f"] == 1) == same


def test_ways_back():
    """Each way is that of `from_bilexical`; nothing else is changed."""
    nlp = spacy.blank("en")
    maker = nlp.add_pipe("ucca_from_dependencies", config={"repair": False})
    graph = read_brackets("[H [A He] [P [E well] [C slept]] [A here]]")[0]
    found = {}
    for way, options in WAYS.items():
        _pipelines.set_way_back(nlp, way)
        doc = Doc(nlp.vocab, words=graph.words)
        set_dependencies(doc, graph)
        found[way] = maker(doc)._.ucca
        assert found[way].same_structure(graph_from_dependencies(doc, **options))
    assert len({len(made.units) for made in found.values()}) == 3
    _pipelines.set_way_back(nlp, None)
    assert (maker.levels, maker.one_unit) == (False, True)  # of the last one
    for pipeline, way in ((nlp, "down"), (spacy.blank("en"), "draft")):
        with pytest.raises(typer.BadParameter, match="levels, published, draft"):
            _pipelines.set_way_back(pipeline, way)


def test_command(data, tmp_path, monkeypatch):
    monkeypatch.setattr(_pipelines, "load_pipeline", lambda *args, **options: make(OLD))
    command = ["evaluate", "model", str(data["new"]), "--json", str(tmp_path / "scores.json")]

    def run(*options: str):
        result = CliRunner().invoke(app, [*command, *options])
        found = json.loads((tmp_path / "scores.json").read_text("utf8"))
        return result, found

    result, scores = run("--map", "T=D", "--map", "Q=E")
    assert result.exit_code == 0
    assert scores["ucca_f"] == 1 and scores["mapping"] == MAP and scores["docs"] == 2
    result, scores = run()
    assert result.exit_code == 0
    assert scores["ucca_f"] < 1 and scores["mapping"] == {}
    result, _ = run("--map", "TD")
    assert result.exit_code == 2 and "not of the form T=D" in result.output


def test_no_precision_where_nothing_was_predicted_and_no_recall_where_nothing_is_there():
    (with_remote, without) = read_brackets(
        "[H [A Ann] [P left]] [L and] [H [A* =a] [P slept]]\n".replace("[A Ann]", "[A#a Ann]")
        + "\n[H [A Ann] [P left]] [L and] [H [P slept]]\n",
        source="-",
    )
    for predicted, gold, row in (
        (without, with_remote, ["-", "0.0", "0.0"]),
        (with_remote, without, ["0.0", "-", "0.0"]),
        (without, without, ["-", "-", "-"]),
    ):
        scores = score_graphs([(predicted, gold)])
        printed = format_scores(scores).splitlines()
        assert next(line.split() for line in printed if line.startswith("remote"))[1:] == 4 * row


def test_several_pipelines_and_sets(tmp_path: Path) -> None:
    """Each set by itself, each pipeline beside the first: the scores are those of each alone."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    make(OLD).to_disk(good)
    make(OLD.replace("[A I]", "[D I]")).to_disk(bad)
    graphs = read_brackets(OLD, source="-")
    files = [tmp_path / "one.spacy", tmp_path / "all" / "x.spacy"]
    for file, n in zip(files, (1, 2)):
        docs = [graph_to_doc(graph, spacy.blank("en").vocab) for graph in graphs[:n] * 10]
        write_docbin(docs, file)
    scores = tmp_path / "scores.json"
    runner = CliRunner()
    args = [
        "evaluate",
        str(good),
        str(bad),
        str(files[0]),
        str(files[1].parent),
        "--json",
        str(scores),
    ]
    result = runner.invoke(app, args)
    assert result.exit_code == 0, result.output
    assert "difference" in result.stdout and result.stdout.count("bad") == 2
    rows = json.loads(scores.read_text("utf8"))["scores"]
    found = {
        (r["set"], r["system"]): r for r in rows if (r["group"], r["part"]) == ("edges", "all")
    }
    for name, data in (("one", files[0]), ("all", files[1].parent)):
        for system, path in (("good", good), ("bad", bad)):
            alone = evaluate(spacy.load(path), data)
            assert found[name, system]["f1"] == pytest.approx(alone["ucca_f"])
    assert found["one", "bad"]["difference"] == 0 and found["all", "bad"]["p"] < 0.05
    for wrong in ([good], [files[0]], [good, files[0], bad], [good, bad, tmp_path / "no.spacy"]):
        assert runner.invoke(app, ["evaluate", *map(str, wrong)]).exit_code == 2
    one_alone = ["evaluate", str(good), str(bad), str(files[0]), "--per-type"]
    assert "Only with one pipeline" in runner.invoke(app, one_alone).output
