"""The loop over states: compiled and plain it does the same, and it is there without a compiler."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import spacy_ucca
from spacy_ucca.native import kernels
from spacy_ucca.native import load as loop
from spacy_ucca.native import state as native_state
from spacy_ucca.transition import Move

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "en_ucca_sm"
SETUP = ("setup.py", "setup.cfg", "pyproject.toml", "README.md", "LICENSE", "MANIFEST.in")

# Parses with the package in the folder that is named, and prints what it did.
PARSE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy, spacy, spacy_ucca
from pathlib import Path
from spacy.tokens import Doc
from thinc.api import fix_random_seed
from spacy_ucca.component import UccaParser
from spacy_ucca.factories import make_ucca_parser
from spacy_ucca.native.load import compiled
assert Path(spacy_ucca.__file__).parent.parent == Path(sys.argv[1]), spacy_ucca.__file__
text = Path(sys.argv[3]).read_text("utf8")
if sys.argv[2]:
    nlp = spacy.load(sys.argv[2])
    docs = list(nlp.pipe(text.splitlines()))
    graphs = [doc._.ucca for doc in docs]
else:
    graphs = []
for system in ("tree", "tupa"):
    fix_random_seed(1)
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    config = {"model": {"system": system, "tok2vec": {"encode": {"width": 16}}}}
    parser = blank.add_pipe("ucca_parser", config=config)
    labels = {"labels": ["A", "C", "H", "P"], "remote_labels": ["A"], "remote_children": ["A", "C"],
              "implicit": [["A"]], "deps": []}
    parser.initialize(
        lambda: [spacy.training.Example(blank.make_doc("a b"), blank.make_doc("a b"))],
        nlp=blank, labels=labels)
    for ref in parser.model.ref_names:
        node = parser.model.get_ref(ref)
        for name in node.param_names if ref != "tok2vec" else ():
            node.set_param(name, numpy.random.normal(0, .3, node.get_param(name).shape).astype("f"))
    graphs += [doc._.ucca for doc in blank.pipe(text.splitlines())]
print(json.dumps([compiled(), [graph.to_record() for graph in graphs]]))
"""


def build(folder: Path, **env: str) -> str:
    """Put a copy of the package into a folder and build it in place, as an editable installation does.
    RETURNS (str): What was said."""
    for name in SETUP:
        shutil.copy(ROOT / name, folder)
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    shutil.copytree(ROOT / "spacy_ucca", folder / "spacy_ucca", ignore=ignore)
    return run([sys.executable, "setup.py", "build_ext", "--inplace"], folder, **env)


