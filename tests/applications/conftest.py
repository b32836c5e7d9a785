"""The sample as Docs, and the shipped pipeline."""

from pathlib import Path

import pytest
import spacy

from spacy_ucca.training.corpus import graph_to_doc

MODEL = Path(__file__).parents[2] / "models" / "en_ucca_sm"


@pytest.fixture(scope="session")
def nlp():
    if not MODEL.exists():
        pytest.skip("no pipeline ships yet")
    return spacy.load(MODEL)


@pytest.fixture(scope="session")
def vocab():
    return spacy.blank("en").vocab


@pytest.fixture(scope="session")
def gold(sample, vocab):
    return {graph.details["id"]: graph_to_doc(graph, vocab) for graph in sample}
