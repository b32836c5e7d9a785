"""No command writes over what it reads, nor one output over another; all are told before any work."""

import shutil
from pathlib import Path

import pytest
from cli_runs import run


@pytest.fixture
def mixed(corpus: Path) -> Path:
    """A directory with files of several formats."""
    run("convert", "--to", "mrp", corpus / "a.xml", corpus / "all.mrp")
    (corpus / "data.spacy").write_bytes(b"gold")
    (corpus / "deep").mkdir()
    (corpus / "deep" / "data.spacy").write_bytes(b"gold")
    return corpus


def test_every_format_in_a_directory_is_an_input(mixed: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in mixed.rglob("*") if path.is_file()}
    other = tmp_path / "other"
    shutil.copytree(mixed, other)
    for args in (
        ("convert", "--to", "xml", mixed, tmp_path / "out", "--json", mixed / "all.mrp"),
        ("convert", "--to", "mrp", mixed, mixed / "all.mrp"),
        ("score", "--mrp", mixed, other, "--json", mixed / "all.mrp"),
        ("score", "--mrp", other, mixed, "--json", mixed / "all.mrp"),
        ("evaluate", "no_model", mixed, "--json", mixed / "data.spacy"),
        ("evaluate", "no_model", mixed, "--raw", "--json", mixed / "a.xml"),
        ("calibrate", "no_model", mixed, "--json", mixed / "deep" / "data.spacy"),
        ("bilexical", mixed, mixed / "data.spacy"),
        ("label", mixed, mixed / "data.spacy", "-m", "no_model"),
    ):
        assert "UC518" in run(*args, code=1).stderr, args
    assert {path: path.read_bytes() for path in mixed.rglob("*") if path.is_file()} == before


def test_a_pipeline_is_an_input(model: str, mixed: Path, tmp_path: Path) -> None:
    folder, data = tmp_path / "pipeline", mixed / "data.spacy"
    shutil.copytree(model, folder)
    own = folder / "own.spacy"
    own.write_bytes(b"patterns")
    for args in (
        ("label", data, own, "-m", folder),
        ("label", data, own, "-m", "no_model", "--syntax", folder),
        ("bilexical", data, own, "-m", folder),
        ("convert", mixed, own, "-m", folder),
    ):
        assert "UC518" in run(*args, code=1).stderr, args
    assert own.read_bytes() == b"patterns"


def test_figures_do_not_replace_graphs(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    links = tmp_path / "links.conllu"
    links.write_text("", "utf8")
    (tmp_path / "link").symlink_to(tmp_path / "all.mrp")
    for args in (
        ("convert", "--to", "mrp", corpus, tmp_path / "all.mrp", "--json", tmp_path / "all.mrp"),
        ("convert", "--to", "mrp", corpus, tmp_path / "all.mrp", "--json", tmp_path / "link"),
        ("orient", links, out, "--json", out / "graphs.conllu"),
        ("orient", links, out, "--json", out / "labels.tsv"),
        ("orient", links, out, "--pictures", 3, "--json", out / "pictures" / "003.svg"),
    ):
        assert "UC519" in run(*args, code=1).stderr, args
    picture = out / "pictures" / "003.svg"
    picture.parent.mkdir(parents=True)
    picture.write_text("", "utf8")
    assert "UC518" in run("orient", picture, out, "--pictures", 3, code=1).stderr
    for args, name in (
        (("convert", "--to", "xml", corpus, out), "a.xml"),
        (("convert", corpus, tmp_path / "two", "--passages"), "b.xml"),
    ):
        figures = Path(args[-1] if "--to" in args else args[2]) / name
        result = run(*args, "--json", figures, code=1)
        assert "UC519" in result.stderr and figures.read_text("utf8").startswith("{")


@pytest.mark.parametrize("suffix", ["jsonl", "mrp", "txt", "conllu", "xml", "svg", "spacy", "html"])
def test_what_is_there_stays_if_nothing_can_be_read(
    suffix: str, model: str, tmp_path: Path
) -> None:
    bad, out = tmp_path / "bad.mrp", tmp_path / f"out.{suffix}"
    bad.write_text('{"id": 1, "framework": "amr", "nodes": [{"id": 0}]}\n', "utf8")
    out.write_text("old", "utf8")
    if suffix == "html":
        commands: list[tuple[object, ...]] = [("compare", bad, bad, "-o", out)]
    else:
        commands = [("convert", bad, out)] if suffix != "svg" else []
        commands += [("render", bad, "-o", out, "-t", "tree")] if suffix == "txt" else []
        commands += [("render", bad, "-o", out)] if suffix == "svg" else []
        commands += [("parse", bad, "-m", model, "-o", out)] if suffix != "spacy" else []
    for args in commands:
        result = run(*args, code=1)
        assert "Nothing was lost" not in result.stderr and "bad.mrp" in result.stderr
        assert out.read_text("utf8") == "old", args
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".part")]
    if suffix in ("jsonl", "mrp"):
        out.write_text('{"id": "a"}\n', "utf8")
        run("parse", bad, "-m", model, "-o", out, "--resume", code=1)
        assert out.read_text("utf8") == '{"id": "a"}\n'


def test_sentences_of_one_name(corpus: Path, tmp_path: Path) -> None:
    shutil.copy(corpus / "b.xml", corpus / "0.xml")
    result = run("convert", corpus, tmp_path / "out", code=1)
    assert "Skipped [UC519]" in result.stderr and "1 skipped" in result.stderr
    assert len(list((tmp_path / "out").iterdir())) == 3


def test_a_pipeline_replaces_nothing_else(model: str, tmp_path: Path) -> None:
    data = tmp_path / "data.spacy"
    data.write_bytes(b"gold")
    (tmp_path / "link").symlink_to(data)
    pipeline = tmp_path / "pipeline"
    shutil.copytree(model, pipeline)
    (pipeline / "vocab" / "data.spacy").write_bytes(b"gold")
    for output, given, code in (
        (data, data, "UC504"),
        (tmp_path / "link", data, "UC504"),
        (tmp_path, data, "UC525"),
        (pipeline, pipeline / "vocab", "UC526"),
    ):
        assert code in run("calibrate", "no_model", given, "-o", output, code=1).stderr
    args = ("calibrate", "no_model", data, "-o", pipeline, "--json", pipeline / "meta.json")
    assert "UC526" in run(*args, code=1).stderr
    assert data.read_bytes() == (pipeline / "vocab" / "data.spacy").read_bytes() == b"gold"


def test_a_directory_is_no_output_file(model: str, corpus: Path, tmp_path: Path) -> None:
    for name in ("a.spacy", "a.txt", "a.html", "a.conllu", "a.json"):
        (tmp_path / name).mkdir()
    data = tmp_path / "data.spacy"
    data.write_bytes(b"gold")
    for args in (
        ("label", data, tmp_path / "a.spacy", "-m", "no_model"),
        ("bilexical", data, tmp_path / "a.spacy"),
        ("compare", corpus, corpus, "-o", tmp_path / "a.html"),
        ("links", data, tmp_path / "a.conllu"),
        ("validate", corpus, "--json", tmp_path / "a.json"),
    ):
        assert "UC524" in run(*args, code=1).stderr, args
