"""Details of graphs: naming guidelines replaces a name, keeps everything else, and changes nothing in place."""

import itertools

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.graph.data import read_guidelines, with_guidelines


@pytest.mark.parametrize("first, second", itertools.product(["", "v1", "v2"], repeat=2))
def test_guidelines_are_named(first: str, second: str) -> None:
    others = {"id": "some", "xml": {}}
    details = with_guidelines(others, first)
    assert others == {"id": "some", "xml": {}} and read_guidelines(details) == first
    again = with_guidelines(details, second)
    assert read_guidelines(details) == first and again == with_guidelines(others, second)
    (graph,) = read_brackets("[H [A John] [P left]]")
    graphs = [graph.replace(details=named) for named in (details, again)]
    assert [named.guidelines for named in graphs] == [first, second]
    assert Graph.join(graphs).details == with_guidelines({}, first if first == second else "")
