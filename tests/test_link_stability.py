"""`benchmarks/link_stability.py` and `link_heads.py`: what they compare, and the picture."""

import json
from collections import Counter

import link_heads
import link_stability
import pytest
import typer
from test_directions import TRIANGLE, make
from test_orient import write_links
from typer.testing import CliRunner

from spacy_ucca.bilexical.directions import Direction
from spacy_ucca.conversion.graph import ROOT

LEFT = make(2, (ROOT, 1, "WV"), (0, 1, "S"))
RIGHT = make(2, (ROOT, 0, "Wd"), (0, 1, "S"))


def test_allowed():
    found = link_stability.allowed([Direction("A", 0, 3), Direction("B", 2, 2)])
    assert found == {("A", "right"), ("B", "left"), ("B", "right")}


def test_parts_are_compared_with_the_whole():
    first, whole = link_stability.measure([LEFT, RIGHT], [1, 2], 0, 60)
    assert whole["precision"] == whole["recall"] == 1
    # S in both directions, WV and Wd: the part knows S in one, and one of the others.
    assert first["precision"] == 1 and first["recall"] == 2 / 4
    assert (first["labels"], whole["labels"], whole["both"], whole["objective"]) == (2, 3, 1, 4)


def test_command(tmp_path):
    app = typer.Typer()
    app.command()(link_stability.main)
    pytest.importorskip("matplotlib")
    links = write_links(tmp_path / "toy.conllu", *[LEFT, TRIANGLE, RIGHT] * 3)
    options = ["--json", tmp_path / "f.json", "--svg", tmp_path / "f.svg", "--parts", "3"]
    result = CliRunner().invoke(app, [str(x) for x in (links, *options)])
    assert result.exit_code == 0, result.output
    points = json.loads((tmp_path / "f.json").read_text())["corpora"]["toy"]
    assert [point["sentences"] for point in points] == [2, 4, 9]
    assert "toy" in (tmp_path / "f.svg").read_text()
    again = CliRunner().invoke(
        app, ["--draw", str(tmp_path / "f.json"), "--svg", str(tmp_path / "g.svg")]
    )
    assert again.exit_code == 0
    assert (tmp_path / "f.svg").read_text() == (tmp_path / "g.svg").read_text()
    assert CliRunner().invoke(app, []).exit_code == 2
    assert CliRunner().invoke(app, ["--draw", str(tmp_path / "f.json")]).exit_code == 2


def test_heads_of_the_dictionary(tmp_path):
    path = tmp_path / "labels.tsv"
    path.write_text('label\tmajority\nCV\tright\nSF\tright\n"x\tleft\n')
    directions = link_heads.read_directions(path)
    assert directions == {"CV": "right", "SF": "right", '"x': "left"}
    links = [(0, 1, "CV"), (1, 2, "CV*"), (1, 2, "SF"), (2, 3, "O"), (2, 4, "CV")]
    counts: Counter = Counter()
    heads = ["left", "left", "right", "left", None]
    link_heads.compare({"links": links, "heads": heads}, directions, counts)
    assert counts == {("CV", "left", True): 1, ("SF", "right", False): 1}
