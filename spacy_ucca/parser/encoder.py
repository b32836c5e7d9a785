"""Token encoders: one vector per token, sentence by sentence. Any spaCy tok2vec can stand in their place."""

import itertools
from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Dropout, LayerNorm, Model, with_array
from thinc.layers.chain import init as init_chain
from thinc.types import Floats2d, Ragged

from ..layers.arrays import divide
from ..layers.bilstm import BiLSTM
from ..tokens.sentences import sentence_lengths


def build_ucca_tok2vec(
    embed: Model[list[Doc], list[Floats2d]],
    encode: Model[list[Floats2d], list[Floats2d]],
) -> Model[list[Doc], list[Floats2d]]:
    """Embed whole Docs, then encode them sentence by sentence, so that a sentence gets the same vectors
    alone and in a long Doc.

    embed (Model[List[Doc], List[Floats2d]]): The embedding layer.
    encode (Model[List[Floats2d], List[Floats2d]]): The contextual encoder.
    RETURNS (Model[List[Doc], List[Floats2d]]): The tok2vec.
    """
    model: Model = Model(
        "ucca_tok2vec",
        _tok2vec_forward,
        init=_tok2vec_init,
        layers=[embed, encode],
        dims={"nO": encode.get_dim("nO")},
    )
    return model


def _tok2vec_init(model: Model, X: Any = None, Y: Any = None) -> None:
    embed, encode = model.layers
    embed.initialize(X=X)
    if embed.has_dim("nO") is None:  # the width of a listener is known once something upstream is
        embed.set_dim("nO", embed.predict(X or [Doc(Vocab(), words=["a"])])[0].shape[1])
    if encode.has_dim("nI") is None:
        encode.set_dim("nI", embed.get_dim("nO"))
    sample = embed.predict(X) if X else [model.ops.alloc2f(1, embed.get_dim("nO"))]
    encode.initialize(X=sample)


def _tok2vec_forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Any, Callable]:
    embed, encode = model.layers
    ops: Any = model.ops
    embedded, backprop_embed = embed(docs, is_train)
    doc_lengths = list(map(len, docs))
    lengths = list(map(sentence_lengths, docs))
    if not any(doc_lengths):
        return divide(ops.alloc2f(0, model.get_dim("nO")), doc_lengths), lambda d_output: []
    sentences = itertools.chain.from_iterable(map(divide, embedded, lengths))
    encoded, backprop_encode = encode(list(sentences), is_train)

    def backprop(d_output: list[Floats2d]) -> Any:
        sentences = itertools.chain.from_iterable(map(divide, d_output, lengths))
        d_sentences = backprop_encode(list(sentences))
        return backprop_embed(divide(ops.xp.concatenate(d_sentences), doc_lengths))

    return divide(ops.xp.concatenate(encoded), doc_lengths), backprop


def build_bilstm_encoder(
    width: int, depth: int = 1, recurrent_dropout: float = 0.0, normalize: bool = True
) -> Model[list[Floats2d], list[Floats2d]]:
    """Bidirectional LSTMs, with dropout after each.

    width (int): Width of the output, both directions together.
    depth (int): Number of layers.
    recurrent_dropout (float): Dropout over recurrent weights, beside `training.dropout`.
    normalize (bool): Whether the input is normalized first: embeddings begin small, and a normalized sum
        of them is learned from sooner and better.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The encoder.
    """
    layers: list[Model] = [with_array(LayerNorm())] if normalize else []
    for _ in range(depth):
        layers += [BiLSTM(width, recurrent_dropout=recurrent_dropout), with_array(Dropout(0.0))]
    model: Model = Model(
        "bilstm_encoder",
        _encoder_forward,
        init=init_chain,
        layers=layers,
        dims={"nI": None, "nO": width},
    )
    return model


def _encoder_forward(
    model: Model, sequences: list[Floats2d], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Apply the layers in turn. Sequences are concatenated once, not by each layer."""
    ops: Any = model.ops
    lengths = ops.asarray1i(list(map(len, sequences)))
    # NumPy's way: `Ops.flatten` takes longer for many short ones.
    ragged = Ragged(ops.xp.concatenate(sequences), lengths)
    callbacks = []
    for layer in model.layers:
        ragged, callback = layer(ragged, is_train)
        callbacks.append(callback)

    def backprop(d_output: list[Floats2d]) -> list[Floats2d]:
        d_ragged = Ragged(ops.xp.concatenate(d_output), lengths)
        for callback in reversed(callbacks):
            d_ragged = callback(d_ragged)
        return divide(d_ragged.data, lengths.tolist())

    return divide(ragged.data, lengths.tolist()), backprop
