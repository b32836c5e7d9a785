"""Measure the structure of a checkout: modules, rooms, imports that go up, circles, lines, configurations, words, and what
`spacy.blank("en")` loads of the package.

    python benchmarks/house.py CHECKOUT [--python CHECKOUT/.venv/bin/python]

A room is a folder of `spacy_ucca/`, or a module at its root. An arrow is an import of another room when a module is
imported. Rooms that import each other, directly or by way of others, are a circle: each room in it counts.
"""

import ast
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

IMPORT_TIME = """
import re, subprocess, sys
blank = "import spacy; spacy.blank('en')"
best = {}
for _ in range(5):
    out = subprocess.run([sys.executable, "-X", "importtime", "-c", blank], capture_output=True, text=True).stderr
    rows = re.findall(r"import time: +(\\d+) \\| +\\d+ \\| +(spacy_ucca[\\w.]*)", out)
    best.setdefault("modules", len(rows))
    ms = sum(int(own) for own, _ in rows) / 1000
    best["ms"] = min(ms, best.get("ms", ms))
print(best["modules"], round(best["ms"], 1))
"""


def main(
    checkout: Annotated[Path, typer.Argument(help="The root of a checkout.")],
    python: Annotated[
        Path | None, typer.Option(help="A Python that has this checkout installed.")
    ] = None,
) -> None:
    figures = measure(checkout)
    if python is not None:
        command = [str(python.absolute()), "-c", IMPORT_TIME]
        out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=checkout)
        modules, ms = out.stdout.split()
        figures |= {"loaded by spacy.blank": int(modules), "their own ms": float(ms)}
    typer.echo(json.dumps(figures, indent=2))


def measure(checkout: Path) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Each figure, by its name."""
    package = checkout / "spacy_ucca"
    files = {
        ".".join(p.relative_to(checkout).with_suffix("").parts): p for p in package.rglob("*.py")
    }
    arrows = {
        (room_of(a), room_of(b)) for a, path in files.items() for b in imports(a, path, files)
    }
    arrows = {(a, b) for a, b in arrows if a != b}
    above = reachable(arrows)
    configs = [*checkout.glob("configs/*.cfg"), *checkout.glob("projects/*/configs/*.cfg")]
    pages = sorted(checkout.glob("docs/*.md"))
    return {
        "modules at the root": len(list(package.glob("*.py"))),
        "rooms": len({room_of(name) for name in files}),
        "arrows": len(arrows),
        "rooms in circles": sum(room in above[room] for room in above),
        "lines of the package": sum(n_lines(path) for path in files.values()),
        "lines of tests": sum(n_lines(path) for path in (checkout / "tests").rglob("*.py")),
        "bytes of project.yml": (checkout / "project.yml").stat().st_size,
        "configurations": len(configs),
        "words of README.md": n_words(checkout / "README.md"),
        "words of docs/": sum(map(n_words, pages)),
    }


def room_of(module: str) -> str:
    """RETURNS (str): The room of a module of the package, by its full name."""
    return module.split(".")[1]


def imports(module: str, path: Path, files: dict[str, Path]) -> Iterator[str]:
    """YIELDS (str): The modules of the package that a module imports when it is imported."""
    package = module.split(".")[:-1]

    def visit(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ImportFrom):
                base = package[: len(package) - child.level + 1] if child.level else []
                name = ".".join([*base, *([child.module] if child.module else [])])
                for alias in child.names:
                    yield from (n for n in (f"{name}.{alias.name}", name) if n)
            elif isinstance(child, ast.Import):
                yield from (alias.name for alias in child.names)
            elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not (
                isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            ):
                yield from visit(child)

    for name in visit(ast.parse(path.read_text("utf8"))):
        found = name if name in files else f"{name}.__init__"
        # The package's own __init__ runs before any of its modules; it is no arrow.
        if found in files and found != "spacy_ucca.__init__":
            yield found


def reachable(arrows: set[tuple[str, str]]) -> dict[str, set[str]]:
    """RETURNS (Dict[str, Set[str]]): What each room imports, also by way of others."""
    found = {room: {b for a, b in arrows if a == room} for arrow in arrows for room in arrow}
    for _ in found:
        for rooms in found.values():
            rooms |= {further for room in rooms for further in found[room]}
    return found


def n_lines(path: Path) -> int:
    return len(path.read_text("utf8").splitlines())


def n_words(path: Path) -> int:
    return len(path.read_text("utf8").split())


if __name__ == "__main__":
    typer.run(main)
