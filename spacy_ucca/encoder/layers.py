"""The layers of a BERT encoder over the pieces of many texts at once, forward and backward, in arrays of NumPy or CuPy.

Nothing is padded: products take the pieces of all texts, end to end, and attention takes texts of one length together. Source:
Devlin et al. (2019), BERT; Vaswani et al. (2017), Attention is all you need.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy
from thinc.util import get_array_module

from ..layers.arrays import dropout_mask, softmax
from .rounded import KERNEL, RoundedMatrix

Weights = Mapping[str, Any]


class Shape(NamedTuple):
    """The sizes of an encoder.

    width (int): The width of its vectors.
    n_heads (int): The number of attention heads.
    eps (float): What layer normalization adds to variances.
    """

    width: int
    n_heads: int
    eps: float


class Group(NamedTuple):
    """Texts of the same length, one after the other.

    start (int): Where the first begins, in pieces.
    n (int): Their number.
    length (int): The number of pieces of each.
    """

    start: int
    n: int
    length: int

    @property
    def rows(self) -> slice:
        """RETURNS (slice): Their pieces."""
        return slice(self.start, self.start + self.n * self.length)


def layer_prefix(i: int) -> str:
    """RETURNS (str): What the names of the weights of a layer begin with."""
    return f"encoder.layer.{i}."


def forward(
    X: Any, weights: Weights, layers: Sequence[int], shape: Shape, groups: Sequence[Group]
) -> Any:
    """Run layers.

    X (Floats2d): (n_pieces, width).
    weights (Mapping[str, Floats]): The weights of all layers, by name.
    layers (Sequence[int]): The numbers of the layers to run, in turn.
    shape (Shape): The sizes.
    groups (Sequence[Group]): The texts.
    RETURNS (Floats2d): (n_pieces, width).
    """
    for i in layers:
        X, _ = _layer(X, weights, layer_prefix(i), shape, groups, None)
    return X


def begin_update(
    X: Any,
    weights: Weights,
    layers: Sequence[int],
    shape: Shape,
    groups: Sequence[Group],
    ops: Any,
    rate: float,
) -> tuple[Any, Callable[[Any, dict[str, Any]], Any]]:
    """Run layers to train them; the arguments are those of `forward`.

    ops (Ops): Make dropout masks.
    rate (float): The dropout rate.
    RETURNS (Tuple[Floats2d, Callable]): The output, and a callback that takes its gradient and a dictionary, adds the gradients of the
        weights to that, and returns the gradient of `X`.
    """
    callbacks = []
    for i in layers:
        X, callback = _layer(X, weights, layer_prefix(i), shape, groups, (ops, rate))
        callbacks.append(callback)

    def backprop(dY: Any, gradients: dict[str, Any]) -> Any:
        for callback in reversed(callbacks):
            dY = callback(dY, gradients)
        return dY

    return X, backprop


def _layer(
    X: Any,
    weights: Weights,
    prefix: str,
    shape: Shape,
    groups: Sequence[Group],
    training: tuple[Any, float] | None,
) -> tuple[Any, Callable]:
    """Attention and two products, each added to its input and normalized."""
    qkv, back_qkv = _product(X, weights, prefix + "qkv")
    context, back_attention = _attention(qkv, shape.n_heads, groups, weights[prefix + "qkv.weight"])
    A, back_A = _product(context, weights, prefix + "attention")
    A, drop_A = _dropout(A, training)
    is_train = training is not None
    A, back_norm_A = normalize(A, X, weights, prefix + "attention_norm", shape.eps, is_train)
    active, back_active = _active_product(A, weights, prefix + "inner", is_train)
    Y, back_Y = _product(active, weights, prefix + "output")
    Y, drop_Y = _dropout(Y, training)
    Y, back_norm_Y = normalize(Y, A, weights, prefix + "output_norm", shape.eps, is_train)

    def backprop(dY: Any, gradients: dict[str, Any]) -> Any:
        dY = back_norm_Y(dY, gradients)
        dA = dY + back_active(back_Y(drop_Y(dY), gradients), gradients)
        dA = back_norm_A(dA, gradients)
        d_context = back_A(drop_A(dA), gradients)
        return dA + back_qkv(back_attention(d_context), gradients)

    return Y, backprop


def _add(gradients: dict[str, Any], name: str, gradient: Any) -> None:
    gradients[name] = gradients[name] + gradient if name in gradients else gradient


def _product(X: Any, weights: Weights, name: str) -> tuple[Any, Callable]:
    """X W' + b, with W of shape (output, input)."""
    W, bias = weights[name + ".weight"], weights[name + ".bias"]
    if isinstance(W, RoundedMatrix):
        return W.product(X, bias), _no_backprop
    Y = X @ W.T
    Y += bias

    def backprop(dY: Any, gradients: dict[str, Any]) -> Any:
        _add(gradients, name + ".weight", dY.T @ X)
        _add(gradients, name + ".bias", dY.sum(axis=0))
        return dY @ W

    return Y, backprop


