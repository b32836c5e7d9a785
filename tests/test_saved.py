"""Samples that each version has saved (`scripts/write_samples.py`) are read to the same graphs; what is not, gets one message."""

from pathlib import Path

import pytest
import spacy
import srsly
from cli_runs import run
from spacy.tokens import DocBin
from write_samples import SAVED, make_graphs

import spacy_ucca
from spacy_ucca.errors import UccaError, VersionError
from spacy_ucca.formats.files import read_graphs
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

VERSIONS = sorted(path.name for path in SAVED.iterdir())
GRAPHS = make_graphs()
VOCAB = spacy.blank("xx").vocab


def read_saved(path: Path) -> list[Graph]:
    """RETURNS (List[Graph]): The graphs of a sample."""
    if path.name == "records.json":
        return [Graph.from_record(record) for record in srsly.read_json(path)]
    if path.name == "graphs.json":
        return [Graph.from_json(data) for data in srsly.read_json(path)]
    if path.name == "graphs.jsonl":
        return [*read_graphs(path)]
    if path.name == "docs.spacy":
        return [doc._.ucca for doc in DocBin().from_disk(path).get_docs(VOCAB)]
    if path.name == "graphs.parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(path)
        return [Graph.from_arrow(table.slice(i, 1)) for i in range(len(table))]
    nlp = spacy.load(path)
    docs = [bare_copy(graph_to_doc(graph, nlp.vocab), False) for graph in GRAPHS]
    return [nlp(doc)._.ucca for doc in docs]


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(SAVED.glob("*/*")) if path.parent.name != "0.1"],
    ids=lambda path: f"{path.parent.name}-{path.name}",
)
def test_what_a_version_has_saved_is_read(path: Path) -> None:
    read = read_saved(path)
    assert len(read) == len(GRAPHS)
    for graph, expected in zip(read, GRAPHS):
        assert graph.same_structure(expected)
        if path.name != "pipeline":
            assert graph.scores == expected.scores


@pytest.mark.parametrize("name", ["records.json", "graphs.jsonl"])
def test_graphs_of_0_1_are_read(name: str) -> None:
    for graph, expected in zip(read_saved(SAVED / "0.1" / name), GRAPHS, strict=True):
        assert graph.same_structure(expected) and graph.scores == expected.scores


def test_docs_of_0_1_are_refused_by_one_message() -> None:
    with pytest.raises(VersionError, match="UC327"):
        read_saved(SAVED / "0.1" / "docs.spacy")


def test_this_version_has_saved_samples() -> None:
    """And writes what it has written: a change of a format needs a version of its own."""
    folder = SAVED / spacy_ucca.__version__.rpartition(".")[0]
    assert {path.name for path in folder.iterdir()} == {
        *("docs.spacy", "graphs.json", "graphs.jsonl", "graphs.parquet", "pipeline"),
        "records.json",
    }
    assert [graph.to_record() for graph in GRAPHS] == srsly.read_json(folder / "records.json")
    assert [graph.to_json() for graph in GRAPHS] == srsly.read_json(folder / "graphs.json")


def test_what_is_of_a_later_version_names_the_remedy() -> None:
    graph = GRAPHS[0]
    for read, data in (
        (Graph.from_record, graph.to_record()),
        (Graph.from_json, graph.to_json()),
    ):
        with pytest.raises(UccaError, match=r"UC009.*Install the release that wrote it"):
            read({**data, "version": data["version"] + 1})


@pytest.mark.parametrize(
    "requirement, fits",
    [
        (f"spacy-ucca>={spacy_ucca.__version__},<0.9", True),
        ("spacy-ucca>=0.0.1,<0.0.2", True),  # an older one is tried
        ("spacy-ucca", True),
        ("spacy-ucca>=99.1.0,<99.2.0", False),
        ("spacy-ucca~=99.1", False),
        ("spacy-transformers>=99", True),
    ],
)
def test_a_pipeline_of_a_later_release_names_the_remedy(
    requirement: str, fits: bool, tmp_path: Path
) -> None:
    """Whoever loads it; and the command says no more than this."""
    nlp = spacy.blank("xx", meta={"name": "later"})
    nlp.add_pipe("sentence_boundaries")
    nlp.meta["requirements"] = [requirement]
    nlp.to_disk(tmp_path / "later")
    if fits:
        assert spacy.load(tmp_path / "later").pipe_names == nlp.pipe_names
        return
    for load in (spacy.load, spacy_ucca.load):
        with pytest.raises(VersionError, match=rf"UC787.*pip install '{requirement}'"):
            load(tmp_path / "later")
    result = run("parse", "-", "-m", tmp_path / "later", input="A text.", code=1)
    assert "UC787" in result.stderr and "UC508" not in result.stderr
