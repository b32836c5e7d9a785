"""`Doc._.ucca` and its kin: what is stored, what survives, what is refused."""

import copy
import importlib
import json
import pickle
import subprocess
import sys
import warnings

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.vocab import Vocab

import spacy_ucca
from spacy_ucca import Graph, GraphBuilder, UccaError, register_extensions
from spacy_ucca.errors import GraphError
from spacy_ucca.tokens.extension import get_graph
from spacy_ucca.tokens.storage import find_key

WORDS = ["John", "moved", " ", "to", "بيت", "👩‍👩‍👧", ".", "Stop", "!"]


def two_sentences() -> Graph:
    """[H [A John] [P moved] " " [A [R to] [C بيت] [E 👩‍👩‍👧]]] [U .]   [H [P Stop]] [U !]"""
    b = GraphBuilder(WORDS)
    root, scene, second_root, second = (b.add_unit() for _ in range(4))
    b.add_edge(root, scene, "H")
    place = b.add_unit()
    for parent, token, category in (
        (scene, 0, "A"),
        (scene, 1, "P"),
        (place, 3, "R"),
        (place, 4, "C"),
        (place, 5, "E"),
        (second, 7, "P"),
    ):
        unit = b.add_unit()
        b.add_edge(parent, unit, category)
        b.add_terminal(unit, token)
    b.add_edge(scene, place, "A")
    b.add_edge(second_root, second, "H")
    b.add_edge(second, 1 + second, "A", remote=True)
    for parent, token in ((root, 6), (second_root, 8)):
        unit = b.add_unit("PNCT")
        b.add_edge(parent, unit, "U")
        b.add_terminal(unit, token)
    b.details = {"id": "x", "attributes": {"0": [["remarks", "é"]]}}
    return b.build()


@pytest.fixture
def doc() -> Doc:
    doc = Doc(Vocab(), words=WORDS, sent_starts=[i in (0, 7) for i in range(len(WORDS))])
    doc._.ucca = two_sentences()
    return doc


def through_bytes(doc: Doc) -> Doc:
    return Doc(doc.vocab).from_bytes(doc.to_bytes())


def through_docbin(doc: Doc) -> Doc:
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    return next(DocBin().from_bytes(data).get_docs(Vocab()))


def through_a_record_in_user_data(doc: Doc) -> Doc:
    other = Doc(doc.vocab, words=WORDS)
    other.user_data[find_key(doc, "ucca")] = json.loads(doc.user_data[find_key(doc, "ucca")])
    return through_docbin(other)


WAYS = [
    through_bytes,
    through_docbin,
    through_a_record_in_user_data,
    lambda doc: pickle.loads(pickle.dumps(doc)),
    lambda doc: doc.copy(),
    lambda doc: through_docbin(through_bytes(pickle.loads(pickle.dumps(doc)))),
    lambda doc: doc[:].as_doc(copy_user_data=True),
]


@pytest.mark.parametrize("way", WAYS)
def test_the_graph_survives(doc, way):
    copied = way(doc)
    assert copied is not doc
    assert copied._.ucca == doc._.ucca == two_sentences()
    assert copied[1]._.ucca.label == "P"


def test_what_is_stored_is_a_text_without_words(doc):
    text = doc.user_data[find_key(doc, "ucca")]
    assert type(text) is str and text.isascii()
    assert "moved" not in text
    assert json.loads(text)["edges"] == two_sentences().to_record()["edges"]


def test_numbers_of_numpy_are_stored_as_numbers():
    b = GraphBuilder(["Go"])
    b.add_edge(b.add_unit(), b.add_unit(), "H")
    b.add_terminal(1, 0)
    record = b.build().to_record()
    record["edges"] = [
        [numpy.int64(parent), numpy.int32(child), *rest] for parent, child, *rest in record["edges"]
    ]
    doc = Doc(Vocab(), words=["Go"])
    doc._.ucca = Graph.from_record(record)
    assert through_bytes(doc)._.ucca == b.build()


