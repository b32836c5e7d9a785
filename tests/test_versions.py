"""The shipped pipeline on the oldest and the newest spaCy that the package allows."""

import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "models" / "en_ucca_sm"

LOAD = """
import sys, warnings
import spacy
warnings.simplefilter("error")
doc = spacy.load(sys.argv[1])("After graduation, John moved to Paris.")
print(spacy.__version__, len(doc._.ucca.units))
"""


def spacy_requirement() -> Requirement:
    requirements = map(Requirement, requires("spacy-ucca") or ())
    (spacy,) = (r for r in requirements if r.name == "spacy" and r.marker is None)
    return spacy


def run(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["oldest", "newest"])
def test_the_pipeline_loads_without_a_warning(bound: str, tmp_path: Path) -> None:
    spacy = spacy_requirement()
    oldest = next(s.version for s in spacy.specifier if s.operator == ">=")
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv"))
    executable = str(tmp_path / "venv" / "bin" / "python")
    install = [sys.executable, "-m", "pip", "--python", executable, "install", "--quiet"]
    run(*install, "--upgrade", f"spacy=={oldest}" if bound == "oldest" else str(spacy), str(ROOT))
    found, n_units = run(executable, "-c", LOAD, str(MODEL)).split()
    assert found in spacy.specifier and (found == oldest) == (bound == "oldest")
    assert int(n_units) > 5
