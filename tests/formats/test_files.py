"""Files from one format to another: found, guessed, converted and skipped, in Python and by `convert --to`."""

import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_ucca.cli import app
from spacy_ucca.errors import FormatError, UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.convert import convert_files
from spacy_ucca.formats.files import find_files, read_graphs
from spacy_ucca.formats.recognise import guess_format
from spacy_ucca.formats.registry import FORMATS, Format, find_format
from spacy_ucca.formats.roundtrip import KINDS
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph

runner = CliRunner()
READABLE = [name for name, entry in FORMATS.items() if entry.reads and entry.writes]
LOSSLESS = ("xml", "brackets", "uccaapp", "mrp")  # of a plain graph
TEXT = (
    "# id = a\n[L After] [H [P lunch] [A* =1]] [U ,] [H [A#1 Ann] [P left] [T IMPLICIT]] [U .]\n\n"
    "# id = b\n[H [A He] [P|D ran]] [U .]\n"
)


@pytest.fixture
def pair() -> list[Graph]:
    return read_brackets(TEXT)


@pytest.fixture
def xml(pair: list[Graph], tmp_path: Path) -> Path:
    (tmp_path / "in" / "xml").mkdir(parents=True)
    for graph in pair:
        write_xml(graph, tmp_path / "in" / "xml" / f"{graph.details['id']}.xml")
    (tmp_path / "in" / "train.txt").write_text("a\nb\n")
    (tmp_path / "in" / "README.md").write_text("Read me.\n")
    return tmp_path / "in"


