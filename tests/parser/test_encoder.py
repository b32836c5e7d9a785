"""Token encoders: the attributes they look up, and vectors that do not depend on what stands beside."""

import warnings

import numpy
import pytest
import spacy
from spacy.attrs import LOWER, TAG
from spacy.ml.models import build_hash_embed_cnn_tok2vec as HashEmbedCNN
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.util import fix_random_seed, registry
from spacy.vectors import Vectors
from spacy.vocab import Vocab
from thinc.api import Config, Model, set_dropout_rate

from spacy_ucca.parser.embed import build_ucca_embed, set_default_guidelines, token_attributes
from spacy_ucca.parser.encoder import build_bilstm_encoder, build_ucca_tok2vec
from spacy_ucca.tokens.sentences import sentence_lengths

WORDS = ["The", "cat", "slept", ".", "\n", "It", "خرج", "👩‍👩‍👧", "."]
TAGS = ["D", "N", "V", "U", "", "P", "V", "X", "U"]
HEADS = [1, 2, 2, 2, 3, 6, 6, 6, 6]
STARTS = [0, 5]


@pytest.fixture
def vocab() -> Vocab:
    return spacy.blank("en").vocab


def make_doc(vocab: Vocab, start: int = 0, end: int = len(WORDS)) -> Doc:
    return Doc(
        vocab,
        words=WORDS[start:end],
        tags=TAGS[start:end],
        heads=[head - start for head in HEADS[start:end]],
        deps=["ROOT" if i == HEADS[i] else "d" for i in range(start, end)],
    )


def make_tok2vec(vocab: Vocab, **kwargs) -> Model:
    fix_random_seed(0)
    embed = build_ucca_embed(
        ["LOWER", "TAG", "HEAD_TAG", "DEP"], [50, 20, 20, 20], [8, 4, 4, 4], **kwargs
    )
    model = build_ucca_tok2vec(embed, build_bilstm_encoder(12))
    model.initialize(X=[make_doc(vocab)])
    return model


def test_a_sentence_gets_the_same_vectors_alone_and_in_a_longer_doc(vocab: Vocab) -> None:
    model = make_tok2vec(vocab)
    whole = make_doc(vocab)
    parts = [make_doc(vocab, 0, 5), make_doc(vocab, 5)]
    assert sentence_lengths(whole) == [5, 4]
    together = model.predict([whole])[0]
    alone = model.predict(parts)
    numpy.testing.assert_allclose(together, numpy.concatenate(alone), rtol=1e-5, atol=1e-6)
    one_by_one = [model.predict([part])[0] for part in parts]
    numpy.testing.assert_allclose(together, numpy.concatenate(one_by_one), rtol=1e-5, atol=1e-6)
    # ... and not because vectors see nothing of the sentence
    other = model.predict([make_doc(vocab, 0, 4)])[0]
    assert numpy.abs(other - together[:4]).max() > 1e-4


