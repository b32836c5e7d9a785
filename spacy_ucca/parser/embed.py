"""Embeddings of tokens: of form, shape, tags, dependencies and guidelines, one hash table for each."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy
from spacy.attrs import intify_attr
from spacy.ml.staticvectors import StaticVectors
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import (
    Dropout,
    HashEmbed,
    Model,
    chain,
    concatenate,
    list2ragged,
    ragged2list,
    uniform_init,
    with_array,
)
from thinc.layers.chain import init as init_chain
from thinc.types import Floats2d, Ints2d, Ragged

from ..errors import Errors
from ..layers.arrays import divide
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
    count_words: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """Embed token attributes and concatenate the embeddings, as the TUPA paper does.

    attrs (List[str]): Attributes of tokens: "LOWER", "TAG", ...; "HEAD_TAG" is that of the head;
        "GUIDELINES" are those of the Doc (`Doc._.ucca_guidelines`).
    rows (List[int]): The number of rows of the hash table of each attribute.
    widths (List[int]): The width of the embedding of each attribute.
    word_dropout (float): How often the first attribute is hidden in training.
    include_static_vectors (bool): Whether to add the vectors of the vocabulary.
    vector_width (int): The width they are projected to.
    guidelines_dropout (float): Not used any more.
    tok2vec (Optional[Model[List[Doc], List[Floats2d]]]): More vectors to concatenate: of a transformer,
        through a listener, or of any other tok2vec.
    count_words (bool): Whether frequent words are hidden less: one that the training data has n times with probability
        word_dropout / (word_dropout + n), as Kiperwasser and Goldberg (2016) do. Words that it does not have are hidden
        always, so that the embedding of hidden words stands for them.
    RETURNS (Model[List[Doc], List[Floats2d]]): The embedding layer.
    """
    if not len(attrs) == len(rows) == len(widths):
        sizes = {"attrs": len(attrs), "rows": len(rows), "widths": len(widths)}
        raise ValueError(Errors.UC310.format(**sizes))
    embeddings: list[Model] = [
        HashEmbed(width, n_rows, column=i, seed=i + 7, initializer=_initializer(width, count_words))
        for i, (width, n_rows) in enumerate(zip(widths, rows))
    ]
    table: Model = chain(token_attributes(attrs, word_dropout, count_words), list2ragged())
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


def _initializer(width: int, scaled: bool) -> Callable:
    """RETURNS (Callable): Begins embeddings at random: within 0.1, or by their width, so that short ones are as long as the
    others."""
    most = (3 / width) ** 0.5 / 2 if scaled else 0.1  # an embedding is the sum of four rows
    return partial(uniform_init, lo=-most, hi=most)


def token_attributes(
    attrs: list[str], word_dropout: float, count_words: bool = False
) -> Model[list[Doc], list[Ints2d]]:
    """Look up attributes of tokens.

    attrs (List[str]): Their names, as in `build_ucca_embed`.
    word_dropout (float): How often the first is hidden in training.
    count_words (bool): Whether that depends on how frequent it is in the training data, by `set_word_counts`.
    RETURNS (Model[List[Doc], List[Ints2d]]): A layer without weights.
    """
    return Model(
        "token_attributes",
        _attributes_forward,
        dims={"nO": len(attrs)},
        attrs={
            "attrs": attrs,
            "word_dropout": word_dropout,
            "guidelines": "",  # of Docs that name none
            # The words of the training data, sorted, and how often it has each
            **(
                {"words": numpy.zeros(0, "uint64"), "counts": numpy.zeros(0, "int64")}
                if count_words
                else {}
            ),
        },
    )


def set_word_counts(model: Model, docs: Iterable[Doc]) -> None:
    """Count the words of the training data, where a model asks for that.

    model (Model): A model with `token_attributes` somewhere in it; others stay as they are.
    docs (Iterable[Doc]): The training data.
    """
    for node in model.walk():
        if node.name == "token_attributes" and "counts" in node.attrs:
            attr = intify_attr(node.attrs["attrs"][0])
            values = [doc.to_array([attr]).ravel() for doc in docs]
            words = numpy.concatenate([numpy.zeros(0, "uint64"), *values])
            node.attrs["words"], node.attrs["counts"] = numpy.unique(words, return_counts=True)


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
    lengths = list(map(len, docs))
    # All Docs at once: the overhead of NumPy's calls is greater than the work on one sentence.
    values = numpy.concatenate(
        [numpy.zeros((0, len(unique) + 1), dtype="uint64")]
        + [doc.to_array([*unique, "HEAD"]).reshape((len(doc), len(unique) + 1)) for doc in docs]
    )
    index = numpy.arange(len(values)) + values[:, -1].astype("int64")
    table = numpy.empty((len(values), len(names)), dtype="uint64")
    for i, name in enumerate(names):
        if name == GUIDELINES:
            own = [get_guidelines(doc) or model.attrs["guidelines"] for doc in docs]
            numbers = numpy.fromiter(map(get_string_id, own), "uint64", len(own))
            table[:, i] = numpy.repeat(numbers, lengths)
            continue
        column = values[:, unique.index(intify_attr(name.removeprefix(HEAD)))]
        table[:, i] = column[index] if name.startswith(HEAD) else column
    if "counts" in model.attrs:
        _hide_words(table, model, is_train)
    elif is_train and model.attrs["word_dropout"]:
        table[numpy.random.uniform(size=len(table)) < model.attrs["word_dropout"], 0] = 0
    return divide(ops.asarray2i(table, dtype="uint64"), lengths), lambda d: []


def _hide_words(table: numpy.ndarray, model: Model, is_train: bool) -> None:
    """Hide unseen words and, in training, others by chance."""
    words, counts, rate = (model.attrs[key] for key in ("words", "counts", "word_dropout"))
    if not len(words):
        return
    at = numpy.minimum(numpy.searchsorted(words, table[:, 0]), len(words) - 1)
    n = numpy.where(words[at] == table[:, 0], counts[at], 0)
    hidden = n == 0
    if is_train and rate:
        hidden |= numpy.random.uniform(size=len(n)) < rate / (rate + n)
    table[hidden, 0] = 0
