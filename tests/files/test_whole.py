"""A file or directory is there whole or as it was before."""

import errno
import os
import resource
import signal
import subprocess
import sys
import threading

import pytest

from spacy_ucca.files import open_whole, replace_directory, write_whole


def listing(path):
    return sorted(p.name for p in path.iterdir())


@pytest.mark.parametrize("before", [None, "old"])
@pytest.mark.parametrize("content", ["näht\n", b"\x00\xff", "", b""])
def test_whole(before, content, tmp_path):
    path = tmp_path / "a.xml"
    if before is not None:
        path.write_text(before, "utf8")
    write_whole(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert listing(tmp_path) == ["a.xml"]


@pytest.mark.parametrize("before", [None, "old"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_all_is_as_before(before, error, tmp_path):
    path = tmp_path / "a.xml"
    if before is not None:
        path.write_text(before, "utf8")
    with pytest.raises(error), open_whole(path) as file:
        file.write("half" * 10_000)
        raise error
    assert listing(tmp_path) == (["a.xml"] if before else [])
    assert not before or path.read_text("utf8") == before


def test_links_and_rights_are_kept(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", "utf8")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink() and target.read_text("utf8") == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    (tmp_path / "usual").write_text("", "utf8")
    write_whole(tmp_path / "whole", "")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_is_no_file_is_written_at_once(tmp_path):
    write_whole(os.devnull, "x")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, "through")
    reader.join(timeout=60)
    assert read == [b"through"] and listing(tmp_path) == ["pipe"]


def test_a_limit_on_size_names_the_file(tmp_path):
    code = (
        "import sys; from spacy_ucca.files import write_whole\n"
        "try: write_whole(sys.argv[1], 'x' * 10_000)\n"
        "except OSError as err: print(err.errno, err.filename)"
    )
    path = tmp_path / "a.svg"
    path.write_text("old", "utf8")
    result = subprocess.run(
        [sys.executable, "-c", code, path],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048)),
    )
    assert result.stdout == f"{errno.EFBIG} {path}\n", result.stderr
    assert listing(tmp_path) == ["a.svg"] and path.read_text("utf8") == "old"


def test_an_error_of_opening_names_the_file(tmp_path):
    path = tmp_path / "missing" / "a.xml"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, "")
    assert str(path.parent) in str(caught.value.filename)


def test_after_a_kill_all_is_as_before(tmp_path):
    code = (
        "import sys; from spacy_ucca.files import open_whole\n"
        "with open_whole(sys.argv[1]) as file:\n"
        "    file.write('half'); file.flush(); print('ready', flush=True); sys.stdin.read()"
    )
    path = tmp_path / "a.xml"
    path.write_text("old", "utf8")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, path], stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_text("utf8") == "old"


def test_directories(tmp_path):
    path = tmp_path / "pipeline"
    with replace_directory(path) as new:
        (new / "config.cfg").write_text("1", "utf8")
    (path / "README.md").write_text("mine", "utf8")
    with pytest.raises(ValueError), replace_directory(path) as new:
        (new / "config.cfg").write_text("2", "utf8")
        raise ValueError
    assert (path / "config.cfg").read_text("utf8") == "1"
    with replace_directory(path) as new:
        (new / "config.cfg").write_text("2", "utf8")
    assert listing(path) == ["README.md", "config.cfg"]
    assert (path / "config.cfg").read_text("utf8") == "2"
    assert listing(tmp_path) == ["pipeline"]


def test_a_file_does_not_become_a_directory(tmp_path):
    path, link = tmp_path / "a.spacy", tmp_path / "link"
    path.write_text("gold", "utf8")
    link.symlink_to(path)
    for place in (path, link):
        with pytest.raises(NotADirectoryError) as caught, replace_directory(place):
            pytest.fail("not to be written")
        assert caught.value.filename == str(place)
    assert path.read_text("utf8") == "gold" and listing(tmp_path) == ["a.spacy", "link"]


@pytest.mark.parametrize("name", ["x" * 255, "漢" * 85, "é" * 127, "😀" * 63, "a\udcff" * 99])
def test_long_names(name, tmp_path):
    write_whole(tmp_path / name, "")
    write_whole(tmp_path / name, "again")
    assert listing(tmp_path) == [name] and (tmp_path / name).read_text("utf8") == "again"
