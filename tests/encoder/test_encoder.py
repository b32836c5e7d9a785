"""The encoder against loops, finite differences and itself: in other batches, saved, and from another source."""

import itertools
from types import SimpleNamespace

import numpy
import pytest
import spacy
import tiny_bert
from spacy.tokens import Doc

from spacy_ucca.encoder.batch import Batch, _windows, pieces_of
from spacy_ucca.encoder.component import UccaEncoder
from spacy_ucca.encoder.layers import gelu
from spacy_ucca.encoder.model import build_encoder
from spacy_ucca.encoder.rows import BlockRows
from spacy_ucca.errors import UccaError

VOCAB = spacy.blank("xx").vocab
TEXTS = [
    "the mouse eats cheese .",
    "the",
    "mouse . the mouse eats",
    "",
    "   ",
    "a b \n c ☃ 😀",
    "eats " * 40,
]


def make_docs():
    nlp = spacy.blank("xx")
    docs = [nlp(text) for text in TEXTS]
    for token in docs[2]:
        token.is_sent_start = token.i in (0, 2)
    return docs


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return str(tiny_bert.write_directory(tmp_path_factory.mktemp("bert") / "model"))


def make(source, **settings):
    model = build_encoder(source, **{"n_layers": 3, "n_frozen": 0, "bits": 32, **settings})
    model.initialize()
    return model


def test_vectors_of_tokens_are_means_of_those_of_pieces(source):
    model = make(source)
    weights = tiny_bert.make_weights(len(tiny_bert.PIECES))
    weights["embeddings.word_embeddings.weight"] = model.shims[0].rows.floats()
    doc = Doc(VOCAB, words=["The", "mouse", "eats", "cheese", "."])
    ids = [2, 4, 5, 6, 7, 9, 10, 11, 3]
    Y = tiny_bert.encode(weights, ids)
    expected = [Y[1], Y[2], Y[3:5].mean(axis=0), Y[5:7].mean(axis=0), Y[7]]
    assert numpy.allclose(model.predict([doc])[0], expected, atol=1e-4)


def test_fewer_layers_are_the_lower_ones(source):
    model = make(source, n_layers=2)
    weights = tiny_bert.make_weights(len(tiny_bert.PIECES))
    weights["embeddings.word_embeddings.weight"] = model.shims[0].rows.floats()
    expected = tiny_bert.encode(weights, [2, 4, 3], n_layers=2)[1]
    assert numpy.allclose(model.predict([Doc(VOCAB, words=["the"])])[0], expected, atol=1e-4)


def test_vectors_are_the_same_whatever_the_batch(source):
    model, docs = make(source), make_docs()
    together = model.predict(docs)
    for n in (1, 2, 3):
        parts = [model.predict(docs[i : i + n]) for i in range(0, len(docs), n)]
        for one, other in zip(together, [vectors for part in parts for vectors in part]):
            assert one.shape == other.shape
            assert numpy.allclose(one, other, atol=1e-5)


def test_sentences_and_white_space_do_not_change_each_other(source):
    model = make(source)
    doc = make_docs()[2]
    alone = model.predict([doc[:2].as_doc(), doc[2:].as_doc()])
    assert numpy.allclose(model.predict([doc])[0], numpy.concatenate(alone), atol=1e-5)
    words, spaced = ["the", "mouse", "eats"], ["the", " \n", "mouse", "eats", "\t"]
    vectors, others = model.predict([Doc(VOCAB, words=words), Doc(VOCAB, words=spaced)])
    assert numpy.allclose(vectors, others[[0, 2, 3]], atol=1e-5)
    assert not others[[1, 4]].any()


def test_a_sentence_in_capitals_has_the_pieces_of_small_letters():
    words = "STOP IT ! I saw NASA . 12 . 参加 APEC 。".split()
    doc = Doc(VOCAB, words=words, sent_starts=[i in (0, 3, 7, 9) for i in range(len(words))])
    as_it_is = SimpleNamespace(of=lambda word, after_space: [word])
    sentences = [" ".join(itertools.chain(*of_tokens)) for of_tokens in pieces_of(doc, as_it_is)]
    assert sentences == ["stop it !", "I saw NASA .", "12 .", "参加 APEC 。"]


@pytest.mark.parametrize("n", [1, 13, 14, 15, 20, 21, 22, 28, 100])
def test_each_piece_is_in_one_window_with_most_around_it(n):
    longest = 14
    windows = list(_windows(n, longest))
    assert [i for _, _, first, last in windows for i in range(first, last)] == [*range(n)]
    for start, end, first, last in windows:
        assert start <= first < last <= end <= n
        assert end - start == min(n, longest)
        assert start == 0 or first - start >= longest // 4
        assert end == n or end - last >= longest // 4


