"""`spacy-ucca stats`: columns, what they are chosen by, options, and mistakes."""

import json
from pathlib import Path

import pytest
from cli_runs import run

from spacy_ucca.cli.stats import stats


@pytest.fixture
def sentences(corpus: Path) -> Path:
    (corpus / "c.xml").unlink()  # nothing is in it
    return corpus


def lines(text: str) -> dict[str, list[str]]:
    found = {}
    for line in text.splitlines():
        title, *cells = (cell for cell in line.strip().split("  ") if cell)
        found[title] = [cell.strip() for cell in cells]
    return found


def test_a_table(sentences, tmp_path):
    result = run("stats", sentences, "--json", tmp_path / "s.json")
    figures = json.loads((tmp_path / "s.json").read_text())["corpora"][sentences.name]
    rows = lines(result.stdout)
    assert rows["sentences"] == ["3"] == [str(figures["sizes"]["sentences"])]
    assert rows["tokens"] == ["13"]
    assert rows["terminals"][1] == f"{100 * 13 / figures['nodes']['all']:.2f}"
    assert figures == stats(sentences)
    assert "transitions" not in figures and "bounds" not in figures


def test_spacy_files_and_corpora(sentences, tmp_path):
    run("convert", sentences, tmp_path / "c.spacy")
    result = run("stats", sentences, tmp_path / "c.spacy", "--json", "-")
    first, second = json.loads(result.stdout)["corpora"].values()
    assert first == second
    rows = lines(run("stats", sentences, tmp_path / "c.spacy").stdout)
    assert rows["sentences"] == ["3", "3"]


def test_splits_are_columns(sentences, tmp_path):
    for name, ids in (("train", "a\n"), ("dev", "b\n")):
        (tmp_path / f"{name}.txt").write_text(ids)
    splits = ("--split", tmp_path / "train.txt", "--split", tmp_path / "dev.txt")
    result = run("stats", sentences, *splits)
    assert result.stdout.split()[:4] == ["train", "%", "dev", "%"]
    assert lines(result.stdout)["sentences"] == ["2", "1"]
    summed = run("stats", sentences, *splits, "--total", "--json", "-").stdout
    corpora = json.loads(summed)["corpora"]
    assert list(corpora) == ["train", "dev", "total"]
    assert corpora["total"] == stats(sentences)
    assert lines(run("stats", sentences, *splits, "--total").stdout)["sentences"] == ["2", "1", "3"]
    lists = ("--list", tmp_path / "train.txt", "--list", tmp_path / "dev.txt")
    assert lines(run("stats", sentences, *lists).stdout)["sentences"] == ["3"]
    assert lines(run("stats", sentences, "--passages").stdout)["sentences"] == ["2"]
    names = json.loads(
        run("stats", sentences, sentences / "b.xml", *splits[2:], "--json", "-").stdout
    )
    assert list(names["corpora"]) == ["gold dev", "b dev"]


def test_transitions_and_bounds(sentences):
    result = run("stats", sentences, "-t", "-b", "--json", "-")
    (found,) = json.loads(result.stdout)["corpora"].values()
    assert found["transitions"]["tupa"]["exact"] == found["sizes"]["sentences"]
    assert found["bounds"]["constituency, all moves, with remotes"]["ucca_primary_f"] == 1
    text = run("stats", sentences, "-t", "-b").stdout
    assert "rebuilt exactly, %" in text and "bilexical, levels, no remotes" in text


def test_mistakes(sentences, tmp_path):
    run("convert", sentences, tmp_path / "c.spacy")
    (tmp_path / "none.txt").write_text("other\n")
    (tmp_path / "bad.spacy").write_bytes(b"nothing")
    run("stats", tmp_path / "missing", code=2)
    for option in ("--list", "--split", "--ud"):
        assert (
            ".spacy"
            in run("stats", tmp_path / "c.spacy", option, tmp_path / "none.txt", code=2).stderr
        )
    assert (
        "--list"
        in run(
            "stats", sentences, "-s", sentences / "b.xml", "-l", sentences / "b.xml", code=2
        ).stderr
    )
    assert "UC806" in run("stats", sentences, "-l", tmp_path / "none.txt", code=1).stderr
    assert "UC213" in run("stats", tmp_path / "bad.spacy", code=1).stderr
    (sentences / "z.xml").write_text("<root>")
    assert "z.xml" in run("stats", sentences, code=1).stderr
