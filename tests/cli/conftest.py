"""A small corpus for the commands."""

from pathlib import Path

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three files: two sentences in two paragraphs, one sentence, no token at all."""
    folder = tmp_path / "gold"
    folder.mkdir()
    two = read_brackets(
        "# id = first\n# paragraphs = 1*5 2*4\n"
        "[H [A I] [P came] [U ,] [P saw]] [U .] [H [A You] [P left ^.]] [U !]"
    )
    one = read_brackets("# id = b\n[H [A It] [P rains] [D now]] [U .]")
    write_xml(two[0], folder / "a.xml")
    write_xml(one[0], folder / "b.xml")
    write_xml(Graph([], [], [], details={"id": "third"}), folder / "c.xml")
    return folder
