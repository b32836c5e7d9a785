"""Decode scores into edges: the best graph of a sentence under the constraints of the two models of the paper, or, for schemes
such as UCCA, a tree with remote edges: under the top of each sentence, all that is not remote is a tree.

Scores are (n_pairs, 1 + n_labels); the first column is NOEDGE. The best tree is found exactly, as a maximum spanning arborescence
(Chu and Liu 1965, Edmonds 1967); all cycles are contracted at once.
"""

import numpy
from numpy import ndarray

from .batch import NO_EDGE, Pairs


def best_labels(
    scores: ndarray, pairs: Pairs, *, both_directions: bool = False, deterministic: bool = False
) -> ndarray:
    """Choose a label, or NO_EDGE, for each pair (section 3.2.1, "Decoding").

    If edges may not lead both ways between two tokens, the one with the smaller gain over NOEDGE is left out. With the
    determinism constraint (section 3.2.2), the remaining edges of each head are a best matching of dependents and labels, in
    which no label occurs twice.

    scores (ndarray[float]): (n_pairs, 1 + n_labels).
    pairs (Pairs): The pairs.
    both_directions (bool): Whether edges may lead both ways between two tokens.
    deterministic (bool): Whether no token may have two outgoing edges with the same label.
    RETURNS (ndarray[int64]): (n_pairs,) the label of each.
    """
    if not len(pairs):
        return numpy.zeros(0, dtype="int64")
    labels = scores.argmax(axis=1)
    gains = scores.max(axis=1) - scores[:, NO_EDGE]
    if not both_directions:
        back = pairs.reverse()
        numbers = numpy.arange(len(pairs))
        worse = (gains < gains[back]) | ((gains == gains[back]) & (numbers > back))
        labels[(labels != NO_EDGE) & (labels[back] != NO_EDGE) & worse] = NO_EDGE
    if deterministic:
        _make_deterministic(scores, pairs, labels)
    return labels


