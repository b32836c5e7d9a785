"""Token encoders: one vector per token, from form, shape, tags and dependencies, sentence by sentence. Any spaCy tok2vec
can stand in their place.
"""

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy
from spacy.attrs import intify_attr
from spacy.ml.staticvectors import StaticVectors
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import (
    Dropout,
    HashEmbed,
    LayerNorm,
    Model,
    chain,
    concatenate,
    list2ragged,
    ragged2list,
    with_array,
)
from thinc.layers.chain import init as init_chain
from thinc.types import Floats2d, Ints2d, Ragged

from ..errors import Errors
from ..layers.bilstm import BiLSTM
from ..tokens.extension import get_guidelines

HEAD = "HEAD_"  # "HEAD_TAG" is the TAG of a token's syntactic head
GUIDELINES = "GUIDELINES"  # the same for all tokens of a Doc


def build_ucca_embed(
    attrs: list[str],
    rows: list[int],
    widths: list[int],
    word_dropout: float = 0.0,
    include_static_vectors: bool = False,
    vector_width: int = 100,
    guidelines_dropout: float = 0.0,
    tok2vec: Model[list[Doc], list[Floats2d]] | None = None,
) -> Model[list[Doc], list[Floats2d]]:
    """Embed token attributes and concatenate the embeddings, as the TUPA paper does.

    attrs (List[str]): Attributes of tokens: "LOWER", "TAG", ...; "HEAD_TAG" is that of the head;
        "GUIDELINES" are those of the Doc (`Doc._.ucca_guidelines`).
    rows (List[int]): The number of rows of the hash table of each attribute.
    widths (List[int]): The width of the embedding of each attribute.
    word_dropout (float): How often the first attribute is hidden in training.
    include_static_vectors (bool): Whether to add the vectors of the vocabulary.
    vector_width (int): The width they are projected to.
    guidelines_dropout (float): How often the guidelines of a Doc are hidden in training. With 0.2, a parser of EWT and Wiki
        follows the genre of a text more than the guidelines that are named.
    tok2vec (Optional[Model[List[Doc], List[Floats2d]]]): More vectors to concatenate: of a transformer,
        through a listener, or of any other tok2vec.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    if not len(attrs) == len(rows) == len(widths):
        sizes = {"attrs": len(attrs), "rows": len(rows), "widths": len(widths)}
        raise ValueError(Errors.UC310.format(**sizes))
    embeddings: list[Model] = [
        HashEmbed(width, n_rows, column=i, seed=i + 7)
        for i, (width, n_rows) in enumerate(zip(widths, rows))
    ]
    table: Model = chain(token_attributes(attrs, word_dropout, guidelines_dropout), list2ragged())
    embed: Model = chain(table, with_array(concatenate(*embeddings)))
    if include_static_vectors:
        embed = concatenate(embed, static_vectors(vector_width))
    if tok2vec is not None:
        embed = concatenate(embed, _concatenable(tok2vec))
    # Dropout of single values: that of HashEmbed and StaticVectors would hide columns of a whole batch.
    model: Model = chain(embed, with_array(Dropout(0.0)), ragged2list())
    if tok2vec is None:
        model.set_dim("nO", sum(widths) + (vector_width if include_static_vectors else 0))
    return model


def _concatenable(tok2vec: Model[list[Doc], list[Floats2d]]) -> Model[list[Doc], Ragged]:
    """RETURNS (Model[List[Doc], Ragged]): A tok2vec, which may be a listener that is not alone: spacy-transformers gives
    the gradient of the Docs, which is empty, to the last one only, where `concatenate` adds up those of its layers."""
    return Model("tok2vec", _concatenable_forward, init=init_chain, layers=[tok2vec, list2ragged()])


def _concatenable_forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[Ragged, Callable[[Ragged], list]]:
    tok2vec, ragged = model.layers
    vectors, backprop_tok2vec = tok2vec(docs, is_train)
    output, backprop_ragged = ragged(vectors, is_train)
    return output, lambda d_output: backprop_tok2vec(backprop_ragged(d_output)) or []


def static_vectors(width: int) -> Model[list[Doc], Ragged]:
    """Build a layer that projects the vectors of the vocabulary.

    width (int): The width they are projected to.
    RETURNS (Model[List[Doc], Ragged]): spaCy's `StaticVectors`, which does not begin without vectors.
    """
    layer: Any = StaticVectors(width)
    layer.init = partial(_init_static_vectors, layer.init)
    return layer


def _init_static_vectors(
    init: Callable, model: Model, X: list[Doc] | None = None, Y: Any = None
) -> None:
    if X and not X[0].vocab.vectors_length:
        raise ValueError(Errors.UC314)
    init(model, X=X, Y=Y)


def token_attributes(
    attrs: list[str], word_dropout: float, guidelines_dropout: float = 0.0
) -> Model[list[Doc], list[Ints2d]]:
    """Look up attributes of tokens.

    attrs (List[str]): Their names, as in `build_ucca_embed`.
    word_dropout (float): How often the first is hidden in training.
    guidelines_dropout (float): How often the guidelines of a Doc are.
    RETURNS (Model[List[Doc], List[Ints2d]]): A layer without weights.
    """
    return Model(
        "token_attributes",
        _attributes_forward,
        dims={"nO": len(attrs)},
        attrs={
            "attrs": attrs,
            "word_dropout": word_dropout,
            "guidelines_dropout": guidelines_dropout,
            "guidelines": "",  # of Docs that name none
        },
    )


def set_default_guidelines(model: Model, name: str) -> None:
    """Set the guidelines of Docs that name none.

    model (Model): A model with `token_attributes` somewhere in it; others stay as they are.
    name (str): The name, or "".
    """
    for node in model.walk():
        if node.name == "token_attributes":
            node.attrs["guidelines"] = name


def _attributes_forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Any, Callable]:
    ops: Any = model.ops
    names: list[str] = model.attrs["attrs"]
    attr_ids = [intify_attr(name.removeprefix(HEAD)) for name in names if name != GUIDELINES]
    unique = list(dict.fromkeys(attr_ids))
    lengths = [len(doc) for doc in docs]
    # All Docs at once: the overhead of NumPy's calls is greater than the work on one sentence.
    values = numpy.concatenate(
        [numpy.zeros((0, len(unique) + 1), dtype="uint64")]
        + [doc.to_array([*unique, "HEAD"]).reshape((len(doc), len(unique) + 1)) for doc in docs]
    )
    index = numpy.arange(len(values)) + values[:, -1].astype("int64")
    table = numpy.empty((len(values), len(names)), dtype="uint64")
    for i, name in enumerate(names):
        if name == GUIDELINES:
            table[:, i] = numpy.repeat(_guidelines(model, docs, is_train), lengths)
            continue
        column = values[:, unique.index(intify_attr(name.removeprefix(HEAD)))]
        table[:, i] = column[index] if name.startswith(HEAD) else column
    if is_train and model.attrs["word_dropout"]:
        table[numpy.random.uniform(size=len(table)) < model.attrs["word_dropout"], 0] = 0
    return _divide(ops.asarray2i(table, dtype="uint64"), lengths), lambda d: []


def _guidelines(model: Model, docs: list[Doc], is_train: bool) -> numpy.ndarray:
    """RETURNS (ndarray[uint64]): The name of each Doc's guidelines, as spaCy numbers strings; 0 without."""
    names = [get_guidelines(doc) or model.attrs["guidelines"] for doc in docs]
    ids = numpy.array([get_string_id(name) if name else 0 for name in names], dtype="uint64")
    if is_train:
        ids[numpy.random.uniform(size=len(docs)) < model.attrs["guidelines_dropout"]] = 0
    return ids


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


