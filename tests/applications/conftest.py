"""The sample as Docs."""

import pytest
import spacy

from spacy_ucca.training.corpus import graph_to_doc


@pytest.fixture(scope="session")
def vocab():
    return spacy.blank("en").vocab


@pytest.fixture(scope="session")
def gold(sample, vocab):
    return {graph.details["id"]: graph_to_doc(graph, vocab) for graph in sample}
