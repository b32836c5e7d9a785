"""`ucca_tree_parser`: spaCy's own dependency parser, for trees of UCCA graphs in pipelines that have another
parser before it.

Model, transition system and training are spaCy's. The one difference is that dependencies which are there
already are taken off before the trees are written, and not until then: the model may read them as features.
What makes graphs of the trees is `from_dependencies.py`.
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
        states_or_beams (Any): What `predict` gave.
        """
        for doc in docs:
            clear_dependencies(doc)
        super().set_annotations(docs, states_or_beams)