def test_the_same_object_until_the_annotation_changes(doc):
    graph = doc._.ucca
    assert doc._.ucca is graph
    other = GraphBuilder(WORDS).build()
    doc._.ucca = other
    assert doc._.ucca == other != graph
    doc.user_data[find_key(doc, "ucca")] = {**graph.to_record()}
    assert doc._.ucca == graph
    # Even a change inside a record that somebody put there is seen.
    doc.user_data[find_key(doc, "ucca")]["edges"][0][3] = "L"
    assert doc._.ucca.edge_tuples[0].categories == ("L",)
    assert graph.edge_tuples[0].categories == ("H",)
    doc.user_data[find_key(doc, "ucca")] = doc.user_data[find_key(doc, "ucca")] | {
        "details": {"id": "y"}
    }
    assert doc._.ucca.details["id"] == "y"


def test_setting_does_not_share_details_with_the_caller(doc):
    graph = two_sentences()
    doc._.ucca = graph
    graph.details["attributes"]["0"].append("later")
    assert through_bytes(doc)._.ucca == two_sentences()


def test_none_takes_it_away(doc):
    doc._.ucca = None
    assert doc._.ucca is None and find_key(doc, "ucca") is None
    assert doc[0]._.ucca is None and doc[0:2]._.ucca is None
    doc._.ucca = None


def test_a_record_can_be_set(doc):
    other = Doc(doc.vocab, words=WORDS)
    other._.ucca = two_sentences().to_record()
    assert other._.ucca == two_sentences()
    other._.ucca = doc.user_data[find_key(doc, "ucca")]
    assert other._.ucca == two_sentences()


def test_spans_and_tokens(doc):
    graph = doc._.ucca
    assert doc[0]._.ucca == graph.unit_of(0) and doc[0]._.ucca.label == "A"
    assert doc[2]._.ucca is None
    assert doc[3:6]._.ucca.text == "to بيت 👩‍👩‍👧"
    assert doc[2:6]._.ucca == doc[3:6]._.ucca, "whitespace is not asked for"
    assert doc[1:4]._.ucca.label == "H"
    assert doc[2:3]._.ucca is None
    assert doc[4:4]._.ucca is None
    assert [sent._.ucca for sent in doc.sents] == list(graph.roots)
    assert doc[6:8]._.ucca is None and doc[:]._.ucca is None


def test_one_token_sentence_is_a_root():
    doc = Doc(Vocab(), words=["Go"])
    b = GraphBuilder(["Go"])
    root, scene, process = (b.add_unit() for _ in range(3))
    b.add_edge(root, scene, "H")
    b.add_edge(scene, process, "P")
    b.add_terminal(process, 0)
    doc._.ucca = b.build()
    assert doc[:]._.ucca == doc._.ucca.root
    assert doc[0]._.ucca.label == "P"


def test_empty_doc():
    doc = Doc(Vocab())
    assert doc._.ucca is None
    doc._.ucca = GraphBuilder([]).build()
    assert len(through_bytes(doc)._.ucca) == 0
    assert doc[:]._.ucca is None


@pytest.mark.parametrize(
    "words", [WORDS[:-1], [*WORDS, "more"], ["Joan", *WORDS[1:]], [], list(reversed(WORDS))]
)
def test_other_words_are_refused(words):
    doc = Doc(Vocab(), words=words)
    for value in (two_sentences(), two_sentences().to_record()):
        with pytest.raises(UccaError, match=r"UC201.*align"):
            doc._.ucca = value
    assert find_key(doc, "ucca") is None


def test_docbin_without_user_data_drops_it(doc):
    assert next(DocBin(docs=[doc]).get_docs(Vocab()))._.ucca is None


@pytest.mark.parametrize(
    "value", [3, "graph", [1], {"edges": []}, {"version": 99}, {"version": 1, "words": WORDS}]
)
def test_what_is_no_graph_is_refused(doc, value):
    with pytest.raises(UccaError):
        doc._.ucca = value
    doc.user_data[find_key(doc, "ucca")] = value
    with pytest.raises(UccaError):
        _ = doc._.ucca


