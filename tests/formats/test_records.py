"""JSON lines of records: all comes back, and damaged ones are refused with their place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.records import read_jsonl, write_jsonl
from spacy_ucca.formats.roundtrip import count_losses

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(0, 1) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(st.lists(graphs(max_roots=2), min_size=1, max_size=3), st.data())
@settings(max_examples=40)
def test_all_comes_back(sample, data):
    written = []
    for i, graph in enumerate(sample):
        scores = {e: data.draw(st.integers(0, 1000)) / 1000 for e in range(len(graph.edge_tuples))}
        details = {**graph.details, "id": str(i), "text": " ".join(graph.words)}
        written.append(graph.replace(scores=scores, details=details))
    found = read_jsonl("".join(map(write_jsonl, written)))
    assert found == written and all(a.allclose(b) for a, b in zip(found, written))
    assert not any(count_losses(a, b) for a, b in zip(written, found))


@given(graphs(), st.data())
@settings(max_examples=200)
def test_damaged_records_are_refused_or_are_graphs(graph, data):
    record = json.loads(write_jsonl(graph))
    key = data.draw(st.sampled_from(sorted(record)))
    value = record[key]
    if isinstance(value, list) and value and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(value) - 1))
        if isinstance(value[i], list) and data.draw(st.booleans()):
            value[i][data.draw(st.integers(0, len(value[i]) - 1))] = data.draw(VALUES)
        else:
            value[i] = data.draw(VALUES)
    else:
        record[key] = data.draw(VALUES)
    line = json.dumps(record)
    try:
        (found,) = read_jsonl(line, source="x.jsonl")
    except FormatError as err:
        assert "x.jsonl" in str(err)
    else:
        assert read_jsonl(write_jsonl(found)) == [found]


@pytest.mark.parametrize("key", ["words", "units", "edges", "punct", "paragraphs", "version"])
def test_what_is_missing_is_named_with_its_line(key):
    lines = [write_jsonl(graph) for graph in read_brackets("[H [P Stop]] [U !]\n\n[H [P Go]]")]
    record = json.loads(lines[1])
    del record[key]
    with pytest.raises(FormatError, match=f"x, line 2.*{key}"):
        read_jsonl(lines[0] + json.dumps(record), source="x")
