"""One rule for output paths, in Python and in all commands."""

from pathlib import Path

import pytest
from cli_runs import run

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.recognise import check_output_suffix, guess_output, is_directory
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph

SUFFIXES = {suffix for entry in FORMATS.values() for suffix in entry.suffixes} | {".spacy", ".svg"}
DIRECTORIES = ("out", "Wiki-1.2", "run.2026-11-26", "a.v2", "x.", ".hidden", "v1.2.3", "ünï 1.5")


@pytest.fixture
def graph() -> Graph:
    return read_brackets("# id = 504\n[H [A Ann] [P came]] [U .]")[0]


@pytest.mark.parametrize(
    "name", [*DIRECTORIES, *(f"x{s}" for s in sorted(SUFFIXES)), "x.pdf", "X.XML"]
)
def test_files_and_directories(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    assert is_directory(path) == (name in DIRECTORIES)
    path.mkdir()
    assert is_directory(path) and guess_output(path) is None
    path.rmdir()
    path.touch()
    assert not is_directory(path)


def test_suffixes_say_formats(tmp_path: Path) -> None:
    for name, entry in FORMATS.items():
        for suffix in entry.suffixes:
            check_output_suffix(tmp_path / f"x{suffix}", name)
            said = guess_output(tmp_path / f"x{suffix.upper()}")
            others = [other for other in FORMATS.values() if suffix in other.suffixes]
            if suffix != ".txt":  # of several formats the one that is called so
                assert said == (suffix[1:] if len(others) > 1 else name)
        if f".{name}" in SUFFIXES:
            assert guess_output(tmp_path / f"x.{name}") == name
    for name in ("x.rtf", "x.txt", "out", "x-1.2"):
        assert guess_output(tmp_path / name) is None
        check_output_suffix(tmp_path / name, "mrp")
    with pytest.raises(ValueError, match=r"UC531.*x\.xml.*'mrp'.*\.mrp"):
        check_output_suffix(tmp_path / "x.xml", "mrp")


@pytest.mark.parametrize("name", ["Wiki-1.2", "made.xml", "more.v2", "there.mrp"])
def test_commands_write_to_directories(name: str, graph: Graph, tmp_path: Path, model: str) -> None:
    source, out, text = tmp_path / "504.xml", tmp_path / "out" / name, tmp_path / "t.txt"
    write_xml(graph, source)
    text.write_text("Ann left.", "utf8")
    if name.endswith(("xml", "mrp")):
        out.mkdir(parents=True)
    run("convert", "--to", "mrp", source, out)
    run("convert", source, out)
    run("render", source, "-o", out)
    run("parse", text, "-m", model, "-o", out)
    run("parse", text, "-m", model, "-o", out, "-t", "export")
    assert sorted(path.name for path in out.iterdir()) == [
        *("504.mrp", "504.svg", "504000.xml", "t.export", "t.txt")
    ]


def test_commands_write_to_files(graph: Graph, tmp_path: Path, model: str) -> None:
    source, text = tmp_path / "504.xml", tmp_path / "t.txt"
    write_xml(graph, source)
    text.write_text("Ann left.", "utf8")
    for name in ("x.jsonl", "x.mrp", "x.export", "x.json"):
        run("convert", source, tmp_path / name)
        run("parse", text, "-m", model, "-o", tmp_path / f"p{name}")
        for written in (tmp_path / name, tmp_path / f"p{name}"):
            assert len(read_graphs(written)) == 1
    for suffix in (".jsonl", ".amr"):  # which several formats have
        out, name = tmp_path / f"s{suffix}", guess_output(tmp_path / f"s{suffix}")
        run("parse", text, "-m", model, "-o", out)
        assert out.read_text("utf8") == run("parse", text, "-m", model, "--to", name).stdout
        run("convert", source, out)
        assert out.read_text("utf8") == run("convert", "--to", name, source, "-").stdout
    run("render", source, "-o", tmp_path / "x.svg")
    run("parse", text, "-m", model, "-o", tmp_path / "p.svg")
    for name in ("x.svg", "p.svg"):
        assert (tmp_path / name).read_text("utf8").startswith("<svg")
    for args in (
        ("convert", "--to", "mrp", source, tmp_path / "x.xml"),
        ("parse", text, "-m", model, "-t", "mrp", "-o", tmp_path / "y.xml"),
        ("render", source, "-t", "tree", "-o", tmp_path / "y.svg"),
    ):
        assert "UC531" in run(*args, code=2 if args[0] == "parse" else 1).stderr
    assert "UC541" in run("parse", text, "-m", model, "-o", tmp_path / "x.pdf", code=2).stderr
    assert not (tmp_path / "y.xml").exists() and not (tmp_path / "x.pdf").exists()


def test_a_dash_is_standard_output(
    corpus: Path, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of every command, and never a directory of that name."""
    text = tmp_path / "x.txt"
    text.write_text("I came.", "utf8")
    monkeypatch.chdir(tmp_path)
    for args in (
        *(("parse", text, "-m", model), ("parse", text, "-m", model, "-t", "mrp")),
        *(("render", corpus / "b.xml"), ("render", corpus / "b.xml", "-t", "tree")),
    ):
        assert run(*args, "-o", "-").stdout == run(*args).stdout != ""
    assert run("compare", corpus, corpus, "-o", "-").stdout.endswith("</html>\n")
    assert "--to" in run("convert", corpus, "-", code=2).stderr
    assert not Path("-").exists()
