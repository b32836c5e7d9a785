"""The programs of the docs that ask a server, or are one, and the file that makes a container of it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from commands import COMMANDS
from serving import Client, serving, stand_in

from spacy_ucca.cli.serve import PORT

ROOT = Path(__file__).parent.parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf8").replace("\\\n", "")
COMMAND = {"py": [sys.executable, "-c"], "js": ["node", "--input-type=module", "--eval"]}


def block(page: str, kind: str) -> str:
    """RETURNS (str): The one block of code of a kind in a page."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", (ROOT / "docs" / page).read_text("utf8"), re.S)
    return found


@pytest.mark.parametrize("kind", COMMAND)
def test_clients_print_who_did_what_and_errors(client: Client, kind: str) -> None:
    if not shutil.which(COMMAND[kind][0]):
        pytest.skip("there is no Node")
    code = block("cli.md", kind)
    assert len(code.splitlines()) <= 20 and f"http://localhost:{PORT}/" in code
    code = code.replace(f"http://localhost:{PORT}/", client.url)

    def run(code: str) -> Any:
        return subprocess.run(
            [*COMMAND[kind], code],
            capture_output=True,
            text=True,
            encoding="utf8",
            env={**os.environ, "no_proxy": "*"},
        )

    # The stand-in takes the first word for the verb.
    result = run(code.replace("Ann saw Bob.", "saw 🎉"))
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.splitlines()
    assert first.endswith(" saw 🎉") and "UC622" in second
    result = run(code.replace("texts", "txts"))
    assert result.returncode == 1 and "Did you mean 'texts'?" in result.stderr


def test_application_within_fastapi(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mounted application gets no lifespan: nothing ends its parses when the server stops, but their limit of time."""
    pytest.importorskip("fastapi")
    nlp, parser = stand_in()
    monkeypatch.setattr(spacy, "load", lambda _: nlp)
    scope: dict[str, Any] = {}
    exec(block("parse.md", "py").replace("seconds=10", "seconds=1"), scope)
    outer = scope["app"]
    outer.get("/own")(lambda: "own")
    outer.state.pool = SimpleNamespace(stop=lambda: None)
    with serving(outer) as client:
        assert client.ask("GET", "/own")[:2] == (200, "own")
        assert "swagger" in client.ask("GET", "/docs")[1]
        assert "POST /parse" in client.ask("GET", "/ucca/docs")[1]
        assert client.ask("GET", "/ucca/health")[:2] == (200, {"status": "ok"})
        assert [*client.ask("GET", "/openapi.json")[1]["paths"]] == ["/own"]
        assert client.ask("GET", "/ucca/openapi.json")[1]["servers"] == [{"url": "/ucca"}]
        status, answer, _ = client.ask("POST", "/ucca/parse", {"texts": ["Ann left", ""]})
        assert status == 200 and "<svg" in answer["answers"][0]["svg"]
        assert "UC622" in answer["answers"][1]["error"]
        status, answer, _ = client.ask("POST", "/ucca/parse", {"text": "a" * 5_001})
        assert status == 413 and "UC623" in answer["error"]
        assert client.ask("PUT", "/ucca/parse")[0] == 405
        assert "UC627" in client.ask("GET", "/ucca/none")[1]["error"]
        connection = client.connect()
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/ucca/parse", json.dumps({"text": "WAIT"}), headers)
    response = connection.getresponse()  # the server has stopped
    assert response.status == 503 and "UC633" in json.load(response)["error"]
    parser.go.set()


def test_container_runs_the_command_and_asks_after_its_health(client: Client) -> None:
    def exec_form(name: str) -> list[str]:
        (found,) = re.findall(rf"^{name}\b.*?(\[.*\])$", DOCKERFILE, re.MULTILINE)
        return json.loads(found)

    program, command, _, *options = exec_form("ENTRYPOINT")
    assert program == "spacy-ucca"
    known = {name for p in COMMANDS[command].params for name in (*p.opts, *p.secondary_opts)}
    assert {option for option in options if option.startswith("-")} <= known
    assert f"EXPOSE {PORT}\n" in DOCKERFILE
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", DOCKERFILE, re.MULTILINE)
    python, *arguments = exec_form("HEALTHCHECK")
    assert python == "python" and str(PORT) in arguments[-1]
    for port, code in ((client.port, 0), (1, 1)):
        asked = [argument.replace(str(PORT), str(port)) for argument in arguments]
        assert subprocess.run([sys.executable, *asked], capture_output=True).returncode == code
    ignored = (ROOT / ".dockerignore").read_text("utf8").split("\n")
    needed = ("spacy_ucca", "models", "setup.py", "setup.cfg", "pyproject.toml", "README.md")
    assert not {*needed} & {*ignored} and all((ROOT / name).exists() for name in needed)
