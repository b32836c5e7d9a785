"""How two tokens are related in a dependency tree, for many pairs at once."""

import numpy


def relations(
    heads: numpy.ndarray, deps: numpy.ndarray, i: numpy.ndarray, j: numpy.ndarray
) -> numpy.ndarray:
    """Compute `Syntax.relation` of pairs of tokens.

    heads (ndarray[int]): (n_tokens + 1,) the head of each token; below zero if unknown. A root is its own head, or has
        none. The last one is that of no token.
    deps (ndarray[int]): (n_tokens + 1,) the number of its dependency label.
    i (ndarray[int]): (n,) tokens, -1 for none.
    j (ndarray[int]): (n,) tokens, -1 for none.
    RETURNS (ndarray[int]): (n,) 0 if they are not related, 1 for the same token or the same head, 2 + 2 * label if the
        second is the head of the first, 3 + 2 * label if the first is that of the second.
    """
    above_i, above_j = heads[i], heads[j]
    related = ((above_i == above_j) & (above_i >= 0)).astype(deps.dtype)
    related = numpy.where(above_j == i, 3 + 2 * deps[j], related)
    related = numpy.where(above_i == j, 2 + 2 * deps[i], related)
    related[i == j] = 1
    related[(i < 0) | (j < 0)] = 0
    return related
