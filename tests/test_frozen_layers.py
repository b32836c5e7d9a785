"""Layers of a transformer that stay as they are: mistakes. What is computed is in test_transformer.py, which needs one."""

import pytest
import spacy
from spacy.util import registry


def test_components_without_a_transformer_are_named() -> None:
    config = {"@callbacks": "spacy-ucca.freeze_layers.v1", "n_layers": 2, "component": "tagger"}
    callback = registry.resolve({"freeze": config})["freeze"]
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    with pytest.raises(ValueError, match=r"UC821.*'tagger'.*it has none"):
        callback(nlp)
    with pytest.raises(KeyError):
        callback(spacy.blank("en"))
