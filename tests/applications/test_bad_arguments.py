"""What is no Doc is named, with the remedy."""

from functools import partial

import pytest
from asked import doc_of

from spacy_ucca.applications import SceneIndex, predication_f1, samsa, split_sentences, usim
from spacy_ucca.errors import UccaError
from spacy_ucca.tokens.spans import set_spans


@pytest.mark.parametrize("what", ["a text", None, 3, ["a"]])
def test_what_is_no_doc(vocab, what):
    doc = doc_of("[H [A He] [P came]]", vocab)
    calls = [SceneIndex().add, split_sentences, set_spans, partial(samsa, simplification=doc)]
    calls += [partial(samsa, doc), partial(usim, doc), partial(usim, other=doc)]
    for call in calls:
        with pytest.raises(
            UccaError, match=rf"UC68[48].*{type(what).__name__}.*`nlp\(text\)`|UC688"
        ):
            call(what)
    with pytest.raises(UccaError, match=r"UC691|UC684"):
        predication_f1(doc, what)


def test_a_span_is_no_doc(vocab):
    doc = doc_of("[H [A He] [P came]]", vocab)
    for call in (SceneIndex().add, split_sentences, set_spans, partial(usim, doc)):
        with pytest.raises(UccaError, match=r"UC685.*as_doc\(copy_user_data=True\)"):
            call(doc[:2])
    assert split_sentences(doc[:2].as_doc(copy_user_data=True))[0].text == "He came."
