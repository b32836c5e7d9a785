"""Compute static word vectors with a pretrained transformer, which is not needed when they are used.

The vector of a word is the mean of the transformer's output for it over the sentences that have the word (Bommasani et al.,
2020). Rare words are smoothed with the transformer's output for the word alone, mapped to vectors in context by ridge
regression. It needs PyTorch and `transformers`, which come with `spacy-transformers`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from textwrap import shorten
from typing import Any, NamedTuple

import numpy

from ..errors import Errors, UccaError

MAX_PIECES = 512
BATCH = 32


class WordVectors(NamedTuple):
    """Static word vectors.

    words (List[str]): The words in lower case, the most frequent first.
    vectors (ndarray[float32]): (n_words, width) their vectors.
    """

    words: list[str]
    vectors: numpy.ndarray


class WordEncoder:
    """A transformer that gives each word one vector: the mean over its word pieces, with the chosen layers concatenated.

    name (str): The name of a model, or its directory, as `transformers` takes it.
    layers (Sequence[int]): The layers; 0 is the input embeddings.
    RAISES (UccaError): If `transformers` is not installed, the model cannot be loaded or has no such layer.
    """

    def __init__(self, name: str, layers: Sequence[int]) -> None:
        try:
            from transformers import AutoConfig, AutoModel, AutoTokenizer
        except ImportError:
            install = "pip install 'spacy-ucca[transformers]'"
            raise UccaError(Errors.UC570.format(package="transformers", install=install)) from None
        try:
            config = AutoConfig.from_pretrained(name)
            n_layers = config.num_hidden_layers
            if not layers or not all(0 <= layer <= n_layers for layer in layers):
                raise UccaError(Errors.UC317.format(name=name, layers=list(layers), n=n_layers))
            config.num_hidden_layers = max(layers)  # those above cost time for nothing
            self.tokenizer = AutoTokenizer.from_pretrained(name)
            model = AutoModel.from_pretrained(name, config=config)
        except UccaError:
            raise
        except (OSError, ValueError) as err:
            # Some name all models that there are.
            reason = shorten(str(err).partition("\n")[0], 250, placeholder=" …")
            raise UccaError(Errors.UC316.format(name=name, reason=reason)) from None
        self.model = model.eval().requires_grad_(False)
        self.layers = list(layers)

    @property
    def whole_words(self) -> list[str]:
        """RETURNS (List[str]): The words that are a single piece for the tokenizer."""
        pieces = self.tokenizer.get_vocab()
        words = sorted(pieces, key=pieces.__getitem__)
        return [word for word in words if word.isalpha()]

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[numpy.ndarray]:
        """Encode sentences.

        sentences (Sequence[Sequence[str]]): The words of each.
        RETURNS (List[ndarray[float32]]): For each sentence (n_words, n_layers * width). Words that have no pieces, or stand
            behind the longest input of the model, get zeros.
        """
        longest = min(self.tokenizer.model_max_length, MAX_PIECES)
        pieces: Any = self.tokenizer(
            [list(words) for words in sentences],
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        )
        states = self.model(**pieces, output_hidden_states=True).hidden_states
        chosen = numpy.concatenate([states[layer].numpy() for layer in self.layers], axis=-1)
        vectors_of = []
        for i, words in enumerate(sentences):
            places = pieces.word_ids(i)
            rows = [j for j, place in enumerate(places) if place is not None]
            index = numpy.array([places[j] for j in rows], dtype="int64")
            vectors = numpy.zeros((len(words), chosen.shape[-1]), dtype="float32")
            numpy.add.at(vectors, index, chosen[i, rows])
            counts = numpy.bincount(index, minlength=len(words)).astype("float32")
            vectors_of.append(vectors / numpy.maximum(counts, 1.0)[:, None])
        return vectors_of


def compute_word_vectors(
    encode: Callable[[Sequence[Sequence[str]]], list[numpy.ndarray]],
    sentences: Iterable[Sequence[str]],
    words: Iterable[str] = (),
    *,
    width: int = 300,
    n_words: int = 0,
    weight: float = 5.0,
) -> WordVectors:
    """Compute word vectors.

    encode (Callable): Gives the words of sentences vectors, such as a `WordEncoder`.
    sentences (Iterable[Sequence[str]]): The words of each sentence.
    words (Iterable[str]): More words, the most frequent first. They need not occur in the sentences.
    width (int): The width of the result, by principal components.
    n_words (int): Maximum number of words: those of the sentences by frequency, then others. 0: all.
    weight (float): The weight of the vector predicted from the word alone, counted in occurrences.
    RETURNS (WordVectors): The words and (n_words, width) vectors, of length 1 on average.
    RAISES (UccaError): If there are no words.
    """
    counts: Counter[str] = Counter()
    sums: dict[str, numpy.ndarray] = {}
    for batch in _batches(sentences):
        for sentence, rows in zip(batch, encode(batch)):
            for word, row in zip(sentence, rows):
                key = word.lower()
                counts[key] += 1
                sums[key] = sums[key] + row if key in sums else row
    ordered = [word for word, _ in counts.most_common()]
    ordered += dict.fromkeys(word.lower() for word in words if word.lower() not in counts)
    ordered = [word for word in ordered if word.strip()][: n_words or None]
    if not ordered:
        raise UccaError(Errors.UC318)
    alone = numpy.stack([rows[0] for b in _batches([[w] for w in ordered]) for rows in encode(b)])
    n = numpy.array([[counts[word]] for word in ordered], dtype="float32")
    total = numpy.stack([sums.get(word, row * 0) for word, row in zip(ordered, alone)])
    expected = _predict_in_context(alone, total, n)
    return WordVectors(
        ordered, _principal_components((total + weight * expected) / (n + weight), width)
    )


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """YIELDS (List[Sequence[str]]): Batches of sentences of similar length, which saves padding."""
    stream = (sentence for sentence in sentences if len(sentence))
    while chunk := sorted(islice(stream, BATCH * 64), key=len):
        yield from (chunk[i : i + BATCH] for i in range(0, len(chunk), BATCH))


def _predict_in_context(
    alone: numpy.ndarray, total: numpy.ndarray, n: numpy.ndarray
) -> numpy.ndarray:
    """Predict the mean vector of words in context from their vectors alone, by ridge regression over the words that occur.

    alone (ndarray[float32]): (n_words, width) the vectors of words alone.
    total (ndarray[float32]): (n_words, width) the sums of their vectors in context.
    n (ndarray[float32]): (n_words, 1) how often they occur.
    RETURNS (ndarray[float32]): (n_words, width) the predicted vectors.
    """
    seen = n[:, 0] > 0
    if not seen.any():
        return alone
    weights = numpy.minimum(n[seen], 20.0)
    targets, inputs = total[seen] / n[seen], alone[seen]
    mean_in = (weights * inputs).sum(0) / weights.sum()
    mean_out = (weights * targets).sum(0) / weights.sum()
    inputs = (inputs - mean_in).astype("float64")
    covariance = inputs.T @ (weights * inputs)
    ridge = 0.01 * numpy.trace(covariance) / len(covariance) + 1e-6
    covariance[numpy.diag_indices_from(covariance)] += ridge
    matrix = numpy.linalg.solve(covariance, inputs.T @ (weights * (targets - mean_out)))
    return ((alone - mean_in) @ matrix + mean_out).astype("float32")


def _principal_components(vectors: numpy.ndarray, width: int) -> numpy.ndarray:
    """RETURNS (ndarray[float32]): (n_words, width) the first principal components, of length 1 on average. If there are
    fewer, the rest is zeros.
    """
    centred = vectors - vectors.mean(axis=0)
    _, axes = numpy.linalg.eigh((centred.T @ centred).astype("float64"))
    # The sign of an axis is arbitrary: fix it, so that the same words give the same vectors.
    axes = axes[:, ::-1][:, :width]
    axes = axes * numpy.sign(axes[numpy.abs(axes).argmax(0), numpy.arange(axes.shape[1])])
    reduced = numpy.zeros((len(vectors), width), dtype="float32")
    reduced[:, : axes.shape[1]] = centred @ axes
    length = numpy.linalg.norm(reduced, axis=1).mean()
    return reduced / length if length else reduced
