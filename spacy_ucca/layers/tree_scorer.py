"""TreeScorer: scores the labels of spans by what they are in a tree with: the spans above, beside and within.

One step of a graph network over trees: the vector of a span is put together from its own, those of its parent and of
the siblings to its left and right, and the mean of those of its children. Which labels these have is not asked, so
that in training there is nothing to give away, and all can be scored at once.
"""

from collections.abc import Callable
from typing import Any

import numpy
from thinc.api import Model, glorot_uniform_init, zero_init
from thinc.types import Floats2d

from .dropout import dropout_mask

OWN, PARENT, LEFT, RIGHT, CHILDREN = range(5)
N_ROLES = 5


def TreeScorer(width: int) -> Model[tuple[Floats2d, numpy.ndarray], Floats2d]:
    """Scores labels of spans in trees.

    width (int): Width of the hidden layer.
    RETURNS (Model[Tuple[Floats2d, ndarray], Floats2d]): Maps vectors of spans (n, nI) and their relatives
        (n, 3), the numbers of the parent and of the siblings to the left and right, -1 for none, to scores (n, nO).
    """
    return Model(
        "tree_scorer",
        forward,
        init=init,
        dims={"nO": None, "nI": None, "nH": width},
        params={"W": None, "b": None, "O": None},
        attrs={"dropout_rate": 0.0},
    )


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nO, nI, nH = model.get_dim("nO"), model.get_dim("nI"), model.get_dim("nH")
    weights: Any = glorot_uniform_init(ops, (nH, N_ROLES * nI))
    model.set_param("W", weights.reshape((N_ROLES * nH, nI)))
    model.set_param("b", zero_init(ops, (nH,)))
    model.set_param("O", glorot_uniform_init(ops, (nO, nH + 1)))


def forward(
    model: Model, X: tuple[Floats2d, numpy.ndarray], is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], tuple[Floats2d, None]]]:
    ops: Any = model.ops
    vectors: Any = X[0]
    relatives = X[1]
    nH = model.get_dim("nH")
    W: Any = model.get_param("W")
    output: Any = model.get_param("O")
    parts = (vectors @ W.T).reshape((len(vectors), N_ROLES, nH))
    hidden = parts[:, OWN] + model.get_param("b")
    # From whom to whom vectors go, and how much of them.
    ways: list[tuple[int, Any, Any, Any]] = []
    for role in (PARENT, LEFT, RIGHT):
        to = numpy.nonzero(relatives[:, role - 1] >= 0)[0]
        ways.append((role, relatives[to, role - 1], to, 1.0))
    has_parent, parent = ways[0][2], ways[0][1]
    counts = numpy.bincount(parent, minlength=len(vectors))
    shares = (1 / counts[parent]).astype("float32")[:, None]
    ways.append((CHILDREN, has_parent, parent, ops.asarray(shares)))
    ways = [
        (role, ops.asarray(source, dtype="int32"), ops.asarray(to, dtype="int32"), share)
        for role, source, to, share in ways
        if len(to)
    ]
    for role, source, to, share in ways:
        ops.scatter_add(hidden, to, ops.as_contig(parts[source, role] * share))
    mask = (hidden > 0).astype("float32")
    if is_train and model.attrs["dropout_rate"]:
        mask *= dropout_mask(ops, mask.shape, model.attrs["dropout_rate"])
    hidden *= mask
    scores = hidden @ output[:, :-1].T + output[:, -1]

    def backprop(d_scores: Floats2d) -> tuple[Floats2d, None]:
        d_output = ops.alloc2f(*output.shape)
        d_output[:, :-1] = d_scores.T @ hidden
        d_output[:, -1] = d_scores.sum(axis=0)
        model.inc_grad("O", d_output)
        d_hidden = (d_scores @ output[:, :-1]) * mask
        model.inc_grad("b", d_hidden.sum(axis=0))
        d_parts = ops.alloc3f(len(vectors), N_ROLES, nH)
        d_parts[:, OWN] = d_hidden
        for role, source, to, share in ways:
            d_role = ops.alloc2f(len(vectors), nH)
            ops.scatter_add(d_role, source, ops.as_contig(d_hidden[to] * share))
            d_parts[:, role] = d_role
        d_parts = d_parts.reshape((len(vectors), -1))
        model.inc_grad("W", d_parts.T @ vectors)
        return d_parts @ W, None

    return scores, backprop
