"""Products of matrices run on one thread while a batch is parsed, and as before afterwards."""

import pytest
import spacy
from flat_pipeline import flat_graph
from threadpoolctl import ThreadpoolController, threadpool_limits
from util import make_examples, make_nlp, parse

from spacy_ucca.layers.numpy_products import one_blas_thread


def n_threads() -> set[int]:
    return {
        library.num_threads
        for library in ThreadpoolController().select(user_api="blas").lib_controllers
    }


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        if n_threads() != {2}:
            pytest.skip("NumPy's BLAS cannot be told how many threads to use here")
        yield


def test_limit_is_lifted_after_an_error():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        assert n_threads() == {1}
        _ = 1 / 0
    assert n_threads() == {2}


def test_parser_parses_and_learns_on_one_thread(monkeypatch):
    graph = flat_graph(english()("John moved ."))
    nlp = make_nlp([graph])
    model, seen = nlp.get_pipe("ucca_parser").model, []
    predict = model._func

    def watch(*args, **kwargs):
        seen.append(n_threads())
        return predict(*args, **kwargs)

    monkeypatch.setattr(model, "_func", watch)
    parse(nlp, [graph])
    nlp.update(make_examples(nlp.vocab, [graph]))
    assert seen == [{1}, {1}] and n_threads() == {2}


def english():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    return nlp
