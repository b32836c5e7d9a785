"""What commands show on a terminal: trees of its width, colours, progress of what takes long."""

import io
import os
import pty
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_runs import run

from spacy_ucca.cli import _util
from spacy_ucca.cli._util import progress, progress_bar, shows_color, track, tree_options, warn

fcntl = pytest.importorskip("fcntl", reason="Windows has no pseudo-terminals")

GRAPHS = "[H [A The man whom everybody in the whole village had always liked] [P left]]\n"


class Terminal(io.TextIOWrapper):
    """A pseudo-terminal of some columns that can be written to."""

    def __init__(self, width: int) -> None:
        import termios

        self.end, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        super().__init__(open(inside, "wb", buffering=0), "utf8", newline="", write_through=True)

    def shown(self) -> str:
        """RETURNS (str): What has been written."""
        os.set_blocking(self.end, False)
        found = b""
        try:
            while part := os.read(self.end, 65536):
                found += part
        except BlockingIOError:
            pass
        return found.decode()


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch, width: int = 60) -> Iterator[Terminal]:
    """Standard error and output on a terminal."""
    screen = Terminal(width)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen)
    yield screen
    screen.close()
    os.close(screen.end)


def test_what_is_done_at_once_shows_no_progress(monkeypatch: pytest.MonkeyPatch):
    with terminal(monkeypatch) as screen:
        assert [*progress([1, 2])] == [1, 2]
        with progress_bar() as advance:
            advance(1, 2)
        assert screen.shown().strip() == ""


def test_progress_has_rate_and_rest_and_gives_way_to_messages(monkeypatch: pytest.MonkeyPatch):
    with terminal(monkeypatch) as screen:
        with progress_bar(unit="text") as advance:
            (bar,) = (bar for bar in _util._bars if not bar.disable)
            assert screen.shown() == ""
            _util._begin(bar)  # what the timer does, though the first step has not come to its end
            assert "0text" in screen.shown()
            advance(20, 50)
            bar.refresh()
            assert re.search(r"40%\|.*\| 20/50 \[\d\d:\d\d<\d\d:\d\d, .*text/s\]", screen.shown())
            warn("message")
            assert re.fullmatch(r"\r +\rmessage\r\n", screen.shown())
            bar.refresh()
        assert re.search(r"\r +\r$", screen.shown())  # nothing stays


@pytest.mark.parametrize(("files", "seen"), [("ab", "0/2 [00:00<?, ?file/s]"), ("a", "0text")])
def test_files_are_counted_if_there_are_several(files: str, seen: str, monkeypatch):
    with terminal(monkeypatch) as screen:
        found = track(files, lambda some: (c for file in some for c in file * 3), True, "text")
        assert "".join(found) == "".join(file * 3 for file in files)
        assert seen in screen.shown()


def test_nothing_is_shown_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]):
    assert [*progress([1, 2])] == [1, 2]
    assert capfd.readouterr().err == ""
    assert [*progress([1, 2], show=True)] == [1, 2]
    assert "0/2" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("settings", "on_terminal", "elsewhere"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),  # as if not set
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_colours(
    settings: dict[str, str], on_terminal: bool, elsewhere: bool, monkeypatch, tmp_path
):
    (tmp_path / "graphs.txt").write_text(GRAPHS, "utf8")
    with terminal(monkeypatch) as screen:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        assert shows_color(screen) == on_terminal and shows_color(io.StringIO()) == elsewhere
        monkeypatch.setattr(sys, "stderr", sys.__stderr__)
        for arguments in (("find", "P=p"), ("render", "--to", "tree")):
            command, *rest = arguments
            coloured = "\x1b[" in run(command, *rest, tmp_path / "graphs.txt").stdout
            assert coloured == elsewhere, arguments


def test_each_unit_has_the_colour_of_its_category(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    (tmp_path / "graphs.txt").write_text("[H [A Ann] [P left] [A IMPLICIT]]\n", "utf8")
    found = run("find", "H[A=who P=p A=what:implicit]", tmp_path / "graphs.txt").stdout
    green, blue = "\x1b[32m{}\x1b[0m", "\x1b[1;34m{}\x1b[0m"
    assert green.format("Ann") in found and blue.format("left") in found
    assert green.format("what") in found
    # names stand out by light on dark, and are not dim
    assert "\x1b[7;32m[who\x1b[0m" in found and "\x1b[7;1;34m[p\x1b[0m" in found
    assert not re.search(r"\x1b\[2[;m]", found)


def test_trees_are_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "graphs.txt").write_text(GRAPHS, "utf8")
    piped = run("render", tmp_path / "graphs.txt", "--to", "tree").stdout
    assert max(map(len, piped.splitlines())) > 70
    assert tree_options(io.StringIO())["width"] is None
    with terminal(monkeypatch, 50) as screen:
        monkeypatch.setenv(
            "COLUMNS", "50"
        )  # the tests' own terminal has another width, or there is none
        assert tree_options(screen) == {"color": True, "ascii": False, "width": 50}
        monkeypatch.setattr("spacy_ucca.cli.render.tree_options", lambda _: {"width": 50})
        narrow = run("render", tmp_path / "graphs.txt", "--to", "tree").stdout
    assert max(map(len, narrow.splitlines())) <= 50
    assert sorted(w for w in narrow.split() if w != "│") == sorted(piped.split())
