"""`ucca_tree_parser`: spaCy's dependency parser, for trees of UCCA graphs in pipelines that have another
parser before it.

Model, transition system and training are spaCy's. The one difference is that existing dependencies are removed before
the trees are written, and not earlier: the model may read them as features.
"""

from typing import Any

from spacy.pipeline.dep_parser import DependencyParser
from spacy.tokens import Doc

from ..tokens.dependencies import clear_dependencies


class TreeParser(DependencyParser):
    """spaCy's `DependencyParser`, which writes its trees in place of dependencies that are there."""

    def set_annotations(self, docs: list[Doc], states_or_beams: Any) -> None:
        """Write trees to Docs.

        docs (List[Doc]): The Docs.
        states_or_beams (Any): The result of `predict`.
        """
        for doc in docs:
            clear_dependencies(doc)
        super().set_annotations(docs, states_or_beams)
