"""The package as a whole: layers, versions, and what importing costs."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
import srsly
from packaging.requirements import Requirement
from spacy.util import dict_to_dot, load_config

import spacy_ucca

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spacy_ucca"
MODEL = ROOT / "models" / "en_ucca_sm"
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
TESTS = sorted((ROOT / "tests").rglob("*.py"))

# Rooms in the order in which they import: each imports only those before it, and modules of its own.
ROOMS = """errors methods files lang graph native layers metric conversion rules transition transitions features drawing text formats
tokens extract matcher applications link_grammar encoder model parser sdp_parser span_parser component by_conversion factories training annotation distributed __init__ serve cli
__main__""".split()
MAX_ROOT_MODULES = 8
# Rooms that know nothing of spaCy and Thinc: their tests run in milliseconds.
PURE = [room for room in ROOMS[: ROOMS.index("tokens")] if room != "layers"]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def room_of(name: str) -> str:
    """RETURNS (str): The room of a module: its folder, or its own name at the root."""
    return name.partition(".")[0]


def imports(path: Path, *, types: bool = False) -> Iterator[tuple[str, bool | None]]:
    """Read the imports of a module.

    path (Path): The module.
    types (bool): Whether imports for types alone count as done on import.
    YIELDS (Tuple[str, Optional[bool]]): What is imported, our own without the package's name, and whether it is done on
        import of the module; None, if it is for types alone.
    """
    package = [*path.relative_to(ROOT).parent.parts]

    def visit(node: ast.AST, eager: bool | None) -> Iterator[tuple[str, bool | None]]:
        if isinstance(node, ast.Import):
            yield from ((alias.name, eager) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            modules = [f"{name}.{alias.name}" for alias in node.names]
            for module in modules:
                own = module.removeprefix("spacy_ucca.")
                yield (module if own in MODULES or own + ".__init__" in MODULES else name), eager
        else:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                eager = False
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                eager = (eager and types) or None
            for child in ast.iter_child_nodes(node):
                yield from visit(child, eager)

    for name, eager in visit(ast.parse(path.read_text("utf8")), True):
        yield name.removeprefix("spacy_ucca."), eager


@cache
def all_imports() -> list[tuple[str, str, bool | None]]:
    """RETURNS (List[Tuple[str, str, bool]]): Each import of the package: the module that does it, and see `imports`."""
    return [(name, *found) for name, path in MODULES.items() for found in imports(path)]


def resolve(name: str) -> str:
    """RETURNS (str): The module of a name that is imported: a package is its `__init__`."""
    return f"{name}.__init__" if f"{name}.__init__" in MODULES else name


def test_root_is_small_and_every_room_has_its_place():
    assert sum("." not in name for name in MODULES) <= MAX_ROOT_MODULES
    assert {room_of(name) for name in MODULES} == set(ROOMS)


def test_contributing_has_the_rooms_in_order():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf8")
    rows = re.findall(r"^\| (`[a-z_]+(?:/|\.py)`.*?) \|", text, re.MULTILINE)
    rooms = [name for row in rows for name in re.findall(r"`([a-z_]+)(?:/|\.py)`", row)]
    assert rooms == [room for room in ROOMS if not room.startswith("__")]


def test_imports_go_one_way():
    """Those within functions too."""
    pairs = [
        (name, resolve(imported))
        for name, imported, eager in all_imports()
        if eager is not None and imported != "__init__"
    ]
    above = [
        f"{name} imports {imported}"
        for name, imported in pairs
        if imported in MODULES and room_of(imported) != room_of(name)
        if ROOMS.index(room_of(imported)) > ROOMS.index(room_of(name))
    ]
    assert above == []


def test_no_file_that_is_read_can_run_code():
    """Neither pickles nor YAML with Python objects are read, and no text is run."""
    unsafe = {"pickle", "marshal", "shelve", "yaml", "cloudpickle", "dill", "joblib"}
    found = [(name, i) for name, i, _ in all_imports() if i.partition(".")[0] in unsafe]
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            call = getattr(node.func, "id", None) if isinstance(node, ast.Call) else None
            if call in ("eval", "exec", "compile", "__import__"):
                found.append((name, call))
    assert found == []


def test_no_file_imports_itself_by_way_of_others():
    """Imports for types count between rooms: within one, classes name those that are made of them."""
    sorter = TopologicalSorter(
        {
            name: {
                resolve(imported)
                for types in (False, True)
                for imported, eager in imports(path, types=types)
                if eager is not None and imported != "__init__"
                if not types or room_of(imported) != room_of(name)
            }
            & set(MODULES)
            for name, path in MODULES.items()
        }
    )
    sorter.prepare()  # raises CycleError, which names the files


def test_optional_and_heavy_packages():
    """`ucca` is imported where it is used, `torch` nowhere, and rooms below spaCy import neither spaCy nor Thinc."""
    found = []
    for name, imported, eager in all_imports():
        top = imported.partition(".")[0]
        late = ("ucca", "spacy", "thinc") if room_of(name) in PURE else ("ucca",)
        if top == "torch" or (eager and top in late):
            found.append(f"{name} imports {top}")
    assert found == []


def test_no_test_file_imports_another():
    found = [(path, imported) for path in TESTS for imported, _ in imports(path)]
    tests = [
        (path, imported)
        for path, imported in found
        if "test_" in (imported[:5], imported.rpartition(".")[2][:5])
    ]
    assert tests == []


def run_python(code: str, python: str = sys.executable, **env: str) -> str:
    """RETURNS (str): What a program prints, run away from the checkout."""
    result = subprocess.run(
        [python, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf8",
        cwd=ROOT.parent,
        env={**os.environ, "PYTHONUTF8": "1", **env},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_entry_points_load_without_torch_and_ucca():
    setup = read_setup()["options.entry_points"]
    code = f"""
