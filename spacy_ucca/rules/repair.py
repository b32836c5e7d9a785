"""Repair graphs that a parser made where they break the rules of UCCA.

A parser decides on one edge after the other, so some of its units have children that no annotator would put together:
a Participant beside a Center, Scenes within a Process. `repair` gives such edges other categories, as few as it can
and rather those that the parser was not sure of. It leaves out remote edges and implicit units that do not fit, and
gives Scenes without a Process or State one: their words, if they have nothing else, or an implicit one. Which tokens
hang together never changes.
"""

from collections.abc import Iterable, Sequence

from ..graph import Graph
from .bit_grammar import bit_grammar, bits
from .draft import Draft
from .grammar import CATEGORIES, Table
from .repair_costs import NEW
from .repair_labels import LabelRepair
from .repair_remotes import drop_remotes
from .repair_structure import repair_linkage, repair_tokens

__all__ = ["repair"]


def repair(
    graph: Graph,
    punct: Sequence[bool] | None = None,
    *,
    categories: Iterable[str] | None = None,
    table: Table = CATEGORIES,
) -> Graph:
    """Repair a graph where it breaks the rules of UCCA, including those that the `ucca` package checks.

    graph (Graph): A graph, of one sentence or several. Tokens that hang on nothing stay so.
    punct (Optional[Sequence[bool]]): Which tokens are punctuation, if it is not what the graph says: units over
        others will be no punctuation units.
    categories (Optional[Iterable[str]]): The categories that edges may get, where any of them fits; if not given, those
        that the corpora of all guidelines have.
    table (Table): The rules about categories.
    RETURNS (Graph): A graph that follows the rules; the same one, if it did.
    """
    if punct is not None and tuple(map(bool, punct)) != graph.punct:
        graph = graph.replace(punct=punct)
    grammar = bit_grammar(table)
    draft = Draft(graph)
    repair_tokens(draft)
    repair_linkage(draft)
    draft.index_edges(grammar.not_remote)
    labels = LabelRepair(
        draft, grammar, NEW if categories is None else NEW & bits(frozenset(categories))
    )
    labels.repair()
    # Labels that fitted a remote edge may be changed once it is gone.
    while drop_remotes(draft, grammar):
        labels.repair()
    return draft.build()
