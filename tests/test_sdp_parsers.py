"""The table of `sdp_parser`: rows are measured, replaced and kept, and the table of the docs is that of its figures."""

import json
from pathlib import Path

import pytest
import sdp_parsers
from spacy.training import Example
from test_benchmarks import one_thread, run  # noqa: F401  (a fixture)
from test_sdp_parser import make_parser, references

from spacy_ucca.bilexical.corpus import write_sdp_docbin
from spacy_ucca.corpus import bare_copy

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.filterwarnings("ignore:.*UW301")


def test_rows_are_measured_and_replaced(tmp_path):
    nlp = make_parser()
    # Without tags and trees, as nothing in the pipeline gives any
    examples = [Example(bare_copy(doc, False), doc) for doc in references(nlp.vocab)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    write_sdp_docbin([eg.reference for eg in examples], tmp_path / "a.spacy")
    page = tmp_path / "page.md"
    page.write_text("\n".join(["Before", *sdp_parsers.TABLE.marks, "After\n"]), "utf8")
    about = ["--data", "these", "--page", page, "--repeat", 1, "--called"]
    args = [sdp_parsers, tmp_path / "model", tmp_path / "a.spacy", *about]
    first = run(*args, "one", "--command", "x", folder=tmp_path)["rows"]
    assert first[0]["LF"] > 90 and first[0]["LM"] > 50 and first[0]["speed"] > 0
    run(*args, "two", "--command", "x", folder=tmp_path)
    last = run(*args, "one", "--command", "y", folder=tmp_path)["rows"]
    assert [(row["model"], row["command"]) for row in last] == [("one", "y"), ("two", "x")]
    assert sdp_parsers.TABLE.markdown(last) in page.read_text("utf8")
    # What is wrong is said, and nothing is written
    run(*args[:2], folder=tmp_path, code=2)
    nlp.remove_pipe("sdp_parser")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    run(*args, "one", "--command", "x", folder=tmp_path, code=2)


def test_the_table_of_the_docs_is_that_of_its_figures():
    rows = json.loads((ROOT / "docs" / "sdp.json").read_text("utf8"))["rows"]
    start, end = sdp_parsers.TABLE.marks
    table = f"{start}\n\n{sdp_parsers.TABLE.markdown(rows)}\n\n{end}"
    assert table in (ROOT / "docs" / "sdp.md").read_text("utf8")
