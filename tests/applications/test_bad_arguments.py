"""What is no Doc is named, with the remedy."""

from functools import partial

import pytest
from written_docs import doc_of

from spacy_ucca import render, render_comparison
from spacy_ucca.applications import SceneIndex, predication_f1, samsa, split_sentences, usim
from spacy_ucca.by_conversion.components import graph_from_sdp
from spacy_ucca.errors import UccaError
from spacy_ucca.tokens.dependencies import graph_from_dependencies, with_dependencies
from spacy_ucca.tokens.extension import get_graph
from spacy_ucca.tokens.views import set_spans
from spacy_ucca.training.corpus import write_docbin

WHAT = ["a text", None, 3, ["a"]]


def calls_with_a_doc(doc):
    yield from (get_graph, split_sentences, set_spans, SceneIndex().add)
    yield from (graph_from_sdp, graph_from_dependencies)
    for compare in (usim, predication_f1):
        yield from (partial(compare, doc), partial(compare, other=doc))
    yield partial(samsa, simplification=doc)


@pytest.mark.parametrize("what", WHAT)
def test_what_is_no_doc(vocab, what):
    doc = doc_of("[H [A He] [P came]]", vocab)
    name = type(what).__name__
    for call in calls_with_a_doc(doc):
        with pytest.raises(UccaError, match=rf"UC684. This is {name}, .*`nlp\(text\)`"):
            call(what)
    for call in (doc._.ucca.to_json, doc._.ucca.to_networkx):
        if what is not None:
            with pytest.raises(UccaError, match=rf"UC684. This is {name}"):
                call(what)
    part = "str" if what == ["a"] else name
    with pytest.raises(UccaError, match=rf"UC688.*not {part}\. .*`nlp\(text\)`"):
        samsa(doc, what)
    with pytest.raises(UccaError, match=rf"UC603.*{part}"):
        render(what)
    for pair in ((doc, what), (what, doc)):
        with pytest.raises(UccaError, match=rf"UC603.*{part}|UC610"):
            render_comparison(*pair)


def test_a_span_is_no_doc(vocab):
    doc = doc_of("[H [A He] [P came]]", vocab)
    for call in calls_with_a_doc(doc):
        with pytest.raises(UccaError, match=r"UC685.*as_doc\(copy_user_data=True\)"):
            call(doc[:2])
    assert split_sentences(doc[:2].as_doc(copy_user_data=True))[0].text == "He came."
    with pytest.raises(UccaError, match=r"UC688.*not Span"):
        samsa(doc, doc[:2])
    assert samsa(doc, [doc[:2]]).samsa == 1.0


@pytest.mark.parametrize("what", ["a text", None, 3])
def test_one_doc_is_not_several(vocab, nlp, tmp_path, what):
    doc = doc_of("[H [A He] [P came]]", vocab)
    parse = nlp.get_pipe("ucca_parser").beam_parse
    for call in (
        partial(write_docbin, path=tmp_path / "a.spacy"),
        lambda x: [*with_dependencies(x)],
        parse,
    ):
        for docs in (what, doc, doc[:1]):
            name = type(docs).__name__
            with pytest.raises(UccaError, match=rf"UC692. This is {name}, .*`\[doc\]`"):
                call(docs)
    assert write_docbin([doc], tmp_path / "a.spacy") == 1


def test_a_sentence_has_the_characters_of_its_span(vocab):
    doc = doc_of("[ [H [P Stop]] [U !] ] [ [H [A He] [P came]] [U .] ]", vocab)
    for start, graph in doc._.ucca.sentences():
        span = doc[start : start + len(graph.words)]
        found = graph.to_json(span)
        places = [found["text"][token["start"] : token["end"]] for token in found["tokens"]]
        assert found["text"] == span.text and places == [*graph.words]
