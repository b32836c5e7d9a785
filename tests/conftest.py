"""Fixtures that many tests share."""

import os
from pathlib import Path

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

DATA = Path(__file__).parent / "data"
CORPORA = Path(
    os.environ.get("SPACY_UCCA_CORPORA") or Path(__file__).parents[2] / "shared" / "corpora"
)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The directory of shared corpora; tests that need it are skipped where it is not."""
    if not CORPORA.is_dir():
        pytest.skip("no corpora: set SPACY_UCCA_CORPORA, or put them in ../shared/corpora")
    return CORPORA


@pytest.fixture(scope="session")
def sample() -> list[Graph]:
    """Our own annotated sentences, covering every construction: see data/sample.txt."""
    return read_brackets((DATA / "sample.txt").read_text("utf8"), source="sample.txt")
