"""Fixtures that many tests share."""

from pathlib import Path

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def sample() -> list[Graph]:
    """Our own annotated sentences, covering every construction: see data/sample.txt."""
    return read_brackets((DATA / "sample.txt").read_text("utf8"), source="sample.txt")
