"""The MRP metric of the CoNLL 2019 and 2020 shared tasks on meaning representation parsing, for UCCA.

Nodes of the predicted and the gold graph are paired so that the graphs have as many pieces in common as possible. Pieces of UCCA:

- tops: nodes that are tops. A `Graph` has its roots as tops.
- anchors: nodes with text, with the set of its characters: without white space, and without punctuation at either end of an anchor.
  A node of punctuation alone has the empty set.
- edges: pairs of nodes with a category; an edge of several categories is several pieces.
- attributes: remote edges, once more.

UCCA has no labels and properties of nodes. Implicit units are left out: the files of the shared tasks do not have them. "all" pools the
four kinds of pieces, and counts are pooled over all graphs. A gold graph without a predicted one is compared with an empty graph.

The pieces are those of `mtool --score mrp`, the scorer of the shared tasks. As there, a node with children by primary edges is not paired
with one without. Which nodes are paired can differ: here, the best pairs are searched for until they are proven best, or nearly so; mtool
stops after 500,000 steps, with fewer matches in long sentences. Published scores are of that search: `mtool_steps` does the same. The two
also differ where mtool demands, of some nodes by the order of its search, that nodes below them have pairs below theirs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.categories import IMPLICIT, LINKAGE
from ..graph.unit import Unit
from .correspondence import LinkValues, NodePair, find_correspondence
from .counts import Renames, Tally
from .mtool_search import SearchGraph, find_as_mtool

PIECES = ("tops", "anchors", "edges", "attributes")
ALL = "all"
# As mtool has them
SPACE = frozenset(" \t\n\f")
PUNCTUATION = SPACE | frozenset(".?!;,:“\"”‘'’()[]{}")


@dataclass(frozen=True)
class MrpGraph:
    """What the metric compares of a graph. Nodes are numbers from 0.

    text (str): The text, without white space.
    anchors (Sequence[Optional[FrozenSet[int]]]): The characters of each node, as positions in the text; None if it has no anchors.
    tops (FrozenSet[int]): The nodes that are tops.
    edges (Mapping[Tuple[int, int, str], bool]): By source, target and category, whether an edge is remote.
    """

    text: str = ""
    anchors: Sequence[frozenset[int] | None] = ()
    tops: frozenset[int] = frozenset()
    edges: Mapping[tuple[int, int, str], bool] = field(default_factory=dict)

    @classmethod
    def from_graph(cls, graph: Graph) -> "MrpGraph":
        """RETURNS (MrpGraph): What is compared of a graph. Nodes are in the order of MRP files: those with words, then the others."""
        units = [unit for unit in graph.units if unit.kind not in (IMPLICIT, LINKAGE)]
        units.sort(key=_place)
        number = {unit.index: i for i, unit in enumerate(units)}
        text = " ".join(graph.words)
        ends = list(accumulate((len(word) + 1 for word in graph.words), initial=0))
        spans = [[(ends[i], ends[i + 1] - 1) for i in unit.terminals] for unit in units]
        edges: dict[tuple[int, int, str], bool] = {}
        for edge in graph.edges:
            if edge.parent.index in number and edge.child.index in number:
                ends_of_edge = number[edge.parent.index], number[edge.child.index]
                for category in edge.categories:
                    edges.setdefault((*ends_of_edge, category), edge.remote)
        tops = frozenset(number[root.index] for root in graph.roots if root.index in number)
        return cls(*anchored(text, spans), tops, edges)

    def count(self, piece: str) -> int:
        """RETURNS (int): The number of pieces of a kind."""
        if piece == "tops":
            return len(self.tops)
        if piece == "anchors":
            return sum(anchor is not None for anchor in self.anchors)
        return len(self.edges) if piece == "edges" else sum(self.edges.values())

    def mapped(self, mapping: Mapping[str, str]) -> "MrpGraph":
        """RETURNS (MrpGraph): The graph with other categories."""
        edges: dict[tuple[int, int, str], bool] = {}
        for (source, target, category), remote in self.edges.items():
            edges.setdefault((source, target, mapping.get(category, category)), remote)
        return MrpGraph(self.text, self.anchors, self.tops, edges)


@dataclass
class MrpCounts:
    """What was counted on one pair of graphs, or on many: adding pools them.

    matches, guessed, ref (Counter[str]): By kind of piece, what both graphs have, the predicted and the gold one.
    graphs (int): The pairs.
    exact (int): Those of them for which the search for the best pairs of nodes came to its end.
    """

    matches: Counter[str] = field(default_factory=Counter)
    guessed: Counter[str] = field(default_factory=Counter)
    ref: Counter[str] = field(default_factory=Counter)
    graphs: int = 0
    exact: int = 0

    def __iadd__(self, other: "MrpCounts") -> "MrpCounts":
        self.matches.update(other.matches)
        self.guessed.update(other.guessed)
        self.ref.update(other.ref)
        self.graphs += other.graphs
        self.exact += other.exact
        return self

    def tally(self, piece: str = ALL) -> Tally:
        """RETURNS (Tally): The numbers of one kind of piece, or of all."""
        kinds = PIECES if piece == ALL else (piece,)
        counters = self.matches, self.guessed, self.ref
        return Tally(*(sum(counter[kind] for kind in kinds) for counter in counters))

    def to_scores(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): `mrp_p`, `mrp_r` and `mrp_f` of all pieces; `mrp_tops_f`, `mrp_anchors_f`, `mrp_edges_f`,
        `mrp_attributes_f` and their p and r; None where neither side has such pieces."""
        scores: dict[str, float | None] = {}
        for piece in (ALL, *PIECES):
            name = "mrp_" if piece == ALL else f"mrp_{piece}_"
            tally = self.tally(piece)
            values = tally.to_dict()
            if values["p"] is not None and not tally.matches:
                values = dict.fromkeys(values, 0.0)  # mtool has no precision of 1 for nothing
            scores.update({name + measure: value for measure, value in values.items()})
        return scores


