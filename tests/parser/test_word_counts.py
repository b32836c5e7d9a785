"""Words are hidden by how frequent they are: alpha / (alpha + n), and unseen ones always."""

import numpy
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import fix_random_seed
from util import make_doc

from spacy_ucca.parser.embed import set_word_counts, token_attributes

ALPHA = 0.2
COUNTS = {"the": 50, "cat": 4, "sat": 1}


@pytest.fixture
def vocab() -> Vocab:
    return Vocab()


def counting(vocab: Vocab, alpha: float = ALPHA):
    layer = token_attributes(["ORTH", "TAG"], alpha, count_words=True)
    words = [word for word, n in COUNTS.items() for _ in range(n)]
    set_word_counts(layer, [Doc(vocab, words=words[:20]), Doc(vocab, words=words[20:])])
    return layer


def hidden(layer, doc: Doc, *, training: bool) -> numpy.ndarray:
    (table,), _ = layer([doc], training)
    assert ((table[:, 0] == 0) | (table[:, 0] == doc.to_array("ORTH"))).all()
    return table[:, 0] == 0


def test_words_are_hidden_by_their_counts(vocab):
    layer = counting(vocab)
    fix_random_seed(0)
    n = 20_000
    for word, count in COUNTS.items():
        rate = hidden(layer, Doc(vocab, words=[word] * n), training=True).mean()
        assert rate == pytest.approx(ALPHA / (ALPHA + count), abs=0.01)


def test_unseen_words_are_hidden_and_no_others(vocab):
    doc = Doc(vocab, words=["the", "dog", "sat", "zebra"])
    for layer in (counting(vocab), counting(vocab).copy(), counting(vocab, alpha=0.0)):
        assert hidden(layer, doc, training=False).tolist() == [False, True, False, True]
    restored = token_attributes(["ORTH", "TAG"], ALPHA, count_words=True)
    restored.from_bytes(counting(vocab).to_bytes())
    assert hidden(restored, doc, training=False).tolist() == [False, True, False, True]
    assert not hidden(counting(vocab, 0.0), Doc(vocab, words=["the"] * 99), training=True).any()


def test_no_counts_hide_nothing(vocab):
    layer = token_attributes(["ORTH"], ALPHA, count_words=True)
    assert not hidden(layer, Doc(vocab, words=["the"] * 99), training=False).any()


def test_the_parser_counts_its_training_data(sample, tmp_path):
    nlp = spacy.blank("en")
    sizes = {"word_width": 8, "hidden_width": 4, "hidden_depth": 1, "word_rows": 50}
    model = {"@architectures": "spacy-ucca.TupaMLP.v2", **sizes}
    parser = nlp.add_pipe("ucca_parser", config={"model": model})
    examples = [
        Example(make_doc(nlp.vocab, graph, gold=False), make_doc(nlp.vocab, graph))
        for graph in sample
    ]
    nlp.initialize(lambda: examples)
    nlp.to_disk(tmp_path)
    for one in (parser, spacy.load(tmp_path).get_pipe("ucca_parser")):
        (node,) = (n for n in one.model.walk() if n.name == "token_attributes")
        assert node.attrs["counts"].sum() == sum(len(graph.words) for graph in sample)
        assert len(node.attrs["words"]) == len({w for graph in sample for w in graph.words})
