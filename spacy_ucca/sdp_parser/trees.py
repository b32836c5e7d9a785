"""Decoding to trees with remote edges, for schemes such as UCCA: under the top of each sentence, all that is not remote is a tree.

The best tree is found exactly, as a maximum spanning arborescence (Chu and Liu 1965, Edmonds 1967), by Tarjan's algorithm with
heaps (1977), which is fast on long sentences too.
"""

from heapq import heappop, heappush

import numpy

from ..graph.algorithms import UnionFind
from .decoding import NO_EDGE
from .tokens import Pairs

ROOT = -1
# Worse than any edge: a second top only where no edge leads
SECOND_TOP = 1e6


def best_tree_labels(
    scores: numpy.ndarray,
    pairs: Pairs,
    labels: numpy.ndarray,
    remote: numpy.ndarray,
    tops: numpy.ndarray,
    used: numpy.ndarray,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Choose the best tree of labels that are not remote. Remote edges stay as they are, beside it.

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    pairs (Pairs): The pairs.
    labels (ndarray[int64]): (n_pairs,) the labels that were chosen without regard to trees.
    remote (ndarray[bool]): (1 + n_labels,) which labels are those of remote edges.
    tops (ndarray[float]): (n_tokens,) the log odds of each token to be a top.
    used (ndarray[bool]): (n_tokens,) whether each is no singleton, and so in a tree.
    RETURNS (Tuple[ndarray[int64], ndarray[int64]]): (n_pairs,) labels, and the tops.
    """
    primary = numpy.where(remote, -numpy.inf, scores)
    primary[:, NO_EDGE] = -numpy.inf
    best = primary.argmax(axis=1)
    rows = numpy.arange(len(pairs))
    gains = primary[rows, best] - scores[:, NO_EDGE]
    tokens = numpy.flatnonzero(used)
    number = numpy.full(len(used), ROOT)
    number[tokens] = numpy.arange(len(tokens))
    heads = numpy.concatenate([number[pairs.head], numpy.full(len(tokens), ROOT)])
    dependents = numpy.concatenate([number[pairs.dependent], number[tokens]])
    weights = numpy.concatenate([gains, tops[tokens] - SECOND_TOP])
    weights[~numpy.isfinite(weights)] = -SECOND_TOP / 10
    chosen = numpy.array(best_arborescence(len(tokens), heads, dependents, weights), dtype="int64")
    tree_labels = numpy.where(remote[labels], labels, NO_EDGE)
    edges = chosen[chosen < len(pairs)]
    tree_labels[edges] = best[edges]
    return tree_labels, tokens[chosen[chosen >= len(pairs)] - len(pairs)]


def best_arborescence(
    n: int, heads: numpy.ndarray, dependents: numpy.ndarray, weights: numpy.ndarray
) -> list[int]:
    """Find a maximum spanning arborescence: one edge to each node, so that the root reaches all nodes and the sum of weights
    is the greatest.

    n (int): The number of nodes. The root has to reach each of them.
    heads, dependents (ndarray[int64]): (n_edges,) the ends of the edges; heads may be ROOT.
    weights (ndarray[float]): (n_edges,) their weights.
    RETURNS (List[int]): The number of the edge to each node.
    """
    # The last node is the root. Heaps have the least cost first, less an amount that all in it have paid.
    heaps: list[list[tuple[float, int]]] = [[] for _ in range(n + 1)]
    paid = [0.0] * (n + 1)
    for edge, (dependent, weight) in enumerate(zip(dependents.tolist(), weights.tolist())):
        heaps[dependent].append((-weight, edge))
    for heap in heaps:
        heap.sort()
    starts = numpy.where(heads == ROOT, n, heads).tolist()
    ends = dependents.tolist()
    groups = UnionFind(n + 1)
    seen = [-1] * (n + 1)
    seen[n] = n
    incoming = [-1] * (n + 1)
    contracted: list[tuple[int, int, list[int]]] = []
    for first in range(n):
        at = first
        path: list[int] = []
        edges: list[int] = []
        while seen[at] < 0:
            while True:  # edges within a contracted group lead nowhere
                cost, edge = heappop(heaps[at])
                if groups.find(starts[edge]) != at:
                    break
            paid[at] = cost
            path.append(at)
            edges.append(edge)
            seen[at] = first
            at = groups.find(starts[edge])
            if seen[at] == first:  # a circle: it becomes one node
                size = len(path) - path.index(at)
                circle, inside = path[-size:], edges[-size:]
                del path[-size:], edges[-size:]
                time = groups.time
                merged, amount = _merge([(heaps[node], paid[node]) for node in circle])
                for node in circle[1:]:
                    groups.join(circle[0], node)
                at = groups.find(circle[0])
                heaps[at], paid[at] = merged, amount
                seen[at] = -1
                contracted.append((at, time, inside))
        for edge in edges:
            incoming[groups.find(ends[edge])] = edge
    for group, time, inside in reversed(contracted):
        entry = incoming[group]
        groups.undo(time)
        for edge in inside:
            incoming[groups.find(ends[edge])] = edge
        incoming[groups.find(ends[entry])] = entry
    return incoming[:n]


def _merge(heaps: list[tuple[list[tuple[float, int]], float]]) -> tuple[list, float]:
    """Merge heaps, the small ones into the largest. The costs in each are reduced by the amount paid in it.

    RETURNS (Tuple[List, float]): The heap, and the amount by which all of its costs are still to be reduced.
    """
    heaps.sort(key=lambda entry: len(entry[0]), reverse=True)
    merged, amount = heaps[0]
    for heap, paid in heaps[1:]:
        for cost, edge in heap:
            heappush(merged, (cost - paid + amount, edge))
    return merged, amount
