"""Products of matrices by NumPy: the same values, on one thread, where Thinc would use its own BLAS."""

import numpy
import pytest
import spacy
from spacy.util import registry
from thinc.api import Linear, NumpyOps

from spacy_ucca.layers.numpy_products import NumpyProducts, use_numpy_products


@pytest.mark.parametrize("trans1", [False, True])
@pytest.mark.parametrize("trans2", [False, True])
@pytest.mark.parametrize("n", [0, 1, 17])
def test_products_are_those_of_thinc(trans1, trans2, n):
    rng = numpy.random.default_rng(0)
    x, y = (rng.normal(size=size).astype("float32") for size in ((n, 5), (5, 3)))
    x, y = x.T if trans1 else x, y.T if trans2 else y
    arrays = [numpy.ascontiguousarray(a) for a in (x, y)]
    wanted = NumpyOps().gemm(*arrays, trans1=trans1, trans2=trans2)
    numpy.testing.assert_allclose(
        NumpyProducts().gemm(*arrays, trans1=trans1, trans2=trans2), wanted, atol=1e-5
    )
    out = numpy.empty_like(wanted)
    NumpyProducts().gemm(*arrays, out=out, trans1=trans1, trans2=trans2)
    numpy.testing.assert_allclose(out, wanted, atol=1e-5)


def test_callback_changes_layers_of_thinc_alone():
    class OtherOps(NumpyOps):
        name = "other"

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")  # no model
    tagger = nlp.add_pipe("tagger")
    other = Linear(2, 2)
    other.ops = OtherOps()
    tagger.model.layers.append(other)
    assert registry.callbacks.get("spacy-ucca.numpy_products.v1")()(nlp) is nlp
    names = {type(layer.ops).__name__ for layer in tagger.model.walk()}
    assert names == {"NumpyProducts", "OtherOps"} and type(other.ops) is OtherOps


def test_pipeline_predicts_the_same_and_asks_again_when_it_is_loaded(tmp_path):
    callback = {"@callbacks": "spacy-ucca.numpy_products.v1"}
    nlp = spacy.blank("en", config={"nlp": {"after_pipeline_creation": callback}})
    nlp.add_pipe("tagger").add_label("X")
    nlp.initialize()
    doc = nlp.make_doc("a few words , and then some more")
    model = nlp.get_pipe("tagger").model
    (before,) = model.predict([doc])
    nlp.to_disk(tmp_path)
    model = spacy.load(tmp_path).get_pipe("tagger").model
    assert {type(layer.ops) for layer in model.walk()} == {NumpyProducts}
    (after,) = model.predict([doc])
    numpy.testing.assert_allclose(after, before, atol=1e-5)


def test_models_learn_with_it():
    nlp = use_numpy_products(spacy.blank("en"))
    nlp.add_pipe("tagger").add_label("X")
    nlp.initialize()
    use_numpy_products(nlp)
    words = ["a", "b"]
    example = {"words": words, "tags": ["X", "X"]}
    losses = nlp.update([spacy.training.Example.from_dict(nlp.make_doc("a b"), example)])
    assert losses["tagger"] >= 0
