"""`Doc._.sdp`: stored as plain data that survives everything that keeps `user_data`."""

import itertools
import pickle
import warnings

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from util import VOCAB

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.sdp_parser.extension import get_sdp, graph_to_sdp_doc, sentence_arcs
from spacy_ucca.sdp_parser.scorer import sdp_score
from spacy_ucca.tokens.storage import find_key

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
    return graph_to_sdp_doc(GRAPH, VOCAB)


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
    doc = Doc(VOCAB, words="a b c".split(), sent_starts=[True, False, True])
    arcs = (Arc(ROOT, 2, TOP), Arc(1, 0, "A"), Arc(0, 2, "B"))
    assert sentence_arcs(doc, arcs) == [[arcs[1]], [arcs[0], arcs[2]]]
    assert sentence_arcs(Doc(doc.vocab), ()) == []


def test_empty_doc():
    doc = Doc(VOCAB)
    doc._.sdp = BilexicalGraph(())
    assert doc._.sdp == BilexicalGraph(())
    assert graph_to_sdp_doc(BilexicalGraph(()), doc.vocab)._.sdp == BilexicalGraph(())


def test_an_empty_word_has_a_token(doc):
    graph = BilexicalGraph((Token("a"), Token("")), (Arc(0, 1, "A"),))
    doc = graph_to_sdp_doc(graph, doc.vocab)
    assert [token.text for token in doc] == ["a", "_"] and doc._.sdp.arcs == graph.arcs


def test_what_does_not_fit_is_refused(doc):
    with pytest.raises(UccaError, match=r"UC201.*0 words, the Doc 4"):
        doc._.sdp = BilexicalGraph(())
    with pytest.raises(UccaError, match="UC875"):
        doc._.sdp = [(0, 1, "A")]
    other = Doc(doc.vocab, words=["John", "went", "to", "🦊"], user_data=doc.user_data)
    with pytest.raises(UccaError, match="UC203"):
        get_sdp(other)


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"version":1,"words":3,"arcs":[[1]]}', 7])
def test_broken_records_are_refused(doc, text):
    doc.user_data[find_key(doc, "sdp")] = text
    with pytest.raises(UccaError, match="UC873"):
        get_sdp(doc)


def test_records_of_other_versions_are_refused(doc):
    doc.user_data[find_key(doc, "sdp")] = '{"version":2,"words":3}'
    with pytest.raises(UccaError, match="UC009"):
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
    assert joined[0:2].as_doc(copy_user_data=True)._.sdp is None


def carried(places):
    """RETURNS (Set[Arc]): The arcs of GRAPH, given the token that has each of its tokens. Of two of the same tokens and label,
    the primary one stays."""
    arcs = [
        arc._replace(head=places.get(arc.head), dependent=places.get(arc.dependent))
        for arc in GRAPH.arcs
    ]
    arcs = {
        arc._replace(head=ROOT, label=TOP) if arc.head is None and not arc.remote else arc
        for arc in arcs
    }
    arcs = {arc for arc in arcs if None not in arc and arc.head != arc.dependent}
    return {arc for arc in arcs if not (arc.remote and arc._replace(remote=False) in arcs)}


def test_every_part(doc):
    """Arcs whose other end is cut off are gone. In a tree, a token whose head is cut off is a top."""
    n = len(doc)
    for a, b in itertools.combinations(range(n + 1), 2):
        part = doc[a:b].as_doc(copy_user_data=True)
        places = {ROOT: ROOT, **{i: i - a for i in range(a, b)}}
        assert set(part._.sdp.arcs) == carried(places)
        assert part._.sdp.words == tuple(token.text for token in part)
        assert part._.sdp.punct == GRAPH.punct[a:b]
        both = Doc.from_docs([part, doc])  # cut, then joined: sentences tell them apart
        at = b - a
        assert set(both._.sdp.arcs) == carried(places) | carried(
            {ROOT: ROOT, **{i: i + at for i in range(n)}}
        )


def test_merged_tokens(doc):
    """Arcs inside of a token are gone. A token is punctuation if all of it is."""
    n = len(doc)
    for a, b in itertools.combinations(range(n + 1), 2):
        merged = doc.copy()
        with merged.retokenize() as retokenizer:
            retokenizer.merge(merged[a:b])
        places = {i: i if i < a else max(a, i - b + a + 1) for i in range(n)}
        graph = merged._.sdp
        assert set(graph.arcs) == carried({ROOT: ROOT, **places})
        assert len(set(graph.arcs)) == len(graph.arcs)
        assert graph.punct == (*GRAPH.punct[:a], all(GRAPH.punct[a:b]), *GRAPH.punct[b:])
        assert Doc(doc.vocab).from_bytes(merged.to_bytes())._.sdp == graph


def test_split_tokens(doc):
    """Arcs are those of the part that is the head."""
    for head in (0, 1):
        split = doc.copy()
        with split.retokenize() as retokenizer:
            heads = [(split[1], head), (split[1], head)]
            retokenizer.split(split[1], ["wan", "ts"], heads=heads, attrs={"DEP": ["x", "y"]})
        places = {ROOT: ROOT, 0: 0, 1: 1 + head, 2: 3, 3: 4}
        assert set(split._.sdp.arcs) == carried(places)
        with split.retokenize() as retokenizer:
            retokenizer.merge(split[1:3])
        assert split._.sdp.arcs == GRAPH.arcs


def test_merged_tokens_are_scored(doc):
    """Such as after `merge_entities`: what has no counterpart is wrong, or missed."""
    merged = doc.copy()
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[2:4])
    for pair in ((doc, merged), (merged, doc)):
        scores = sdp_score([Example(*pair)])
        assert 0 < scores["sdp_lp"] < 1 and 0 < scores["sdp_lr"] < 1
    assert sdp_score([Example(merged, merged.copy())])["sdp_lf"] == 1
