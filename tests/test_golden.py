"""The shipped pipeline gives the graphs of `data/golden.json`, compiled and as plain Python; see `golden.py`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "data" / "golden.json").read_text("utf8"))
TOLERANCE = 2  # thousandths: the size of a batch alone moves the third digit of a score


def measure(*arguments: str, pure: str) -> dict:
    command = [sys.executable, str(HERE / "golden.py"), *arguments]
    env = {**os.environ, "PYTHONUTF8": "1", "SPACY_UCCA_PURE": pure}
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf8", env=env)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module", params=["0", "1"], ids=["compiled", "plain"])
def found(request):
    found = measure(pure=request.param)
    if request.param == "0" and not found["compiled"]:
        pytest.skip("nothing is compiled here")
    assert found["compiled"] == (request.param == "0")
    return found


@pytest.mark.parametrize("beam", ["1", "4"])
def test_graphs_of_written_texts(found, beam):
    own, golden = found["texts"][beam], GOLDEN["texts"][beam]
    assert own["each"] == golden["each"]  # tells which
    assert own["hash"] == golden["hash"]


@pytest.mark.parametrize("beam", ["1", "4"])
def test_scores_of_written_texts(found, beam):
    for own, golden in zip(
        found["texts"][beam]["scores"], GOLDEN["texts"][beam]["scores"], strict=True
    ):
        if own is None or golden is None:
            assert own == golden
            continue
        for score, expected in zip(own, golden, strict=True):
            assert (score is None) == (expected is None)
            assert score is None or abs(score - expected) <= TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("pure", ["0", "1"], ids=["compiled", "plain"])
def test_graphs_of_development_sets(corpora, pure):
    assert measure("--corpora", str(corpora), pure=pure)["dev"] == GOLDEN["dev"]
