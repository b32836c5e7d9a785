"""What patterns ask of the tags and lemmas of a Doc."""

import pickle

import pytest
import spacy
from spacy.attrs import IDS
from spacy.matcher import Matcher
from spacy.tokens import Doc

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.matcher import UccaMatcher
from spacy_ucca.matcher.matcher import COMPONENTS, MissingAttributes
from spacy_ucca.training.corpus import graph_to_doc

VOCAB = spacy.blank("xx").vocab
SETTERS = {name: f"{name.lower()}_" for name in COMPONENTS if name != "MORPH"}


def doc_of(text: str = "[H [A I] [P came]]") -> Doc:
    return graph_to_doc(*read_brackets(text), VOCAB)


def matcher_of(attrs: dict, category: str = "P", **more: str) -> UccaMatcher:
    matcher = UccaMatcher(VOCAB)
    root = {"RIGHT_ID": "h", "RIGHT_ATTRS": {}}
    node = {"LEFT_ID": "h", "REL_OP": ">", "RIGHT_ID": "p", "RIGHT_ATTRS": attrs, **more}
    matcher.add("q", [[root, {**node, "EDGE_ATTRS": {"CATEGORY": category}}]])
    return matcher


def test_attributes_are_those_that_spacy_asks_for():
    refused = set()
    for name in IDS:
        matcher = Matcher(VOCAB)
        try:
            matcher.add("q", [[{name: "X"}]])
            matcher(doc_of())
        except ValueError as err:
            refused |= {name} if "E155" in str(err) else set()
    assert refused == set(COMPONENTS) - {"ENT_TYPE"}


@pytest.mark.parametrize("name", COMPONENTS)
@pytest.mark.parametrize("category", ["P", "G"])
@pytest.mark.parametrize("op", [{}, {"OP": "!"}])
def test_what_is_missing_is_named(name: str, category: str, op: dict):
    for key in (name, name.lower()):
        for attrs in ({"HEAD": {key: "X"}}, {"TOKENS": [{}, {"LOWER": "a", key: "X"}]}):
            matcher = matcher_of(attrs, category, **op)
            with pytest.raises(UccaError, match=rf"UC586.*{name}.*'{COMPONENTS[name]}'") as raised:
                matcher(doc_of())
            again = pickle.loads(pickle.dumps(raised.value))
            assert isinstance(again, MissingAttributes) and str(again) == str(raised.value)
            with pytest.raises(UccaError, match="UC586"):
                matcher(doc_of()[1:])
            for doc in (Doc(VOCAB), Doc(VOCAB, words=[" ", "\n"])):  # no words at all
                doc._.ucca = Graph([token.text for token in doc], [], [])
                assert matcher(doc) == []
            matcher.remove("q")
            assert matcher(doc_of()) == []


@pytest.mark.parametrize("name", SETTERS)
def test_a_doc_that_has_it_is_searched(name: str):
    doc = doc_of("[H [A I] [P came]] [H [A You] [P left]]")
    setattr(doc[3], SETTERS[name], "VERB")  # as where a component has nothing to say of others
    ((_, units),) = matcher_of({"HEAD": {name: "VERB"}})(doc)
    assert units["p"].text == "left"


def test_all_that_is_missing_is_named():
    with pytest.raises(UccaError, match=r"DEP and LEMMA.*'lemmatizer' and 'parser'"):
        matcher_of({"HEAD": {"LEMMA": "x", "DEP": "x", "LOWER": "y"}})(doc_of())