def score_mrp(
    pairs: Iterable[tuple[Graph | MrpGraph, Graph | MrpGraph]],
    *,
    mapping: Renames = None,
    mtool_steps: int = 0,
) -> dict[str, Any]:
    """Score pairs of graphs, pooled over all of them.

    pairs (Iterable[Tuple[Union[Graph, MrpGraph], Union[Graph, MrpGraph]]]): Predicted and gold graphs.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    mtool_steps (int): Pair nodes by the search of mtool, which stops after so many steps; 0: find the best pairs.
    RETURNS (Dict[str, Any]): The scores, see `MrpCounts.to_scores`.
    RAISES (UccaError): If the graphs of a pair are over different texts.
    """
    total = MrpCounts()
    for predicted, gold in pairs:
        total += compare_mrp(predicted, gold, mapping=mapping, mtool_steps=mtool_steps)
    return total.to_scores()


def compare_mrp(
    predicted: Graph | MrpGraph,
    gold: Graph | MrpGraph,
    *,
    mapping: Renames = None,
    mtool_steps: int = 0,
) -> MrpCounts:
    """Compare a predicted graph to the gold graph over the same text.

    predicted (Union[Graph, MrpGraph]): The graph to judge. One without nodes stands for a missing graph.
    gold (Union[Graph, MrpGraph]): The reference.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    mtool_steps (int): Pair nodes by the search of mtool, which stops after so many steps; 0: find the best pairs.
    RETURNS (MrpCounts): What was counted.
    RAISES (UccaError): If the graphs are over different texts.
    """
    ours, theirs = (
        MrpGraph.from_graph(graph) if isinstance(graph, Graph) else graph
        for graph in (predicted, gold)
    )
    if ours.anchors and theirs.anchors and ours.text != theirs.text:
        raise UccaError(_text_error(ours.text, theirs.text))
    if mapping:
        ours, theirs = ours.mapped(mapping), theirs.mapped(mapping)
    if mtool_steps:
        found = find_as_mtool(SearchGraph(theirs), SearchGraph(ours), mtool_steps)
    else:
        found = find_correspondence(_node_values(theirs, ours), _link_values(theirs, ours))
    pair = dict(enumerate(found.pairs))
    edges = {
        (source, target, category): remote
        for (source, target, category), remote in theirs.edges.items()
        if (pair[source], pair[target], category) in ours.edges
    }
    matches = {
        "tops": sum(pair[top] in ours.tops for top in theirs.tops),
        "anchors": sum(
            anchor is not None and pair[node] >= 0 and ours.anchors[pair[node]] == anchor
            for node, anchor in enumerate(theirs.anchors)
        ),
        "edges": len(edges),
        "attributes": sum(
            remote and ours.edges[pair[source], pair[target], category]
            for (source, target, category), remote in edges.items()
        ),
    }
    return MrpCounts(
        Counter(matches),
        Counter({piece: ours.count(piece) for piece in PIECES}),
        Counter({piece: theirs.count(piece) for piece in PIECES}),
        graphs=1,
        exact=int(found.exact),
    )


