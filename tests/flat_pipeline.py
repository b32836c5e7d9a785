"""A component that makes flat graphs, for pipelines that load at once."""

from spacy.language import Language
from spacy.tokens import Doc

import spacy_ucca  # noqa: F401
from spacy_ucca.graph import Graph, GraphBuilder


def flat_graph(doc: Doc) -> Graph:
    """RETURNS (Graph): A graph with a Scene for each sentence, in which all words are Participants."""
    builder = GraphBuilder([token.text for token in doc], punct=[t.is_punct for t in doc])
    for sentence in doc.sents:
        root, scene = builder.add_unit(), builder.add_unit()
        builder.add_edge(root, scene, "H")
        for token in sentence:
            unit = builder.add_unit("PNCT" if token.is_punct else "FN")
            edge = builder.add_edge(scene, unit, "U" if token.is_punct else "A")
            builder.add_score(edge, len(token) / 16)
            builder.add_terminal(unit, token.i)
    return builder.build()


@Language.component("test_flat", assigns=["doc._.ucca"])
def flat(doc: Doc) -> Doc:
    if any(token.text == "explode" for token in doc):
        raise ValueError("this text explodes")
    if any(token.text == "die" for token in doc):
        raise SystemExit("as if the process was ended")
    doc._.ucca = flat_graph(doc)
    return doc