import sys
sys.modules["torch"] = sys.modules["ucca"] = None
from importlib.metadata import entry_points
for group in {list(setup)}:
    for point in entry_points(group=group):
        if point.value.startswith("spacy_ucca"):
            point.load()
            print(point.group, point.name)
import spacy
assert spacy.blank("en").add_pipe("ucca_parser").name == "ucca_parser"
"""
    declared = {
        f"{group} {line.partition('=')[0].strip()}"
        for group, lines in setup.items()
        for line in lines.strip().splitlines()
    }
    assert set(run_python(code).splitlines()) == declared


# What a process of spaCy loads for somebody who has the package installed, without a pipeline that uses it.
MAX_MODULES_OF_BLANK = 12


def test_spacy_loads_few_modules_until_a_component_is_made():
    code = """
import sys
import spacy
nlp = spacy.blank("en")
ours = [name for name in sys.modules if name.partition(".")[0] == "spacy_ucca"]
nlp("A text.")._.ucca, nlp("A text.")._.sdp
nlp.add_pipe("ucca_parser")
print(len(ours), *ours)
"""
    n, *names = run_python(code).split()
    assert "spacy_ucca.factories" in names
    assert int(n) <= MAX_MODULES_OF_BLANK, names


def test_importing_everything_does_not_import_ucca():
    modules = [f"spacy_ucca.{name}" for name in MODULES if not name.endswith("__")]
    code = f"""
import sys, importlib
for name in {modules}:
    importlib.import_module(name)
print([name for name in sys.modules if name.partition(".")[0] == "ucca"])
"""
    assert run_python(code).strip() == "[]"


def test_parse_imports_the_rooms_it_needs(tmp_path):
    """Scores, conversions, other formats and applications are for other commands."""
    (tmp_path / "in.txt").write_text("John moved to Paris.\n", "utf8")
    args = ["parse", tmp_path / "in.txt", "-m", MODEL, "-o", tmp_path / "out.xml"]
    code = f"""
import sys
from spacy_ucca.cli import app
sys.argv = ["spacy-ucca", *{[*map(str, args)]}]
try:
    app()
except SystemExit:
    pass
names = [name.removeprefix("spacy_ucca.") for name in sys.modules]
rooms = "metric conversion by_conversion drawing extract matcher applications link_grammar serve"
others = [*rooms.split(), "formats.sources", "rules.repair"]
print([name for name in names if name in others])
"""
    assert run_python(code).strip() == "[]"
    assert (tmp_path / "out.xml").exists()


def test_help_does_not_import_the_parser():
    code = """
