"""Passives out of labeled text, with implicit Participants."""

from pathlib import Path

import find_passives
import pytest
import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.training.corpus import graph_to_doc, read_docbin, write_docbin

OPENED = "[H [A [F The] [C door]] [F was] [P opened]{}] [U .]"
BY = "[H [A [F The] [C door]] [F was] [P opened] [A [R by] [C John]]] [U .]"


def labeled(text: str, guidelines: str = "v2") -> Doc:
    """A Doc with a graph, and dependencies of a passive."""
    [graph] = read_brackets(text)
    plain = graph_to_doc(graph, Vocab())
    words = [token.text for token in plain]
    deps = {"was": "aux:pass", "by": "case", "John": "obl"}
    heads = [words.index("John" if word == "by" else "opened") for word in words]
    doc = Doc(
        plain.vocab,
        words=words,
        heads=heads,
        deps=["ROOT" if w == "opened" else deps.get(w, "dep") for w in words],
    )
    doc._.ucca = graph
    set_guidelines(doc, guidelines)
    return doc


@pytest.fixture
def silver(tmp_path: Path) -> Path:
    docs = [
        labeled(OPENED.format("")),
        labeled(OPENED.format(" [A IMPLICIT]")),  # has one
        labeled(OPENED.format(""), guidelines="v1"),
        labeled(BY),
    ]
    write_docbin(docs, tmp_path / "silver.spacy")
    return tmp_path / "silver.spacy"


def test_passives_get_a_participant(silver: Path, tmp_path: Path) -> None:
    find_passives.main("en", silver, tmp_path / "out.spacy", n=10, seed=0)
    [doc] = read_docbin(tmp_path / "out.spacy", Vocab())
    [expected] = read_brackets(OPENED.format(" [A IMPLICIT]"))
    assert doc._.ucca.same_structure(expected)
    assert not [*validate_graph(doc._.ucca)]
    assert doc._.ucca_guidelines == "v2" and not doc.has_annotation("DEP")


def test_a_language_whose_corpora_have_none(silver: Path, tmp_path: Path) -> None:
    find_passives.main("de", silver, tmp_path / "out.spacy", n=10, seed=0)
    assert not (tmp_path / "out.spacy").exists()


def test_mistakes_are_named(silver: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(find_passives.main)
    (tmp_path / "empty.spacy").touch()
    for source, output, n, code, expected in (
        (silver, tmp_path / "out.spacy", "0", 2, "--n"),
        (silver, tmp_path, "1", 2, "is a directory"),
        (tmp_path / "empty.spacy", tmp_path / "out.spacy", "1", 1, "is not a .spacy file"),
    ):
        result = CliRunner().invoke(app, ["en", str(source), str(output), "--n", n])
        lines = (line.strip("│ ") for line in result.output.split("\n"))
        assert result.exit_code == code and expected in " ".join(lines)


def test_no_passives(tmp_path: Path) -> None:
    write_docbin([labeled(BY)], tmp_path / "silver.spacy")
    find_passives.main("en", tmp_path / "silver.spacy", tmp_path / "out.spacy", n=10, seed=0)
    assert not (tmp_path / "out.spacy").exists()
