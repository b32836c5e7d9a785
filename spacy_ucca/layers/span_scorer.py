"""Layers that score spans of tokens: SpanScorer by the tokens at their ends, TreeScorer by the spans around them.

The vectors of a span are those of the tokens before and after each of its two ends, of its syntactic head and of what
governs that, and of categories. The first layer is a table: one matrix product over tokens, then sums of eight rows for each
span. With a bidirectional LSTM before it, that can learn the differences of the LSTM's outputs at both ends (Cross and
Huang, 2016; Stern, Andreas and Klein, 2017, section 3.1), and more.

TreeScorer is one step of a graph network over trees: the vector of a span is put together from its own, those of its parent
and of the siblings to its left and right, and the mean of those of its children. Which labels these have is not asked, so
that in training there is nothing to give away, and all can be scored at once.
"""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model, glorot_uniform_init, uniform_init, zero_init
from thinc.types import Floats2d

from .arrays import begin_output, dropout_mask
from .slot_scorer import ScorerKind, forward_step

BEFORE_START, AFTER_START, BEFORE_END, AFTER_END, HEAD, GOVERNOR = range(6)
N_PARTS = 6
N_COLUMNS = 8  # of rows of spans: four of places and tokens, then categories


def SpanScorer(width: int) -> Model[Floats2d, "SpanStep"]:
    """Scores spans against token vectors.

    width (int): Width of the hidden layer.
    RETURNS (Model[Floats2d, SpanStep]): Maps token vectors (n_tokens, nI) to a SpanStep.
    """
    return Model(
        "span_scorer",
        partial(forward_step, SpanStep),
        init=_init,
        dims={"nO": None, "nI": None, "nH": width, "nV": None},
        params={"T": None, "pad": None, "V": None, "b0": None, "O": None},
        attrs={"dropout_rate": 0.0, "kind": ScorerKind(_spans_like, ("nO", "nV"))},
    )


def _spans_like(scorer: Model) -> Model:
    return SpanScorer(scorer.get_dim("nH"))


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nO, nI, nH = model.get_dim("nO"), model.get_dim("nI"), model.get_dim("nH")
    # the parts of one span are summed
    table: Any = glorot_uniform_init(ops, (nH, N_PARTS * nI)) * 1.5
    table = table.reshape((nH, N_PARTS, nI)).transpose((1, 0, 2))
    model.set_param("T", ops.as_contig(table.reshape((N_PARTS * nH, nI))))
    model.set_param("pad", uniform_init(ops, (N_PARTS, nH), lo=-0.05, hi=0.05))
    model.set_param("V", uniform_init(ops, (model.get_dim("nV"), nH), lo=-0.05, hi=0.05))
    model.set_param("b0", zero_init(ops, (nH,)))
    model.set_param("O", glorot_uniform_init(ops, (nO, nH + 1)))


class SpanStep:
    """A SpanScorer that has seen the token vectors of a batch.

    model (Model): The SpanScorer.
    X (Floats2d): (n_tokens, nI) token vectors.
    is_train (bool): Whether dropout is wanted.
    """

    def __init__(self, model: Model, X: Floats2d, is_train: bool) -> None:
        self.model: Any = model
        self.ops: Any = model.ops
        self.X: Any = X
        self.width = model.get_dim("nH")
        self.dropout = model.attrs["dropout_rate"] if is_train else 0.0
        self.d_parts: Any = None

    def place(self, before: numpy.ndarray, after: numpy.ndarray) -> "PlacedSpans":
        """Say where spans may begin and end.

        before, after (ndarray): (n_ends,) the tokens on both sides of each such place, -1 where there is none.
        RETURNS (PlacedSpans): What scores spans between them.
        """
        return PlacedSpans(self, before, after)

    def finish(self, _: Any = None) -> Floats2d:
        """RETURNS (Floats2d): (n_tokens, nI) the gradient of the token vectors."""
        model = self.model
        if self.d_parts is None:
            return self.ops.alloc2f(*self.X.shape)
        d_parts = self.d_parts.reshape((-1, N_PARTS * self.width))
        model.inc_grad("pad", d_parts[-1].reshape((N_PARTS, self.width)))
        d_parts = self.ops.as_contig(d_parts[:-1])
        model.inc_grad("T", d_parts.T @ self.X)
        return d_parts @ model.get_param("T")


