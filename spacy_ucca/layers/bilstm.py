"""A bidirectional LSTM layer over sequences of different lengths, in NumPy (or CuPy).

Ours, because the gradient of Thinc 8.3's own `LSTM` is wrong on CPU: `backprop_lstm` adds the weights
themselves to their gradient, which pulls them to zero (tests/test_bilstm.py holds ours against finite
differences). Both directions run in one batch, and sequences are packed by length, so that nothing is
computed for padding.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy
from thinc.api import Model, glorot_uniform_init, zero_init
from thinc.types import Floats2d, Ragged

from ..native.load import COMPILED, kernels
from .arrays import SCRATCH, dropout_mask

# Lambert's continued fraction of the hyperbolic tangent as a quotient of polynomials of the square, the constant first,
# and where it ends.
ABOVE = (13749310575.0, 1964187225.0, 64324260.0, 675675.0, 2145.0, 1.0)
BELOW = (13749310575.0, 6547290750.0, 413513100.0, 7567560.0, 45045.0, 66.0)
LIMIT = 7.4

SequencesT = TypeVar("SequencesT", list[Floats2d], Ragged)


def BiLSTM(
    nO: int, nI: int | None = None, *, recurrent_dropout: float = 0.0
) -> Model[SequencesT, SequencesT]:
    """A layer of two LSTMs, one in each direction.

    nO (int): Width of the output, both directions together; even.
    nI (Optional[int]): Width of the input.
    recurrent_dropout (float): Dropout over the recurrent weights in training (Gal and Ghahramani, 2016;
        Merity et al., 2018).
    RETURNS (Model[SequencesT, SequencesT]): Maps sequences (n, nI) to (n, nO): a list, or a Ragged.
    """
    return Model(
        "bilstm",
        forward,
        init=init,
        dims={"nO": nO, "nI": nI},
        params={"Wx": None, "Wh": None, "b": None},
        attrs={"recurrent_dropout": recurrent_dropout},
    )


def init(model: Model, X: list[Floats2d] | Ragged | None = None, Y: Any = None) -> None:
    if X:
        model.set_dim("nI", (X.data if isinstance(X, Ragged) else X[0]).shape[1])
    ops: Any = model.ops
    nI, nH = model.get_dim("nI"), model.get_dim("nO") // 2
    shapes = [(4 * nH, nI), (4 * nH, nI), (4 * nH, nH), (4 * nH, nH)]
    weights = [glorot_uniform_init(ops, shape) for shape in shapes]
    bias: Any = zero_init(ops, (2, 4 * nH))
    bias[:, nH : 2 * nH] = 1.0  # remember by default
    model.set_param("Wx", ops.xp.stack(weights[:2]))
    model.set_param("Wh", ops.xp.stack(weights[2:]))
    model.set_param("b", bias)


class _Packing:
    """Where the steps of all sequences go: step by step, longest sequence first, so that the sequences
    that are still running at a step are a prefix of those before."""

    def __init__(self, lengths: list[int]) -> None:
        sizes = numpy.array(lengths, dtype="int64")
        starts = numpy.cumsum(sizes) - sizes
        order = numpy.argsort(-sizes, kind="stable")
        sizes, starts = sizes[order], starts[order]
        steps = numpy.arange(sizes[0] if len(sizes) else 0)
        running = sizes[None, :] > steps[:, None]  # (steps, sequences)
        self.batch_sizes: list[int] = running.sum(axis=1).tolist()
        forward = (starts[None, :] + steps[:, None])[running]
        backward = (starts + sizes - 1)[None, :] - steps[:, None]
        # (2, n): the token behind each packed row, left to right and right to left
        self.tokens = numpy.stack([forward, backward[running]])


def forward(model: Model, sequences: SequencesT, is_train: bool) -> tuple[SequencesT, Callable]:
    if isinstance(sequences, Ragged):
        lengths = sequences.lengths
        Y, backprop = _forward(model, sequences.data, lengths.tolist(), is_train)
        return Ragged(Y, lengths), lambda dY: Ragged(backprop(dY.data), lengths)
    ops: Any = model.ops
    sizes = ops.asarray1i([len(x) for x in sequences])
    X = ops.flatten(sequences) if sequences else ops.alloc2f(0, model.get_dim("nI"))
    Y, backprop = _forward(model, X, sizes.tolist(), is_train)
    return ops.unflatten(Y, sizes), lambda dY: ops.unflatten(backprop(ops.flatten(dY)), sizes)


def _forward(model: Model, X: Any, lengths: list[int], is_train: bool) -> tuple[Any, Callable]:
    """The same for sequences laid end to end."""
    ops: Any = model.ops
    xp = ops.xp
    nH = model.get_dim("nO") // 2
    packing = _Packing(list(filter(None, lengths)))
    params: list[Any] = list(map(model.get_param, ("Wx", "Wh", "b")))
    Wx, Wh, b = params
    mask = None
    if is_train and model.attrs["recurrent_dropout"]:
        mask = dropout_mask(ops, Wh.shape, model.attrs["recurrent_dropout"])
        Wh = Wh * mask
    n_rows = X.shape[0]
    tokens = ops.xp.asarray(packing.tokens)
    # What goes into the gates of both directions: (2, n, 4 * nH), in the order input, forget, output, candidate.
    if not is_train and xp is numpy:
        X_packed = cells = tanh_cells = None
        gates = xp.matmul(X, Wx.transpose(0, 2, 1), out=SCRATCH.take(2, n_rows, 4 * nH))
        hidden = _predict_steps(packing, gates, Wh, b)
        SCRATCH.give(gates)
    else:
        X_packed = X[tokens]  # (2, n, nI)
        gates = xp.matmul(X_packed, Wx.transpose(0, 2, 1))
        gates += b[:, None, :]
        cells, tanh_cells, hidden = _steps(ops, packing.batch_sizes, gates, Wh)
    Y = ops.alloc2f(n_rows, 2 * nH, zeros=False)
    Y[tokens[0], :nH] = hidden[0]
    Y[tokens[1], nH:] = hidden[1]

    def backprop(dY: Any) -> Any:
        d_hidden = xp.stack([dY[tokens[0], :nH], dY[tokens[1], nH:]])
        d_gates = _backprop_steps(xp, packing.batch_sizes, d_hidden, gates, cells, tanh_cells, Wh)
        previous = _previous(xp, packing.batch_sizes, hidden)
        dWh = xp.matmul(d_gates.transpose(0, 2, 1), previous)
        model.inc_grad("Wh", dWh * mask if mask is not None else dWh)
        model.inc_grad("b", d_gates.sum(axis=1))
        model.inc_grad("Wx", xp.matmul(d_gates.transpose(0, 2, 1), X_packed))
        d_packed = xp.matmul(d_gates, Wx)
        dX = xp.empty_like(X)
        dX[tokens[0]] = d_packed[0]
        dX[tokens[1]] += d_packed[1]
        return dX

    return Y, backprop


def _steps(ops: Any, sizes: list[int], gates: Any, Wh: Any) -> tuple[Any, Any, Any]:
    """Run all steps and keep what backpropagation needs.

    ops (Ops): Where arrays are made.
    sizes (List[int]): The number of sequences at each step.
    gates (ndarray): (2, n, 4 * nH) what goes into the gates, packed; what they let through comes in its place.
    Wh (ndarray): (2, 4 * nH, nH).
    RETURNS (Tuple[ndarray, ndarray, ndarray]): (2, n, nH): cells, their hyperbolic tangents, hidden vectors.
    """
    xp = ops.xp
    nH, n_rows = Wh.shape[2], gates.shape[1]
    gates[..., : 3 * nH] *= 0.5  # sigmoid(x) = (1 + tanh(x / 2)) / 2: one call for all gates
    WhT = xp.ascontiguousarray(Wh.transpose(0, 2, 1))
    WhT[..., : 3 * nH] *= 0.5
    cells = xp.empty((2, n_rows, nH), dtype="float32")
    tanh_cells = xp.empty((2, n_rows, nH), dtype="float32")
    hidden = xp.empty((2, n_rows, nH), dtype="float32")
    # One piece of memory for the products of all steps: new ones for each can cost more than the products.
    memory = xp.empty(2 * max(sizes, default=0) * 4 * nH, dtype="float32")
    start, before = 0, 0
    for size in sizes:
        end = start + size
        gate, cell = gates[:, start:end], cells[:, start:end]
        if start:
            product = memory[: 2 * size * 4 * nH].reshape((2, size, 4 * nH))
            gate += xp.matmul(hidden[:, before : before + size], WhT, out=product)
        xp.tanh(gate, out=gate)
        sigmoids = gate[..., : 3 * nH]
        sigmoids *= 0.5
        sigmoids += 0.5
        xp.multiply(gate[..., :nH], gate[..., 3 * nH :], out=cell)
        if start:
            cell += gate[..., nH : 2 * nH] * cells[:, before : before + size]
        tanh_cell = xp.tanh(cell, out=tanh_cells[:, start:end])
        xp.multiply(gate[..., 2 * nH : 3 * nH], tanh_cell, out=hidden[:, start:end])
        start, before = end, start
    return cells, tanh_cells, hidden


def _predict_steps(packing: _Packing, gates: Any, Wh: Any, b: Any) -> Any:
    """The same without what training needs, what follows each product in one pass over its memory where it is compiled.
    NumPy's way gives the same to the last bit.

    packing (_Packing): Where the steps of all sequences go.
    gates (ndarray): (2, n, 4 * nH) what goes into the gates of each token, without the bias.
    Wh (ndarray): (2, 4 * nH, nH).
    b (ndarray): (2, 4 * nH).
    RETURNS (ndarray): (2, n, nH) hidden vectors.
    """
    step = kernels.lstm_step if COMPILED else lstm_step
    sizes = packing.batch_sizes
    nH, n_rows, most = Wh.shape[2], gates.shape[1], max(sizes, default=0)
    WhT = numpy.ascontiguousarray(Wh.transpose(0, 2, 1))
    cells = numpy.empty((2, n_rows, nH), dtype="float32")
    hidden = numpy.empty((2, n_rows, nH), dtype="float32")
    none = numpy.zeros((most, nH), dtype="float32")  # the cells before the first step
    memory = numpy.zeros(2 * most * 4 * nH, dtype="float32")
    start, before = 0, 0
    for size in sizes:
        end, then = start + size, slice(before, before + size)
        products = memory[: 2 * size * 4 * nH].reshape((2, size, 4 * nH))
        if start:
            numpy.matmul(hidden[:, then], WhT, out=products)
        for d in (0, 1):
            last = cells[d, then] if start else none
            now = slice(start, end)
            rows = packing.tokens[d, now]
            step(gates[d], rows, products[d], b[d], last, cells[d, now], hidden[d, now])
        start, before = end, start
    return hidden


def lstm_step(
    gates: numpy.ndarray,
    rows: numpy.ndarray,
    products: numpy.ndarray,
    bias: numpy.ndarray,
    before: numpy.ndarray,
    cells: numpy.ndarray,
    hidden: numpy.ndarray,
) -> None:
    """`kernels.lstm_step` in NumPy."""
    nH = cells.shape[1]
    products += gates[rows]
    products += bias
    gates = products
    gates[:, : 3 * nH] *= numpy.float32(0.5)
    gates[:] = tanh(gates)
    gates[:, : 3 * nH] *= numpy.float32(0.5)
    gates[:, : 3 * nH] += numpy.float32(0.5)
    numpy.multiply(gates[:, :nH], gates[:, 3 * nH :], out=cells)
    cells += gates[:, nH : 2 * nH] * before
    numpy.multiply(gates[:, 2 * nH : 3 * nH], tanh(cells), out=hidden)


def tanh(x: numpy.ndarray) -> numpy.ndarray:
    """`kernels.tanh` in NumPy.

    x (ndarray[float32]): Numbers.
    RETURNS (ndarray[float32]): Their hyperbolic tangents.
    """
    x = numpy.clip(x, -LIMIT, LIMIT)
    square = x * x
    return x * _polynomial(square, ABOVE) / _polynomial(square, BELOW)


def _polynomial(x: numpy.ndarray, coefficients: Sequence[float]) -> numpy.ndarray:
    """RETURNS (ndarray): A polynomial, given its coefficients, the constant first, by Horner's rule."""
    total = x * numpy.float32(coefficients[-1])
    for coefficient in coefficients[-2:0:-1]:
        total += numpy.float32(coefficient)
        total *= x
    total += numpy.float32(coefficients[0])
    return total


