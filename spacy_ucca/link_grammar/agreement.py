"""Compare directed link graphs with dependency trees over the same tokens, such as those of Universal Dependencies:
section 5.2 and appendices B and C of "Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses".

`function_heads` converts trees of Universal Dependencies to a scheme like that of CoNLL 2007-2009, in which function words are
heads. The paper compares links with "CoNLL" trees, which were not given with it. They have heads as Link Grammar's, and its examples show which: in section 2, *is* is the head of the
subject in "Jack is falling" and "is Jack falling", and *boy* is the object of *with*. So, with the names of relations
that the English trees of CoNLL 2008 have (Surdeanu et al.):

- Prepositions (`case`), auxiliaries, copulas and subordinators (`mark`) are heads, and so are conjunctions (`cc`) of the
  conjunct after them. Of several the conjunction is the highest, then subordinator, auxiliaries, copula and preposition.
- Determiners, possessive 's, numerals and conjunctions at the beginning of a sentence stay dependents, as they are in CoNLL.
- The relation to the words above goes to the highest function word.
- A dependent beyond a function word goes to that, so that arcs do not cross. What stands between an auxiliary and its verb
  goes to the auxiliary ("has *not* gone", "is *Jack* falling"); of what stands between copula and predicate, the subject and
  the negation do.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..conversion.graph import ROOT, Arc, BilexicalGraph
from ..errors import Errors, GraphError, UccaError
from ..graph.categories import SEPARATOR
from .directions import Direction
from .properties import is_reachable

# Relations of function words, the highest first, and the relation of what is below them.
FUNCTION_WORDS = {"cc": "CONJ", "mark": "SUB", "aux": "VC", "cop": "PRD", "case": "PMOD"}
SUBJECTS = ("nsubj", "csubj", "expl")
PARTICLE = "PART"  # the part of speech of the possessive 's
NEGATION = "Polarity=Neg"


def function_heads(tree: BilexicalGraph) -> BilexicalGraph:
    """Make function words heads.

    tree (BilexicalGraph): A tree of Universal Dependencies, with their parts of speech.
    RETURNS (BilexicalGraph): A tree over the same tokens. Converted again, it stays as it is.
    RAISES (GraphError): If it is no tree.
    """
    n = len(tree.tokens)
    above = {arc.dependent: arc for arc in tree.arcs}
    roots = sum(arc.head == ROOT for arc in tree.arcs)
    if len(tree.arcs) != n or roots > 1 or not is_reachable([arc[:2] for arc in tree.arcs], n):
        raise GraphError(Errors.UC912.format(id=tree.id, text=" ".join(tree.words)[:60]))
    chains = _chains(tree, above)
    arcs = []
    for token, (head, _, label, _) in above.items():
        chain = chains[token]
        for word, lower in pairwise((*chain, token)):
            # A function word may have function words of its own.
            child = token if lower == token else _highest(chains, lower)
            arcs.append(Arc(word, child, FUNCTION_WORDS[_relation(above[word].label)]))
        if head == ROOT or token not in chains[head]:
            new = head if head == ROOT else _head(tree, above, chains[head], token)
            arcs.append(Arc(new, _highest(chains, token), label))
    return replace(tree, arcs=tuple(sorted(arcs, key=lambda arc: arc.dependent)))


def _chains(tree: BilexicalGraph, above: dict[int, Arc]) -> list[list[int]]:
    """RETURNS (List[List[int]]): The function words of each token, the highest first."""
    chains: list[list[int]] = [[] for _ in tree.tokens]
    for token, (head, _, label, _) in above.items():
        relation = _relation(label)
        stays = (relation == "case" and tree.tokens[token].pos == PARTICLE) or (
            relation == "cc" and head != ROOT and _relation(above[head].label) != "conj"
        )
        if head != ROOT and relation in FUNCTION_WORDS and not stays:
            chains[head].append(token)
    ranks = {relation: rank for rank, relation in enumerate(FUNCTION_WORDS)}
    for head, chain in enumerate(chains):
        chain.sort(key=lambda word: (ranks[_relation(above[word].label)], -abs(word - head)))
    return chains


def _head(tree: BilexicalGraph, above: dict[int, Arc], chain: Sequence[int], token: int) -> int:
    """RETURNS (int): Of a token's head and its chain of function words, what becomes the token's head."""
    head = above[token].head
    moves = _relation(above[token].label) in SUBJECTS or NEGATION in tree.tokens[token].feats.split(
        "|"
    )
    for word, lower in pairwise((*chain, head)):
        relation = _relation(above[word].label)
        takes = relation == "aux" or (relation == "cop" and (moves or lower != head))
        if takes and _between(word, token, lower) and _between(word, token, head):
            return word
    return next((word for word in chain if _between(token, word, head)), head)


def _between(i: int, j: int, k: int) -> bool:
    return i < j < k or k < j < i


def _highest(chains: Sequence[Sequence[int]], token: int) -> int:
    while chains[token]:
        token = chains[token][0]
    return token


def _relation(label: str) -> str:
    """RETURNS (str): A relation without its subtype."""
    return label.partition(SEPARATOR)[0]


ArcKind = str
# Of an arc: there is one between the same nodes on the other side, with the same direction or the opposite one; or there is
# none, and then whether the token it leads to has several heads.
SAME, OPPOSITE, SEVERAL, OTHER = "same", "opposite", "several", "other"
RELATIONS = 5  # in the table of labels, at most; rarer ones than 1 % are left out


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
    for direction in directions:
        cells = [direction.label, direction.allowed, str(direction.count), direction.way]
        cells.append(f"{100 * direction.majority:.1f}")
        for agreement in agreements.values():
            counts = agreement.relations.get(direction.label, Counter())
            # Ties are broken by name, so that the same data give the same table.
            relations = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:RELATIONS]
            shares = ((name, 100 * n / counts.total()) for name, n in relations)
            text = ", ".join(f"{name} {share:.1f}" for name, share in shares if share >= 1)
            cells += [str(counts.total()), text or "_"]
        yield "\t".join(cells)


def _share(n: int, total: int) -> float:
    return n / total if total else 0.0
