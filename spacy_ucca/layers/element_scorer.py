"""ElementScorer: scores rows of elements, as the networks of the TUPA paper do.

A SlotScorer has an embedding of its own for each value of each category column. Here, columns of one kind share the
embeddings of their values, of a small width, and each column has weights over that width; numbers are read as they are. Both
are multiplied once a batch, so that a row costs what it costs a SlotScorer.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy
from spacy.tokens import Doc
from thinc.api import Model, glorot_uniform_init, uniform_init, zero_init
from thinc.types import Floats2d

from ..native.elements import ACTION, N_MARKS
from .rows import Rows, Separators
from .slot_scorer import ScorerKind, SlotStep, forward_step, init_hidden_layers

SCALE = 3.0  # embeddings of width n begin between -sqrt(3 / n) and sqrt(3 / n), as in the paper's library


class ElementTokens(NamedTuple):
    """What an ElementScorer is given of the tokens of a batch.

    vectors (Floats2d): (n_tokens, nI) the token vectors.
    is_punct (ndarray[bool]): (n_tokens,) whether each is punctuation.
    marks (ndarray[int]): (n_tokens,) the number of each as a punctuation mark, from 1.
    """

    vectors: Any
    is_punct: numpy.ndarray
    marks: numpy.ndarray


def ElementScorer(
    width: int, depth: int, widths: Mapping[str, int]
) -> Model[ElementTokens, "ElementStep"]:
    """Scores rows of elements against token vectors.

    width (int): Width of the hidden layers.
    depth (int): Number of hidden layers.
    widths (Mapping[str, int]): The width of the embeddings of each kind of category; other kinds are numbers.
    RETURNS (Model[ElementTokens, ElementStep]): The scorer. `attrs["columns"]` has the kind and the number of values of each
        category column, the last two those of the punctuation between the items of `attrs["pair"]`.
    """
    upper = {f"W{i}": None for i in range(1, depth)} | {f"b{i}": None for i in range(1, depth)}
    tables = {f"E {kind}": None for kind in widths}
    return Model(
        "element_scorer",
        partial(forward_step, ElementStep),
        init=_init,
        dims={"nO": None, "nI": None, "nH": width, "nF": None, "nV": None, "nB": 0},
        params={"T": None, "pad": None, "F": None, "b0": None, "O": None, **upper, **tables},
        attrs={
            "dropout_rate": 0.0,
            "depth": depth,
            "widths": dict(widths),
            "columns": [],
            "pair": [0, 1],
            "kind": ElementKind(_new_like),
        },
    )


def _new_like(scorer: Model) -> Model:
    return ElementScorer(scorer.get_dim("nH"), scorer.attrs["depth"], scorer.attrs["widths"])


class ElementKind(ScorerKind):
    """An ElementScorer gets punctuation marks too, and is told the kinds of its columns."""

    def inputs(self, docs: list[Doc], vectors: Any) -> ElementTokens:
        arrays = [doc.to_array(["IS_PUNCT", "ORTH"]).reshape((-1, 2)) for doc in docs]
        values = numpy.concatenate([numpy.zeros((0, 2), dtype="uint64"), *arrays])
        return ElementTokens(vectors, values[:, 0] > 0, values[:, 1] % N_MARKS + 1)

    def set_sizes(self, scorer: Model, schema: Any, n_outputs: int) -> None:
        super().set_sizes(scorer, schema, n_outputs)
        sizes = [size for _, size in schema.categories]
        scorer.attrs["columns"] = [list(column) for column in zip(schema.kinds, sizes)]

    def rows_of(self, param: str, places: Mapping[str, Mapping[int, int]]) -> Mapping[int, int]:
        if param == f"E {ACTION}":  # after that of no action
            return {0: 0, **{old + 1: new + 1 for old, new in places["actions"].items()}}
        return super().rows_of(param, places)


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops = model.ops
    nI, nH, nF = (model.get_dim(name) for name in ("nI", "nH", "nF"))
    columns, widths = model.attrs["columns"], model.attrs["widths"]
    n_inputs = nF * nI + sum(widths.get(kind, 1) for kind, _ in columns)
    weights: Any = glorot_uniform_init(ops, (nH, n_inputs))
    table = weights[:, : nF * nI].reshape((nH, nF, nI))
    model.set_param("T", table.transpose((1, 0, 2)).reshape((nF * nH, nI)))
    model.set_param("F", ops.xp.ascontiguousarray(weights[:, nF * nI :].T))
    model.set_param("pad", zero_init(ops, (nF, nH)))
    init_hidden_layers(model)
    for kind, width in widths.items():
        size = max((size for own, size in columns if own == kind), default=1)
        scale = (SCALE / width) ** 0.5
        model.set_param(f"E {kind}", uniform_init(ops, (size, width), lo=-scale, hi=scale))


class ElementStep(SlotStep):
    """An ElementScorer that has seen the tokens of a batch, and scores any number of rows.

    model (Model): The ElementScorer.
    X (ElementTokens): The tokens.
    is_train (bool): Whether `begin_update` may be called, and dropout is wanted.
    """

    def __init__(self, model: Model, X: ElementTokens, is_train: bool) -> None:
        super().__init__(model, X.vectors, is_train)
        self._separators = Separators(X.is_punct, X.marks, 0)
        self._values = [self._inputs(kind, size) for kind, size in model.attrs["columns"]]
        ends = numpy.cumsum([values.shape[1] for values in self._values]).tolist()
        self._weights = [slice(a, b) for a, b in zip([0, *ends], ends)]
        weights = self.params["F"]
        tables = [values @ weights[part] for values, part in zip(self._values, self._weights)]
        self.params["V"] = self.ops.xp.concatenate(tables)
        self.params["B"] = self.ops.alloc2f(0, self.width)
        self._d_values: Any = None

    def _inputs(self, kind: str, size: int) -> Any:
        """RETURNS (Floats2d): (size, width) what the values of a column are to the network."""
        if kind in self.model.attrs["widths"]:
            return self.params[f"E {kind}"][:size]
        return self.ops.xp.arange(size, dtype="float32")[:, None]

    def complete(self, rows: Rows) -> Rows:
        """RETURNS (Rows): The rows with the punctuation between two of their items."""
        marks, counts = self._separators.between(rows.tokens[:, self.model.attrs["pair"]])
        categories = rows.categories.copy()
        categories[:, -2] += marks.astype("int32")
        most = self.model.attrs["columns"][-1][1] - 1
        categories[:, -1] += numpy.clip(counts, 0, most).astype("int32")
        return rows._replace(categories=categories)

    def weights_of_sum(self) -> None:
        return None  # rows are completed first

    def predict(self, rows: Rows) -> Floats2d:
        return super().predict(self.complete(rows))

    def begin_update(self, rows: Rows) -> tuple[Floats2d, Callable[[Floats2d], None]]:
        return super().begin_update(self.complete(rows))

    def add_value_gradient(self, d_values: Floats2d) -> None:
        self._d_values = d_values if self._d_values is None else self._d_values + d_values

    def finish(self, _: Any = None) -> Floats2d:
        if self._d_values is not None:
            self._finish_values()
        return super().finish()

    def _finish_values(self) -> None:
        d_weights = self.ops.alloc2f(*self.params["F"].shape)
        start = 0
        for values, part, (kind, size) in zip(
            self._values, self._weights, self.model.attrs["columns"]
        ):
            d_own = self._d_values[start : start + size]
            start += size
            d_weights[part] = values.T @ d_own
            if kind in self.model.attrs["widths"]:
                d_table = self.ops.alloc2f(*self.params[f"E {kind}"].shape)
                d_table[:size] = d_own @ self.params["F"][part].T
                self.model.inc_grad(f"E {kind}", d_table)
        self.model.inc_grad("F", d_weights)