def run(command: list[str], folder: Path, **env: str) -> str:
    inherited = {k: v for k, v in os.environ.items() if k != "SPACY_UCCA_PURE"}
    result = subprocess.run(
        command,
        cwd=folder,
        env={**inherited, "PYTHONUTF8": "1", **env},
        capture_output=True,
        text=True,
        encoding="utf8",
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout if "-c" in command else result.stdout + result.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A folder with the package compiled."""
    folder = tmp_path_factory.mktemp("compiled")
    pytest.importorskip("Cython", reason="Cython compiles the loop")
    said = build(folder)
    if (
        len(list((folder / "spacy_ucca").glob("_[!_]*.[sp][oy]*"))) < len(loop.NAMES)
        or "runs as plain" in said
    ):
        pytest.skip("there is no C compiler: " + said[-300:])
    return folder


def parse(folder: Path, text: Path, **env: str) -> tuple[bool, list[dict]]:
    model = str(MODEL) if MODEL.exists() else ""
    out = run([sys.executable, "-c", PARSE, str(folder), model, str(text)], folder, **env)
    found = json.loads(out.splitlines()[-1])
    return found[0], found[1]


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    """The sample, and what is easily forgotten: no words, one, and very many."""
    path = tmp_path_factory.mktemp("text") / "text.txt"
    lines = (ROOT / "docs" / "sample.txt").read_text("utf8").split("\n")
    readme = (ROOT / "README.md").read_text("utf8").split("\n")
    lines += [line for line in readme if len(line) > 40]
    path.write_text("\n".join([*lines, "", "Yes", " ".join(["so he went"] * 60)]), "utf8")
    return path


@pytest.mark.slow
def test_compiled_and_plain_give_the_same_graphs(built: Path, text: Path) -> None:
    compiled, ours = parse(built, text)
    plain, theirs = parse(built, text, SPACY_UCCA_PURE="1")
    assert compiled and not plain
    assert len(ours) > 60 and sum(len(graph["edges"]) for graph in ours) > 3000
    assert ours == theirs


WHICH = (
    "import spacy_ucca.native.load as loop; print(loop.compiled(), loop.state.State(3).n_tokens)"
)


@pytest.mark.slow
def test_what_was_compiled_from_other_sources_is_not_run(built: Path) -> None:
    env = {"PYTHONPATH": str(built), "PYTHONWARNINGS": "always"}
    command = [sys.executable, "-c", WHICH]
    assert run(command, built, **env).split() == ["True", "3"]
    source = built / "spacy_ucca" / "native" / "state.py"
    kept = source.read_bytes()
    try:
        source.write_bytes(kept + b"\n# edited\n")
        assert run(command, built, **env).split() == ["False", "3"]
        source.write_bytes(kept.replace(b"\n", b"\r\n"))  # as Git may check it out
        assert run(command, built, **env).split() == ["True", "3"]
    finally:
        source.write_bytes(kept)


@pytest.mark.slow
@pytest.mark.parametrize("env", [{"CC": "/bin/false"}, {"SPACY_UCCA_PURE": "1"}, {"PATH": ""}])
def test_without_a_compiler_it_runs_as_plain_python(env: dict[str, str], tmp_path: Path) -> None:
    said = build(tmp_path, **env)
    assert not list(tmp_path.glob("spacy_ucca/native/*.so")) and not list(
        tmp_path.glob("*/*/*.pyd")
    )
    assert ("runs as plain Python" in said) == ("SPACY_UCCA_PURE" not in env)
    out = run([sys.executable, "-c", WHICH], tmp_path, PYTHONPATH=str(tmp_path))
    assert out.split() == ["False", "3"]


def test_which_one_runs() -> None:
    """If this fails: the compiled loop is older than its sources. Compile: pip install --editable ."""
    found = list(Path(spacy_ucca.__file__).parent.glob("native/_state.*"))
    assert loop.compiled() == (bool(found) and os.environ.get("SPACY_UCCA_PURE", "0") in ("", "0"))


def test_moves_have_the_same_numbers_everywhere() -> None:
    names = {"SHIFT", "MERGE", "NODE", "LEFT_EDGE", "RIGHT_EDGE", "SWAP"}
    for name in names:
        assert getattr(native_state, "_" + name.removesuffix("_EDGE")) == Move[name]


def test_sums_are_those_of_numpy() -> None:
    """The plain loop says what is meant; the compiled one is run by all other tests where it is there."""
    rng = numpy.random.default_rng(0)
    table = rng.normal(size=(6, 3, 4)).astype("float32")
    values, flags = (rng.normal(size=(n, 4)).astype("float32") for n in (9, 96))
    bias = rng.normal(size=4).astype("float32")
    tokens = rng.integers(-1, 5, (7, 3)).astype("int32")
    categories = rng.integers(0, 9, (7, 5)).astype("int32")
    bits = rng.integers(0, 1 << 48, (7, 2)).astype("int64")
    expected = [
        sum(table[token, slot] for slot, token in enumerate(tokens[i]))
        + values[categories[i]].sum(axis=0)
        + sum(flags[k] for k in range(96) if int(bits[i, k // 48]) >> k % 48 & 1)
        + bias
        for i in range(7)
    ]
    for module in {kernels, loop.kernels}:
        out = numpy.zeros((8, 4), dtype="float32")
        module.sum_rows(table, tokens, values, categories, flags, bits, bias, out)
        numpy.testing.assert_allclose(out[:7], expected, rtol=1e-4, atol=1e-5)