@pytest.mark.parametrize(
    ("details", "path"),
    [({"a": [{"b": object()}]}, "/details/a/b"), ({"a": {1: "b"}}, "/details/a")],
)
def test_details_must_be_plain(doc, details, path):
    b = GraphBuilder(WORDS)
    b.details = details
    with pytest.raises(UccaError, match=rf"UC204.*{path} "):
        doc._.ucca = b.build()
    assert doc._.ucca == two_sentences(), "the old one stays"


@Language.component("test_ucca_setter")
def set_a_graph(doc: Doc) -> Doc:
    b = GraphBuilder([t.text for t in doc])
    root = b.add_unit()
    for i in range(len(doc)):
        unit = b.add_unit()
        b.add_edge(root, unit, "H")
        b.add_terminal(unit, i)
    doc._.ucca = b.build()
    return doc


def test_processes():
    nlp = spacy.blank("en")
    nlp.add_pipe("test_ucca_setter")
    texts = ["A small text.", "", "Another 👩‍👩‍👧 one"] * 3
    docs = list(nlp.pipe(texts, n_process=2, batch_size=2))
    assert [d.text for d in docs] == texts
    assert [d._.ucca for d in docs] == [nlp(t)._.ucca for t in texts]


def test_registering_twice_changes_nothing(doc):
    before = Doc.get_extension("ucca")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_extensions()
        importlib.reload(importlib.import_module("spacy_ucca.tokens.extension"))
        importlib.reload(spacy_ucca)
    assert Doc.get_extension("ucca") == before
    assert isinstance(doc._.ucca, Graph)


def test_what_others_registered_stays():
    original = Token.remove_extension("ucca")
    try:
        Token.set_extension("ucca", default=1)
        with pytest.warns(UserWarning, match="UW201"):
            register_extensions()
        assert Token.get_extension("ucca")[0] == 1
    finally:
        Token.set_extension("ucca", getter=original[2], setter=original[3], force=True)


def test_punctuation_flags(doc):
    assert doc._.ucca_punct is None
    flags = tuple(i % 2 == 0 for i in range(len(doc)))
    doc._.ucca_punct = numpy.array(flags)
    again = [Doc(doc.vocab).from_bytes(doc.to_bytes()), doc.copy()]
    again += DocBin(docs=[doc], store_user_data=True).get_docs(doc.vocab)
    assert [d._.ucca_punct for d in again] == [flags] * 3
    with pytest.raises(UccaError, match="UC206"):
        doc._.ucca_punct = flags[1:]
    doc._.ucca_punct = None
    assert doc._.ucca_punct is None and not any("punct" in key[1] for key in doc.user_data)
    doc.user_data["ucca_punct"] = [True]  # as 0.1 stored it
    with pytest.raises(UccaError, match="UC327"):
        doc._.ucca_punct  # noqa: B018


def test_units_are_read_only(doc):
    for view in (Span(doc, 0, 1), doc[0]):
        with pytest.raises(UccaError, match=r"UC205"):
            view._.ucca = None


def test_nothing_is_kept_alive():
    import gc
    import weakref

    doc = Doc(Vocab(), words=WORDS)
    doc._.ucca = two_sentences()
    graph = weakref.ref(get_graph(doc))
    copied = copy.copy(doc)
    assert copied._.ucca == two_sentences()
    del doc, copied
    gc.collect()
    assert graph() is None


def test_import_is_light():
    """`import spacy_ucca` loads nothing that spaCy has not, but itself."""
    code = (
        "import sys, spacy, spacy.tokens; before = set(sys.modules); import spacy_ucca;"
        "print(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name.startswith("spacy_ucca") for name in out.stdout.split()), out.stdout


@pytest.mark.parametrize("text", ["John left", "", "{1, 2"])
def test_a_text_that_is_no_record_is_named(text):
    doc = Doc(Vocab(), words=["a"])
    with pytest.raises(GraphError, match=r"UC689.*takes a Graph"):
        doc._.ucca = text
    assert doc._.ucca is None
