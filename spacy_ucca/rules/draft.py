"""A graph while it is repaired: edges by number, their categories as bits; and what each change of it costs.

Costs of repair are in units of an edge's weight, which grows with the parser's confidence in it. Costs of the label
search are negative log probabilities. All were chosen on development sets: those of repair on EWT and Wiki, with the
shipped pipeline's parser, those of the label search on EWT, with the span parser.
"""

from collections.abc import Iterable
from functools import cache
from math import log

from ..graph import EdgeTuple, Graph
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT
from .bit_grammar import BITS, NAMES, OTHER, bits

# Repair: cost of giving an edge other categories.
COST = 1.0  # any new category but those of NATURAL: the unit of all others
NATURAL_COST = 0.8  # the first category of NATURAL: a little less
NATURAL_STEP = 0.02  # more for each further category of NATURAL: decides between equals
PART_COST = 0.3  # to keep some of several categories, such as A of S|A: nothing new is claimed
# Repair: cost of dropping edges.
DROP_COST = 0.9  # a remote edge
# an implicit unit: less than NATURAL_COST, for another category is hardly ever right
IMPLICIT_COST = 0.7
# Repair: cost of adding a main relation to a Scene without one.
NEW_COST = 0.5  # an implicit Process; also the weight of its edge, and of that of a State
WORD_COST = 0.25  # a State of the Scene's tokens, where it has no other children with words
# Repair: the weight of an edge of probability 0, and the factor that keeps that of probability 1 finite.
LEAST_WEIGHT, SUREST = 0.2, 0.999

# Label search: cost of breaking a rule; so high that a rule is broken only where nothing else is possible.
BROKEN = 25.0
# Label search: cost of a unit without a main relation or Center, as either may be a remote child or implicit.
MISSING = 2.0
# Label search: the cost of a label that is never to be chosen.
NEVER = 1e6

# What another category becomes most naturally, where it cannot stay; the first letters before the later ones.
NATURAL = {
    **{"P": "CH", "S": "CH", "A": "EHC", "D": "E", "T": "DE", "H": "ACP", "G": "DF", "L": "NRF"},
    **{"C": "SPHA", "E": "CDA", "Q": "ED", "N": "LRF", "R": "F", "F": "R"},
}
NEW = bits("HLGPSADCENRF")  # categories that repair may assign; not all guidelines have T and Q


@cache
def repair_actions(
    label: int, allowed: int, needed: int, new: int = NEW
) -> tuple[tuple[float, int], ...]:
    """Find the categories that an edge may get, and their costs.

    label (int): Its categories.
    allowed (int): The categories that are allowed.
    needed (int): Those of which it has to have one, and only one; 0 for none.
    new (int): Those that the edge may get.
    RETURNS (Tuple[Tuple[float, int], ...]): For each action, its cost and the categories of the edge after it.
    """
    natural = "".join(NATURAL.get(NAMES.get(1 << k, ""), "") for k in _set_bits(label))
    parts = [label & allowed]
    if needed:
        parts = [label & allowed & (~needed | 1 << k) for k in _set_bits(label & needed & allowed)]
    actions = [(0.0 if part == label else PART_COST, part) for part in parts if part]
    for k in _set_bits(new & (needed or allowed) & allowed & ~label):
        place = natural.find(NAMES[1 << k])
        actions.append((COST if place < 0 else NATURAL_COST + NATURAL_STEP * place, 1 << k))
    return tuple(action for action in actions if not needed or action[1] & needed)


def edge_weight(score: float) -> float:
    """RETURNS (float): What it costs to say that an edge of some probability is wrong: the negative log probability that
    it is, and a little for the change."""
    return LEAST_WEIGHT - log(1 - SUREST * score)


def _set_bits(label: int) -> list[int]:
    """RETURNS (List[int]): The numbers of the bits that are set."""
    return [k for k in range(label.bit_length()) if label >> k & 1]