class PlacedSpans:
    """Scores the spans between some places; see `SpanStep.place`. Spans are rows: where they begin and end,
    as numbers of places; the token that is their head, and the one that governs it, -1 for none; categories."""

    def __init__(self, step: SpanStep, before: numpy.ndarray, after: numpy.ndarray) -> None:
        self.step = step
        ops, model, n_tokens = step.ops, step.model, step.X.shape[0]
        self.before = ops.asarray(numpy.where(before < 0, n_tokens, before), dtype="int32")
        self.after = ops.asarray(numpy.where(after < 0, n_tokens, after), dtype="int32")
        parts = ops.alloc2f(n_tokens + 1, N_PARTS * step.width)
        if n_tokens:
            ops.xp.matmul(step.X, model.get_param("T").T, out=parts[:-1])
        parts[-1] = model.get_param("pad").ravel()
        parts = parts.reshape((n_tokens + 1, N_PARTS, step.width))
        starts = parts[self.before, BEFORE_START] + parts[self.after, AFTER_START]
        starts += model.get_param("b0")
        ends = parts[self.before, BEFORE_END] + parts[self.after, AFTER_END]
        tables = [starts, ends, parts[:, HEAD], parts[:, GOVERNOR], model.get_param("V")]
        self.offsets = numpy.cumsum([0, *(len(table) for table in tables)])
        self.shifts = self.offsets[numpy.minimum(numpy.arange(N_COLUMNS), len(tables) - 1)]
        self.n_tokens = n_tokens
        self.table = ops.xp.concatenate(tables)

    def _hidden(self, spans: numpy.ndarray) -> tuple[Any, Any]:
        tokens = numpy.where(spans < 0, self.n_tokens, spans)
        index = self.step.ops.asarray(tokens + self.shifts, dtype="int32")
        if not len(index):
            return self.step.ops.alloc2f(0, self.step.width), index
        return self.step.ops.gather_add(self.table, index), index

    def predict(self, spans: numpy.ndarray) -> Floats2d:
        """RETURNS (Floats2d): (n, nO) the scores of spans (n, N_COLUMNS)."""
        return self.scores_of(self.vectors(spans))

    def scores_of(self, vectors: Any) -> Floats2d:
        """RETURNS (Floats2d): (n, nO) the scores of spans, given their hidden vectors."""
        output = self.step.model.get_param("O")
        scores = vectors @ output[:, :-1].T
        scores += output[:, -1]
        return scores

    def vectors(self, spans: numpy.ndarray) -> Floats2d:
        """RETURNS (Floats2d): (n, nH) the hidden vectors of spans (n, N_COLUMNS)."""
        hidden, _ = self._hidden(spans)
        self.step.ops.xp.maximum(hidden, 0, out=hidden)
        return hidden

    def begin_vectors(self, spans: numpy.ndarray) -> tuple[Floats2d, Callable[[Floats2d], None]]:
        """The hidden vectors of spans, and what backpropagation needs.

        spans (ndarray): (n, N_COLUMNS).
        RETURNS (Tuple[Floats2d, Callable]): The vectors (n, nH), and a function that takes their gradient.
        """
        step = self.step
        hidden, index = self._hidden(spans)
        mask = (hidden > 0).astype("float32")
        if step.dropout:
            mask *= dropout_mask(step.ops, mask.shape, step.dropout)
        hidden *= mask

        def backprop(d_hidden: Any) -> None:
            if len(d_hidden):
                self._backprop_tables(d_hidden * mask, index)

        return hidden, backprop

    def begin_update(self, spans: numpy.ndarray) -> tuple[Floats2d, Callable[[Floats2d], None]]:
        """Score spans and keep what backpropagation needs.

        spans (ndarray): (n, N_COLUMNS).
        RETURNS (Tuple[Floats2d, Callable]): The scores (n, nO), and a function that takes their gradient.
        """
        vectors, learn_vectors = self.begin_vectors(spans)
        scores, learn = self.begin_scores(vectors)
        return scores, lambda d_scores: learn_vectors(learn(d_scores))

    def begin_scores(self, vectors: Any) -> tuple[Floats2d, Callable[[Any], Any]]:
        """The scores of spans, given their hidden vectors.

        vectors (Floats2d): (n, nH).
        RETURNS (Tuple[Floats2d, Callable]): The scores (n, nO), and a function from their gradient to that of the vectors.
        """
        return begin_output(self.step.model, vectors)

    def _backprop_tables(self, d_hidden: Any, index: Any) -> None:
        step, ops, model = self.step, self.step.ops, self.step.model
        d_table = ops.alloc2f(*self.table.shape)
        for column in range(index.shape[1]):
            ops.scatter_add(d_table, ops.as_contig(index[:, column]), d_hidden)
        cuts = self.offsets.tolist()
        d_starts, d_ends, d_heads, d_governors, d_shapes = (
            d_table[begin:end] for begin, end in itertools.pairwise(cuts)
        )
        model.inc_grad("V", d_shapes)
        model.inc_grad("b0", d_starts.sum(axis=0))
        if step.d_parts is None:
            step.d_parts = ops.alloc3f(step.X.shape[0] + 1, N_PARTS, step.width)
        step.d_parts[:, HEAD] += d_heads
        step.d_parts[:, GOVERNOR] += d_governors
        sides = ((d_starts, BEFORE_START, AFTER_START), (d_ends, BEFORE_END, AFTER_END))
        for d_side, first, second in sides:
            for tokens, part in ((self.before, first), (self.after, second)):
                d_part = ops.alloc2f(step.X.shape[0] + 1, step.width)
                ops.scatter_add(d_part, tokens, ops.as_contig(d_side))
                step.d_parts[:, part] += d_part


