"""Thinc models of the parser: what has weights. The token encoders are `encoder.py`'s.

As in spaCy's own parser, the weights of every token column of a row are multiplied with all token
vectors once per batch (a table), so that the hidden vector of a state is a sum of rows of that table and
of embeddings. `SlotScorer` is that idea as one layer; the parser uses it three times, to choose actions,
remote edges and implicit units. The loop over states is `decode.py`'s.

Products of matrices are NumPy's: its BLAS is several times faster here than the one behind `Ops.gemm`.
"""

from collections.abc import Callable
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model, glorot_uniform_init, uniform_init, zero_init
from thinc.types import Floats2d

from .features import HISTORY, LABEL_BITS, Rows, Schema
from .inventory import Inventory

Scorers = dict[str, "SlotStep"]


def build_ucca_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    system: str = "tree",
    hidden_width: int = 192,
    hidden_depth: int = 1,
    pair_width: int = 64,
    unit_width: int = 64,
) -> Model[list[Doc], Scorers]:
    """The model of `ucca_parser`.

    tok2vec (Model[List[Doc], List[Floats2d]]): The token encoder: any spaCy tok2vec, a listener, a
        transformer, or `spacy-ucca.Tok2Vec.v1`.
    system (str): The transition system: "tree" or "tupa".
    hidden_width (int): Width of the hidden layers that choose actions.
    hidden_depth (int): Their number.
    pair_width (int): Width of the hidden layer that finds remote edges.
    unit_width (int): Width of the hidden layer that finds implicit units.
    RETURNS (Model[List[Doc], Dict[str, SlotStep]]): The model. Its output scores rows of features.
    """
    actions = SlotScorer(hidden_width, hidden_depth)
    layers: dict[str, Model] = {"tok2vec": tok2vec, "actions": actions}
    if system == "tree":
        layers["remotes"] = SlotScorer(pair_width, 1)
        layers["implicit"] = SlotScorer(unit_width, 1)
    return Model(
        "ucca_parser",
        forward,
        init=init,
        layers=list(layers.values()),
        refs=dict(layers),
        attrs={"system": system},
    )


def scorer_names(model: Model) -> list[str]:
    """RETURNS (List[str]): The names of the scorers of a parser model."""
    return [name for name in ("actions", "remotes", "implicit") if name in model.ref_names]


def configure(model: Model, schemas: dict[str, Schema], n_outputs: dict[str, int]) -> None:
    """Tell a new model how wide its rows and outputs are, before `model.initialize`.

    model (Model): From `build_ucca_model`.
    schemas (Dict[str, Schema]): The columns of the rows of each scorer.
    n_outputs (Dict[str, int]): The number of classes of each scorer.
    """
    for name in scorer_names(model):
        scorer, schema = model.get_ref(name), schemas[name]
        if scorer.has_param("O"):  # initialized before, perhaps for other labels
            scorer = _replace(model, name, SlotScorer(scorer.get_dim("nH"), scorer.attrs["depth"]))
        scorer.set_dim("nO", n_outputs[name])
        scorer.set_dim("nF", len(schema.tokens))
        scorer.set_dim("nV", schema.n_values)
        scorer.set_dim("nB", len(schema.bits) * LABEL_BITS)


def resize_output(model: Model, old: Inventory, new: Inventory) -> None:
    """Give a trained model room for labels added at the end, keeping what it knows. Its scorers are
    replaced by larger ones, so that gradients and moments of the old sizes are left behind.

    model (Model): The model of the component.
    old (Inventory): The labels so far.
    new (Inventory): The labels from now on.
    """
    actions = {
        old.system.action_ids[a]: i
        for a, i in new.system.action_ids.items()
        if a in old.system.action_ids
    }
    for name in scorer_names(model):
        scorer, before, after = model.get_ref(name), old.schemas[name], new.schemas[name]
        values = {}
        for column, (start, end) in enumerate(zip(before.offsets, after.offsets)):
            size = before.categories[column][1]
            history = before.categories[column][0] in HISTORY
            for value in range(size):
                moved = actions[value - 1] + 1 if history and value else value
                values[int(start) + value] = int(end) + moved
        places = {"V": values, "O": actions} if name == "actions" else {"V": values}
        larger = _larger(scorer, {"nV": after.n_values, "nO": new.n_outputs[name]}, places)
        _replace(model, name, larger)


def _replace(model: Model, name: str, scorer: Model) -> Model:
    scorer.ops = model.ops
    model.layers[model.layers.index(model.get_ref(name))] = scorer
    model.set_ref(name, scorer)
    return scorer


def _larger(scorer: Model, sizes: dict[str, int], places: dict[str, dict[int, int]]) -> Model:
    """RETURNS (Model): A copy of a SlotScorer with other sizes; rows of parameters go to new places."""
    larger = SlotScorer(scorer.get_dim("nH"), scorer.attrs["depth"])
    larger.ops = scorer.ops
    larger.attrs.update(scorer.attrs)
    for dim in ("nO", "nI", "nF", "nV", "nB"):
        larger.set_dim(dim, sizes.get(dim, scorer.get_dim(dim)))
    larger.initialize()
    for name in scorer.param_names:
        old: Any = scorer.get_param(name)
        grown: Any = larger.get_param(name)
        for row in range(old.shape[0]):
            grown[places[name][row] if name in places else row] = old[row]
        larger.set_param(name, grown)
    return larger


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.has_dim("nO") is None and X:
        tok2vec.set_dim("nO", tok2vec.predict(X[:1])[0].shape[1])
    for name in scorer_names(model):
        scorer = model.get_ref(name)
        scorer.set_dim("nI", tok2vec.get_dim("nO"))
        scorer.initialize()