def _active_product(X: Any, weights: Weights, name: str, is_train: bool) -> tuple[Any, Callable]:
    """GELU of the product."""
    W = weights[name + ".weight"]
    if isinstance(W, RoundedMatrix):
        return W.product(X, weights[name + ".bias"], gelu), _no_backprop
    inner, back_inner = _product(X, weights, name)
    Y, back_gelu = gelu(inner, is_train)
    return Y, lambda dY, gradients: back_inner(back_gelu(dY), gradients)


def _no_backprop(dY: Any, gradients: dict[str, Any]) -> Any:
    raise RuntimeError("weights that are rounded are not trained")


def normalize(
    X: Any, more: Any, weights: Weights, name: str, eps: float, is_train: bool = False
) -> tuple[Any, Callable]:
    """Layer normalization of a sum.

    X (Floats2d): The input; is changed.
    more (Optional[Floats2d]): What is added to it.
    weights (Mapping[str, Floats]): Has the scale and the shift.
    name (str): What their names begin with.
    eps (float): What is added to variances.
    is_train (bool): Whether the callback will be called.
    RETURNS (Tuple[Floats2d, Callable]): The output, and a callback like that of `begin_update`.
    """
    scale, shift = weights[name + ".weight"], weights[name + ".bias"]
    is_plain = isinstance(X, numpy.ndarray) and X.dtype == scale.dtype == "float32"
    if KERNEL and is_plain and not is_train and not X.shape[1] % 16:
        KERNEL.normalize(X, b"" if more is None else more, scale, shift, eps)
        return X, _no_backprop
    if more is not None:
        X += more
    X -= X.mean(axis=1, keepdims=True)
    deviation = (X * X).mean(axis=1, keepdims=True)
    deviation += eps
    deviation **= 0.5
    X /= deviation
    Y = X * scale
    Y += shift

    def backprop(dY: Any, gradients: dict[str, Any]) -> Any:
        _add(gradients, name + ".weight", (dY * X).sum(axis=0))
        _add(gradients, name + ".bias", dY.sum(axis=0))
        dX = dY * scale
        inward = (dX * X).mean(axis=1, keepdims=True)
        dX -= dX.mean(axis=1, keepdims=True)
        dX -= X * inward
        dX /= deviation
        return dX

    return Y, backprop


def _dropout(X: Any, training: tuple[Any, float] | None) -> tuple[Any, Callable[[Any], Any]]:
    if training is None or not training[1]:
        return X, lambda dX: dX
    ops, rate = training
    mask = dropout_mask(ops, X.shape, rate)
    X *= mask
    return X, lambda dX: dX * mask