OWN, PARENT, LEFT, RIGHT, CHILDREN = range(5)
N_ROLES = 5


def TreeScorer(
    width: int, nI: int | None = None
) -> Model[tuple[Floats2d, numpy.ndarray], Floats2d]:
    """Scores labels of spans in trees.

    width (int): Width of the hidden layer.
    nI (Optional[int]): Width of the vectors of spans.
    RETURNS (Model[Tuple[Floats2d, ndarray], Floats2d]): Maps vectors of spans (n, nI) and their relatives
        (n, 3), the numbers of the parent and of the siblings to the left and right, -1 for none, to scores (n, nO).
    """
    return Model(
        "tree_scorer",
        forward_tree,
        init=init_tree,
        dims={"nO": None, "nI": nI, "nH": width},
        params={"W": None, "b": None, "O": None},
        attrs={"dropout_rate": 0.0, "kind": TreeKind(_tree_like, ("nO",))},
    )


def _tree_like(scorer: Model) -> Model:
    return TreeScorer(scorer.get_dim("nH"), scorer.get_dim("nI"))


class TreeKind(ScorerKind):
    """A TreeScorer gets vectors of spans, when there are trees; one without a hidden layer scores nothing."""

    def begin(
        self, scorer: Model, docs: list[Doc], vectors: Any, is_train: bool
    ) -> tuple[Any, Callable[[], Any]]:
        step = partial(scorer, is_train=is_train) if scorer.get_dim("nH") else None
        return step, lambda: 0.0


def init_tree(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nO, nI, nH = model.get_dim("nO"), model.get_dim("nI"), model.get_dim("nH")
    weights: Any = glorot_uniform_init(ops, (nH, N_ROLES * nI))
    model.set_param("W", weights.reshape((N_ROLES * nH, nI)))
    model.set_param("b", zero_init(ops, (nH,)))
    model.set_param("O", glorot_uniform_init(ops, (nO, nH + 1)))


def forward_tree(
    model: Model, X: tuple[Floats2d, numpy.ndarray], is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], tuple[Floats2d, None]]]:
    ops: Any = model.ops
    vectors: Any = X[0]
    relatives = X[1]
    nH = model.get_dim("nH")
    W: Any = model.get_param("W")
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
    scores, backprop_output = begin_output(model, hidden)

    def backprop(d_scores: Floats2d) -> tuple[Floats2d, None]:
        d_hidden = backprop_output(d_scores) * mask
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