def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scorers, Callable]:
    ops: Any = model.ops
    vectors, backprop_tok2vec = model.get_ref("tok2vec")(docs, is_train)
    lengths = [len(v) for v in vectors]
    width = model.get_ref("actions").get_dim("nI")
    X = ops.xp.concatenate([*vectors, ops.alloc2f(0, width)])
    steps: Scorers = {}
    finishers = []
    for name in scorer_names(model):
        steps[name], finish = model.get_ref(name)(X, is_train)
        finishers.append(finish)

    def backprop(_: Any = None) -> Any:
        dX = sum(finish() for finish in finishers)
        return backprop_tok2vec(ops.unflatten(dX, numpy.array(lengths, dtype="int32")))

    return steps, backprop


def SlotScorer(width: int, depth: int = 1) -> Model[Floats2d, "SlotStep"]:
    """Scores rows of features against token vectors.

    width (int): Width of the hidden layers.
    depth (int): Number of hidden layers; the first is the table.
    RETURNS (Model[Floats2d, SlotStep]): Maps token vectors (n_tokens, nI) to a SlotStep.
    """
    upper = {f"W{i}": None for i in range(1, depth)} | {f"b{i}": None for i in range(1, depth)}
    return Model(
        "slot_scorer",
        _slot_forward,
        init=_slot_init,
        dims={"nO": None, "nI": None, "nH": width, "nF": None, "nV": None, "nB": None},
        params={"T": None, "pad": None, "V": None, "B": None, "b0": None, "O": None, **upper},
        attrs={"dropout_rate": 0.0, "depth": depth},
    )


def _slot_init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nO, nI, nH = model.get_dim("nO"), model.get_dim("nI"), model.get_dim("nH")
    nF, nV, nB = model.get_dim("nF"), model.get_dim("nV"), model.get_dim("nB")
    table: Any = glorot_uniform_init(ops, (nH, nF * nI)) * 1.5  # the columns of one row are summed
    model.set_param("T", table.reshape((nH, nF, nI)).transpose((1, 0, 2)).reshape((nF * nH, nI)))
    model.set_param("pad", uniform_init(ops, (nF, nH), lo=-0.05, hi=0.05))
    model.set_param("V", uniform_init(ops, (nV, nH), lo=-0.05, hi=0.05))
    model.set_param("B", zero_init(ops, (nB, nH)))
    model.set_param("b0", zero_init(ops, (nH,)))
    for i in range(1, model.attrs["depth"]):
        model.set_param(f"W{i}", glorot_uniform_init(ops, (nH, nH)))
        model.set_param(f"b{i}", zero_init(ops, (nH,)))
    model.set_param("O", glorot_uniform_init(ops, (nO, nH + 1)))


def _slot_forward(model: Model, X: Floats2d, is_train: bool) -> tuple["SlotStep", Callable]:
    step = SlotStep(model, X, is_train)
    return step, step.finish


class SlotStep:
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
        table = self.ops.alloc2f(X.shape[0] + 1, self.n_slots * self.width)
        if X.shape[0]:
            self.ops.xp.matmul(X, model.get_param("T").T, out=table[:-1])
        table[-1] = model.get_param("pad").ravel()  # the row of missing tokens
        self.table = table.reshape((-1, self.width))
        self.d_table: Any = None
        self.slots = numpy.arange(self.n_slots, dtype="int32")

    def _hidden(self, rows: Rows) -> tuple[Any, Any, Any]:
        ops, model = self.ops, self.model
        if not len(rows.tokens):
            return ops.alloc2f(0, self.width), None, None
        tokens = numpy.where(rows.tokens >= 0, rows.tokens, self.X.shape[0])
        index = ops.asarray(tokens * self.n_slots + self.slots, dtype="int32")
        categories = ops.asarray(rows.categories, dtype="int32")
        hidden = ops.gather_add(self.table, index)
        hidden += ops.gather_add(model.get_param("V"), categories)
        bits = ops.asarray(unpack_bits(rows.bits))
        hidden += bits @ model.get_param("B")
        hidden += model.get_param("b0")
        return hidden, index, bits

    def predict(self, rows: Rows) -> Floats2d:
        """RETURNS (Floats2d): (n_rows, nO) scores, before softmax."""
        model = self.model
        hidden, _, _ = self._hidden(rows)
        hidden *= hidden > 0
        for i in range(1, self.depth):
            hidden = hidden @ model.get_param(f"W{i}").T
            hidden += model.get_param(f"b{i}")
            hidden *= hidden > 0
        output = model.get_param("O")
        return hidden @ output[:, :-1].T + output[:, -1]

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
                mask *= ops.get_dropout_mask(mask.shape, self.dropout)
            hidden = hidden * mask
            layers.append((hidden, mask))
        output = model.get_param("O")
        scores = hidden @ output[:, :-1].T + output[:, -1]

        def backprop(d_scores: Floats2d) -> None:
            d_output = ops.alloc2f(*output.shape)
            d_output[:, :-1] = d_scores.T @ layers[-1][0]
            d_output[:, -1] = d_scores.sum(axis=0)
            model.inc_grad("O", d_output)
            d_hidden = d_scores @ output[:, :-1]
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
        d_values = ops.alloc2f(*model.get_param("V").shape)
        categories = ops.asarray(rows.categories, dtype="int32")
        for column in range(categories.shape[1]):
            ops.scatter_add(d_values, ops.as_contig(categories[:, column]), d_hidden)
        model.inc_grad("V", d_values)
        model.inc_grad("B", bits.T @ d_hidden)
        model.inc_grad("b0", d_hidden.sum(axis=0))

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
