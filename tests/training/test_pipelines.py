"""Components of a pipeline, found by what they do."""

import pytest
import spacy
from spacy.language import Language

from spacy_ucca.training.pipelines import SDP, UCCA, names_assigning, without_ucca


@Language.component("another_graph_maker", assigns=["doc._.ucca"])
def another_graph_maker(doc):
    return doc


def pipeline(*factories: str) -> Language:
    nlp = spacy.blank("en")
    for factory in factories:
        nlp.add_pipe(factory, name=f"my_{factory}")
    return nlp


def test_components_are_found_by_what_they_assign():
    nlp = pipeline("tagger", "ucca_parser", "sdp_parser", "another_graph_maker")
    assert names_assigning(nlp, UCCA) == ["my_ucca_parser", "my_another_graph_maker"]
    assert names_assigning(nlp, SDP) == ["my_sdp_parser"]
    with nlp.select_pipes(disable=["my_sdp_parser"]):
        assert names_assigning(nlp, SDP) == []


@pytest.mark.parametrize(
    ("factories", "left"),
    [
        # The dependencies that become graphs are UCCA categories, no syntax.
        (("parser", "ucca_tree_parser", "ucca_from_dependencies"), ["parser"]),
        (("tagger", "parser", "ucca_from_dependencies"), ["tagger"]),
        (("parser", "sdp_parser", "ucca_from_bilexical"), ["parser"]),
        (("tagger", "parser", "ucca_parser", "ucca_span_parser"), ["tagger", "parser"]),
        (("tagger", "another_graph_maker"), ["tagger"]),
        # It gives white space a tag, which the parser before it has not seen.
        (("tagger", "ucca_parser", "attribute_ruler"), ["tagger"]),
        (("tagger", "attribute_ruler", "ucca_parser"), ["tagger", "attribute_ruler"]),
    ],
)
def test_what_predicts_syntax_alone(factories, left):
    nlp = pipeline(*factories)
    with without_ucca(nlp):
        assert nlp.pipe_names == [f"my_{name}" for name in left]
    assert len(nlp.pipe_names) == len(factories)