import sys
from spacy_ucca.cli import app
print([name for name in ("model", "component", "convert") if f"spacy_ucca.{name}" in sys.modules])
"""
    assert run_python(code).strip() == "[]"


def read_setup() -> ConfigParser:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf8")
    return setup


def test_versions_agree():
    assert version("spacy-ucca") == spacy_ucca.__version__
    assert srsly.read_yaml(ROOT / "CITATION.cff")["version"] == spacy_ucca.__version__
    changes = re.findall(r"^## \[(\S+)\]", (ROOT / "CHANGELOG.md").read_text("utf8"), re.MULTILINE)
    assert changes[0] == spacy_ucca.__version__


def test_python_versions_agree():
    setup = read_setup()
    assert setup["options"]["python_requires"] == f">={PYTHONS[0]}"
    classifiers = setup["metadata"]["classifiers"]
    assert tuple(re.findall(r"Python :: (3\.\d+)", classifiers)) == PYTHONS
    pyproject = (ROOT / "pyproject.toml").read_text("utf8")
    assert f'target-version = "py{PYTHONS[0].replace(".", "")}"' in pyproject
    makefile = (ROOT / "Makefile").read_text("utf8")
    assert " ".join(f"python{v}" for v in reversed(PYTHONS)) in makefile


def test_every_dependency_is_explained_and_bounded():
    lines = read_setup_lines("install_requires")
    requirements = [i for i, line in enumerate(lines) if not line.startswith("#")]
    assert len(requirements) == 10
    for i in requirements:
        assert re.fullmatch(r"[a-z0-9]+>=[\d.]+,<[\d.]+", lines[i])
        assert i and lines[i - 1].startswith("#")


def read_setup_lines(key: str) -> list[str]:
    text = (ROOT / "setup.cfg").read_text("utf8")
    block = re.search(rf"^{key} =\n((?:    .*\n)+)", text, re.MULTILINE)
    return [line.strip() for line in block[1].splitlines()]


def test_console_script_is_the_command_line():
    (script,) = entry_points(group="console_scripts", name="spacy-ucca")
    assert script.load() is spacy_ucca.cli.main


def test_pipeline_runs_on_the_versions_that_this_package_does():
    # It brings no version of spaCy: that is the business of spacy-ucca alone.
    meta = srsly.read_json(MODEL / "meta.json")
    assert f"spacy{meta['spacy_version']}" in read_setup_lines("install_requires")
    (requirement,) = map(Requirement, meta["requirements"])
    assert requirement.name == "spacy-ucca" and spacy_ucca.__version__ in requirement.specifier


# The Makefile


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
@pytest.mark.parametrize(
    "text",
    [
        "After graduation, John moved to Paris.",
        "It's \"quoted\" and 'quoted'; it costs $5 $HOME $(shell echo no) `echo no` \\n 100% # !",
        "Ein Café 🎉 👩‍👩‍👧 kostet 5 €.",
        "שלום עולם. مرحبا بالعالم.",
        "-n --help\ntwo lines",
    ],
)
def test_text_goes_through_make_as_it_is(text, tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    # Stand-ins for what `make parse` installs, newer than what it would install from.
    for name in ("setup.cfg", "pyproject.toml", "setup.py"):
        (tmp_path / name).touch()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "sample.txt").write_text("A sample.\n", "utf8")
    (tmp_path / "model").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    command = tmp_path / ".venv" / "bin" / "spacy-ucca"
    command.write_text("#!/bin/sh\ncat\n")
    command.chmod(0o755)
    stamp = tmp_path / ".venv" / "runtime.stamp"
    stamp.touch()
    os.utime(stamp, (2**32, 2**32))
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "TEXT")}
    make = ["make", "parse", "MODEL=model", "PICTURE=out.svg"]
    for options, more, expected in (
        ([f"TEXT={text}"], {}, text),
        ([], {"TEXT": text}, text),
        ([], {}, "A sample."),
    ):
        result = subprocess.run(
            [*make, *options], cwd=tmp_path, env={**env, **more}, capture_output=True
        )
        assert result.returncode == 0, result.stderr
        assert result.stdout.decode("utf8").startswith(expected + "\n")
        assert "out.svg" in result.stdout.decode("utf8")
        assert (tmp_path / "out.svg").read_text("utf8") == expected + "\n"


def test_shipped_pipelines_name_no_path_of_the_machine_that_made_them() -> None:
    for path in (ROOT / "models").glob("*/config.cfg"):
        values = dict_to_dot(load_config(path, interpolate=False)).values()
        assert not [
            value for value in values if isinstance(value, str) and value.startswith(("/", "\\"))
        ]