def test_batch_of_docs_with_empty_ones(vocab: Vocab) -> None:
    model = make_tok2vec(vocab)
    docs = [Doc(vocab), make_doc(vocab), Doc(vocab), make_doc(vocab, 2, 3), Doc(vocab)]
    found = model.predict(docs)
    assert [v.shape for v in found] == [(len(doc), 12) for doc in docs]
    for doc, vectors in zip(docs, found):
        if len(doc):
            numpy.testing.assert_allclose(vectors, model.predict([doc])[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_train", [False, True])
def test_nothing(vocab: Vocab, is_train: bool) -> None:
    model = make_tok2vec(vocab)
    assert model([], is_train)[0] == []
    vectors, backprop = model([Doc(vocab), Doc(vocab)], is_train)
    assert [v.shape for v in vectors] == [(0, 12), (0, 12)]
    backprop(vectors)


def test_initialize_without_words(vocab: Vocab) -> None:
    for X in (None, [Doc(vocab)], [Doc(vocab, words=["a"])]):
        model = build_ucca_tok2vec(build_ucca_embed(["LOWER"], [10], [4]), build_bilstm_encoder(6))
        model.initialize(X=X)
        assert model.predict([make_doc(vocab)])[0].shape == (len(WORDS), 6)


def test_docs_without_annotation(vocab: Vocab) -> None:
    model = make_tok2vec(vocab)
    bare = Doc(vocab, words=WORDS)
    assert sentence_lengths(bare) == [len(WORDS)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = model.predict([bare])[0]
    assert vectors.shape == (len(WORDS), 12) and numpy.isfinite(vectors).all()


def test_attributes(vocab: Vocab) -> None:
    doc = make_doc(vocab)
    found = token_attributes(["TAG", "HEAD_TAG", "LOWER", "HEAD_LOWER"], 0.0).predict([doc])[0]
    assert found.dtype == numpy.uint64
    assert found[:, 0].tolist() == [token.tag for token in doc] == doc.to_array(TAG).tolist()
    assert found[:, 1].tolist() == [token.head.tag for token in doc]
    assert found[:, 2].tolist() == doc.to_array(LOWER).tolist()
    assert found[:, 3].tolist() == [token.head.lower for token in doc]


def test_word_dropout_hides_the_first_attribute_in_training_only(vocab: Vocab) -> None:
    layer = token_attributes(["LOWER", "TAG"], 0.5)
    doc = Doc(vocab, words=["word"] * 400, tags=["T"] * 400)
    assert (layer.predict([doc])[0] != 0).all()
    found, _ = layer([doc], True)
    assert 100 < (found[0][:, 0] == 0).sum() < 300
    assert (found[0][:, 1] != 0).all()


def test_gradient_reaches_every_weight(vocab: Vocab) -> None:
    model = make_tok2vec(vocab)
    docs = [make_doc(vocab), Doc(vocab), make_doc(vocab, 0, 5)]
    vectors, backprop = model.begin_update(docs)
    backprop([v * 0 + 1 for v in vectors])
    for node in model.walk():
        for name in node.param_names:
            if node.has_param(name):
                assert node.has_grad(name) and numpy.abs(node.get_grad(name)).max() > 0, node.name


def test_gradient_of_the_embedding_equals_finite_differences(vocab: Vocab) -> None:
    """That vectors and gradients go back to the sentence they came from."""
    model = make_tok2vec(vocab)
    docs = [make_doc(vocab), Doc(vocab), make_doc(vocab, 5)]
    rng = numpy.random.default_rng(0)
    vectors, backprop = model.begin_update(docs)
    weights = [rng.normal(0, 1, v.shape).astype("float32") for v in vectors]
    backprop([w.copy() for w in weights])
    node = next(node for node in model.walk() if node.name == "hashembed")
    table, gradient = node.get_param("E").copy(), node.get_grad("E").copy()
    checked = 0
    for place in zip(*numpy.nonzero(numpy.abs(gradient) > 0.05)):
        values = []
        for sign in (1, -1):
            changed = table.copy()
            changed[place] += sign * 1e-2
            node.set_param("E", changed)
            found = model.predict(docs)
            values.append(sum(float((v * w).sum()) for v, w in zip(found, weights)))
        assert gradient[place] == pytest.approx((values[0] - values[1]) / 2e-2, rel=0.1, abs=0.01)
        checked += 1
    assert checked > 5


def test_dropout_is_of_activations_not_of_weights(vocab: Vocab) -> None:
    model = make_tok2vec(vocab)
    set_dropout_rate(model, 0.4)
    docs = [make_doc(vocab)]
    first, second = model.begin_update(docs)[0][0], model.begin_update(docs)[0][0]
    assert numpy.abs(first - second).max() > 0
    assert (first == 0).mean() > 0.1  # dropout of the output
    assert not [
        node.name for node in model.walk() if "lstm" in node.name and "dropout_rate" in node.attrs
    ]
    numpy.testing.assert_array_equal(model.predict(docs)[0], model.predict(docs)[0])


def test_static_vectors(vocab: Vocab) -> None:
    vocab.set_vector("cat", numpy.ones(3, dtype="float32"))
    vocab.set_vector("The", numpy.full(3, 2, dtype="float32"))
    model = make_tok2vec(vocab, include_static_vectors=True, vector_width=6)
    assert model.layers[0].get_dim("nO") == 8 + 4 + 4 + 4 + 6
    for docs in ([make_doc(vocab)], [Doc(vocab), make_doc(vocab, 2)], [Doc(vocab)]):
        assert [v.shape for v in model.predict(docs)] == [(len(doc), 12) for doc in docs]


def test_wrong_settings_name_the_counts() -> None:
    with pytest.raises(ValueError, match=r"\[UC310\].*2 attributes, 1 rows and 2 widths"):
        build_ucca_embed(["LOWER", "TAG"], [10], [4, 4])


def test_architectures_are_registered_and_embed_other_encoders(vocab: Vocab) -> None:
    config = Config().from_str(
        """
        [model]
        @architectures = "spacy-ucca.Tok2Vec.v1"

        [model.embed]
        @architectures = "spacy-ucca.Embed.v1"
        attrs = ["LOWER", "TAG"]
        rows = [50, 20]
        widths = [8, 4]

        [model.encode]
        @architectures = "spacy-ucca.BiLSTMEncoder.v1"
        width = 10
        depth = 2
        """
    )
    model = registry.resolve(config)["model"]
    model.initialize(X=[make_doc(vocab)])
    assert model.predict([make_doc(vocab)])[0].shape == (len(WORDS), 10)
    config["model"]["encode"] = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        **{"width": 12, "depth": 1, "window_size": 1, "maxout_pieces": 2},
    }
    model = registry.resolve(config)["model"]
    model.initialize(X=[make_doc(vocab)])
    assert model.predict([make_doc(vocab), Doc(vocab)])[0].shape == (len(WORDS), 12)


def test_same_weights_after_bytes(vocab: Vocab) -> None:
    first, second = make_tok2vec(vocab), make_tok2vec(vocab)
    doc = make_doc(vocab)
    rng = numpy.random.default_rng(1)
    for node in second.layers[0].walk():
        for param in node.param_names:
            if node.has_param(param):
                value = node.get_param(param)
                node.set_param(param, value + rng.uniform(size=value.shape).astype("f"))
    assert numpy.abs(first.predict([doc])[0] - second.predict([doc])[0]).max() > 1e-3
    second.from_bytes(first.to_bytes())
    numpy.testing.assert_array_equal(first.predict([doc])[0], second.predict([doc])[0])


def test_whole_language_of_a_blank_pipeline() -> None:
    nlp = spacy.blank("he")
    model = make_tok2vec(nlp.vocab)
    doc = nlp("החתול ישן 😀 .")
    assert model.predict([doc])[0].shape == (len(doc), 12)


def test_guidelines_are_a_feature_of_all_tokens_of_a_doc(vocab: Vocab) -> None:
    layer = token_attributes(["LOWER", "GUIDELINES"], 0.0)
    named, unnamed = make_doc(vocab), make_doc(vocab)
    named._.ucca_guidelines = "v2"
    columns = [found[:, 1].tolist() for found in layer.predict([named, unnamed])]
    assert columns == [[get_string_id("v2")] * len(WORDS), [0] * len(WORDS)]
    set_default_guidelines(layer, "v1")
    columns = [found[0, 1] for found in layer.predict([named, unnamed])]
    assert columns == [get_string_id("v2"), get_string_id("v1")]


@pytest.fixture
def vocab_with_vectors(vocab: Vocab) -> Vocab:
    rng = numpy.random.default_rng(0)
    words = sorted({word.lower() for word in WORDS[:3]})
    data = rng.normal(0, 1, (len(words), 7)).astype("float32")
    vocab.vectors = Vectors(strings=vocab.strings, data=data, keys=words, attr="LOWER")
    return vocab


def test_static_vectors_are_seen_and_their_projection_learns(vocab_with_vectors: Vocab) -> None:
    model = make_tok2vec(vocab_with_vectors, include_static_vectors=True, vector_width=5)
    embed = model.layers[0]
    assert embed.get_dim("nO") == 20 + 5
    doc = make_doc(vocab_with_vectors)
    found = embed.predict([doc])[0][:, 20:]
    assert found[:3].any(axis=1).all() and not found[3:].any()  # the other words have no vectors
    vectors, backprop = model.begin_update([doc])
    backprop([v * 0 + 1 for v in vectors])
    node = next(node for node in model.walk() if node.name == "static_vectors")
    assert numpy.abs(node.get_grad("W")).max() > 0


def test_static_vectors_that_are_not_there(vocab: Vocab) -> None:
    with pytest.raises(ValueError, match=r"UC314.*paths\.vectors"):
        make_tok2vec(vocab, include_static_vectors=True)


def test_another_tok2vec_is_concatenated_and_learns(vocab: Vocab) -> None:
    other = HashEmbedCNN(
        width=6,
        depth=1,
        embed_size=50,
        window_size=1,
        maxout_pieces=2,
        subword_features=True,
        pretrained_vectors=None,
    )
    model = make_tok2vec(vocab, tok2vec=other)
    embed = model.layers[0]
    docs = [make_doc(vocab), Doc(vocab), make_doc(vocab, 5)]
    found = embed.predict(docs)
    assert embed.get_dim("nO") == 26 and [v.shape for v in found] == [(9, 26), (0, 26), (4, 26)]
    numpy.testing.assert_allclose(found[0][:, 20:], other.predict(docs[:1])[0], rtol=1e-5)
    vectors, backprop = model.begin_update(docs)
    backprop([v * 0 + 1 for v in vectors])
    for node in other.walk():
        assert all(node.has_grad(name) for name in node.param_names if node.has_param(name))


def test_a_listener_beside_another_one_is_concatenated(vocab: Vocab) -> None:
    """What spacy-transformers gives back to all but the last listener of a transformer is None."""
    received = []

    def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple:
        return [model.ops.alloc2f(len(doc), 3) for doc in docs], received.append

    model = make_tok2vec(vocab, tok2vec=Model("listener", forward, dims={"nO": 3}))
    docs = [make_doc(vocab), make_doc(vocab, 5)]
    vectors, backprop = model.begin_update(docs)
    assert backprop([v * 0 + 1 for v in vectors]) == []
    assert [gradient.shape for gradient in received[0]] == [(9, 3), (4, 3)]
