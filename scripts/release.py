"""Build and check all files of a release, up to the upload, and say what is left to do.

    pip install --editable '.[dev,docs,release]'
    python scripts/release.py

In the output directory: `packages` (sdist, a wheel for each Python of this machine), `pipelines` (wheels of `models/` and the
table that `spacy-ucca download` reads) and `site`. Wheels are installed into new environments without a compiler, and parse.
The wheels of other platforms are built by `.github/workflows/release.yml`.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from configparser import ConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory

import srsly
import typer

import spacy_ucca
from spacy_ucca.cli.download import TABLE

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
CHECK = ROOT / "scripts" / "check_install.py"
PYTHONS = re.findall(r"Python :: (3\.\d+)", (ROOT / "setup.cfg").read_text("utf8"))
FIRST_MODEL = "en_ucca_sm"  # what installed packages parse with
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
# The cache would give a wheel that was built before.
BUILD = ["wheel", "--no-deps", "--no-cache-dir", "--wheel-dir"]


def run(*command: str | Path, cwd: Path = ROOT, **more: str) -> None:
    """Run a command, with what it prints; tools of this environment come first on the path.

    RAISES (Exit): With 1, if it fails.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CC")}
    print("$", *command, flush=True)
    start = time.perf_counter()
    result = subprocess.run(
        [*map(str, command)], cwd=cwd, env={**environment, "PATH": path, **more}
    )
    print(f"({time.perf_counter() - start:.0f} s)", flush=True)
    if result.returncode:
        print(f"Failed with exit code {result.returncode}. Nothing was uploaded.", file=sys.stderr)
        raise typer.Exit(1)


def module(name: str, *arguments: str | Path) -> None:
    """Run a module of this environment, as `run` does."""
    run(sys.executable, "-m", name, *arguments)


def find_python(wanted: str) -> str | None:
    """RETURNS (Optional[str]): A Python of this version that runs and makes environments."""
    roots = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"]
    candidates = [shutil.which(f"python{wanted}")]
    candidates += [str(p) for root in roots for p in sorted(root.glob(f"{wanted}.*/bin/python"))]
    if sys.version_info[:2] == tuple(map(int, wanted.split("."))):
        candidates.insert(0, sys.executable)
    check = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '{wanted}')"
    for python in filter(None, candidates):
        if subprocess.run([python, "-c", check], capture_output=True).returncode == 0:
            return python
    return None


def build_packages(pythons: list[str], output: Path, scratch: Path) -> tuple[Path, list[Path]]:
    """Build the sdist, and of it a wheel for each Python; on Linux, for all distributions that it runs on.

    pythons (List[str]): The Pythons.
    output (Path): Where they are put.
    scratch (Path): A directory for what is on the way.
    RETURNS (Tuple[Path, List[Path]]): The sdist, and the wheels in the order of the Pythons.
    """
    module("build", "--sdist", "--outdir", output, ROOT)
    (sdist,) = output.glob("*.tar.gz")
    wheels = []
    for i, python in enumerate(pythons):
        raw = scratch / f"wheel{i}"
        run(*PIP, "--python", python, *BUILD, raw, sdist)
        before = {*output.glob("*.whl")}
        if sys.platform == "linux":
            module("auditwheel", "repair", "--wheel-dir", output, *raw.glob("*.whl"))
        else:
            shutil.copy(*raw.glob("*.whl"), output)
        wheels += {*output.glob("*.whl")} - before
    module("twine", "check", "--strict", sdist, *wheels)
    module("check_wheel_contents", *wheels)
    return sdist, wheels


def build_pipelines(output: Path) -> None:
    """Build the wheels of `models/`, and the table of them with their checksums.

    output (Path): Where they are put.
    """
    run(*PIP, *BUILD, output, *sorted(path.parent for path in MODELS.glob("*/meta.json")))
    srsly.write_json(output / TABLE, make_table(output))


