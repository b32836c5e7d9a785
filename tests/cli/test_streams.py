"""Standard streams that are closed, or that cannot write every character."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import write_xml

XML = "żółw"
STREAMS = ("<&-", ">&-", "2>&-", "<&- >&- 2>&-")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.xml"
    write_xml(read_brackets(f"[H [A {XML}] [P left]]")[0], path)
    return path


def shell(command: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    command = command.replace("spacy-ucca", f"{sys.executable} -m spacy_ucca")
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, env=os.environ | environment, timeout=120
    )


@pytest.mark.parametrize("closed", STREAMS)
def test_closed_streams(closed: str, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.mrp"
    assert shell(f"spacy-ucca convert {file} {out} --to mrp {closed}").returncode == 0
    assert XML in out.read_text("utf8") or "\\u017c" in out.read_text("utf8")
    result = shell(f"spacy-ucca convert {file} - --to mrp {closed}")
    assert result.returncode == (" >&-" in f" {closed}")
    assert b"Traceback" not in result.stderr
    assert closed != ">&-" or b"UC523" in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_other_encodings(encoding: str, file: Path) -> None:
    for command in (f"convert {file} - --to xml", f"render {file}"):
        result = shell(f"spacy-ucca {command}", PYTHONIOENCODING=encoding)
        assert result.returncode == 0 and XML in result.stdout.decode("utf8")
    result = shell(f"spacy-ucca render {file} --to tree", PYTHONIOENCODING=encoding)
    text = result.stdout.decode(encoding)
    assert XML in text or "\\u017c\\xf3\\u0142w" in text or "\\u017có\\u0142w" in text


def test_no_file_gets_the_number_of_a_stream(file: Path, tmp_path: Path) -> None:
    shell(f"spacy-ucca convert {file} {tmp_path / 'c.txt'} --to brackets")
    shell(f"spacy-ucca convert {file} {tmp_path / 'd.txt'} --to brackets <&- >&- 2>&-")
    assert (tmp_path / "c.txt").read_bytes() == (tmp_path / "d.txt").read_bytes()


def test_links_of_closed_standard_input(tmp_path: Path) -> None:
    result = shell(f"spacy-ucca links - {tmp_path / 'a.conllu'} <&-")
    assert result.returncode == 1 and b"UC521" in result.stderr
    (tmp_path / "a.txt").write_bytes("It rains.".encode("utf-16-le"))
    result = shell(f"spacy-ucca links {tmp_path / 'a.txt'} {tmp_path / 'a.conllu'}")
    assert result.returncode == 1 and b"UC507" in result.stderr
