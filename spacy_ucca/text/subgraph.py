"""Cut a span of tokens out of a passage, with the units, edges and details that go with it.

The rules are those of `ucca.convert.split_passage`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..graph import EdgeTuple, Graph
from ..graph.algorithms import reached
from ..graph.categories import (
    FOUNDATIONAL,
    IMPLICIT,
    LINK_ARGUMENT,
    LINK_RELATION,
    LINKAGE,
    PUNCT,
    PUNCTUATION,
    TERMINAL,
)
from ..graph.data import with_text
from ..graph.edit import subgraph
from .spacing import original_text

INDEXED = ("tokens", "units", "edges")


class PassageIndex:
    """A passage with lookup tables for cutting out its parts.

    graph (Graph): The passage.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        n = len(graph.kinds)
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.parents: list[list[int]] = [[] for _ in range(n)]
        for i, edge in enumerate(graph.edge_tuples):
            self.out[edge.parent].append(i)
            if edge.child >= 0 and not edge.remote and edge.categories[0] != PUNCTUATION:
                self.parents[edge.child].append(edge.parent)
        for edges in self.out:
            edges.sort(key=self._order)
        self.roots = sorted(root.index for root in graph.roots)
        self.text = original_text(graph)
        self.tops = frozenset(self.roots)
        self.unanchored = [False] * n
        for unit in graph.bottom_up():
            children = [
                graph.edge_tuples[i].child
                for i in self.out[unit]
                if not graph.edge_tuples[i].remote
            ]
            self.unanchored[unit] = all(c >= 0 and self.unanchored[c] for c in children) and (
                bool(children) or graph.kinds[unit] == IMPLICIT
            )

    def _order(self, index: int) -> tuple[bool, int]:
        child = self.graph.edge_tuples[index].child
        return child >= 0, abs(child)

    def text_of(self, start: int, end: int) -> str | None:
        """RETURNS (Optional[str]): The part of the passage's text that has some of its tokens, if it is known."""
        if self.text is None or start == end:
            return None
        text, spans = self.text
        return text[spans[start][0] : spans[end - 1][1]]

    def include(self, start: int, end: int) -> set[int]:
        """RETURNS (Set[int]): The units that have any of the tokens."""
        token_edges = self.graph.index.token_edge
        level = {
            self.graph.edge_tuples[token_edges[i]].parent
            for i in range(start, end)
            if token_edges[i] >= 0
        }
        ancestors: set[int] = set()
        while level:
            ancestors |= level
            level = {parent for unit in level for parent in self.parents[unit]} - ancestors
        return ancestors


