"""No sentence that breaks a rule escapes, and few others are suspected."""

import pytest
import spacy
from perturb import broken
from random_models import random_docs, random_model

from spacy_ucca.features.state_rows import Syntax
from spacy_ucca.features.unit_rows import UnitTable
from spacy_ucca.graph import Graph
from spacy_ucca.parser.decode import decode_all
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.screen import find_violations
from spacy_ucca.rules.repair import repair
from spacy_ucca.tokens.sentences import find_sentences
from spacy_ucca.transitions.rebuild import rebuild


@pytest.mark.parametrize("system", ["tree", "tupa"])
def test_what_is_not_suspected_follows_the_rules(system: str, sample, vocab) -> None:
    inventory = Inventory.collect(system, sample, {"nsubj", "obj"})
    passed = wrong = 0
    for seed in range(10):
        docs = random_docs(vocab, seed, 40)
        sentences = find_sentences(docs, inventory.dep_ids)
        scorers = random_model(inventory, seed).predict(docs)
        for sentence, state, suspect in zip(sentences, *decode_all(scorers, inventory, sentences)):
            words = [sentence.doc[int(i)].text for i in sentence.tokens]
            graph = inventory.system.to_graph(state, words)
            repaired = repair(graph)
            assert broken(repaired) == []
            if not suspect:
                passed += 1
                assert repaired is graph and broken(graph) == [], words
            wrong += repaired is not graph
    assert passed and wrong


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


def test_gold_trees_are_not_suspected(sample: list[Graph]) -> None:
    """What a perfect parser makes is let through, unless the annotation itself breaks a rule."""
    for graph in sample:
        inventory = Inventory.collect("tree", [graph], set())
        built = rebuild(graph, inventory.system)
        state = inventory.system.start(len(graph.words))
        for action in built.actions:
            inventory.system.apply(state, action)
        syntax = Syntax([-1] * len(graph.words), [0] * len(graph.words))
        (suspect,) = find_violations(inventory.label_facts, UnitTable([state], [syntax]))
        assert suspect == bool(broken(built.graph)), graph.details["id"]