def test_parts_of_a_batch_have_all_windows_once(source):
    model = make(source)
    batch = Batch(make_docs(), model.shims[0].pieces, model.shims[0].max_length)
    for limit in (1, 20, 40, 10_000):
        parts = list(batch.parts(limit))
        assert [i for rows, _ in parts for i in range(rows.start, rows.stop)] == [
            *range(len(batch.ids))
        ]
        for rows, groups in parts:
            assert sum(group.n * group.length for group in groups) == rows.stop - rows.start
            assert rows.stop - rows.start <= max(limit, groups[0].length)


def test_gradients_are_those_of_finite_differences(source):
    model = make(source, dropout=0.0)
    encoder, docs = model.shims[0], make_docs()[:4]
    encoder.weights = {name: values.astype("float64") for name, values in encoder.weights.items()}
    rng = numpy.random.default_rng(0)
    Y, backprop = model.begin_update(docs)
    factors = [rng.normal(size=y.shape).astype("float32") for y in Y]
    backprop(factors)
    assert {name for name in encoder.weights if name.startswith("encoder")} == set(
        encoder.gradients
    )
    for name, gradient in encoder.gradients.items():
        direction = rng.normal(size=gradient.shape)
        values = encoder.weights[name]

        outcomes = []
        for step in (1e-3, -1e-3):
            encoder.weights[name] = values + step * direction
            found = model.predict(docs)
            outcomes.append(
                sum(float((y * f).sum(dtype="float64")) for y, f in zip(found, factors))
            )
        slope = (outcomes[0] - outcomes[1]) / 2e-3
        encoder.weights[name] = values
        assert slope == pytest.approx(float((gradient * direction).sum()), rel=0.02, abs=0.05), name


def test_frozen_layers_and_embeddings_have_no_gradients(source):
    model = make(source, n_frozen=2)
    docs = make_docs()
    Y, backprop = model.begin_update(docs)
    backprop(Y)
    assert all(name.startswith("encoder.layer.2.") for name in model.shims[0].gradients)


def test_gelu_and_its_slope():
    X = numpy.linspace(-6, 6, 4001, dtype="float32").reshape((1, -1))
    Y, slope = gelu(X, True)
    assert numpy.allclose(Y, gelu(X)[0], atol=1e-6)
    between = numpy.diff(Y[0].astype("float64")) / numpy.diff(X[0].astype("float64"))
    middle = (slope(numpy.ones_like(X))[0, 1:] + slope(numpy.ones_like(X))[0, :-1]) / 2
    assert numpy.abs(between - middle).max() < 1e-2


@pytest.mark.parametrize("bits", [8, 32])
def test_a_saved_encoder_is_the_same(source, bits, tmp_path):
    model, docs = make(source, bits=bits), make_docs()
    data = model.to_bytes()
    loaded = build_encoder("nowhere", n_layers=3, n_frozen=0, bits=bits).from_bytes(data)
    assert loaded.to_bytes() == data
    assert numpy.allclose(
        loaded.predict(docs)[0], model.predict(docs)[0], atol=0 if bits == 32 else 0.1
    )
    model.to_disk(tmp_path / "model")
    again = build_encoder("nowhere", n_layers=3, n_frozen=0, bits=bits).from_disk(
        tmp_path / "model"
    )
    assert numpy.array_equal(again.predict(docs)[0], loaded.predict(docs)[0])


def test_rows_are_in_a_file_of_their_own(source, tmp_path):
    component = UccaEncoder(VOCAB, make(source), "encoder")
    data = component.model.shims[0].to_bytes()
    component.to_disk(tmp_path)
    assert component.model.shims[0].to_bytes() == data
    rows = component.model.shims[0].rows.values
    assert (tmp_path / "model").stat().st_size < len(data) - rows.nbytes + 500
    again = UccaEncoder(VOCAB, make(source), "encoder").from_disk(tmp_path)
    assert again.model.shims[0].to_bytes() == data
    numpy.save(tmp_path / "rows.npy", rows[:4])
    with pytest.raises(UccaError, match=r"UC340.*of another encoder"):
        again.from_disk(tmp_path)
    for damage in (
        b"version https://git-lfs.github.com/spec/v1",
        (tmp_path / "rows.npy").read_bytes()[:-9],
    ):
        (tmp_path / "rows.npy").write_bytes(damage)
        with pytest.raises(UccaError, match=r"UC340.*'encoder'"):
            again.from_disk(tmp_path)
    (tmp_path / "model").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(UccaError, match=r"UC340.*'encoder'"):
        again.from_disk(tmp_path)
    (tmp_path / "model").unlink()
    with pytest.raises(UccaError, match=r"UC340.*No such file"):
        again.from_disk(tmp_path)
    empty = UccaEncoder(VOCAB, build_encoder(source, n_layers=3), "encoder")
    empty.to_disk(tmp_path / "empty")
    assert not empty.from_disk(tmp_path / "empty").model.shims[0].weights