class SubgraphBuilder:
    """Builds a part of a passage. Units are added in the order in which the `ucca` package adds them, because
    the order decides where punctuation goes.

    source (PassageIndex): The passage.
    start (int): The first token of the part.
    end (int): The token after its last one.
    """

    def __init__(self, source: PassageIndex, start: int, end: int) -> None:
        self.source = source
        self.old = source.graph
        self.start, self.end = start, end
        self.kinds: list[str] = []
        self.unit_sources: list[int | None] = []
        self.edges: list[tuple[EdgeTuple, int | None]] = []
        self.copies: dict[int, int] = {}
        self.include = source.include(start, end)

    def build(self, part_id: str) -> Graph:
        """RETURNS (Graph): The part, with that id."""
        self.add_unit(FOUNDATIONAL, self.source.roots[0] if self.source.roots else None)
        self.copy_units()
        self.copy_linkages()
        self.attach_punct()
        self.edges.sort(key=lambda pair: pair[0].parent)
        old = self.old
        sources = (range(self.start, self.end), self.unit_sources, [i for _, i in self.edges])
        empty = subgraph(old, units=(), tokens=range(self.start, self.end), check=False)
        return empty.replace(
            kinds=self.kinds,
            edges=[edge for edge, _ in self.edges],
            scores={k: old.scores[i] for k, (_, i) in enumerate(self.edges) if i in old.scores},
            details=with_text(
                _details(old.details, part_id, dict(zip(INDEXED, sources, strict=True))),
                self.source.text_of(self.start, self.end),
            ),
        )

    def add_unit(self, kind: str, source: int | None) -> int:
        self.kinds.append(kind)
        self.unit_sources.append(source)
        if source is not None:
            self.copies[source] = len(self.kinds) - 1
        return len(self.kinds) - 1

    def add_edge(self, parent: int, child: int, index: int, *, remote: bool = False) -> None:
        categories = self.old.edge_tuples[index].categories
        self.edges.append((EdgeTuple(parent, child, categories, remote), index))

    def inside(self, child: int) -> bool:
        if child < 0:
            return self.start <= ~child < self.end
        return child in self.include or self.source.unanchored[child]

    def copy_units(self) -> None:
        remotes: list[tuple[int, int]] = []
        stack = [(root, 0) for root in self.source.roots]
        while stack:
            unit, copy = stack.pop()
            for i in self.source.out[unit]:
                child, remote = self.old.edge_tuples[i].child, self.old.edge_tuples[i].remote
                if child in self.source.tops or (child >= 0 and self.old.kinds[child] == LINKAGE):
                    continue  # remote: it would lead from below the one root to it
                if not self.inside(child):
                    if remote:
                        self.add_edge(copy, self.add_unit(IMPLICIT, None), i)
                elif remote:
                    remotes.append((i, copy))
                elif child < 0:
                    self.add_edge(copy, child + self.start, i)
                else:
                    new = self.add_unit(self.old.kinds[child], child)
                    self.add_edge(copy, new, i)
                    if self.old.kinds[child] == PUNCT:
                        self.copy_punct(child, new)
                    else:
                        stack.append((child, new))
        for i, copy in remotes:
            child = self.old.edge_tuples[i].child
            if child in self.copies:
                self.add_edge(copy, self.copies[child], i, remote=True)
            else:
                self.add_edge(copy, self.add_unit(self.old.kinds[child], child), i)

    def copy_punct(self, unit: int, copy: int) -> None:
        """Only the first token stays in a punctuation unit; `attach_punct` finds others a place."""
        for i in self.source.out[unit]:
            child = self.old.edge_tuples[i].child
            if child < 0 and self.inside(child):
                self.add_edge(copy, child + self.start, i)
                return

    def copy_linkages(self) -> None:
        for unit in reversed([u for u, kind in enumerate(self.old.kinds) if kind == LINKAGE]):
            edges = [(i, self.old.edge_tuples[i]) for i in self.source.out[unit]]
            relations = [pair for pair in edges if LINK_RELATION in pair[1].categories]
            arguments = [pair for pair in edges if LINK_ARGUMENT in pair[1].categories]
            whole = all(e.child in self.include and e.child in self.copies for _, e in edges)
            if relations and whole:
                copy = self.add_unit(LINKAGE, unit)
                for i, edge in (relations[0], *arguments):
                    self.add_edge(copy, self.copies[edge.child], i)

    def attach_punct(self) -> None:
        """Give punctuation that hangs on nothing a unit, beside the words next to it."""
        words, punct = self.end - self.start, self.old.punct[self.start : self.end]
        attached = {~edge.child for edge, _ in self.edges if edge.child < 0}
        for token in range(words):
            if not punct[token] or token in attached:
                continue
            # From the first token on the `ucca` package goes on at the end, so we do.
            before = [i % words for i in range(token - 1, -words - 1, -1) if not punct[i]]
            after = [i for i in range(token + 1, words) if not punct[i]]
            beside = [*before[:1], *after[:1]]
            parent = self.lowest_common(beside) if beside else None
            unit = self.add_unit(PUNCT, None)
            self.edges.append((EdgeTuple(parent or 0, unit, (PUNCTUATION,)), None))
            self.edges.append((EdgeTuple(unit, ~token, (TERMINAL,)), None))

    def lowest_common(self, tokens: Sequence[int]) -> int | None:
        """The lowest unit to have all tokens; for a single token, the lowest without tokens of its own."""
        incoming: dict[int, list[int]] = {}
        outgoing: dict[int, list[int]] = {}
        for edge, _ in self.edges:
            incoming.setdefault(edge.child, []).append(edge.parent)
            outgoing.setdefault(edge.parent, []).append(edge.child)
        terminal_parents = {e.parent for e, _ in self.edges if TERMINAL in e.categories}
        others = {~token for token in tokens[1:]}
        level = [~tokens[0]]
        while level:
            level = list(dict.fromkeys(p for c in level for p in sorted(incoming.get(c, ()))))
            for unit in level:
                if self.kinds[unit] != FOUNDATIONAL:
                    continue
                if (others or unit not in terminal_parents) and others <= reached(
                    (unit,), lambda node: outgoing.get(node, ())
                ):
                    return unit
        return None


def _details(
    details: Mapping[str, Any], part_id: str, sources: Mapping[str, Sequence[int | None]]
) -> dict[str, Any]:
    """Build the details of a part: copy the entries of its tokens, units and edges, without IDs and positions."""
    fields = {**details, "id": part_id}
    if "xml" not in details:
        return fields
    xml = {key: value for key, value in details["xml"].items() if key not in INDEXED}
    for what, indices in sources.items():
        old = details["xml"].get(what, {})
        entries = {}
        for i, source in enumerate(indices):
            entry = old.get(str(source), {})
            entry = {k: v for k, v in entry.items() if k not in ("id", "position")}
            if entry:
                entries[str(i)] = entry
        if entries:
            xml[what] = entries
    return {**fields, "xml": xml}
