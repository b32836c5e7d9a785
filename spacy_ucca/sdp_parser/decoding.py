"""Decode scores into edges: the best graph of a sentence under the constraints of the two models of the paper.

Scores are (n_pairs, 1 + n_labels); the first column is NOEDGE.
"""

import numpy

from .tokens import Pairs

NO_EDGE = 0


def best_labels(
    scores: numpy.ndarray,
    pairs: Pairs,
    *,
    both_directions: bool = False,
    deterministic: bool = False,
) -> numpy.ndarray:
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


def _make_deterministic(scores: numpy.ndarray, pairs: Pairs, labels: numpy.ndarray) -> None:
    """Choose labels again for heads that have a label twice. Pairs without an edge stay without."""
    edges = numpy.flatnonzero(labels != NO_EDGE)
    keys = pairs.head[edges] * scores.shape[1] + labels[edges]
    unique, counts = numpy.unique(keys, return_counts=True)
    for head in numpy.unique(unique[counts > 1] // scores.shape[1]).tolist():
        chosen = edges[pairs.head[edges] == head]
        gains = scores[chosen, 1:] - scores[chosen, :1]
        labels[chosen] = best_matching(gains) + 1


def best_matching(gains: numpy.ndarray) -> numpy.ndarray:
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


def choose_tops(
    scores: numpy.ndarray, start: numpy.ndarray, with_edges: numpy.ndarray, used: numpy.ndarray
) -> numpy.ndarray:
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
    tops: numpy.ndarray = order[first]
    return tops
