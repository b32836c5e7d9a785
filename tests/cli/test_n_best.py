"""`spacy-ucca parse --n-best`, and the same on the served page's interface."""

from pathlib import Path

import pytest
from cli_runs import run
from spacy.language import Language

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import read_graphs

TEXT = "John moved to Paris and sold the house.\n\nShe stayed in the old house.\n"


@pytest.fixture
def given(nlp: Language, tmp_path: Path) -> list:
    (tmp_path / "own.txt").write_text(TEXT, "utf8")
    model = Path(__file__).parents[2] / "models" / "en_ucca_sm"
    return ["parse", tmp_path / "own.txt", "-m", model, "--n-best"]


def test_several_graphs_of_a_text(given: list, tmp_path: Path) -> None:
    graphs = read_brackets(run(*given, 4, "--to", "brackets").stdout)
    assert [graph.details["id"] for graph in graphs] == [f"own.{i}" for i in range(1, 5)]
    chances = [float(graph.details["probability"]) for graph in graphs]
    assert chances == sorted(chances, reverse=True) and 0 < sum(chances) <= 1.001
    assert len({graph.words for graph in graphs}) == 1 and graphs[0].words[-1] == "."
    assert all(not graphs[0].same_structure(other) for other in graphs[1:])
    output = tmp_path / "out"
    run(*given, 4, "--to", "xml", "-o", output)
    assert sorted(path.name for path in output.iterdir()) == [f"own.{i}.xml" for i in range(1, 5)]
    run(*given, 2, "--lines", "-o", tmp_path / "out.jsonl")
    found = read_graphs(tmp_path / "out.jsonl")
    assert [graph.details["id"] for graph in found] == ["own-1.1", "own-1.2", "own-3.1", "own-3.2"]
    # No input is overwritten
    (tmp_path / "own.2.txt").write_text("precious", "utf8")
    given.insert(2, tmp_path / "own.2.txt")
    run(*given, 3, "--to", "brackets", "-o", tmp_path, code=1)
    assert (tmp_path / "own.2.txt").read_text("utf8") == "precious"
    del given[2]
    tree = run(*given, 2).stdout
    assert tree.count("probability 0.") == 2


def test_one_is_the_usual_parse(given: list) -> None:
    plain = run(*given[:-1], "--to", "brackets").stdout
    assert run(*given, 1, "--to", "brackets").stdout == plain
    assert "probability" not in plain


def test_mistakes_have_messages(given: list, tmp_path: Path) -> None:
    assert "--to csv" in run(*given, 2, "--to", "csv", code=2).stderr
    assert "--resume" in run(*given, 2, "--resume", "-o", tmp_path / "out.jsonl", code=2).stderr
    run(*given, 0, code=2)
    message = run(*given, 2, "--engine", "ray", "-o", tmp_path / "out", code=2).stderr
    assert "--n-best" in message
    message = run(*given, 2, "--to", "xml", code=2).stderr
    assert "--output DIR" in message