def anchored(
    text: str, spans: Sequence[Sequence[tuple[int, int]]]
) -> tuple[str, list[frozenset[int] | None]]:
    """Find the characters that anchors stand for.

    text (str): The text.
    spans (Sequence[Sequence[Tuple[int, int]]]): The anchors of each node.
    RETURNS (Tuple[str, List[Optional[FrozenSet[int]]]]): The text without white space, and the positions in it for each node, None for
        one without anchors.
    """
    positions = list(accumulate((char not in SPACE for char in text), initial=0))
    anchors: list[frozenset[int] | None] = []
    for of_node in spans:
        found: set[int] = set()
        for start, end in of_node:
            while start < end and text[start] in PUNCTUATION:
                start += 1
            while start < end and text[end - 1] in PUNCTUATION:
                end -= 1
            found.update(range(positions[start], positions[end]))
        anchors.append(frozenset(found) if of_node else None)
    return "".join(char for char in text if char not in SPACE), anchors


def _place(unit: Unit) -> tuple[int, ...]:
    if unit.terminals:
        return 0, min(unit.terminals)
    tokens = unit.tokens()
    return 1, min(tokens, default=-1), max(tokens, default=-1)


def _node_values(gold: MrpGraph, predicted: MrpGraph) -> np.ndarray:
    values = np.zeros((len(gold.anchors), len(predicted.anchors)))
    inner = [
        {source for (source, _, _), remote in graph.edges.items() if not remote}
        for graph in (gold, predicted)
    ]
    for node, anchor in enumerate(gold.anchors):
        for j, other_anchor in enumerate(predicted.anchors):
            if (node in inner[0]) != (j in inner[1]):
                values[node, j] = -np.inf
                continue
            values[node, j] = node in gold.tops and j in predicted.tops
            values[node, j] += anchor is not None and anchor == other_anchor
    return values


def _link_values(gold: MrpGraph, predicted: MrpGraph) -> LinkValues:
    """RETURNS (LinkValues): By two nodes of the gold graph and two of the predicted one, the pieces their edges have in common."""
    by_category: dict[str, list[tuple[int, int, bool]]] = {}
    for (source, target, category), remote in predicted.edges.items():
        by_category.setdefault(category, []).append((source, target, remote))
    values: dict[NodePair, dict[NodePair, int]] = {}
    for (source, target, category), remote in gold.edges.items():
        if source == target:
            continue  # no graph of UCCA has such an edge, but a file may have one
        pairs = values.setdefault((source, target), {})
        for j, k, other_remote in by_category.get(category, ()):
            if j != k:
                pairs[j, k] = pairs.get((j, k), 0) + 1 + (remote and other_remote)
    return values


def _text_error(predicted: str, gold: str) -> str:
    shorter = min(len(predicted), len(gold))
    start = next((i for i in range(shorter) if predicted[i] != gold[i]), shorter)
    part = slice(start, start + 20)
    return Errors.UC407.format(i=start, predicted=predicted[part], gold=gold[part])