@pytest.mark.parametrize(
    "name, value",
    [
        ("n_layers", 0),
        ("n_layers", 4),
        ("n_frozen", 4),
        ("n_frozen", -1),
        ("dropout", 1.0),
        ("bits", 4),
    ],
)
def test_settings_out_of_range_are_named(source, name, value):
    with pytest.raises(UccaError, match=rf"UC352.*{name}"):
        make(source, **{name: value})


def test_the_file_of_the_wheel_is_read_as_a_directory_is(tmp_path):
    weights = tiny_bert.make_weights(len(tiny_bert.UNIGRAM), n_bits=4)
    file = tiny_bert.write_wheel_file(tmp_path / "e5.bin", weights)
    folder = tiny_bert.write_directory(tmp_path / "folder", unigram=True, weights=weights)
    one, other, docs = make(str(file)), make(str(folder)), make_docs()
    for a, b in zip(one.predict(docs), other.predict(docs)):
        assert numpy.allclose(a, b, atol=2e-2)
    assert one.shims[0].pieces.to_dict()["pieces"] == other.shims[0].pieces.to_dict()["pieces"]


def test_rows_of_8_bits_stay_as_they_are_once_rounded():
    rows = numpy.random.default_rng(0).normal(size=(20, 64)).astype("float32")
    rounded = BlockRows.from_floats(rows).floats()
    assert numpy.abs(rounded - rows).max() <= numpy.abs(rows).max() / 127
    assert numpy.array_equal(BlockRows.from_floats(rounded).floats(), rounded)
    assert not BlockRows.from_floats(numpy.zeros((2, 32), "float32")).floats().any()


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"model_type": "roberta"}, "roberta"),
        ({"hidden_act": "relu"}, "relu"),
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"num_hidden_layers": 4}, "encoder.layer.3"),
        ({"num_attention_heads": 3}, "3 heads"),
    ],
)
def test_what_is_no_bert_is_refused(tmp_path, change, reason):
    tiny_bert.write_directory(tmp_path / "model", **change)
    with pytest.raises(UccaError, match=rf"(?s)UC36.*{reason}"):
        make(str(tmp_path / "model"))


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
@pytest.mark.parametrize("damage", [None, b"", b"\0\1\2{"])
def test_damaged_directories_are_refused(tmp_path, name, damage):
    folder = tiny_bert.write_directory(tmp_path / "model")
    if damage is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(damage)
    with pytest.raises(UccaError, match="UC361"):
        make(str(folder))


@pytest.mark.parametrize("data", [b"", b"E5S1", b"PK\3\4" + bytes(100)])
def test_damaged_files_are_refused(tmp_path, data):
    (tmp_path / "e5.bin").write_bytes(data)
    with pytest.raises(UccaError, match="UC361"):
        make(str(tmp_path / "e5.bin"))


@pytest.mark.parametrize(
    "name, change, reason",
    [
        ("encoder.layer.0.output.dense.bias", lambda x: x * numpy.nan, "not finite"),
        ("embeddings.word_embeddings.weight", lambda x: x / 0, "not finite"),
        ("embeddings.word_embeddings.weight", lambda x: x[:5], "embeddings for 5"),
        ("embeddings.position_embeddings.weight", lambda x: x[:3], "positions"),
        (
            "encoder.layer.1.intermediate.dense.weight",
            lambda x: x.T.copy(),
            "is .32, 64., not .64, 32",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_weights_that_do_not_fit_together_are_refused(tmp_path, name, change, reason):
    weights = tiny_bert.make_weights(len(tiny_bert.PIECES))
    weights[name] = change(weights[name])
    tiny_bert.write_directory(tmp_path / "model", weights=weights)
    with pytest.raises(UccaError, match=f"(?s)UC361.*{reason}.*Give the file"):
        build_encoder(str(tmp_path / "model"), n_layers=3).initialize()


def test_a_source_that_is_not_there_is_named():
    with pytest.raises(UccaError, match=r"UC360.*nanoe6"):
        make("nanoe6")
