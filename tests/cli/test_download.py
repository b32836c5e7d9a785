"""`spacy-ucca download`: from a server of this machine, into a directory; what is refused installs nothing."""

import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_runs import run

import spacy_ucca
from spacy_ucca.cli import download

NAME = "xx_tiny"
OURS = f"=={spacy_ucca.__version__}"
LATER = ">=99.0.0,<99.1.0"


def make_wheel(folder: Path, version: str) -> dict[str, str]:
    """RETURNS (Dict[str, str]): The entry of a wheel that is written."""
    info = f"{NAME}-{version}.dist-info"
    files = {
        f"{NAME}/__init__.py": f"__version__ = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\nRequires-Dist: spacy-ucca>=99\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    path = folder / f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in files))
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "name": NAME,
        "version": version,
        "requires": OURS,
        "file": path.name,
        "sha256": checksum,
    }


def write_table(folder: Path, *entries: dict[str, str]) -> None:
    (folder / download.TABLE).write_text(json.dumps({"pipelines": entries}), "utf8")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The folder of a release: versions that are older, that fit, and that are for later releases."""
    folder = tmp_path / "release"
    folder.mkdir()
    entries = [make_wheel(folder, version) for version in ("0.10.0", "0.9.0", "1.0.0")]
    entries[2]["requires"] = LATER
    write_table(folder, *entries)
    return folder


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def address(release: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(release)))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_newest_that_fits_is_installed(address: str, release: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    result = run("download", NAME, "--from", address, "--target", target)
    assert f"Installed {NAME} 0.10.0" in result.stdout
    assert "0.10.0" in (target / NAME / "__init__.py").read_text("utf8")
    assert [path.name for path in target.glob("*.dist-info")] == [f"{NAME}-0.10.0.dist-info"]
    # A directory is as good as an address.
    assert download.choose(NAME, release.as_uri()) == download.choose(NAME, address)


@pytest.mark.parametrize(
    "change, told",
    [
        ({"sha256": "0" * 64}, ("UC784", "Nothing was installed")),
        ({"requires": LATER}, ("UC783", f"pip install 'spacy-ucca{LATER}'")),
        ({"name": "xx_other"}, ("UC782", "There are: xx_other.")),
        ({"file": f"{NAME}-1.0.0-py3-none-none.whl"}, ("UC781", "py3-none-none.whl")),
        ({"file": "other-1.0.0-py3-none-any.whl"}, ("UC785", f"is no wheel of {NAME} 1.0.0")),
        ({"file": f"../{NAME}-1.0.0-py3-none-any.whl"}, ("UC785", "is no wheel")),
        ({"version": "new"}, ("UC785", "new")),
        ({"requires": 3}, ("UC785", "3")),
    ],
)
def test_what_is_wrong_installs_nothing(change, told, address, release, tmp_path) -> None:
    write_table(release, {**make_wheel(release, "1.0.0"), **change})
    target = tmp_path / "target"
    result = run("download", NAME, "--from", address, "--target", target, code=1)
    assert all(text in result.stderr for text in told)
    assert not target.exists()


def test_a_changed_file_is_refused(address: str, release: Path, tmp_path: Path) -> None:
    (wheel,) = release.glob("*-0.10.0-*")
    wheel.write_bytes(wheel.read_bytes() + b" ")
    options = ["--from", address, "--target", tmp_path / "target"]
    assert "UC784" in run("download", NAME, *options, code=1).stderr
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"pipelines": [1]}', '{"pipelines": [{}]}'])
def test_what_is_no_table(text: str, release: Path) -> None:
    (release / download.TABLE).write_text(text, "utf8")
    assert "UC785" in run("download", NAME, "--from", release, code=1).stderr


@pytest.mark.parametrize("source", ["http://127.0.0.1:9", "gopher", "file:///no/such", "http://["])
def test_without_a_network_a_file_can_be_installed(source: str) -> None:
    result = run("download", NAME, "--from", source, code=1)
    assert "UC781" in result.stderr and "pip install --no-deps FILE.whl" in result.stderr


def test_without_an_address_a_folder_can_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "release_address", lambda: "")
    assert f"pip install ./models/{NAME}" in run("download", NAME, code=1).stderr


def test_the_address_is_that_of_this_release(monkeypatch: pytest.MonkeyPatch) -> None:
    class Metadata:
        def get_all(self, key: str, default: list[str]) -> list[str]:
            return ["https://example.org/spacy-ucca/"] if key == "Home-page" else default

    monkeypatch.setattr(download, "metadata", lambda name: Metadata())
    place = "https://example.org/spacy-ucca/releases/download"
    assert download.release_address() == f"{place}/v{spacy_ucca.__version__}"


def test_pip_that_fails_is_told(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download.subprocess, "run", lambda command: SimpleNamespace(returncode=3))
    result = run("download", NAME, "--from", release, code=1)
    assert "UC786" in result.stderr and "(exit code 3)" in result.stderr
