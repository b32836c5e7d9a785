"""`spacy-ucca download`: install a pipeline that fits this release, from files with a table of them, `pipelines.json`.

The table lies beside the files, at the address of the release or in a folder: `scripts/release.py` writes both.
"""

import json
import re
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from .. import __version__
from ..errors import Errors, UccaError
from ._command import app

TABLE = "pipelines.json"
KEYS = ("name", "version", "requires", "file", "sha256")


def release_address() -> str:
    """RETURNS (str): Where the files of this release are: below `url` of setup.cfg; "" while that is empty."""
    url = metadata("spacy-ucca").get_all("Home-page", [""])[0]
    return f"{url.rstrip('/')}/releases/download/v{__version__}" if url else ""


@app.command("download")
def download(
    name: str = typer.Argument(..., help="Name of the pipeline, such as en_ucca_sm"),
    source: str | None = typer.Option(
        None, "--from", help=f"Address or directory of {TABLE}. Default: that of this release"
    ),
    target: Path | None = typer.Option(
        None, "--target", "-t", help="Directory to install into. Default: this environment"
    ),
) -> None:
    """Install the newest pipeline of a name that fits this release. The file has to have the checksum of the table."""
    if not (place := source or release_address()):
        raise UccaError(Errors.UC780.format(name=name))
    if Path(place).is_dir():
        place = Path(place).resolve().as_uri()
    entry = choose(name, place)
    data = fetch(place, entry["file"])
    if (found := sha256(data).hexdigest()) != entry["sha256"].lower():
        raise UccaError(Errors.UC784.format(**entry, found=found))
    with TemporaryDirectory() as folder:
        wheel = Path(folder, entry["file"])
        wheel.write_bytes(data)
        # The one package that it requires runs already, and fits.
        command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", str(wheel)]
        command += [] if target is None else ["--upgrade", "--target", str(target)]
        if code := subprocess.run(command).returncode:
            raise UccaError(Errors.UC786.format(name=name, code=code))
    typer.echo(f"Installed {name} {entry['version']}: spacy.load('{name}')")


def choose(name: str, place: str) -> dict[str, str]:
    """Choose a pipeline from the table.

    name (str): The name of the pipeline.
    place (str): The address of the table's folder.
    RETURNS (Dict[str, str]): The newest entry of this name that fits this release.
    RAISES (UccaError): If there is none, or the table cannot be read.
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    text = fetch(place, TABLE)
    try:
        table = [{key: str(entry[key]) for key in KEYS} for entry in json.loads(text)["pipelines"]]
        entries = [entry for entry in table if entry["name"] == name]
        entries.sort(key=lambda entry: Version(entry["version"]))
        fitting = [e for e in entries if SpecifierSet(e["requires"]).contains(__version__, True)]
    except (ValueError, KeyError, TypeError) as err:
        reason = f"{err} ({type(err).__name__})"
        raise UccaError(Errors.UC785.format(place=place, table=TABLE, reason=reason)) from None
    if not entries:
        names = ", ".join(sorted({entry["name"] for entry in table}))
        raise UccaError(Errors.UC782.format(name=name, place=place, names=names or "none"))
    if not fitting:
        raise UccaError(Errors.UC783.format(**entries[-1], ours=__version__))
    entry = fitting[-1]
    version = re.escape(entry["version"])
    if not re.fullmatch(rf"{name}-{version}(-[\w.]+){{3}}\.whl", entry["file"]):
        reason = f"'{entry['file']}' is no wheel of {name} {entry['version']}"
        raise UccaError(Errors.UC785.format(place=place, table=TABLE, reason=reason))
    return entry


def fetch(place: str, file: str) -> bytes:
    """RETURNS (bytes): A file of an address.
    RAISES (UccaError): If it cannot be fetched."""
    from http.client import HTTPException
    from urllib.request import urlopen

    url = f"{place.rstrip('/')}/{file}"
    try:
        with urlopen(url, timeout=30) as answer:
            return answer.read()  # type: ignore[no-any-return]
    except (OSError, ValueError, HTTPException) as err:
        raise UccaError(Errors.UC781.format(url=url, reason=err)) from None
