"""Compare directed link graphs with dependency trees over the same tokens, such as those of Universal Dependencies:
section 5.2 and appendices B and C of "Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..conversion.graph import ROOT, Arc, BilexicalGraph
from ..errors import Errors, UccaError
from ..graph.categories import SEPARATOR
from .directions import Direction

ArcKind = str
# Of an arc: there is one between the same nodes on the other side, with the same direction or the opposite one; or there is
# none, and then whether the token it leads to has several heads.
SAME, OPPOSITE, SEVERAL, OTHER = "same", "opposite", "several", "other"
RELATIONS = 5  # in the table of labels, at most; rarer ones than 1 % are left out


class LabelRow(NamedTuple):
    """What the links of a label are like.

    direction (Direction): How many lead to the left and right.
    relations (Tuple[Tuple[str, int], ...]): The relations of dependencies between the same tokens, and how many links have
        each, the commonest first.
    """

    direction: Direction
    relations: tuple[tuple[str, int], ...]

    @property
    def matched(self) -> int:
        """RETURNS (int): The number of links with a dependency between the same tokens."""
        return sum(n for _, n in self.relations)


def relation_name(label: str) -> str:
    """RETURNS (str): A relation as Universal Dependencies write it: "nmod:poss", where files are read as "nmod|poss"."""
    return label.replace(SEPARATOR, ":")


def link_kinds(graph: BilexicalGraph, tree: BilexicalGraph) -> list[ArcKind]:
    """RETURNS (List[str]): For each arc of a directed link graph "same" or "opposite", if the tree has an arc between the
    same nodes; else "several", if the token it leads to has several heads, or "other"."""
    pairs = {arc[:2] for arc in tree.arcs}
    heads = Counter(arc.dependent for arc in graph.arcs)
    return [
        _kind(arc, pairs) or (SEVERAL if heads[arc.dependent] > 1 else OTHER) for arc in graph.arcs
    ]


def tree_kinds(graph: BilexicalGraph, tree: BilexicalGraph) -> list[ArcKind]:
    """RETURNS (List[str]): For each arc of the tree "same", "opposite" or "other"."""
    pairs = {arc[:2] for arc in graph.arcs}
    return [_kind(arc, pairs) or OTHER for arc in tree.arcs]


def _kind(arc: Arc, pairs: "set[tuple[int, int]]") -> ArcKind:
    head, dependent = arc[:2]
    return SAME if (head, dependent) in pairs else OPPOSITE if (dependent, head) in pairs else ""


class Agreement:
    """What is counted over sentences.

    words_only (bool): Whether arcs from the root and to and from punctuation are left out on both sides.
    """

    def __init__(self, *, words_only: bool = False) -> None:
        self.words_only = words_only
        self.sentences = 0
        self.links: Counter[ArcKind] = Counter()
        self.arcs: Counter[ArcKind] = Counter()
        # By label of links, the relations of arcs between the same nodes.
        self.relations: dict[str, Counter[str]] = {}

    def add(self, graph: BilexicalGraph, tree: BilexicalGraph) -> None:
        """Count a sentence.

        graph (BilexicalGraph): Its directed link graph.
        tree (BilexicalGraph): Its dependency tree; of several heads the first one counts.
        RAISES (UccaError): If they are over other tokens.
        """
        if graph.words != tree.words:
            raise UccaError(Errors.UC910.format(id=graph.id or tree.id))
        tree = tree.tree()
        self.sentences += 1
        relations = {frozenset(arc[:2]): relation_name(arc.label) for arc in tree.arcs}
        for arc, kind in zip(graph.arcs, link_kinds(graph, tree)):
            if self._counts(arc, tree):
                self.links[kind] += 1
                if kind in (SAME, OPPOSITE):
                    relation_counts = self.relations.setdefault(arc.label, Counter())
                    relation_counts[relations[frozenset(arc[:2])]] += 1
        for arc, kind in zip(tree.arcs, tree_kinds(graph, tree)):
            self.arcs[kind] += self._counts(arc, tree)

    def _counts(self, arc: Arc, tree: BilexicalGraph) -> bool:
        if not self.words_only:
            return True
        return arc.head != ROOT and not (tree.punct[arc.head] or tree.punct[arc.dependent])

    def rows(self, directions: Iterable[Direction]) -> Iterator[LabelRow]:
        """YIELDS (LabelRow): A row for each label: the table of appendix B."""
        for direction in directions:
            counts = self.relations.get(direction.label, Counter())
            # Ties are broken by name, so that the same data give the same table.
            yield LabelRow(
                direction, tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
            )

    def to_dict(self) -> dict[str, int | float]:
        """RETURNS (Dict[str, Union[int, float]]): Numbers of sentences, links and arcs, and shares: of arcs that a link
        matches, of links that an arc matches, of these with the same direction, and of these whose relation is the
        commonest of the label."""
        links, arcs = self.links.total(), self.arcs.total()
        matched = self.links[SAME] + self.links[OPPOSITE]
        best = sum(max(relation_counts.values()) for relation_counts in self.relations.values())
        return {
            "sentences": self.sentences,
            "links": links,
            "arcs": arcs,
            "arcs_matched": _share(self.arcs[SAME] + self.arcs[OPPOSITE], arcs),
            "links_matched": _share(matched, links),
            "same_direction": _share(self.links[SAME], matched),
            "relation_known": _share(best, matched),
        }


def format_labels(
    directions: Sequence[Direction], agreements: "Mapping[str, Agreement]"
) -> Iterator[str]:
    """Write the table of labels.

    directions (Sequence[Direction]): The directions of each label.
    agreements (Mapping[str, Agreement]): The agreement with trees, by a name of their scheme.
    YIELDS (str): Lines of columns with tabs between them: a header, then a label in each. For each scheme, there are the
        number of links with a dependency and the commonest of its relations, with percentages.
    """
    columns = ["label", "direction", "count", "majority", "majority_percent"]
    yield "\t".join(
        [*columns, *(f"{what}_{k}" for k in agreements for what in ("matched", "relations"))]
    )
    for direction, *rows in zip(directions, *(a.rows(directions) for a in agreements.values())):
        cells = [direction.label, direction.allowed, str(direction.count), direction.way]
        cells.append(f"{100 * direction.majority:.1f}")
        for row in rows:
            shares = ((name, 100 * n / row.matched) for name, n in row.relations[:RELATIONS])
            text = ", ".join(f"{name} {share:.1f}" for name, share in shares if share >= 1)
            cells += [str(row.matched), text or "_"]
        yield "\t".join(cells)


def _share(n: int, total: int) -> float:
    return n / total if total else 0.0
