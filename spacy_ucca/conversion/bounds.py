"""Upper bounds of the conversions: scores of gold graphs converted and converted back.

No parser that learns converted graphs can be better than these figures.

Attachment scores: the trees of two graphs, compared token by token.

So graphs of any parser have the LAS and UAS of dependency parsers, as Table 2 of the draft "Broad-Coverage Semantic
Constituency Parsing" (Hershcovich, Abend and Rappoport) asks for.

Score constituency trees by their brackets, as evalb does, which scores most constituency parsers.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..graph import Graph
from ..graph.categories import join_categories, split_label
from ..metric.counts import Tally
from ..metric.score import score_graphs
from .bilexical import WAYS, from_bilexical, to_bilexical
from .constituency import from_constituency, remote_edges, to_constituency
from .graph import Arc
from .tree import ConstituencyTree, first_steps


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


def brackets(tree: ConstituencyTree) -> Counter[tuple[int, int, str]]:
    """RETURNS (Counter[Tuple[int, int, str]]): First token, end and label of the nodes of a tree. Nodes of a unary chain
    count each. Labels have no marks such as `-remote` or `-down1`: evalb cuts them off at the first hyphen."""
    return Counter((start, end, label.name) for start, end, label, _ in tree.nodes)


def score_brackets(pairs: Iterable[tuple[Graph, Graph]]) -> Tally:
    """Score the constituency trees of graphs: a node is right if the gold tree has one with the same tokens and label.

    pairs (Iterable[Tuple[Graph, Graph]]): Predicted and gold graphs over the same tokens.
    RETURNS (Tally): Matches, guessed and reference nodes, with precision, recall and F1.
    """
    total = Tally()
    for pair in pairs:
        ours, theirs = (brackets(to_constituency(graph)) for graph in pair)
        total += Tally((ours & theirs).total(), ours.total(), theirs.total())
    return total


BILEXICAL = "bilexical"
# What is scored, by its name in the scorer's scores
MEASURES = {
    "ucca_primary_f": "primary",
    "ucca_remote_f": "remote",
    "ucca_f": "all",
    "ucca_unlabeled_primary_f": "primary, unlabeled",
    "ucca_unlabeled_remote_f": "remote, unlabeled",
    "ucca_unlabeled_f": "all, unlabeled",
    "ucca_weak_f": "all, weakly labeled",
    "ucca_las": "LAS",
    "ucca_uas": "UAS",
}


def _bilexical(remotes: bool, way: str) -> Callable[[Graph], Graph]:
    return lambda graph: from_bilexical(to_bilexical(graph, tree=not remotes), **WAYS[way])


def _constituency(remotes: bool, way: str) -> Callable[[Graph], Graph]:
    def convert(graph: Graph) -> Graph:
        tree, edges = to_constituency(graph), remote_edges(graph) if remotes else ()
        if way == "one step":
            # One for each child, as the notes have it: the first
            first = {edge.child: edge for edge in reversed(edges)}
            tree, edges = first_steps(tree), tuple(first.values())
        return from_constituency(tree, edges)

    return convert


# Round trips by name. "with remotes" includes the remote edges, which a parser would predict with classifiers.
CONVERSIONS: dict[str, Callable[[Graph], Graph]] = {
    f"{kind}, {way}, {'with' if remotes else 'no'} remotes": convert(remotes, way)
    for kind, convert, ways in (
        (BILEXICAL, _bilexical, ("draft", "published", "levels")),
        ("constituency", _constituency, ("one step", "all moves")),
    )
    for way in ways
    for remotes in (True, False)
}


def upper_bounds(
    graphs: Iterable[Graph], *, track: Callable[..., Any] = iter
) -> dict[str, dict[str, float | None]]:
    """Convert gold graphs, convert them back, and score them.

    graphs (Iterable[Graph]): The graphs.
    track (Callable[[Iterable], Iterable]): Shows progress.
    RETURNS (Dict[str, Dict[str, Optional[float]]]): For each of CONVERSIONS, scores from 0 to 1 by MEASURES; None
        where there is nothing to score.
    """
    graphs = list(graphs)
    bounds = {}
    # Dependency parsers are scored by their arcs, not by those of graphs made of these: nothing is lost there.
    own_trees = score_trees(zip(graphs, graphs))
    for name, convert in track(CONVERSIONS.items()):
        pairs = [(convert(graph), graph) for graph in graphs]
        attachment = own_trees if name.startswith(BILEXICAL) else score_trees(pairs)
        scores = score_graphs(pairs) | attachment.to_scores()
        bounds[name] = {measure: scores[measure] for measure in MEASURES}
    return bounds