def _make_deterministic(scores: ndarray, pairs: Pairs, labels: ndarray) -> None:
    """Choose labels again for heads that have a label twice. Pairs without an edge stay without."""
    edges = numpy.flatnonzero(labels != NO_EDGE)
    keys = pairs.head[edges] * scores.shape[1] + labels[edges]
    unique, counts = numpy.unique(keys, return_counts=True)
    for head in numpy.unique(unique[counts > 1] // scores.shape[1]).tolist():
        chosen = edges[pairs.head[edges] == head]
        gains = scores[chosen, 1:] - scores[chosen, :1]
        labels[chosen] = best_matching(gains) + 1


def best_matching(gains: ndarray) -> ndarray:
    """Match rows and columns, each at most once, so that the sum of gains is the greatest: the Hungarian method, which adds
    rows one by one along the shortest augmenting path.

    gains (ndarray[float]): (n_rows, n_columns). A row without a column gains 0.
    RETURNS (ndarray[int64]): (n_rows,) the column of each, or -1.
    """
    n, m = gains.shape
    # Column 0 is where a row waits; the last n gain nothing.
    cost = numpy.concatenate([numpy.zeros((n, 1)), -gains, numpy.zeros((n, n))], axis=1)
    row_price, column_price = numpy.zeros(n), numpy.zeros(cost.shape[1])
    row_of = numpy.full(cost.shape[1], -1)
    for row in range(n):
        row_of[0] = row
        column = 0
        slack = numpy.full(cost.shape[1], numpy.inf)
        came_from = numpy.zeros(cost.shape[1], dtype="int64")
        seen = numpy.zeros(cost.shape[1], dtype="bool")
        while row_of[column] >= 0:
            seen[column] = True
            here = row_of[column]
            reduced = cost[here] - row_price[here] - column_price
            closer = ~seen & (reduced < slack)
            slack[closer], came_from[closer] = reduced[closer], column
            column = int(numpy.where(seen, numpy.inf, slack).argmin())
            step = slack[column]
            row_price[row_of[seen]] += step
            column_price[seen] -= step
            slack[~seen] -= step
        while column:
            row_of[column] = row_of[came_from[column]]
            column = int(came_from[column])
    column_of = numpy.full(n, -1)
    columns = numpy.flatnonzero(row_of[1 : m + 1] >= 0)
    column_of[row_of[columns + 1]] = columns
    return column_of


def choose_tops(scores: ndarray, start: ndarray, with_edges: ndarray, used: ndarray) -> ndarray:
    """Choose the top of each sentence: the token with the best score among those with an edge (section 3.3); if none has an
    edge, among those that are no singletons.

    scores (ndarray[float]): (n_tokens,).
    start (ndarray[int64]): (n_tokens,) the first token of the sentence of each.
    with_edges (ndarray[bool]): (n_tokens,) whether each has an edge.
    used (ndarray[bool]): (n_tokens,) whether each is no singleton.
    RETURNS (ndarray[int64]): The tops, at most one per sentence.
    """
    if not len(scores):
        return numpy.zeros(0, dtype="int64")
    firsts, number = numpy.unique(start, return_inverse=True)
    any_edge = numpy.zeros(len(firsts), dtype="bool")
    any_edge[number[with_edges]] = True
    candidates = numpy.flatnonzero(numpy.where(any_edge[number], with_edges, used))
    order = candidates[numpy.lexsort((candidates, -scores[candidates], number[candidates]))]
    _, first = numpy.unique(number[order], return_index=True)
    return order[first]


ROOT = -1
# Worse than any edge: a second top only where no edge leads
SECOND_TOP = 1e6


def best_tree_labels(
    scores: ndarray, pairs: Pairs, labels: ndarray, remote: ndarray, tops: ndarray, used: ndarray
) -> tuple[ndarray, ndarray]:
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
    chosen = best_arborescence(len(tokens), heads, dependents, weights)
    tree_labels = numpy.where(remote[labels], labels, NO_EDGE)
    edges = chosen[chosen < len(pairs)]
    tree_labels[edges] = best[edges]
    return tree_labels, tokens[chosen[chosen >= len(pairs)] - len(pairs)]


def best_arborescence(n: int, heads: ndarray, dependents: ndarray, weights: ndarray) -> ndarray:
    """Find a maximum spanning arborescence: one edge to each node, so that the root reaches all nodes and the sum of weights
    is the greatest.

    n (int): The number of nodes. The root has to reach each of them.
    heads, dependents (ndarray[int64]): (n_edges,) the ends of the edges; heads may be ROOT.
    weights (ndarray[float]): (n_edges,) their weights.
    RETURNS (ndarray[int64]): (n,) the number of the edge to each node.
    """
    heads = numpy.where(heads == ROOT, n, heads)  # the last node is the root
    weights = weights.astype("float64")
    contracted = []
    while True:
        order = numpy.lexsort((-weights, dependents))
        best = order[numpy.searchsorted(dependents[order], numpy.arange(n))]
        groups = _cycles(numpy.append(heads[best], n))
        if len(groups) == 1 + groups.max():  # there are no cycles
            break
        # Each cycle becomes one node: an edge to it takes the place of the best edge to its dependent.
        weights = weights - weights[best[dependents]]
        kept = numpy.flatnonzero(groups[heads] != groups[dependents])
        contracted.append((best, dependents, kept))
        heads, dependents = groups[heads[kept]], groups[dependents[kept]]
        n, weights = int(groups.max()), weights[kept]
    for inside, dependents, kept in reversed(contracted):
        entering = kept[best]
        inside[dependents[entering]] = entering
        best = inside
    return best


def _cycles(parents: ndarray) -> ndarray:
    """RETURNS (ndarray[int64]): (n,) for each node the number of its cycle, or one of its own. The last node is its own parent
    and has the last number."""
    nodes = numpy.arange(len(parents))
    least, above = nodes, parents
    for _ in range(len(nodes).bit_length()):  # each round looks twice as far up
        least = numpy.minimum(least, least[above])
        above = above[above]
    is_cyclic = numpy.isin(nodes, above)
    _, groups = numpy.unique(numpy.where(is_cyclic, least, nodes), return_inverse=True)
    return groups
