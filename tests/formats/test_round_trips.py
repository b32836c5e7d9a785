"""What each format loses, measured on a small corpus, and the table of the docs."""

import json
from pathlib import Path

import pytest
import round_trips
from benchmark_runs import run
from conllu_samples import MULTIWORD, multiword

from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.xml import write_xml

ROOT = Path(__file__).parents[2]


def test_round_trips(graphs, tmp_path):
    folders = [tmp_path / "UCCA_One", tmp_path / "UCCA_Two"]
    for folder, part in zip(folders, (graphs[:3], graphs[3:5]), strict=True):
        folder.mkdir()
        for i, graph in enumerate(part):
            write_xml(graph, folder / f"{i}.xml")
    found = run(round_trips, *folders, folder=tmp_path)
    assert list(found["passages"]) == [n for n, entry in FORMATS.items() if entry.reads]
    assert list(found["sentences"]) == ["sdp", "conll", "conllu", "export", "penn", "penman"]
    whole = found["passages"]["xml"]
    assert whole["graphs"] == whole["same"] == whole["scored"] == 5 and not whole["losses"]
    assert whole["primary"] == 100 and whole["corpora"] == {"UCCA_One": [3, 3], "UCCA_Two": [2, 2]}
    for level in ("passages", "sentences"):
        for name, figures in found[level].items():
            assert set(figures["losses"]) <= set(FORMATS[name].loses)
            assert figures["primary"] <= 100 and figures["same"] <= figures["graphs"]
    assert found["passages"]["sdp"]["primary"] < 100
    # The table of the same figures, without measuring
    table = run(round_trips, "--table", tmp_path / "figures.json", folder=tmp_path)["output"]
    assert "| `xml`, `jsonl`, `brackets`" in table and table.count("`") == 2 * 17
    assert "| 5 passages | 100.0 | 100.0 | 100.0 |" in table
    assert table.strip() in found["output"]
    run(round_trips, folder=tmp_path, code=2)


def test_treebanks(tmp_path):
    folder = tmp_path / "UD"
    folder.mkdir()
    (folder / "he.conllu").write_text("\n".join(map(multiword, MULTIWORD[:3])), "utf8")
    found = run(round_trips, "--treebanks", folder, folder=tmp_path)["he"]
    formats = found.pop("formats")
    assert (found["sentences"], found["words"], found["multiword"]) == (3, 36, 11)
    assert found["misplaced"] == found["contradictions"] == 0
    assert formats == {n: 3 * (n == "penn") for n, entry in FORMATS.items() if entry.reads}


def test_the_table_of_the_docs_is_that_of_its_figures():
    docs = (ROOT / "docs" / "formats.md").read_text("utf8")
    figures = json.loads((ROOT / "docs" / "round-trips.json").read_text("utf8"))
    assert round_trips.markdown(figures) in docs


@pytest.mark.slow
def test_round_trips_are_those_of_the_docs(corpora):
    """Of the smallest corpus; all together take half an hour."""
    figures = json.loads((ROOT / "docs" / "round-trips.json").read_text("utf8"))
    found = round_trips.measure([corpora / "UCCA_French-20K"])
    for level in round_trips.LEVELS:
        for name, entry in found[level].items():
            both = (figures[level][name]["corpora"], entry["corpora"])
            before, now = (each["UCCA_French-20K"] for each in both)
            assert now == before, (level, name)
