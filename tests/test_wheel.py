"""The wheel in environments of its own: it works there, and so do the pipeline's folder and the blocks of the pages."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import spacy
import srsly
from release import PYTHONS, find_python

import spacy_ucca

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spacy_ucca"
MODEL = ROOT / "models" / "en_ucca_sm"
MODELS = sorted(path.parent.name for path in ROOT.glob("models/*/meta.json"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from a copy of what a source distribution has."""
    source = tmp_path_factory.mktemp("source")
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "setup.py"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        PACKAGE, source / "spacy_ucca", ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(source / "dist")]
    run([*command, str(source)], SPACY_UCCA_PURE="1")  # one wheel for all Pythons
    (path,) = (source / "dist").glob("*.whl")
    return path


@pytest.fixture(scope="session")
def environment(wheel, tmp_path_factory) -> Callable[[str], str]:
    """Make an environment with the wheel and what it asks for, no more: the Python in it, for a Python version. Skips the test where
    there is no such Python."""

    @cache
    def make(version: str) -> str:
        interpreter = find_python(version)
        if interpreter is None:
            pytest.skip(f"there is no Python {version} on this machine")
        place = tmp_path_factory.mktemp("venv")
        # Without a pip of its own it is made much faster; the one here installs into it.
        run([interpreter, "-m", "venv", "--without-pip", str(place)])
        executable = str(place / "bin" / "python")
        install = ["install", "--quiet", "--no-compile", str(wheel)]
        run([sys.executable, "-m", "pip", "--python", executable, *install])
        return executable

    return make


def run(command: list[str], cwd: Path | None = None, **more: str) -> str:
    env = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}
    result = subprocess.run(
        command, capture_output=True, text=True, encoding="utf8", errors="replace", env=env, cwd=cwd
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]
    return result.stdout


# Train on two sentences until they are known, save, load, parse; then the shipped pipeline, if there is one.
SMOKE = """
import sys, tempfile, warnings
import spacy
import spacy_ucca
from spacy.training import Example
from spacy_ucca.training.corpus import bare_copy, graph_to_doc
from spacy_ucca.formats.brackets import read_brackets

assert "site-packages" in spacy_ucca.__file__, spacy_ucca.__file__
assert spacy_ucca.__version__ == sys.argv[1]
for absent in ("torch", "ucca"):
    try:
        __import__(absent)
    except ImportError:
        continue
    sys.exit(absent + " is here")
warnings.filterwarnings("ignore", message=".*UW301")
gold = read_brackets("[H [A Ann] [P left]] [U .]\\n\\n[H [A [F The] [C cat]] [P slept]]\\n", source="-")
nlp = spacy.blank("en")
nlp.add_pipe("ucca_parser")
references = [graph_to_doc(graph, nlp.vocab) for graph in gold]
examples = [Example(bare_copy(doc, False), doc) for doc in references]
optimizer = nlp.initialize(lambda: examples)
for _ in range(40):
    nlp.update(examples, sgd=optimizer)
with tempfile.TemporaryDirectory() as directory:
    nlp.to_disk(directory)
    nlp = spacy.load(directory)
for graph, eg in zip(gold, examples):
    assert nlp(bare_copy(eg.reference, False))._.ucca.same_structure(graph)
from importlib.resources import files
for name in ("serve.html", "serve.css", "serve.js", "show.js", "openapi.html", "openapi.json"):
    assert files("spacy_ucca.serve").joinpath(name).read_text("utf8")
assert "</html>" in spacy_ucca.render(gold, page=True)
assert "</html>" in spacy_ucca.render_comparison(gold, gold)
if sys.argv[2:]:
    nlp = spacy.load(sys.argv[2])
    graph = nlp("After graduation, John moved to Paris.")._.ucca
    assert any(unit.is_scene for unit in graph.units), graph
print("works")
"""


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
def test_wheel_works_in_an_empty_environment(python, environment, tmp_path):
    executable = environment(python)
    (tmp_path / "smoke.py").write_text(SMOKE, "utf8")
    shipped = [str(MODEL)] if MODEL.exists() else []
    command = [executable, str(tmp_path / "smoke.py"), spacy_ucca.__version__, *shipped]
    assert run(command).endswith("works\n")
    assert "Usage" in run([str(Path(executable).with_name("spacy-ucca")), "--help"])


