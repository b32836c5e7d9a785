"""Training on Docs whose tokens are not those of their references, as spaCy's own corpus reader makes them."""

import warnings

from spacy.tokens import Doc
from spacy.training import Example
from util import make_doc, make_nlp

from spacy_ucca.graph import Graph
from spacy_ucca.text.align import project


def test_graphs_are_moved_to_other_tokens(sample: list[Graph]) -> None:
    """spaCy's own reader has the pipeline make the tokens. Each token is cut in two here."""
    losses = []
    for moved_before in (False, True):
        nlp = make_nlp(sample[:4])
        examples = []
        for graph in sample[:4]:
            pieces = [part for word in graph.words for part in (word[:1], word[1:]) if part]
            if moved_before:
                graph = project(graph, pieces)[0]
            predicted = Doc(nlp.vocab, words=pieces, spaces=[False] * len(pieces))
            examples.append(Example(predicted, make_doc(nlp.vocab, graph)))
        parser = nlp.get_pipe("ucca_parser")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            losses.append([parser.update(examples)["ucca_parser"] for _ in range(2)])
        codes = [str(w.message)[:7] for w in caught]
        assert codes.count("[UW350]") == (not moved_before)
    assert losses[0] == losses[1] and losses[0][0] > 0
