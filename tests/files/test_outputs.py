"""An output is never an input, nor another output, by whatever name."""

import os
from pathlib import Path

import pytest

from spacy_ucca.errors import UccaError
from spacy_ucca.files import OutputDirectory, check_outputs, check_pipeline_directory
from spacy_ucca.files.outputs import file_name


@pytest.fixture
def same(tmp_path) -> dict[str, Path]:
    """One file, and its other names."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.xml").write_text("gold", "utf8")
    names = {
        "itself": folder / "a.xml",
        "dots": folder / ".." / "in" / "a.xml",
        "relative": Path(os.path.relpath(folder / "a.xml")),
        "link": tmp_path / "link.xml",
        "link to a link": tmp_path / "second.xml",
        "hard link": tmp_path / "hard.xml",
        "by a folder": tmp_path / "linked" / "a.xml",
    }
    names["link"].symlink_to(folder / "a.xml")
    names["link to a link"].symlink_to(names["link"])
    names["hard link"].hardlink_to(folder / "a.xml")
    (tmp_path / "linked").symlink_to(folder)
    return names


def test_all_names_of_a_file_are_one(same):
    for first in same.values():
        for second in same.values():
            with pytest.raises(UccaError, match="UC518"):
                check_outputs([first], [second])
    with pytest.raises(UccaError, match="UC519"):
        check_outputs([same["itself"], same["link"]], [])


def test_other_files_may_be_written(same, tmp_path):
    (tmp_path / "b.xml").write_text("", "utf8")
    new = tmp_path / "in" / "new.xml"
    check_outputs([tmp_path / "b.xml", new, None, Path(os.devnull)], [same["itself"], os.devnull])
    check_outputs([tmp_path / "in" / "train.spacy"], [tmp_path / "in"])


def test_directories_stand_for_what_is_read(same, tmp_path):
    corpus = tmp_path / "corpus" / "xml"
    corpus.mkdir(parents=True)
    (corpus / "1.xml").write_text("", "utf8")
    data = tmp_path / "data" / "deep"
    data.mkdir(parents=True)
    (data / "train.spacy").write_text("", "utf8")
    pipeline = tmp_path / "pipeline" / "ucca_parser"
    pipeline.mkdir(parents=True)
    for file in (pipeline.parent / "config.cfg", pipeline / "model"):
        file.write_text("", "utf8")
    for folder, file in (
        (tmp_path / "in", same["link"]),
        (corpus.parent, corpus / "1.xml"),
        (data.parent, data / "train.spacy"),
        (pipeline.parent, pipeline / "model"),
    ):
        with pytest.raises(UccaError, match="UC518"):
            check_outputs([file], [folder])


def test_output_directory(same, tmp_path):
    directory = OutputDirectory(tmp_path / "linked", [same["itself"]])
    with pytest.raises(UccaError, match="UC518"):
        directory.write("a", ".xml", "new")
    assert same["itself"].read_text("utf8") == "gold"
    assert directory.write("a", ".svg", "one") == tmp_path / "linked" / "a.svg"
    with pytest.raises(UccaError, match="UC519"):
        directory.write("a", ".svg", "two")
    assert (tmp_path / "in" / "a.svg").read_text("utf8") == "one"
    again = OutputDirectory(tmp_path / "in", [same["itself"]])  # another run
    again.write("a", ".svg", "two")
    assert (tmp_path / "in" / "a.svg").read_text("utf8") == "two"


def test_numbered_names_never_meet(tmp_path):
    """Of graphs of one name each has a file of its own, whatever the others are called; another run gives the same names."""
    names = ["a/b", "a-2", "a_b", "a:b", "a", "a", "a-2", "a_b-2", "a"]
    for run in range(2):
        directory = OutputDirectory(tmp_path / "out")
        places = [directory.write(name, ".x", str(run), number=True).name for name in names]
        assert len(set(places)) == len(names)
        assert places[:3] == ["a_b.x", "a-2.x", "a_b-2.x"] and "a-3.x" in places
        assert "6 graphs" in directory.note and "a_b-2.x" in directory.note
    assert OutputDirectory(tmp_path / "out").note == ""
    with pytest.raises(UccaError, match="UC518"):
        OutputDirectory(tmp_path / "out", [tmp_path / "out" / "a.x"]).reserve(
            "a", ".x", number=True
        )


@pytest.mark.parametrize("name", ["../x", "/x", "..", ".", "", "a\nb", "C:x", "x" * 999, "é" * 999])
def test_names_stay_in_their_directory(name, tmp_path):
    path = OutputDirectory(tmp_path / "out").write(name, ".xml", "")
    assert [path] == list((tmp_path / "out").iterdir())


def test_usual_names_are_kept():
    for name in ("a", "504001", "weblog-1.2_0003", "日本", "a b"):
        assert file_name(name) == name


def test_a_directory_is_no_file(tmp_path):
    (tmp_path / "a.spacy").mkdir()
    with pytest.raises(UccaError, match="UC524"):
        check_outputs([tmp_path / "a.spacy"], [])
    check_outputs(
        [tmp_path / ("x" * 300)], []
    )  # a name that no file can have: what opens it says so


def test_other_outputs_are_not_replaced(tmp_path):
    figures = tmp_path / "out" / "a.xml"
    directory = OutputDirectory(tmp_path / "out", others=[None, figures, Path(os.devnull)])
    with pytest.raises(UccaError, match="UC519"):
        directory.write("a", ".xml", "")
    directory.write("b", ".xml", "")


def test_directories_of_pipelines(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    check_pipeline_directory(new, [tmp_path / "data.spacy"])
    new.mkdir()
    check_pipeline_directory(new, [])
    old.mkdir()
    (old / "config.cfg").write_text("", "utf8")
    check_pipeline_directory(old, [tmp_path / "data.spacy"])
    with pytest.raises(UccaError, match="UC526"):
        check_pipeline_directory(old, [old / "vocab" / "data.spacy"])
    with pytest.raises(UccaError, match="UC504"):
        check_pipeline_directory(old / "config.cfg", [])
    with pytest.raises(UccaError, match="UC525"):
        check_pipeline_directory(tmp_path, [])
