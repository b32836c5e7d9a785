"""`ucca_tree_parser`: spaCy's own dependency parser, for trees of UCCA graphs in pipelines that have another
parser before it.

Model, transition system and training are spaCy's. The one difference is that dependencies which are there
already are taken off before the trees are written, and not until then: the model may read them as features.
What makes graphs of the trees is `from_dependencies.py`.
"""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.pipeline.dep_parser import DEFAULT_PARSER_MODEL, DependencyParser
from spacy.tokens import Doc
from thinc.api import Model

from ..tokens.dependencies import clear_dependencies


@Language.factory(
    "ucca_tree_parser",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config={
        "model": DEFAULT_PARSER_MODEL,
        "min_action_freq": 5,
        "update_with_oracle_cut_size": 100,
        "scorer": {"@scorers": "spacy.parser_scorer.v1"},
    },
    default_score_weights={
        "dep_uas": 0.0,
        "dep_las": 1.0,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": None,
    },
)
def make_ucca_tree_parser(
    nlp: Language,
    name: str,
    model: Model,
    min_action_freq: int,
    update_with_oracle_cut_size: int,
    scorer: Callable | None,
) -> "TreeParser":
    """Make a TreeParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model): The model, such as "spacy.TransitionBasedParser.v2".
    min_action_freq (int): How often a label has to occur to be learned; see spaCy's `parser`. Here it is
        less: the labels of arcs that cross others are rare.
    update_with_oracle_cut_size (int): See spaCy's `parser`.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (TreeParser): The component.
    """
    return TreeParser(
        nlp.vocab,
        model,
        name,
        min_action_freq=min_action_freq,
        update_with_oracle_cut_size=update_with_oracle_cut_size,
        scorer=scorer,
    )


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
