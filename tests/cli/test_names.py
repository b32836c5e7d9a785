"""Names of files that no output can have as they are: too long, or no UTF-8."""

import shutil
from pathlib import Path

from cli_runs import run


def test_names_that_are_too_long(model: str, tmp_path: Path) -> None:
    name = tmp_path / ("x" * 300)
    for args in (("parse", name, "-m", model), ("convert", name, "a.txt"), ("links", name, "b")):
        assert "does not exist" in run(*args, code=2).stderr


def test_names_that_are_no_utf8(model: str, tmp_path: Path, corpus: Path) -> None:
    name = "\udcff\udcfe"
    folder = tmp_path / name
    folder.mkdir()
    (folder / f"{name}.txt").write_text("I came.", "utf8")
    (folder / "\udcfe\udcff.txt").write_text("I came.", "utf8")
    for options in (("-o", tmp_path / "a.jsonl"), ("-o", tmp_path / "a"), ()):
        result = run("parse", folder, "-m", model, "-t", "jsonl", *options)
        if not options:
            assert "\\\\udcff" in result.stdout
    assert len((tmp_path / "a.jsonl").read_text("utf8").splitlines()) == 2
    assert len(list((tmp_path / "a").iterdir())) == 2
    (tmp_path / f"{name}.xml").write_text("no XML", "utf8")
    run("validate", tmp_path / f"{name}.xml", "--json", tmp_path / "a.json", code=1)
    assert "udcff" in (tmp_path / "a.json").read_text("utf8")
    shutil.copy(corpus / "b.xml", folder)
    assert "udcff" in run("stats", folder, "--json", "-").stdout
