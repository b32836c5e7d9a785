"""The directory of a run: files whole or not at all, and a text that ends processes is given up in the end."""

import pytest

from spacy_ucca.distributed.output import MAX_DEATHS, Output
from spacy_ucca.distributed.stage import ParseStage
from spacy_ucca.errors import UccaError

parquet = pytest.importorskip("pyarrow.parquet")
TEXTS = ["I came.", "You left!", "It rains.", "The end."]


@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_a_text_that_ends_processes_costs_itself_alone(place, flat_model, tmp_path):
    out, stage = Output.at(tmp_path / "out"), ParseStage(flat_model)
    texts = [*TEXTS[:place], "I die.", *TEXTS[place:]]
    items = [(str(i), text) for i, text in enumerate(texts)]
    for _ in range(1 + MAX_DEATHS):  # the first with all texts together
        with pytest.raises(SystemExit):
            out.parse("a.parquet", items, stage)
        assert not out.names()
    assert out.parse("a.parquet", items, stage)[1:] == (5, 12, 1)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.parquet"] and out.names()
    rows = parquet.read_table(tmp_path / "out").to_pylist()
    assert [row["id"] for row in rows] == list("01234")
    assert [i for i, row in enumerate(rows) if row["error"]] == [place]
    assert "UC579" in rows[place]["error"] and rows[place]["tokens"] is None


@pytest.mark.parametrize("deaths", [1, MAX_DEATHS])
def test_a_process_that_is_ended_for_no_fault_of_a_text_costs_none(deaths, flat_model, tmp_path):
    out, stage = Output.at(tmp_path / "out"), ParseStage(flat_model)
    items = [(str(i), text) for i, text in enumerate(TEXTS)]
    out.parse("whole.parquet", items, stage)
    for _ in range(deaths):
        with pytest.raises(SystemExit):
            out.parse("a.parquet", [*items[:-1], ("3", "I die.")], stage)
    out.parse("a.parquet", items, stage)
    assert out.names() == {"a.parquet", "whole.parquet"}
    whole, again = (parquet.read_table(tmp_path / "out" / n) for n in sorted(out.names()))
    assert whole == again


def test_a_place_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("", "utf8")
    with pytest.raises(UccaError, match="UC504"):
        Output.at(tmp_path / "file")