def _attention(qkv: Any, n_heads: int, groups: Sequence[Group], W: Any) -> tuple[Any, Callable]:
    """Attend to all pieces of the same text, with each head.

    qkv (Floats2d): (n_pieces, 3 * width) queries, keys and values; are changed.
    W (Union[Floats2d, RoundedMatrix]): The weights of `qkv`. If they are rounded, factors are too, to 7 bits after the point and 13
        for shares, so that sums are exact in any order: else the least difference between two machines could grow from layer to
        layer, wherever a number is rounded up or down.
    RETURNS (Tuple[Floats2d, Callable]): (n_pieces, width) the contexts, and a callback from their gradient to that of `qkv`.
    """
    xp = get_array_module(qkv)
    width = qkv.shape[1] // 3
    depth = width // n_heads
    factor = depth**-0.5
    contexts = xp.empty((len(qkv), width), dtype=qkv.dtype)
    kept = []
    is_rounded = isinstance(W, RoundedMatrix)
    if is_rounded and W.is_packed and not depth % 16:
        lengths = numpy.repeat(*numpy.array([(g.length, g.n) for g in groups], dtype="int64").T)
        KERNEL.attend(qkv, lengths, contexts, n_heads, factor)
        return contexts, _no_backprop
    if is_rounded:
        _round_to(qkv, 7)
    for group in groups:
        heads = qkv[group.rows].reshape((group.n, group.length, 3, n_heads, depth))
        query, key, value = heads.transpose((2, 0, 3, 1, 4))
        weights = query @ key.swapaxes(-1, -2)
        weights *= factor
        weights = softmax(weights)
        if is_rounded:
            _round_to(weights, 13)
        context = contexts[group.rows].reshape((group.n, group.length, n_heads, depth))
        context[...] = (weights @ value).transpose((0, 2, 1, 3))
        kept.append((weights, query, key, value))

    def backprop(d_contexts: Any) -> Any:
        d_qkv = xp.empty_like(qkv)
        for group, (weights, query, key, value) in zip(groups, kept):
            d_context = d_contexts[group.rows].reshape((group.n, group.length, n_heads, depth))
            d_context = d_context.transpose((0, 2, 1, 3))
            d_weights = d_context @ value.swapaxes(-1, -2)
            d_weights -= (d_weights * weights).sum(axis=-1, keepdims=True)
            d_weights *= weights
            d_weights *= factor
            d_heads = d_qkv[group.rows].reshape((group.n, group.length, 3, n_heads, depth))
            d_query, d_key, d_value = d_heads.transpose((2, 0, 3, 1, 4))
            d_query[...] = d_weights @ key
            d_key[...] = d_weights.swapaxes(-1, -2) @ query
            d_value[...] = weights.swapaxes(-1, -2) @ d_context
        return d_qkv

    return contexts, backprop


def _round_to(X: Any, n_bits: int) -> None:
    shift = 1.5 * 2.0 ** (23 - n_bits)  # floats of this size have so many bits after the point
    X += shift
    X -= shift


# erf(z) for z >= 0 is 1 - (A1 t + ... + A5 t^5) exp(-z^2) with t = 1 / (1 + P z), to 1.5e-7: Abramowitz and Stegun (1964), 7.1.26.
ERF_P = 0.3275911
ERF_A = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


def gelu(X: Any, is_train: bool = False) -> tuple[Any, Callable[[Any], Any]]:
    """x times the probability that a normal variable is less than x. Source: Hendrycks and Gimpel (2016). `Ops.gelu` of Thinc is the
    same in more passes over the array: it takes half as long again, and 2.4 times as long with the slope.

    X (Floats2d): The input.
    is_train (bool): Whether the callback will be called.
    RETURNS (Tuple[Floats2d, Callable]): The output, and a callback from its gradient to that of the input.
    """
    xp = get_array_module(X)
    bell = X * X
    bell *= -0.5
    xp.exp(bell, out=bell)
    t = xp.abs(X)
    t *= ERF_P * 0.5**0.5
    t += 1.0
    xp.reciprocal(t, out=t)
    tail = t * ERF_A[0]
    for a in ERF_A[1:]:
        tail += a
        tail *= t
    tail *= bell
    tail *= 0.5  # the probability of a variable greater than |x|
    # x * P(x) is max(x, 0) - |x| * tail
    if not is_train:
        xp.abs(X, out=t)
        tail *= t
        Y = xp.maximum(X, 0)
        Y -= tail
        return Y, lambda dY: dY
    probability = xp.where(X > 0, 1 - tail, tail)
    Y = X * probability
    bell *= X
    bell *= (2 * xp.pi) ** -0.5
    bell += probability
    return Y, lambda dY: dY * bell
