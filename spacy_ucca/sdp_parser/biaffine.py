"""`spacy-ucca.BiaffineEdges.v1`: a neural model for `sdp_parser`, with biaffine scores of pairs over the vectors of any tok2vec.

After Dozat and Manning, "Simpler but More Accurate Semantic Dependency Parsing" (ACL 2018): each token has vectors as a head
and as a dependent, narrow ones to predict whether there is an edge, others to predict its label. The difference: both scores
are summed, so that NOEDGE and all labels are one choice, learned and decoded as with LogitEdge.

Projections are Thinc's layers. The product of pairs is written by hand, because few of all pairs are scored.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Linear, Model, Relu, glorot_uniform_init
from thinc.types import Floats2d

from .batch import Batch, Pairs, Scores, read_batch

BLOCK = 64  # heads whose pairs are multiplied together
INITIAL_EDGE_SCORE = -2.0  # the score of an edge before anything is learned: few pairs have one
_PARTS = ("edge_head", "edge_dependent", "label_head", "label_dependent")
_OF_TOKENS = (*_PARTS, "singletons", "tops")


def build_biaffine_edges(
    tok2vec: Model[list[Doc], list[Floats2d]],
    edge_width: int = 96,
    label_width: int = 48,
    dropout: float = 0.2,
) -> Model[list[Doc], Scores]:
    """Build a model with biaffine scores of labeled edges. The scores of singletons and tops are linear in the vectors.

    tok2vec (Model[List[Doc], List[Floats2d]]): Gives a vector for each token.
    edge_width (int): Width of the vectors for whether there is an edge.
    label_width (int): Width of the vectors for the label of an edge.
    dropout (float): Dropout of these vectors. The `dropout` of the training applies within tok2vec, and sets this one too.
    RETURNS (Model[List[Doc], Scores]): The model.
    """
    widths = (edge_width, edge_width, label_width, label_width)
    parts: dict[str, Model] = {n: Relu(w, dropout=dropout) for n, w in zip(_PARTS, widths)}
    tokens: dict[str, Model] = {name: Linear(1) for name in ("singletons", "tops")}
    pairs: dict[str, Model] = {"edges": Biaffine(1), "labels": Biaffine()}
    return Model(
        "biaffine_edges",
        _forward,
        init=_init,
        layers=[tok2vec, *parts.values(), *tokens.values(), *pairs.values()],
        refs={"tok2vec": tok2vec, **parts, **tokens, **pairs},
        dims={"nO": None},
        attrs={"edge_width": edge_width, "label_width": label_width, "resize_output": _resize},
    )


def pair_scores(
    heads: Any, dependents: Any, weights: Any, pairs: Pairs, xp: Any = numpy
) -> tuple[Any, list[Any]]:
    """Compute head * weights * dependent for each pair and output.

    heads, dependents (Floats2d): (n, w) vectors of the tokens; a last value of 1 makes the product biaffine.
    weights (Floats3d): (n_out, w, w).
    pairs (Pairs): The pairs, sorted by head.
    xp (Any): NumPy, or CuPy.
    RETURNS (Tuple[Floats2d, List]): (n_pairs, n_out) scores, and the chunks for `backprop_pairs`.
    """
    n_out, width, _ = weights.shape
    flat = weights.transpose((1, 0, 2)).reshape((width, n_out * width))
    scores = xp.zeros((len(pairs), n_out), dtype=heads.dtype)
    chunks = []
    for first, last in _blocks(pairs):
        a, b = int(pairs.head[first]), int(pairs.head[last - 1]) + 1
        low = int(pairs.dependent[first:last].min())
        high = int(pairs.dependent[first:last].max()) + 1
        rows, columns = pairs.head[first:last] - a, pairs.dependent[first:last] - low
        table = (heads[a:b] @ flat).reshape(((b - a) * n_out, width))
        products = (table @ dependents[low:high].T).reshape((b - a, n_out, high - low))
        scores[first:last] = products[rows, :, columns]
        chunks.append(((first, last), (a, b), (low, high), rows, columns, table))
    return scores, chunks


def backprop_pairs(
    heads: Any, dependents: Any, weights: Any, chunks: list[Any], d_scores: Any, xp: Any = numpy
) -> tuple[Any, Any, Any]:
    """RETURNS (Tuple[Floats2d, Floats2d, Floats3d]): The gradients of heads, dependents and weights, given the gradient
    (n_pairs, n_out) of the scores of `pair_scores`.
    """
    n_out, width, _ = weights.shape
    flat = weights.transpose((1, 0, 2)).reshape((width, n_out * width))
    d_heads, d_dependents = xp.zeros_like(heads), xp.zeros_like(dependents)
    d_flat = xp.zeros_like(flat)
    for (first, last), (a, b), (low, high), rows, columns, table in chunks:
        d_found = xp.zeros((b - a, n_out, high - low), dtype=heads.dtype)
        d_found[rows, :, columns] = d_scores[first:last]
        d_found = d_found.reshape(((b - a) * n_out, high - low))
        d_dependents[low:high] += d_found.T @ table
        d_table = (d_found @ dependents[low:high]).reshape((b - a, n_out * width))
        d_heads[a:b] += d_table @ flat.T
        d_flat += heads[a:b].T @ d_table
    return d_heads, d_dependents, d_flat.reshape((width, n_out, width)).transpose((1, 0, 2))


def _blocks(pairs: Pairs) -> list[tuple[int, int]]:
    """RETURNS (List[Tuple[int, int]]): The ranges of the pairs of each `BLOCK` heads."""
    if not len(pairs):
        return []
    bounds = numpy.arange(int(pairs.head[0]), int(pairs.head[-1]) + BLOCK + 1, BLOCK)
    places = numpy.searchsorted(pairs.head, bounds).tolist()
    return [(a, b) for a, b in pairwise(places) if a < b]


def Biaffine(nO: int | None = None) -> Model[tuple[Floats2d, Floats2d, Pairs], Floats2d]:
    """Scores pairs of tokens by a product of the head's vector, a matrix of each output, and the dependent's vector.

    nO (Optional[int]): Output width.
    RETURNS (Model[Tuple[Floats2d, Floats2d, Pairs], Floats2d]): Maps the vectors (n, nI) of tokens as heads and as
        dependents, and pairs of them, to (n_pairs, nO) scores.
    """
    return Model(
        "biaffine",
        _forward_pairs,
        init=_init_pairs,
        dims={"nO": nO, "nI": None},
        params={"W": None},
    )


def _init_pairs(model: Model, X: Any = None, Y: Any = None) -> None:
    nO, width = model.get_dim("nO"), model.get_dim("nI") + 1
    weights: Any = glorot_uniform_init(model.ops, (nO * width, width))
    model.set_param("W", weights.reshape((nO, width, width)))


def _forward_pairs(model: Model, inputs: Any, is_train: bool) -> tuple[Floats2d, Callable]:
    xp: Any = model.ops.xp
    *vectors, pairs = inputs
    ones = xp.ones((len(vectors[0]), 1), dtype=vectors[0].dtype)
    heads, dependents = (xp.hstack([X, ones]) for X in vectors)
    weights: Any = model.get_param("W")
    scores, chunks = pair_scores(heads, dependents, weights, pairs, xp)

    def backprop(d_scores: Floats2d) -> tuple[Any, Any]:
        d_heads, d_dependents, d_weights = backprop_pairs(
            heads, dependents, weights, chunks, d_scores, xp
        )
        model.inc_grad("W", d_weights)
        return d_heads[:, :-1], d_dependents[:, :-1]

    return scores, backprop


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO") is None and X:
        tok2vec.set_dim("nO", tok2vec.predict(X[:1])[0].shape[1])
    vector: Any = model.ops.alloc2f(1, tok2vec.get_dim("nO"))
    for name in _OF_TOKENS:
        model.get_ref(name).initialize(X=vector)
    edges, labels = model.get_ref("edges"), model.get_ref("labels")
    labels.set_dim("nO", model.get_dim("nO") - 1)
    for layer, name in ((edges, "edge_width"), (labels, "label_width")):
        layer.set_dim("nI", model.attrs[name])
        layer.initialize()
    weights: Any = edges.get_param("W")
    weights[0, -1, -1] = INITIAL_EDGE_SCORE
    edges.set_param("W", weights)


def _resize(model: Model, n_out: int) -> None:
    """Replace the layer of labels by a larger one. It must be a new layer, because optimizers know the old one by its shape."""
    old = model.get_ref("labels")
    new = Biaffine(n_out - 1)
    new.ops = old.ops
    new.set_dim("nI", old.get_dim("nI"))
    before: Any = old.get_param("W")
    weights: Any = model.ops.xp.zeros((n_out - 1, *before.shape[1:]), dtype=before.dtype)
    weights[: len(before)] = before
    new.set_param("W", weights)
    model.replace_node(old, new)


def _forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scores, Callable]:
    tok2vec = model.get_ref("tok2vec")
    vectors, backprop_tok2vec = tok2vec(docs, is_train)
    ops: Any = model.ops
    flat = ops.flatten([*vectors]) if vectors else ops.alloc2f(0, tok2vec.get_dim("nO"))
    batch = read_batch(docs)
    scores = BiaffineScores(model, batch, flat[batch.place], is_train)

    def backprop(_: Any = None) -> Any:
        d_flat = ops.xp.zeros_like(flat)
        d_flat[batch.place] = scores.d_vectors
        return backprop_tok2vec(ops.unflatten(d_flat, [len(doc) for doc in docs]))

    return scores, backprop


class BiaffineScores:
    """The `Scores` of a BiaffineEdges model.

    model (Model): The model.
    batch (Batch): The batch.
    vectors (Floats2d): (n, nI) the vectors of its tokens.
    is_train (bool): Whether gradients will come.
    """

    def __init__(self, model: Model, batch: Batch, vectors: Any, is_train: bool) -> None:
        self.model: Any = model
        self.ops: Any = model.ops
        self.batch, self.vectors, self.is_train = batch, vectors, is_train
        self.d_vectors = self.ops.xp.zeros_like(vectors)
        outputs = {name: model.get_ref(name)(vectors, is_train) for name in _OF_TOKENS}
        self.backprops = {name: backprop for name, (_, backprop) in outputs.items()}
        self.vectors_of = {name: vectors_of for name, (vectors_of, _) in outputs.items()}
        self.backprop_pairs: dict[str, Callable] = {}
        self.singletons: numpy.ndarray = self.ops.to_numpy(self.vectors_of["singletons"])[:, 0]
        self.tops: numpy.ndarray = self.ops.to_numpy(self.vectors_of["tops"])[:, 0]

    def edges(self, pairs: Pairs) -> numpy.ndarray:
        edge, label = (self._pair_scores(name, pairs) for name in ("edge", "label"))
        return self.ops.to_numpy(self.ops.xp.hstack([self.ops.xp.zeros_like(edge), label + edge]))

    def learn(self, singletons: numpy.ndarray, tops: numpy.ndarray, edges: numpy.ndarray) -> None:
        """Gradients are divided by the number of tokens: optimizers clip what is large."""
        scale = 1.0 / max(len(self.vectors), 1)
        for name, d_odds in (("singletons", singletons), ("tops", tops)):
            gradient = self.ops.asarray2f(d_odds[:, None] * scale, dtype="float32")
            self.d_vectors += self.backprops[name](gradient)
        d_labels = self.ops.asarray2f(edges[:, 1:] * scale, dtype="float32")
        self._backprop_pairs("edge", d_labels.sum(axis=1, keepdims=True))
        self._backprop_pairs("label", d_labels)

    def _pair_scores(self, name: str, pairs: Pairs) -> Any:
        ends = self.vectors_of[f"{name}_head"], self.vectors_of[f"{name}_dependent"]
        layer = self.model.get_ref(f"{name}s")
        scores, self.backprop_pairs[name] = layer((*ends, pairs), self.is_train)
        return scores

    def _backprop_pairs(self, name: str, d_scores: Any) -> None:
        for end, gradient in zip(("head", "dependent"), self.backprop_pairs.pop(name)(d_scores)):
            self.d_vectors += self.backprops[f"{name}_{end}"](gradient)
