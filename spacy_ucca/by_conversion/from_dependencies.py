"""`ucca_from_dependencies`: the pipeline component that makes UCCA graphs of what a dependency parser says.

The parser before it is spaCy's own `parser`, trained on trees of UCCA graphs (`spacy-ucca dependencies`,
`configs/conversion.cfg`): parsing by conversion, as in section 3.2 of the draft "Broad-Coverage Semantic
Constituency Parsing" (Hershcovich, Abend and Rappoport). What trees and graphs have to do with each other is in
`dependencies.py`. Nothing is learned here; the trainable component that parses without trees is `component.py`'s.
"""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..graph import Graph
from ..tokens.dependencies import clear_dependencies, graph_from_dependencies
from ..tokens.extension import register_extensions
from .base import GraphMaker

register_extensions()


@Language.factory(
    "ucca_from_dependencies",
    assigns=["doc._.ucca"],
    requires=["token.dep", "token.head", "token.is_sent_start"],
    default_config={
        "levels": True,
        "linkage": False,
        "clear": False,
        "repair": True,
        "scorer": {"@scorers": "spacy-ucca.dependencies_scorer.v1"},
    },
    default_score_weights={
        "ucca_f": 1.0,
        "ucca_p": 0.0,
        "ucca_r": 0.0,
        "ucca_primary_f": 0.0,
        "ucca_unlabeled_f": 0.0,
        "ucca_weak_f": 0.0,
        "ucca_dep_uas": 0.0,
        "ucca_dep_las": 0.0,
        "ucca_per_type": None,
    },
)
def make_ucca_from_dependencies(
    nlp: Language,
    name: str,
    levels: bool,
    linkage: bool,
    clear: bool,
    repair: bool,
    scorer: Callable | None,
) -> "UccaFromDependencies":
    """Make a UccaFromDependencies.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    levels (bool): The way back from trees to graphs: see `conversion.bilexical.from_bilexical`.
    linkage (bool): Whether to add linkage units: see `linkage.add_linkage`.
    clear (bool): Whether to take the dependencies off again, so that another parser can come after: see
        `dependencies.clear_dependencies`.
    repair (bool): Whether to mend graphs that break the rules of UCCA; see `repair.py`.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (UccaFromDependencies): The component.
    """
    return UccaFromDependencies(
        name, levels=levels, linkage=linkage, clear=clear, repair=repair, scorer=scorer
    )


class UccaFromDependencies(GraphMaker):
    """Makes the UCCA graph that the dependencies of a Doc stand for, on `doc._.ucca`, one root per sentence.

    name (str): The component instance name.
    clear (bool): Whether to take the dependencies off the Doc again; its sentences stay.
    **settings: `levels`, `linkage`, `repair` and `scorer` of `GraphMaker`.
    """

    def __init__(
        self, name: str = "ucca_from_dependencies", *, clear: bool = False, **settings: Any
    ) -> None:
        super().__init__(name, **settings)
        self.clear = clear

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with dependencies.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If it has no dependencies, or labels that are no categories.
        """
        super().__call__(doc)
        if self.clear:
            clear_dependencies(doc)
        return doc

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that the dependencies stand for."""
        return graph_from_dependencies(doc, levels=self.levels)