# A page's first screen. README's blocks are all tried.
SCREEN = 60
RUN_BLOCKS = """
import runpy, sys, warnings
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    runpy.run_path(path)
"""


@pytest.mark.slow
def test_blocks_run_in_the_environment_that_the_pages_tell_to_make(environment, tmp_path):
    """`make parse` installs no extra: no pandas, no PyTorch. A page may name one that its code needs."""
    for folder in ("models", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    programs = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        is_readme = page.name == "README.md"
        lines = page.read_text("utf8").splitlines(keepends=True)
        text = "".join(lines if is_readme else lines[:SCREEN])
        blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        told = re.search(r"pip install \S*\[", text.partition("```python")[0])
        if not blocks or told:
            continue
        # README's blocks are programs of their own, those of a page are one.
        for code in blocks if is_readme else ["\n".join(blocks)]:
            path = tmp_path / f"{len(programs)}-{page.stem}.py"
            path.write_text(code, "utf8")
            programs.append(str(path))
    assert len(programs) > 8
    version = ".".join(map(str, sys.version_info[:2]))
    run([environment(version), "-c", RUN_BLOCKS, *programs], cwd=tmp_path)


INSTALLED = """
import sys
import spacy
nlp = spacy.load(sys.argv[1])
assert nlp.path.parent.name == "site-packages", nlp.path
assert sys.argv[1] in spacy.util.get_installed_models()
assert nlp.meta["version"] == sys.argv[2]
print(nlp("After graduation, John moved to Paris.")._.ucca.to_record())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_pipeline_is_installed_from_its_folder(name, tmp_path):
    """What is installed is the data and nothing else, it parses as the folder does, and the folder is left alone."""
    model = ROOT / "models" / name
    before = sorted(model.rglob("*"))
    options = ["--quiet", "--no-deps"]
    folder = tmp_path / "site-packages"
    run([sys.executable, "-m", "pip", "install", *options, "--target", str(folder), str(model)])
    assert [p for p in sorted(model.rglob("*")) if "__pycache__" not in p.parts] == [
        p for p in before if "__pycache__" not in p.parts
    ]
    packing = {"setup.py", "pyproject.toml", "README.md"}
    expected = {p.relative_to(model) for p in before if p.is_file() and p.name not in packing}
    package = folder / name
    found = {p.relative_to(package) for p in package.rglob("*") if p.is_file()}
    assert {p for p in found if "__pycache__" not in p.parts} == {
        p for p in expected if "__pycache__" not in p.parts
    }
    meta = srsly.read_json(model / "meta.json")
    (tmp_path / "installed.py").write_text(INSTALLED, "utf8")
    command = [sys.executable, str(tmp_path / "installed.py"), name, meta["version"]]
    printed = run(command, PYTHONPATH=str(folder))
    nlp = spacy.load(model)
    graph = nlp("After graduation, John moved to Paris.")._.ucca
    assert printed.splitlines()[-1] == str(graph.to_record())
    (info,) = folder.glob(f"{name}-*.dist-info")
    text = (info / "METADATA").read_text("utf8")
    assert re.findall(r"^Requires-Dist: (\S+?)[<>]", text, re.MULTILINE) == ["spacy-ucca"]


def test_the_smoke_test_needs_the_installed_wheel():
    # It refuses to run on the checkout, where it would show nothing about the wheel.
    result = subprocess.run(
        [sys.executable, "-c", SMOKE, spacy_ucca.__version__],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert result.returncode == 1
    assert "AssertionError" in result.stderr