class Draft:
    """A graph while it is repaired.

    graph (Graph): The graph before.
    kinds (List[str]): The kind of each unit.
    edges (List[EdgeTuple]): All edges. Categories of edges that `labels` knows are those in `labels`.
    scores (Dict[int, float]): The scores of edges that have one.
    dropped (Set[int]): Edges that are left out.
    linked (Set[int]): Units that linkage units link.

    Of edges between units, once `index_edges` was called:
    roots (List[int]): The units without parent.
    kids, remotes (List[List[int]]): The primary and the remote edges of each unit.
    shared (List[List[int]]): The remote edges to each unit.
    primary (List[int]): The primary edge to each unit, or -1.
    tokens (Dict[int, List[int]]): The edges to tokens of units that have any.
    children (List[int]): The child of each edge.
    labels (List[int]): The categories of each edge, as bits. 0 for edges that are left out.
    weights (List[float]): What it costs to change each edge; 0 for those that nothing may change.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds = list(graph.kinds)
        self.edges = list(graph.edge_tuples)
        self.scores = dict(graph.scores)
        self.dropped: set[int] = set()
        self.linked: set[int] = set()

    def index_edges(self, not_remote: int) -> None:
        """Index the edges between units by the units that they connect. Remote edges that nothing can save are dropped.

        not_remote (int): The categories that remote edges do not have, as bits.
        """
        n = len(self.kinds)
        self.kids: list[list[int]] = [[] for _ in range(n)]
        self.remotes: list[list[int]] = [[] for _ in range(n)]
        self.shared: list[list[int]] = [[] for _ in range(n)]
        self.tokens: dict[int, list[int]] = {}
        self.children = [edge.child for edge in self.edges]
        self.labels = [0] * len(self.edges)
        self.weights = [0.0] * len(self.edges)
        self.primary = [-1] * n
        parents = [-1] * n
        later = []
        kinds, dropped = self.kinds, self.dropped
        for i, (parent, child, categories, remote) in enumerate(self.edges):
            if child < 0:
                if kinds[parent] == FOUNDATIONAL:
                    self.tokens.setdefault(parent, []).append(i)
            elif kinds[parent] == FOUNDATIONAL and i not in dropped:
                if remote:
                    later.append(i)
                    continue
                parents[child], self.primary[child] = parent, i
                if kinds[child] != PUNCT:
                    self._add(i, self.kids[parent], bits(categories))
            elif kinds[parent] == IMPLICIT:
                dropped.add(i)
        self.roots = [
            u for u, p in enumerate(parents) if p < 0 and self.kinds[u] not in (LINKAGE, PUNCT)
        ]
        seen = set()
        for i in sorted(later, key=lambda i: -self.scores.get(i, 1.0)):
            edge = self.edges[i]
            label = bits(edge.categories) & ~not_remote
            pair = edge.parent, edge.child
            if not label or pair in seen or parents[edge.child] in (-1, edge.parent):
                dropped.add(i)
                continue
            seen.add(pair)
            self._add(i, self.remotes[edge.parent], label)
            self.shared[edge.child].append(i)

    def _add(self, i: int, edges: list[int], label: int) -> None:
        edges.append(i)
        self.labels[i] = label
        self.weights[i] = edge_weight(self.scores.get(i, 1.0))

    def edges_of(self, unit: int) -> list[int]:
        """RETURNS (List[int]): The edges to the children of a unit, remote ones last."""
        return [*self.kids[unit], *self.remotes[unit]]

    def edges_to(self, unit: int) -> list[int]:
        """RETURNS (List[int]): The edges to a unit from its parents: the primary one first (or -1), then remote ones."""
        return [self.primary[unit], *self.shared[unit]]

    def is_bare(self, unit: int) -> bool:
        """RETURNS (bool): Whether a unit has no children of its own with words, beside its tokens."""
        return all(self.kinds[self.children[i]] == IMPLICIT for i in self.kids[unit])

    def score_new(self, edge: int, near: Iterable[int]) -> None:
        """Score an edge that is added to a graph with scores: it is as likely as the least likely of some edges, or of all
        edges if none of these has a score.

        edge (int): The new edge.
        near (Iterable[int]): The edges near it.
        """
        scores = [self.scores[i] for i in near if i in self.scores] or [*self.scores.values()]
        if scores:
            self.scores[edge] = min(scores)

    def add_relation(self, unit: int) -> int:
        """Give a Scene its relation: a State of its tokens, if it has nothing else with words, or an implicit Process. The
        edge is as likely as the least likely of the Scene's other children and the Scene itself; if none of these has a
        score, as the least likely edge of the graph.

        unit (int): The Scene.
        RETURNS (int): The new unit.
        """
        tokens = self.tokens.pop(unit, []) if self.is_bare(unit) else []
        new, i = len(self.kinds), len(self.edges)
        self.score_new(i, [*self.edges_of(unit), self.primary[unit]])
        self.kinds.append(FOUNDATIONAL if tokens else IMPLICIT)
        self.edges.append(EdgeTuple(unit, new, ("S" if tokens else "P",)))
        for k in tokens:
            self.edges[k] = self.edges[k]._replace(parent=new)
        if tokens:
            self.tokens[new] = tokens
        self.children.append(new)
        self.primary.append(i)
        for lists in (self.kids, self.remotes, self.shared):
            lists.append([])
        self.kids[unit].append(i)
        self.labels.append(bits(self.edges[i].categories))
        self.weights.append(NEW_COST)
        return new

    def build(self) -> Graph:
        """RETURNS (Graph): The graph without what was left out; the graph before, if nothing changed."""
        old, edges, scores, dropped = self.graph, self.edges, self.scores, self.dropped
        for i, (label, weight) in enumerate(zip(self.labels, self.weights)):
            if not weight or label == bits(edges[i].categories):
                continue
            if not label:
                dropped.add(i)
                continue
            categories = tuple(c for c in edges[i].categories if BITS.get(c, OTHER) & label)
            if not categories:
                categories = (NAMES[label],)
                if i in scores:  # the replacement of a likely edge is unlikely
                    scores[i] = 1 - scores[i]
            edges[i] = edges[i]._replace(categories=categories)
        # Implicit units, and linkage units without edges.
        below = ((i, edges[i].child) for i in dropped)
        left_out = {child for i, child in below if child >= 0 and self.primary[child] == i}
        links = {u for u, k in enumerate(self.kinds) if k == LINKAGE}
        left_out |= links - {e.parent for i, e in enumerate(edges) if links and i not in dropped}
        if not dropped and edges == list(old.edge_tuples) and self.kinds == list(old.kinds):
            return old
        if dropped:
            indices = [
                i for i, e in enumerate(edges) if i not in dropped and e.child not in left_out
            ]
            edges = [edges[i] for i in indices]
            scores = {k: scores[i] for k, i in enumerate(indices) if i in scores}
        if left_out:
            units = [u for u in range(len(self.kinds)) if u not in left_out]
            number = {u: i for i, u in enumerate(units)}
            edges = [
                EdgeTuple(number[parent], number.get(child, child), categories, remote)
                for parent, child, categories, remote in edges
            ]
            self.kinds = [self.kinds[u] for u in units]
        return old.replace(kinds=self.kinds, edges=edges, scores=scores, check=False)
