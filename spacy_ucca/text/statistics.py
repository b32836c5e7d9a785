"""Count the nodes, edges and remote edges of a corpus, and the moves of its conversion to constituency trees.

The figures are those of the papers that the package is built from: nodes by type with several parents and
discontinuous ones (Hershcovich, Abend and Rappoport's draft on semantic constituency parsing, section 6), implicit
units and linkage (supplementary notes to "A Transition-Based DAG Parser for UCCA", Table 1), remote edges per
node, where remote parents stand, nodes that cross, and moves (notes on a UCCA parsing system, Jiang 2019, section 2).
"""

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..conversion.constituency import count_moves
from ..graph import Graph
from ..graph.algorithms import without_gaps
from ..graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, join_categories

__all__ = ["RELATIONS", "TYPES", "CorpusStatistics", "count_corpus"]

NON_TERMINALS, TERMINALS = "non-terminals", "terminals"
KIND_NAMES = {
    FOUNDATIONAL: "foundational",
    PUNCT: "punctuation",
    IMPLICIT: "implicit",
    LINKAGE: "linkage",
}
# Types of nodes; the kinds of units are the parts of the non-terminals
TYPES = ("all", TERMINALS, NON_TERMINALS, *KIND_NAMES.values())
# What is counted of sentences, and types of edges
SIZES = ("sentences", "tokens", "unattached", "discontinuous", "linkage", "crossing")
EDGES = ("primary", "remote", "linkage", "terminals", "several categories")
# What the remote parent of a node is to its primary parent
SAME, SIBLING, DESCENDANT, ANCESTOR, OTHER = "same", "sibling", "descendant", "ancestor", "other"
RELATIONS = (SIBLING, DESCENDANT, ANCESTOR, SAME, OTHER)


