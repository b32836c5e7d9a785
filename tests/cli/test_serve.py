"""`spacy-ucca serve`: which pipelines it takes, what it says is wrong, how it ends."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from typer.testing import CliRunner

from spacy_ucca.cli import app
from spacy_ucca.errors import UccaError
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.run import Server, listen, url_of


@pytest.fixture(autouse=True)
def keep_signals() -> Iterator[None]:
    """The command takes SIGTERM, which other tests send to their processes."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_from_dependencies")
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("factory", ["ucca_from_dependencies", "ucca_from_bilexical"])
def test_command_takes_every_pipeline_that_sets_graphs(
    factory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(factory)
    nlp.to_disk(tmp_path)

    def stop(self: Server, sockets: list[socket.socket]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "run", stop)
    result = CliRunner().invoke(app, ["serve", "--no-open", "--port", "0", str(tmp_path)])
    assert result.exit_code == 0 and "Serving" in result.output


def test_command_says_what_is_wrong(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with listen("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
        for arguments, code in (
            ([str(tmp_path / "none"), "--port", "0"], "UC508"),
            ([str(tmp_path / "blank"), "--port", "0"], "UC630"),
            ([str(model), "--port", port], "UC620"),
            ([str(model), "--host", "192.0.2.1"], "UC621"),
            ([str(model), "--port", port, "--processes", "2"], "UC620"),
            ([str(tmp_path / "none"), "--port", "0", "--processes", "2"], "UC508"),
        ):
            result = CliRunner().invoke(app, ["serve", "--no-open", *arguments])
            assert result.exit_code == 1 and code in result.stderr
            assert isinstance(result.exception, SystemExit) and "Serving" not in result.output
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", "nt")
            arguments = ["serve", "--no-open", "--processes", "2", "x"]
            assert "UC763" in CliRunner().invoke(app, arguments).stderr


def test_options_are_limits(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def keep(self: Server, sockets: list[socket.socket]) -> None:
        limits.append(self._pool.limits)

    monkeypatch.setattr(Server, "run", keep)
    options = {
        "max-characters": 9,
        "max-texts": 8,
        "max-seconds": 7,
        "max-requests": 6,
        "parses": 5,
    }
    given = [f"--{name}={value}" for name, value in options.items()]
    for arguments in ([], given):
        command = ["serve", "--no-open", "--port=0", *arguments, str(model)]
        assert CliRunner().invoke(app, command).exit_code == 0
    changed = {name.removeprefix("max-"): value for name, value in options.items()}
    assert limits == [Limits(), Limits(**changed)]


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_command_names_what_is_not_installed(
    package: str, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.startswith(("spacy_ucca.serve", f"{package}.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    result = CliRunner().invoke(app, ["serve", "--no-open", str(model)])
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    assert "UC570" in result.stderr and f"'{package}'" in result.stderr
    assert "pip install 'spacy-ucca[serve]'" in result.stderr


def test_spacy_and_the_command_line_start_without_the_server() -> None:
    code = """
import sys, spacy
import spacy_ucca.cli
spacy.blank("en").add_pipe("ucca_parser")
print(*(name for name in sys.modules if name.partition(".")[0] in ("starlette", "uvicorn")))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.strip() == ""


def test_addresses_that_cannot_be_used() -> None:
    with listen("127.0.0.1", 0) as listener:
        with pytest.raises(UccaError, match=r"UC620.*--port"):
            listen("127.0.0.1", listener.getsockname()[1])
    for host in ("192.0.2.1", "no such host", "a" * 70, "256.1.1.1", "::x"):
        with pytest.raises(UccaError, match="UC621"):
            listen(host, 0)


def test_answers_are_sent_at_once() -> None:
    """A body does not wait until the client has acknowledged the head, which takes 40 ms."""

    async def is_at_once() -> bool:
        found = asyncio.get_running_loop().create_future()

        class Watch(asyncio.Protocol):
            def connection_made(self, transport: Any) -> None:
                accepted = transport.get_extra_info("socket")
                found.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

        with listen("127.0.0.1", 0) as listener:
            server = await asyncio.get_running_loop().create_server(Watch, sock=listener)
            with socket.create_connection(listener.getsockname()):
                sets = bool(await found)
            server.close()
            return sets

    assert asyncio.run(is_at_once())


@pytest.mark.parametrize(("host", "name"), [("0.0.0.0", "127.0.0.1"), ("::1", "[::1]")])
def test_url_can_be_opened_on_this_machine(host: str, name: str) -> None:
    try:
        listener = listen(host, 0)
    except UccaError:
        pytest.skip(f"this machine has no {host}")
    with listener:
        assert url_of(listener) == f"http://{name}:{listener.getsockname()[1]}/"


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process on Windows")
def test_ctrl_c_ends_it(model: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "spacy_ucca", "serve", str(model), "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        # as in a terminal, not as in a script in the background, which may ignore it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    line = process.stdout.readline()
    port = int(line.split("127.0.0.1:")[1].split("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Traceback" not in out + err and "Stopped" in err
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", port)) != 0


SLOW = """
import pathlib, time
from spacy.language import Language

@Language.component("slow")
def slow(doc):
    if len(doc):
        (pathlib.Path(__file__).parent / "begun").touch()
        time.sleep(1)
    return doc
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals on Windows")
@pytest.mark.parametrize("processes", [1, 2])
def test_sigterm_ends_it_when_texts_are_answered(processes: int, tmp_path: Path) -> None:
    code = tmp_path / "slow.py"
    code.write_text(SLOW)
    if not Language.has_factory("slow"):
        Language.component("slow", func=lambda doc: doc)
    nlp = spacy.blank("en")
    nlp.add_pipe("slow")
    nlp.add_pipe("ucca_from_dependencies")
    nlp.to_disk(tmp_path / "model")
    options = ["--processes", str(processes), "--code", str(code), "--port", "0", "--no-open"]
    process = subprocess.Popen(
        [sys.executable, "-m", "spacy_ucca", "serve", str(tmp_path / "model"), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        if processes > 1:  # one that dies is started again
            killed, kept = children(process.pid)
            os.kill(killed, signal.SIGKILL)
            while len(now := children(process.pid)) != 2 or killed in now:
                time.sleep(0.05)
            assert kept in now
            os.kill(kept, signal.SIGTERM)  # so the new one answers
            while kept in (now := children(process.pid)) or len(now) != 2:
                time.sleep(0.05)
        answers: list[tuple[int, dict]] = []
        thread = threading.Thread(target=lambda: answers.append(ask(port)))
        thread.start()
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        thread.join()
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "Traceback" not in out + err and "Stopped" in err
    assert err.count("UW560") == 2 * (processes - 1)
    assert answers[0][0] == 200 or "UC635" in answers[0][1]["error"]
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", port)) != 0


def children(pid: int) -> list[int]:
    """RETURNS (List[int]): The processes that a process has started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout
    return [int(line) for line in found.split()]


def ask(port: int) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/parse", json.dumps({"text": "Ann left"}), headers)
    response = connection.getresponse()
    return response.status, json.load(response)
