"""Noisy copies of Docs: words change, graphs stay the graphs of the sentences."""

import pytest
from spacy.tokens import Doc
from util import VOCAB

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.metric.score import score_pair
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.tokens.extension import get_guidelines, set_guidelines
from spacy_ucca.training.augment import (
    in_case,
    noisy_copies,
    without_stop,
)
from spacy_ucca.training.corpus import graph_to_doc

STOPS = {".", "!", "?", "..."}


@pytest.fixture(scope="module")
def docs(sample: list[Graph]) -> list[Doc]:
    vocab = VOCAB
    docs = [graph_to_doc(graph, vocab) for graph in sample]
    for doc in docs:
        set_guidelines(doc, "v2")
    return docs


def doc_of(text: str) -> Doc:
    return graph_to_doc(Graph.join(read_brackets(text)), VOCAB)


def words(doc: Doc) -> list[str]:
    return [token.text for token in doc]


@pytest.mark.parametrize(("case", "written"), [("lower", str.lower), ("upper", str.upper)])
def test_case(docs, case, written):
    for doc in docs:
        before = doc.text, doc._.ucca.to_record()
        copied = in_case(doc, case)
        assert words(copied) == [written(word) for word in words(doc)]
        assert copied.text == written(doc.text).rstrip() and get_guidelines(copied) == "v2"
        assert copied._.ucca.edge_tuples == doc._.ucca.edge_tuples
        assert [t.is_sent_start for t in copied] == [t.is_sent_start for t in doc]
        assert (doc.text, doc._.ucca.to_record()) == before


def test_headlines():
    doc = doc_of("[H [A the women] [P gave] [A it] [A [R to] [C McKay]] [D 'yesterday]]")
    assert words(in_case(doc, "title")) == [
        "The",
        "Women",
        "Gave",
        "it",
        "to",
        "McKay",
        "'yesterday",
    ]


def test_stop(docs):
    n_changed = 0
    for doc in docs:
        copied = without_stop(doc)
        assert words(doc)[: len(copied)] == words(copied)
        assert set(words(doc)[len(copied) :]) <= STOPS
        if len(copied) == len(doc):
            assert copied is doc
            continue
        n_changed += 1
        gold, graph = doc._.ucca, copied._.ucca
        assert copied.text == doc.text.rstrip(".!? ") and get_guidelines(copied) == "v2"
        # The metric counts the same edges as before, as it does not count punctuation.
        assert score_pair(graph, graph).ref == score_pair(gold, gold).ref
        assert len(list(validate_graph(graph))) <= len(list(validate_graph(gold)))
        units = [unit.text for unit in graph if unit.kind != "PNCT"]
        texts = [" ".join(t for t in unit.text.split()) for unit in gold if unit.kind != "PNCT"]
        assert [text.rstrip(".!? ") for text in texts] == [text.rstrip(".!? ") for text in units]
    assert n_changed > len(docs) / 2


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[H [A I] [P ran]] [U .]", "I ran"),
        ("[H [A I] [P ran]] [U .] [U .] [U ?]", "I ran"),
        ("[H [A I] [P ran] [U .]] [U '']", None),
        ("[H [A I] [A etc .]]", None),  # the stop is a part of the word
        ("[H [A I] [P ran] [U . .]]", None),
        ("[U !]", None),
        ("[U ?] [U !]", None),
        ("[H [A I] [P ran] [U .]]\n\n[H [A I] [P sat]] [U .]", "I ran. I sat"),
    ],
)
def test_which_stops(text, left):
    doc = doc_of(text)
    copied = without_stop(doc)
    assert copied.text == (doc.text if left is None else left)
    if left is None:
        assert copied is doc
    assert len(copied._.ucca.roots) == len(doc._.ucca.roots)


def test_docs_without_graph_or_words():
    vocab = VOCAB
    for n in ([], ["I", "ran", "."], [" "]):
        doc = Doc(vocab, words=n)
        assert without_stop(doc) is doc
        assert words(in_case(doc, "lower")) == [word.lower() for word in n]


def test_shares(docs):
    many = docs * 20

    def texts(**options) -> list[str]:
        shares = dict.fromkeys(("lower", "upper", "title", "no_stop"), 0.0) | options
        return [doc.text for doc in noisy_copies(many, **shares)]

    assert texts() == []
    assert len(texts(upper=1)) == len(many)
    assert len(texts(lower=0.3)) == pytest.approx(0.3 * len(many), rel=0.2)
    assert all(text == text.upper() for text in texts(upper=0.5))
    assert len(texts(title=1)) > len(many) / 2
    assert 0 < len(texts(no_stop=0.5)) < len(texts(no_stop=1)) <= len(many)
    mixed = texts(lower=0.5, no_stop=0.5)
    assert mixed == texts(lower=0.5, no_stop=0.5) != texts(lower=0.5, no_stop=0.5, seed=1)
    assert {(t == t.lower(), t[-1] in STOPS) for t in mixed} >= {(True, False), (False, False)}
