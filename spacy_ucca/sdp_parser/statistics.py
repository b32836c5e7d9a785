"""Count a corpus of arcs: its graphs (section 2 of "Broad-Coverage Semantic Dependency Parsing with Rich Edge-Factored
Features"), the candidate edges (3.2.1) and the collisions of hashed features (3.2.4).
"""

from collections import Counter
from collections.abc import Iterable

import numpy
from spacy.tokens import Doc

from ..conversion.graph import ROOT, Arc
from ..link_grammar.properties import is_acyclic
from .batch import find_pairs, read_batch
from .extension import get_arcs, sentence_arcs
from .features import edge_ids, to_rows

DISTANCE = 10  # tokens between which the paper's parser looks for edges
HASH_BITS = 20  # of the default model
PENDING = 20_000_000  # features that are sorted at a time
DOCS = 64  # whose features are made at a time


def graph_shape(arcs: Iterable[Arc]) -> dict[str, bool]:
    """Find the properties of the graph of a sentence. Singletons do not belong to it. A root is a token with dependents and
    no head; a tree has one root, and one head for each other token. Tops are no edges.

    arcs (Iterable[Arc]): The arcs.
    RETURNS (Dict[str, bool]): Whether it has "several_roots" and "several_tops", is one of "trees", is "acyclic", has an edge in
        "both_directions" between two tokens, and a token whose label is the "same_label" of two outgoing edges.
    """
    edges: dict[tuple[int, int], str] = {}
    tops = set()
    for arc in arcs:
        if arc.head == ROOT:
            tops.add(arc.dependent)
        else:
            edges.setdefault((arc.head, arc.dependent), arc.label + "*" * arc.remote)
    n_heads = Counter(dependent for _, dependent in edges)
    n_roots = len({head for head, _ in edges} - n_heads.keys())
    acyclic = is_acyclic(edges)
    outgoing = Counter((head, label) for (head, _), label in edges.items())
    return {
        "several_roots": n_roots > 1,
        "several_tops": len(tops) > 1,
        "trees": n_roots <= 1 and acyclic and all(n == 1 for n in n_heads.values()),
        "acyclic": acyclic,
        "both_directions": any((dependent, head) in edges for head, dependent in edges),
        "same_label": any(n > 1 for n in outgoing.values()),
    }


class ArcStatistics:
    """The counts of a corpus. Sentences are those of the Docs. The features of candidate edges are counted by their hashes of 64
    bits.

    hash_bits (int): The table of weights has 2 ** hash_bits rows.
    """

    def __init__(self, hash_bits: int = HASH_BITS) -> None:
        self.hash_bits = hash_bits
        self.counts: Counter[str] = Counter()
        self._docs: list[Doc] = []
        # different ones: of all before, of each part since
        self._features = [numpy.zeros(0, dtype="uint64")]

    def add(self, doc: Doc) -> None:
        """Count a Doc.

        doc (Doc): A Doc with `doc._.sdp`.
        """
        arcs = get_arcs(doc) or []
        edges = {(arc.head, arc.dependent) for arc in arcs if arc.head != ROOT}
        for own in sentence_arcs(doc, arcs):
            self.counts["sentences"] += 1
            self.counts.update(name for name, holds in graph_shape(own).items() if holds)
        self.counts["tops"] += len({arc.dependent for arc in arcs if arc.head == ROOT})
        self.counts["edges"] += len(edges)
        self.counts["near"] += sum(abs(head - dependent) <= DISTANCE for head, dependent in edges)
        self._docs.append(doc)
        if len(self._docs) == DOCS:
            self._count_pairs()

    def _count_pairs(self) -> None:
        docs, self._docs = self._docs, []
        batch = read_batch(docs)
        used = numpy.zeros(len(batch.tokens), dtype="bool")
        for doc, numbers in zip(docs, batch.numbers()):
            for arc in get_arcs(doc) or ():
                used[[numbers[end] for end in arc[:2] if end != ROOT]] = True
        pairs = find_pairs(batch.tokens, used, DISTANCE)
        self.counts["tokens"] += len(used)
        self.counts["singletons"] += int((~used).sum())
        self.counts["candidates"] += len(pairs)
        self._features.append(numpy.unique(edge_ids(batch.tokens, pairs)))
        if sum(map(len, self._features[1:])) > PENDING:
            self._merge_features()

    def _merge_features(self) -> None:
        self._features = [numpy.unique(numpy.concatenate(self._features))]

    def to_dict(self) -> dict[str, float | None]:
        """RETURNS (Dict[str, Optional[float]]): The number of "sentences", "tokens", "tops", "edges" and "candidates" (ordered
        pairs of tokens that are no singletons, at most 10 apart); the share of "singletons" in tokens, of "near" edges
        (at most 10 tokens long), and of sentences with each property of `graph_shape`; the number of "features" and of "rows"
        in the table, and the share of features in "collisions": those whose row another feature has too."""
        self._count_pairs()
        self._merge_features()
        counts, n_features = self.counts, len(self._features[0])
        alone = int((numpy.bincount(to_rows(self._features[0], self.hash_bits)) == 1).sum())
        return {
            **{
                name: counts[name]
                for name in ("sentences", "tokens", "tops", "edges", "candidates")
            },
            "singletons": _share(counts["singletons"], counts["tokens"]),
            "near": _share(counts["near"], counts["edges"]),
            **{name: _share(counts[name], counts["sentences"]) for name in graph_shape(())},
            "features": n_features,
            "rows": 2**self.hash_bits,
            "collisions": _share(n_features - alone, n_features),
        }


def _share(n: int, base: int) -> float | None:
    return n / base if base else None
