"""Passages to sentences and back to one root: by annotation, by paragraphs, by given ends.

The rules are those of the `ucca` package (Hershcovich et al.), whose sentences published results rest
on; they are told where they are not what one would expect. Sentences given by another corpus are
found by `sentences.py`, files are read and written in `formats`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .categories import LINK_ARGUMENT, LINK_RELATION, PUNCTUATION, TERMINAL
from .errors import Errors, UccaError
from .graph import EdgeTuple, Graph
from .units import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT

SENTENCE_END_MARKS = (".", "?", "!")
QUOTES = ("'", '"', "`", "»", "«")
MAIN_RELATIONS = frozenset("PS")
INDEXED = ("tokens", "units", "edges")


def split_sentences(graph: Graph) -> list[Graph]:
    """Divide a passage into sentences by its annotation, as `ucca.convert.split2sentences` does.

    graph (Graph): The passage.
    RETURNS (List[Graph]): The sentences; see `split_at`.
    RAISES (UccaError): If the passage has no annotation.
    """
    return split_at(graph, sentence_ends(graph))


def split_paragraphs(graph: Graph) -> list[Graph]:
    """RETURNS (List[Graph]): The paragraphs of a passage, annotated or not; see `split_at`."""
    return split_at(graph, paragraph_ends(graph))


def split_at(graph: Graph, ends: Sequence[int], ids: Sequence[str] | None = None) -> list[Graph]:
    """Divide a passage at given places, as `ucca.convert.split_passage` does, but for paragraph
    numbers and the attributes of units and edges, which are kept.

    A unit with tokens in several parts is in all of them, and so are implicit units under it. A remote
    edge to a unit of another part becomes an implicit unit; where only the primary parent is in another
    part, the edge becomes primary. A linkage stays where all it links is in one part. Punctuation left
    without a unit goes under the lowest unit that has the words beside it.

    graph (Graph): The passage. Several roots become one.
    ends (Sequence[int]): For each part the index of the token after its last one.
    ids (Optional[Sequence[str]]): The ids of the parts. If not given, the id of the passage followed by
        the number of the part in three digits, from 000.
    RETURNS (List[Graph]): The parts, each with one root.
    RAISES (UccaError): If the ends do not grow up to the number of tokens.
    """
    ends = list(ends)
    starts = [0, *ends[:-1]]
    n = len(graph.words)
    if any(a >= b for a, b in zip(starts, ends, strict=False)) or (ends[-1] if ends else 0) != n:
        raise UccaError(Errors.UC151.format(ends=ends, n=n))
    if ids is None:
        ids = [f"{graph.details.get('id', '')}{i:03d}" for i in range(len(ends))]
    if len(ids) != len(ends):
        raise UccaError(Errors.UC152.format(ids=len(ids), ends=len(ends)))
    return cut(graph, list(zip(starts, ends, strict=True)), ids)


def cut(graph: Graph, spans: Iterable[tuple[int, int]], ids: Iterable[str]) -> list[Graph]:
    """Take parts of a passage; `split_at` for parts that need not cover it.

    graph (Graph): The passage.
    spans (Iterable[Tuple[int, int]]): First token of each part and the one after the last.
    ids (Iterable[str]): The ids of the parts.
    RETURNS (List[Graph]): The parts, each with one root.
    """
    source = _Source(graph if "xml" in graph.details else in_reading_order(graph))
    parts = []
    for (start, end), part_id in zip(spans, ids, strict=True):
        parts.append(_Part(source, start, end).build(part_id))
    return parts


def merge_roots(graph: Graph) -> Graph:
    """Put the children of all roots under the first root, as `ucca.convert.join_passages` does: the
    `ucca` package evaluates one root only.

    graph (Graph): A graph, such as that of a Doc of several sentences.
    RETURNS (Graph): The graph with one root; the graph itself, if it has no more than one.
    """
    roots = [root.index for root in graph.roots]
    if len(roots) < 2:
        return graph
    merged = set(roots[1:])
    kept = [unit for unit in range(len(graph.kinds)) if unit not in merged]
    number = {unit: i for i, unit in enumerate(kept)}
    number.update((unit, number[roots[0]]) for unit in merged)
    edges = [_renumbered(e, number) for e in graph.edge_tuples]
    return _like(graph, [graph.kinds[unit] for unit in kept], edges)


def in_reading_order(graph: Graph) -> Graph:
    """Number units from the root down, linkage last; order edges by parents and what they lead to.

    graph (Graph): Any graph.
    RETURNS (Graph): The same structure; of the details, only the id is kept.
    """
    order = [unit.index for unit in graph.units]
    number = {unit: i for i, unit in enumerate(order)}

    def key(edge: EdgeTuple) -> tuple[int, bool, int]:
        return edge.parent, edge.child >= 0, abs(edge.child)

    edges = sorted((_renumbered(e, number) for e in graph.edge_tuples), key=key)
    return _like(graph, [graph.kinds[unit] for unit in order], edges)


def _renumbered(edge: EdgeTuple, number: Mapping[int, int]) -> EdgeTuple:
    child = edge.child if edge.child < 0 else number[edge.child]
    return EdgeTuple(number[edge.parent], child, edge.categories, edge.remote)


def _like(graph: Graph, kinds: Sequence[str], edges: Iterable[EdgeTuple]) -> Graph:
    """A graph over the same tokens, with what of the details is not bound to units and edges."""
    details = {key: value for key, value in graph.details.items() if key != "xml"}
    return Graph(
        graph.words, kinds, edges, punct=graph.punct, paragraphs=graph.paragraphs, details=details
    )


# Where parts end


def paragraph_ends(graph: Graph) -> list[int]:
    """RETURNS (List[int]): For each paragraph the index of the token after its last one."""
    entries = graph.details.get("xml", {}).get("tokens", {})
    starts = [
        i
        for i in range(1, len(graph.words))
        if graph.paragraphs[i] != graph.paragraphs[i - 1]
        or entries.get(str(i), {}).get("position") == 1
    ]
    return [*starts, len(graph.words)] if graph.words else []


def sentence_ends(graph: Graph) -> list[int]:
    """Find sentences by annotation: a sentence ends with its paragraph, or with ".", "?" or "!" where
    also a top-level Scene ends, punctuation after that included.

    graph (Graph): The passage.
    RETURNS (List[int]): For each sentence the index of the token after its last one.
    RAISES (UccaError): If the passage has no annotation.
    """
    if not graph.words:
        return []
    if not graph.edge_tuples:
        raise UccaError(Errors.UC150)
    if "xml" not in graph.details:
        graph = in_reading_order(graph)
    scenes = [graph[unit].tokens() for unit in _top_scenes(graph)]
    scene_starts = {tokens[0] for tokens in scenes if tokens}
    scene_ends = {tokens[-1] + 1 for tokens in scenes if tokens}
    ends: list[int] = []
    for i, word in enumerate(graph.words):
        # The mark itself often hangs outside of the Scene it closes.
        closes = i + 1 in scene_ends or (i in scene_ends and i not in scene_starts)
        if word in SENTENCE_END_MARKS and closes:
            ends.append(i + 1)
        elif ends and ends[-1] == i and graph.punct[i]:
            if not (word in QUOTES and word == graph.words[i - 1]):
                ends.append(i + 1)
    found = sorted({*ends, *paragraph_ends(graph)})
    # Of several ends with only punctuation between them, the last counts.
    return [
        end
        for end, following in zip(found, [*found[1:], None], strict=True)
        if following is None or not all(graph.punct[end - 1 : following - 1])
    ]


def _top_scenes(graph: Graph) -> set[int]:
    """Scenes within no other Scene, as the `ucca` package keeps track of them while it reads a passage
    edge by edge. It misses that a Scene is within another when a unit between them is attached last,
    so the order of the edges counts."""
    kinds = graph.kinds
    parents, is_scene = [-1] * len(kinds), [False] * len(kinds)
    head = min((root.index for root in graph.roots), default=-1)
    scenes: set[int] = set()

    def is_top(unit: int) -> bool:
        above = parents[unit]
        while above not in (-1, head):
            if is_scene[above]:
                return False
            above = parents[above]
        return True

    def update(unit: int) -> None:
        if not is_scene[unit] or kinds[unit] not in (FOUNDATIONAL, IMPLICIT):
            return
        if unit in scenes:
            if not is_top(unit):
                scenes.remove(unit)
        elif is_top(unit):
            scenes.add(unit)
            scenes.difference_update([scene for scene in scenes if not is_top(scene)])

    for edge in graph.edge_tuples:
        if MAIN_RELATIONS.intersection(edge.categories):
            is_scene[edge.parent] = True
        if edge.child >= 0 and not edge.remote and kinds[edge.parent] in (FOUNDATIONAL, IMPLICIT):
            parents[edge.child] = edge.parent
        update(edge.parent)
        if edge.child >= 0:
            update(edge.child)
    return scenes


# Taking a part


class _Source:
    """What all parts of a passage need to know of it."""

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
        self.unanchored = [False] * n
        for unit in graph._bottom_up():
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

    def include(self, start: int, end: int) -> set[int]:
        """RETURNS (Set[int]): The units that have any of the tokens."""
        token_edges = self.graph._token_edge
        level = {
            self.graph.edge_tuples[token_edges[i]].parent
            for i in range(start, end)
            if token_edges[i] >= 0
        }
        found: set[int] = set()
        while level:
            found |= level
            level = {parent for unit in level for parent in self.parents[unit]} - found
        return found


class _Part:
    """A part of a passage in the making. Units are added in the order in which the `ucca` package adds
    them, which decides where punctuation goes."""

    def __init__(self, source: _Source, start: int, end: int) -> None:
        self.source = source
        self.old = source.graph
        self.start, self.end = start, end
        self.kinds: list[str] = []
        self.unit_sources: list[int | None] = []
        self.edges: list[tuple[EdgeTuple, int | None]] = []
        self.copies: dict[int, int] = {}
        self.include = source.include(start, end)

    def build(self, part_id: str) -> Graph:
        self.add_unit(FOUNDATIONAL, self.source.roots[0] if self.source.roots else None)
        self.copy_units()
        self.copy_linkages()
        self.attach_punct()
        self.edges.sort(key=lambda pair: pair[0].parent)
        old, span = self.old, slice(self.start, self.end)
        sources = (range(self.start, self.end), self.unit_sources, [i for _, i in self.edges])
        return Graph(
            old.words[span],
            self.kinds,
            [edge for edge, _ in self.edges],
            punct=old.punct[span],
            paragraphs=old.paragraphs[span],
            details=_details(old.details, part_id, dict(zip(INDEXED, sources, strict=True))),
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
                if self.kinds[unit] not in (FOUNDATIONAL, IMPLICIT):
                    continue
                if (others or unit not in terminal_parents) and others <= _below(unit, outgoing):
                    return unit
        return None


def _below(unit: int, outgoing: Mapping[int, Sequence[int]]) -> set[int]:
    found, stack = {unit}, [unit]
    while stack:
        for child in outgoing.get(stack.pop(), ()):
            if child not in found:
                found.add(child)
                stack.append(child)
    return found


def _details(
    details: Mapping[str, Any], part_id: str, sources: Mapping[str, Sequence[int | None]]
) -> dict[str, Any]:
    """The details of a part: what was kept of a token, unit or edge goes with it, but for numbers."""
    found = {**details, "id": part_id}
    if "xml" not in details:
        return found
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
    return {**found, "xml": xml}
