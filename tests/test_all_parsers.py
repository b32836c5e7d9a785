"""The table of all parsers: rows are measured, replaced and kept."""

import all_parsers
import pytest
from test_benchmarks import one_thread, run  # noqa: F401  (a fixture)
from util import make_doc, make_nlp, overfit, tiny_config

from spacy_ucca.corpus import write_docbin

pytestmark = pytest.mark.filterwarnings("ignore:.*UW301")


def test_rows_are_measured_and_replaced(graphs, tmp_path):
    scorer = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
    nlp = make_nlp(graphs, config={**tiny_config(), "scorer": scorer})
    overfit(nlp, graphs)
    nlp.to_disk(tmp_path / "model")
    write_docbin((make_doc(nlp.vocab, graph) for graph in graphs), tmp_path / "a.spacy")
    page = tmp_path / "page.md"
    page.write_text(
        f"Before\n{all_parsers.TABLE.marks[0]}\nold\n{all_parsers.TABLE.marks[1]}\nAfter\n", "utf8"
    )
    about = ["--parser", "`tiny`", "--trained-on", "these", "--page", page, "--repeat", 1]
    model, corpora = tmp_path / "model", [tmp_path / "a.spacy", f"B={tmp_path / 'a.spacy'}"]
    first = run(all_parsers, model, *corpora, *about, "--command", "one", folder=tmp_path)
    assert [row["corpus"] for row in first["rows"]] == ["a", "B"]
    for row in first["rows"]:
        assert row["primary"] > 90 and row["speed"] > 0 and 0 < row["size"] < 10
    again = run(all_parsers, model, corpora[0], *about, "--command", "two", folder=tmp_path)
    assert [row["command"] for row in again["rows"]] == ["two", "one"]
    text = page.read_text("utf8")
    assert text.startswith("Before\n") and text.endswith("\nAfter\n") and "old" not in text
    assert all_parsers.TABLE.markdown(again["rows"]) in text and "| `two` |" in text
    same = run(all_parsers, "--page", page, folder=tmp_path)
    assert same["rows"] == again["rows"] and page.read_text("utf8") == text
    # What is wrong is said, and nothing is written
    run(all_parsers, model, corpora[0], folder=tmp_path, code=2)
    run(all_parsers, tmp_path, corpora[0], *about, "--command", "one", folder=tmp_path, code=2)
    page.write_text("No marks", "utf8")
    run(all_parsers, "--page", page, folder=tmp_path, code=2)
    run(all_parsers, "--page", tmp_path / "none.md", folder=tmp_path, code=2)