def run(*args: object, code: int = 0):
    result = runner.invoke(app, ["convert", *map(str, args)])
    assert result.exit_code == code, result.output + repr(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


# The registry


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_whole(name, pair):
    entry = find_format(name)
    assert entry.suffixes and entry.title and set(entry.loses) <= set(KINDS)
    if entry.writes:
        texts = [entry.write(graph) for graph in pair]
        assert all(text.endswith("\n") for text in texts)
        if entry.reads:
            assert all(entry.read(t)[0].words == g.words for t, g in zip(texts, pair))
        if entry.reads and entry.items != "file":
            assert len(entry.read(entry.separator.join(texts))) == 2
        if entry.looks:
            assert guess_format("no-suffix", texts[0]) is entry


def test_registry_refuses():
    with pytest.raises(FormatError, match=r"UC700.*'eds'.*xml"):
        find_format("eds")
    for reads, writes in ((False, True), (True, False)):
        entry = Format("x", "x", (".x",), reads=reads, writes=writes)
        with pytest.raises(FormatError, match="UC701"):
            entry.write(Graph([], [], [])) if reads else entry.read("")


def test_guesses(pair):
    texts = {name: FORMATS[name].write(pair[0]) for name in LOSSLESS}
    for name, text in texts.items():
        for path in (
            "x" + FORMATS[name].suffixes[0],
            "x",
            "x.unknown",
            "X" + FORMATS[name].suffixes[0].upper(),
        ):
            assert guess_format(path, text).name == name
    assert (
        guess_format("x.json", texts["mrp"]).name == "uccaapp"
    )  # whose reader says what is missing
    for path in ("x", "x.pdf"):
        with pytest.raises(FormatError, match=r"UC714.*--from"):
            guess_format(path, "What is this?")


def test_the_guide():
    """Its table has every format. (tests/test_docs.py runs its code.)"""
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf8")
    assert set(re.findall(r"^\| `(\w+)` \| `\.", text, re.MULTILINE)) == set(FORMATS)


# Converting


@pytest.mark.parametrize("first", LOSSLESS)
@pytest.mark.parametrize("second", LOSSLESS)
def test_there_and_back(first, second, pair, tmp_path):
    for name, target in ((first, tmp_path / "1"), (second, tmp_path / "2")):
        source = (
            target.parent / "1" if name == second and target.name == "2" else tmp_path / "in.txt"
        )
        (tmp_path / "in.txt").write_text(TEXT, "utf8")
        report = convert_files([source], target, to=name)
        assert (report.graphs, report.words, report.skipped) == (2, 9, [])
        assert not set(report.losses) - {"details"}
    found = [g for path in sorted((tmp_path / "2").iterdir()) for g in read_graphs(path)]
    assert [g.details["id"] for g in found] == ["a", "b"]
    assert all(a.same_structure(b) for a, b in zip(found, pair, strict=True))


def test_directories(xml, tmp_path):
    report = convert_files([xml], tmp_path / "out", to="mrp")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.mrp", "b.mrp"]
    assert report.files == 2 and report.formats == {"xml": 2}
    convert_files([xml], tmp_path / "all.mrp", to="mrp")
    lines = (tmp_path / "all.mrp").read_text("utf8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["a", "b"]
    convert_files([tmp_path / "all.mrp"], tmp_path / "back", to="xml")
    assert sorted(p.name for p in (tmp_path / "back").iterdir()) == ["a.xml", "b.xml"]
    stream = io.StringIO()
    convert_files([xml], stream, to="brackets", limit=1)
    assert len(read_brackets(stream.getvalue())) == 1


def test_sentences(tmp_path):
    (tmp_path / "p.txt").write_text("# id = p\n[H [P go]] [U .] [H [P stop]] [U .]\n")
    report = convert_files([tmp_path / "p.txt"], tmp_path / "out", to="xml", sentences=True)
    assert report.graphs == 2
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["p000.xml", "p001.xml"]


def test_bad_parts_of_a_file(pair, tmp_path):
    lines = [FORMATS["mrp"].write(g) for g in pair]
    (tmp_path / "x.mrp").write_text(lines[0] + lines[0][:50] + "\n\n" + lines[1], "utf8")
    named = []
    found = read_graphs(tmp_path / "x.mrp", on_bad=lambda what, reason: named.append(str(reason)))
    assert [g.details["id"] for g in found] == ["a", "b"]
    assert len(named) == 1 and "line 2" in named[0]
    with pytest.raises(FormatError, match="line 2"):
        read_graphs(tmp_path / "x.mrp")
    (tmp_path / "x.txt").write_text("[H a]\n\n[H [b]\n\n[H c]")
    assert len(read_graphs(tmp_path / "x.txt", on_bad=lambda what, reason: None)) == 2


def test_what_cannot_be_done(xml, tmp_path):
    (tmp_path / "both.txt").write_text(TEXT, "utf8")
    (tmp_path / "none").mkdir()
    for sources, output, to, code in (
        (["both.txt"], "x.xml", "xml", "UC715"),
        (["both.txt"], "both.txt", "brackets", "UC518"),
        (["none"], "x", "xml", "UC718"),
        (["both.txt"], "x", "eds", "UC700"),
    ):
        with pytest.raises(UccaError, match=code):
            convert_files([tmp_path / s for s in sources], tmp_path / output, to=to)
    assert not (tmp_path / "x.xml").exists() and (tmp_path / "both.txt").read_text("utf8") == TEXT
    for sources, output, code in (
        ([xml / "xml" / "a.xml"], xml / "xml", "UC518"),
        ([xml / "xml" / "a.xml"] * 2, tmp_path / "x", "UC519"),
        ([tmp_path / "no.xml"], tmp_path / "x", "UC117"),
    ):
        report = convert_files(sources, output, to="xml")
        assert [reason[1:6] for _, reason in report.skipped] == [code]


def test_half_a_character(tmp_path):
    text = FORMATS["mrp"].write(read_brackets("[H [P x]]")[0]).replace('"x"', '"\\ud83d"')
    (tmp_path / "x.mrp").write_text(text, "utf8")
    report = convert_files([tmp_path / "x.mrp"], tmp_path / "y.txt", to="brackets")
    assert "UC719" in report.skipped[0][1] and not report.graphs


# The command


def test_command(xml, tmp_path):
    result = run(xml, tmp_path / "x.mrp", "--to", "mrp", "--json", tmp_path / "r.json")
    assert "2 graphs of 9 words in 2 files from xml to mrp" in result.stderr
    assert "Nothing was lost." in result.stderr and result.stdout == ""
    assert json.loads((tmp_path / "r.json").read_text())["graphs"] == 2
    result = run(tmp_path / "x.mrp", "-", "--to", "brackets", "--from", "mrp")
    assert len(read_brackets(result.stdout)) == 2
    assert " details " in result.stderr
    run(tmp_path / "x.mrp", tmp_path / "y.txt", "--to", "brackets", "--strict", code=1)


def test_command_counts_losses(tmp_path):
    (tmp_path / "x.txt").write_text(
        "# paragraphs = 1*1 2*2\n[H#1 a] [L#2 b] [H#3 c]\n[:LKG [LR =2] [LA =1] [LA =3]]"
    )
    result = run(tmp_path / "x.txt", tmp_path / "y", "--to", "mrp")
    assert "1  linkage units" in result.stderr and "2  paragraphs" in result.stderr


@pytest.mark.parametrize(
    "text", ["", "{", "<root", "\x00", "[H", "[]", '{"annotation_units": 3}', "null", "\ud800"]
)
@pytest.mark.parametrize("suffix", [".xml", ".json", ".mrp", ".txt", ".dat"])
def test_bad_files_are_skipped(text, suffix, xml, tmp_path):
    bad = xml / "xml" / ("bad" + suffix)
    bad.write_bytes(text.encode("utf8", "surrogatepass"))
    if text == "[]" and suffix in (".txt", ".dat"):
        return  # a graph with nothing in it
    result = run(
        bad, *sorted((xml / "xml").glob("?.xml")), tmp_path / "x.mrp", "--to", "mrp", code=1
    )
    assert f"bad{suffix}" in result.stderr and "1 skipped" in result.stderr
    assert len((tmp_path / "x.mrp").read_text("utf8").splitlines()) == 2


def test_options_that_exclude_each_other(xml, tmp_path):
    out = tmp_path / "x.mrp"
    for args, message in (
        (("--to", "eds"), "'eds' is no format"),
        (("--to", "mrp", "--from", "eds"), "--from"),
        (("--to", "mrp", "--guidelines", "v2"), "--guidelines"),
        (("--to", "mrp", "--list", xml / "train.txt"), "--list"),
        (("--to", "mrp", "--passages", "--sentences"), "--sentences"),
    ):
        assert message in run(xml, out, *args, code=2).stderr


BAD = {
    **dict.fromkeys(("jsonl", "mrp"), "{\n"),
    "penn": "(TOP\n",
    "brackets": "[H\n",
    "export": "#BOS 1\n?\n#EOS 1\n",
    "penman": "(v0\n",
}


@pytest.mark.parametrize("name", [n for n in READABLE if FORMATS[n].items != "file"])
def test_a_bad_item_is_read_alone_and_keeps_its_line(name, tmp_path, monkeypatch):
    """No reader gets the lines before a bad graph, so that the time is that of the lines."""
    entry = FORMATS[name]
    good, bad = entry.write(read_brackets("[H [P Stop]]")[0]), BAD.get(name, "?\n")
    items = [item + entry.separator for item in [good, bad] * 20]
    starts = [1 + "".join(items[:i]).count("\n") for i in range(1, 40, 2)]
    inside = bad.count("\n", 0, max(bad.find("?"), 0))
    (tmp_path / "a.txt").write_text("".join(items), "utf8")
    n_read: list[int] = []
    read = Format.read
    monkeypatch.setattr(
        Format,
        "read",
        lambda self, text, **more: n_read.append(len(text)) or read(self, text, **more),
    )
    reasons: list[str] = []
    graphs = read_graphs(
        tmp_path / "a.txt", name, on_bad=lambda _, reason: reasons.append(str(reason))
    )
    assert len(graphs) == len(reasons) == 20
    assert sum(n_read) <= 2 * len("".join(items))
    for start, reason in zip(starts, reasons):
        assert f"a.txt, line {start + inside}" in reason


def test_export_without_blank_lines_keeps_its_head(tmp_path):
    rows = "a\ta\tT\t--\tTerminal\t0\n"  # #FORMAT 4: column 2 is the lemma
    (tmp_path / "a.export").write_text(
        f"#FORMAT 4\n#BOS 1\n{rows}#EOS 1\n#BOS 2\n?\n#EOS 2\n#BOS 3\n{rows}#EOS 3\n"
    )
    reasons = []
    graphs = read_graphs(tmp_path / "a.export", on_bad=lambda _, reason: reasons.append(reason))
    assert [graph.details["id"] for graph in graphs] == ["1", "3"]
    assert "line 6" in str(reasons[0]) and len(reasons) == 1


def test_a_corpus_has_its_files_in_its_folder(tmp_path):
    """What lies beside the folder `xml` is named, not read; without that folder it is read."""
    (tmp_path / "xml").mkdir()
    write_xml(read_brackets("[H [P Stop]]")[0], tmp_path / "xml" / "1.xml")
    (tmp_path / "scores.json").write_text("{}")
    others = []
    files = find_files([tmp_path], on_left_out=lambda _, names: others.extend(names))
    assert files == [tmp_path / "xml" / "1.xml"] and others == ["scores.json"]
    (tmp_path / "xml" / "1.xml").unlink()
    assert find_files([tmp_path]) == [tmp_path / "scores.json"]


def test_what_is_left_out_of_a_directory_is_named(xml, tmp_path):
    """Files and folders, but not those that files are taken from."""
    for name in ("more", ".git"):
        (xml / name).mkdir()
    for name in ("notes.txt", ".hidden", "a.zip"):
        (xml / name).write_text("", "utf8")
    named = {}
    find_files([xml], on_left_out=named.__setitem__)
    assert {"a.zip", "more/", "notes.txt"} < set(named[xml]) and "xml/" not in named[xml]
