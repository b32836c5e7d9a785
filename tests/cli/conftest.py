"""A small corpus for the commands, and a pipeline that makes flat graphs."""

import os
import signal
from pathlib import Path

import pytest
import spacy
from flat_pipeline import flat_graph
from spacy.language import Language
from spacy.tokens import Doc

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


@Language.component("test_flat_ucca")
def flat_ucca(doc: Doc) -> Doc:
    if any(token.text == "explode" for token in doc):
        raise ValueError("this text explodes")
    if "SPACY_UCCA_DEADLY" in os.environ and any(token.text == "die" for token in doc):
        os.kill(os.getpid(), signal.SIGKILL)
    doc._.ucca = flat_graph(doc)
    return doc


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_flat_ucca")
    path = tmp_path_factory.mktemp("model") / "flat"
    nlp.to_disk(path)
    return str(path)
