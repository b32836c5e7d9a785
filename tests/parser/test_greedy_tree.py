"""Greedy search in compiled code gives what NumPy's way gives, and so does its source as plain Python."""

from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from random_models import random_docs, random_model
from util import VOCAB

from spacy_ucca.graph import Graph
from spacy_ucca.native import greedy as plain
from spacy_ucca.native.load import compiled
from spacy_ucca.parser.labels import EVERYTHING, Allowed, Inventory
from spacy_ucca.parser.search import greedy_search
from spacy_ucca.tokens.sentences import find_sentences
from spacy_ucca.transitions import tree
from spacy_ucca.transitions.tree import TreeSystem

SEEDS = range(4)


@pytest.fixture(scope="module")
def inventory(sample: list[Graph]) -> Inventory:
    return Inventory.collect("tree", sample, {"nsubj", "obj"})


@pytest.mark.parametrize("way", ["compiled", "plain"])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_finds_what_numpy_finds(inventory, seed, way, monkeypatch):
    if way == "compiled" and not compiled():
        pytest.skip("it runs as plain Python")
    if way == "plain":
        monkeypatch.setattr(tree, "greedy", plain)
        monkeypatch.setattr(tree, "COMPILED", True)
    docs = random_docs(VOCAB, seed, 8)
    sentences = find_sentences(docs, inventory.dep_ids)
    step = random_model(inventory, seed).predict(docs)["actions"]
    system, schema = inventory.system, inventory.schemas["actions"]
    random = numpy.random.RandomState(seed)
    table = random.uniform(size=(3, system.n_actions)) < 0.7
    for allowed in (EVERYTHING, Allowed(table, random.randint(0, 3, len(sentences)))):
        states = [system.start(len(sentence)) for sentence in sentences]
        assert system.search(states, sentences, step, schema, allowed)
        other: Any = SimpleNamespace(predict=step.predict, weights_of_sum=lambda: None)
        expected = greedy_search(other, system, schema, sentences, allowed)
        assert [state.history for state in states] == [state.history for state in expected]
        for state, by_numpy in zip(states, expected):
            assert state.done
            assert numpy.allclose(state.log_probs, by_numpy.log_probs, atol=1e-5)


def test_no_sentences(inventory):
    step = random_model(inventory, 0).predict(random_docs(VOCAB, 0, 1))["actions"]
    assert greedy_search(step, inventory.system, inventory.schemas["actions"], []) == []


def test_it_is_for_transitions_and_scorers_that_it_knows(inventory):
    class SameTransitions(TreeSystem):
        name = "same"

    class OtherTransitions(TreeSystem):
        def apply(self, state, action):
            super().apply(state, action)

    docs = random_docs(VOCAB, 0, 1)
    sentences = find_sentences(docs, inventory.dep_ids)
    step, schema = random_model(inventory, 0).predict(docs)["actions"], inventory.schemas["actions"]
    other: Any = SimpleNamespace(predict=step.predict, weights_of_sum=lambda: None)
    for kind, scorer, expected in (
        (TreeSystem, step, compiled()),
        (SameTransitions, step, compiled()),
        (OtherTransitions, step, False),
        (TreeSystem, other, False),
    ):
        system = kind(inventory.labels)
        states = [system.start(len(sentence)) for sentence in sentences]
        assert system.search(states, sentences, scorer, schema, EVERYTHING) == expected
        assert all(state.done == expected for state in states)
