"""Score constituency trees by their brackets, as evalb does, which scores most constituency parsers."""

from collections import Counter
from collections.abc import Iterable

from ..graph import Graph
from ..metric.counts import Tally
from .constituency import to_constituency
from .tree import ConstituencyTree


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
