"""`Doc._.sdp`: stored as plain data that survives everything that keeps `user_data`."""

import pickle
import warnings

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.sdp_parser.extension import get_sdp, graph_to_sdp_doc, sentence_arcs
from spacy_ucca.tokens.storage import key_of

GRAPH = BilexicalGraph(
    (
        Token("John", "John", "PROPN", "NNP", "Number=Sing"),
        Token("wants", "want", "VERB", "VBZ"),
        Token("to"),
        Token("🦊", "fox"),
    ),
    (Arc(ROOT, 1, TOP), Arc(1, 0, "ARG1"), Arc(3, 0, "ARG1", True), Arc(1, 3, "ARG2")),
    (False, False, False, True),
    "22000001",
)


@pytest.fixture
def doc():
    return graph_to_sdp_doc(GRAPH, spacy.blank("en").vocab)


def test_round_trip(doc):
    assert doc._.sdp == GRAPH
    assert doc[1].lemma_ == "want" and doc[0].tag_ == "NNP" and not doc[2].lemma_
    doc._.sdp = None
    assert doc._.sdp is None and not doc.user_data


def test_it_is_plain_data(doc):
    data = srsly.msgpack_dumps(doc.user_data)
    assert srsly.msgpack_loads(data, use_list=False) == doc.user_data


def test_what_keeps_user_data_keeps_it(doc, tmp_path):
    bins = DocBin(store_user_data=True, docs=[doc])
    bins.to_disk(tmp_path / "a.spacy")
    (read,) = DocBin().from_disk(tmp_path / "a.spacy").get_docs(spacy.blank("en").vocab)
    for other in (
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
    ):
        assert other._.sdp == GRAPH
    # (DocBin has no attribute for FEATS unless it is asked for)
    assert read._.sdp.arcs == GRAPH.arcs and read._.sdp.id == GRAPH.id


def test_sentences():
    doc = Doc(spacy.blank("en").vocab, words="a b c".split(), sent_starts=[True, False, True])
    arcs = (Arc(ROOT, 2, TOP), Arc(1, 0, "A"), Arc(0, 2, "B"))
    assert sentence_arcs(doc, arcs) == [[arcs[1]], [arcs[0], arcs[2]]]
    assert sentence_arcs(Doc(doc.vocab), ()) == []


def test_empty_doc():
    doc = Doc(spacy.blank("en").vocab)
    doc._.sdp = BilexicalGraph(())
    assert doc._.sdp == BilexicalGraph(())
    assert graph_to_sdp_doc(BilexicalGraph(()), doc.vocab)._.sdp == BilexicalGraph(())


def test_an_empty_word_has_a_token(doc):
    graph = BilexicalGraph((Token("a"), Token("")), (Arc(0, 1, "A"),))
    doc = graph_to_sdp_doc(graph, doc.vocab)
    assert [token.text for token in doc] == ["a", "_"] and doc._.sdp.arcs == graph.arcs


def test_what_does_not_fit_is_refused(doc):
    with pytest.raises(UccaError, match=r"UC876.*0 words, the Doc 4"):
        doc._.sdp = BilexicalGraph(())
    with pytest.raises(UccaError, match="UC875"):
        doc._.sdp = [(0, 1, "A")]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.raises(UccaError, match="UC872"):
        get_sdp(doc)


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"version":1,"words":3,"arcs":[[1]]}', 7])
def test_broken_records_are_refused(doc, text):
    doc.user_data[key_of("sdp")] = text
    with pytest.raises(UccaError, match="UC873"):
        get_sdp(doc)


def test_records_of_other_versions_are_refused(doc):
    doc.user_data[key_of("sdp")] = '{"version":2,"words":3}'
    with pytest.raises(UccaError, match="UC874"):
        get_sdp(doc)


def test_joined_docs(doc):
    bare = Doc(doc.vocab, words=["No", "graph"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # spaCy's would print the record
        joined = Doc.from_docs([bare, doc, doc])
    n = len(doc)
    expected = [
        Arc(h if h == ROOT else h + at, d + at, label, remote)
        for at in (2, 2 + n)
        for h, d, label, remote in doc._.sdp.arcs
    ]
    assert list(joined._.sdp.arcs) == expected
    assert joined._.sdp.punct == (False, False, *doc._.sdp.punct * 2)
    part = joined[2 : 2 + n].as_doc(copy_user_data=True)
    assert part._.sdp.arcs == doc._.sdp.arcs
    with pytest.raises(UccaError, match="UC872"):
        joined[0:5].as_doc(copy_user_data=True)._.sdp  # noqa: B018
