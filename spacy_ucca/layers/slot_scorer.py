"""What a parser asks of a scorer of rows, and SlotScorer: scores rows of features against the token vectors of a batch.

The weights of every token column are multiplied with all token vectors once per batch (a table), so that
the hidden vector of a row is a sum of rows of that table and of embeddings.

Products of matrices are NumPy's: its BLAS is several times faster here than the one behind `Ops.gemm`.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model, glorot_uniform_init, uniform_init, zero_init
from thinc.types import Floats2d

from ..native.columns import LABEL_BITS
from ..native.load import COMPILED, kernels
from .arrays import SCRATCH, begin_output, cross_entropy, dropout_mask
from .rows import Part, Rows, Targets, join_parts


class ScorerStep:
    """The interface of a scorer that has seen the tokens of a batch, and scores any number of rows."""

    def predict(self, rows: Rows) -> Any:
        """RETURNS (Floats2d): (n_rows, nO) scores, before softmax."""
        raise NotImplementedError

    def learn(self, right: Targets, n: int) -> float:
        """Learn from rows; gradients of weights are kept.

        right (Targets): What is right.
        n (int): The number that losses and gradients are divided by.
        RETURNS (float): The loss.
        """
        raise NotImplementedError

    def finish(self, _: Any = None) -> Any:
        """RETURNS (Floats2d): (n_tokens, nI) the gradient of the token vectors, when all rows are done."""
        raise NotImplementedError

    def weights_of_sum(self) -> tuple[Any, ...] | None:
        """RETURNS (Optional[Tuple[ndarray, ...]]): What compiled search reads: see `SlotStep`. None if scores are made in other
        ways."""
        return None


class ScorerKind:
    """What a parser asks of a kind of scorers: its inputs, its sizes, and how it grows. The architecture puts it into
    `attrs["kind"]` of a scorer; it is saved with no model.

    build (Callable[[Model], Model]): Makes a scorer of the widths of another one, without sizes and weights.
    dims (Sequence[str]): The dimensions that rows and classes decide.
    """

    def __init__(
        self, build: Callable[[Model], Model], dims: Sequence[str] = ("nO", "nF", "nV", "nB")
    ) -> None:
        self.build, self.dims = build, dims

    def begin(
        self, scorer: Model, docs: list[Doc], vectors: Any, is_train: bool
    ) -> tuple[Any, Callable[[], Any]]:
        """RETURNS (Tuple[Any, Callable]): What scores the rows of a batch, and gives the gradient of its token vectors."""
        return scorer(self.inputs(docs, vectors), is_train)

    def inputs(self, docs: list[Doc], vectors: Any) -> Any:
        """RETURNS (Any): What the scorer gets of a batch, whose token vectors are those."""
        return vectors

    def sizes(self, schema: Any, n_outputs: int) -> dict[str, int]:
        """RETURNS (Dict[str, int]): The dimensions of a scorer for rows of a schema and a number of classes."""
        n_bits = len(schema.bits) * LABEL_BITS
        sizes = {"nO": n_outputs, "nF": len(schema.tokens), "nV": schema.n_values, "nB": n_bits}
        return {dim: sizes[dim] for dim in self.dims}

    def set_sizes(self, scorer: Model, schema: Any, n_outputs: int) -> None:
        """Set the dimensions of a new scorer."""
        for dim, size in self.sizes(schema, n_outputs).items():
            scorer.set_dim(dim, size)

    def grow(
        self, scorer: Model, schema: Any, n_outputs: int, places: Mapping[str, Mapping[int, int]]
    ) -> Model:
        """Make a scorer for more rows and classes, which gives the scores of before.

        scorer (Model): A scorer with weights.
        schema (Schema): The new columns.
        n_outputs (int): The new number of classes.
        places (Mapping[str, Mapping[int, int]]): The new number of each of the values of categories, of the "classes" and of the
            "actions".
        RETURNS (Model): The scorer. Gradients and moments of the old sizes are dropped.
        """
        larger = self.build(scorer)
        larger.attrs.update(scorer.attrs)
        self.set_sizes(larger, schema, n_outputs)
        return self.copy_weights(scorer, larger, places)

    def copy_weights(
        self, scorer: Model, larger: Model, places: Mapping[str, Mapping[int, int]]
    ) -> Model:
        """Initialize a scorer of larger sizes, and copy the weights of another one.

        scorer (Model): A scorer with weights.
        larger (Model): The new one, with its sizes.
        places (Mapping[str, Mapping[int, int]]): As for `grow`.
        RETURNS (Model): The new one.
        """
        larger.ops = scorer.ops
        larger.set_dim("nI", scorer.get_dim("nI"))
        larger.initialize()
        for name in scorer.param_names:
            old: Any = scorer.get_param(name)
            grown: Any = larger.get_param(name)
            moved = self.rows_of(name, places)
            for row in range(old.shape[0]):
                grown[moved.get(row, row)] = old[row]
            larger.set_param(name, grown)
        return larger

    def rows_of(self, param: str, places: Mapping[str, Mapping[int, int]]) -> Mapping[int, int]:
        """RETURNS (Mapping[int, int]): The new rows of a parameter; others stay where they are."""
        return places.get({"V": "values", "O": "classes"}.get(param, ""), {})


def SlotScorer(width: int, depth: int = 1) -> Model[Floats2d, "SlotStep"]:
    """Scores rows of features against token vectors.

    width (int): Width of the hidden layers.
    depth (int): Number of hidden layers; the first is the table.
    RETURNS (Model[Floats2d, SlotStep]): Maps token vectors (n_tokens, nI) to a SlotStep.
    """
    upper = {f"W{i}": None for i in range(1, depth)} | {f"b{i}": None for i in range(1, depth)}
    return Model(
        "slot_scorer",
        partial(forward_step, SlotStep),
        init=_slot_init,
        dims={"nO": None, "nI": None, "nH": width, "nF": None, "nV": None, "nB": None},
        params={"T": None, "pad": None, "V": None, "B": None, "b0": None, "O": None, **upper},
        attrs={"dropout_rate": 0.0, "depth": depth, "kind": ScorerKind(_new_like)},
    )


def _new_like(scorer: Model) -> Model:
    return SlotScorer(scorer.get_dim("nH"), scorer.attrs["depth"])


def _slot_init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nI, nH = model.get_dim("nI"), model.get_dim("nH")
    nF, nV, nB = model.get_dim("nF"), model.get_dim("nV"), model.get_dim("nB")
    table: Any = glorot_uniform_init(ops, (nH, nF * nI)) * 1.5  # the columns of one row are summed
    model.set_param("T", table.reshape((nH, nF, nI)).transpose((1, 0, 2)).reshape((nF * nH, nI)))
    model.set_param("pad", uniform_init(ops, (nF, nH), lo=-0.05, hi=0.05))
    model.set_param("V", uniform_init(ops, (nV, nH), lo=-0.05, hi=0.05))
    model.set_param("B", zero_init(ops, (nB, nH)))
    init_hidden_layers(model)


def init_hidden_layers(model: Model) -> None:
    """Set the parameters of a new scorer that follow the sum of what a row has: biases, hidden layers and output."""
    ops, nO, nH = model.ops, model.get_dim("nO"), model.get_dim("nH")
    model.set_param("b0", zero_init(ops, (nH,)))
    for i in range(1, model.attrs["depth"]):
        model.set_param(f"W{i}", glorot_uniform_init(ops, (nH, nH)))
        model.set_param(f"b{i}", zero_init(ops, (nH,)))
    model.set_param("O", glorot_uniform_init(ops, (nO, nH + 1)))


def forward_step(kind: Callable, model: Model, X: Any, is_train: bool) -> tuple[Any, Callable]:
    """RETURNS (Tuple[Any, Callable]): A step of a kind, and what gives the gradient of the token vectors."""
    step = kind(model, X, is_train)
    return step, step.finish


class SlotStep(ScorerStep):
    """A SlotScorer that has seen the token vectors of a batch, and scores any number of rows.

    model (Model): The SlotScorer.
    X (Floats2d): (n_tokens, nI) token vectors.
    is_train (bool): Whether `begin_update` may be called, and dropout is wanted.
    """

    def __init__(self, model: Model, X: Floats2d, is_train: bool) -> None:
        self.model: Any = model  # Any, as Thinc's types know no array of a certain shape
        self.ops: Any = model.ops
        self.X = X
        self.n_slots, self.width = model.get_dim("nF"), model.get_dim("nH")
        self.depth = model.attrs["depth"]
        self.dropout = model.attrs["dropout_rate"] if is_train else 0.0
        shape = X.shape[0] + 1, self.n_slots * self.width
        if self.ops.xp is numpy and not is_train:
            table: Any = SCRATCH.take(*shape)
            weakref.finalize(self, SCRATCH.give, table)
        else:
            table = self.ops.alloc2f(*shape)
        if X.shape[0]:
            self.ops.xp.matmul(X, model.get_param("T").T, out=table[:-1])
        table[-1] = model.get_param("pad").ravel()  # the row of missing tokens
        self.table = table.reshape((-1, self.width))
        self.d_table: Any = None
        self.slots = numpy.arange(self.n_slots, dtype="int32")
        # Asked for in every step of the loop over states: looking them up costs more than a row.
        names = model.param_names
        self.params: dict[str, Any] = dict(zip(names, map(model.get_param, names)))

    def weights_of_sum(self) -> tuple[Any, ...] | None:
        """RETURNS (Optional[Tuple[ndarray, ...]]): The vectors of tokens in each slot, of the values of categories and of bits,
        the bias, the weights and the bias of the output, if scores are one product of a sum of vectors, in NumPy's arrays.
        """
        if self.ops.xp is not numpy or self.depth > 1:
            return None
        params, output = self.params, self.params["O"]
        return (
            self.table.reshape((-1, self.n_slots, self.width)),
            numpy.vstack([params["V"], numpy.zeros((1, self.width), dtype="float32")]),
            params["B"],
            params["b0"],
            numpy.ascontiguousarray(output[:, :-1].T),
            numpy.ascontiguousarray(output[:, -1]),
        )

    def _hidden(self, rows: Rows) -> tuple[Any, Any, Any]:
        ops, model = self.ops, self.model
        if not len(rows.tokens):
            return ops.alloc2f(0, self.width), None, None
        tokens = numpy.where(rows.tokens >= 0, rows.tokens, self.X.shape[0])
        index = ops.asarray(tokens * self.n_slots + self.slots, dtype="int32")
        categories = ops.asarray(rows.categories, dtype="int32")
        hidden = ops.gather_add(self.table, index)
        hidden += ops.gather_add(self.params["V"], categories)
        bits = ops.asarray(unpack_bits(rows.bits))
        hidden += bits @ self.params["B"]
        hidden += model.get_param("b0")
        return hidden, index, bits

    def _sums(self, rows: Rows) -> Any:
        """`_hidden` without what training needs, by a compiled loop if there is one."""
        if not COMPILED or self.ops.xp is not numpy:
            return self._hidden(rows)[0]
        V, B, b0 = map(self.params.__getitem__, ("V", "B", "b0"))
        out = numpy.zeros((len(rows.tokens) + 1, self.width), dtype="float32")
        table = self.table.reshape((-1, self.n_slots, self.width))
        kernels.sum_rows(table, rows.tokens, V, rows.categories, B, rows.bits, b0, out)
        return out[:-1]

    def predict_parts(self, parts: Sequence[Part]) -> Floats2d:
        """Score rows whose columns come in parts that many of them share.

        parts (Sequence[Part]): Together they have all columns.
        RETURNS (Floats2d): (n_rows, nO) scores, before softmax.
        """
        return self.predict(join_parts(parts))

    def predict(self, rows: Rows) -> Floats2d:
        """RETURNS (Floats2d): (n_rows, nO) scores, before softmax."""
        return self._scores(self._sums(rows))

    def _scores(self, hidden: Any) -> Floats2d:
        params = self.params
        self.ops.xp.maximum(hidden, 0, out=hidden)
        for i in range(1, self.depth):
            hidden = hidden @ params[f"W{i}"].T
            hidden += params[f"b{i}"]
            self.ops.xp.maximum(hidden, 0, out=hidden)
        output = params["O"]
        scores = hidden @ output[:, :-1].T
        scores += output[:, -1]
        return scores

    def learn(self, right: Targets, n: int) -> float:
        """Backpropagate the cross entropy of rows. If several classes are right, their probabilities are summed.

        right (Targets): What is right.
        n (int): The number that the loss and its gradient are divided by.
        RETURNS (float): The loss.
        """
        ops = self.ops
        scores, backprop = self.begin_update(right.rows)
        if right.mask is not None:
            scores = ops.xp.where(ops.asarray(right.mask), scores, -1e9)
        classes = right.classes if right.best is None else right.best
        loss, gradient = cross_entropy(scores, ops.asarray(classes))
        backprop((gradient / n).astype("float32"))
        return loss / n

    def begin_update(self, rows: Rows) -> tuple[Floats2d, Callable[[Floats2d], None]]:
        """Score rows and keep what backpropagation needs.

        rows (Rows): The rows.
        RETURNS (Tuple[Floats2d, Callable]): The scores (n_rows, nO) and a function that takes their
            gradient. `finish` gives the gradient of the token vectors when all rows are done.
        """
        ops, model = self.ops, self.model
        first, index, bits = self._hidden(rows)
        layers = []
        hidden = first
        for i in range(self.depth):
            if i:
                hidden = hidden @ model.get_param(f"W{i}").T
                hidden += model.get_param(f"b{i}")
            mask = (hidden > 0).astype("float32")
            if self.dropout:
                mask *= dropout_mask(ops, mask.shape, self.dropout)
            hidden = hidden * mask
            layers.append((hidden, mask))
        scores, backprop_output = begin_output(model, hidden)

        def backprop(d_scores: Floats2d) -> None:
            d_hidden = backprop_output(d_scores)
            for i in range(self.depth - 1, -1, -1):
                d_hidden *= layers[i][1]
                if i:
                    model.inc_grad(f"W{i}", d_hidden.T @ layers[i - 1][0])
                    model.inc_grad(f"b{i}", d_hidden.sum(axis=0))
                    d_hidden = d_hidden @ model.get_param(f"W{i}")
            self._backprop_rows(d_hidden, index, rows, bits)

        return scores, backprop

    def _backprop_rows(self, d_hidden: Floats2d, index: Any, rows: Rows, bits: Any) -> None:
        ops, model = self.ops, self.model
        if not len(d_hidden):
            return
        d_hidden = ops.as_contig(d_hidden)
        if self.d_table is None:
            self.d_table = ops.alloc2f(*self.table.shape)
        for column in range(index.shape[1]):
            ops.scatter_add(self.d_table, ops.as_contig(index[:, column]), d_hidden)
        d_values = ops.alloc2f(*self.params["V"].shape)
        categories = ops.asarray(rows.categories, dtype="int32")
        for column in range(categories.shape[1]):
            ops.scatter_add(d_values, ops.as_contig(categories[:, column]), d_hidden)
        self.add_value_gradient(d_values)
        if bits.shape[1]:
            model.inc_grad("B", bits.T @ d_hidden)
        model.inc_grad("b0", d_hidden.sum(axis=0))

    def add_value_gradient(self, d_values: Floats2d) -> None:
        """Add to the gradient of the embeddings of categories."""
        self.model.inc_grad("V", d_values)

    def finish(self, _: Any = None) -> Floats2d:
        """RETURNS (Floats2d): (n_tokens, nI) the gradient of the token vectors."""
        model = self.model
        if self.d_table is None:
            return self.ops.alloc2f(*self.X.shape)
        d_table = self.d_table.reshape((-1, self.n_slots * self.width))
        model.inc_grad("pad", d_table[-1].reshape((self.n_slots, self.width)))
        d_table = self.ops.as_contig(d_table[:-1])
        model.inc_grad("T", d_table.T @ self.X)
        return d_table @ model.get_param("T")


def unpack_bits(bits: numpy.ndarray) -> numpy.ndarray:
    """Bit sets as columns of ones and zeros.

    bits (ndarray[int64]): (n, B).
    RETURNS (ndarray[float32]): (n, B * LABEL_BITS).
    """
    if not bits.size:
        return numpy.zeros((bits.shape[0], bits.shape[1] * LABEL_BITS), dtype="float32")
    as_bytes = bits.astype("<i8").view("uint8").reshape((*bits.shape, 8))
    flags = numpy.unpackbits(as_bytes, axis=-1, bitorder="little")[..., :LABEL_BITS]
    return flags.reshape((bits.shape[0], -1)).astype("float32")
