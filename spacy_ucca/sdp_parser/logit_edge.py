"""`spacy-ucca.LogitEdge.v1`: the edge-factored linear model of `sdp_parser`, with hashed features and a table of weights for
each of the three stages.

A table is too large for an optimizer that updates all weights. So its layer, `HashedLinear`, updates them without one: `finish_update`
changes only the rows of features in the batch, by AdaGrad (Duchi et al. 2011). It runs in main memory, on any device.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy
import srsly
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps, Shim
from thinc.types import Floats2d, Ints2d

from ..parser.settings import check_rates
from .batch import Batch, Pairs, Scores, read_batch
from .features import FEATURES, check_features, edge_ids, singleton_ids, to_rows, top_ids


def HashedLinear(
    hash_bits: int, learn_rate: float, L2: float, nO: int | None = None
) -> Model[Ints2d, Floats2d]:
    """Scores rows of binary features.

    hash_bits (int): The table has 2 ** hash_bits rows.
    learn_rate (float): The learning rate of AdaGrad.
    L2 (float): The weight of L2 regularization, for the rows that a batch has features in.
    nO (Optional[int]): Output width.
    RETURNS (Model[Ints2d, Floats2d]): Maps (n, n_features) rows of the table to (n, nO) scores.
    """
    return Model(
        "hashed_linear",
        _forward_table,
        init=_init_table,
        dims={"nO": nO},
        attrs={"hash_bits": hash_bits, "learn_rate": learn_rate, "L2": L2},
        shims=[AdaGradTable()],
    )


def _init_table(model: Model, X: Any = None, Y: Any = None) -> None:
    table: Any = model.shims[0]
    shape = 2 ** model.attrs["hash_bits"], model.get_dim("nO")
    table.weights = numpy.zeros(shape, dtype="float32")


def _forward_table(model: Model, X: Ints2d, is_train: bool) -> tuple[Floats2d, Callable]:
    table: Any = model.shims[0]
    rows: Any = X

    def backprop(d_scores: Floats2d) -> Ints2d:
        table.pending.append((rows, numpy.ascontiguousarray(d_scores, dtype="float32")))
        table.settings = model.attrs["learn_rate"], model.attrs["L2"]
        nothing: Any = numpy.zeros(rows.shape, dtype="int32")
        return nothing

    return table.scores(rows), backprop


EPSILON = 1e-6  # added to the root of the sum of squares


class AdaGradTable(Shim):
    """A table of weights, and the sums of their squared gradients, which Thinc trains, saves, loads and copies with its layer.

    weights (Optional[ndarray[float32]]): (n_rows, n_out) the weights, once the layer is initialized.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self.ops = NumpyOps()
        self.weights: Any = None
        # Made when something is learned: a parser that is only used has no need of it.
        self.squares: Any = None
        self.pending: list[tuple[numpy.ndarray, numpy.ndarray]] = []  # rows, gradients of scores
        self.settings = (0.0, 0.0)  # learn rate, L2

    def scores(self, rows: numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray[float32]): (n, n_out) the sums of the rows (n, n_features)."""
        if not rows.size:
            return numpy.zeros((len(rows), self.weights.shape[1]), dtype="float32")
        scores: numpy.ndarray = self.ops.gather_add(self.weights, rows)
        return scores

    def finish_update(self, optimizer: Any) -> None:
        """Take a step of AdaGrad: each gradient is divided by the root of the sum of its squares so far."""
        gradients, self.pending = self.pending, []
        if not sum(rows.size for rows, _ in gradients):
            return
        learn_rate, L2 = self.settings
        if self.squares is None:
            self.squares = numpy.zeros_like(self.weights)
        flat = numpy.concatenate([rows.ravel() for rows, _ in gradients])
        touched, place = numpy.unique(flat, return_inverse=True)
        place = place.astype("int32")
        step = numpy.zeros((len(touched), self.weights.shape[1]), dtype="float32")
        first = 0
        for rows, d_scores in gradients:
            columns = place[first : first + rows.size].reshape(rows.shape).T
            first += rows.size
            for column in numpy.ascontiguousarray(columns):
                self.ops.scatter_add(step, column, d_scores)
        weights = self.weights[touched]
        if L2:
            step += L2 * weights
        squares = self.squares[touched]
        squares += step * step
        self.squares[touched] = squares
        numpy.sqrt(squares, out=squares)
        squares += EPSILON
        step *= learn_rate
        step /= squares
        weights -= step
        self.weights[touched] = weights

    def resize(self, n_out: int) -> None:
        """Make rows wider; new weights are 0.

        n_out (int): The new width.
        """
        more = n_out - self.weights.shape[1]
        self.weights = numpy.pad(self.weights, ((0, 0), (0, more)))
        if self.squares is not None:
            self.squares = numpy.pad(self.squares, ((0, 0), (0, more)))

    def to_device(self, device_type: str, device_id: int) -> None:
        pass

    def to_bytes(self) -> bytes:
        """RETURNS (bytes): The rows that are not 0."""
        if self.weights is None:
            return b""
        rows = numpy.flatnonzero(self.weights.any(axis=1)).astype("int32")
        message = {"shape": list(self.weights.shape), "rows": rows, "weights": self.weights[rows]}
        return srsly.msgpack_dumps(message)

    def from_bytes(self, data: bytes) -> "AdaGradTable":
        """Load a table. Further training starts with its weights and without squared gradients.

        data (bytes): The result of `to_bytes`.
        RETURNS (AdaGradTable): The table.
        """
        self.weights, self.squares, self.pending = None, None, []
        if data:
            message: Any = srsly.msgpack_loads(data)
            self.weights = numpy.zeros(message["shape"], dtype="float32")
            self.weights[message["rows"]] = message["weights"]
        return self


SMALL_BITS = 18  # singletons and tops have one weight for a feature, and few features
CHUNK = 100_000  # pairs whose features are made at a time, for the sake of memory


def build_logit_edge(
    features: list[str] | None = None,
    hash_bits: int = 20,
    learn_rate: float = 0.1,
    L2: float = 1e-6,
) -> Model[list[Doc], Scores]:
    """Build linear models over hashed features, trained by AdaGrad. With the loss "likelihood" of `sdp_parser` this is
    LogitEdge; with "margin", the structured SVM.

    The optimizer of the training is not used: AdaGrad has its settings here.

    features (Optional[List[str]]): The classes of edge features; see `FEATURES`. None means all.
    hash_bits (int): The table of edges has 2 ** hash_bits rows of one weight for each label and NOEDGE.
    learn_rate (float): The learning rate of AdaGrad.
    L2 (float): The weight of L2 regularization. The paper takes a step of it for all weights after each epoch; here it is
        part of the gradient of the rows with features in the batch.
    RETURNS (Model[List[Doc], Scores]): The model.
    RAISES (UccaError): If a number is negative or not finite.
    """
    check_rates(learn_rate=learn_rate, L2=L2)
    names = list(FEATURES if features is None else features)
    check_features(names)
    parts = {
        "singletons": HashedLinear(SMALL_BITS, learn_rate, L2, nO=1),
        "tops": HashedLinear(SMALL_BITS, learn_rate, L2, nO=1),
        "edges": HashedLinear(hash_bits, learn_rate, L2),
    }
    return Model(
        "logit_edge",
        _forward,
        init=_init,
        layers=[*parts.values()],
        refs={**parts},
        dims={"nO": None},
        attrs={"features": names, "resize_output": _resize},
    )


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    model.get_ref("edges").set_dim("nO", model.get_dim("nO"))
    for layer in model.layers:
        layer.initialize()


def _resize(model: Model, n_out: int) -> None:
    edges = model.get_ref("edges")
    table: Any = edges.shims[0]
    table.resize(n_out)
    edges.set_dim("nO", n_out, force=True)


def _forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scores, Callable]:
    scores = LinearScores(model, read_batch(docs), is_train)
    return scores, lambda _=None: docs


class LinearScores:
    """The `Scores` of a LogitEdge model.

    model (Model): The model.
    batch (Batch): The batch.
    is_train (bool): Whether gradients will come.
    """

    def __init__(self, model: Model, batch: Batch, is_train: bool) -> None:
        self.model, self.batch, self.is_train = model, batch, is_train
        self.backprops: dict[str, list[tuple[int, Callable]]] = {}
        self.singletons = self._score("singletons", [singleton_ids(batch.tokens)])[:, 0]
        self.tops = self._score("tops", [top_ids(batch.tokens)])[:, 0]

    def edges(self, pairs: Pairs) -> numpy.ndarray:
        names = self.model.attrs["features"]
        chunks = (
            Pairs(pairs.head[start : start + CHUNK], pairs.dependent[start : start + CHUNK])
            for start in range(0, max(len(pairs), 1), CHUNK)
        )
        return self._score("edges", (edge_ids(self.batch.tokens, part, names) for part in chunks))

    def learn(self, singletons: numpy.ndarray, tops: numpy.ndarray, edges: numpy.ndarray) -> None:
        gradients = {"singletons": singletons[:, None], "tops": tops[:, None], "edges": edges}
        for name, d_scores in gradients.items():
            start = 0
            for n, backprop in self.backprops.pop(name, ()):
                backprop(d_scores[start : start + n])
                start += n

    def _score(self, name: str, parts: Iterable[numpy.ndarray]) -> numpy.ndarray:
        layer: Any = self.model.get_ref(name)
        all_scores = []
        self.backprops[name] = []
        for ids in parts:
            scores, backprop = layer(to_rows(ids, layer.attrs["hash_bits"]), self.is_train)
            all_scores.append(scores)
            if self.is_train:
                self.backprops[name].append((len(ids), backprop))
        return all_scores[0] if len(all_scores) == 1 else numpy.concatenate(all_scores)
