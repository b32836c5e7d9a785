"""`spacy-ucca serve`: which pipelines it takes, what it says is wrong, how it ends."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_ucca.cli import app
from spacy_ucca.errors import UccaError
from spacy_ucca.serve.run import Server, listen, url_of


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


def test_command_says_what_is_wrong(model: Path, tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    with listen("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
        for arguments, code in (
            ([str(tmp_path / "none")], "UC508"),
            ([str(tmp_path / "blank"), "--port", "0"], "UC630"),
            ([str(model), "--port", port], "UC620"),
            ([str(model), "--host", "192.0.2.1"], "UC621"),
        ):
            result = CliRunner().invoke(app, ["serve", "--no-open", *arguments])
            assert result.exit_code == 1 and code in result.stderr
            assert isinstance(result.exception, SystemExit)


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
