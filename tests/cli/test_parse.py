"""`parse`: nothing is lost when it is stopped, and it stops at once."""

import json
import os
import resource
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.tokens import Doc
from spacy.training import Example

from spacy_ucca.cli._parse_jobs import Parsed, join_pieces
from spacy_ucca.cli._parse_output import open_output
from spacy_ucca.cli.passages import Item, ParseSettings
from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.distributed import workers
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.conll import iter_conll
from spacy_ucca.formats.sdp import iter_sdp
from spacy_ucca.formats.text import Source

SHIPPED = Path(__file__).parents[2] / "models" / "en_ucca_sm"
TEXT = "I came.\nYou left!\n\nIt rains now.\nBad \udcff line.\nŻółw.\r\nZero \0 byte.\nThe end.\n"
BYTES = TEXT.encode("utf8", "surrogateescape")


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text("utf8").splitlines()]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_bad_line_costs_no_other(
    n_process: int, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 2)
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_bytes(BYTES)
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", out, "--lines", "-n", n_process)
    result = run(*args, code=1)
    assert ids(out) == ["in-1", "in-2", "in-4", "in-6", "in-8"]
    assert "in.txt, line 5" in result.stderr and "in.txt, line 7" in result.stderr
    assert "zero byte at byte 5" in result.stderr and "2 skipped" in result.stderr
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("data", ["Hi.".encode("utf-16-le"), b"PK\x03\x04\0\0", b"\xff\xfeH\0i\0"])
def test_what_is_no_text_is_refused(data: bytes, model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert "not a text in UTF-8" in run("parse", tmp_path, "-m", model, code=1).stderr


def test_suffixes_in_capitals(model: str, tmp_path: Path) -> None:
    (tmp_path / "U.TXT").write_text("I came.", "utf8")
    assert '"U"' in run("parse", tmp_path, "-m", model, "-t", "jsonl").stdout


def test_resume_of_a_file(model: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_bytes("".join(f"Text {i} é.\n" for i in range(5)).encode())
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", out, "--lines")
    run(*args)
    whole = out.read_bytes()
    for size in {*range(0, len(whole), 311), len(whole)}:
        out.unlink(missing_ok=True)
        out.with_name("out.jsonl.part").write_bytes(whole[:size])
        run(*args, "--resume")
        assert out.read_bytes() == whole
    # What is complete stays, and new lines are added to it
    with file.open("a", encoding="utf8") as added:
        added.write("New.\n")
    run(*args, "--resume")
    assert out.read_bytes().startswith(whole) and ids(out)[-1] == "in-6"
    run(*args)
    assert ids(out) == [f"in-{i}" for i in range(1, 7)]


def test_resume_of_a_directory(model: str, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for i in range(5):
        (folder / f"{i}.txt").write_text(f"Text {i}.", "utf8")
    args = ("parse", folder, "-m", model, "-t", "xml", "-o", out)
    run(*args)
    whole = {path.name: path.read_bytes() for path in out.iterdir()}
    for name in ("1.xml", "3.xml"):
        (out / name).unlink()
    (out / "2.xml").write_text("mine", "utf8")
    run(*args, "--resume")
    whole["2.xml"] = b"mine"
    assert {path.name: path.read_bytes() for path in out.iterdir()} == whole


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A copy of the shipped pipeline, which has a beam and guidelines."""
    return Path(shutil.copytree(SHIPPED, tmp_path / "trained"))


@pytest.mark.parametrize("to", ["out.jsonl", "out"])
@pytest.mark.parametrize("stopped", [True, False])
def test_resume_needs_the_options_of_the_first_run(
    to: str, stopped: bool, trained: Path, tmp_path: Path
) -> None:
    file, out = tmp_path / "in.txt", tmp_path / to
    file.write_text("Ann left.\nBob came.\n", "utf8")
    args = ("parse", file, "-t", "jsonl", "-o", out, "--lines", "--resume", "-m")
    # A pipeline that is not there leaves no trace
    run(*args, tmp_path / "none", "--beam-width", 4, code=1)
    run(*args, trained)
    if stopped and to == "out.jsonl":
        out.rename(out.with_name("out.jsonl.part"))
    before = sorted(tmp_path.rglob("*"))
    for name, value in (("beam-width", 2), ("guidelines", "v1"), ("sentences", "file")):
        stderr = run(*args, trained, f"--{name}", value, code=1).stderr
        assert "UC723" in stderr and f"--{name}" in stderr and str(value) in stderr
        assert sorted(tmp_path.rglob("*")) == before
    run(*args, trained)
    with (trained / "meta.json").open("a") as meta:
        meta.write("\n")
    assert "another --model: trained (" in run(*args, trained, code=1).stderr
    run(*args[:-2], "-m", trained, "--beam-width", 2)  # from the beginning
    run(*args, trained, "--beam-width", 2)


@pytest.mark.parametrize("n_process", [1, 2])
def test_several_inputs_are_parsed_as_one_by_one(
    n_process: int, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 1)
    (tmp_path / "a").mkdir()
    for name in ("a/1.txt", "a/2.txt", "b.txt", "again/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"I am {name}.\n\nYou left.", "utf8")
    inputs = [tmp_path / "b.txt", tmp_path / "a", "-"]
    options = ("-m", model, "-n", n_process, "-t", "jsonl")
    each = [run("parse", path, *options, input="It rains.").stdout for path in inputs]
    out = tmp_path / "out.jsonl"
    for resume in ((), ("--resume",)):
        run("parse", *inputs, *options, "-o", out, *resume, input="It rains.")
        assert out.read_text("utf8") == "".join(each) and ids(out) == ["b", "1", "2", "stdin"]
        out.rename(out.with_name("out.jsonl.part"))  # as a run that was stopped
    run("parse", *inputs, *options, "-o", tmp_path / "out", input="It rains.")
    assert "".join(
        (tmp_path / "out" / f"{x}.jsonl").read_text("utf8")
        for x in ids(out.with_name("out.jsonl.part"))
    ) == "".join(each)
    same = ("parse", tmp_path / "b.txt", tmp_path / "again", *options, "-o", tmp_path / "same")
    assert "UC519" in run(*same, code=1).stderr  # none is lost without a word
    assert "--output" in run("parse", *inputs, "-m", model, "-t", "svg", code=2).stderr


@pytest.mark.parametrize("where", ["out.jsonl", "out.jsonl.part"])
@pytest.mark.parametrize(
    "content",
    [
        b"my notes\n",
        b"my notes",
        b'{"text": 1}\n',
        b'{"id": "in-1"}\n\n{"id": "in-2"}\n',
        b"[" * 99_999,
    ],
)
def test_resume_drops_nothing_else(content: bytes, where: str, model: str, tmp_path: Path) -> None:
    file, other = tmp_path / "in.txt", tmp_path / where
    file.write_text("I came.\n", "utf8")
    other.write_bytes(content)
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", tmp_path / "out.jsonl", "--lines")
    assert f"{where}, line " in run(*args, "--resume", code=1).stderr
    assert other.read_bytes() == content and len(list(tmp_path.iterdir())) == 2


def test_resume_after_a_power_failure(model: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_text("I came.\nYou left.\n", "utf8")
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", out, "--lines")
    run(*args)
    whole = out.read_bytes()
    out.write_bytes(whole[: whole.index(b"\n") + 1] + bytes(4096))
    run(*args, "--resume")
    assert out.read_bytes() == whole


@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_what_a_file_of_lines_may_be(options: tuple[str, ...], model: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_text("I came.\n", "utf8")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl.part")
    link = tmp_path / "link.jsonl"
    link.symlink_to(out)
    args = ("parse", file, "-m", model, "-t", "jsonl", *options, "-o")
    run(*args, tmp_path / "folder.jsonl")  # a directory that exists is one, whatever its name
    assert ids(tmp_path / "folder.jsonl" / "in.jsonl") == ["in"]
    assert "UC528" in run(*args, tmp_path / "pipe.jsonl", code=1).stderr
    run(*args, link)
    assert link.is_symlink() and ids(out) == ["in"]


def test_a_pipe_stays_one(model: str, tmp_path: Path) -> None:
    file, pipe = tmp_path / "in.txt", tmp_path / "pipe.jsonl"
    file.write_text("I came.\n", "utf8")
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf8")), daemon=True)
    reader.start()
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", pipe)
    run(*args)
    reader.join(timeout=60)
    assert '"id": "in"' in read[0] and pipe.is_fifo()
    assert "UC528" in run(*args, "--resume", code=1).stderr


def test_two_runs_do_not_write_one_file(model: str, tmp_path: Path) -> None:
    file, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    file.write_text("I came.\n", "utf8")
    args = ("parse", file, "-m", model, "-t", "jsonl", "-o", out)
    with open_output(out, "jsonl", [file]) as opened:
        opened.write('{"id": "first"}\n')
        for options in ((), ("--resume",)):
            assert "UC529" in run(*args, *options, code=1).stderr
    assert ids(out) == ["first"]


@pytest.mark.parametrize("n_process", [1, 2])
def test_mistakes_in_all_processes(
    n_process: int, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 1)
    file, damaged = tmp_path / "in.txt", tmp_path / "damaged"
    file.write_text("I came.\nYou left.\n", "utf8")
    shutil.copytree(model, damaged)
    (damaged / "vocab" / "lookups.bin").write_bytes(b"7")  # an AttributeError in spaCy
    args = ("parse", file, "--lines", "-n", n_process)
    assert "UC508" in run(*args, "-m", damaged, code=1).stderr
    assert "UC332" in run(*args, "-m", model, "--guidelines", "v9", code=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("target", ["jsonl", "xml"])
@pytest.mark.filterwarnings("ignore:.*UW560")
def test_a_text_that_kills_its_process_costs_no_other(
    target: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "JOB_ITEMS", 3)
    folder, file = tmp_path / "in", tmp_path / "in" / "a.txt"
    folder.mkdir()
    file.write_text("".join(f"Text {i} can {'die' * (i == 5)}.\n" for i in range(1, 9)), "utf8")
    out = tmp_path / ("out.jsonl" if target == "jsonl" else "out")
    args = ("parse", folder, "-m", model, "-t", target, "-o", out, "--lines", "-n", 2)

    def written() -> list[str]:
        return ids(out) if target == "jsonl" else sorted(path.stem for path in out.iterdir())

    monkeypatch.setenv("SPACY_UCCA_DEADLY", "1")
    result = run(*args, code=1)
    expected = [f"a-{i}" for i in range(1, 9)]
    assert written() == [name for name in expected if name != "a-5"]
    (skipped,) = [line for line in result.stderr.splitlines() if line.startswith("Skipped")]
    assert "a.txt, line 5" in skipped and "UC560" in skipped and "SIGKILL" in skipped
    run(*args, "--resume", code=1)
    assert len(written()) == 7
    monkeypatch.delenv("SPACY_UCCA_DEADLY")
    run(*args, "--resume")
    assert sorted(written()) == expected


def test_resume_needs_an_output(model: str) -> None:
    assert "--resume" in run("parse", "-", "-m", model, "--resume", code=2, input="").stderr


def test_two_files_of_one_name(model: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.", "utf8")
    (tmp_path / "a.TXT").write_text("Two.", "utf8")
    out = tmp_path / "out"
    result = run("parse", tmp_path, "-m", model, "-t", "xml", "-o", out, code=1)
    assert "UC519" in result.stderr and "Two" in (out / "a.xml").read_text("utf8")


def test_an_input_is_not_opened_for_output(model: str, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("I came.\n", "utf8")
    (tmp_path / "link").mkdir()
    link = tmp_path / "link" / "t.jsonl"
    link.symlink_to(file)
    for output in (file, link):
        args = ("parse", file, "-m", model, "-t", "jsonl", "-o", output)
        assert "UC518" in run(*args, code=2).stderr
    assert file.read_text("utf8") == "I came.\n" and link.is_symlink()


def program(*args: object, **options: object) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "spacy_ucca", "parse", *map(str, args)]
    pipe = subprocess.PIPE
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, **options)  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_reader_that_leaves_ends_it(n_process: int, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("It rains.\n" * 5_000, "utf8")
    args = (file, "-m", SHIPPED, "-t", "jsonl", "--lines", "-n", n_process)
    with program(*args) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(20)
        process.stdout.close()
        process.wait(timeout=120)
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("target", ["xml", "jsonl"])
def test_a_full_disk_ends_it(target: str, n_process: int, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_text("It rains and it pours in the old town of the king.\n" * 200, "utf8")
    out = tmp_path / ("out.jsonl" if target == "jsonl" else "out")
    args = (file, "-m", SHIPPED, "-t", target, "-o", out, "--lines", "-n", n_process)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    with program(*args, preexec_fn=limit) as process:
        errors = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 1 and "Traceback" not in errors
    assert str(out) in errors and "File too large" in errors
    assert target == "xml" or "--resume" in errors
    assert not [p for p in out.glob("*") if p.stat().st_size == 1024]


@pytest.fixture(scope="module")
def arcs_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that sets bilexical graphs and no UCCA graphs."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("sdp_parser")
    doc = Doc(nlp.vocab, words=["I", "came", "."], sent_starts=[True, False, False])
    arcs = (Arc(ROOT, 1, "TOP"), Arc(1, 0, "ARG1"), Arc(1, 2, "ARG2"))
    doc._.sdp = BilexicalGraph(tuple(map(Token, ("I", "came", "."))), arcs)
    examples = [Example(nlp.make_doc("I came."), doc)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    directory = tmp_path_factory.mktemp("arcs")
    nlp.to_disk(directory)
    return directory


@pytest.mark.parametrize("target", ["sdp", "conllu", "conll"])
def test_bilexical_graphs_are_written_as_the_pipeline_sets_them(
    target: str, arcs_only: Path, tmp_path: Path
) -> None:
    file, nlp = tmp_path / "in.txt", spacy.load(arcs_only)
    file.write_text("I came. You left it.\n\nI came .", "utf8")
    text = run("parse", file, "-m", arcs_only, "-t", target).stdout
    read = iter_sdp if target == "sdp" else iter_conll
    graphs = list(read(text.splitlines()))
    assert [graph.id for graph in graphs] == ["in.1", "in.2", "in.3"]
    for graph, sentence in zip(graphs, ("I came.", "You left it.", "I came ."), strict=True):
        gold = nlp(sentence)._.sdp
        assert graph.words == gold.words and gold.arcs
        assert {arc[:2] for arc in graph.arcs} == {arc[:2] for arc in gold.arcs}
        assert {a.label for a in graph.arcs} <= {a.label for a in gold.arcs}
    assert "# format = bilexical" in text
    run("parse", file, "-m", arcs_only, "-o", tmp_path / f"out.{target}")
    assert (tmp_path / f"out.{target}").read_text("utf8") == text
    assert "UC550" in run("parse", file, "-m", arcs_only, "-t", "xml", code=1).stderr


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("target", ["jsonl", "tree", "csv"])
def test_a_long_text_is_parsed_in_pieces(
    n_process: int, target: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its graph is that of the text in one piece, with all offsets, and a text beside it keeps its place."""
    words = ["John left 😀 .", "She  did\nnot .", "שלום John ."]
    long = "\n\n \n".join(f"{words[i % 3]} {i}" for i in range(40)) + "\n\n\n"
    for name, text in (("a", "John left ."), ("b", long), ("c", "Mary did .")):
        (tmp_path / f"{name}.txt").write_text(text, "utf8")
    files = [tmp_path / f"{name}.txt" for name in "abc"]
    results = []
    for size in (10**6, 50):
        monkeypatch.setattr("spacy_ucca.cli.parse.JOB_SIZE", size)
        results.append(run("parse", *files, "-m", model, "-t", target, "-n", n_process).stdout)
    assert results[0] == results[1] and (target == "csv" or "38" in results[0])
    output = tmp_path / "output"
    run("parse", *files, "-m", model, "-t", target, "-o", output, "-n", n_process)
    assert sorted(path.stem for path in output.iterdir()) == ["a", "b", "c"]


@pytest.mark.parametrize("gone", [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)])
@pytest.mark.parametrize("also", [("a", 2), ("b", 0)])
def test_of_long_texts_no_part_is_written(gone: tuple[str, int], also: tuple[str, int]) -> None:
    """A text of which a piece was lost is left out, and takes nothing of the text after it."""
    lost, parsed = {gone, also}, []
    for name in "abc":
        for number in range(3):
            if (name, number) in lost:
                continue
            given = Source("", f"{name}.txt", f"{name}{number}\n\n")
            item = Item(name, given, piece=(number, 3))
            graph = read_brackets(f"[H [P {name}{number}]]")[0]
            parsed.append(Parsed(str(item), piece=item, graphs=[graph]))
    texts = [one.text for one in join_pieces(ParseSettings("model", "jsonl"), parsed)]
    whole = [name for name in "abc" if name not in {name for name, _ in lost}]
    assert [json.loads(text)["words"] for text in texts] == [
        [f"{name}{number}" for number in range(3)] for name in whole
    ]