def sentence_lengths(doc: Doc) -> list[int]:
    """RETURNS (List[int]): The number of tokens of each sentence; of the Doc, if it has no sentence
    boundaries."""
    if not len(doc):
        return []
    if not doc.has_annotation("SENT_START"):
        return [len(doc)]
    return [len(sent) for sent in doc.sents]


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
    lengths = [sentence_lengths(doc) for doc in docs]
    counts = [len(doc) for doc in lengths]

    def sentences(arrays: list[Floats2d]) -> list[Floats2d]:
        return [part for x, doc_lengths in zip(arrays, lengths) for part in _divide(x, doc_lengths)]

    encoded, backprop_encode = encode(sentences(embedded), is_train) if any(counts) else ([], None)

    def regroup(parts: list[Floats2d], width: int) -> list[Floats2d]:
        grouped, start = [], 0
        for count in counts:
            group = parts[start : start + count]
            grouped.append(ops.xp.concatenate(group) if group else ops.alloc2f(0, width))
            start += count
        return grouped

    def backprop(d_output: list[Floats2d]) -> Any:
        if backprop_encode is None:
            return []
        d_sentences = backprop_encode(sentences(d_output))
        return backprop_embed(regroup(d_sentences, embedded[0].shape[1]))

    return regroup(encoded, model.get_dim("nO")), backprop


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
    lengths = ops.asarray1i([len(x) for x in sequences])
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
        return _divide(d_ragged.data, lengths.tolist())

    return _divide(ragged.data, lengths.tolist()), backprop


def _divide(X: Any, lengths: Sequence[int]) -> list[Any]:
    """RETURNS (List[Floats2d]): Sequences that lay end to end, as views: `Ops.unflatten` takes longer than what is done
    with a short one."""
    ends = itertools.accumulate(lengths)
    return [X[end - n : end] for n, end in zip(lengths, ends)]