@dataclass
class CorpusStatistics:
    """What a corpus has of each thing, by name. Two add up.

    sizes (Counter[str]): `sentences` (graphs), `tokens`, `unattached` tokens, `discontinuous` and `linkage`
        sentences: those with such a unit; `crossing` pairs of discontinuous units: those that have tokens in gaps of
        each other.
    nodes (Counter[str]): Nodes by TYPES.
    shared (Counter[str]): Those of them with more than one parent, linkage not counted.
    linked (Counter[str]): Those of them with more than one parent, linkage counted.
    discontinuous (Counter[str]): Those of them with other tokens between theirs.
    edges (Counter[str]): `primary` edges between units, `remote` ones, edges of `linkage` units, edges to
        `terminals`, and of the first two together those with `several categories`.
    categories (Counter[str]): Primary and remote edges by their joined categories.
    remotes (Counter[int]): Units that have remote parents, by how many.
    relations (Counter[str]): Remote edges by RELATIONS: what the remote parent is to the primary one.
    moves (Counter[str]): Nodes that are moved in constituency trees, such as `down1`.
    """

    sizes: Counter[str] = field(default_factory=Counter)
    nodes: Counter[str] = field(default_factory=Counter)
    shared: Counter[str] = field(default_factory=Counter)
    linked: Counter[str] = field(default_factory=Counter)
    discontinuous: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    remotes: Counter[int] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    moves: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "CorpusStatistics") -> "CorpusStatistics":
        return CorpusStatistics(
            **{name: counts + getattr(other, name) for name, counts in vars(self).items()}
        )

    def add(self, graph: Graph) -> None:
        """Count one more graph."""
        self._add_nodes(graph)
        self._add_edges(graph)
        self.moves.update(count_moves(graph))

    def _add_nodes(self, graph: Graph) -> None:
        self.sizes.update(sentences=1, tokens=len(graph.words))
        self.sizes["unattached"] += sum(edge < 0 for edge in graph.index.token_edge)
        self._count(self.nodes, TERMINALS, len(graph.words))
        gaps: list[int] = []  # the tokens of discontinuous units
        for unit in graph.units:
            name = KIND_NAMES[unit.kind]
            self._count(self.nodes, name)
            parents = [edge for edge in unit.incoming if not edge.is_linkage]
            if len(parents) > 1:
                self._count(self.shared, name)
            if len(unit.incoming) > 1:
                self._count(self.linked, name)
            if unit.kind != LINKAGE and unit.is_discontinuous:
                self._count(self.discontinuous, name)
                gaps.append(graph.index.masks[unit.index] << graph.index.starts[unit.index])
        self.sizes["discontinuous"] += bool(gaps)
        self.sizes["linkage"] += LINKAGE in graph.kinds
        self.sizes["crossing"] += sum(_cross(*pair) for pair in itertools.combinations(gaps, 2))

    def _count(self, counts: Counter[str], name: str, n: int = 1) -> None:
        counts[name] += n
        counts["all"] += n
        if name != TERMINALS:
            counts[NON_TERMINALS] += n

    def _add_edges(self, graph: Graph) -> None:
        remotes: Counter[int] = Counter()
        for parent, child, categories, remote in graph.edge_tuples:
            if child < 0:
                self.edges["terminals"] += 1
            elif graph.kinds[parent] == LINKAGE:
                self.edges["linkage"] += 1
            else:
                self.edges["remote" if remote else "primary"] += 1
                self.edges["several categories"] += len(categories) > 1
                self.categories[join_categories(categories)] += 1
                if remote:
                    remotes[child] += 1
                    self.relations[_relation(graph, parent, child)] += 1
        self.remotes.update(remotes.values())

    @classmethod
    def from_dict(cls, record: dict[str, dict[str, Any]]) -> "CorpusStatistics":
        """RETURNS (CorpusStatistics): The counts that `to_dict` gave."""
        counts: dict[str, Any] = {name: Counter(record[name]) for name in vars(cls())}
        counts["remotes"] = Counter({int(n): count for n, count in record["remotes"].items()})
        return cls(**counts)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """RETURNS (Dict[str, Dict[str, Any]]): The counts as plain data, for JSON; types that never occur are 0. `by_type` has
        the number of `nodes` of each type, and the shares of `shared` and `discontinuous` ones among them."""
        record: dict[str, dict[str, Any]] = {
            name: dict(value) for name, value in vars(self).items()
        }
        for name in ("nodes", "shared", "linked", "discontinuous"):
            record[name] = {key: getattr(self, name)[key] for key in TYPES}
        record["edges"] = {name: self.edges[name] for name in EDGES}
        record["sizes"] = {name: self.sizes[name] for name in SIZES}
        record["by_type"] = {
            name: {"nodes": n}
            | {key: record[key][name] / (n or 1) for key in ("shared", "discontinuous")}
            for name, n in record["nodes"].items()
        }
        record["relations"] = {name: self.relations[name] for name in RELATIONS}
        record["remotes"] = {str(n): self.remotes[n] for n in sorted(self.remotes)}
        for name in ("moves", "categories"):
            counts = record[name]
            record[name] = {key: counts[key] for key in sorted(counts)}
        return record


def count_corpus(graphs: Iterable[Graph]) -> CorpusStatistics:
    """RETURNS (CorpusStatistics): The figures of a corpus."""
    statistics = CorpusStatistics()
    for graph in graphs:
        statistics.add(graph)
    return statistics


def _cross(first: int, second: int) -> bool:
    """RETURNS (bool): Whether two sets of tokens, as bits, have tokens in gaps of each other and none in common."""
    return not first & second and bool(
        without_gaps(first) & second and without_gaps(second) & first
    )


def _relation(graph: Graph, parent: int, child: int) -> str:
    """RETURNS (str): What the remote parent of a unit is to its primary parent: one of RELATIONS."""
    primary = graph[child].parent
    if primary is None:
        return OTHER
    remote = graph[parent]
    if remote == primary:
        return SAME
    if remote.parent == primary.parent:
        return SIBLING
    if primary in remote.ancestors():
        return DESCENDANT
    return ANCESTOR if remote in primary.ancestors() else OTHER
