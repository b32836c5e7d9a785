"""`Doc._.ucca_lang`: what is stored, what survives, and who reads it."""

import pickle
import warnings

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_ucca.extract.words import is_negation
from spacy_ucca.formats.xml import read_xml_string, write_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.graph.data import EdgeTuple, common_details
from spacy_ucca.parser.checks import UnfamiliarDocs
from spacy_ucca.tokens.language import named_lang


@pytest.fixture
def doc() -> Doc:
    return Doc(spacy.blank("xx").vocab, words=["Er", "kommt", "nicht"])


def test_the_language_is_that_of_the_vocabulary_until_somebody_says_another(doc: Doc) -> None:
    assert doc._.ucca_lang == "xx" and Doc(Vocab(), words=["a"])._.ucca_lang == ""
    doc._.ucca_lang = "de"
    assert doc._.ucca_lang == "de" and doc.lang_ == "xx"
    doc._.ucca_lang = ""
    assert doc._.ucca_lang == "xx" and not doc.user_data


def test_the_language_goes_with_the_doc(doc: Doc) -> None:
    doc._.ucca_lang = "de"
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    copies = [
        doc.copy(),
        pickle.loads(pickle.dumps(doc)),
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        *DocBin().from_bytes(data).get_docs(doc.vocab),
        doc[1:].as_doc(copy_user_data=True),
        Doc.from_docs([doc, doc]),
    ]
    assert [copy._.ucca_lang for copy in copies] == ["de"] * 6
    other = doc.copy()
    other._.ucca_lang = "fr"
    assert Doc.from_docs([doc, other])._.ucca_lang == "xx"  # two languages


def test_words_of_the_language_are_those_of_the_doc(doc: Doc) -> None:
    """ "pas" denies in French alone; where nobody knows the language, the words of all count."""
    (word,) = Doc(doc.vocab, words=["pas"])
    found = []
    for lang in ("", "fr", "de", "en"):
        word.doc._.ucca_lang = lang
        found.append(is_negation(word))
    assert found == [True, True, False, False]


@pytest.mark.parametrize("lang, foreign", [("", False), ("en", False), ("de", True)])
def test_a_parser_of_one_language_warns_of_a_doc_in_another(lang: str, foreign: bool) -> None:
    doc = Doc(spacy.blank("en").vocab, words=["Er", "kommt"])
    doc._.ucca_lang = lang
    messages = [*UnfamiliarDocs("ucca_parser", "en").messages([doc], {})]
    assert bool(messages) == foreign and all("[UW305]" in message for message in messages)


@pytest.mark.parametrize("lang", ["tr", "zh"])
def test_short_lists_of_stop_words_tell_no_language(lang: str) -> None:
    doc = Doc(spacy.blank(lang).vocab, words=["kelime"] * 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not [*UnfamiliarDocs("ucca_parser", lang).messages([doc], {})]


@pytest.mark.parametrize(
    "own, said, named",
    [("fr", "", "fr"), ("xx", "", ""), ("en", "", ""), ("en", "en", "en"), ("xx", "de", "de")],
)
def test_a_parse_names_its_language(own: str, said: str, named: str) -> None:
    doc = Doc(spacy.blank(own).vocab, words=["Ja"])
    doc._.ucca_lang = said
    assert named_lang(doc) == named


def test_a_graph_keeps_the_language_where_all_parts_have_it() -> None:
    graph = Graph(["Ja"], [], [], details={"lang": "de", "guidelines": "v2"})
    assert common_details([]) == {} and common_details([graph]) == graph.details
    assert Graph.join([graph, graph]).details == graph.details
    for lang in ("fr", ""):
        other = graph.replace(details={"lang": lang, "guidelines": "v2"})
        assert Graph.join([graph, other]).details == {"guidelines": "v2"}
    whole = Graph(["Ja"], ["FN"], [EdgeTuple(0, -1, ("Terminal",))], details=graph.details)
    assert read_xml_string(write_xml_string(whole)).details["lang"] == "de"
    assert Graph.from_json(whole.to_json()).details == whole.details
