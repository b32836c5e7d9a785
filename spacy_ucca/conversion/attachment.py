"""Attachment scores: the trees of two graphs, compared token by token.

So graphs of any parser have the LAS and UAS of dependency parsers, as Table 2 of the draft "Broad-Coverage Semantic
Constituency Parsing" (Hershcovich, Abend and Rappoport) asks for.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ..graph import Graph
from ..graph.categories import join_categories, split_label
from .bilexical import to_bilexical
from .graph import Arc


@dataclass(frozen=True)
class Attachment:
    """Counts over the tokens that are in the gold tree, punctuation too. Two add up.

    labeled (int): Tokens with the head and the label that they have in the gold tree.
    unlabeled (int): Tokens with that head.
    tokens (int): All of them.
    """

    labeled: int = 0
    unlabeled: int = 0
    tokens: int = 0

    def __add__(self, other: "Attachment") -> "Attachment":
        return Attachment(
            self.labeled + other.labeled,
            self.unlabeled + other.unlabeled,
            self.tokens + other.tokens,
        )

    def to_scores(self) -> dict[str, float | None]:
        """RETURNS (Dict[str, Optional[float]]): `ucca_las` and `ucca_uas`; None without tokens."""
        counts = {"ucca_las": self.labeled, "ucca_uas": self.unlabeled}
        return {name: n / self.tokens if self.tokens else None for name, n in counts.items()}


def score_attachment(predicted: Graph, gold: Graph) -> Attachment:
    """Compare the trees of two graphs: those of `to_bilexical` with `tree`.

    predicted (Graph): The graph to judge.
    gold (Graph): The reference, over the same tokens.
    RETURNS (Attachment): The counts.
    """
    found, expected = _heads(predicted), _heads(gold)
    same = [(found[token], arc) for token, arc in expected.items() if token in found]
    return Attachment(
        sum(ours == theirs for ours, theirs in same),
        sum(ours.head == theirs.head for ours, theirs in same),
        len(expected),
    )


def score_trees(pairs: Iterable[tuple[Graph, Graph]]) -> Attachment:
    """RETURNS (Attachment): The counts of several pairs of predicted and gold graphs, added up."""
    return sum((score_attachment(*pair) for pair in pairs), Attachment())


def _heads(graph: Graph) -> dict[int, Arc]:
    """RETURNS (Dict[int, Arc]): The arc to each token of the tree, its categories in one order."""
    arcs = to_bilexical(graph, tree=True).arcs
    return {a.dependent: a._replace(label=join_categories(split_label(a.label))) for a in arcs}
