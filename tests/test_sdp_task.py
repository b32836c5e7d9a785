"""The data of SemEval 2014 Task 8: `scripts/split_sdp.py` on small files of the same shape."""

import shutil
from pathlib import Path

import pytest
import split_sdp
from small_corpora import write_corpora
from small_sdp import write_sdp

from spacy_ucca.conversion.graph import ROOT
from spacy_ucca.formats.sdp import iter_sdp

NAMES = ("dm", "pas", "pcedt")
SECTIONS = {"train": range(20), "dev": (20,), "test": (21,)}


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory) -> list[Path]:
    path = tmp_path_factory.mktemp("corpora")
    write_corpora(path)
    return sorted((path / "UD_English-EWT").glob("*.conllu"))


@pytest.fixture
def data(tmp_path, treebanks) -> Path:
    write_sdp(tmp_path / "data", treebanks)
    return tmp_path / "data"


def read(path: Path) -> list:
    with path.open(encoding="utf8") as lines:
        return list(iter_sdp(lines))


def split(data: Path, out: Path) -> dict:
    split_sdp.main([str(data), str(out)])
    return {(part, name): read(out / part / f"{name}.sdp") for part in SECTIONS for name in NAMES}


def test_each_sentence_is_in_the_split_of_its_section(data, tmp_path):
    found = split(data, tmp_path / "out")
    for name in NAMES:
        for part, sections in SECTIONS.items():
            assert {int(graph.id[1:3]) for graph in found[part, name]} <= {*sections}
        together = [graph for part in SECTIONS for graph in found[part, name]]
        expected = read(data / f"{name}.sdp")
        assert sorted(together, key=lambda g: g.id) == sorted(expected, key=lambda g: g.id)


def test_layouts(data, treebanks, tmp_path):
    """Files of 2014 and 2015, in one folder or with a folder for the test data: all the same."""
    expected = split(data, tmp_path / "out")
    write_sdp(tmp_path / "2015", treebanks, year=2015)
    assert split(tmp_path / "2015", tmp_path / "out15") == expected
    divided = tmp_path / "divided"
    for folder, parts in (("train", ("train", "dev")), ("test", ("test",))):
        (divided / folder).mkdir(parents=True)
        for name in NAMES:
            blocks = [(tmp_path / "out" / part / f"{name}.sdp").read_text("utf8") for part in parts]
            (divided / folder / f"{name}.sdp").write_text("\n".join(blocks), "utf8")
    assert split(divided, tmp_path / "again") == expected


def test_the_small_data_has_the_shape_of_the_task(data):
    graphs = {name: read(data / f"{name}.sdp") for name in NAMES}
    assert any(len(graph.tops) > 1 for graph in graphs["pcedt"])
    assert all(len(graph.tops) == 1 for graph in graphs["dm"])
    for found in graphs.values():
        ends = [{end for arc in graph.arcs for end in arc[:2]} - {ROOT} for graph in found]
        assert any(len(used) < len(graph.tokens) for used, graph in zip(ends, found))
    for graph in graphs["pas"]:
        outgoing = [(arc.head, arc.label) for arc in graph.arcs if arc.head != ROOT]
        assert len(set(outgoing)) == len(outgoing)


def break_file(data: Path, text: str | bytes) -> None:
    path = data / "pcedt.sdp"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def keep(data: Path, sections: range) -> None:
    """Keep only some sections of PCEDT."""
    path = data / "pcedt.sdp"
    blocks = path.read_text("utf8").split("\n\n")
    path.write_text("\n\n".join(b for b in blocks if int(b[2:4]) in sections), "utf8")


def replace_by_file(data: Path) -> None:
    shutil.rmtree(data)
    data.write_text("a", "utf8")


MISTAKES = {
    "missing": (shutil.rmtree, r"data is missing.*LDC2016T10.*--vars\.data"),
    "a file": (replace_by_file, r"data is no directory.*LDC2016T10"),
    "another kind": (lambda d: (d / "pas.sdp").rename(d / "a.xml"), r"no file of PAS.*LDC2016T10"),
    "empty": (lambda d: break_file(d, ""), r"pcedt\.sdp: the file is empty"),
    "text": (lambda d: break_file(d, "Ann left.\n"), r"pcedt\.sdp, line 1: a row of 1 columns"),
    "binary": (lambda d: break_file(d, b"\xff\xfe\x00"), r"pcedt\.sdp: cannot be read"),
    "other ids": (lambda d: break_file(d, "#a1\n1\ta\ta\tX\t-\t-\n"), r"pcedt\.sdp: the id 'a1'"),
    "no train": (lambda d: keep(d, range(20, 22)), r"pcedt\.sdp: no sentence of section 00 to 19"),
    "no dev": (lambda d: keep(d, range(20)), r"no sentence of section 20 \(dev\).*`train`"),
    "no test": (lambda d: keep(d, range(21)), r"no sentence of section 21 \(test\).*`test`"),
    "twice": (
        lambda d: shutil.copy(d / "dm.sdp", d / "en.dm.sdp"),
        r"Sentence 2\d{7} is in .*dm\.sdp and again in .*en\.dm\.sdp",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(data, tmp_path, mistake):
    """One message, with place and remedy, before anything is written."""
    change, message = MISTAKES[mistake]
    change(data)
    with pytest.raises(SystemExit, match=message):
        split_sdp.main([str(data), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
