"""Word vectors from a transformer: the arithmetic with a made-up encoder, the rest with a transformer of random
weights, where `transformers` is installed."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner
from util import make_bert

from spacy_ucca.cli import app
from spacy_ucca.errors import UccaError
from spacy_ucca.training.word_vectors import WordEncoder, compute_word_vectors

WORDS = ["the", "cat", "dog", "sleep", "##s", "run", "a", "b"]
WIDTH = 6


def encode(sentences: Sequence[Sequence[str]]) -> list[numpy.ndarray]:
    """A word is a vector of its letters, to which its neighbours in the sentence are added."""
    found = []
    for words in sentences:
        own = numpy.zeros((len(words), WIDTH), dtype="float32")
        for row, word in zip(own, words):
            for letter in word.lower():
                row[ord(letter) % WIDTH] += 1
        near = numpy.zeros_like(own)
        near[1:] += own[:-1]
        near[:-1] += own[1:]
        found.append(own + 0.1 * near)
    return found


SENTENCES = [["The", "cat", "sleeps"], ["the", "dog", "sleeps"], ["cat", "the"], [], ["The"]]


def test_words_by_frequency_then_those_given_and_cut() -> None:
    found = compute_word_vectors(encode, SENTENCES, ["Zebra", "dog", "ant", "zebra", " "], width=3)
    assert found.words[:1] == ["the"] and set(found.words[1:3]) == {"cat", "sleeps"}
    assert found.words[3:] == ["dog", "zebra", "ant"]
    assert found.vectors.shape == (6, 3) and found.vectors.dtype == numpy.float32
    few = compute_word_vectors(encode, SENTENCES, ["ant"], width=3, n_words=2)
    assert few.words == found.words[:2] and few.vectors.shape == (2, 3)


def test_full_width_keeps_distances_between_means_in_context() -> None:
    # Nothing is lost when nothing is reduced, and a weight of zero leaves the plain means.
    found = compute_word_vectors(encode, SENTENCES, width=WIDTH, weight=0.0)
    means: dict[str, list[numpy.ndarray]] = {}
    for sentence, rows in zip(SENTENCES, encode(SENTENCES)):
        for word, row in zip(sentence, rows):
            means.setdefault(word.lower(), []).append(row)
    expected = numpy.stack([numpy.mean(means[word], axis=0) for word in found.words])

    def distances(x: numpy.ndarray) -> numpy.ndarray:
        return numpy.linalg.norm(x[:, None] - x[None], axis=-1)

    scale = distances(expected).sum() / distances(found.vectors).sum()
    numpy.testing.assert_allclose(
        distances(found.vectors) * scale, distances(expected), rtol=1e-3, atol=1e-3
    )
    assert numpy.linalg.norm(found.vectors, axis=1).mean() == pytest.approx(1, rel=1e-4)
    numpy.testing.assert_allclose(found.vectors.mean(0), 0, atol=1e-5)


def test_what_was_not_seen_goes_where_the_seen_would() -> None:
    """Vectors in context are those alone, turned and moved: unseen words are turned and moved too."""
    rng = numpy.random.default_rng(0)
    turn, table = rng.normal(0, 1, (4, 4)), {}

    def alone_or_not(sentences: Sequence[Sequence[str]]) -> list[numpy.ndarray]:
        found = []
        for words in sentences:
            own = numpy.stack([table.setdefault(word, rng.normal(0, 1, 4)) for word in words])
            found.append((own if len(words) == 1 else own @ turn + 3).astype("float32"))
        return found

    names = [f"w{i}" for i in range(60)]
    sentences = [names[i : i + 2] for i in range(0, 40, 2)] * 3
    found = compute_word_vectors(alone_or_not, sentences, names, width=4, weight=1.0)
    place = {word: i for i, word in enumerate(found.words)}
    expected = numpy.stack([table[word] @ turn for word in found.words])
    expected -= expected.mean(0)
    unseen = [place[name] for name in names[40:]]
    numpy.testing.assert_allclose(  # the same up to rotation and scale
        numpy.corrcoef(
            (found.vectors @ found.vectors.T)[unseen].ravel(),
            (expected @ expected.T)[unseen].ravel(),
        )[0, 1],
        1,
        atol=0.01,
    )


def test_wider_than_there_are_components_and_nothing_at_all() -> None:
    assert not compute_word_vectors(encode, SENTENCES, width=WIDTH + 2).vectors[:, WIDTH:].any()
    with pytest.raises(UccaError, match="UC318"):
        compute_word_vectors(encode, [[]])


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers", reason="transformers is not installed")
    return make_bert(tmp_path_factory.mktemp("bert"), WORDS, n_layers=2)


def test_encoder_takes_the_mean_of_pieces_whatever_stands_in_the_batch(transformer: Path) -> None:
    encoder = WordEncoder(str(transformer), [0, 2])
    batch = [["The", "cat", "sleeps"], ["dog"], ["a", "\u200b", "b"], ["a"] * 40]
    found = encoder(batch)
    assert [rows.shape for rows in found] == [(len(words), 32) for words in batch]
    for words, rows in zip(batch, found):
        numpy.testing.assert_allclose(rows, encoder([words])[0], rtol=1e-4, atol=1e-5)
    pieces = encoder.tokenizer(["sleeps"], return_tensors="pt")
    states = encoder.model(**pieces, output_hidden_states=True).hidden_states
    expected = numpy.concatenate([states[i].numpy()[0, 1:3].mean(0) for i in (0, 2)])
    numpy.testing.assert_allclose(encoder([["sleeps"]])[0][0], expected, rtol=1e-4, atol=1e-5)
    assert not found[2][1].any() and not found[3][20:].any()  # no pieces; too long
    assert encoder.whole_words == ["the", "cat", "dog", "sleep", "run", "a", "b"]


@pytest.mark.parametrize("layers", [[], [3], [-1]])
def test_encoder_has_no_such_layer(transformer: Path, layers: list[int]) -> None:
    with pytest.raises(UccaError, match="UC317"):
        WordEncoder(str(transformer), layers)


def run(*args: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["vectors", *map(str, args)])
    assert result.exit_code == code, result.output + repr(result.exception)
    return result.output


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    vocab = spacy.blank("en").vocab
    docs = [Doc(vocab, words=words) for words in (["The", "cat", "\n"], ["Zebras", "sleep"])]
    DocBin(docs=docs).to_disk(tmp_path / "texts.spacy")
    return tmp_path / "texts.spacy"


def test_command_writes_a_pipeline_with_vectors(
    transformer: Path, texts: Path, tmp_path: Path
) -> None:
    run(transformer, texts, tmp_path / "out", "--width", 4, "--layers", "1,2", "--no-progress")
    nlp = spacy.load(tmp_path / "out")
    assert nlp.vocab.vectors.shape == (
        8,
        4,
    )  # four of the texts, of which three are among the seven known
    found = numpy.stack([token.vector for token in nlp("CAT cat Cat zebras run unknownword")])
    assert (found[:3] == found[0]).all() and not numpy.allclose(found[0], found[3])
    assert found[:5].any(axis=1).all() and not found[5].any()


def test_command_names_what_is_wrong(texts: Path, tmp_path: Path) -> None:
    assert "Give the texts" in run("model", tmp_path / "out", code=2)
    assert "does not exist" in run("model", tmp_path / "no.spacy", tmp_path / "out", code=2)
    assert "not numbers" in run("m", texts, tmp_path / "out", "--layers", "one", code=2)


def test_command_without_such_a_transformer(texts: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    assert "UC316" in run(tmp_path, texts, tmp_path / "out", code=1)
    # The answer to that is a list of all models that there are.
    srsly.write_json(tmp_path / "config.json", {})
    output = run(tmp_path, texts, tmp_path / "out", code=1)
    assert "UC316" in output
    assert len(output) < 1000


def test_command_without_transformers(texts: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert "spacy-ucca[transformers]" in run("model", texts, tmp_path / "out", code=1)
