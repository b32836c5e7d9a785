"""The UCCA metric: compare a predicted graph with a gold graph by the tokens and categories of their edges.

The counts equal those of `ucca.evaluation.evaluate(predicted, gold)` (ucca 1.3.11) to the last match.
Both graphs are copied and normalized first; the arguments never change.

Counted, per construction:

- Each edge is identified by its yield: the tokens under its child unit. Punctuation and tokens reached only by
  remote edges do not count. An edge to an implicit unit has the yield of its parent.
- Edges with the same yield count once, with all their categories together: a chain of units over the same tokens
  is one item. An item matches if both graphs have an edge with this yield and, labeled, at least one category in
  common.
- "primary" has edges that are neither remote nor to an implicit unit; "remote" has remote edges; "implicit" has
  primary edges to implicit units. Edges to punctuation, to tokens and of linkage units do not count.

"discontinuous" has the primary edges to units with a gap: a word that is not theirs between two words that are. The
toolkit has no such figure, and all others have these edges too. They are counted before normalization, which moves
Functions and so makes and fills gaps. Punctuation makes no gap, for it belongs to no yield; nor does white space that
hangs on nothing, as in `Unit.is_discontinuous`.

"exact" asks for the same set of categories on both sides; the toolkit takes one in common for a match.

"all" pools primary and remote, as SemEval 2019 Task 1 does; "average" pools implicit too, as the
toolkit's `average_f1` has done since November 2019 although it is documented as the former.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import Errors
from ..graph import Graph
from ..graph.algorithms import without_gaps
from ..graph.categories import LINK_ARGUMENT, LINK_RELATION, LINKAGE, PUNCTUATION, TERMINAL
from ..graph.data import check_words, unit_number
from ..graph.edit import subgraph
from . import counts as counting
from .counts import Counts, Renames
from .mutable import MutableGraph
from .normalization import COORDINATED, move_functions, normalize

# Categories weakly labeled scores do not tell apart
EQUIVALENT = (("P", "S"), ("H", "C"), ("N", "L"), ("F", "R"))
_NONE: frozenset[str] = frozenset()
_NOT_ITEMS = frozenset((LINK_ARGUMENT, LINK_RELATION, TERMINAL))


def score_graphs(
    pairs: Iterable[tuple[Graph, Graph]], *, mapping: Renames = None
) -> dict[str, Any]:
    """Score pairs of graphs, pooled over all of them.

    pairs (Iterable[Tuple[Graph, Graph]]): Predicted and gold graphs.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first, such as
        {"T": "D", "Q": "E"} to compare with SemEval 2019 Task 1.
    RETURNS (Dict[str, Any]): `ucca_p`, `ucca_r`, `ucca_f`: labeled, primary and remote edges pooled
        (SemEval's "All"); `ucca_primary_f`, `ucca_remote_f`, `ucca_implicit_f`, `ucca_discontinuous_f` and their p and r;
        all of these again as `ucca_unlabeled_...`, `ucca_weak_...` and `ucca_exact_...`; `ucca_per_type`, a dict
        from category to p, r and f; `ucca_counts`, see `Counts.to_dict`. A value is None where neither side has
        anything to score.
    RAISES (UccaError): If the graphs of a pair are over different tokens.
    """
    total = Counts()
    for predicted, gold in pairs:
        total += score_pair(predicted, gold, mapping=mapping)
    return total.to_scores()


def score_pair(predicted: Graph, gold: Graph, *, mapping: Renames = None) -> Counts:
    """Compare a predicted graph to the gold graph over the same tokens.

    Graphs of several sentences, each with its root, are compared sentence by sentence where both have
    their roots over the same tokens (and no edge crosses). Otherwise the roots of each graph are
    merged into one and the graphs compared as wholes. Each side's own punctuation flags are used.

    predicted (Graph): The graph to judge.
    gold (Graph): The reference.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    RETURNS (Counts): What was counted.
    RAISES (UccaError): If the graphs are over different tokens.
    """
    counts = Counts()
    for part in compared_parts(predicted, gold, mapping=mapping):
        _count(part.predicted, part.gold, counts)
    return counts


class ComparedPart(NamedTuple):
    """A predicted and a gold graph that are compared as one: a pair of sentences, or the whole.

    predicted, gold (MutableGraph): Their copies. Unit i of a copy is the i-th of `..._units`, units from
        there on were made by normalization.
    start (int): The token of the whole text that is token 0 here.
    predicted_units, gold_units (Sequence[int]): Units of the graphs that were given.
    """

    predicted: MutableGraph
    gold: MutableGraph
    start: int
    predicted_units: Sequence[int]
    gold_units: Sequence[int]


class ComparedItem(NamedTuple):
    """What the metric counts once: edges with the same tokens.

    construction (str): "primary", "remote" or "implicit".
    mask (int): Bit set of the tokens; bit 0 is token 0 of the part.
    predicted, gold (Tuple[str, ...]): The categories on either side; none where there is no such edge.
    """

    construction: str
    mask: int
    predicted: tuple[str, ...]
    gold: tuple[str, ...]

    @property
    def is_match(self) -> bool:
        """RETURNS (bool): Whether it is a labeled match: one category in common is enough."""
        return not set(self.predicted).isdisjoint(self.gold)


def compared_parts(
    predicted: Graph, gold: Graph, *, mapping: Renames = None
) -> Iterator[ComparedPart]:
    """The pairs of copies that `score_pair` counts on, before they are normalized.

    predicted (Graph): The graph to judge.
    gold (Graph): The reference.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides first.
    YIELDS (ComparedPart): The pairs.
    RAISES (UccaError): If the graphs are over different tokens.
    """
    check_words(predicted.words, gold.words, Errors.UC400)
    sides = [_ScoredGraph(predicted, mapping), _ScoredGraph(gold, mapping)]
    borders = [side.borders() for side in sides]
    if borders[0] and borders[0] == borders[1]:
        parts = [side.cut(borders[0]) for side in sides]
        if parts[0] and parts[1]:
            paired = zip(parts[0], parts[1], borders[0], strict=False)
            for (ours, units), (theirs, others), start in paired:
                nets = _ScoredGraph(ours, mapping).whole(), _ScoredGraph(theirs, mapping).whole()
                yield ComparedPart(*nets, start, units, others)
            return
    numbers = [range(len(graph.kinds)) for graph in (predicted, gold)]
    yield ComparedPart(sides[0].whole(), sides[1].whole(), 0, *numbers)


def compared_items(part: ComparedPart) -> list[ComparedItem]:
    """Normalize a pair in place and list what is counted on it: what matches is what `score_pair`
    counts as labeled matches, what has categories on one side is all that side is counted with.

    part (ComparedPart): The pair, not normalized yet.
    RETURNS (List[ComparedItem]): The items, by construction and tokens.
    """
    compared = []
    sides = _normalized_items(part.predicted, part.gold)
    for name, *both in zip(counting.CONSTRUCTIONS, *sides, strict=True):
        for mask in sorted({**both[0], **both[1]}):
            labels = (tuple(sorted(items.get(mask, (_NONE,))[0])) for items in both)
            compared.append(ComparedItem(name, mask, *labels))
    return compared


class _ScoredGraph:
    """One of the graphs to compare, and how to take it apart."""

    def __init__(self, graph: Graph, mapping: Renames) -> None:
        self.graph = graph
        self.mapping = mapping
        self.identifiers = _identifiers(graph)
        self.coordinated = _coordinated(graph)
        kinds, edges = graph.kinds, graph.edge_tuples
        # A unit with remote parents only is no root
        self.roots = sorted(
            (
                unit
                for unit, edge in enumerate(graph.index.parent_edge)
                if edge < 0
                and kinds[unit] != LINKAGE
                and all(kinds[edges[i].parent] == LINKAGE for i in graph.index.into[unit])
            ),
            key=lambda unit: (graph.index.starts[unit], graph.index.masks[unit].bit_length()),
        )

    def whole(self) -> MutableGraph:
        """RETURNS (MutableGraph): The graph under one root."""
        roots = self.roots
        if self.identifiers:  # as in its file: other roots stay detached
            roots = [min(roots, key=self.identifiers.__getitem__)] if roots else []
        return MutableGraph(
            self.graph,
            roots=roots,
            mapping=self.mapping,
            identifiers=self.identifiers,
            coordinated=self.coordinated,
        )

    def borders(self) -> list[int] | None:
        """RETURNS (Optional[List[int]]): Where each sentence starts, and the end of the text. Tokens
        that hang on nothing go with the sentence before them. None for a single sentence, and if
        sentences are not one after the other."""
        graph, roots = self.graph, self.roots
        if len(roots) < 2 or self.identifiers:
            return None
        starts = [graph.index.starts[root] for root in roots]
        ends = [s + graph.index.masks[r].bit_length() for s, r in zip(starts, roots, strict=True)]
        if ends[-1] == starts[-1] or any(
            e > s or s == before for e, s, before in zip(ends, starts[1:], starts, strict=False)
        ):
            return None
        return [0, *starts[1:], len(graph.words)]

    def cut(self, borders: list[int]) -> list[tuple[Graph, list[int]]] | None:
        """RETURNS (Optional[List[Tuple[Graph, List[int]]]]): The sentences, without linkage, each with
        the units of this graph that are its own; None if they are connected with each other."""
        graph = self.graph
        sentence = {root: i for i, root in enumerate(self.roots)}
        for unit in reversed(graph.bottom_up()):
            if unit not in sentence:
                continue
            i = sentence[unit]
            for edge in (graph.edge_tuples[x] for x in graph.index.out[unit]):
                if edge.child >= 0 and sentence.setdefault(edge.child, i) != i:
                    return None
        units: list[list[int]] = [[] for _ in self.roots]
        for unit, i in sorted(sentence.items()):
            units[i].append(unit)
        spans = [range(start, end) for start, end in pairwise(borders)]
        return [
            (subgraph(graph, units=own, tokens=span, details={}), own)
            for own, span in zip(units, spans, strict=True)
        ]


_Categories = frozenset[str]
_Items = dict[int, tuple[_Categories, _Categories]]


def _count(predicted: MutableGraph, gold: MutableGraph, counts: Counts) -> None:
    """Normalize two graphs in place and add their items to the counts."""
    gaps = _discontinuous_items(predicted), _discontinuous_items(gold)
    ours, theirs = _normalized_items(predicted, gold)
    for name, mine, other in zip(
        counting.COUNTED, (*ours, gaps[0]), (*theirs, gaps[1]), strict=True
    ):
        counts.guessed[name] += len(mine)
        counts.ref[name] += len(other)
        same = [(item[0], other[mask][0]) for mask, item in mine.items() if mask in other]
        counts.matches[counting.UNLABELED, name] += len(same)
        counts.matches[counting.LABELED, name] += sum(not a.isdisjoint(b) for a, b in same)
        counts.matches[counting.WEAK, name] += sum(
            not _weak(a).isdisjoint(_weak(b)) for a, b in same
        )
        counts.matches[counting.EXACT, name] += sum(a == b for a, b in same)
        confusion = counts.confusion[name]
        for mask in {**mine, **other}:
            confusion[_label(mine.get(mask)), _label(other.get(mask))] += 1
        if name == counting.PRIMARY:
            counts.category_matches.update(c for a, b in same for c in a & b)
            counts.category_guessed.update(c for item in mine.values() for c in item[0])
            counts.category_ref.update(c for item in other.values() for c in item[0])


@lru_cache
def _weak(categories: _Categories) -> _Categories:
    """RETURNS (FrozenSet[str]): The categories and all that are equivalent to them."""
    return categories.union(*(pair for pair in EQUIVALENT if not categories.isdisjoint(pair)))


def _label(item: tuple[_Categories, _Categories] | None) -> str:
    """RETURNS (str): The label of an item in the table of confusions."""
    return "|".join(sorted(item[1])) if item and item[1] else counting.UNMATCHED


def _normalized_items(
    predicted: MutableGraph, gold: MutableGraph
) -> tuple[tuple[_Items, ...], tuple[_Items, ...]]:
    """RETURNS (Tuple[Tuple[_Items, ...], Tuple[_Items, ...]]): The items of two graphs, which are normalized in place."""
    normalize(predicted)
    normalize(gold)
    move_functions(predicted, gold)
    return _items(predicted), _items(gold)


def _items(net: MutableGraph) -> tuple[_Items, ...]:
    """What is counted, per construction: from bit sets of tokens to the categories of all edges with
    these tokens, and to the categories of those edges that do not cover all of their parent."""
    masks = net.masks()
    by_construction: tuple[_Items, ...] = ({}, {}, {})
    for unit, alive in enumerate(net.alive):
        if not alive:
            continue
        for link in net.out[unit]:
            child = link.child
            if child < 0 or net.is_linkage[child] or not _NOT_ITEMS.isdisjoint(link.tags):
                continue
            mask = masks[child]
            if net.implicit[child]:
                if link.remote:
                    continue
                items, mask = by_construction[2], masks[unit]
            elif net.is_punct[child] or PUNCTUATION in link.tags:
                continue
            else:
                items = by_construction[link.remote]
            categories = frozenset(link.tags)
            outer = _NONE if mask == masks[unit] and net.incoming[unit] else categories
            seen = items.get(mask)
            items[mask] = (
                (categories, outer) if seen is None else (seen[0] | categories, seen[1] | outer)
            )
    return by_construction


def _discontinuous_items(net: MutableGraph) -> _Items:
    """The items of units with a gap, before normalization."""
    words = sum(
        1 << token
        for token in net.tokens
        if not net.punct[token] and (token in net.over_token or not net.words[token].isspace())
    )
    items: _Items = {}
    for unit, mask in enumerate(net.masks()):
        link = net.primary(unit) if mask and without_gaps(mask) & words != mask else None
        if link is not None and not net.is_linkage[unit] and PUNCTUATION not in link.tags:
            categories = items.get(mask, (_NONE,))[0].union(link.tags)
            items[mask] = categories, categories
    return items


def _identifiers(graph: Graph) -> list[int] | None:
    """The numbers in the identifiers of the units of a graph that was read from a file: the entries
    for units say where they are not consecutive. None for other graphs, or if they are not unique."""
    xml = graph.details.get("xml")
    if xml is None:
        return None
    entries = xml.get("units", {})
    numbers: list[int] = []
    number = 0
    for i in range(len(graph.kinds)):
        number = unit_number(entries.get(str(i), {}).get("id", ""), number + 1)
        numbers.append(number)
    return numbers if len(set(numbers)) == len(numbers) else None


def _coordinated(graph: Graph) -> frozenset[int]:
    """Edges a file marks as coordinated main relations."""
    entries = graph.details.get("xml", {}).get("edges", {})
    return frozenset(int(i) for i, e in entries.items() if COORDINATED in e.get("attributes", {}))
