"""`spacy-ucca evaluate --raw`: a pipeline on the text of passages, beside gold sentences and tokens."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_ucca.cli import _pipelines, app
from spacy_ucca.cli.evaluate import GOLD, RAW, TOKENIZED, doc_of, evaluate_raw
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.text.align import project
from spacy_ucca.tokens.extension import get_guidelines
from spacy_ucca.training.convert import read_passages

PASSAGE = (
    "[H [A Ann] [P ran]] [U .] [H [A [C St] [U .] [C Ives]] [D [F can] [C not]] [P win]] [U .]"
)
GRAPH = read_brackets(PASSAGE)[0]


class Oracle:
    """A component that knows the gold graph, and moves it to the tokens of a Doc."""

    def __init__(self) -> None:
        self.seen: list[str] = []  # the guidelines of the Docs

    def __call__(self, doc: Doc) -> Doc:
        self.seen.append(get_guidelines(doc))
        doc._.ucca, _ = project(GRAPH, doc)
        return doc


@Language.factory("test_raw_oracle", assigns=["doc._.ucca"])
def make_oracle(nlp: Language, name: str) -> Oracle:
    return Oracle()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "xml"
    folder.mkdir()
    for name in ("1", "2"):
        write_xml(GRAPH.replace(details={"id": name}), folder / f"{name}.xml")
    return tmp_path


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_raw_oracle")
    return nlp


def test_three_rows(nlp, corpus):
    scores = evaluate_raw(nlp, corpus)
    assert scores["passages"] == 2 and scores["words"] == 20 and scores["skipped"] == []
    # "St." is one token for spaCy, and "Ives" is not the start of a sentence.
    assert [scores[row]["tokens_differing"] for row in (GOLD, TOKENIZED, RAW)] == [0, 4, 4]
    assert all(scores[row]["ucca_f"] == 1 for row in (GOLD, TOKENIZED, RAW))
    assert all(scores[row]["sents_f"] == 1 for row in (GOLD, TOKENIZED, RAW))


def test_guidelines_that_a_passage_names_are_followed(nlp, corpus):
    folder = corpus / "xml"
    for name, guidelines in (("1", "v1"), ("2", "")):
        details = {"id": name} | ({"guidelines": guidelines} if guidelines else {})
        write_xml(GRAPH.replace(details=details), folder / f"{name}.xml")
    seen: list[str] = []
    nlp.get_pipe("test_raw_oracle").seen = seen
    evaluate_raw(nlp, corpus)
    assert seen == ["v1", ""] * 3
    seen.clear()
    evaluate_raw(nlp, corpus, guidelines="v2")
    assert seen == ["v2", "v2"] * 3


def test_sentences_that_are_given_are_kept(corpus):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["Ives"]})
    nlp.add_pipe("test_raw_oracle")
    scores = evaluate_raw(nlp, corpus)
    assert [scores[row]["sents_f"] for row in (GOLD, TOKENIZED, RAW)] == [1, 1, 0]


def test_tokens_over_sentence_borders(nlp, corpus):
    """A token that has the end of a sentence and the start of the next: the next sentence starts after it."""
    nlp.tokenizer = spacy.tokenizer.Tokenizer(nlp.vocab)
    (passage, _) = read_passages(corpus)
    glued = type(passage)(
        passage.graph,
        tuple(space and i != 2 for i, space in enumerate(passage.spaces)),
        passage.sentence_ends,
        passage.paragraph_ends,
    )
    assert glued.text == "Ann ran.St. Ives can not win."
    doc = doc_of(nlp, glued, TOKENIZED)
    assert [token.text for token in doc if token.is_sent_start] == ["Ann", "Ives"]


def test_pipeline_without_graphs(corpus):
    with pytest.raises(UccaError, match="UC506"):
        evaluate_raw(spacy.blank("en"), corpus)


def test_too_long(nlp, corpus):
    nlp.max_length = 5
    with pytest.raises(UccaError, match=r"UC515.*1 has 30"):
        evaluate_raw(nlp, corpus)


def test_command(nlp, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(_pipelines, "load_pipeline", lambda *args, **options: nlp)
    out = tmp_path / "scores.json"

    def run(*options: str):
        command = ["evaluate", "model", str(corpus), "--json", str(out), *options]
        return CliRunner().invoke(app, command)

    result = run("--raw", "--per-type")
    assert result.exit_code == 0, result.output
    assert "raw text" in result.output and "category" in result.output
    assert json.loads(out.read_text("utf8"))[RAW]["ucca_f"] == 1
    (tmp_path / "list.txt").write_text("2\n", "utf8")
    result = run("--raw", "--list", str(tmp_path / "list.txt"))
    assert result.exit_code == 0 and "1 passages, 10 words" in result.output
    (tmp_path / "list.txt").write_text("3\n", "utf8")
    result = run("--raw", "--list", str(tmp_path / "list.txt"))
    assert result.exit_code == 1 and "UC221" in result.output
    result = run("--list", str(tmp_path / "list.txt"))
    assert result.exit_code == 2 and "Only with --raw" in result.output
    (corpus / "xml" / "0.xml").write_text("<root", "utf8")
    result = run("--raw")
    assert result.exit_code == 1 and "0.xml" in result.output and "raw text" in result.output