def _backprop_steps(
    xp: Any, sizes: list[int], d_hidden: Any, gates: Any, cells: Any, tanh_cells: Any, Wh: Any
) -> Any:
    """Gradient of the gates before their nonlinearities: (2, n, 4 * nH), packed."""
    nH = cells.shape[2]
    # All that does not depend on the steps after: what d_hidden or d_cells is multiplied with.
    i, f, o, g = xp.split(gates, 4, axis=2)
    d_gates = 1 - gates
    d_gates[..., : 3 * nH] *= gates[..., : 3 * nH]
    d_gates[..., :nH] *= g
    d_gates[..., nH : 2 * nH] *= _previous(xp, sizes, cells)
    d_gates[..., 2 * nH : 3 * nH] *= tanh_cells
    xp.multiply(i, 1 - g * g, out=d_gates[..., 3 * nH :])
    through = o * (1 - tanh_cells * tanh_cells)  # from d_hidden to d_cells
    d_gates = d_gates.reshape((*d_gates.shape[:2], 4, nH))
    d_cells = xp.zeros_like(cells)
    end = cells.shape[1]
    for step in range(len(sizes) - 1, -1, -1):
        start = end - sizes[step]
        dh, dc, d_gate = d_hidden[:, start:end], d_cells[:, start:end], d_gates[:, start:end]
        dc += dh * through[:, start:end]
        d_gate[:, :, :2] *= dc[:, :, None]
        d_gate[:, :, 2] *= dh
        d_gate[:, :, 3] *= dc
        if step:
            before = start - sizes[step - 1]
            then = slice(before, before + sizes[step])
            xp.multiply(dc, f[:, start:end], out=d_cells[:, then])
            d_hidden[:, then] += xp.matmul(d_gate.reshape((2, -1, 4 * nH)), Wh)
        end = start
    return d_gates.reshape((2, -1, 4 * nH))


def _previous(xp: Any, sizes: list[int], hidden: Any) -> Any:
    """The hidden state each packed row came from; zero for the first step."""
    previous = xp.zeros_like(hidden)
    start = 0
    for before, size in itertools.pairwise(sizes):
        previous[:, start + before : start + before + size] = hidden[:, start : start + size]
        start += before
    return previous