def make_table(folder: Path) -> dict[str, list[dict[str, str]]]:
    """RETURNS (Dict[str, List[Dict[str, str]]]): What `spacy-ucca download` reads: the wheels of a folder whose pipelines are in
    `models/`, with the releases of spacy-ucca that they are for."""
    entries = []
    for wheel in sorted(folder.glob("*.whl")):
        name, version, *_ = wheel.name.split("-")
        (requirement,) = srsly.read_json(MODELS / name / "meta.json")["requirements"]
        entry = {"name": name, "version": version, "file": wheel.name}
        entry["requires"] = requirement.removeprefix("spacy-ucca")
        entry["sha256"] = hashlib.sha256(wheel.read_bytes()).hexdigest()
        entries.append(entry)
    return {"pipelines": entries}


def check_installed(python: str, package: Path, pipelines: Path, scratch: Path) -> Path:
    """Install a package and a pipeline into a new environment without a compiler, and parse.

    python (str): The Python of the environment.
    package (Path): The wheel.
    pipelines (Path): The directory with the wheels of pipelines and their table.
    scratch (Path): Where the environment is made.
    RETURNS (Path): The Python of the environment.
    """
    run(python, "-m", "venv", scratch)
    own = scratch / ("Scripts" if sys.platform == "win32" else "bin")
    bare = {"PATH": str(own), "CC": "false"}
    run(*PIP, "--python", own / "python", "install", package, **bare)
    command = own / "spacy-ucca"
    run(command, "download", FIRST_MODEL, "--from", pipelines, cwd=scratch, **bare)
    run(own / "python", CHECK, FIRST_MODEL, cwd=scratch, **bare)
    return own / "python"


def check_sdist(python: Path, sdist: Path) -> None:
    """Install the sdist into an environment that has all else: it is plain Python without a compiler, and compiled with one."""
    install = ["install", "--no-deps", "--force-reinstall", "--no-cache-dir"]
    for more, option in (({"CC": "false"}, ["--pure"]), ({}, [])):
        run(*PIP, "--python", python, *install, sdist, **more)
        run(python, CHECK, FIRST_MODEL, *option, cwd=python.parent)


def left_to_do(output: Path) -> list[str]:
    """RETURNS (List[str]): What a person has to do."""
    version = spacy_ucca.__version__
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf8")
    lines = []
    if f"## [{version}] - Unreleased" in (ROOT / "CHANGELOG.md").read_text("utf8"):
        lines.append(f"CHANGELOG.md: give {version} its date")
    if not setup["metadata"].get("url"):
        lines.append("setup.cfg: give `url`, so that `spacy-ucca download` needs no --from")
    lines += [
        f"git tag v{version} && git push origin v{version}   # .github/workflows/release.yml does the rest",
        f"or by hand: python -m twine upload {output}/packages/*",
        f"            gh release create v{version} {output}/pipelines/*",
    ]
    return lines


def main(
    output: Path = typer.Option(ROOT / "dist", "--output", "-o", help="Directory; it is replaced"),
    tests: bool = typer.Option(False, "--tests", help="Also run the tests but the slow ones"),
    only: list[str] = typer.Option([], "--python", help="Versions, such as 3.11. Default: all"),
) -> None:
    """Build and check all files of a release. Nothing is uploaded."""
    pythons = [python for version in only or PYTHONS if (python := find_python(version))]
    if not pythons:
        print(f"There is no Python {', '.join(only or PYTHONS)} on this machine.", file=sys.stderr)
        raise typer.Exit(1)
    module("ruff", "format", "--check", ".")
    module("ruff", "check", ".")
    module("mypy")
    if tests:
        module("pytest", "-q", "-m", "not slow")
    if output.exists():
        shutil.rmtree(output)
    packages, pipelines = output.resolve() / "packages", output.resolve() / "pipelines"
    for folder in (packages, pipelines):
        folder.mkdir(parents=True)
    with TemporaryDirectory() as directory:
        scratch = Path(directory)
        build_pipelines(pipelines)
        module("mkdocs", "build", "--strict", "--site-dir", output.resolve() / "site")
        sdist, wheels = build_packages(pythons, packages, scratch)
        for i, (python, wheel) in enumerate(zip(pythons, wheels, strict=True)):
            installed = check_installed(python, wheel, pipelines, scratch / f"environment{i}")
        check_sdist(installed, sdist)
    for path in sorted(output.glob("p*/*")):
        print(f"{path.stat().st_size / 2**20:8.1f} MiB  {path}")
    print("Left to do:", *left_to_do(output), sep="\n  ")


if __name__ == "__main__":
    typer.run(main)
