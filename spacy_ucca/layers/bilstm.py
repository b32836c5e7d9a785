"""A bidirectional LSTM layer over sequences of different lengths, in NumPy (or CuPy).

Ours, because the gradient of Thinc 8.3's own `LSTM` is wrong on CPU: `backprop_lstm` adds the weights
themselves to their gradient, which pulls them to zero (tests/test_bilstm.py holds ours against finite
differences). Both directions run in one batch, and sequences are packed by length, so that nothing is
computed for padding.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy
from thinc.api import Model, glorot_uniform_init, zero_init
from thinc.types import Floats2d


def BiLSTM(
    nO: int, nI: int | None = None, *, recurrent_dropout: float = 0.0
) -> Model[list[Floats2d], list[Floats2d]]:
    """A layer of two LSTMs, one in each direction.

    nO (int): Width of the output, both directions together; even.
    nI (Optional[int]): Width of the input.
    recurrent_dropout (float): Dropout over the recurrent weights in training (Gal and Ghahramani, 2016;
        Merity et al., 2018).
    RETURNS (Model[List[Floats2d], List[Floats2d]]): Maps sequences (n, nI) to (n, nO).
    """
    return Model(
        "bilstm",
        forward,
        init=init,
        dims={"nO": nO, "nI": nI},
        params={"Wx": None, "Wh": None, "b": None},
        attrs={"recurrent_dropout": recurrent_dropout},
    )


def init(model: Model, X: list[Floats2d] | None = None, Y: Any = None) -> None:
    if X:
        model.set_dim("nI", X[0].shape[1])
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


def forward(
    model: Model, sequences: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    ops: Any = model.ops
    xp = ops.xp
    nH = model.get_dim("nO") // 2
    lengths = [len(x) for x in sequences]
    X = ops.flatten(sequences) if sequences else ops.alloc2f(0, model.get_dim("nI"))
    packing = _Packing([n for n in lengths if n])
    params: list[Any] = [model.get_param(name) for name in ("Wx", "Wh", "b")]
    Wx, Wh, b = params
    mask = None
    if is_train and model.attrs["recurrent_dropout"]:
        mask = ops.get_dropout_mask(Wh.shape, model.attrs["recurrent_dropout"])
        Wh = Wh * mask
    n_rows = X.shape[0]
    # Gates of both directions at once: (2, n, 4 * nH), in the order input, forget, output, candidate.
    gates = xp.matmul(X[None], Wx.transpose(0, 2, 1))
    gates = xp.stack([gates[0][packing.tokens[0]], gates[1][packing.tokens[1]]])
    gates += b[:, None, :]
    cells = xp.zeros((2, n_rows, nH), dtype="float32")
    tanh_cells = xp.zeros((2, n_rows, nH), dtype="float32")
    hidden = xp.zeros((2, n_rows, nH), dtype="float32")
    WhT = xp.ascontiguousarray(Wh.transpose(0, 2, 1))
    start, before = 0, 0
    for size in packing.batch_sizes:
        end = start + size
        gate = gates[:, start:end]
        if start:
            gate += xp.matmul(hidden[:, before : before + size], WhT)
        gate[..., : 3 * nH] *= 0.5  # sigmoid(x) = (1 + tanh(x / 2)) / 2: one call for all gates
        xp.tanh(gate, out=gate)
        gate[..., : 3 * nH] *= 0.5
        gate[..., : 3 * nH] += 0.5
        cell = gate[..., :nH] * gate[..., 3 * nH :]
        if start:
            cell += gate[..., nH : 2 * nH] * cells[:, before : before + size]
        cells[:, start:end] = cell
        tanh_cells[:, start:end] = xp.tanh(cell)
        hidden[:, start:end] = gate[..., 2 * nH : 3 * nH] * tanh_cells[:, start:end]
        start, before = end, start
    Y = ops.alloc2f(n_rows, 2 * nH)
    Y[packing.tokens[0], :nH] = hidden[0]
    Y[packing.tokens[1], nH:] = hidden[1]

    def backprop(d_output: list[Floats2d]) -> list[Floats2d]:
        dY = ops.flatten(d_output) if d_output else ops.alloc2f(0, 2 * nH)
        d_hidden = xp.stack([dY[packing.tokens[0], :nH], dY[packing.tokens[1], nH:]])
        d_gates = _backprop_steps(xp, packing.batch_sizes, d_hidden, gates, cells, tanh_cells, Wh)
        previous = _previous(xp, packing.batch_sizes, hidden)
        dWh = xp.matmul(d_gates.transpose(0, 2, 1), previous)
        model.inc_grad("Wh", dWh * mask if mask is not None else dWh)
        model.inc_grad("b", d_gates.sum(axis=1))
        d_tokens = xp.empty_like(d_gates)  # back in text order
        for direction in (0, 1):
            d_tokens[direction][packing.tokens[direction]] = d_gates[direction]
        model.inc_grad("Wx", xp.matmul(d_tokens.transpose(0, 2, 1), X[None]))
        dX = d_tokens[0] @ Wx[0] + d_tokens[1] @ Wx[1]
        return ops.unflatten(dX, numpy.array(lengths, dtype="int32"))

    return ops.unflatten(Y, numpy.array(lengths, dtype="int32")), backprop


def _backprop_steps(
    xp: Any, sizes: list[int], d_hidden: Any, gates: Any, cells: Any, tanh_cells: Any, Wh: Any
) -> Any:
    """Gradient of the gates before their nonlinearities: (2, n, 4 * nH), packed."""
    nH = cells.shape[2]
    d_gates = xp.empty_like(gates)
    d_cells = xp.zeros_like(cells)
    end = cells.shape[1]
    for step in range(len(sizes) - 1, -1, -1):
        start = end - sizes[step]
        now = slice(start, end)
        i, f = gates[:, now, :nH], gates[:, now, nH : 2 * nH]
        o, g = gates[:, now, 2 * nH : 3 * nH], gates[:, now, 3 * nH :]
        dh, tanh_cell = d_hidden[:, now], tanh_cells[:, now]
        dc = d_cells[:, now] + dh * o * (1 - tanh_cell * tanh_cell)
        d_gate = d_gates[:, now]
        d_gate[..., :nH] = dc * g * i * (1 - i)
        d_gate[..., 2 * nH : 3 * nH] = dh * tanh_cell * o * (1 - o)
        d_gate[..., 3 * nH :] = dc * i * (1 - g * g)
        if step:
            before = slice(start - sizes[step - 1], start - sizes[step - 1] + sizes[step])
            d_gate[..., nH : 2 * nH] = dc * cells[:, before] * f * (1 - f)
            d_cells[:, before] += dc * f
            d_hidden[:, before] += xp.matmul(d_gate, Wh)
        else:
            d_gate[..., nH : 2 * nH] = 0.0
        end = start
    return d_gates


def _previous(xp: Any, sizes: list[int], hidden: Any) -> Any:
    """The hidden state each packed row came from; zero for the first step."""
    previous = xp.zeros_like(hidden)
    start = 0
    for before, size in itertools.pairwise(sizes):
        previous[:, start + before : start + before + size] = hidden[:, start : start + size]
        start += before
    return previous
